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

// Says what was found while a shorter counterexample is looked for: in the progress line if there is one, until the
// notice ends, else as a line of standard error that stays.
class ShorteningNotice {
 public:
  explicit ShorteningNotice(const Session& session) : session_(session) {}
  void show(const std::string& label, const std::string& error, double most_seconds);

 private:
  const Session& session_;
  std::optional<ProgressLine> line_;
};

}  // namespace cmc
