#include "checker/search/cycles/ndfs.h"
#include "checker/search/cycles/ram_hull.h"
#include "checker/search/cycles/scc_engine.h"
#include "checker/search/disk/disk_cache.h"
#include "checker/search/disk/disk_rounds.h"
#include "checker/search/engine/engines.h"
#include "checker/search/engine/run_engine.h"
#include "checker/search/ram/ram_depth.h"
#include "checker/search/ram/ram_levels.h"

namespace cmc {
namespace {

// Of an engine whose set keeps so many bits beside each key.
template <template <unsigned> class Engine>
RunOf<Engine> run_with_bits(SearchContext& context, unsigned bits) {
  context.set_options.value_bits = bits;
  const RunOf<Engine> run = run_engine<Engine>(context);
  context.set_options.value_bits = 0;
  return run;
}

}  // namespace

RunResult<EngineTotals> run_ram_depth(SearchContext& context) { return run_engine<RamDepth>(context); }
RunResult<EngineTotals> run_ram_levels(SearchContext& context) { return run_engine<RamLevels>(context); }
RunResult<EngineTotals> run_ndfs(SearchContext& context) {
  return run_with_bits<Ndfs>(context, ndfs_bits(context.workers));
}
RunResult<EngineTotals> run_ram_hull(SearchContext& context) { return run_with_bits<RamHull>(context, kHullBits); }
RunResult<EngineTotals> run_scc(SearchContext& context) { return run_engine<SccEngine>(context); }
RunResult<DiskTotals> run_disk_cache(SearchContext& context) { return run_engine<DiskCache>(context); }
RunResult<DiskTotals> run_disk_rounds(SearchContext& context) { return run_engine<DiskRounds>(context); }

}  // namespace cmc
