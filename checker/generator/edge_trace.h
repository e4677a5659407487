#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace cmc {

// Counts which edges a generator tries, and measures how long each try takes: for a profile. A generator that is
// given one (SuccessorGenerator::watch()) tells it of each edge: begin(), then selected() if it is executable,
// executed() for each successor, and end(). Edges are numbered by proctype, location and place there, those of the
// claim that runs behind them. An edge can be tried inside the try of another: a receive that answers an offer. Then
// the time of the inner one is not that of the outer one.
//
// A try that takes long, and in which the system made the thread wait, counts, but its time does not.
//
// Not thread-safe: one for each generator.
class EdgeTrace {
 public:
  // Of one edge. Nanoseconds.
  struct Times {
    int64_t selection = 0;  // until it is known whether it is executable
    int64_t execution = 0;
    uint64_t tried = 0;
    uint64_t executing = 0;    // of these, with an execution
    uint64_t interrupted = 0;  // tries of which the time is in none of the above; in executing they are not
    int64_t interruption = 0;  // their time
    uint64_t executions = 0;
    uint64_t copied_bytes = 0;  // by these, of states
    uint64_t changed_bytes = 0;

    Times& operator+=(const Times& other);
  };
  // When one try was, with those inside.
  struct Span {
    uint32_t edge = 0;
    int64_t begin = 0;     // fine_nanoseconds()
    int64_t selected = 0;  // end of the selection
    int64_t end = 0;
  };
  struct Count {
    uint32_t tried = 0;
    uint32_t executable = 0;
  };

  explicit EdgeTrace(uint32_t edges);

  void begin(uint32_t edge);
  void selected();
  void executed(ByteView before, ByteView after);
  void end(bool executable);

  // Edges tried since the last clear(), in the order of their first try, and how often.
  [[nodiscard]] std::span<const uint32_t> tried() const { return tried_; }
  [[nodiscard]] const Count& count(uint32_t edge) const { return counts_[edge]; }
  void clear();

  // By edge; of all tries.
  [[nodiscard]] const std::vector<Times>& times() const { return times_; }
  // Of tries all over the search, thinned out.
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }
  // What has passed so far in tries, and is in no edge's time: what measuring cost, and interruptions.
  [[nodiscard]] int64_t lost_nanoseconds() const { return lost_; }
  // What is subtracted for a reading of the clock.
  [[nodiscard]] int64_t clock_nanoseconds() const { return segment_cost_; }
  // An interruption before this moment is none of a try. A system call; to be called now and then.
  void look_for_interruptions();

 private:
  // An edge that is being tried.
  struct Try {
    uint32_t edge = 0;
    bool executing = false;
    int64_t since = 0;  // begin of the present segment
    int64_t begin = 0;
    int64_t selected = 0;
    std::array<int64_t, 2> spent = {};  // selection, execution
  };

  void end_segment(Try& each, int64_t now);
  void keep_times(const Try& each);
  void keep_span(const Span& span);
  void calibrate();

  std::vector<Count> counts_;  // by edge
  std::vector<uint32_t> tried_;
  std::vector<Try> open_;  // the innermost one is last
  std::vector<Times> times_;
  std::vector<Span> spans_;
  uint64_t spans_seen_ = 0;
  uint64_t span_stride_ = 1;
  uint64_t switches_ = 0;     // of the thread, when somebody looked last
  int64_t try_cost_ = 0;      // what a try costs beside its work
  int64_t segment_cost_ = 0;  // of these, what a segment would take too long
  int64_t lost_ = 0;
};

// An edge that is being tried; `trace` may be null.
class EdgeTry {
 public:
  EdgeTry(EdgeTrace* trace, uint32_t edge) : trace_(trace) {
    if (trace_ != nullptr) [[unlikely]]
      trace_->begin(edge);
  }
  ~EdgeTry() {
    if (trace_ != nullptr) [[unlikely]]
      trace_->end(executable_);
  }
  EdgeTry(const EdgeTry&) = delete;
  EdgeTry& operator=(const EdgeTry&) = delete;
  void set_executable() { executable_ = true; }

 private:
  EdgeTrace* const trace_;
  bool executable_ = false;
};

}  // namespace cmc
