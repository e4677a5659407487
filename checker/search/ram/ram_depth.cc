#include "checker/search/ram/ram_depth.h"

#include "checker/search/engine/engines.h"
#include "checker/search/engine/relayout.h"

namespace cmc {

RunResult<EngineTotals> run_ram_depth(SearchContext& context) { return run_engine<RamDepth>(context); }

}  // namespace cmc
