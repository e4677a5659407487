#include "solver-bridge/worker/smt_commands.h"

#include <algorithm>
#include <span>
#include <string>

#include <fmt/format.h>

namespace cmc::solver {

namespace {

constexpr std::string_view kConstraintCommands[] = {
    "assert",     "declare-const", "declare-datatype", "declare-datatypes", "declare-fun",     "declare-sort",
    "define-fun", "define-const",  "define-fun-rec",   "define-sort",       "define-funs-rec",
};
constexpr std::string_view kSessionCommands[] = {
    "assert-soft",    "check-sat",      "check-sat-assuming",
    "echo",           "eval",           "exit",
    "get-model",      "get-assertions", "get-info",
    "get-assignment", "get-objectives", "get-option",
    "get-unsat-core", "get-value",      "get-unsat-assumptions",
    "maximize",       "minimize",       "pop",
    "push",           "reset",          "reset-assertions",
    "set-info",       "set-logic",      "simplify",
};

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kEndOfSymbol = " \t\r\n()\";|";

bool is_listed(std::string_view command, std::span<const std::string_view> list) {
  return std::ranges::find(list, command) != list.end();
}

// Goes over the text as Z3's scanner does.
class CommandScanner {
 public:
  explicit CommandScanner(std::string_view text) : rest_(text) {}

  // Moves behind the name of the next command. False: there is none.
  bool next(std::string& name) {
    for (; !rest_.empty(); skip_one()) {
      if (rest_.front() != '(' || depth_ > 0) continue;
      skip_one();
      skip_blanks();
      if (rest_.empty()) return false;
      const bool quoted = rest_.front() == '|';
      if (quoted) rest_.remove_prefix(1);
      const size_t length = std::min(quoted ? rest_.find('|') : rest_.find_first_of(kEndOfSymbol), rest_.size());
      name = rest_.substr(0, length);
      rest_.remove_prefix(std::min(length + (quoted ? 1 : 0), rest_.size()));
      return true;
    }
    return false;
  }

 private:
  // A parenthesis, string, quoted symbol, comment or other character.
  void skip_one() {
    const char first = rest_.front();
    rest_.remove_prefix(1);
    if (first == '(') ++depth_;
    if (first == ')' && depth_ > 0) --depth_;
    if (first == '"' || first == '|') skip_behind(first);
    if (first == ';') skip_behind('\n');
  }
  void skip_behind(char end) {
    const size_t at = rest_.find(end);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + 1);
  }
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ';' || kBlanks.find(rest_.front()) != std::string_view::npos)) {
      skip_one();
    }
  }

  std::string_view rest_;
  unsigned depth_ = 0;
};

}  // namespace

Status check_commands(std::string_view text, SmtText kind) {
  for (const std::string_view refused : {std::string_view("\\"), std::string_view("#|"), std::string_view("\0", 1)}) {
    if (text.find(refused) != std::string_view::npos) {
      return Error{"the text for the solver has a backslash, a comment in #| |#, or a zero byte: it is refused"};
    }
  }
  CommandScanner scanner(text);
  std::string command;
  while (scanner.next(command)) {
    if (is_listed(command, kConstraintCommands)) continue;
    if (kind == SmtText::kSession && is_listed(command, kSessionCommands)) continue;
    return Error{
        fmt::format("the solver's command '{}' is refused: only such commands are taken that set no option "
                    "and write no file",
                    command)};
  }
  return Success{};
}

}  // namespace cmc::solver
