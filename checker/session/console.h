#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "checker/session/breakpoints.h"
#include "checker/session/session.h"

namespace cmc::session {

// What a person types to walk through a run: at a terminal, in a debugger's console.
class Console {
 public:
  struct Answer {
    bool is_known = true;  // false: it is no command
    std::string text;      // lines; may be empty
  };
  // All outlive this object. `on_choice` is told behind each step forward, so that it can be shown; it may be null.
  Console(Session& session, Breakpoints& breakpoints, Random& random, std::function<void()> on_choice,
          const std::atomic<bool>& interrupted)
      : session_(session),
        breakpoints_(breakpoints),
        random_(random),
        on_choice_(std::move(on_choice)),
        interrupted_(interrupted) {}

  // "2" (a choice), "b 3", "goto 17", "find x == 3". `pid`: whose variables expressions may name beside global ones.
  [[nodiscard]] Answer execute(std::string_view line, uint8_t pid = kNoProcess);

 private:
  struct Command;
  static const Command kCommands[];

  Answer back(const std::string& argument);
  Answer go_to(const std::string& argument);
  Answer run(const std::string& argument);
  Answer set_break(const std::string& argument);
  Answer watch(const std::string& argument);
  Answer remove(const std::string& argument);
  Answer find(const std::string& argument);
  Answer print(const std::string& argument);
  Answer show_state(const std::string& argument);
  Answer why(const std::string& argument);
  Answer help(const std::string& argument);
  Answer add(Breakpoint breakpoint);

  Session& session_;
  Breakpoints& breakpoints_;
  Random& random_;
  std::function<void()> on_choice_;
  const std::atomic<bool>& interrupted_;
  uint8_t pid_ = kNoProcess;
};

// "break at NAME:12 if x > 3"
[[nodiscard]] std::string breakpoint_text(const Model& model, const Breakpoint& breakpoint);

}  // namespace cmc::session
