#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "storage/options/store_figures.h"
#include "storage/pages/run.h"
#include "storage/pages/state_hash.h"
#include "storage/sets/key.h"

namespace cmc {

// Sets of states on disk, one for each partition; exact, but for PageCodec::kSha1, which may find what is not there.
// Not thread-safe.
//
// What is added at once, sorted, becomes a run, a file of pages in ascending order. kFanIn runs of one level are
// merged into one of the next (a log-structured merge tree, O'Neil et al., 1996), so that a partition has few of
// them: n additions, 3 log4(n) runs, each state written log4(n) times.
//
// The first entry of each page is in RAM, 16 bytes a page for one word. A look-up of sorted candidates reads the
// pages that can have one, several at once where they are near each other; all of them, in order, if there are many
// candidates.
//
// After an error its content is incomplete: the owner has to stop.
//
// A Candidate has the key of a state, not permuted, and entry(), its SortKey.
template <unsigned W>
class PartitionStore {
 public:
  static constexpr size_t kFanIn = 6;

  // options.write_buffer_bytes is that of this store's `partitions`.
  PartitionStore(const StoreOptions& options, uint32_t first_partition, uint32_t partitions,
                 const StateHasher<W>& hasher, FileSystem& files)
      : codec_(options.codec),
        keep_files_(options.keep_files),
        hasher_(hasher),
        context_(options, W, files),
        write_buffer_bytes_(options.write_buffer_bytes),
        first_partition_(first_partition),
        partitions_(partitions) {}
  ~PartitionStore() {
    if (keep_files_) return;
    for (const Partition& partition : partitions_) {
      for (const Run<W>& run : partition.runs) static_cast<void>(context_.files.remove(run.path));
      for (const Spare& spare : partition.spare) static_cast<void>(context_.files.remove(spare.path));
    }
  }
  PartitionStore(const PartitionStore&) = delete;
  PartitionStore& operator=(const PartitionStore&) = delete;

  // By which states are sorted, SortKey::hash. `key` is not permuted. REQUIRES: the codec is not kKeys.
  [[nodiscard]] uint64_t hash_of(const Key<W>& key) {
    hasher_.vectors().unpack(key.data(), vector_);
    return codec_ == PageCodec::kSha1 ? sha1_digest(vector_, context_.format.digest_bits, payload_)
                                      : hash_bytes(vector_);
  }

  // Removes those that are there from the candidates, which are sorted. Those of which skip(candidate) says so stay.
  template <class Candidate, class Skip>
  [[nodiscard]] Status lookup(uint32_t number, std::vector<Candidate>& candidates, Skip&& skip) {
    DCHECK(std::ranges::is_sorted(candidates, std::less<>{}, [](const Candidate& each) { return each.entry(); }));
    for (const Run<W>& run : at(number).runs) {
      found_.assign(candidates.size(), 0);
      any_found_ = 0;
      if (Status status = lookup_run(run, std::span<const Candidate>(candidates), skip); !status.ok()) return status;
      if (any_found_ == 0) continue;
      size_t kept = 0;
      for (size_t i = 0; i < candidates.size(); ++i) {
        candidates[kept] = candidates[i];
        kept += found_[i] == 0 ? 1 : 0;
      }
      candidates.resize(kept);
    }
    return Success{};
  }

  // States on its pages.
  [[nodiscard]] uint64_t entries(uint32_t number) {
    uint64_t total = 0;
    for (const Run<W>& run : at(number).runs) total += run.entries;
    return total;
  }

  // Of all its runs.
  [[nodiscard]] uint64_t pages(uint32_t number) {
    uint64_t total = 0;
    for (const Run<W>& run : at(number).runs) total += run.pages.size();
    return total;
  }
  // Of the states, those that are not in the first run, which is the largest.
  [[nodiscard]] uint64_t entries_behind_first(uint32_t number) {
    return at(number).runs.empty() ? 0 : entries(number) - at(number).runs.front().entries;
  }

  // Adds sorted states. REQUIRES: they are not there.
  template <class Candidate>
  [[nodiscard]] Status add(uint32_t number, const std::vector<Candidate>& states) {
    return add(number, std::span<const Candidate>(states));
  }
  template <class Candidate>
  [[nodiscard]] Status add(uint32_t number, std::span<const Candidate> states) {
    if (states.empty()) return Success{};
    DCHECK(std::ranges::is_sorted(states, std::less<>{}, [](const Candidate& state) { return state.entry(); }));
    if (Status status = replace(number, 0, 0, states); !status.ok()) return status;
    return merge(number);
  }
  // Adds sorted states, and makes one run of all that the partition has. REQUIRES: they are not there.
  template <class Candidate>
  [[nodiscard]] Status merge_all(uint32_t number, std::span<const Candidate> states) {
    std::vector<Run<W>>& runs = at(number).runs;
    if (states.empty() && runs.size() <= 1) return Success{};
    return replace(number, runs.size(), runs.empty() ? 1 : runs.front().level + 1, states);
  }

  // visit(key) for each state and each of `states`, in ascending order; all stay. REQUIRES: the codec is kKeys.
  template <class Candidate, class Visit>
  [[nodiscard]] Status visit(uint32_t number, std::span<const Candidate> states, Visit&& visit) {
    CHECK(codec_ == PageCodec::kKeys);
    return visit_keys<Candidate>(at(number).runs, states, one_by_one(visit));
  }
  // The runs of a partition; what is in one never changes, and no other one gets its number.
  [[nodiscard]] std::span<const Run<W>> runs(uint32_t number) { return at(number).runs; }
  // visit(key) for each state of one, in ascending order. REQUIRES: the codec is kKeys.
  template <class Visit>
  [[nodiscard]] Status visit_run(const Run<W>& run, Visit&& visit) {
    return visit_keys<NoCandidate>(std::span(&run, 1), {}, one_by_one(visit));
  }
  // visit(key, not permuted) for each state, and removes it: a file goes when it has been read. REQUIRES: the
  // codec is kKeys.
  template <class Visit>
  [[nodiscard]] Status drain(Visit&& visit) {
    CHECK(codec_ == PageCodec::kKeys);
    for (Partition& partition : partitions_) {
      for (; !partition.runs.empty(); partition.runs.pop_back()) {
        const Run<W>& run = partition.runs.back();
        RunReader<W> reader(context_);
        if (Status status = reader.open(run); !status.ok()) return status;
        while (reader.next()) {
          if (Status status = visit(reader.cursor().entry().key); !status.ok()) return status;
        }
        if (!reader.status().ok()) return reader.status();
        if (Status status = context_.files.remove(run.path); !status.ok()) return status;
        disk_bytes_ -= run.bytes;
      }
      for (; !partition.spare.empty(); partition.spare.pop_back()) {
        disk_bytes_ -= partition.spare.back().bytes;
        if (Status status = context_.files.remove(partition.spare.back().path); !status.ok()) return status;
      }
    }
    return Success{};
  }
  // The files of a store of keys of another width; REQUIRES: the same partitions, and a codec that does not write
  // keys.
  template <unsigned V>
  void take_files(PartitionStore<V>& from) {
    CHECK(codec_ != PageCodec::kKeys && partitions_.size() == from.partitions_.size());
    for (size_t i = 0; i < partitions_.size(); ++i) {
      for (Run<V>& old : from.partitions_[i].runs) {
        Run<W> run{old.partition, old.number, old.level, old.path, {}, old.entries, old.bytes};
        for (const auto& page : old.pages) {
          run.pages.push_back({{page.first[0]}, page.offset});
        }
        partitions_[i].runs.push_back(std::move(run));
      }
      from.partitions_[i].runs.clear();
      for (auto& spare : from.partitions_[i].spare)
        partitions_[i].spare.push_back({std::move(spare.path), spare.bytes});
      from.partitions_[i].spare.clear();
    }
    next_number_ = std::max(next_number_, from.next_number_);
    count_bytes(std::exchange(from.disk_bytes_, 0));
  }
  void set_next_number(uint64_t number) { next_number_ = std::max(next_number_, number); }
  [[nodiscard]] uint64_t next_number() const { return next_number_; }

  void add_figures(StoreFigures& figures) const {
    figures.pages_written += context_.pages_written;
    figures.pages_read += context_.pages_read;
    figures.bytes_written += context_.bytes_written;
    figures.bytes_read += context_.bytes_read;
    figures.disk_bytes += disk_bytes_;
    figures.disk_bytes_peak = std::max(figures.disk_bytes_peak, peak_bytes_);
    for (const Partition& partition : partitions_) {
      for (const Run<W>& run : partition.runs) figures.stored_states += run.entries;
    }
  }
  // With what a merge takes for a moment.
  [[nodiscard]] uint64_t memory_bytes() const {
    return index_bytes() + vector_.capacity() + found_.capacity() +
           work_bytes(write_buffer_bytes_, context_.format.page_bytes);
  }
  // Without that.
  [[nodiscard]] uint64_t index_bytes() const {
    uint64_t total = partitions_.capacity() * sizeof(Partition);
    for (const Partition& partition : partitions_) {
      total += partition.runs.capacity() * sizeof(Run<W>) + partition.spare.capacity() * sizeof(Spare);
      for (const Run<W>& run : partition.runs) {
        total += run.pages.capacity() * sizeof(typename Run<W>::Fence) + run.path.capacity();
      }
    }
    return total;
  }
  [[nodiscard]] uint64_t pages_read() const { return context_.pages_read; }
  [[nodiscard]] uint64_t pages_written() const { return context_.pages_written; }
  // Of a merge: of each run and of the new one a chunk (the writer: also its aligned copy), a page, and page numbers;
  // the keys of a page.
  [[nodiscard]] static uint64_t work_bytes(uint64_t write_buffer_bytes, uint64_t page_bytes) {
    return (kFanIn + 2) *
               (RunContext::chunk_bytes_for(write_buffer_bytes, page_bytes) + 2 * page_bytes + 2 * kFileBlock) +
           KeyEncoder<W>::most_memory_bytes(page_bytes);
  }
  void check_invariants() const {
    uint64_t bytes = 0;
    for (const Partition& partition : partitions_) {
      for (const Run<W>& run : partition.runs) bytes += run.bytes;
      for (const Spare& spare : partition.spare) bytes += spare.bytes;
    }
    CHECK(bytes == disk_bytes_ && bytes <= peak_bytes_);
    for (const Partition& partition : partitions_) {
      size_t of_level = 0;
      for (size_t i = 0; i < partition.runs.size(); ++i) {
        const Run<W>& run = partition.runs[i];
        run.check_invariants();
        if (i > 0) CHECK(run.level <= partition.runs[i - 1].level);
        of_level = i > 0 && run.level == partition.runs[i - 1].level ? of_level + 1 : 1;
        CHECK(of_level < kFanIn);
        CHECK(run.number < next_number_);
      }
    }
  }

 private:
  template <unsigned>
  friend class PartitionStore;

  // Files that have become superfluous are used again, if they are small: to create one costs as much as to sort a
  // thousand states where many have been removed lately (ext4 looks at each of their inodes; a fifth of the time of
  // Peterson 5).
  struct Spare {
    std::string path;
    uint64_t bytes = 0;
  };
  struct Partition {
    std::vector<Run<W>> runs;  // levels descend
    std::vector<Spare> spare;
  };
  static constexpr uint64_t kMostSpareBytes = uint64_t{256} << 10;
  static constexpr size_t kKeysAtOnce = 256;

  // More is on disk.
  void count_bytes(uint64_t bytes) {
    disk_bytes_ += bytes;
    peak_bytes_ = std::max(peak_bytes_, disk_bytes_);
  }
  [[nodiscard]] Partition& at(uint32_t number) {
    CHECK(number - first_partition_ < partitions_.size());
    return partitions_[number - first_partition_];
  }
  [[nodiscard]] std::string take_spare(uint32_t number) {
    std::vector<Spare>& spare = at(number).spare;
    if (spare.empty()) return {};
    std::string path = std::move(spare.back().path);
    disk_bytes_ -= spare.back().bytes;
    spare.pop_back();
    return path;
  }
  [[nodiscard]] Status discard(const Run<W>& run) {
    if (run.bytes > kMostSpareBytes) {
      disk_bytes_ -= run.bytes;
      return context_.files.remove(run.path);
    }
    at(run.partition).spare.push_back({run.path, run.bytes});
    return Success{};
  }
  // As it is on a page.
  [[nodiscard]] SortKey<W> on_page(const SortKey<W>& entry) const {
    return codec_ == PageCodec::kKeys ? entry : SortKey<W>{entry.hash, {}};
  }
  // What a page has of a state beside its SortKey: the state vector, or the end of a long digest. Valid until the
  // next call.
  [[nodiscard]] ByteView payload_of(const Key<W>& key) {
    if (!has_payload()) return {};
    hasher_.vectors().unpack(key.data(), vector_);
    if (codec_ != PageCodec::kSha1) return vector_;
    static_cast<void>(sha1_digest(vector_, context_.format.digest_bits, payload_));
    return payload_;
  }
  [[nodiscard]] bool has_payload() const {
    switch (codec_) {
      case PageCodec::kKeys: return false;
      case PageCodec::kSha1: return context_.format.digest_tail_bytes() > 0;
      case PageCodec::kRaw:
      case PageCodec::kZlib:
      case PageCodec::kDiff: break;
    }
    return true;
  }

  // Until there are fewer than kFanIn runs of each level.
  [[nodiscard]] Status merge(uint32_t number) {
    Partition& partition = at(number);
    std::vector<Run<W>>& runs = partition.runs;
    while (runs.size() >= kFanIn && runs[runs.size() - kFanIn].level == runs.back().level) {
      const Status status = replace(number, kFanIn, runs.back().level + 1, std::span<const NoCandidate>());
      if (!status.ok()) return status;
    }
    return Success{};
  }
  struct NoCandidate {
    Key<W> key{};
    [[nodiscard]] SortKey<W> entry() const { return {}; }
  };
  // The last `count` runs of the partition, and sorted states, become one run.
  template <class Candidate>
  [[nodiscard]] Status replace(uint32_t number, size_t count, unsigned level, std::span<const Candidate> states) {
    std::vector<Run<W>>& runs = at(number).runs;
    CMC_TRY(Run<W> merged, merge(number, std::span<const Run<W>>(runs).last(count), level, states));
    count_bytes(merged.bytes);
    for (size_t i = 0; i < count; ++i) {
      if (Status status = discard(runs.back()); !status.ok()) return status;
      runs.pop_back();
    }
    runs.push_back(std::move(merged));
    return Success{};
  }
  template <class Candidate>
  [[nodiscard]] Result<Run<W>> merge(uint32_t number, std::span<const Run<W>> runs, unsigned level,
                                     std::span<const Candidate> states) {
    RunWriter<W> writer(context_, number, next_number_++, level);
    if (Status status = writer.open(take_spare(number)); !status.ok()) return Error{status.error()};
    const auto add = [&](const auto&... next) { return writer.add(next...); };
    const Status merged =
        codec_ == PageCodec::kKeys ? visit_keys(runs, states, add) : visit_merged(runs, states, add);
    if (!merged.ok()) return Error{merged.error()};
    return writer.finish();
  }
  template <class Visit>
  [[nodiscard]] static auto one_by_one(Visit& visit) {
    return [&visit](std::span<const Key<W>> keys) -> Status {
      for (const Key<W>& key : keys) visit(key);
      return Success{};
    };
  }
  // The next keys of a run, or, without one, of sorted states.
  template <class Candidate>
  struct Keys {
    std::optional<RunReader<W>> run;
    std::span<const Candidate> states;  // those that are behind `next`
    std::array<Key<W>, kKeysAtOnce> buffer;
    std::span<const Key<W>> next;

    // False: there is none left. REQUIRES: `next` is empty.
    [[nodiscard]] Result<bool> refill() {
      CMC_TRY(size_t count, run ? run->next_keys(buffer) : std::min(states.size(), buffer.size()));
      next = std::span(buffer).first(count);
      if (run) return !next.empty();
      std::ranges::transform(states.first(next.size()), buffer.begin(),
                             [](const Candidate& each) { return each.key; });
      states = states.subspan(next.size());
      return !next.empty();
    }
  };
  // visit(keys) for those of all runs, and the states, some at a time, in ascending order; an error of it ends this.
  template <class Candidate, class Visit>
  [[nodiscard]] Status visit_keys(std::span<const Run<W>> runs, std::span<const Candidate> states, Visit&& visit) {
    std::deque<Keys<Candidate>> all(runs.size() + 1);
    all.back().states = states;
    std::vector<Keys<Candidate>*> open;
    for (size_t i = 0; i < all.size(); ++i) {
      if (i < runs.size()) {
        if (Status status = all[i].run.emplace(context_).open(runs[i]); !status.ok()) return status;
      }
      CMC_TRY(const bool filled, all[i].refill());
      if (filled) open.push_back(&all[i]);
    }
    std::array<Key<W>, kKeysAtOnce> merged;
    size_t count = 0;
    while (!open.empty()) {
      // Those with the least key, as far as they are before all others.
      const auto is_before = [](const auto* a, const auto* b) { return a->next.front() < b->next.front(); };
      std::iter_swap(open.begin(), std::ranges::min_element(open, is_before));
      const auto bound = std::min_element(open.begin() + 1, open.end(), is_before);
      std::span<const Key<W>>& next = open.front()->next;
      const size_t most = std::min(next.size(), merged.size() - count);
      size_t taken = 0;
      do {
        merged[count++] = next[taken++];
      } while (taken < most && (bound == open.end() || next[taken] < (*bound)->next.front()));
      next = next.subspan(taken);
      if (count == merged.size()) {
        if (Status status = visit(std::span<const Key<W>>(merged)); !status.ok()) return status;
        count = 0;
      }
      if (!next.empty()) continue;
      CMC_TRY(const bool filled, open.front()->refill());
      if (!filled) open.erase(open.begin());
    }
    return count == 0 ? Success{} : visit(std::span<const Key<W>>(merged).first(count));
  }
  // visit(entry, vector), as they are on a page, in ascending order; an error of it ends this. For all codecs.
  template <class Candidate, class Visit>
  [[nodiscard]] Status visit_merged(std::span<const Run<W>> runs, std::span<const Candidate> states, Visit&& visit) {
    std::deque<RunReader<W>> readers;
    std::vector<RunReader<W>*> open;
    for (const Run<W>& run : runs) {
      RunReader<W>& reader = readers.emplace_back(context_);
      if (Status status = reader.open(run); !status.ok()) return status;
      if (reader.next()) open.push_back(&reader);
      if (!reader.status().ok()) return reader.status();
    }
    auto state = states.begin();
    while (!open.empty() || state != states.end()) {
      const auto least = std::min_element(open.begin(), open.end(), [](RunReader<W>* a, RunReader<W>* b) {
        return a->cursor().entry() < b->cursor().entry();
      });
      if (state != states.end() && (open.empty() || state->entry() < (*least)->cursor().entry())) {
        if (Status status = visit(on_page(state->entry()), payload_of(state->key)); !status.ok()) return status;
        ++state;
        continue;
      }
      PageCursor<W>& cursor = (*least)->cursor();
      if (Status status = visit(cursor.entry(), cursor.vector()); !status.ok()) return status;
      if ((*least)->next()) continue;
      if (!(*least)->status().ok()) return (*least)->status();
      open.erase(least);
    }
    return Success{};
  }

  // found_[i]: whether candidates[i] is there.
  template <class Candidate, class Skip>
  [[nodiscard]] Status lookup_run(const Run<W>& run, std::span<const Candidate> candidates, Skip&& skip) {
    std::vector<uint32_t> wanted = pages_with(run, candidates, skip);
    if (wanted.empty()) return Success{};
    RunReader<W> reader(context_);
    if (Status status = reader.open(run, std::move(wanted)); !status.ok()) return status;
    for (size_t next = 0;;) {
      CMC_TRY(const bool more, reader.next_page());
      if (!more) return Success{};
      if (Status status = lookup_page(run, reader, candidates, skip, next); !status.ok()) return status;
    }
  }
  // The pages of the run that can have one of them.
  template <class Candidate, class Skip>
  [[nodiscard]] std::vector<uint32_t> pages_with(const Run<W>& run, std::span<const Candidate> candidates,
                                                 Skip&& skip) const {
    std::vector<uint32_t> wanted;
    const auto begin = run.pages.begin();
    const auto end = run.pages.end();
    auto page = begin;  // the first one that does not begin before the candidate
    for (const Candidate& each : candidates) {
      if (skip(each)) continue;
      const Key<W> candidate = context_.format.place_of(each.entry());
      const auto begins_before = [](const auto& fence, const Key<W>& place) { return fence.first < place; };
      if (page != end && begins_before(*page, candidate))
        page = std::lower_bound(page + 1, end, candidate, begins_before);
      // The page before can have it; several only if entries have the same hash.
      for (auto at = page == begin ? page : page - 1; at != end && !(candidate < at->first); ++at) {
        const uint32_t number = static_cast<uint32_t>(at - begin);
        if (wanted.empty() || wanted.back() < number) wanted.push_back(number);
      }
    }
    return wanted;
  }
  // `next`: a candidate before which none can be on the page; then on one behind it.
  template <class Candidate, class Skip>
  [[nodiscard]] Status lookup_page(const Run<W>& run, RunReader<W>& reader, std::span<const Candidate> candidates,
                                   Skip&& skip, size_t& next) {
    const auto is_before_page = [&](size_t page, const Candidate& candidate) {
      return context_.format.place_of(candidate.entry()) < run.pages[page].first;
    };
    if (next < candidates.size() && is_before_page(reader.page(), candidates[next])) {
      next = static_cast<size_t>(
          std::partition_point(candidates.begin() + static_cast<ptrdiff_t>(next), candidates.end(),
                               [&](const Candidate& each) { return is_before_page(reader.page(), each); }) -
          candidates.begin());
    }
    PageCursor<W>& cursor = reader.cursor();
    if (codec_ == PageCodec::kKeys) {
      const bool is_last = reader.page() + 1 == run.pages.size();
      for (; next < candidates.size() && (is_last || is_before_page(reader.page() + 1, candidates[next])); ++next) {
        if (skip(candidates[next])) continue;
        const uint8_t found = cursor.contains(candidates[next].entry()) ? 1 : 0;
        found_[next] = found;
        any_found_ |= found;
      }
      return cursor.status(run.path);
    }
    size_t i = next;
    while (cursor.next()) {
      const SortKey<W>& entry = cursor.entry();
      while (i < candidates.size() && candidates[i].entry().hash < entry.hash) ++i;
      if (i == candidates.size()) return Success{};
      for (size_t j = i; j < candidates.size() && candidates[j].entry().hash == entry.hash; ++j) {
        if (skip(candidates[j]) || found_[j] != 0) continue;
        found_[j] = !has_payload() || is_payload(cursor.vector(), candidates[j].key) ? 1 : 0;
        any_found_ |= found_[j];
      }
    }
    return cursor.status(run.path);
  }

  [[nodiscard]] bool is_payload(ByteView stored, const Key<W>& key) {
    const ByteView payload = payload_of(key);
    return std::equal(payload.begin(), payload.end(), stored.begin(), stored.end());
  }

  const PageCodec codec_;
  const bool keep_files_;
  const StateHasher<W>& hasher_;
  RunContext context_;
  const uint64_t write_buffer_bytes_;
  const uint32_t first_partition_;
  std::vector<Partition> partitions_;
  uint64_t next_number_ = 0;  // of a file
  uint64_t disk_bytes_ = 0;   // of all files that there are
  uint64_t peak_bytes_ = 0;
  Bytes vector_;
  Bytes payload_;
  std::vector<uint8_t> found_;  // by candidate
  uint8_t any_found_ = 0;
};

}  // namespace cmc
