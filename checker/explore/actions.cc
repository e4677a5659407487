#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "checker/explore/explorer.h"
#include "checker/explore/message.h"
#include "checker/report/style/style.h"

// What each message of the page does. An action returns what it has to say.

namespace cmc::explore {
namespace {

constexpr double kWaitSeconds = 0.02;  // for a check, at a time
constexpr uint64_t kSliceStates = 200;
constexpr uint64_t kSliceChoices = 500;
constexpr uint64_t kMostChoices = 1'000'000;  // of one run
constexpr uint64_t kFindBytes = uint64_t{4} << 30;
constexpr size_t kMostShown = 50;

// "word rest of it"
std::pair<std::string, std::string> words_of(const std::string& line) {
  const size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const size_t end = std::min(line.find(' ', begin), line.size());
  const size_t rest = std::min(line.find_first_not_of(' ', end), line.size());
  return {line.substr(begin, end - begin), line.substr(rest)};
}

}  // namespace

std::string Explorer::view(const Json&) { return ""; }

std::string Explorer::end(const Json&) {
  has_ended_ = true;
  return "cmc has ended";
}

// Along what is ahead; else only where there is no choice.
std::string Explorer::forward(const Json& message) {
  for (uint64_t left = std::min(number_in(message, "count", 1), kMostChoices); left > 0; --left) {
    if (run().next() == nullptr) {
      if (run().choices().empty()) return run().end_text();
      if (run().choices().size() > 1) return fmt::format("choose a step: 1 to {}", run().choices().size());
      run().plan(0);
      ++revision_;
    }
    run().forward();
  }
  return "";
}

std::string Explorer::back(const Json& message) {
  run().go_to(run().position() - std::min(run().position(), number_in(message, "count", 1)));
  return "";
}

std::string Explorer::go_to(const Json& message) {
  const uint64_t wanted = number_in(message, "position", 0);
  if (wanted > run().length()) return fmt::format("the run has {} so far", plural(run().length(), "choice"));
  run().go_to(wanted);
  return "";
}

std::string Explorer::choose(const Json& message) {
  const uint64_t choice = number_in(message, "choice", 0);
  if (choice < 1 || choice > run().choices().size()) return "there is no such choice here";
  run().choose(choice - 1);
  ++revision_;
  return "";
}

std::string Explorer::take(const Json& message) {
  const auto path = message.find("path");
  if (path == message.end() || !path->is_array()) throw Refused{"'path' is missing"};
  for (const Json& each : *path) {
    if (!each.is_number_unsigned()) throw Refused{"'path' is no list of choices"};
    const std::string said = choose({{"choice", each}});
    if (!said.empty()) return said;
  }
  return "";
}

std::string Explorer::random(const Json&) {
  const bool is_new = run().next() == nullptr;
  if (!run().plan(walk_.random())) return run().end_text();
  if (is_new) ++revision_;
  run().forward();
  return "";
}

std::string Explorer::run(const Json& message) {
  is_cancelled_ = false;
  uint64_t left = std::min(number_in(message, "count", kMostChoices), kMostChoices);
  job_ = std::make_unique<Job>([this, left, begins = true]() mutable -> std::optional<std::string> {
    using Reason = session::Stop::Reason;
    session::RunOptions options;
    options.most_choices = std::min(left, kSliceChoices);
    options.begins_here = begins;
    options.interrupt = &is_cancelled_;
    begins = false;
    left -= options.most_choices;
    const session::Stop stop = session::run(run(), walk_.breakpoints(), walk_.random(), options);
    switch (stop.reason) {
      case Reason::kBreakpoint:
        return fmt::format("breakpoint {}: {}", stop.breakpoint,
                           session::breakpoint_text(walk_.model(), walk_.breakpoints().all().at(stop.breakpoint)));
      case Reason::kInterrupted: return "cancelled";
      case Reason::kChoices: break;
      default: return run().end_text();
    }
    if (left > 0) return std::nullopt;
    return "no breakpoint so far";
  });
  return "";
}

std::string Explorer::reverse(const Json&) {
  const bool found = run().back_until([&] { return run().next() != nullptr && walk_.breakpoints().at_next(); });
  return found ? "" : "no breakpoint before; this is the start";
}

std::string Explorer::find(const Json& message) {
  const uint8_t pid = process_in(message);
  const Result<session::Expression> expression = run().read(text_in(message, "expression"), pid);
  if (!expression.ok()) return printable(expression.error());
  if (run().state().empty()) return run().end_text();
  is_cancelled_ = false;
  const auto finder = std::make_shared<session::Finder>(run(), expression.value(), pid);
  const auto limits = std::make_shared<Limits>(Limits::Bounds{kFindBytes, 0, &is_cancelled_});
  const uint64_t begin = run().position();
  job_ = std::make_unique<Job>([this, finder, limits, begin]() -> std::optional<std::string> {
    using Outcome = session::Found::Outcome;
    const std::optional<Result<session::Found>> found = finder->go_on(kSliceStates, *limits);
    if (!found) return std::nullopt;
    if (!found->ok()) return found->error();
    const std::string states = plural(found->value().states, "state");
    switch (found->value().outcome) {
      case Outcome::kNowhere: return fmt::format("it holds in none of the {} that can be reached from here", states);
      case Outcome::kLimit:
        return is_cancelled_ ? fmt::format("cancelled after {}", states)
                             : fmt::format("it holds in none of {}; {}", states, limits->reason());
      case Outcome::kFound: break;
    }
    const uint64_t steps = run().position() - begin;
    return steps == 0 ? "it holds here"
                      : fmt::format("found after {} ({} looked at)", plural(steps, "choice"), states);
  });
  return "";
}

std::string Explorer::counterexample(const Json& message) {
  session::CounterexampleRequest request;
  request.program = program_;
  request.model = walk_.loaded().file;
  request.reading = session::reading_arguments(walk_.loaded().request);
  request.property = message.contains("property") ? text_in(message, "property") : "";
  Result<session::CounterexampleSearch> started = session::CounterexampleSearch::start(request);
  if (!started.ok()) return started.error();
  is_cancelled_ = false;
  const auto search = std::make_shared<session::CounterexampleSearch>(std::move(started).value());
  job_ = std::make_unique<Job>([this, search]() -> std::optional<std::string> {
    if (is_cancelled_) return "cancelled";
    if (!search->wait(kWaitSeconds)) return std::nullopt;
    const Result<std::string> trail = search->trail();
    if (!trail.ok()) return trail.error();
    const Status loaded = load(trail.value());
    return loaded.ok() ? fmt::format("a counterexample of {} lies ahead", plural(run().length(), "choice"))
                       : loaded.error();
  });
  return "";
}

std::string Explorer::command(const Json& message) {
  const std::string line = text_in(message, "line");
  const auto [word, rest] = words_of(line);
  if (word == "find" || word == "f") return find({{"expression", rest}, {"pid", process_in(message)}});
  if (word == "run" || word == "r") return run(Json::object());
  if (word == "show") return show({{"expression", rest}, {"pid", process_in(message)}});
  const uint64_t before = run().position();
  const session::Console::Answer done = walk_.console().execute(line, process_in(message));
  if (run().position() != before) ++revision_;
  return done.is_known ? done.text : fmt::format("'{}' is no command, or no choice, here", printable(line));
}

std::string Explorer::toggle(const Json& message) {
  const uint64_t file = number_in(message, "file", UINT32_MAX);
  const uint64_t line = number_in(message, "line", UINT32_MAX);
  if (file >= walk_.model().files.size() || line >= UINT32_MAX) return "there is no such line";
  session::Breakpoint breakpoint;
  breakpoint.file = static_cast<uint32_t>(file);
  breakpoint.line =
      session::line_with_statement(walk_.model(), breakpoint.file, static_cast<uint32_t>(line)).value_or(UINT32_MAX);
  const size_t before = walk_.breakpoints().all().size();
  walk_.breakpoints().remove_if([&](const session::Breakpoint& each) {
    return each.kind == session::Breakpoint::Kind::kLine && each.file == breakpoint.file &&
           each.line == breakpoint.line;
  });
  if (walk_.breakpoints().all().size() < before) return "";
  breakpoint.line = static_cast<uint32_t>(line);
  const Result<uint32_t> added = walk_.breakpoints().add(std::move(breakpoint));
  return added.ok() ? "" : printable(added.error());
}

std::string Explorer::remove(const Json& message) {
  const uint64_t wanted = number_in(message, "number", 0);
  const bool is_there = wanted <= UINT32_MAX && walk_.breakpoints().remove(static_cast<uint32_t>(wanted));
  return is_there ? "" : "there is no such breakpoint";
}

std::string Explorer::show(const Json& message) {
  Shown shown{text_in(message, "expression"), process_in(message)};
  const Result<session::Expression> read = run().read(shown.text, shown.pid);
  if (!read.ok()) return printable(read.error());
  if (shown_.size() == kMostShown) return fmt::format("at most {} expressions are shown", kMostShown);
  shown_.push_back(std::move(shown));
  return "";
}

std::string Explorer::hide(const Json& message) {
  const uint64_t index = number_in(message, "index", UINT64_MAX);
  if (index >= shown_.size()) return "there is no such expression";
  shown_.erase(shown_.begin() + static_cast<ptrdiff_t>(index));
  return "";
}

std::string Explorer::compare(const Json& message) {
  compared_.reset();
  if (!message.contains("position")) return "states are compared with the one before";
  const uint64_t position = number_in(message, "position", 0);
  if (position > run().length()) return fmt::format("the run has {} so far", plural(run().length(), "choice"));
  const uint64_t here = run().position();
  run().go_to(position);
  compared_ = Compared{position, {run().state().begin(), run().state().end()}};
  run().go_to(here);
  return fmt::format("states are compared with the one at position {}", position);
}

}  // namespace cmc::explore
