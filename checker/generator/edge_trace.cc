#include "checker/generator/edge_trace.h"

#include <algorithm>
#include <utility>

#include "base/fine_clock.h"

namespace cmc {
namespace {

constexpr uint32_t kFirst = 8;         // tries of an edge that are timed in any case
constexpr uint32_t kEach = 64;         // later: about one in so many
constexpr size_t kMostSpans = 20'000;  // of a thread
constexpr int64_t kLong = 20'000;      // nanoseconds: an interruption takes no less
constexpr uint32_t kCalibrations = 1000;

uint64_t bytes_changed(ByteView before, ByteView after) {
  const size_t common = std::min(before.size(), after.size());
  uint64_t changed = std::max(before.size(), after.size()) - common;
  for (size_t i = 0; i < common; ++i) changed += before[i] != after[i] ? 1 : 0;
  return changed;
}

}  // namespace

EdgeTrace::EdgeTrace(uint32_t edges, const Options& options)
    : options_(options), counts_(edges), until_timed_(edges, 1), last_timed_(edges), long_(edges), times_(edges) {
  open_.reserve(16);
  if (edges > 0) calibrate();
}

// What is measured if there is nothing between the readings.
void EdgeTrace::calibrate() {
  for (uint32_t i = 0; i < kCalibrations; ++i) {
    until_timed_[0] = 1;
    begin(0);
    selected();
    executed({}, {});
    end(true);
  }
  cost_ = {times_[0].selection.median(), times_[0].execution.median() / 2};  // an execution has two segments
  clear();
  until_timed_[0] = 1;
  last_timed_[0] = 0;
  long_[0] = false;
  times_[0] = {};
  spans_.clear();
  spans_seen_ = own_nanoseconds_ = 0;
  span_stride_ = 1;
}

void EdgeTrace::Times::merge(const Times& other) {
  selection.merge(other.selection);
  execution.merge(other.execution);
  tried += other.tried;
  timed += other.timed;
  executions += other.executions;
  copied_bytes += other.copied_bytes;
  changed_bytes += other.changed_bytes;
  interrupted += other.interrupted;
  interrupted_nanoseconds += other.interrupted_nanoseconds;
}

void EdgeTrace::clear(uint64_t weight) {
  for (const uint32_t edge : tried_) {
    times_[edge].tried += weight_ * counts_[edge].tried;
    counts_[edge] = {};
  }
  tried_.clear();
  weight_ = weight;
}

void EdgeTrace::begin_timed(Try& each) {
  if (weight_ == 0) {
    until_timed_[each.edge] = 1;
    return;
  }
  const int64_t entered = fine_nanoseconds();
  const uint64_t number = times_[each.edge].tried + weight_ * counts_[each.edge].tried;
  each.weight = number - std::exchange(last_timed_[each.edge], number);
  if (until_timed_[each.edge] == 0) {
    // Not at equal distances: a model can have a rhythm.
    const auto later = kEach / 2 + 1 + random_.next(16) % kEach;
    until_timed_[each.edge] = options_.every || times_[each.edge].timed < kFirst ? 1 : later;
  }
  if (each.timed) {
    end_segment(open_[open_.size() - 2], entered);
  } else {
    knows_switches_ = long_[each.edge] && !options_.keeps_interruptions;
    if (knows_switches_) switches_ = thread_context_switches();
    each.timed = true;
  }
  each.since = each.begin = fine_nanoseconds();
  own_nanoseconds_ += each.begin - entered;
}

void EdgeTrace::begin_execution() {
  Try& each = open_.back();
  if (each.executing) return;
  const int64_t now = fine_nanoseconds();
  end_segment(each, now);
  each.executing = true;
  each.since = each.selected = now;
}

void EdgeTrace::note_execution(ByteView before, ByteView after) {
  Try& each = open_.back();
  const int64_t now = fine_nanoseconds();
  end_segment(each, now);
  Times& times = times_[each.edge];
  ++times.executions;
  times.copied_bytes += after.size();
  times.changed_bytes += bytes_changed(before, after);
  each.since = fine_nanoseconds();
  own_nanoseconds_ += each.since - now;
}

void EdgeTrace::end_segment(Try& each, int64_t now) {
  const int64_t cost = cost_[each.executing ? 1 : 0];
  each.spent[each.executing ? 1 : 0] += now - each.since - cost;
  own_nanoseconds_ += cost;
}

void EdgeTrace::end_timed() {
  Try& each = open_.back();
  const int64_t now = fine_nanoseconds();
  end_segment(each, now);
  each.end = now;
  if (!each.executing) each.selected = now;
  done_.push_back(each);
  const bool outermost = open_.size() == 1 || !open_[open_.size() - 2].timed;
  if (outermost) {
    bool interrupted = false;
    if (now - each.begin > kLong) {
      long_[each.edge] = true;
      interrupted = knows_switches_ && thread_context_switches() != switches_;
    }
    for (const Try& one : done_) keep(one, interrupted);
    done_.clear();
  }
  const int64_t left = fine_nanoseconds();
  own_nanoseconds_ += left - now;
  if (!outermost) open_[open_.size() - 2].since = left;
}

void EdgeTrace::keep(const Try& each, bool interrupted) {
  Times& times = times_[each.edge];
  ++times.timed;
  if (interrupted) {
    ++times.interrupted;
    times.interrupted_nanoseconds += each.spent[0] + each.spent[1];
    return;
  }
  times.selection.add(each.spent[0], each.weight);
  if (each.executing) times.execution.add(each.spent[1], each.weight);
  keep_span(each);
}

// When there are too many, every second one goes, and of those to come as many.
void EdgeTrace::keep_span(const Try& each) {
  if (spans_seen_++ % span_stride_ != 0) return;
  if (spans_.size() == kMostSpans) {
    size_t kept = 0;
    for (size_t i = 0; i < spans_.size(); i += 2) spans_[kept++] = spans_[i];
    spans_.resize(kept);
    span_stride_ *= 2;
  }
  spans_.push_back({each.edge, each.begin, each.selected, each.end});
}

}  // namespace cmc
