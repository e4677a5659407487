#include "checker/suite/expectation.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "checker/report/style/style.h"

namespace cmc::suite {
namespace {

constexpr std::string_view kMark = "expect:";
constexpr std::string_view kNothing = "nothing";
constexpr const char* kEndState = "end-state";
constexpr const char* kJsonEndState = "invalid end state";

// The options of `cmc check` that a line can give, without their hyphens. A model may come from anywhere: none of
// these names a file or a program, or could make a run write something.
constexpr std::string_view kCheckOptions[] = {"property", "fairness", "steps",  "reductions", "search",
                                              "engine",   "cycles",   "memory", "time"};
constexpr std::string_view kFlags[] = {"-E", "-J"};

using Set = Status;

bool whole_number(std::string_view text, std::optional<uint64_t>& out) {
  uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return false;
  out = number;
  return true;
}

std::optional<uint64_t>* figure(Figures& figures, std::string_view name) {
  if (name == "states") return &figures.states;
  if (name == "transitions") return &figures.transitions;
  return name == "errors" ? &figures.errors : nullptr;
}

bool* mark(Expectation& expectation, std::string_view name) {
  if (name == "slow") return &expectation.slow;
  if (name == "solver") return &expectation.solver;
  return name == "only-cmc" ? &expectation.only_cmc : nullptr;
}

// "end-state" -> "invalid end state": an error's kind as the JSON result names it.
std::string json_kind(std::string name) {
  if (name == kEndState) return kJsonEndState;
  if (name == short_kind("non-progress cycle")) return "non-progress cycle";  // has a hyphen of its own
  std::ranges::replace(name, '-', ' ');
  return name;
}

// "violated(assertion,end-state)": the part in parentheses.
Set parse_kinds(std::string_view list, Expectation& expectation) {
  std::istringstream words{std::string(list)};
  for (std::string word; std::getline(words, word, ',');) {
    const std::string name = json_kind(word);
    if (!parse_error_kind(name)) return Error{fmt::format("'{}' is no kind of error", printable(word))};
    expectation.kinds.push_back(short_kind(name));
  }
  if (expectation.kinds.empty() || list.ends_with(',')) return Error{"the kind of an error is missing in '()'"};
  std::ranges::sort(expectation.kinds);
  expectation.kinds.erase(std::unique(expectation.kinds.begin(), expectation.kinds.end()), expectation.kinds.end());
  return Success{};
}

Set parse_verdict(const std::string& word, Expectation& expectation) {
  constexpr std::string_view kViolated = "violated";
  if (word == "holds" || word == "incomplete") {
    expectation.verdict = word == "holds" ? Verdict::kHolds : Verdict::kIncomplete;
    return Success{};
  }
  expectation.verdict = Verdict::kViolated;
  if (word == kViolated) return Success{};
  if (word.starts_with("violated(") && word.ends_with(')')) {
    return parse_kinds(std::string_view(word).substr(kViolated.size() + 1, word.size() - kViolated.size() - 2),
                       expectation);
  }
  return Error{
      fmt::format("'{}' is not one of: holds, violated, violated(KIND,...), incomplete, nothing", printable(word))};
}

Set parse_word(const std::string& word, Expectation& expectation) {
  if (word == "with") return Success{};
  if (bool* const flag = mark(expectation, word)) {
    *flag = true;
    return Success{};
  }
  const bool is_option = word.starts_with("-D") || word.starts_with("-U") ||
                         std::ranges::find(kFlags, std::string_view(word)) != std::end(kFlags);
  if (is_option) {
    expectation.options.push_back(word);
    return Success{};
  }
  const size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  if (std::optional<uint64_t>* const number = figure(expectation.figures, name)) {
    if (*number) return Error{fmt::format("'{}' is given twice", name)};
    return whole_number(value, *number) ? Set(Success{})
                                        : Set(Error{fmt::format("'{}' needs a whole number", printable(word))});
  }
  if (std::ranges::find(kCheckOptions, std::string_view(name)) == std::end(kCheckOptions)) {
    return Error{
        fmt::format("unknown word '{}'; known are: states=N, transitions=N, errors=N, {}=..., -DNAME, -UNAME, "
                    "{}, slow, solver, only-cmc, with",
                    printable(word), fmt::join(kCheckOptions, "=..., "), fmt::join(kFlags, ", "))};
  }
  if (value.empty()) return Error{fmt::format("'{}' needs a value: {}=...", name, name)};
  expectation.options.push_back("--" + word);
  return Success{};
}

// What stands behind "expect:" if the line begins with it, but for blanks and the signs of a comment.
std::optional<std::string> behind_mark(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t*/");
  if (begin == std::string_view::npos || !line.substr(begin).starts_with(kMark)) return std::nullopt;
  line.remove_prefix(begin + kMark.size());
  line = line.substr(0, line.find("*/"));
  const size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(line.substr(first, line.find_last_not_of(" \t\r") - first + 1));
}

bool has_option(const Expectation& expectation, std::string_view name) {
  return std::ranges::any_of(expectation.options, [&](const std::string& each) { return each.starts_with(name); });
}

}  // namespace

// Figures and kinds are those of the whole state space, so nothing is left out and no error ends the search.
std::vector<std::string> Expectation::check_arguments() const {
  std::vector<std::string> arguments;
  const bool whole = figures.any() || !kinds.empty();
  if (whole && verdict != Verdict::kHolds) arguments.emplace_back("--max-errors=0");
  if (whole && !has_option(*this, "--reductions=")) arguments.emplace_back("--reductions=none");
  arguments.insert(arguments.end(), options.begin(), options.end());
  return arguments;
}

Result<Expectation> parse_expectation(std::string_view text) {
  Expectation expectation;
  std::istringstream words{std::string(text)};
  std::string word;
  if (!(words >> word))
    return Error{"a verdict is missing: holds, violated, violated(KIND,...), incomplete, nothing"};
  if (const Set set = parse_verdict(word, expectation); !set.ok()) return Error{set.error()};
  while (words >> word) {
    if (const Set set = parse_word(word, expectation); !set.ok()) return Error{set.error()};
  }
  return expectation;
}

ExpectLines find_expectations(std::string_view model_text) {
  ExpectLines found;
  uint32_t number = 0;
  while (!model_text.empty()) {
    const size_t end = std::min(model_text.find('\n'), model_text.size());
    ++number;
    if (const std::optional<std::string> text = behind_mark(model_text.substr(0, end))) {
      if (*text == kNothing) {
        found.nothing = true;
      } else {
        found.lines.push_back({number, *text, parse_expectation(*text)});
      }
    }
    model_text.remove_prefix(std::min(end + 1, model_text.size()));
  }
  return found;
}

std::string short_kind(std::string_view json_kind) {
  if (json_kind == kJsonEndState) return kEndState;
  std::string name(json_kind);
  std::ranges::replace(name, ' ', '-');
  return name;
}

}  // namespace cmc::suite
