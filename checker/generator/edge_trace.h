#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/durations.h"
#include "base/quick_random.h"

namespace cmc {

// Notes which edges a generator tries, and how long some of them take: for a profile. A generator that is given one
// (SuccessorGenerator::watch()) tells it of each edge: begin(), then selected() if it is executable, executed() for
// each successor, and end(). Edges are numbered by proctype, location and place there, those of the claim that runs
// behind them. An edge can be tried inside the try of another: a receive that answers an offer. Then the time of the
// inner one is not that of the outer one.
//
// Not thread-safe: one for each generator.
class EdgeTrace {
 public:
  // Of one edge.
  struct Times {
    Durations selection;  // until it is known whether it is executable
    Durations execution;
    uint64_t tried = 0;  // all, also those that were not timed, with their weights
    uint64_t timed = 0;
    uint64_t executions = 0;    // that were timed
    uint64_t copied_bytes = 0;  // by these, of states
    uint64_t changed_bytes = 0;
    uint64_t interrupted = 0;  // tries during which the system interrupted the thread: in none of the above times
    int64_t interrupted_nanoseconds = 0;

    void merge(const Times& other);
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

  struct Options {
    bool every = false;                // all tries are timed; otherwise the first few of each edge, and then a sample
    bool keeps_interruptions = false;  // nobody looks for them
  };
  EdgeTrace(uint32_t edges, const Options& options);

  void begin(uint32_t edge) {
    Count& count = counts_[edge];
    if (count.tried++ == 0) tried_.push_back(edge);
    Try& each = open_.emplace_back();
    each.edge = edge;
    each.timed = open_.size() > 1 && open_[open_.size() - 2].timed;
    if (--until_timed_[edge] == 0 || each.timed) [[unlikely]]
      begin_timed(each);
  }
  void selected() {
    if (open_.back().timed) [[unlikely]]
      begin_execution();
  }
  void executed(ByteView before, ByteView after) {
    if (open_.back().timed) [[unlikely]]
      note_execution(before, after);
  }
  void end(bool executable) {
    const Try each = open_.back();
    counts_[each.edge].executable += executable ? 1 : 0;
    if (each.timed) [[unlikely]]
      end_timed();
    open_.pop_back();
  }

  // Edges tried since the last clear(), in the order of their first try, and how often.
  [[nodiscard]] std::span<const uint32_t> tried() const { return tried_; }
  [[nodiscard]] const Count& count(uint32_t edge) const { return counts_[edge]; }
  // `weight`: each try from now on stands for so many in times(). 0: it is one that would not have been made, and
  // none is timed.
  void clear(uint64_t weight = 1);

  // By edge; of all tries that a clear() has followed.
  [[nodiscard]] const std::vector<Times>& times() const { return times_; }
  // Of tries all over the search, thinned out.
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }
  // What timing has cost so far, as far as it does not count as time of an edge.
  [[nodiscard]] int64_t own_nanoseconds() const { return own_nanoseconds_; }
  // What is subtracted from a selection for the clock.
  [[nodiscard]] int64_t clock_nanoseconds() const { return cost_[0]; }

 private:
  // An edge that is being tried.
  struct Try {
    uint32_t edge = 0;
    bool timed = false;
    bool executing = false;
    int64_t since = 0;  // begin of the present segment
    int64_t begin = 0;
    int64_t selected = 0;
    int64_t end = 0;
    uint64_t weight = 0;                // tries that it stands for
    std::array<int64_t, 2> spent = {};  // selection, execution
  };

  void begin_timed(Try& each);
  void begin_execution();
  void note_execution(ByteView before, ByteView after);
  void end_timed();
  void end_segment(Try& each, int64_t now);
  void keep(const Try& each, bool interrupted);
  void keep_span(const Try& each);
  void calibrate();

  const Options options_;
  uint64_t weight_ = 1;
  std::vector<Count> counts_;  // by edge
  std::vector<uint32_t> tried_;
  std::vector<Try> open_;              // the innermost one is last
  std::vector<Try> done_;              // timed, inside the outermost one that is timed
  std::vector<uint32_t> until_timed_;  // by edge: tries
  std::vector<uint64_t> last_timed_;   // by edge: the number of that try, with weights
  std::vector<bool> long_;             // by edge: one took so long that an interruption is looked for
  std::vector<Times> times_;
  std::vector<Span> spans_;
  uint64_t spans_seen_ = 0;
  uint64_t span_stride_ = 1;
  QuickRandom random_;
  bool knows_switches_ = false;  // of the outermost try
  uint64_t switches_ = 0;
  std::array<int64_t, 2> cost_ = {};  // of the clock, in a segment of a selection, of an execution
  int64_t own_nanoseconds_ = 0;
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
