#include "checker/session/console.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "checker/report/style/style.h"
#include "checker/session/find.h"
#include "checker/trace/places.h"
#include "checker/trace/trace_printer.h"
#include "ir/state_printer.h"

namespace cmc::session {
namespace {

constexpr double kFindSeconds = 10;
constexpr uint64_t kFindBytes = uint64_t{2} << 30;
constexpr uint64_t kRunChoices = 1000;
constexpr uint64_t kMostChoices = 1'000'000;

std::string line_of(const std::string& text) { return "  " + printable(text) + '\n'; }

}  // namespace

struct Console::Command {
  const char* name;
  const char* short_name;
  const char* argument;  // "": there is none; "[N]": it may be left out
  const char* help;
  Answer (Console::*act)(const std::string& argument);
};

const Console::Command Console::kCommands[] = {
    {"back", "b", "[N]", "N choices back, or one", &Console::back},
    {"goto", "g", "N", "to the place behind N choices of what was walked", &Console::go_to},
    {"run", "r", "[N]", "forward to a breakpoint, N choices (1000) or the end; at random where nothing is ahead",
     &Console::run},
    {"break", "", "[PLACE]",
     "stop before LINE or FILE:LINE [if EXPRESSION], when a PROCTYPE starts or an EXPRESSION becomes true; list",
     &Console::set_break},
    {"watch", "w", "EXPRESSION", "stop when its value changes", &Console::watch},
    {"delete", "d", "N", "remove breakpoint N", &Console::remove},
    {"find", "f", "EXPRESSION", "to the nearest state in which it holds", &Console::find},
    {"print", "p", "EXPRESSION", "its value", &Console::print},
    {"state", "s", "", "the whole state", &Console::show_state},
    {"why", "", "", "what the processes that cannot move wait for", &Console::why},
    {"help", "h", "", "this list", &Console::help},
};

std::string breakpoint_text(const Model& model, const Breakpoint& breakpoint) {
  using Kind = Breakpoint::Kind;
  const auto seen = [&] {
    return breakpoint.text + (breakpoint.pid == kNoProcess ? "" : fmt::format(" of process {}", breakpoint.pid));
  };
  switch (breakpoint.kind) {
    case Kind::kHolds: return fmt::format("break when {}", seen());
    case Kind::kChanges: return fmt::format("watch {}", seen());
    case Kind::kStarts: return fmt::format("break when a {} starts", breakpoint.text);
    case Kind::kLine: break;
  }
  std::string text = fmt::format("break at {}:{}", file_name(model.files[breakpoint.file]), breakpoint.line);
  if (!breakpoint.condition.empty()) text += " if " + breakpoint.condition;
  return text;
}

Console::Answer Console::execute(std::string_view line, uint8_t pid) {
  line = trimmed(line);
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  const auto* const command = std::ranges::find_if(
      kCommands, [&](const Command& each) { return word == each.name || word == each.short_name; });
  if (const std::optional<uint64_t> choice = parse_number<uint64_t>(line)) {
    if (*choice < 1 || *choice > session_.choices().size()) return {false, ""};
    session_.choose(*choice - 1);
    if (on_choice_) on_choice_();
    return {};
  }
  if (line.empty() || command == std::end(kCommands)) return {false, ""};
  const std::string argument(trimmed(line.substr(word.size())));
  const std::string_view wanted = command->argument;
  if (argument.empty() ? !wanted.empty() && !wanted.starts_with('[') : wanted.empty()) return {false, ""};
  if (wanted == "N" || wanted == "[N]") {
    if (!argument.empty() && !parse_number<uint64_t>(argument)) return {false, ""};
  }
  pid_ = pid;
  return (this->*command->act)(argument);
}

Console::Answer Console::back(const std::string& argument) {
  return go_to(std::to_string(session_.position() -
                              std::min(session_.position(), parse_number<uint64_t>(argument).value_or(1))));
}

Console::Answer Console::go_to(const std::string& argument) {
  const uint64_t wanted = parse_number<uint64_t>(argument).value_or(0);
  if (wanted > session_.length())
    return {true, fmt::format("  there are {} so far\n", plural(session_.length(), "choice"))};
  if (wanted <= session_.position()) {
    session_.go_to(wanted);
    return {true, wanted == 0 ? "  back at the start\n" : fmt::format("  back at step {}\n", wanted)};
  }
  while (session_.position() < wanted) {
    session_.forward();
    if (on_choice_) on_choice_();
  }
  return {};
}

Console::Answer Console::run(const std::string& argument) {
  RunOptions options;
  options.most_choices = std::min(parse_number<uint64_t>(argument).value_or(kRunChoices), kMostChoices);
  options.on_choice = on_choice_;
  options.interrupt = &interrupted_;
  const Stop stop = session::run(session_, breakpoints_, random_, options);
  if (stop.reason != Stop::Reason::kBreakpoint) return {};
  return {true, line_of(fmt::format("breakpoint {}: {}", stop.breakpoint,
                                    breakpoint_text(session_.model(), breakpoints_.all().at(stop.breakpoint))))};
}

Console::Answer Console::add(Breakpoint breakpoint) {
  const Result<uint32_t> number = breakpoints_.add(std::move(breakpoint));
  if (!number.ok()) return {true, line_of(number.error())};
  return {true, line_of(fmt::format("breakpoint {}: {}", number.value(),
                                    breakpoint_text(session_.model(), breakpoints_.all().at(number.value()))))};
}

Console::Answer Console::set_break(const std::string& argument) {
  const Model& model = session_.model();
  if (argument.empty()) {
    Answer list;
    for (const auto& [number, each] : breakpoints_.all())
      list.text += line_of(fmt::format("{:>3}) {}", number, breakpoint_text(model, each)));
    if (list.text.empty()) list.text = "  there are no breakpoints\n";
    return list;
  }
  Breakpoint breakpoint;
  const size_t condition = argument.find(" if ");
  const std::string place(trimmed(std::string_view(argument).substr(0, condition)));
  if (condition != std::string::npos) breakpoint.condition = trimmed(argument.substr(condition + 4));
  const size_t colon = place.rfind(':');
  const std::string file = colon == std::string::npos ? "" : place.substr(0, colon);
  if (const auto line = parse_number<uint64_t>(std::string_view(place).substr(colon + 1));
      line && *line <= UINT32_MAX) {
    const auto named = std::ranges::find_if(model.files, [&](const std::string& each) {
      return file.empty() || each == file || file_name(each) == file;
    });
    if (named == model.files.end()) return {true, line_of(fmt::format("the model has no file '{}'", file))};
    breakpoint.file = static_cast<uint32_t>(named - model.files.begin());
    breakpoint.line = static_cast<uint32_t>(*line);
  } else if (std::ranges::find(model.proctypes, place, &Proctype::name) != model.proctypes.end()) {
    breakpoint.kind = Breakpoint::Kind::kStarts;
    breakpoint.text = place;
  } else {
    breakpoint = {Breakpoint::Kind::kHolds, 0, 0, argument, pid_, "", 1, 0};
  }
  return add(std::move(breakpoint));
}

Console::Answer Console::watch(const std::string& argument) {
  return add({Breakpoint::Kind::kChanges, 0, 0, argument, pid_, "", 1, 0});
}

Console::Answer Console::remove(const std::string& argument) {
  const bool is_there =
      breakpoints_.remove(static_cast<uint32_t>(std::min<uint64_t>(*parse_number<uint64_t>(argument), UINT32_MAX)));
  return {true, is_there ? "" : fmt::format("  there is no breakpoint {}\n", argument)};
}

Console::Answer Console::find(const std::string& argument) {
  const Result<Expression> expression = session_.read(argument, pid_);
  if (!expression.ok()) return {true, line_of(expression.error())};
  Limits limits({kFindBytes, kFindSeconds, &interrupted_});
  const uint64_t begin = session_.position();
  const Result<Found> found = session::find(session_, expression.value(), pid_, limits);
  if (!found.ok()) return {true, line_of(found.error())};
  const std::string states = plural(found.value().states, "state");
  switch (found.value().outcome) {
    case Found::Outcome::kNowhere:
      return {true, line_of(fmt::format("it holds in none of the {} that can be reached from here", states))};
    case Found::Outcome::kLimit:
      return {true, line_of(fmt::format("it holds in none of {}; {}", states, limits.reason()))};
    case Found::Outcome::kFound: break;
  }
  const uint64_t end = session_.position();
  if (end == begin) return {true, "  it holds here\n"};
  session_.go_to(begin);
  return go_to(std::to_string(end));
}

Console::Answer Console::print(const std::string& argument) {
  const Result<Expression> expression = session_.read(argument, pid_);
  if (!expression.ok()) return {true, line_of(expression.error())};
  return {true, line_of(expression.value().text(session_.state(), pid_).value_or("it cannot be evaluated here"))};
}

Console::Answer Console::show_state(const std::string&) {
  return {true, state_text(session_.model(), decode_state(session_.model(), session_.state()), 4)};
}

Console::Answer Console::why(const std::string&) {
  Answer answer;
  for (const ExplainedProcess& process : session_.waiting()) {
    const std::string place =
        process.file.empty() ? "" : fmt::format(" at {}:{}", file_name(process.file), process.line);
    answer.text +=
        line_of(fmt::format("{}{} waits for {}", process.process, place, fmt::join(process.waits, "; or for ")));
  }
  if (answer.text.empty()) answer.text = "  every process can move or has ended\n";
  return answer;
}

Console::Answer Console::help(const std::string&) {
  Answer answer = {true, fmt::format("  {:<23}  take choice N\n", "N")};
  for (const Command& each : kCommands) {
    const std::string name = *each.short_name == '\0' ? each.name : fmt::format("{}, {}", each.name, each.short_name);
    answer.text += fmt::format("  {:<12} {:<10}  {}\n", name, each.argument, each.help);
  }
  return answer;
}

}  // namespace cmc::session
