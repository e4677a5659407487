#include "checker/program/runner.h"

#include <cstring>

#include <fmt/format.h>

#include "base/check.h"
#include "ir/print.h"

namespace cmc::program {
namespace {

std::string error_text(const Model& model, const RuntimeError& error) {
  return place_text(model, error.place, "", ": ") + error.message;
}

}  // namespace

Runner::Runner(const Model& model, std::unique_ptr<SuccessorGenerator> generator)
    : model_(model), generator_(std::move(generator)) {}

Status Runner::start() {
  batch_.clear();
  generator_->initial(batch_);
  if (!batch_.errors.empty()) return Error{error_text(model_, batch_.errors.front())};
  const ByteView initial = batch_.state(batch_.entries.front());
  state_.assign(initial.begin(), initial.end());
  return Success{};
}

Result<uint64_t> Runner::run(bool timeout) {
  uint64_t steps = 0;
  for (; steps < kMostSteps; ++steps) {
    const Outcome outcome = step(timeout);
    if (outcome == Outcome::kBlocked) return steps;
    if (outcome == Outcome::kError) return Error{error_text(model_, batch_.errors.front())};
    timeout = false;
  }
  return Error{fmt::format("the program took {} steps without waiting for anything", steps)};
}

Runner::Outcome Runner::step(bool timeout) {
  const uint8_t holder = load<uint8_t>(state_.data() + model_.atomic_holder_offset());
  if (holder != kNoProcess) {
    const Outcome outcome = step_of(holder, false);
    if (outcome != Outcome::kBlocked) return outcome;
  }
  const uint8_t count = load<uint8_t>(state_.data() + model_.process_count_offset());
  // `timeout` is 1 only in a state in which nothing else can be done.
  for (const bool waits : {false, true}) {
    if (waits && !timeout) break;
    for (uint32_t pid = count; pid-- > 0;) {
      const Outcome outcome = step_of(static_cast<uint8_t>(pid), waits);
      if (outcome != Outcome::kBlocked) return outcome;
    }
  }
  return Outcome::kBlocked;
}

Runner::Outcome Runner::step_of(uint8_t pid, bool timeout) {
  batch_.clear();
  generator_->process_successors(state_, pid, timeout, nullptr, batch_);
  if (!batch_.errors.empty()) return Outcome::kError;
  if (batch_.entries.empty()) return Outcome::kBlocked;
  const SuccessorBatch::Entry& entry = batch_.entries.front();
  if (entry.offset == 0) {
    batch_.bytes.resize(entry.size);
    state_.swap(batch_.bytes);
  } else {
    const ByteView next = batch_.state(entry);
    state_.assign(next.begin(), next.end());
  }
  return Outcome::kStep;
}

uint32_t Runner::length(uint32_t channel) const { return load<uint16_t>(contents(channel)); }

std::span<const std::byte> Runner::front(uint32_t channel) const {
  DCHECK(length(channel) > 0);
  return {contents(channel) + kChannelHeaderBytes, type_of(channel).message_bytes};
}

void Runner::pop(uint32_t channel) {
  const uint32_t count = length(channel);
  DCHECK(count > 0);
  const size_t bytes = type_of(channel).message_bytes;
  std::byte* const first = contents(channel) + kChannelHeaderBytes;
  std::memmove(first, first + bytes, bytes * (count - 1));
  std::memset(first + bytes * (count - 1), 0, bytes);
  store(contents(channel), static_cast<uint16_t>(count - 1));
}

std::span<std::byte> Runner::push(uint32_t channel) {
  const uint32_t count = length(channel);
  DCHECK(count < type_of(channel).capacity);
  store(contents(channel), static_cast<uint16_t>(count + 1));
  const size_t bytes = type_of(channel).message_bytes;
  return {contents(channel) + kChannelHeaderBytes + bytes * count, bytes};
}

}  // namespace cmc::program
