#include "checker/search/cycles/ndfs.h"

#include "checker/search/engine/engines.h"
#include "checker/search/engine/relayout.h"

namespace cmc {

RunResult<EngineTotals> run_ndfs(SearchContext& context) {
  context.set_options.value_bits = ndfs_bits(context.workers);
  const RunResult<EngineTotals> run = run_engine<Ndfs>(context);
  context.set_options.value_bits = 0;
  return run;
}

}  // namespace cmc
