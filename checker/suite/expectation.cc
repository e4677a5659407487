#include "checker/suite/expectation.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <span>
#include <sstream>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/text.h"
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
// Those of `cmc mutate`.
constexpr std::string_view kTeethOptions[] = {"property", "fairness", "memory", "time", "mutants", "seed"};
// Those of `cmc conform`.
constexpr std::string_view kLogOptions[] = {"memory", "time", "reductions"};

using Set = Status;
using Claim = Expectation::Claim;

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
      fmt::format("'{}' is not one of: holds, violated, violated(KIND,...), incomplete, states >= N, reached line N, "
                  "teeth >= N%, explained LOG, not-explained LOG, nothing",
                  printable(word))};
}

// "teeth >= 80%", "states >= 1000", "reached line 28": the words behind the first one, with or without blanks.
Set parse_claim(Claim claim, const std::string& text, Expectation& expectation) {
  static constexpr const char* kForms[] = {"", "states >= NUMBER", "reached line NUMBER", "teeth >= PERCENT%"};
  std::string_view rest = text;
  const std::string_view begin = claim == Claim::kReached ? "line" : ">=";
  const bool begins = rest.starts_with(begin);
  if (begins) rest.remove_prefix(begin.size());
  const bool is_percent = claim == Claim::kTeeth;
  const bool ends = !is_percent || rest.ends_with('%');
  if (is_percent && ends) rest.remove_suffix(1);
  const uint64_t number = begins && ends ? parse_number<uint64_t>(rest).value_or(0) : 0;
  if (number == 0 || (is_percent && number > 100))
    return Error{fmt::format("not understood; the line needs: {}", kForms[static_cast<size_t>(claim)])};
  expectation.claim = claim;
  expectation.number = number;
  return Success{};
}

// How many words of the line, without blanks, are the claim: "states >= 1000" are three. The first one is there.
std::string claim_words(std::string first, size_t& at, const std::vector<std::string>& words) {
  const auto is_whole = [&] { return !first.empty() && (first.back() == '%' || std::isdigit(first.back()) != 0); };
  while (!is_whole() && at < words.size()) first += words[at++];
  return first;
}

// "explained a.jsonl,b.jsonl": the second word.
Set parse_logs(Claim claim, const std::string& word, Expectation& expectation) {
  std::istringstream names(word);
  for (std::string name; std::getline(names, name, ',');) {
    if (name.empty() || name[0] == '/' || name[0] == '-' || (name + "/").find("../") != std::string::npos)
      return Error{
          fmt::format("'{}' is no log: it is a file beside the model, or in a folder there", printable(name))};
    expectation.logs.push_back(name);
  }
  if (expectation.logs.empty())
    return Error{fmt::format("not understood; the line needs: {} LOG[,LOG...]", name_in(kClaimNames, claim))};
  expectation.claim = claim;
  return Success{};
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
  const bool is_verdict = expectation.claim == Claim::kVerdict;
  if (std::optional<uint64_t>* const number = figure(expectation.figures, name)) {
    if (!is_verdict) return Error{fmt::format("'{}' goes with a verdict", name)};
    if (*number) return Error{fmt::format("'{}' is given twice", name)};
    *number = parse_number<uint64_t>(value);
    return *number ? Set(Success{}) : Set(Error{fmt::format("'{}' needs a whole number", printable(word))});
  }
  std::span<const std::string_view> known = kCheckOptions;
  if (expectation.claim == Claim::kTeeth) known = kTeethOptions;
  if (expectation.has_logs()) known = kLogOptions;
  if (std::ranges::find(known, std::string_view(name)) == known.end()) {
    return Error{
        fmt::format("unknown word '{}'; known are: {}{}=..., -DNAME, -UNAME, {}, slow, solver, only-cmc, with",
                    printable(word), is_verdict ? "states=N, transitions=N, errors=N, " : "",
                    fmt::join(known, "=..., "), fmt::join(kFlags, ", "))};
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

const char* Expectation::command() const {
  if (has_logs()) return "conform";
  return claim == Claim::kTeeth ? "mutate" : "check";
}

// Figures and kinds are those of the whole state space, so nothing is left out and no error ends the search.
std::vector<std::string> Expectation::arguments() const {
  if (claim == Claim::kTeeth || has_logs()) return options;
  std::vector<std::string> arguments;
  const bool whole = figures.any() || !kinds.empty() || claim != Claim::kVerdict;
  if (whole && (verdict != Verdict::kHolds || claim != Claim::kVerdict)) arguments.emplace_back("--max-errors=0");
  if (whole && !has_option(*this, "--reductions=")) arguments.emplace_back("--reductions=none");
  arguments.insert(arguments.end(), options.begin(), options.end());
  return arguments;
}

Result<Expectation> parse_expectation(std::string_view text) {
  Expectation expectation;
  std::istringstream stream{std::string(text)};
  const std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  if (words.empty()) return Error{"a verdict is missing: holds, violated, violated(KIND,...), incomplete, nothing"};
  const auto* const claim = std::ranges::find_if(kClaimNames, [&](const EnumName<Claim>& each) {
    if (each.value == Claim::kVerdict || !words[0].starts_with(each.name)) return false;
    const std::string_view rest = std::string_view(words[0]).substr(std::string_view(each.name).size());
    return rest.empty() || rest[0] == '>';
  });
  size_t next = 1;
  const bool has_logs =
      claim != std::end(kClaimNames) && (claim->value == Claim::kExplained || claim->value == Claim::kNotExplained);
  Set set = Success{};
  if (claim == std::end(kClaimNames)) {
    set = parse_verdict(words[0], expectation);
  } else if (has_logs) {
    set = parse_logs(claim->value, words.size() > next ? words[next++] : "", expectation);
  } else {
    const size_t name = std::string_view(claim->name).size();
    set = parse_claim(claim->value, claim_words(words[0].substr(name), next, words), expectation);
  }
  if (!set.ok()) return Error{set.error()};
  for (; next < words.size(); ++next) {
    if (const Set word = parse_word(words[next], expectation); !word.ok()) return Error{word.error()};
  }
  return expectation;
}

ExpectLines find_expectations(std::string_view model_text) {
  ExpectLines found;
  uint32_t number = 0;
  for (const std::string_view line : lines_of(model_text)) {
    ++number;
    if (const std::optional<std::string> text = behind_mark(line)) {
      if (*text == kNothing) {
        found.nothing = true;
      } else {
        found.lines.push_back({number, *text, parse_expectation(*text)});
      }
    }
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
