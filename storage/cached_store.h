#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "checker/base/result.h"
#include "storage/file_system.h"
#include "storage/state_hash.h"
#include "storage/store_figures.h"
#include "storage/store_options.h"

namespace cmc {

// The set of visited states of a search in limited memory: a Bloom filter, a lossy cache and pages on disk. One stripe of
// it, that is, consecutive partitions. Not thread-safe: each stripe belongs behind a mutex of its own (hash outside).
template <unsigned W>
class CachedStore {
 public:
  using Words = std::array<uint64_t, W>;
  using Tag = uint64_t;  // the caller's; kept with a candidate
  struct Stripe {
    uint32_t number = 0;
    uint32_t count = 1;
  };
  enum class Offer : uint8_t {
    kNew,        // never seen before: to be expanded
    kSeen,
    kCandidate,  // check() will tell, through on_new() or not at all
    kFull,       // nothing happened: check(*needs_check()) first, then offer again
    kFailed,     // the store has failed: status()
  };

  // All arguments that are references outlive the store; files of other stores in the directory do not get in the way if
  // their partitions are others.
  CachedStore(const StoreOptions& options, Stripe stripe, const StateHasher<W>& hasher,
              const std::array<unsigned, W>& word_bits, FileSystem& files);

  // Asks for the memory that offer() is going to look at.
  void prefetch(const HashedKey<W>& key) const;
  [[nodiscard]] Offer offer(const HashedKey<W>& key, Tag tag);
  // A state that is known to be new to this store and not to be counted as a query: from an exact set in RAM.
  [[nodiscard]] Status adopt(const HashedKey<W>& key);
  // A state has been expanded. Only worth a call if wants_outgoing().
  void expanded(const HashedKey<W>& key, uint64_t successors);
  [[nodiscard]] bool wants_outgoing() const;

  [[nodiscard]] uint64_t candidates() const;
  // A partition whose candidates have to be checked before offer() can go on.
  [[nodiscard]] std::optional<uint32_t> needs_check() const;
  // Resolves the candidates of a partition, or of all: on_new(key as offered, not permuted; tag) for each new one, which is
  // visited from then on. on_new() must not call the store. On an error all of them remain candidates.
  template <class OnNew>
  [[nodiscard]] Status check(uint32_t partition, OnNew&& on_new);
  template <class OnNew>
  [[nodiscard]] Status check_all(OnNew&& on_new);

  // Everything from a store of another layout, which is not usable afterwards: convert(words of a key in the old layout) gives those in
  // the new one. REQUIRES: this store is empty, `from` has no candidates.
  template <unsigned V, class Convert>
  [[nodiscard]] Status take_over(CachedStore<V>& from, Convert&& convert);

  // The first error; then nothing works any more, and no answer is given.
  [[nodiscard]] const Status& status() const;
  [[nodiscard]] StoreFigures figures() const;
  [[nodiscard]] uint64_t memory_bytes() const;
};

}  // namespace cmc
