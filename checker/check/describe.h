#pragma once

#include <string>
#include <vector>

#include "checker/check/model_file.h"
#include "checker/check/request.h"
#include "checker/report/report.h"

namespace cmc {

// As on a command line: "-DN=3", "-UX", "-Ifolder".
[[nodiscard]] std::vector<std::string> preprocessor_arguments(const promela::PreprocessorOptions& options);

// As on a command line: "vm", "plugin:FILE".
[[nodiscard]] std::string generator_name(const CheckRequest& request);

// All options and where the model comes from. `search`: with the limits that are in force.
[[nodiscard]] RunDescription describe_run(const LoadedModel& loaded, const CheckRequest& request,
                                          const SearchOptions& search);

}  // namespace cmc
