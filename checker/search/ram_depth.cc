#include "checker/search/ram_depth.h"

#include "checker/search/engines.h"
#include "checker/search/relayout.h"

namespace cmc {

RunResult<EngineTotals> run_ram_depth(SearchContext& context) { return run_engine<RamDepth>(context); }

}  // namespace cmc
