#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "storage/options/store_options.h"
#include "storage/pages/run.h"
#include "storage/pages/spill.h"
#include "storage/sets/key.h"

namespace cmc {

// Sets of keys on disk, one for each partition, in which each key has a value of one byte: kFirst until it is
// changed. Sorted runs of pages; the values of a page are a chunk of another file, written when one of them has
// changed. In RAM 8 W + 24 bytes a page, and buffers for one reader and one writer. Not thread-safe; after an error
// it is not usable any more.
//
// visit() and look_up() call functions that must not use this object, and return false to end the visit early.
template <unsigned W>
class ValuedKeys {
 public:
  static constexpr uint8_t kFirst = 1;

  // Files are p<first_partition + partition>.<number> and values.<first_partition>, in options.directory; the codec
  // is kKeys. They go with the object.
  ValuedKeys(const StoreOptions& options, uint32_t first_partition, uint32_t partitions, FileSystem& files)
      : context_(options, W, files),
        first_partition_(first_partition),
        partitions_(partitions),
        values_file_(files, fmt::format("{}/values.{}", options.directory, first_partition), options.page_bytes / 2) {
    CHECK(options.codec == PageCodec::kKeys);
  }
  ~ValuedKeys() {
    for (const Partition& partition : partitions_) {
      for (const Part& part : partition) static_cast<void>(context_.files.remove(part.run.path));
    }
  }
  ValuedKeys(const ValuedKeys&) = delete;
  ValuedKeys& operator=(const ValuedKeys&) = delete;

  // Adds keys in ascending order. REQUIRES: they are not there.
  [[nodiscard]] Status add(uint32_t partition, std::span<const Key<W>> keys) {
    if (keys.empty()) return Success{};
    RunWriter<W> writer = make_writer(partition);
    if (Status status = writer.open(); !status.ok()) return status;
    for (const Key<W>& key : keys) {
      if (Status status = writer.add({0, key}, {}); !status.ok()) return status;
    }
    return finish(writer, partitions_[partition].emplace_back());
  }

  // visit(key, value&) for each key of a partition.
  template <class Visit>
  [[nodiscard]] Status visit(uint32_t partition, Visit&& visit) {
    bool more = true;
    for (Part& part : partitions_[partition]) {
      RunReader<W> reader(context_);
      if (Status status = reader.open(part.run); !status.ok()) return status;
      while (more) {
        CMC_TRY(const bool page, next_page(part, reader));
        if (!page) break;
        bool changed = false;
        for (size_t i = 0; more && reader.cursor().next(); ++i) more = tell(reader, values_[i], changed, visit);
        if (Status status = end_page(part, reader, changed); !status.ok()) return status;
      }
      if (!more) break;
    }
    return Success{};
  }

  // visit(key, how often it is among `keys`, value&) for each of `keys`, which ascend, that is there.
  template <class Visit>
  [[nodiscard]] Status look_up(uint32_t partition, std::span<const Key<W>> keys, Visit&& visit) {
    for (Part& part : partitions_[partition]) {
      std::vector<uint32_t> wanted = pages_with(part.run, keys);
      if (wanted.empty()) continue;
      RunReader<W> reader(context_);
      if (Status status = reader.open(part.run, std::move(wanted)); !status.ok()) return status;
      auto next = keys.begin();
      for (bool more = true; more;) {
        CMC_TRY(const bool page, next_page(part, reader));
        if (!page) break;
        bool changed = false;
        for (size_t i = 0; more && next != keys.end() && reader.cursor().next(); ++i) {
          const Key<W>& key = reader.cursor().entry().key;
          while (next != keys.end() && *next < key) ++next;
          const auto begin = next;
          while (next != keys.end() && *next == key) ++next;
          if (begin == next) continue;
          more = tell(reader, values_[i], changed,
                      [&](const Key<W>& found, uint8_t& value) { return visit(found, next - begin, value); });
        }
        if (Status status = end_page(part, reader, changed); !status.ok()) return status;
        if (!more) return Success{};
      }
    }
    return Success{};
  }

  // Removes the keys of which keep(value) does not hold; the values of the others become kFirst again.
  template <class Keep>
  [[nodiscard]] Status filter(uint32_t partition, Keep&& keep) {
    Partition& parts = partitions_[partition];
    for (Part& part : parts) {
      CMC_TRY(const uint64_t left, count(part, keep));
      Part kept;
      if (left > 0 && left < part.run.entries) {
        if (Status status = copy(part, keep, partition, kept); !status.ok()) return status;
      }
      forget_values(part);
      if (left == part.run.entries) continue;
      if (Status status = context_.files.remove(part.run.path); !status.ok()) return status;
      part = std::move(kept);
    }
    std::erase_if(parts, [](const Part& part) { return part.run.entries == 0; });
    return Success{};
  }

  // All values become kFirst.
  void forget_values() {
    for (Partition& partition : partitions_) {
      for (Part& part : partition) forget_values(part);
    }
  }

  [[nodiscard]] uint32_t partitions() const { return static_cast<uint32_t>(partitions_.size()); }
  [[nodiscard]] uint64_t size() const {
    uint64_t total = 0;
    for (const Partition& partition : partitions_) {
      for (const Part& part : partition) total += part.run.entries;
    }
    return total;
  }
  [[nodiscard]] uint64_t bytes_on_disk() const {
    uint64_t total = 0;
    for (const Partition& partition : partitions_) {
      for (const Part& part : partition) total += part.run.bytes;
    }
    return total;
  }
  [[nodiscard]] uint64_t bytes_written() const { return context_.bytes_written; }
  [[nodiscard]] uint64_t bytes_read() const { return context_.bytes_read; }
  // With what a reader and a writer take.
  [[nodiscard]] uint64_t memory_bytes() const {
    uint64_t total = values_.capacity() + values_file_.memory_bytes() + 3 * context_.chunk_bytes +
                     2 * context_.format.page_bytes + KeyEncoder<W>::most_memory_bytes(context_.format.page_bytes);
    for (const Partition& partition : partitions_) {
      for (const Part& part : partition) {
        total += sizeof(Part) + part.run.pages.capacity() * sizeof(typename Run<W>::Fence) +
                 part.values.capacity() * sizeof(Place);
      }
    }
    return total;
  }

 private:
  // Where the values of a page are; nowhere: they are kFirst.
  struct Place : ChunkFile::Place {
    uint32_t count = 0;
  };
  struct Part {
    Run<W> run;
    std::vector<Place> values;  // by page
  };
  using Partition = std::vector<Part>;

  // Pages that will be read often.
  [[nodiscard]] RunWriter<W> make_writer(uint32_t partition) {
    return RunWriter<W>(context_, first_partition_ + partition, next_number_++, 1);
  }
  [[nodiscard]] static Status finish(RunWriter<W>& writer, Part& part) {
    Result<Run<W>> run = writer.finish();
    if (!run.ok()) return Error{run.error()};
    part.run = std::move(run).value();
    part.values.resize(part.run.pages.size());
    return Success{};
  }

  // The pages that can have one of the keys.
  [[nodiscard]] static std::vector<uint32_t> pages_with(const Run<W>& run, std::span<const Key<W>> keys) {
    const auto is_before = [](const Key<W>& key, const auto& fence) { return key < fence.first; };
    std::vector<uint32_t> wanted;
    auto behind = run.pages.begin();  // the first page that begins behind the key
    for (const Key<W>& key : keys) {
      if (behind != run.pages.end() && !is_before(key, *behind))
        behind = std::upper_bound(behind + 1, run.pages.end(), key, is_before);
      if (behind == run.pages.begin()) continue;
      const auto page = static_cast<uint32_t>(behind - run.pages.begin() - 1);
      if (wanted.empty() || wanted.back() != page) wanted.push_back(page);
    }
    return wanted;
  }

  // Opens the next page, and its values in values_.
  [[nodiscard]] Result<bool> next_page(const Part& part, RunReader<W>& reader) {
    const Result<bool> page = reader.next_page();
    if (!page.ok() || !page.value()) return page;
    const uint32_t count = reader.cursor().count();
    const Place& place = part.values[reader.page()];
    if (place.sequence != 0 && place.count != count) return Error{fmt::format("'{}' is damaged", part.run.path)};
    const Status status = read_values(place, count);
    if (!status.ok()) return Error{status.error()};
    return true;
  }
  [[nodiscard]] Status read_values(const Place& place, uint32_t count) {
    values_.assign(count, kFirst);
    if (place.sequence == 0) return Success{};
    return values_file_.read(place, std::as_writable_bytes(std::span(values_)));
  }
  template <class Visit>
  static bool tell(RunReader<W>& reader, uint8_t& value, bool& changed, Visit&& visit) {
    const uint8_t before = value;
    const bool more = visit(reader.cursor().entry().key, value);
    changed = changed || value != before;
    return more;
  }
  [[nodiscard]] Status end_page(Part& part, RunReader<W>& reader, bool changed) {
    if (Status status = reader.cursor().status(part.run.path); !status.ok() || !changed) return status;
    Place& place = part.values[reader.page()];
    place.count = static_cast<uint32_t>(values_.size());
    return values_file_.write(place, std::as_bytes(std::span(values_)));
  }
  void forget_values(Part& part) {
    for (Place& place : part.values) values_file_.free(place);
  }

  // How many keys are kept.
  template <class Keep>
  [[nodiscard]] Result<uint64_t> count(const Part& part, Keep&& keep) {
    uint64_t without = part.run.entries;
    uint64_t kept = 0;
    for (const Place& place : part.values) {
      if (place.sequence == 0) continue;
      if (Status status = read_values(place, place.count); !status.ok()) return Error{status.error()};
      kept += static_cast<uint64_t>(std::count_if(values_.begin(), values_.end(), keep));
      without -= place.count;
    }
    return kept + (keep(kFirst) ? without : 0);
  }
  template <class Keep>
  [[nodiscard]] Status copy(const Part& part, Keep&& keep, uint32_t partition, Part& to) {
    RunReader<W> reader(context_);
    if (Status status = reader.open(part.run); !status.ok()) return status;
    RunWriter<W> writer = make_writer(partition);
    if (Status status = writer.open(); !status.ok()) return status;
    for (;;) {
      CMC_TRY(const bool page, next_page(part, reader));
      if (!page) return finish(writer, to);
      for (size_t i = 0; reader.cursor().next(); ++i) {
        if (!keep(values_[i])) continue;
        if (Status status = writer.add(reader.cursor().entry(), {}); !status.ok()) return status;
      }
      if (Status status = reader.cursor().status(part.run.path); !status.ok()) return status;
    }
  }

  RunContext context_;
  const uint32_t first_partition_;
  std::vector<Partition> partitions_;
  ChunkFile values_file_;
  uint64_t next_number_ = 0;     // of a run
  std::vector<uint8_t> values_;  // of the page that is open
};

}  // namespace cmc
