#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/files/run_directory.h"
#include "base/result.h"
#include "checker/result/result.h"
#include "checker/search/disk/lookup_rounds.h"
#include "storage/files/async_files.h"
#include "storage/files/file_system.h"
#include "storage/files/metered_files.h"
#include "storage/options/store_options.h"
#include "storage/pages/trail_log.h"
#include "storage/rounds/round_plan.h"

namespace cmc {

// How a search goes on beyond memory: where, with which shares, and what outlives a re-layout.
struct StorePlan {
  StorePlan(const SearchOptions& search, uint32_t workers)
      : settings(search.store), order(order_of(search.order)), stripes(std::min(workers, kMostStripes)) {}

  // One for each worker; each takes memory for merging.
  static constexpr uint32_t kMostStripes = 16;

  const StoreSettings& settings;
  const UsedOrder order;
  const uint32_t stripes;
  std::unique_ptr<FileSystem> own_files;    // unless the settings have others
  std::unique_ptr<AsyncFiles> async_files;  // null: callers wait for input and output
  std::optional<MeteredFiles> files;
  std::optional<RunDirectory> directory;
  StoreOptions options;
  uint64_t open_bytes = 0;          // of open states in RAM
  std::unique_ptr<TrailLog> trail;  // null: without paths

  LookupRounds explicit_lookups;
  uint64_t recent_hits = 0;  // of workers of former layouts

  // Opens the directory and divides `memory_bytes` (0: not limited) for keys of that size; `states`: known so far.
  [[nodiscard]] Status open(uint64_t memory_bytes, unsigned key_words, unsigned key_bits, uint64_t states);
  // Before it is opened once more, for a search that begins anew.
  void close();
  // Of the same memory, for an engine that goes in rounds. What was set for the caches is for what stands in their
  // place: states in RAM, candidates of a turn, candidates in RAM.
  [[nodiscard]] RoundPlan rounds(uint32_t workers, unsigned key_words) const;
  // Of what is under way.
  [[nodiscard]] uint64_t file_bytes() const { return async_files == nullptr ? 0 : async_files->memory_bytes(); }
  // Of the log of paths; under the lock of who appends to it.
  [[nodiscard]] uint64_t trail_bytes() const { return trail == nullptr ? 0 : trail->memory_bytes(); }
  // The number of a state that is reached like that, in the log of paths; without one all have the root's.
  [[nodiscard]] Result<uint64_t> log_step(uint64_t parent, uint64_t index) {
    return trail == nullptr ? Result<uint64_t>(TrailLog::kRoot) : trail->append(parent, index);
  }
  // Of the parts, those change whose size depends on the width of keys, which has grown.
  void fit(unsigned key_words, unsigned key_bits);

 private:
  static UsedOrder order_of(SearchOptions::Order order) {
    switch (order) {
      case SearchOptions::Order::kDepthFirst: return UsedOrder::kDepthFirst;
      case SearchOptions::Order::kBreadthFirst: return UsedOrder::kBreadthFirst;
      case SearchOptions::Order::kAuto: break;
    }
    return UsedOrder::kOldestFirst;
  }
  [[nodiscard]] Status open_files();
  [[nodiscard]] StoreOptions divide(unsigned key_words, unsigned key_bits) const;

  uint64_t shared_bytes_ = 0;  // of all parts
  uint64_t states_ = 0;        // known when they were divided
};

}  // namespace cmc
