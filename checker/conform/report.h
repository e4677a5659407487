#pragma once

#include <string>
#include <vector>

#include "checker/check/model_file.h"
#include "checker/conform/conform.h"
#include "checker/report/style/style.h"
#include "checker/trace/trace_printer.h"

// The answers of `cmc conform` for people and programs.

namespace cmc::conform {

struct ReportOptions {
  TraceOptions trace;
  bool shows_run = true;
  uint64_t most_steps = 100;  // of a run, the last ones
};

// `log`: that the report is about. `statements` makes the run's steps once more.
[[nodiscard]] std::string report_text(const Model& model, const ConformReport& report, const EventLog& log,
                                      SuccessorGenerator& statements, const ReportOptions& options,
                                      const Palette& palette);

// cmc.conformance/1
[[nodiscard]] std::string report_json(const LoadedModel& loaded, const std::vector<ConformReport>& reports,
                                      const std::vector<std::string>& arguments, double seconds);

// "explained", "not explained", "incomplete"
[[nodiscard]] const char* outcome_name(ConformReport::Outcome outcome);

}  // namespace cmc::conform
