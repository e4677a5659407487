#include "checker/search/cycles/ram_hull.h"

#include "checker/search/engine/engines.h"
#include "checker/search/engine/relayout.h"

namespace cmc {

RunResult<EngineTotals> run_ram_hull(SearchContext& context) {
  context.set_options.value_bits = kHullBits;
  const RunResult<EngineTotals> run = run_engine<RamHull>(context);
  context.set_options.value_bits = 0;
  return run;
}

}  // namespace cmc
