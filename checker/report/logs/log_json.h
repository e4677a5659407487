#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "checker/report/logs/search_log.h"

namespace cmc {

// The object `log` of cmc.result/1 (README.md).
[[nodiscard]] nlohmann::ordered_json statistics_json(const SearchStatistics& statistics, UsedOrder order);

// The log in a result cmc.result/1. Accepts any text; an error says what is wrong. A result without the object `log`
// gives a log without statistics.
[[nodiscard]] Result<SearchLog> parse_result_log(std::string_view json);

// A log as text or in a JSON result, whichever it is.
[[nodiscard]] Result<SearchLog> parse_any_log(std::string_view text);

}  // namespace cmc
