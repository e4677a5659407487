#pragma once

#include "checker/cli/commands.h"
#include "checker/cli/load_model.h"
#include "checker/report/report.h"
#include "checker/search/options.h"
#include "checker/search/result.h"

// What a check consists of, for those who check without printing (checker/api).

namespace cmc {

// As compile_model() of load_model.h, without a word: what there is to say is appended to `messages`.
[[nodiscard]] std::optional<LoadedModel> compile_quietly(const Options& options, promela::Sources sources,
                                                         uint32_t file, std::string& messages,
                                                         const ErrorListener& on_error = nullptr);

// As on a command line: "vm", "plugin:FILE".
[[nodiscard]] std::string generator_name(const Options& options);

// run_check() of a model that was read before.
[[nodiscard]] int check_model(const Session& session, const LoadedModel& loaded);

[[nodiscard]] SearchOptions search_options(const Session& session);

[[nodiscard]] RunDescription describe_run(const Options& options, const SearchOptions& search,
                                          const LoadedModel& loaded);

// After a search with these options: looks for the shortest counterexamples, as long as --shorten allows, and replays
// all errors with the reference interpreter; from here on every path is one that it confirms. `label`: of the
// property, for the progress line.
void finish_errors(const Session& session, const Model& product, const Decider& decider, const SearchOptions& options,
                   const std::string& label, SearchResult& result);

}  // namespace cmc
