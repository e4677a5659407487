#include "checker/search/store_plan.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace cmc {

namespace {

constexpr uint64_t kUnlimitedBytes = uint64_t{1} << 30;  // of the caches, if nobody limits the memory
constexpr uint64_t kLeastOpenBytes = uint64_t{1} << 18;
constexpr uint64_t kMostOpenBytes = uint64_t{64} << 20;

template <class T>
void choose(T& value, const std::optional<T>& setting) {
  if (setting) value = *setting;
}

}  // namespace

Result<RunDirectory> RunDirectory::create(const std::string& parent, bool keep) {
  std::error_code error;
  const std::filesystem::path base = parent.empty() ? std::filesystem::temp_directory_path(error) : std::filesystem::path(parent);
  if (!error) std::filesystem::create_directories(base, error);
  if (error) return Error{fmt::format("cannot create the directory {} for the store: {}", base.string(), error.message())};
  std::string path = (base / "cmc-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) {
    return Error{fmt::format("cannot create a directory in {} for the store: {}", base.string(), std::strerror(errno))};
  }
  return RunDirectory(std::move(path), keep);
}

RunDirectory::~RunDirectory() {
  std::error_code ignored;
  if (!path_.empty() && !keep_) std::filesystem::remove_all(path_, ignored);
}

Status StorePlan::open(uint64_t memory_bytes, unsigned key_words, unsigned key_bits, uint64_t states) {
  Result<RunDirectory> created = RunDirectory::create(settings.directory, settings.keep);
  if (!created.ok()) return Error{created.error()};
  directory.emplace(std::move(created).value());
  files = settings.files;
  if (files == nullptr) {
    own_files = make_posix_file_system();
    files = own_files.get();
  }
  divide(memory_bytes, key_words, key_bits, states);
  trail = std::make_unique<TrailLog>(*files, directory->path() + "/trail");
  return check_options(options);
}

void StorePlan::divide(uint64_t memory_bytes, unsigned key_words, unsigned key_bits, uint64_t states) {
  const uint32_t layout = options.layout;
  if (memory_bytes == 0) memory_bytes = kUnlimitedBytes;
  open_bytes = std::clamp(memory_bytes / 32, kLeastOpenBytes, kMostOpenBytes);
  const uint64_t left = memory_bytes > 2 * open_bytes ? memory_bytes - 2 * open_bytes : memory_bytes / 2;
  options = divide_memory(left, key_words, key_bits, states, stripes);
  options.layout = layout;
  options.directory = directory->path();
  options.keep_files = settings.keep;
  choose(options.bloom_bits, settings.bloom_bits);
  choose(options.bloom_hashes, settings.bloom_hashes);
  choose(options.lossy_capacity, settings.lossy_capacity);
  choose(options.reclaim_ahead, settings.reclaim_ahead);
  choose(options.evaluator, settings.evaluator);
  choose(options.lookup_buffer, settings.lookup_buffer);
  choose(options.partitions, settings.partitions);
  choose(options.page_bytes, settings.page_bytes);
  choose(options.write_buffer_bytes, settings.write_buffer_bytes);
  choose(options.codec, settings.codec);
  choose(options.zlib_level, settings.zlib_level);
  choose(options.sha1_bits, settings.sha1_bits);
  choose(options.io, settings.io);
}

}  // namespace cmc
