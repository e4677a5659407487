#include "checker/session/counterexample.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/files/file.h"
#include "checker/check/describe.h"

namespace cmc::session {
namespace {

constexpr double kGraceSeconds = 5;
constexpr std::string_view kSpeaker = "cmc: ";
constexpr int kRefused = 2;  // the exit code of a model that cannot be read

// What a command says on its standard error, without who says it.
std::string said_by(std::string text) {
  text.erase(text.find_last_not_of(" \r\n") + 1);
  return text.starts_with(kSpeaker) ? text.substr(kSpeaker.size()) : text;
}

std::string last_line(std::string text) {
  text.erase(text.find_last_not_of(" \r\n") + 1);
  return text.substr(text.find_last_of('\n') + 1);
}

}  // namespace

std::vector<std::string> reading_arguments(const ModelRequest& request) {
  std::vector<std::string> words = preprocessor_arguments(request.preprocessor);
  if (request.escapes_like_java) words.emplace_back("-J");
  for (const std::string& formula : request.formulas) words.push_back("--ltl=" + formula);
  return words;
}

Result<CounterexampleSearch> CounterexampleSearch::start(const CounterexampleRequest& request) {
  CMC_TRY(RunDirectory folder, RunDirectory::create("", false));
  const std::string path = folder.path();
  Subprocess::Command command;
  command.output = path + "/output";
  command.error = path + "/error";
  command.own_group = true;
  command.arguments = {request.program,
                       "check",
                       "-q",
                       "--progress=off",
                       "--color=never",
                       fmt::format("--time={}", request.seconds),
                       "--trail=" + path + "/trail"};
  if (!request.property.empty()) command.arguments.push_back("--property=" + request.property);
  if (!request.formula.empty()) command.arguments.push_back("--ltl=" + request.formula);
  command.arguments.insert(command.arguments.end(), request.reading.begin(), request.reading.end());
  command.arguments.insert(command.arguments.end(), {"--", request.model});
  CMC_TRY(Subprocess process, Subprocess::start(command));
  const double end = SystemClock().wall_seconds() + request.seconds + kGraceSeconds;
  return CounterexampleSearch(std::move(folder), std::move(process), end);
}

bool CounterexampleSearch::wait(double seconds) {
  has_ended_ = has_ended_ || process_.wait(seconds);
  return has_ended_ || SystemClock().wall_seconds() > end_;
}

std::string CounterexampleSearch::printed(const char* name) const {
  const Result<std::string> text = read_file(folder_.path() + name);
  return text.ok() ? text.value() : "";
}

Result<std::string> CounterexampleSearch::trail() const {
  if (!has_ended_) return Error{"there is no counterexample: the search took too long"};
  Result<std::string> text = read_file(folder_.path() + "/trail");
  if (text.ok()) return text;
  const std::string error = printed("/error");
  const bool is_refused = process_.end().exit_code == kRefused;
  return Error{"there is no counterexample: " +
               (is_refused ? said_by(error) : last_line(printed("/output") + error))};
}

}  // namespace cmc::session
