#pragma once

#include <optional>
#include <string>

#include "checker/cli/commands.h"
#include "checker/report/progress.h"
#include "checker/report/time_series.h"
#include "checker/search/result.h"

// Searches that somebody watches: the progress line or lines, the time series, and what SIGUSR1 asks for.

namespace cmc {

// `label` says what is searched for, if there is more than one such thing; `series` may be null: none is written.
[[nodiscard]] SearchResult watch_search(const Session& session, const Model& model, const Decider& decider,
                                        const SearchOptions& search, const std::string& label,
                                        TimeSeriesWriter* series);

// Shows that a counterexample is being shortened, as long as it lives.
class ShorteningNotice {
 public:
  ShorteningNotice(const Session& session, const std::string& label, double most_seconds);

 private:
  std::optional<ProgressLine> line_;
};

}  // namespace cmc
