#include "checker/trace/state_dump.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "checker/generator/wrappers/state_stack.h"
#include "checker/trace/trace_printer.h"
#include "ir/state_printer.h"

namespace cmc {
namespace {

constexpr size_t kBytesOfLine = 16;

bool differs(const Bytes& state, const Bytes& before, size_t at) {
  return at >= before.size() || state[at] != before[at];
}

// Bytes that are not as in `before`, and those by which that is longer.
size_t difference(const Bytes& state, const Bytes& before) {
  size_t count = before.size() > state.size() ? before.size() - state.size() : 0;
  for (size_t i = 0; i < state.size(); ++i) count += differs(state, before, i) ? 1 : 0;
  return count;
}

std::string hex_lines(const Bytes& state, const Bytes* before) {
  std::string text;
  for (size_t begin = 0; begin < state.size(); begin += kBytesOfLine) {
    std::string line = fmt::format("  {:04x} ", begin);
    for (size_t i = begin; i < std::min(begin + kBytesOfLine, state.size()); ++i) {
      const bool marked = before != nullptr && differs(state, *before, i);
      line += fmt::format(" {:02x}{}", std::to_integer<unsigned>(state[i]), marked ? '*' : ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

// Of the states that were shown: what makes them compress well.
class Summary {
 public:
  void add(const Bytes& state, const Bytes& before) {
    bytes_ += state.size();
    zeroes_ += static_cast<uint64_t>(std::ranges::count(state, std::byte{0}));
    changed_ += states_ == 0 ? 0 : difference(state, before);
    ++states_;
  }
  [[nodiscard]] std::string text() const {
    std::string text =
        fmt::format("{} bytes in {} states, {:.1f} % of them 0", bytes_, states_,
                    100.0 * static_cast<double>(zeroes_) / static_cast<double>(std::max<uint64_t>(1, bytes_)));
    if (states_ < 2) return text + '\n';
    return text + fmt::format("; on average a state differs from the one before in {:.1f} bytes\n",
                              static_cast<double>(changed_) / static_cast<double>(states_ - 1));
  }

 private:
  uint64_t states_ = 0;
  uint64_t bytes_ = 0;
  uint64_t zeroes_ = 0;
  uint64_t changed_ = 0;
};

// Shows states as they are found, breadth first; states that differ in hidden variables only are one.
class Dump {
 public:
  Dump(const Model& model, SuccessorGenerator& generator, uint64_t most, Limits& limits,
       const std::function<bool(std::string_view)>& write)
      : model_(model),
        generator_(generator),
        most_(most),
        limits_(limits),
        write_(write),
        known_(model.hidden_bytes),
        should_stop_([this] { return limits_.reached(); }) {
    batch_.limits = {kPortion, SIZE_MAX, &should_stop_};
  }

  void run() {
    generator_.initial(batch_);
    bool more = show_new();
    for (size_t next = 0; more && next < known_.size(); ++next) {
      state_.assign(known_.at(next).begin(), known_.at(next).end());
      batch_.clear();
      generator_.successors(state_, batch_);
      more = show_new();
      while (more && batch_.more) {
        batch_.clear();
        generator_.resume(batch_);
        more = show_new();
      }
    }
    std::string end = '\n' + summary_.text();
    if (!limits_.reason().empty()) end += fmt::format("these are not all states: {}\n", limits_.reason());
    static_cast<void>(write_(end));
  }

 private:
  static constexpr size_t kPortion = 1024;  // successors at a time

  // Those of the batch. False: that was the last one.
  bool show_new() {
    if (limits_.reached(known_.growth_bytes(batch_.entries.size()))) return false;
    for (const SuccessorBatch::Entry& entry : batch_.entries) {
      if (known_.size() == most_) return false;
      const ByteView state = batch_.state(entry);
      if (known_.push_new(state) && !show({state.begin(), state.end()})) return false;
    }
    return known_.size() < most_ && !batch_.stopped;
  }
  bool show(Bytes state) {
    std::string text = fmt::format("\nstate {}, {} bytes\n", known_.size() - 1, state.size());
    text += hex_lines(state, known_.size() == 1 ? nullptr : &before_);
    text += state_text(model_, decode_state(model_, state), 2);
    summary_.add(state, before_);
    before_ = std::move(state);
    return write_(text) && !limits_.reached();
  }

  const Model& model_;
  SuccessorGenerator& generator_;
  const uint64_t most_;
  Limits& limits_;
  const std::function<bool(std::string_view)>& write_;
  StateStack known_;  // in the order in which they were found
  const std::function<bool()> should_stop_;
  SuccessorBatch batch_;
  Bytes state_;
  Bytes before_;  // the last one that was shown
  Summary summary_;
};

}  // namespace

void dump_states(const Model& model, SuccessorGenerator& generator, uint64_t most_states, const std::string& title,
                 Limits& limits, const std::function<bool(std::string_view)>& write) {
  const std::string head =
      fmt::format("{}: states, breadth first; * marks bytes that are not as in the state before\n", printable(title));
  if (write(head)) Dump(model, generator, most_states, limits, write).run();
}

}  // namespace cmc
