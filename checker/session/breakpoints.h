#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "checker/session/session.h"

namespace cmc::session {

// Where a run stops.
struct Breakpoint {
  enum class Kind : uint8_t {
    kLine,     // before a step whose statement is on `line` of `file`
    kStarts,   // when a process of type `text` starts
    kHolds,    // when the expression `text` becomes true
    kChanges,  // when its value changes
  } kind = Kind::kLine;
  uint32_t file = 0;  // index into Model::files
  uint32_t line = 0;
  std::string text;
  uint8_t pid = kNoProcess;  // who sees `text`; kNoProcess: nobody's own variables are in it
  std::string condition;     // of kLine: as the process sees it that takes the step; empty: none
  uint64_t hits_needed = 1;  // it stops from this time on
  uint64_t hits = 0;
};

// The first line from `line` on with a statement; none: there is no such line.
[[nodiscard]] std::optional<uint32_t> line_with_statement(const Model& model, uint32_t file, uint32_t line);

class Breakpoints {
 public:
  // `session` outlives this object.
  explicit Breakpoints(Session& session) : session_(session) {}

  // Its number. Error: an expression is wrong, or there is no such line or type.
  [[nodiscard]] Result<uint32_t> add(Breakpoint breakpoint);
  bool remove(uint32_t number) { return all_.erase(number) > 0; }
  void remove_if(const std::function<bool(const Breakpoint&)>& condition);
  [[nodiscard]] const std::map<uint32_t, Breakpoint>& all() const { return all_; }

  // The one that stops the run before, or behind, the step that it is going to take; 0: none. REQUIRES: next().
  [[nodiscard]] uint32_t before_next() { return find(false, true); }
  [[nodiscard]] uint32_t behind_next() { return find(true, true); }
  // Of a run that goes back: hits do not count.
  [[nodiscard]] bool at_next() { return find(false, false) != 0 || find(true, false) != 0; }

 private:
  [[nodiscard]] uint32_t find(bool behind, bool counts);
  [[nodiscard]] bool is_hit(const Breakpoint& breakpoint);
  [[nodiscard]] bool is_there(const Breakpoint& breakpoint, uint8_t pid, LocationId location, uint16_t edge);
  [[nodiscard]] std::optional<int32_t> value(const Breakpoint& breakpoint, ByteView state);

  Session& session_;
  std::map<uint32_t, Breakpoint> all_;
  uint32_t last_ = 0;
};

struct Stop {
  enum class Reason : uint8_t {
    kBreakpoint,
    kUntil,  // the condition that was given
    kEnd,    // Session::end()
    kChoices,
    kInterrupted,
  } reason = Reason::kEnd;
  uint32_t breakpoint = 0;
};

struct RunOptions {
  uint64_t most_choices = UINT64_MAX;
  uint8_t prefers = kNoProcess;               // whose first step is taken where nothing is ahead and it has one
  bool stops_at_errors = true;                // also at those behind which the run can go on
  bool begins_here = true;                    // a breakpoint before the first step does not stop it
  std::function<bool()> until = nullptr;      // asked behind each step; may be null
  std::function<void()> on_choice = nullptr;  // told behind each one; may be null
  const std::atomic<bool>* interrupt = nullptr;
};

// Goes forward, at random where nothing is ahead.
[[nodiscard]] Stop run(Session& session, Breakpoints& breakpoints, Random& random, const RunOptions& options);

}  // namespace cmc::session
