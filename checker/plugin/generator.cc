#include "checker/plugin/generator.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "checker/generator/state_index.h"
#include "checker/generator/touch_trace.h"

namespace cmc::plugin {
namespace {

// The expansion that the plug-in is given, and what its callbacks need.
struct Call {
  CmcExpansion expansion{};
  SuccessorBatch* out = nullptr;
  TouchTrace* trace = nullptr;
  const StateIndex* index = nullptr;
  bool touched = false;
};

Call& call_of(CmcExpansion* expansion) { return *reinterpret_cast<Call*>(expansion); }

uint8_t* begin_successor(CmcExpansion* expansion) {
  SuccessorBatch& out = *call_of(expansion).out;
  SuccessorBatch::Entry& entry = out.entries.emplace_back();
  entry.offset = static_cast<uint32_t>(out.bytes.size());
  entry.size = expansion->size;
  const auto* const state = reinterpret_cast<const std::byte*>(expansion->state);
  out.bytes.insert(out.bytes.end(), state, state + expansion->size);
  return reinterpret_cast<uint8_t*>(out.bytes.data() + entry.offset);
}

void note_touch(CmcExpansion* expansion, uint32_t offset) {
  Call& call = call_of(expansion);
  call.touched = true;
  if (call.trace == nullptr || offset >= expansion->size) return;
  const auto* const state = reinterpret_cast<const std::byte*>(expansion->state);
  call.trace->touch(*call.index, state, state + offset);
}

class PluginGenerator final : public SuccessorGenerator {
 public:
  PluginGenerator(const Model& model, std::shared_ptr<const Library> plugin, std::unique_ptr<SuccessorGenerator> own,
                  Checks checks)
      : model_(model), plugin_(std::move(plugin)), own_(std::move(own)), checks_(std::move(checks)) {
    prepare_index(model, index_);
  }

  void initial(SuccessorBatch& out) override { own_->initial(out); }

  void successors(ByteView state, SuccessorBatch& out) override {
    const uint8_t count = load<uint8_t>(state.data() + model_.process_count_offset());
    for (uint32_t pid = 0; pid < count; ++pid) {
      for (const bool timeout : {false, true}) {
        if (timeout && !model_.uses_timeout) continue;
        answer_.clear();
        expected_.clear();
        const int moves = ask_plugin(state, static_cast<uint8_t>(pid), timeout, nullptr, answer_);
        if (moves == CMC_PLUGIN_ASK) continue;
        const bool expected = own_->process_successors(state, static_cast<uint8_t>(pid), timeout, nullptr, expected_);
        compare(state, static_cast<uint8_t>(pid), timeout, moves == CMC_PLUGIN_MOVES, expected);
      }
    }
    own_->successors(state, out);
  }

  bool process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace,
                          SuccessorBatch& out) override {
    asks_own_ = checks_.all;
    const int moves = ask_plugin(state, pid, timeout, trace, checks_.all ? answer_ : out);
    if (moves == CMC_PLUGIN_ASK) {
      asks_own_ = true;
      discard(out);
      return own_->process_successors(state, pid, timeout, trace, out);
    }
    if (!checks_.all) return moves == CMC_PLUGIN_MOVES;
    const SuccessorLimits limits = out.limits;
    out.limits = {};
    const bool expected = own_->process_successors(state, pid, timeout, nullptr, out);
    out.limits = limits;
    std::swap(out, expected_);
    compare(state, pid, timeout, moves == CMC_PLUGIN_MOVES, expected);
    std::swap(out, expected_);
    return expected;
  }

  void resume(SuccessorBatch& out) override {
    CHECK(asks_own_);
    own_->resume(out);
  }

 private:
  int ask_plugin(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace, SuccessorBatch& out) {
    discard(out);
    build_index(model_, state.data(), index_);
    Call call;
    call.expansion.state = reinterpret_cast<const uint8_t*>(state.data());
    call.expansion.size = static_cast<uint32_t>(state.size());
    call.expansion.process_count = index_.process_count;
    call.expansion.frames = index_.frames;
    call.expansion.pid = pid;
    call.expansion.timeout = timeout ? 1 : 0;
    call.expansion.successor = begin_successor;
    call.expansion.touch = note_touch;
    call.out = &out;
    call.trace = trace;
    call.index = &index_;
    const int answer = plugin_->process_successors(call.expansion);
    if (answer < CMC_PLUGIN_BLOCKED || answer > CMC_PLUGIN_ASK) {
      checks_.report(fmt::format("the plug-in answered {} about process {}", answer, pid));
    }
    // What CMC is asked for depends on what its own generator touches.
    if (answer != CMC_PLUGIN_ASK && trace != nullptr && !call.touched) touch_all(state, *trace);
    return answer;
  }
  // What the plug-in left in a batch that begins anew.
  static void discard(SuccessorBatch& out) {
    const SuccessorLimits limits = out.limits;
    out.clear();
    out.limits = limits;
  }
  void touch_all(ByteView state, TouchTrace& trace) const {
    for (uint32_t at = 0; at < index_.frames[0]; ++at) trace.touch(index_, state.data(), state.data() + at);
    for (uint32_t pid = 0; pid < index_.process_count; ++pid) trace.touch_whole_frame(pid, index_.types[pid]);
  }
  // answer_ with expected_.
  void compare(ByteView state, uint8_t pid, bool timeout, bool moves, bool expected) const {
    const size_t count = answer_.entries.size();
    std::string difference;
    if (!expected_.errors.empty()) {
      difference = "it overlooked an error of the model: " + expected_.errors.front().message;
    } else if (moves != expected) {
      difference = fmt::format("it says that the process can{} move", moves ? "" : "not");
    } else if (count != expected_.entries.size()) {
      difference = fmt::format("it has {} successors, CMC {}", count, expected_.entries.size());
    }
    const auto hidden = static_cast<ptrdiff_t>(model_.hidden_bytes);
    for (size_t i = 0; difference.empty() && i < count; ++i) {
      const ByteView ours = expected_.state(expected_.entries[i]);
      const ByteView theirs = answer_.state(answer_.entries[i]);
      const auto [at, _] = std::mismatch(theirs.begin() + hidden, theirs.end(), ours.begin() + hidden, ours.end());
      if (at != theirs.end() || theirs.size() != ours.size()) {
        difference = fmt::format("successor {} differs at byte {}", i, at - theirs.begin());
      }
    }
    if (difference.empty()) return;
    const uint32_t frame = index_.frames[pid];
    const Proctype& proctype = model_.proctypes[index_.types[pid]];
    std::string bytes;
    for (const std::byte byte : state) bytes += fmt::format("{:02x}", static_cast<unsigned>(byte));
    checks_.report(fmt::format("the plug-in is wrong about process {} ({} at location {}{}): {}\n  state: {}", pid,
                               proctype.name, load<LocationId>(state.data() + frame + kFrameLocation),
                               timeout ? ", timeout" : "", difference, bytes));
  }

  const Model& model_;
  const std::shared_ptr<const Library> plugin_;
  const std::unique_ptr<SuccessorGenerator> own_;
  const Checks checks_;
  StateIndex index_;
  SuccessorBatch answer_;
  SuccessorBatch expected_;
  bool asks_own_ = false;
};

}  // namespace

std::string obstacle(const Model& model) {
  if (model.claim.exists() || model.trace.exists()) return "a never claim, formula or trace observes it";
  if (model.uses_last) return "it reads _last";
  if (model.uses_priority) return "it uses priorities";
  if (!model.guards.empty()) return "it has guards for a solver";
  return "";
}

std::unique_ptr<SuccessorGenerator> make_plugin_generator(const Model& model, std::shared_ptr<const Library> plugin,
                                                          std::unique_ptr<SuccessorGenerator> own, Checks checks) {
  return std::make_unique<PluginGenerator>(model, std::move(plugin), std::move(own), std::move(checks));
}

}  // namespace cmc::plugin
