#include "checker/native/object_file.h"

#include <cstdint>
#include <cstring>

#include <elf.h>

namespace cmc::native {

namespace {

// Whether `size` bytes from `offset` on are within `whole`.
bool is_within(uint64_t offset, uint64_t size, uint64_t whole) { return offset <= whole && size <= whole - offset; }

}  // namespace

Status check_object(std::string_view bytes) {
  Elf64_Ehdr header{};
  const Error none{"it is not a shared object"};
  if (bytes.size() < sizeof header) return none;
  std::memcpy(&header, bytes.data(), sizeof header);
  const bool shared = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
                      header.e_type == ET_DYN && header.e_phentsize == sizeof(Elf64_Phdr);
  if (!shared) return none;
  const Error cut{"it is a shared object that is cut off"};
  if (!is_within(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr), bytes.size())) return cut;
  bool dynamic = false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (!is_within(segment.p_offset, segment.p_filesz, bytes.size())) return cut;
    dynamic = dynamic || segment.p_type == PT_DYNAMIC;
  }
  return dynamic ? Status(Success{}) : Status(none);
}

}  // namespace cmc::native
