#include "checker/generator/wrappers/checked.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/check.h"
#include "checker/generator/touch_trace.h"

namespace cmc {

namespace {

std::string step_text(const Step& step) {
  std::string text = fmt::format("pid {} at {} edge {}", step.pid, step.location, step.edge);
  if (step.partner != kNoProcess) {
    text += fmt::format(" with pid {} at {} edge {}", step.partner, step.partner_location, step.partner_edge);
  }
  return step.timeout ? text + " (timeout)" : text;
}

std::string path_text(std::span<const Step> path) {
  std::string text;
  for (const Step& step : path) text += (text.empty() ? "" : "; ") + step_text(step);
  return "[" + text + "]";
}

std::string bytes_text(ByteView bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

// Empty if the two do not differ. `number` is what the text calls the successor.
std::string entry_difference(const SuccessorBatch& subject, const SuccessorBatch::Entry& a,
                             const SuccessorBatch& reference, const SuccessorBatch::Entry& b, size_t number) {
  const ByteView state_a = subject.state(a);
  const ByteView state_b = reference.state(b);
  const bool same_path = std::ranges::equal(subject.path(a), reference.path(b));
  if (same_path && std::ranges::equal(state_a, state_b)) return "";
  const std::string path_a = path_text(subject.path(a));
  if (!same_path)
    return fmt::format("successor {}: steps {}, expected {}", number, path_a, path_text(reference.path(b)));
  if (state_a.size() != state_b.size()) {
    return fmt::format("successor {} by {}: {} bytes, expected {}", number, path_a, state_a.size(), state_b.size());
  }
  const auto [first, second] = std::ranges::mismatch(state_a, state_b);
  return fmt::format("successor {} by {}: differs at byte {}\n  got      {}\n  expected {}", number, path_a,
                     first - state_a.begin(), bytes_text(state_a), bytes_text(state_b));
}

std::string error_text(const SuccessorBatch& batch, const RuntimeError& error) {
  return fmt::format("{} \"{}\" at {}:{}:{} by {}", runtime_error_name(error.kind), error.message, error.place.file,
                     error.place.line, error.place.column, path_text(batch.path(error)));
}

std::string flags_text(bool blocked, bool invalid_end, bool endless_atomic, bool holder_released) {
  return fmt::format("blocked {} invalid_end {} endless_atomic {} holder_released {}", blocked, invalid_end,
                     endless_atomic, holder_released);
}

class CheckedGenerator final : public SuccessorGenerator {
 public:
  CheckedGenerator(std::unique_ptr<SuccessorGenerator> subject, std::unique_ptr<SuccessorGenerator> reference,
                   std::function<void(const std::string&)> report, Compared compared)
      : subject_(std::move(subject)),
        reference_(std::move(reference)),
        report_(std::move(report)),
        compares_touches_(compared == Compared::kTouches) {}

  void initial(SuccessorBatch& out) override {
    expected_.clear();
    subject_->initial(out);
    reference_->initial(expected_);
    begin("initial state", {});
    compare(out);
  }

  void successors(ByteView state, SuccessorBatch& out) override {
    expected_.clear();
    subject_->successors(state, out);
    reference_->successors(state, expected_);
    begin("state", state);
    compare(out);
  }

  bool process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace,
                          SuccessorBatch& out) override {
    expected_.clear();
    TouchTrace* const second = copy(trace);
    const bool moves = subject_->process_successors(state, pid, timeout, trace, out);
    const bool expected = reference_->process_successors(state, pid, timeout, second, expected_);
    begin("process in state", state);
    compare(out);
    compare_touches(trace);
    if (moves != expected) tell(fmt::format("process {} moves: {}, expected {}", pid, moves, expected));
    return moves;
  }

  // Edges one by one are compared when they are together (BatchExpander::check_steps).
  bool executable_edges(ByteView state, uint8_t pid, bool timeout, std::vector<uint32_t>& edges) override {
    if (!subject_->executable_edges(state, pid, timeout, edges)) return false;
    expected_.clear();
    const bool expected = reference_->process_successors(state, pid, timeout, nullptr, expected_);
    begin("edges in state", state);
    if (edges.empty() == expected)
      tell(fmt::format("process {} has {} edges, moves: {}", pid, edges.size(), expected));
    return true;
  }
  bool edge_successors(ByteView state, uint8_t pid, bool timeout, uint32_t edge, TouchTrace* trace,
                       SuccessorBatch& out) override {
    return subject_->edge_successors(state, pid, timeout, edge, trace, out);
  }

  void claim_moves(ByteView state, bool timeout, TouchTrace* trace, SuccessorBatch& out) override {
    expected_.clear();
    TouchTrace* const second = copy(trace);
    subject_->claim_moves(state, timeout, trace, out);
    reference_->claim_moves(state, timeout, second, expected_);
    begin("claim in state", state);
    compare(out);
    compare_touches(trace);
  }

  void watch(EdgeTrace* trace) override { subject_->watch(trace); }
  void resume(SuccessorBatch& out) override {
    subject_->resume(out);
    compare(out);
  }

  // What is made of halves is compared by those who join them (checker/search/engine/stage.h).
  [[nodiscard]] bool has_halves() const override { return subject_->has_halves(); }
  void half(ByteView state, uint8_t pid, bool timeout, const RendezvousMessage* message, TouchTrace* trace,
            Half& out) override {
    subject_->half(state, pid, timeout, message, trace, out);
  }

 private:
  void begin(const char* what, ByteView state) {
    what_ = what;
    state_.assign(state.begin(), state.end());
    comparison_.emplace(expected_);
  }

  void compare(const SuccessorBatch& out) {
    const std::string difference = comparison_->add(out);
    if (!difference.empty()) tell(difference);
  }

  // The trace for the reference: what it knows already is what the subject's knew.
  TouchTrace* copy(const TouchTrace* trace) {
    if (trace == nullptr || !compares_touches_) return nullptr;
    trace_.reset();
    return &trace_.emplace(*trace);
  }

  void compare_touches(const TouchTrace* trace) {
    if (trace == nullptr || !compares_touches_) return;
    const std::span<const ComponentId> touched = trace->touched();
    const std::span<const ComponentId> expected = trace_->touched();
    const auto [one, other] = std::ranges::mismatch(touched, expected);
    if (one == touched.end() && other == expected.end()) return;
    const auto name = [](const auto& at, const auto& all) {
      return at == all.end() ? std::string("nothing") : fmt::format("component {}", *at);
    };
    tell(fmt::format("touch {}: {}, expected {}", one - touched.begin(), name(one, touched), name(other, expected)));
  }

  void tell(const std::string& difference) {
    const std::string text = fmt::format("{} {}: {}", what_, bytes_text(state_), difference);
    if (report_) {
      report_(text);
      return;
    }
    std::fprintf(stderr, "generators differ: %s\n", text.c_str());
    CHECK(!"the generators agree");
  }

  std::unique_ptr<SuccessorGenerator> subject_;
  std::unique_ptr<SuccessorGenerator> reference_;
  std::function<void(const std::string&)> report_;
  const bool compares_touches_;
  std::optional<TouchTrace> trace_;  // of the reference
  SuccessorBatch expected_;
  std::optional<BatchComparison> comparison_;  // with expected_
  const char* what_ = "";
  Bytes state_;
};

}  // namespace

std::string BatchComparison::add(const SuccessorBatch& portion) {
  std::string difference = compare_entries(portion);
  if (difference.empty()) difference = compare_errors(portion);
  endless_atomic_ |= portion.endless_atomic;
  holder_released_ |= portion.holder_released;
  blocked_ |= portion.blocked;
  invalid_end_ |= portion.invalid_end;
  const bool done = !portion.more && !portion.stopped && !expected_.stopped;
  return difference.empty() && done ? compare_end() : difference;
}

std::string BatchComparison::compare_entries(const SuccessorBatch& portion) {
  for (const SuccessorBatch::Entry& entry : portion.entries) {
    if (entries_ == expected_.entries.size()) {
      if (expected_.stopped) return "";
      return fmt::format("more than {} successors: {}", entries_, path_text(portion.path(entry)));
    }
    std::string difference = entry_difference(portion, entry, expected_, expected_.entries[entries_], entries_);
    if (!difference.empty()) return difference;
    ++entries_;
  }
  return "";
}

std::string BatchComparison::compare_errors(const SuccessorBatch& portion) {
  for (const RuntimeError& error : portion.errors) {
    const std::string got = error_text(portion, error);
    if (errors_ == expected_.errors.size()) {
      if (expected_.stopped) return "";
      return fmt::format("more than {} errors: {}", errors_, got);
    }
    const std::string expected = error_text(expected_, expected_.errors[errors_]);
    if (got != expected) return fmt::format("error {}: {}, expected {}", errors_, got, expected);
    ++errors_;
  }
  return "";
}

std::string BatchComparison::compare_end() const {
  if (entries_ < expected_.entries.size()) {
    return fmt::format("{} successors, expected {}; missing is {}", entries_, expected_.entries.size(),
                       path_text(expected_.path(expected_.entries[entries_])));
  }
  if (errors_ < expected_.errors.size()) {
    return fmt::format("{} errors, expected {}; missing is {}", errors_, expected_.errors.size(),
                       error_text(expected_, expected_.errors[errors_]));
  }
  const std::string got = flags_text(blocked_, invalid_end_, endless_atomic_, holder_released_);
  const std::string expected =
      flags_text(expected_.blocked, expected_.invalid_end, expected_.endless_atomic, expected_.holder_released);
  return got == expected ? "" : fmt::format("flags {}, expected {}", got, expected);
}

std::string describe_difference(const SuccessorBatch& subject, const SuccessorBatch& reference) {
  return BatchComparison(reference).add(subject);
}

std::unique_ptr<SuccessorGenerator> make_checked_generator(std::unique_ptr<SuccessorGenerator> subject,
                                                           std::unique_ptr<SuccessorGenerator> reference,
                                                           std::function<void(const std::string&)> report,
                                                           Compared compared) {
  return std::make_unique<CheckedGenerator>(std::move(subject), std::move(reference), std::move(report), compared);
}

}  // namespace cmc
