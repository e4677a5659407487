#pragma once

#include "base/bytes.h"
#include "checker/keys/step_computer.h"

// What tests of looked-up steps share.

namespace cmc::test {

constexpr unsigned kWords = 16;
// Bytes for remembered steps: for all of them, and so few that they are forgotten again and again.
constexpr uint64_t kRoomy = uint64_t{64} << 20;
constexpr uint64_t kTight = 40'000;

class Nobody final : public StepObserver {
  void on_steps(ByteView, const SuccessorBatch&) override {}
  void on_part() override {}
  bool should_stop() override { return false; }
};

inline Bytes copy(ByteView view) { return {view.begin(), view.end()}; }

}  // namespace cmc::test
