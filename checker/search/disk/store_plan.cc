#include "checker/search/disk/store_plan.h"

#include "storage/cache/divide_memory.h"

namespace cmc {

namespace {

constexpr uint64_t kUnlimitedBytes = uint64_t{1} << 30;  // of the caches, if nobody limits the memory
constexpr uint64_t kLeastOpenBytes = uint64_t{1} << 18;
constexpr uint64_t kMostOpenBytes = uint64_t{64} << 20;
// One part in so many is for buffers of AsyncFiles: those of a merge (RunContext) once more.
constexpr uint64_t kAsyncShare = 32;

template <class T>
void choose(T& value, const std::optional<T>& setting) {
  if (setting) value = *setting;
}

}  // namespace

Status StorePlan::open(uint64_t memory_bytes, unsigned key_words, unsigned key_bits, uint64_t states) {
  Result<RunDirectory> created = RunDirectory::create(settings.directory, settings.keep);
  if (!created.ok()) return Error{created.error()};
  directory.emplace(std::move(created).value());
  if (Status opened = open_files(); !opened.ok()) return opened;
  if (memory_bytes == 0) memory_bytes = kUnlimitedBytes;
  open_bytes = std::clamp(memory_bytes / 32, kLeastOpenBytes, kMostOpenBytes);
  shared_bytes_ = memory_bytes > 2 * open_bytes ? memory_bytes - 2 * open_bytes : memory_bytes / 2;
  if (settings.async_io) shared_bytes_ -= shared_bytes_ / kAsyncShare;
  states_ = states;
  options = divide(key_words, key_bits);
  if (settings.paths) trail = std::make_unique<TrailLog>(*files, directory->path() + "/trail");
  return check_options(options);
}

void StorePlan::close() {
  trail.reset();
  files.reset();
  async_files.reset();
  own_files.reset();
  if (directory) directory->keep_no_more();
  directory.reset();
  explicit_lookups = {};
  recent_hits = 0;
}

Status StorePlan::open_files() {
  if (settings.files == nullptr) own_files = make_posix_file_system();
  FileSystem& synchronous = settings.files == nullptr ? *own_files : *settings.files;
  if (settings.async_io) {
    Result<std::unique_ptr<AsyncFiles>> created = AsyncFiles::create(synchronous);
    if (!created.ok()) return Error{created.error()};
    async_files = std::move(created).value();
  }
  files.emplace(settings.async_io ? *async_files : synchronous);
  return Success{};
}

void StorePlan::fit(unsigned key_words, unsigned key_bits) {
  options.lossy_capacity = std::min(options.lossy_capacity, divide(key_words, key_bits).lossy_capacity);
}

RoundPlan StorePlan::rounds(uint32_t workers, unsigned key_words) const {
  // A partition that keeps nearly nothing in RAM writes a file for each state.
  constexpr uint64_t kLeastOfPartition = 256;
  const uint64_t worth = std::clamp<uint64_t>(settings.lossy_capacity.value_or(0) / kLeastOfPartition, 1, 1024);
  const uint32_t few = settings.lossy_capacity ? static_cast<uint32_t>(worth) : 0;
  RoundPlan plan = plan_rounds(options, shared_bytes_, workers, key_words, settings.partitions.value_or(few));
  choose(plan.store.page_bytes, settings.page_bytes);
  if (settings.lossy_capacity) plan.side_bytes = *settings.lossy_capacity * key_words * sizeof(uint64_t);
  if (settings.write_buffer_bytes)
    plan.chunk_bytes = std::max<uint64_t>(1, *settings.write_buffer_bytes / plan.store.partitions);
  choose(plan.turn_records, settings.lookup_buffer);
  return plan;
}

StoreOptions StorePlan::divide(unsigned key_words, unsigned key_bits) const {
  StoreOptions divided =
      divide_memory(shared_bytes_, key_words, key_bits, states_, stripes, settings.bloom_bits.value_or(0));
  // A search that has been in RAM before knows how large the caches will have to be.
  divided.bloom_grows = states_ == 0 && !settings.bloom_bits;
  divided.lossy_grows = states_ == 0;
  divided.lossy_inherits = !settings.bloom_bits && !settings.lossy_capacity;
  divided.directory = directory->path();
  divided.keep_files = settings.keep;
  divided.keep_open = !settings.async_io;
  choose(divided.bloom_bits, settings.bloom_bits);
  choose(divided.bloom_hashes, settings.bloom_hashes);
  choose(divided.lossy_capacity, settings.lossy_capacity);
  choose(divided.reclaim_ahead, settings.reclaim_ahead);
  if (settings.reclaim_percent) {
    const double states = static_cast<double>(divided.lossy_capacity) * *settings.reclaim_percent / 100;
    divided.reclaim_ahead = std::max<uint64_t>(1, static_cast<uint64_t>(states));
  }
  choose(divided.evaluator, settings.evaluator);
  choose(divided.lookup_buffer, settings.lookup_buffer);
  choose(divided.partitions, settings.partitions);
  choose(divided.page_bytes, settings.page_bytes);
  choose(divided.write_buffer_bytes, settings.write_buffer_bytes);
  choose(divided.codec, settings.codec);
  choose(divided.zlib_level, settings.zlib_level);
  choose(divided.sha1_bits, settings.sha1_bits);
  choose(divided.io, settings.io);
  return divided;
}

}  // namespace cmc
