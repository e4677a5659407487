#include "checker/search/ram/ram_levels.h"

#include "checker/search/engine/engines.h"
#include "checker/search/engine/relayout.h"

namespace cmc {

RunResult<EngineTotals> run_ram_levels(SearchContext& context) { return run_engine<RamLevels>(context); }

}  // namespace cmc
