#include "checker/audit/mapped_file.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/file.h"

namespace cmc::audit {

Result<MappedFile> MappedFile::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // which does not wait at a pipe
  if (file < 0) return system_error("open", path, errno);
  struct stat status {};
  const bool known = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const size_t size = known ? static_cast<size_t>(status.st_size) : 0;
  void* const data = size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
  const int code = errno;
  ::close(file);
  if (!known) return Error{"'" + path + "' is no regular file"};
  if (data == MAP_FAILED) return system_error("map", path, code);
  return MappedFile(data, size);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace cmc::audit
