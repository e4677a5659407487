#pragma once

#include <cstdint>
#include <optional>

#include "checker/result/result.h"
#include "storage/options/store_figures.h"

// The engines, each run from the initial state over all layouts of keys (relayout.h).

namespace cmc {

class CheckpointWriter;
struct SearchContext;

// How a run ended.
enum class RunEnd : uint8_t {
  kExplored,  // nothing is left, as far as the engine knows: EngineTotals::left
  kStopped,   // by a limit, an error, an interrupt
  kToStore,   // memory is scarce: the search has to start again with the disk store
  kDivide,    // the search has to start again with a finer division of frames
  kReduce,    // the search has to start again with partial-order reduction, or without
  kReorder,   // the search has to start again with the next ClaimOrder
  kTooWide,   // no key is wide enough
};

// Totals of an engine after its run.
struct EngineTotals {
  uint64_t states = 0;
  uint64_t set_bytes = 0;  // in RAM, all states
  uint64_t memo_bytes = 0;
  unsigned set_bits = 0;               // of a key in the set
  std::optional<Remainder> left = {};  // of a run that ended with kExplored
};
struct DiskTotals : EngineTotals {
  StoreFigures figures;
  double expected_omissions = 0;     // CachedStore::expected_omissions()
  bool undecided = false;            // candidates are left: the search has been stopped
  uint64_t explicit_partitions = 0;  // SearchStatistics has what these are
  double wait_seconds = 0;
};

// An engine, whatever the width of its keys.
template <class TotalsOf>
class AnyEngine {
 public:
  using Totals = TotalsOf;
  AnyEngine() = default;
  AnyEngine(const AnyEngine&) = delete;
  AnyEngine& operator=(const AnyEngine&) = delete;
  virtual ~AnyEngine() = default;
  [[nodiscard]] virtual Totals totals() = 0;
  // Writes visited and open states. REQUIRES: its run is over, and ended at a boundary. For
  // SearchOptions::checkpoints.
  virtual void save(CheckpointWriter& /*writer*/) {}
};

template <class Totals>
struct RunResult {
  RunEnd end = RunEnd::kStopped;
  Totals totals;
};

[[nodiscard]] RunResult<EngineTotals> run_ram_depth(SearchContext& context);
[[nodiscard]] RunResult<EngineTotals> run_ram_levels(SearchContext& context);
// Of a product, for accepting cycles: nested depth-first search; components, for weak fairness; the hull.
[[nodiscard]] RunResult<EngineTotals> run_ndfs(SearchContext& context);
[[nodiscard]] RunResult<EngineTotals> run_scc(SearchContext& context);
[[nodiscard]] RunResult<EngineTotals> run_ram_hull(SearchContext& context);
// REQUIRES: context.store is open.
[[nodiscard]] RunResult<DiskTotals> run_disk_cache(SearchContext& context);
// Not for cycles; with PageCodec::kKeys only.
[[nodiscard]] RunResult<DiskTotals> run_disk_rounds(SearchContext& context);

}  // namespace cmc
