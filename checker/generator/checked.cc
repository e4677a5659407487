#include "checker/generator/checked.h"

#include <algorithm>
#include <cstdio>
#include <span>

#include <fmt/format.h>

#include "base/check.h"

namespace cmc {

namespace {

std::string step_text(const Step& step) {
  std::string text = fmt::format("pid {} at {} edge {}", step.pid, step.location, step.edge);
  if (step.partner != kNoProcess) {
    text += fmt::format(" with pid {} at {} edge {}", step.partner, step.partner_location, step.partner_edge);
  }
  return step.timeout ? text + " (timeout)" : text;
}

std::string path_text(const SuccessorBatch& batch, uint32_t begin, uint32_t count) {
  std::string text;
  for (uint32_t i = begin; i < begin + count; ++i) text += (i > begin ? "; " : "") + step_text(batch.steps[i]);
  return "[" + text + "]";
}

std::string bytes_text(ByteView bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

bool same_entry(const SuccessorBatch& subject, const SuccessorBatch::Entry& a, const SuccessorBatch& reference,
                const SuccessorBatch::Entry& b) {
  const auto steps_a = std::span(subject.steps).subspan(a.path_begin, a.path_count);
  const auto steps_b = std::span(reference.steps).subspan(b.path_begin, b.path_count);
  return std::ranges::equal(steps_a, steps_b) && std::ranges::equal(subject.state(a), reference.state(b));
}

// Empty if the two do not differ.
std::string entry_difference(const SuccessorBatch& subject, const SuccessorBatch& reference, size_t i) {
  const SuccessorBatch::Entry& a = subject.entries[i];
  const SuccessorBatch::Entry& b = reference.entries[i];
  if (same_entry(subject, a, reference, b)) return "";
  const std::string path_a = path_text(subject, a.path_begin, a.path_count);
  const std::string path_b = path_text(reference, b.path_begin, b.path_count);
  if (path_a != path_b) return fmt::format("successor {}: steps {}, expected {}", i, path_a, path_b);
  const ByteView state_a = subject.state(a);
  const ByteView state_b = reference.state(b);
  if (state_a.size() != state_b.size()) {
    return fmt::format("successor {} by {}: {} bytes, expected {}", i, path_a, state_a.size(), state_b.size());
  }
  const auto [first, second] = std::ranges::mismatch(state_a, state_b);
  return fmt::format("successor {} by {}: differs at byte {}\n  got      {}\n  expected {}", i, path_a,
                     first - state_a.begin(), bytes_text(state_a), bytes_text(state_b));
}

std::string error_text(const SuccessorBatch& batch, const RuntimeError& error) {
  return fmt::format("{} \"{}\" at {}:{}:{} by {}", runtime_error_name(error.kind), error.message, error.place.file,
                     error.place.line, error.place.column, path_text(batch, error.path_begin, error.path_count));
}

std::string flags_text(const SuccessorBatch& batch) {
  return fmt::format("blocked {} invalid_end {} endless_atomic {} holder_released {}", batch.blocked,
                     batch.invalid_end, batch.endless_atomic, batch.holder_released);
}

class CheckedGenerator final : public SuccessorGenerator {
 public:
  CheckedGenerator(std::unique_ptr<SuccessorGenerator> subject, std::unique_ptr<SuccessorGenerator> reference,
                   std::function<void(const std::string&)> report)
      : subject_(std::move(subject)), reference_(std::move(reference)), report_(std::move(report)) {}

  void initial(SuccessorBatch& out) override {
    expected_.clear();
    subject_->initial(out);
    reference_->initial(expected_);
    compare(out, "initial state");
  }

  void successors(ByteView state, SuccessorBatch& out) override {
    expected_.clear();
    subject_->successors(state, out);
    reference_->successors(state, expected_);
    compare(out, "state", state);
  }

  bool process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace,
                          SuccessorBatch& out) override {
    expected_.clear();
    const bool moves = subject_->process_successors(state, pid, timeout, trace, out);
    const bool expected = reference_->process_successors(state, pid, timeout, nullptr, expected_);
    compare(out, "process in state", state);
    CHECK(moves == expected);
    return moves;
  }

 private:
  void compare(const SuccessorBatch& out, const char* what, ByteView state = {}) {
    const std::string difference = describe_difference(out, expected_);
    if (difference.empty()) return;
    const std::string text = fmt::format("{} {}: {}", what, bytes_text(state), difference);
    if (report_) {
      report_(text);
      return;
    }
    std::fprintf(stderr, "generators differ: %s\n", text.c_str());
    CHECK(difference.empty());
  }

  std::unique_ptr<SuccessorGenerator> subject_;
  std::unique_ptr<SuccessorGenerator> reference_;
  std::function<void(const std::string&)> report_;
  SuccessorBatch expected_;
};

}  // namespace

std::string describe_difference(const SuccessorBatch& subject, const SuccessorBatch& reference) {
  const size_t entries = std::min(subject.entries.size(), reference.entries.size());
  for (size_t i = 0; i < entries; ++i) {
    const std::string difference = entry_difference(subject, reference, i);
    if (!difference.empty()) return difference;
  }
  if (subject.entries.size() != reference.entries.size()) {
    const bool missing = subject.entries.size() < reference.entries.size();
    const SuccessorBatch& longer = missing ? reference : subject;
    const SuccessorBatch::Entry& entry = longer.entries[entries];
    return fmt::format("{} successors, expected {}; {} is {}", subject.entries.size(), reference.entries.size(),
                       missing ? "missing" : "too many", path_text(longer, entry.path_begin, entry.path_count));
  }
  const size_t errors = std::min(subject.errors.size(), reference.errors.size());
  for (size_t i = 0; i < errors; ++i) {
    const std::string got = error_text(subject, subject.errors[i]);
    const std::string expected = error_text(reference, reference.errors[i]);
    if (got != expected) return fmt::format("error {}: {}, expected {}", i, got, expected);
  }
  if (subject.errors.size() != reference.errors.size()) {
    const bool missing = subject.errors.size() < reference.errors.size();
    const SuccessorBatch& longer = missing ? reference : subject;
    return fmt::format("{} errors, expected {}; {} is {}", subject.errors.size(), reference.errors.size(),
                       missing ? "missing" : "too many", error_text(longer, longer.errors[errors]));
  }
  const std::string got = flags_text(subject);
  const std::string expected = flags_text(reference);
  return got == expected ? "" : fmt::format("flags {}, expected {}", got, expected);
}

std::unique_ptr<SuccessorGenerator> make_checked_generator(std::unique_ptr<SuccessorGenerator> subject,
                                                           std::unique_ptr<SuccessorGenerator> reference,
                                                           std::function<void(const std::string&)> report) {
  return std::make_unique<CheckedGenerator>(std::move(subject), std::move(reference), std::move(report));
}

}  // namespace cmc
