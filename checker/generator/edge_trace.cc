#include "checker/generator/edge_trace.h"

#include <algorithm>

#include "base/fine_clock.h"

namespace cmc {
namespace {

constexpr size_t kMostSpans = 20'000;  // of a thread
constexpr int64_t kLong = 20'000;      // nanoseconds: an interruption takes no less
constexpr int kCalibrations = 16;
constexpr int kTries = 64;  // of each

uint64_t bytes_changed(ByteView before, ByteView after) {
  const size_t common = std::min(before.size(), after.size());
  uint64_t changed = std::max(before.size(), after.size()) - common;
  for (size_t i = 0; i < common; ++i) changed += before[i] != after[i] ? 1 : 0;
  return changed;
}

}  // namespace

EdgeTrace::EdgeTrace(uint32_t edges) : counts_(edges), times_(edges) {
  open_.reserve(16);
  spans_.reserve(kTries);
  if (edges > 0) calibrate();
}

// What is measured if there is nothing between the readings: the least of several means.
void EdgeTrace::calibrate() {
  int64_t least_try = kLong;
  int64_t least_segment = kLong;
  for (int i = 0; i < kCalibrations; ++i) {
    times_[0] = {};
    spans_.clear();
    const int64_t began = fine_nanoseconds();
    for (int j = 0; j < kTries; ++j) {
      begin(0);
      end(false);
    }
    least_try = std::min(least_try, (fine_nanoseconds() - began) / kTries);
    least_segment = std::min(least_segment, times_[0].selection / kTries);
  }
  try_cost_ = least_try;
  segment_cost_ = least_segment;
  clear();
  times_[0] = {};
  spans_.clear();
  spans_seen_ = 0;
  lost_ = 0;
  look_for_interruptions();
}

EdgeTrace::Times& EdgeTrace::Times::operator+=(const Times& other) {
  selection += other.selection;
  execution += other.execution;
  tried += other.tried;
  executing += other.executing;
  interrupted += other.interrupted;
  interruption += other.interruption;
  executions += other.executions;
  copied_bytes += other.copied_bytes;
  changed_bytes += other.changed_bytes;
  return *this;
}

void EdgeTrace::clear() {
  for (const uint32_t edge : tried_) counts_[edge] = {};
  tried_.clear();
}

void EdgeTrace::look_for_interruptions() { switches_ = thread_context_switches(); }

void EdgeTrace::begin(uint32_t edge) {
  if (!open_.empty()) end_segment(open_.back(), fine_nanoseconds());
  if (counts_[edge].tried++ == 0) tried_.push_back(edge);
  Try& each = open_.emplace_back();
  each.edge = edge;
  each.since = each.begin = fine_nanoseconds();
}

void EdgeTrace::selected() {
  Try& each = open_.back();
  if (each.executing) return;
  const int64_t now = fine_nanoseconds();
  end_segment(each, now);
  lost_ += segment_cost_;
  each.executing = true;
  each.since = each.selected = now;
}

void EdgeTrace::executed(ByteView before, ByteView after) {
  Try& each = open_.back();
  const int64_t now = fine_nanoseconds();
  end_segment(each, now);
  Times& times = times_[each.edge];
  ++times.executions;
  times.copied_bytes += after.size();
  times.changed_bytes += bytes_changed(before, after);
  each.since = fine_nanoseconds();
  lost_ += each.since - now + segment_cost_;
}

void EdgeTrace::end(bool executable) {
  Try& each = open_.back();
  const int64_t now = fine_nanoseconds();
  end_segment(each, now);
  counts_[each.edge].executable += executable ? 1 : 0;
  keep_times(each);
  keep_span({each.edge, each.begin, each.executing ? each.selected : now, now});
  lost_ += try_cost_;
  open_.pop_back();
  if (open_.empty()) return;
  open_.back().since = fine_nanoseconds();
  lost_ += 2 * segment_cost_;  // the readings that are about the outer one
}

void EdgeTrace::end_segment(Try& each, int64_t now) {
  each.spent[each.executing ? 1 : 0] += now - each.since - segment_cost_;
}

void EdgeTrace::keep_times(const Try& each) {
  Times& times = times_[each.edge];
  ++times.tried;
  const int64_t spent = each.spent[0] + each.spent[1];
  if (spent > kLong) [[unlikely]] {
    const uint64_t before = switches_;
    look_for_interruptions();
    if (switches_ != before) {
      ++times.interrupted;
      times.interruption += spent;
      lost_ += spent;
      return;
    }
  }
  times.selection += each.spent[0];
  times.execution += each.spent[1];
  times.executing += each.executing ? 1 : 0;
}

// When there are too many, every second one goes, and of those to come as many.
void EdgeTrace::keep_span(const Span& span) {
  if (spans_seen_++ % span_stride_ != 0) return;
  if (spans_.size() == kMostSpans) {
    size_t kept = 0;
    for (size_t i = 0; i < spans_.size(); i += 2) spans_[kept++] = spans_[i];
    spans_.resize(kept);
    span_stride_ *= 2;
  }
  spans_.push_back(span);
}

}  // namespace cmc
