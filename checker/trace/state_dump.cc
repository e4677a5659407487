#include "checker/trace/state_dump.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "checker/trace/trace_printer.h"
#include "ir/state_printer.h"

namespace cmc {
namespace {

constexpr size_t kBytesOfLine = 16;

// Breadth first; states that differ in hidden variables only are one.
std::vector<Bytes> first_states(const Model& model, SuccessorGenerator& generator, uint64_t most) {
  std::vector<Bytes> states;
  std::set<Bytes> known;
  SuccessorBatch batch;
  const auto keep_new = [&] {
    for (const SuccessorBatch::Entry& entry : batch.entries) {
      if (states.size() == most) return;
      const ByteView state = batch.state(entry);
      const ByteView identity = state.subspan(model.hidden_bytes);
      if (known.emplace(identity.begin(), identity.end()).second) states.emplace_back(state.begin(), state.end());
    }
  };
  generator.initial(batch);
  keep_new();
  for (size_t next = 0; next < states.size() && states.size() < most; ++next) {
    const Bytes state = states[next];
    batch.clear();
    generator.successors(state, batch);
    keep_new();
  }
  return states;
}

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

std::string summary(const std::vector<Bytes>& states) {
  uint64_t bytes = 0;
  uint64_t zeroes = 0;
  uint64_t changed = 0;
  for (size_t i = 0; i < states.size(); ++i) {
    bytes += states[i].size();
    zeroes += static_cast<uint64_t>(std::ranges::count(states[i], std::byte{0}));
    changed += i == 0 ? 0 : difference(states[i], states[i - 1]);
  }
  std::string text =
      fmt::format("{} bytes in {} states, {:.1f} % of them 0", bytes, states.size(),
                  100.0 * static_cast<double>(zeroes) / static_cast<double>(std::max<uint64_t>(1, bytes)));
  if (states.size() < 2) return text + '\n';
  return text + fmt::format("; on average a state differs from the one before in {:.1f} bytes\n",
                            static_cast<double>(changed) / static_cast<double>(states.size() - 1));
}

}  // namespace

std::string dump_states(const Model& model, SuccessorGenerator& generator, uint64_t most_states,
                        const std::string& title) {
  const std::vector<Bytes> states = first_states(model, generator, most_states);
  std::string text = fmt::format("{}: {} states, breadth first; * marks bytes that are not as in the state before\n",
                                 printable(title), states.size());
  for (size_t i = 0; i < states.size(); ++i) {
    text += fmt::format("\nstate {}, {} bytes\n", i, states[i].size());
    text += hex_lines(states[i], i == 0 ? nullptr : &states[i - 1]);
    text += state_text(model, decode_state(model, states[i]), 2);
  }
  return text + '\n' + summary(states);
}

}  // namespace cmc
