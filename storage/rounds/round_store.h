#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/result.h"
#include "storage/files/file_system.h"
#include "storage/options/store_figures.h"
#include "storage/pages/key_partitions.h"
#include "storage/pages/origin.h"
#include "storage/pages/partition_queues.h"
#include "storage/pages/partition_store.h"
#include "storage/pages/radix_sort.h"
#include "storage/pages/state_hash.h"
#include "storage/rounds/page_filter.h"
#include "storage/rounds/round_plan.h"
#include "storage/sets/key.h"

namespace cmc {

// The visited states of a search in limited memory, by sorted delayed duplicate detection: successors are candidates,
// which wait for their partition in the order in which they come. In a *turn* of a partition its candidates are
// sorted and compared with its visited states in one pass: what is in neither is new, is visited from now on, and is
// handed over to be expanded. So nothing is looked up at random, and between turns nothing is open: a search is
// visited states and candidates. (Korf, "Best-first frontier search with delayed duplicate detection", 2004; when a
// turn is worth its pass: Evangelista, "Dynamic delayed duplicate detection for external memory model checking",
// 2008.)
//
// Of each partition the visited states are
//
//   newest  in RAM, sorted: those of the last turns, at most an eighth of the side, so that a turn that finds few
//           does not move the whole side
//   side    in RAM, sorted: those that are new since the last merge
//   pages   on disk: one run, and between merges a few small ones (PartitionStore); in front of them a Bloom filter
//           while turns have few candidates (PageFilter)
//
// A side of more than a quarter of what is on disk is merged with it to one new run, so that each state is written
// about five times at the most; one for which there is no room in RAM becomes a small run.
//
// Any number of threads: a turn has its partition for itself, and takes no lock but to get candidates. The order of
// turns does not matter for what is found. After an error the owner has to stop.
template <unsigned W>
class RoundStore {
 public:
  struct Record {
    Key<W> key{};
    Origin origin;
    [[nodiscard]] SortKey<W> entry() const { return {0, key}; }
  };
  // The candidates that a worker has not handed over yet.
  class Outbox {
   public:
    explicit Outbox(const RoundStore& store) : of_(store.partitions_.size()) {}

   private:
    friend class RoundStore;
    std::vector<std::vector<Record>> of_;  // by partition
    std::vector<uint32_t> begun_;          // partitions that have some, and maybe others, since the last flush
  };

  RoundStore(const RoundPlan& plan, const std::array<unsigned, W>& word_bits, const StateHasher<W>& hasher,
             FileSystem& files)
      : plan_(plan),
        partition_of_(word_bits[0], plan.store.partitions,
                      KeyPartitions::kFarBits + static_cast<unsigned>(std::bit_width(plan.store.partitions / 32))),
        partitions_(plan.store.partitions),
        worth_(plan.store.partitions),
        queues_(files, fmt::format("{}/candidates.{}", plan.store.directory, plan.store.layout),
                plan.store.partitions, plan.chunk_bytes) {
    for (uint32_t i = 0; i < plan.store.partitions; ++i) {
      partitions_[i].number = i;
      partitions_[i].pages = std::make_unique<PartitionStore<W>>(plan.store, i, 1, hasher, files);
      partitions_[i].pages->set_next_number(uint64_t{plan.store.layout} << 32);
    }
  }

  [[nodiscard]] const RoundPlan& plan() const { return plan_; }
  // Takes less memory from now on, because the rest of the program takes more than was planned: sides are written
  // when they are half as large, and turns take half as many candidates. False: it takes the least already. Any
  // thread.
  bool shrink() {
    const std::lock_guard lock(mutex_);
    if (halvings_ == kMostHalvings) return false;
    ++halvings_;
    buffers_.clear();
    return true;
  }

  // --- candidates; any thread

  [[nodiscard]] Status send(Outbox& outbox, const Record& candidate) {
    const uint32_t partition = partition_of(candidate.key);
    std::vector<Record>& to = outbox.of_[partition];
    if (to.empty()) outbox.begun_.push_back(partition);
    to.push_back(candidate);
    return to.size() < plan_.outbox_records ? Success{} : hand_over(partition, to);
  }
  [[nodiscard]] Status flush(Outbox& outbox) {
    for (const uint32_t partition : outbox.begun_) {
      if (outbox.of_[partition].empty()) continue;
      if (Status status = hand_over(partition, outbox.of_[partition]); !status.ok()) return status;
    }
    outbox.begun_.clear();
    return Success{};
  }
  // Handed over, and not taken yet.
  [[nodiscard]] uint64_t candidates() const { return candidates_.load(std::memory_order_relaxed); }
  // Whether claim() would find a partition.
  [[nodiscard]] bool has_work() const { return claimable_.load(std::memory_order_relaxed) > 0; }

  // --- turns; any thread

  // The partition that has most candidates in relation to its states, so that a pass decides as many as possible; it
  // belongs to the caller until turn() is done. None: no candidate waits for a partition that nobody has.
  [[nodiscard]] std::optional<uint32_t> claim() {
    const std::lock_guard lock(mutex_);
    if (!has_work()) return {};
    const auto best = static_cast<uint32_t>(std::ranges::max_element(worth_) - worth_.begin());
    partitions_[best].claimed = true;
    weigh(best);
    return best;
  }
  // Decides candidates of a partition, the oldest first, as many as a turn takes: `fresh` are those that were new, in
  // ascending order, each once; they are visited now. Of equal candidates that of the least depth is kept.
  [[nodiscard]] Status turn(uint32_t number, std::vector<Record>& fresh) {
    Partition& partition = partitions_[number];
    const uint64_t read = partition.pages->pages_read();
    const uint64_t written = partition.pages->pages_written();
    AlignedBuffer buffer;
    Status status = take(number, fresh, buffer);
    if (status.ok()) status = decide(partition, fresh, buffer);
    if (!status.ok()) fresh.clear();  // nobody knows which of them are new
    pages_read_ += partition.pages->pages_read() - read;
    pages_written_ += partition.pages->pages_written() - written;
    const std::lock_guard lock(mutex_);
    buffers_.push_back(std::move(buffer));
    partition.claimed = false;
    partition.states += fresh.size();
    weigh(number);
    states_.fetch_add(fresh.size(), std::memory_order_relaxed);
    return status;
  }

  // --- another layout; REQUIRES: no other thread uses either of them

  // A visited state of another layout.
  [[nodiscard]] Status receive(const Key<W>& key) {
    Partition& partition = partitions_[partition_of(key)];
    partition.side.push_back(key);
    ++partition.states;
    ++states_;
    ++side_keys_;
    return partition.side.size() * sizeof(Key<W>) < side_share() ? Success{} : settle(partition);
  }
  // All were received.
  [[nodiscard]] Status finish_receiving() {
    for (Partition& partition : partitions_) {
      if (Status status = settle(partition); !status.ok()) return status;
    }
    return Success{};
  }
  // visit(key) for each visited state, and removes it.
  template <class Visit>
  [[nodiscard]] Status drain(Visit&& visit) {
    for (Partition& partition : partitions_) {
      add_newest(partition);
      for (const Key<W>& key : partition.side) {
        if (Status status = visit(key); !status.ok()) return status;
      }
      side_keys_ -= partition.side.size();
      std::vector<Key<W>>().swap(partition.side);
      partition.filter = {};
      count_bytes(partition);
      if (Status status = partition.pages->drain(visit); !status.ok()) return status;
    }
    return Success{};
  }
  // visit(record) for each candidate, and removes it.
  template <class Visit>
  [[nodiscard]] Status drain_candidates(Visit&& visit) {
    Status status = Success{};
    const auto visit_one = [&](const Record& record) {
      if (status.ok()) status = visit(record);
    };
    for (uint32_t i = 0; i < partitions_.size(); ++i) {
      while (status.ok() && queues_.size(i) > 0) {
        if (Status taken = queues_.take(i, plan_.turn_records, visit_one); !taken.ok()) return taken;
      }
    }
    for (uint32_t i = 0; i < partitions_.size(); ++i) weigh(i);
    candidates_ = 0;
    return status;
  }
  // Counters that outlive a store: with those of a former layout's, or of a former process, the figures are right.
  using Counters = std::array<uint64_t, 8>;
  [[nodiscard]] Counters counters() const {
    return {turns_, taken_, twice_, in_side_, on_pages_, most_taken_, fresh_, ruled_out_};
  }
  void inherit(const Counters& from) {
    const std::array own = {&turns_, &taken_, &twice_, &in_side_, &on_pages_, &most_taken_, &fresh_, &ruled_out_};
    for (size_t i = 0; i < own.size(); ++i) *own[i] = from[i];
  }

  // Takes as little memory as a former layout's.
  template <unsigned V>
  void shrink_like(const RoundStore<V>& from) {
    halvings_ = from.halvings_.load();
  }

  // --- to be saved; REQUIRES: no other thread uses it

  [[nodiscard]] uint32_t partitions() const { return static_cast<uint32_t>(partitions_.size()); }
  // visit(key) for the visited states of a partition, in ascending order.
  template <class Visit>
  [[nodiscard]] Status visit(uint32_t number, Visit&& visit) {
    Partition& partition = partitions_[number];
    add_newest(partition);
    return partition.pages->visit(partition.number, entries_of(partition.side), visit);
  }
  // The same in parts: visit(key) for those in RAM; the runs of the others; visit(key) for those of a run.
  [[nodiscard]] uint64_t in_memory(uint32_t number) const {
    return partitions_[number].side.size() + partitions_[number].newest.size();
  }
  template <class Visit>
  [[nodiscard]] Status visit_side(uint32_t number, Visit&& visit) {
    add_newest(partitions_[number]);
    for (const Key<W>& key : partitions_[number].side) visit(key);
    return Success{};
  }
  [[nodiscard]] std::span<const Run<W>> runs(uint32_t number) const {
    return partitions_[number].pages->runs(number);
  }
  template <class Visit>
  [[nodiscard]] Status visit_run(const Run<W>& run, Visit&& visit) {
    return partitions_[run.partition].pages->visit_run(run, visit);
  }
  // visit(record) for each candidate.
  template <class Visit>
  [[nodiscard]] Status visit_candidates(Visit&& visit) {
    for (uint32_t i = 0; i < partitions_.size(); ++i) {
      if (Status status = queues_.visit(i, visit); !status.ok()) return status;
    }
    return Success{};
  }

  // --- figures; any thread

  [[nodiscard]] uint64_t states() const { return states_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t turns() const { return turns_; }
  [[nodiscard]] uint64_t taken() const { return taken_; }            // candidates
  [[nodiscard]] uint64_t pages_read() const { return pages_read_; }  // in turns
  [[nodiscard]] uint64_t pages_written() const { return pages_written_; }
  [[nodiscard]] uint64_t in_memory() const { return side_keys_; }  // states
  // `recent`: successors that were not sent because they had been met lately. REQUIRES: no turn is under way.
  [[nodiscard]] StoreFigures figures(uint64_t recent) const;
  [[nodiscard]] uint64_t memory_bytes() const {
    const std::lock_guard lock(mutex_);
    return queues_.memory_bytes() + partitions_.capacity() * sizeof(Partition) + pages_bytes_ +
           side_keys_.load(std::memory_order_relaxed) * sizeof(Key<W>);
  }
  // REQUIRES: no other thread uses it, and no error.
  void check_invariants() const;

 private:
  template <unsigned>
  friend class RoundStore;

  struct Partition {
    uint32_t number = 0;
    std::unique_ptr<PartitionStore<W>> pages;
    std::vector<Key<W>> side;
    std::vector<Key<W>> newest;
    uint64_t states = 0;  // in all of them
    PageFilter<W> filter{};
    uint64_t bytes = 0;  // of memory that pages and filter take
    bool claimed = false;
  };
  // As if a partition had so many states more: a pass costs something without any.
  static constexpr uint64_t kTurnStates = 4096;
  static constexpr uint64_t kLeastSide = 256;  // states that are never worth a merge
  static constexpr uint64_t kMergeShare = 4;
  static constexpr uint64_t kNewestShare = 8;  // of the side
  static constexpr uint32_t kMostHalvings = 4;

  [[nodiscard]] uint32_t partition_of(const Key<W>& key) const {
    return partition_of_.of_order(partition_of_.order(key[0]));
  }
  [[nodiscard]] uint64_t side_share() const { return (plan_.side_bytes >> halvings_) / partitions_.size(); }
  [[nodiscard]] uint64_t turn_records() const { return std::max<uint64_t>(1, plan_.turn_records >> halvings_); }

  // What a turn of the partition would be worth, after a change of what it depends on. REQUIRES: the mutex.
  void weigh(uint32_t number) {
    const Partition& partition = partitions_[number];
    const auto waiting = static_cast<float>(partition.claimed ? 0 : queues_.size(number));
    const auto pass = static_cast<float>(partition.states + kTurnStates);
    const int32_t before = std::exchange(worth_[number], std::bit_cast<int32_t>(waiting / pass));
    if (before == 0 && worth_[number] != 0) ++claimable_;
    if (before != 0 && worth_[number] == 0) --claimable_;
  }
  [[nodiscard]] Status hand_over(uint32_t partition, std::vector<Record>& records) {
    const std::lock_guard lock(mutex_);
    for (const Record& record : records) {
      if (Status status = queues_.add(partition, record); !status.ok()) return status;
    }
    weigh(partition);
    candidates_.fetch_add(records.size(), std::memory_order_relaxed);
    records.clear();
    return Success{};
  }
  [[nodiscard]] Status take(uint32_t number, std::vector<Record>& taken, AlignedBuffer& buffer) {
    taken.clear();
    const std::lock_guard lock(mutex_);
    if (!buffers_.empty()) {
      buffer = std::move(buffers_.back());
      buffers_.pop_back();
    }
    const uint64_t most = turn_records();
    if (taken.capacity() > most) std::vector<Record>().swap(taken);
    taken.reserve(std::min(queues_.size(number), most));
    Status status = queues_.take(number, most, [&](const Record& record) { taken.push_back(record); });
    candidates_.fetch_sub(taken.size(), std::memory_order_relaxed);
    ++turns_;
    taken_ += taken.size();
    most_taken_ = std::max<uint64_t>(most_taken_, taken.size());
    return status;
  }
  [[nodiscard]] Status decide(Partition& partition, std::vector<Record>& records, AlignedBuffer& buffer) {
    const auto leave = [&records](std::atomic<uint64_t>& count, size_t before) { count += before - records.size(); };
    size_t before = records.size();
    sort_unique(records, buffer);
    leave(twice_, before);
    before = records.size();
    remove_present(partition.side, records);
    remove_present(partition.newest, records);
    leave(in_side_, before);
    before = records.size();
    if (Status status = look_up(partition, records); !status.ok()) return status;
    leave(on_pages_, before);
    fresh_ += records.size();
    insert(partition.newest, records, [](const Record& record) { return record.key; });
    if (partition.newest.size() > partition.side.size() / kNewestShare) add_newest(partition);
    side_keys_ += records.size();
    return settle_if_large(partition);
  }
  // Removes those that are on pages.
  [[nodiscard]] Status look_up(Partition& partition, std::vector<Record>& records) {
    PartitionStore<W>& pages = *partition.pages;
    const uint32_t number = partition.number;
    PageFilter<W>& filter = partition.filter;
    const uint64_t entries = pages.entries(number);
    const uint64_t most_bytes = (plan_.filter_bytes >> halvings_) / partitions_.size();
    if (filter.is_due(records.size(), pages.pages(number), entries, most_bytes)) {
      filter.begin(entries, most_bytes);
      const auto insert = [&](const Key<W>& key) { filter.insert(key); };
      if (Status status = pages.visit(number, std::span<const Entry>(), insert); !status.ok()) return status;
    }
    count_bytes(partition);
    const auto is_new = [&](const Record& record) { return filter.rules_out(record.key); };
    if (filter.exists()) ruled_out_ += static_cast<uint64_t>(std::ranges::count_if(records, is_new));
    return pages.lookup(number, records, is_new);
  }
  template <class T, class KeyOf>
  static void sort(std::span<T> all, AlignedBuffer& buffer, KeyOf&& key_of) {
    static_assert(std::is_trivially_copyable_v<T>);
    buffer.reserve(all.size_bytes());
    const std::span<T> other(reinterpret_cast<T*>(buffer.data()), all.size());
    radix_sort<W>(all, other, [&](const T& each, unsigned word) { return key_of(each)[word]; });
  }
  static void sort_unique(std::vector<Record>& records, AlignedBuffer& buffer) {
    sort(std::span(records), buffer, [](const Record& record) -> const Key<W>& { return record.key; });
    size_t kept = 0;
    for (size_t i = 1; i < records.size(); ++i) {
      if (records[i].key != records[kept].key) {
        records[++kept] = records[i];
      } else if (records[i].origin.depth < records[kept].origin.depth) {
        records[kept] = records[i];
      }
    }
    if (!records.empty()) records.resize(kept + 1);
  }
  // Of sorted records those whose key is among the sorted ones.
  static void remove_present(const std::vector<Key<W>>& keys, std::vector<Record>& records) {
    const bool few = records.size() * 8 < keys.size();
    auto at = keys.begin();
    size_t kept = 0;
    for (const Record& record : records) {
      if (few) {
        at = std::lower_bound(at, keys.end(), record.key);
      } else {
        while (at != keys.end() && *at < record.key) ++at;
      }
      records[kept] = record;
      kept += at == keys.end() || *at != record.key ? 1 : 0;
    }
    records.resize(kept);
  }
  // Adds the keys of `more` to others; both are sorted.
  template <class More, class KeyOf>
  static void insert(std::vector<Key<W>>& keys, const std::vector<More>& more, KeyOf&& key_of) {
    size_t from = keys.size();
    size_t left = more.size();
    keys.resize(from + left);
    for (size_t to = keys.size(); left > 0;) {
      const Key<W> key = key_of(more[left - 1]);
      const bool is_next = from == 0 || keys[from - 1] < key;
      keys[--to] = is_next ? key : keys[--from];
      left -= is_next ? 1 : 0;
    }
  }
  static void add_newest(Partition& partition) {
    insert(partition.side, partition.newest, [](const Key<W>& key) { return key; });
    partition.newest.clear();
  }

  [[nodiscard]] Status settle_if_large(Partition& partition) {
    const uint64_t on_disk = partition.pages->entries(partition.number);
    const uint64_t side = partition.side.size() + partition.newest.size();
    const bool full = side * sizeof(Key<W>) >= side_share();
    const bool worth_a_merge = side >= kLeastSide && side > on_disk / kMergeShare;
    // What has no pages yet stays in RAM as long as it may.
    if (!full && (!worth_a_merge || on_disk == 0)) return Success{};
    add_newest(partition);
    return write_side(partition, worth_a_merge || small_runs_are_many(partition));
  }
  [[nodiscard]] bool small_runs_are_many(const Partition& partition) const {
    return partition.pages->entries_behind_first(partition.number) + partition.side.size() >
           partition.pages->entries(partition.number) / kMergeShare;
  }
  // Of a side that is not sorted.
  [[nodiscard]] Status settle(Partition& partition) {
    AlignedBuffer buffer;
    sort(std::span(partition.side), buffer, [](const Key<W>& key) -> const Key<W>& { return key; });
    if (partition.side.size() * sizeof(Key<W>) < side_share()) return Success{};
    return write_side(partition, false);
  }
  // A state as a PartitionStore takes it.
  struct Entry {
    Key<W> key{};
    [[nodiscard]] SortKey<W> entry() const { return {0, key}; }
  };
  static_assert(sizeof(Entry) == sizeof(Key<W>));
  [[nodiscard]] static std::span<const Entry> entries_of(const std::vector<Key<W>>& side) {
    return {reinterpret_cast<const Entry*>(side.data()), side.size()};
  }
  [[nodiscard]] Status write_side(Partition& partition, bool merge) {
    const std::span<const Entry> side = entries_of(partition.side);
    const Status status =
        merge ? partition.pages->merge_all(partition.number, side) : partition.pages->add(partition.number, side);
    for (const Key<W>& key : partition.side) partition.filter.insert(key);
    side_keys_ -= partition.side.size();
    std::vector<Key<W>>().swap(partition.side);
    std::vector<Key<W>>().swap(partition.newest);
    count_bytes(partition);
    return status;
  }
  // After a change of its pages or its filter.
  void count_bytes(Partition& partition) {
    const uint64_t bytes = partition.pages->index_bytes() + partition.filter.memory_bytes();
    pages_bytes_ += bytes - std::exchange(partition.bytes, bytes);
  }

  const RoundPlan plan_;
  const KeyPartitions partition_of_;
  std::vector<Partition> partitions_;
  std::vector<int32_t> worth_;  // by partition: the bits of a float, which are in its order; 0: nobody can claim it
  mutable std::mutex mutex_;    // of the queues, buffers_, worth_, and of `claimed` and `states` of partitions
  PartitionQueues<Record> queues_;
  std::vector<AlignedBuffer> buffers_;  // in which turns sort, of those that are not under way
  std::atomic<uint32_t> halvings_{0};   // changed under the mutex
  std::atomic<uint64_t> candidates_{0};
  std::atomic<uint64_t> claimable_{0};  // partitions with candidates that nobody has; changed under the mutex
  std::atomic<uint64_t> states_{0};
  std::atomic<uint64_t> side_keys_{0};
  std::atomic<uint64_t> pages_bytes_{0};
  std::atomic<uint64_t> turns_{0};
  // Of candidates: taken; equal to another one of the turn; found in RAM, on pages; new.
  std::atomic<uint64_t> taken_{0};
  std::atomic<uint64_t> twice_{0};
  std::atomic<uint64_t> in_side_{0};
  std::atomic<uint64_t> on_pages_{0};
  std::atomic<uint64_t> fresh_{0};
  std::atomic<uint64_t> ruled_out_{0};  // of those that are new, by filters in front of pages
  std::atomic<uint64_t> most_taken_{0};
  std::atomic<uint64_t> pages_read_{0};
  std::atomic<uint64_t> pages_written_{0};
};

template <unsigned W>
StoreFigures RoundStore<W>::figures(uint64_t recent) const {
  StoreFigures figures;
  for (const Partition& partition : partitions_) {
    StoreFigures its;
    partition.pages->add_figures(its);
    figures += its;
  }
  figures.turns = turns_;
  figures.lossy_resolved = recent;
  figures.lossy_left = side_keys_;
  figures.cache_failures = figures.lookups = taken_;
  figures.duplicate_candidates = twice_;
  figures.revisits = in_side_ + on_pages_;
  figures.seen_in_memory = in_side_;
  figures.reopened = fresh_;
  figures.ruled_out = ruled_out_;
  figures.max_lookup = most_taken_;
  figures.page_bytes = plan_.store.page_bytes;
  figures.partitions = plan_.store.partitions;
  figures.lookup_buffer = plan_.turn_records;
  return figures;
}

template <unsigned W>
void RoundStore<W>::check_invariants() const {
  queues_.check_invariants();
  uint64_t side = 0;
  uint64_t states = 0;
  const auto is_sorted = [](const std::vector<Key<W>>& keys) { return std::is_sorted(keys.begin(), keys.end()); };
  for (const Partition& partition : partitions_) {
    const uint64_t in_memory = partition.side.size() + partition.newest.size();
    CHECK(!partition.claimed && is_sorted(partition.side) && is_sorted(partition.newest));
    CHECK(partition.newest.size() <= partition.side.size() / kNewestShare);
    CHECK((worth_[partition.number] > 0) == (queues_.size(partition.number) > 0));
    partition.pages->check_invariants();
    const uint64_t on_pages = partition.pages->entries(partition.number);
    CHECK(partition.states == in_memory + on_pages);
    CHECK(!partition.filter.exists() || partition.filter.entries() == on_pages);
    side += in_memory;
    states += partition.states;
  }
  CHECK(side == side_keys_ && states == states_);
  CHECK(taken_ == twice_ + in_side_ + on_pages_ + fresh_ && ruled_out_ <= fresh_);
}

}  // namespace cmc
