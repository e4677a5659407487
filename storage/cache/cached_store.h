#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/result.h"
#include "storage/cache/lossy_cache.h"
#include "storage/cache/waiting_states.h"
#include "storage/files/file_system.h"
#include "storage/options/store_figures.h"
#include "storage/options/store_options.h"
#include "storage/pages/partition_store.h"
#include "storage/pages/radix_sort.h"
#include "storage/pages/spill.h"
#include "storage/pages/state_hash.h"
#include "storage/sets/bloom_filter.h"
#include "storage/sets/key.h"

namespace cmc {

// The set of visited states of a search in limited memory (Hammer and Weber, "To Store or Not To Store Reloaded:
// Reclaiming Memory on Demand", 2006): a Bloom filter ("no": certainly new), a lossy cache ("yes": certainly seen),
// and pages on disk, to which states go that the cache evicts. What neither decides becomes a candidate, and the
// search goes on with other states; candidates of a partition are looked up together, in ascending order, in a few of
// its pages or in all. Candidates and evicted states wait for that in a file (waiting_states.h), and become a run of
// pages together.
//
// The cache has copies of candidates, too, from their first offer on: so most duplicates never become candidates, and
// a state that has been found on disk is in the cache again.
//
// Exact (but for PageCodec::kSha1, which may take a new state for a seen one): a candidate's bits are all set in the
// Bloom filter, so nobody else can accept the state before its check. Every accepted state is either in the cache
// (not as a copy), or waits for being written, or is on a page. As long as nothing has been reclaimed, the cache
// decides everything.
//
// One stripe of it, that is, consecutive partitions. Not thread-safe: each stripe belongs behind a mutex of its own
// (hash outside). The first error is final: from then on neither "new" nor "seen" is answered.
template <unsigned W>
class CachedStore {
 public:
  struct Stripe {
    uint32_t number = 0;
    uint32_t count = 1;
  };
  enum class Offer : uint8_t {
    kNew,        // never seen before: to be expanded
    kSeen,       // or a candidate already
    kCandidate,  // check() will tell, through on_new() or not at all
    kFailed,     // the store has failed: status()
  };

  // REQUIRES: check_options(). References outlive the store. Files of other stores in the directory do not get in the
  // way if their partitions are others.
  CachedStore(const StoreOptions& options, Stripe stripe, const StateHasher<W>& hasher,
              const std::array<unsigned, W>& word_bits, FileSystem& files)
      : CachedStore(share_of(options, stripe), hasher, word_bits, files,
                    hasher.first_partition(stripe.number, stripe.count),
                    hasher.first_partition(stripe.number + 1, stripe.count)) {}

  // Asks for the memory that offer() is going to look at.
  [[gnu::always_inline]] void prefetch(const HashedKey<W>& key) const {
    bloom_->prefetch(key.bloom);
    lossy_->prefetch(key.words[0]);
  }

  [[nodiscard]] Offer offer(const HashedKey<W>& key, const Origin& origin) {
    if (!status_.ok()) [[unlikely]]
      return Offer::kFailed;
    const bool may_be_there = bloom_->query(key.bloom);
    if (may_be_there) {
      ++counts_.lossy_queries;
      if (lossy_->meet(key.words)) {
        ++counts_.lossy_resolved;
        return Offer::kSeen;
      }
      if (reclaimed_any_) return offer_candidate(key, origin);
      count_failure();
      ++counts_.reopened;
      counts_.max_lookup = std::max<uint64_t>(counts_.max_lookup, 1);
    }
    return accept(key, may_be_there).ok() ? Offer::kNew : Offer::kFailed;
  }

  // A state has been expanded. Only worth a call if wants_outgoing().
  void expanded(const HashedKey<W>& key, uint64_t successors) { lossy_->set_outgoing(key.words, successors); }
  [[nodiscard]] bool wants_outgoing() const {
    return options_.evaluator == Evaluator::kOutgoing || options_.evaluator == Evaluator::kCombined;
  }

  [[nodiscard]] uint64_t candidates() const { return candidate_count_; }
  [[nodiscard]] uint64_t candidates(uint32_t partition) const { return waiting_.candidates(index_of(partition)); }
  // A partition for which so much waits that it should be checked.
  [[nodiscard]] std::optional<uint32_t> needs_check() const {
    return full_.empty() ? std::nullopt : std::optional<uint32_t>(full_.back());
  }

  // Resolves the candidates of a partition, or of all: on_new(key as offered, not permuted; origin) for each new one,
  // which is visited from then on. on_new() must not call the store. An error leaves what has not been given to
  // on_new() undecided.
  template <class OnNew>
  [[nodiscard]] Status check(uint32_t partition, OnNew&& on_new) {
    const uint32_t index = index_of(partition);
    while (status_.ok() && waiting_.size(index) > 0) {
      if (Status status = check_some(partition, on_new, Then::kWrite); !status.ok()) return fail(status);
    }
    std::erase(full_, partition);
    return status_;
  }
  // The same, but a few states go on waiting for being written: a run for a handful of them, and the merges that it
  // brings about, cost more than to sort them again with the next candidates.
  template <class OnNew>
  [[nodiscard]] Status resolve(uint32_t partition, OnNew&& on_new) {
    const uint32_t index = index_of(partition);
    if (!waiting_.in_memory(index) || waiting_.size(index) > most_unwritten()) return check(partition, on_new);
    if (!status_.ok() || waiting_.candidates(index) == 0) return status_;
    const Status status = check_some(partition, on_new, Then::kWait);
    return status.ok() ? status : fail(status);
  }
  template <class OnNew>
  [[nodiscard]] Status check_all(OnNew&& on_new) {
    for (uint32_t i = 0; i < partitions_ && candidate_count_ > 0; ++i) {
      if (Status status = check(first_partition_ + i, on_new); !status.ok()) return status;
    }
    return status_;
  }

  // Writes the evicted states that still wait. REQUIRES: no candidate does.
  [[nodiscard]] Status write_waiting() {
    for (uint32_t i = 0; i < partitions_; ++i) {
      if (Status status = check(first_partition_ + i, no_candidate); !status.ok()) return status;
    }
    return status_;
  }

  // Calls visit(key, not permuted), which returns a Status, for each accepted state, in any order; memory and files
  // are given back on the way. The store is not usable afterwards. REQUIRES: no candidate waits; the codec is kKeys.
  template <class Visit>
  [[nodiscard]] Status drain(Visit&& visit) {
    CHECK(candidate_count_ == 0 && options_.codec == PageCodec::kKeys);
    bloom_.reset();
    Status status = status_;
    const auto tell = [&](const Key<W>& key) {
      if (status.ok()) status = visit(key);
    };
    lossy_->for_each([&](const Key<W>& words, Meta meta) {
      if (!meta.copy()) tell(hasher_.restore(words));
    });
    lossy_.reset();
    for (uint32_t i = 0; i < partitions_; ++i) {
      while (status.ok() && waiting_.size(i) > 0) {
        const Status taken =
            waiting_.take(i, options_.lookup_buffer, [&](const Candidate& state) { tell(state.key); });
        if (!taken.ok()) return taken;
      }
    }
    return status.ok() ? pages_->drain(visit) : status;
  }

  // --- to be saved, or to begin with what was saved

  // visit(key, not permuted) for each accepted state that is not on a page, in any order; visit_candidate(key,
  // origin) for each candidate.
  template <class Visit, class VisitCandidate>
  [[nodiscard]] Status visit_unwritten(Visit&& visit, VisitCandidate&& visit_candidate) {
    lossy_->for_each([&](const Key<W>& words, Meta meta) {
      if (!meta.copy()) visit(hasher_.restore(words));
    });
    const auto visit_one = [&](const Candidate& state) {
      state.visited() ? visit(state.key) : visit_candidate(state.key, state.origin);
    };
    Status status = status_;
    for (uint32_t i = 0; status.ok() && i < partitions_; ++i) status = waiting_.visit(i, visit_one);
    return status;
  }
  // The runs of those on pages; visit(key) for those of a run. REQUIRES: the codec is kKeys.
  [[nodiscard]] std::span<const Run<W>> runs(uint32_t partition) { return pages_->runs(partition); }
  template <class Visit>
  [[nodiscard]] Status visit_run(const Run<W>& run, Visit&& visit) {
    return pages_->visit_run(run, visit);
  }
  // What was counted before. The accepted states of then are yet to be received.
  void begin_with(const StoreFigures& figures) {
    before_ = figures;
    ++before_.bloom_rebuilds;
  }
  // An accepted state; all of them, before anything is offered.
  [[nodiscard]] Status receive(const HashedKey<W>& hashed, const Key<W>& key) {
    return receive(hashed, key, first_meta(options_.evaluator), true);
  }

  // --- A re-layout: all stripes of a store go over to stripes of a store of another layout, with a new
  // options.layout and the same partitions, codec and directory. With the codec kKeys a state may belong to another
  // stripe then, and everything is read and written again, file by file:
  //
  //   each old one: write_waiting(), while its layout is valid
  //   each old one: stash()      its caches are freed, their content waits in a file
  //   make the new ones; each new one: inherit(the old one of the same number)
  //   each old one: unstash()    with visit(key in the old layout, not permuted; meta; whether it was cached), which
  //                              calls receive() of the new store that is responsible, or returns the error of that
  //
  // With other codecs the disk stays as it is: take_over() instead. REQUIRES: no candidates in an old store; a new
  // one is empty.
  [[nodiscard]] Status stash() {
    if (!status_.ok()) return status_;
    CHECK(candidate_count_ == 0 && options_.codec == PageCodec::kKeys);
    last_ = figures();
    nearly_saturated_ = bloom_->nearly_saturated();
    bloom_.reset();
    return stash_cache();
  }
  template <unsigned V>
  void inherit(const CachedStore<V>& from) {
    CHECK(counts_.lossy_elements == 0);
    before_ = from.last_;
    pages_->set_next_number(from.pages_->next_number());
    forget_present(from);
    ++before_.bloom_rebuilds;
    if (!from.nearly_saturated_) return;
    bloom_->saturate();
    static_cast<void>(inherit_bloom_memory());
  }
  template <class Visit>
  [[nodiscard]] Status unstash(Visit&& visit) {
    Status status = unstash_cache([&](const Key<W>& key, Meta meta) { return visit(key, meta, true); });
    if (!status.ok()) return status;
    return pages_->drain([&](const Key<W>& key) { return visit(key, Meta(0), false); });
  }
  [[nodiscard]] Status receive(const HashedKey<W>& hashed, const Key<W>& key, Meta meta, bool cached) {
    if (Status status = insert_into_bloom(hashed.bloom); !status.ok()) return status;
    if (cached) {
      if (Status status = keep(hashed.words, meta); !status.ok()) return status;
      return write_full();
    }
    reclaimed_any_ = true;
    if (Status status = write(key); !status.ok()) return status;
    return write_full();
  }
  // What was read by the old store while it went over belongs to the figures of the new one.
  template <unsigned V>
  void add_reading(const CachedStore<V>& from) {
    StoreFigures reading;
    from.pages_->add_figures(reading);
    before_.pages_read = from.before_.pages_read + reading.pages_read;
    before_.bytes_read = from.before_.bytes_read + reading.bytes_read;
    before_.disk_bytes_peak = std::max(from.before_.disk_bytes_peak, reading.disk_bytes_peak);
  }

  // convert(words of a key in the old layout, not permuted) gives those in the new one.
  template <unsigned V, class Convert>
  [[nodiscard]] Status take_over(CachedStore<V>& from, Convert&& convert) {
    if (!from.status_.ok()) return fail(from.status_);
    CHECK(counts_.lossy_elements == 0 && from.candidate_count_ == 0 && options_.codec != PageCodec::kKeys);
    before_ = from.figures();
    pages_->set_next_number(from.pages_->next_number());
    if (Status status = move_memory(from, convert); !status.ok()) return fail(status);
    forget_present(from);
    before_.bloom_queries = before_.bloom_resolved = 0;  // they came with the filter
    reclaimed_any_ = reclaimed_any_ || from.reclaimed_any_;
    expected_omissions_ = from.expected_omissions_;
    return Success{};
  }

  // The first error; then nothing works any more, and no answer is given.
  [[nodiscard]] const Status& status() const { return status_; }

  // New states that PageCodec::kSha1 is expected to have taken for seen ones.
  [[nodiscard]] double expected_omissions() const { return expected_omissions_; }

  // All but explicit_lookups, which is the caller's.
  [[nodiscard]] StoreFigures figures() const {
    StoreFigures figures = counts_;
    figures += before_;
    const BloomFilter::Figures& bloom = bloom_->figures();
    figures.bloom_hashes = bloom_->hashes();
    figures.bloom_bits = bloom_->bits();
    figures.bloom_partial_collisions = bloom.partial_collisions;
    figures.bloom_bits_set = bloom.bits_set;
    figures.bloom_entries = bloom.entries;
    figures.bloom_queries += bloom.queries;
    figures.bloom_resolved += bloom.resolved;
    figures.bloom_freed_bytes = bloom_->saturated() ? bloom_->freed_bytes() : 0;
    figures.lossy_capacity = lossy_capacity_;
    figures.lossy_left = lossy_->own();
    figures.page_bytes = options_.page_bytes;
    figures.partitions = partitions_;
    figures.lookup_buffer = options_.lookup_buffer;
    pages_->add_figures(figures);
    return figures;
  }

  // Goes over the caches: for tests. REQUIRES: status() is no error.
  void check_invariants() const {
    bloom_->check_invariants();
    lossy_->check_invariants();
    waiting_.check_invariants();
    pages_->check_invariants();
    // Nobody can accept a state, or a candidate, once more.
    Bytes scratch;
    lossy_->for_each([&](const Key<W>& words, Meta meta) {
      CHECK(bloom_->contains(hasher_(hasher_.restore(words), scratch).bloom));
      CHECK(reclaimed_any_ || !meta.copy());
    });
    // Each state is in the cache, waits to be written, or is on a page.
    uint64_t waiting = 0;
    uint64_t candidates = 0;
    for (uint32_t i = 0; i < partitions_; ++i) {
      waiting += waiting_.size(i);
      candidates += waiting_.candidates(i);
      CHECK(waiting_.size(i) < options_.lookup_buffer || std::ranges::count(full_, first_partition_ + i) > 0);
    }
    CHECK(candidates == candidate_count_);
    const StoreFigures all = figures();
    CHECK(all.lossy_elements == lossy_->own() + (waiting - candidates) + all.stored_states);
    CHECK(all.lossy_elements == all.lossy_left + all.reclaimed);
    CHECK(reclaimed_any_ || all.reclaimed == 0);
  }

  // Of everything, with what a check or a merge takes for a moment.
  [[nodiscard]] uint64_t memory_bytes() const {
    return bloom_->memory_bytes() + lossy_->memory_bytes() + pages_->memory_bytes() + waiting_.memory_bytes() +
           batch_.capacity() * sizeof(Candidate) + hashed_batch_.capacity() * sizeof(HashedCandidate) +
           scratch_.capacity();
  }

 private:
  template <unsigned>
  friend class CachedStore;

  struct MovedState {
    Key<W> key{};  // not permuted
    uint64_t meta = 0;
  };
  using Candidate = typename WaitingStates<W>::Record;
  // For the codecs that do not sort by keys.
  struct HashedCandidate : Candidate {
    uint64_t hash = 0;
    [[nodiscard]] SortKey<W> entry() const { return {hash, this->key}; }
  };

  CachedStore(const StoreOptions& share, const StateHasher<W>& hasher, const std::array<unsigned, W>& word_bits,
              FileSystem& files, uint32_t first_partition, uint32_t end_partition)
      : options_(share),
        hasher_(hasher),
        files_(files),
        first_partition_(first_partition),
        partitions_(end_partition - first_partition),
        word_bits_(word_bits),
        bloom_(std::make_unique<BloomFilter>(first_bloom_bits(share), share.bloom_hashes)),
        lossy_capacity_(share.lossy_capacity),
        lossy_(make_cache(share.lossy_grows ? next_capacity(kFirstCapacity - 1) : lossy_capacity_)),
        pages_(std::make_unique<PartitionStore<W>>(share, first_partition, partitions_, hasher, files)),
        waiting_(files, fmt::format("{}/waiting.{}.{}", share.directory, share.layout, first_partition), partitions_,
                 std::min(share.write_buffer_bytes / partitions_,
                          share.lookup_buffer * sizeof(typename WaitingStates<W>::Record))) {}

  static StoreOptions share_of(StoreOptions options, Stripe stripe) {
    const uint64_t count = stripe.count;
    CHECK(stripe.number < count && count <= options.partitions);
    options.bloom_bits = std::max<uint64_t>(1, options.bloom_bits / count);
    options.lossy_capacity = std::max<uint64_t>(1, options.lossy_capacity / count);
    options.reclaim_ahead = std::clamp<uint64_t>(options.reclaim_ahead / count, 1, options.lossy_capacity);
    options.write_buffer_bytes /= count;
    return options;
  }

  [[nodiscard]] uint32_t index_of(uint32_t partition) const {
    CHECK(partition - first_partition_ < partitions_);
    return partition - first_partition_;
  }
  [[nodiscard]] Status fail(const Status& status) {
    if (status_.ok()) status_ = status;
    return status_;
  }

  // The two lines that belong to every state that neither cache decides.
  void count_failure() {
    ++counts_.cache_failures;
    ++counts_.lookups;
  }
  [[nodiscard]] Offer offer_candidate(const HashedKey<W>& key, const Origin& origin) {
    CHECK(origin.parent != WaitingStates<W>::kVisited.parent);
    DCHECK(reclaimed_any_ && bloom_->contains(key.bloom));
    count_failure();
    ++candidate_count_;
    Status status = send(hasher_.partition(key.order), hasher_.restore(key.words), origin);
    if (status.ok()) status = keep(key.words, first_meta(options_.evaluator).as_copy());
    return status.ok() ? Offer::kCandidate : Offer::kFailed;
  }
  [[nodiscard]] Status send(uint32_t partition, const Key<W>& key, const Origin& origin) {
    const uint32_t index = index_of(partition);
    if (Status status = waiting_.add(index, {key, origin}); !status.ok()) return fail(status);
    if (waiting_.size(index) == options_.lookup_buffer) full_.push_back(partition);
    return Success{};
  }

  enum class Then : uint8_t { kWrite, kWait };  // what becomes of visited states
  // Deals with as many of a partition's waiting states as the buffer holds. The oldest first: so a candidate that has
  // been reclaimed before is always preceded by itself.
  template <class OnNew>
  [[nodiscard]] Status check_some(uint32_t partition, OnNew&& on_new, Then then) {
    if (options_.codec == PageCodec::kKeys) return check_some(partition, on_new, then, batch_);
    return check_some(partition, on_new, then, hashed_batch_);
  }
  template <class OnNew, class AnyCandidate>
  [[nodiscard]] Status check_some(uint32_t partition, OnNew&& on_new, Then then, std::vector<AnyCandidate>& batch) {
    batch.clear();
    batch.reserve(std::min(options_.lookup_buffer, waiting_.size(index_of(partition))));
    Status status = waiting_.take(index_of(partition), options_.lookup_buffer, [&](const Candidate& candidate) {
      if constexpr (std::is_same_v<AnyCandidate, Candidate>) {
        batch.push_back(candidate);
      } else {
        batch.push_back({candidate, pages_->hash_of(candidate.key)});
      }
    });
    if (!status.ok()) return status;
    const uint64_t candidates = sort(batch);
    const uint64_t before = batch.size();
    DCHECK(candidates <= before);
    if (candidates > 0) {
      if (status = pages_->lookup(partition, batch, [](const Candidate& each) { return each.visited(); });
          !status.ok())
        return status;
    }
    counts_.max_lookup = std::max(counts_.max_lookup, candidates);
    counts_.revisits += before - batch.size();
    count_omissions(partition, candidates - (before - batch.size()));
    status = then == Then::kWrite ? pages_->add(partition, batch) : wait_again(index_of(partition), batch);
    if (!status.ok()) return status;
    for (const Candidate& each : batch) {
      if (each.visited()) continue;
      ++counts_.reopened;
      ++counts_.lossy_elements;
      count_reclaimed(each.key);
      bloom_->count_insertion();
      on_new(each.key, each.origin);
    }
    return Success{};
  }
  // Of n states on disk with digests of b bits, a new state is taken for one with a probability of q = 1 - (1 -
  // 2^-b)^n (hash compaction: Wolper and Leroy, "Reliable hashing without collision detection", 1993; Stern and Dill,
  // "Improved probabilistic verification by hash compaction", 1995). `found_new` states are those that were not, so
  // found_new * q / (1 - q) are expected to have been.
  void count_omissions(uint32_t partition, uint64_t found_new) {
    if (options_.codec != PageCodec::kSha1) return;
    const double states = static_cast<double>(pages_->entries(partition));
    const double log_kept = states * std::log1p(-std::exp2(-static_cast<double>(options_.sha1_bits)));
    expected_omissions_ += static_cast<double>(found_new) * std::expm1(-log_kept);
  }
  template <class AnyCandidate>
  [[nodiscard]] Status wait_again(uint32_t index, const std::vector<AnyCandidate>& states) {
    for (const AnyCandidate& each : states) {
      if (Status status = waiting_.add(index, {each.key, WaitingStates<W>::kVisited}); !status.ok()) return status;
    }
    return Success{};
  }
  // Less than what makes a partition full, by so much that a level of a few candidates does not write.
  [[nodiscard]] uint64_t most_unwritten() const { return std::min(kMostUnwritten, options_.lookup_buffer / 2); }

  // In the order of the pages, each state once. Returns how many candidates are left.
  template <class AnyCandidate>
  uint64_t sort(std::vector<AnyCandidate>& batch) {
    constexpr unsigned kFirst = std::is_same_v<AnyCandidate, Candidate> ? 1 : 0;  // the hash is 0
    radix_sort<SortKey<W>::kWords - kFirst>(
        batch.data(), batch.data() + batch.size(),
        [](const AnyCandidate& each, unsigned word) { return each.entry().word(word + kFirst); });
    uint64_t candidates = 0;
    size_t kept = 0;
    for (size_t i = 0; i < batch.size(); ++kept) {
      const size_t begin = i;
      uint64_t visited = 0;
      for (; i < batch.size() && batch[i].entry() == batch[begin].entry(); ++i) visited += batch[i].visited() ? 1 : 0;
      batch[kept] = batch[begin];
      candidate_count_ -= i - begin - visited;
      if (visited > 0) {
        batch[kept].origin = WaitingStates<W>::kVisited;
        counts_.revisits += i - begin - visited;
      } else {
        counts_.duplicate_candidates += i - begin - 1;
        ++candidates;
      }
    }
    batch.resize(kept);
    return candidates;
  }
  [[nodiscard]] Status write_full() {
    while (status_.ok() && !full_.empty()) static_cast<void>(check(full_.back(), no_candidate));
    return status_;
  }
  static void no_candidate(const Key<W>&, const Origin&) { CHECK(false); }

  // `in_bloom`: all its bits are set already.
  [[nodiscard]] Status accept(const HashedKey<W>& key, bool in_bloom) {
    ++counts_.lossy_elements;
    if (in_bloom) {
      bloom_->count_insertion();
    } else if (Status status = insert_into_bloom(key.bloom); !status.ok()) {
      return status;
    }
    return keep(key.words, first_meta(options_.evaluator));
  }

  // --- the sizes of the caches

  static uint64_t first_bloom_bits(const StoreOptions& share) {
    return share.bloom_grows ? std::min(kFirstBloomBits, share.bloom_bits) : share.bloom_bits;
  }
  // The next one on the way to the full capacity, by factors of kGrowth: when the cache gets its full size, the old
  // one beside it is a quarter of it.
  [[nodiscard]] uint64_t next_capacity(uint64_t capacity) const {
    uint64_t next = lossy_capacity_;
    while ((next + kGrowth - 1) / kGrowth > capacity) next = (next + kGrowth - 1) / kGrowth;
    return next;
  }
  [[nodiscard]] std::unique_ptr<LossyCache<W>> make_cache(uint64_t capacity) const {
    return std::make_unique<LossyCache<W>>(capacity, options_.evaluator, hasher_.hash_bits(), word_bits_);
  }
  [[nodiscard]] Status insert_into_bloom(uint64_t hash) {
    if (bloom_->crowded() && bloom_->bits() < options_.bloom_bits) [[unlikely]]
      grow_bloom();
    const bool was_saturated = bloom_->saturated();
    bloom_->insert(hash);
    if (bloom_->saturated() && !was_saturated) [[unlikely]]
      return inherit_bloom_memory();
    return Success{};
  }
  // As long as the cache has every state, the larger filter is made anew from it, which keeps it in one part.
  void grow_bloom() {
    const uint64_t wanted = kGrowth * bloom_->newest_bits();
    if (reclaimed_any_ || options_.bloom_hashes == 1) {  // of a bitmap, the log tells how many bits are set
      bloom_->extend(std::min(wanted, options_.bloom_bits - bloom_->bits()));
    } else {
      make_bloom(std::min(wanted, options_.bloom_bits));
    }
  }
  void make_bloom(uint64_t bits) {
    DCHECK(!reclaimed_any_);
    auto larger = std::make_unique<BloomFilter>(bits, options_.bloom_hashes);
    lossy_->for_each(
        [&](const Key<W>& words, Meta) { larger->insert(hasher_(hasher_.restore(words), scratch_).bloom); });
    larger->continue_counting(*bloom_);
    bloom_ = std::move(larger);
    ++before_.bloom_rebuilds;
  }
  void grow_cache() {
    std::unique_ptr<LossyCache<W>> old = std::exchange(lossy_, make_cache(next_capacity(lossy_->capacity())));
    old->for_each([&](const Key<W>& words, Meta meta) { put_into_cache(words, meta); });
  }
  // The cache becomes larger by what a saturated filter has given back. There is no memory for two caches beside each
  // other, so the content goes by way of a file.
  [[nodiscard]] Status inherit_bloom_memory() {
    if (!options_.lossy_inherits) return status_;
    const bool is_full_grown = lossy_->capacity() >= lossy_capacity_;
    unsigned more_bits = 0;
    for (unsigned i = 1; i < W; ++i) more_bits += word_bits_[i];
    const unsigned hash_bits = hasher_.hash_bits();
    const uint64_t bytes = LossyCache<W>::bytes_for(lossy_capacity_, hash_bits, more_bits) + bloom_->freed_bytes();
    lossy_capacity_ = std::max(lossy_capacity_, LossyCache<W>::capacity_for(bytes, hash_bits, more_bits));
    if (!is_full_grown) return status_;
    Status status = stash_cache(Stashed::kAll);
    if (!status.ok()) return fail(status);
    lossy_ = make_cache(lossy_capacity_);
    status = unstash_cache([&](const Key<W>& key, Meta meta) {
      put_into_cache(hasher_.permute(key), meta);
      return status_;
    });
    return status.ok() ? status : fail(status);
  }
  // Into the lossy cache.
  [[nodiscard]] Status keep(const Key<W>& words, Meta meta) {
    if (lossy_->crowded()) {
      if (lossy_->capacity() < lossy_capacity_) [[unlikely]] {
        grow_cache();
      } else if (options_.reclaim_ahead > 1) {
        ++counts_.reclaim_runs;
        lossy_->reclaim(options_.reclaim_ahead, sink());
      }
    }
    put_into_cache(words, meta);
    return status_;
  }
  void put_into_cache(const Key<W>& words, Meta meta) {
    if (!lossy_->crowded() && lossy_->insert(words, meta)) return;
    lossy_->replace(words, meta, [this](const Key<W>& victim, Meta its_meta) {
      ++counts_.replacements;
      sink()(victim, its_meta);
    });
  }
  // For what the cache gives up.
  auto sink() {
    return [this](const Key<W>& victim, Meta its_meta) {
      if (!its_meta.copy()) reclaim(victim);
    };
  }
  void reclaim(const Key<W>& words) {
    reclaimed_any_ = true;
    const Key<W> key = hasher_.restore(words);
    count_reclaimed(key);
    static_cast<void>(write(key));
  }
  void count_reclaimed(const Key<W>& key) {
    ++counts_.reclaimed;
    counts_.reclaimed_bytes += hasher_.vectors().state_bytes(key.data());
  }
  [[nodiscard]] Status write(const Key<W>& key) {
    if (!status_.ok()) return status_;
    return send(hasher_.partition(hasher_.order_of(key, scratch_)), key, WaitingStates<W>::kVisited);
  }

  // The content of the lossy cache, by way of a file, so that there is memory for one cache only.
  enum class Stashed : uint8_t { kOwn, kAll };  // without copies of states that are elsewhere, or with them
  [[nodiscard]] Status stash_cache(Stashed which = Stashed::kOwn) {
    stash_ = std::make_unique<SpillQueue<MovedState>>(
        files_, fmt::format("{}/moved.{}.{}", options_.directory, options_.layout, first_partition_), kMoveBytes);
    Status status = Success{};
    lossy_->for_each([&](const Key<W>& words, Meta meta) {
      if (status.ok() && (which == Stashed::kAll || !meta.copy()))
        status = stash_->push({hasher_.restore(words), meta.bits()});
    });
    lossy_.reset();
    return status;
  }
  template <class Put>
  [[nodiscard]] Status unstash_cache(Put&& put) {
    MovedState moved;
    for (;;) {
      const Result<bool> more = stash_->pop(moved);
      if (!more.ok()) return Error{more.error()};
      if (!more.value()) {
        stash_.reset();
        return Success{};
      }
      if (Status status = put(moved.key, Meta(static_cast<uint8_t>(moved.meta))); !status.ok()) return status;
    }
  }
  template <unsigned V, class Convert>
  [[nodiscard]] Status move_memory(CachedStore<V>& from, Convert&& convert) {
    bloom_ = std::move(from.bloom_);
    pages_->take_files(*from.pages_);
    Status status = from.stash_cache();
    if (!status.ok()) return status;
    status =
        from.unstash_cache([&](const auto& key, Meta meta) { return keep(hasher_.permute(convert(key)), meta); });
    if (!status.ok()) return status;
    return write_full();
  }
  // What was done before counts; what there is now is counted now.
  template <unsigned V>
  void forget_present(const CachedStore<V>& from) {
    add_reading(from);
    before_.bloom_bits = before_.bloom_bits_set = before_.bloom_partial_collisions = before_.bloom_entries = 0;
    before_.lossy_left = before_.disk_bytes = before_.stored_states = before_.bloom_hashes = 0;
    before_.bloom_freed_bytes = 0;
    before_.lossy_capacity = before_.page_bytes = before_.lookup_buffer = before_.partitions = 0;
  }

  static constexpr uint64_t kMoveBytes = uint64_t{1} << 20;
  static constexpr uint64_t kFirstBloomBits = uint64_t{1} << 20;
  static constexpr uint64_t kFirstCapacity = uint64_t{1} << 14;
  static constexpr uint64_t kGrowth = 4;
  static constexpr uint64_t kMostUnwritten = 2048;  // states of a partition

  const StoreOptions options_;  // this stripe's share
  const StateHasher<W>& hasher_;
  FileSystem& files_;
  const uint32_t first_partition_;
  const uint32_t partitions_;
  const std::array<unsigned, W> word_bits_;
  std::unique_ptr<BloomFilter> bloom_;
  uint64_t lossy_capacity_;  // of the full-grown cache
  std::unique_ptr<LossyCache<W>> lossy_;
  std::unique_ptr<PartitionStore<W>> pages_;
  WaitingStates<W> waiting_;
  uint64_t candidate_count_ = 0;
  std::vector<uint32_t> full_;  // partitions
  bool reclaimed_any_ = false;  // never: the lossy cache has every state
  Status status_ = Success{};
  double expected_omissions_ = 0;
  StoreFigures counts_;            // what only this class knows
  StoreFigures before_;            // of the store that this one took over
  StoreFigures last_;              // when it was stashed
  bool nearly_saturated_ = false;  // its Bloom filter, then
  std::unique_ptr<SpillQueue<MovedState>> stash_;

  std::vector<Candidate> batch_;               // that is being checked
  std::vector<HashedCandidate> hashed_batch_;  // likewise
  Bytes scratch_;
};

}  // namespace cmc
