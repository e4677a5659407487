#include "checker/search/ram_levels.h"

#include "checker/search/engines.h"
#include "checker/search/relayout.h"

namespace cmc {

RunResult<EngineTotals> run_ram_levels(SearchContext& context) { return run_engine<RamLevels>(context); }

}  // namespace cmc
