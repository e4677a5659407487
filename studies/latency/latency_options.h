#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "checker/cli/options/options.h"
#include "studies/latency/study.h"

// The command line of cmc-latency.

namespace cmc::latency {

struct ProgramOptions {
  StudyOptions study;
  std::optional<PeerAddress> serve;  // answer there instead of measuring
  std::string out;                   // folder; empty: none
  std::string json;                  // empty: none; kStandardOutput
  When progress = When::kAuto;
};

// `arguments` without the program's name. The options are complete and valid.
[[nodiscard]] std::variant<ProgramOptions, Answer> parse_program_options(std::vector<std::string> arguments);

}  // namespace cmc::latency
