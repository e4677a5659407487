#include "checker/generator/spin_steps.h"

#include <algorithm>
#include <unordered_map>

#include "checker/base/hash.h"

namespace cmc {

namespace {

// The states inside the atomic sequence that is being followed, as a stack that can be searched. Most sequences have
// a few states: those are compared one after the other; the tail of a long one is in a table.
class StatePath {
 public:
  [[nodiscard]] size_t size() const { return nodes_.size(); }
  [[nodiscard]] ByteView top() const { return bytes_of(nodes_.back()); }

  // False if the state is on the path already.
  bool push_new(ByteView state) {
    const Node node{hash_bytes(state), bytes_.size(), state.size()};
    if (contains(node.hash, state)) return false;
    if (nodes_.size() >= kLinear) tail_.emplace(node.hash, nodes_.size());
    bytes_.insert(bytes_.end(), state.begin(), state.end());
    nodes_.push_back(node);
    return true;
  }

  void shrink(size_t size) {
    while (nodes_.size() > size) {
      const size_t last = nodes_.size() - 1;
      if (last >= kLinear) {
        const auto [begin, end] = tail_.equal_range(nodes_[last].hash);
        tail_.erase(std::find_if(begin, end, [&](const auto& entry) { return entry.second == last; }));
      }
      bytes_.resize(nodes_[last].offset);
      nodes_.pop_back();
    }
  }

 private:
  static constexpr size_t kLinear = 32;
  struct Node {
    uint64_t hash;
    size_t offset;
    size_t size;
  };
  [[nodiscard]] bool contains(uint64_t hash, ByteView state) const {
    const size_t linear = std::min(nodes_.size(), kLinear);
    for (size_t i = 0; i < linear; ++i) {
      if (nodes_[i].hash == hash && std::ranges::equal(bytes_of(nodes_[i]), state)) return true;
    }
    if (tail_.empty()) return false;
    const auto [begin, end] = tail_.equal_range(hash);
    return std::any_of(begin, end, [&](const auto& entry) {
      return std::ranges::equal(bytes_of(nodes_[entry.second]), state);
    });
  }
  [[nodiscard]] ByteView bytes_of(const Node& node) const { return ByteView(bytes_).subspan(node.offset, node.size); }

  std::vector<Node> nodes_;
  Bytes bytes_;
  std::unordered_multimap<uint64_t, size_t> tail_;
};

class AtomicChains final : public SuccessorGenerator {
 public:
  AtomicChains(std::unique_ptr<SuccessorGenerator> inner, const Model& model)
      : inner_(std::move(inner)), holder_offset_(model.atomic_holder_offset()) {}

  void initial(SuccessorBatch& out) override { inner_->initial(out); }

  void successors(ByteView state, SuccessorBatch& out) override {
    inner_->successors(state, out);
    if (!closed(out)) follow(out, nullptr);
  }

  bool process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace, SuccessorBatch& out) override {
    const bool moves = inner_->process_successors(state, pid, timeout, trace, out);
    if (!closed(out)) follow(out, trace);
    return moves;
  }

 private:
  // A state still to be looked at, `depth` atomic states deep; its bytes and last steps lie at the ends of
  // pending_bytes_ and pending_steps_ once it is on top.
  struct Pending {
    size_t offset;
    size_t size;
    size_t step_begin;
    size_t step_count;
    size_t depth;
  };

  [[nodiscard]] bool closed(const SuccessorBatch& batch) const {
    return std::ranges::none_of(batch.entries,
                                [&](const SuccessorBatch::Entry& entry) { return held(batch.state(entry)); });
  }
  [[nodiscard]] bool held(ByteView state) const { return load<uint8_t>(state.data() + holder_offset_) != kNoProcess; }

  void follow(SuccessorBatch& out, TouchTrace* trace);
  void push_entries(const SuccessorBatch& batch, size_t depth);
  void add_errors(SuccessorBatch& batch, SuccessorBatch& out) const;
  void hand_out(ByteView state, SuccessorBatch& out) const;

  std::unique_ptr<SuccessorGenerator> inner_;
  uint32_t holder_offset_;
  SuccessorBatch batch_;
  std::vector<Pending> pending_;
  Bytes pending_bytes_;
  std::vector<Step> pending_steps_;
  StatePath path_;
  std::vector<Step> path_steps_;         // from the expanded state to the current one
  std::vector<size_t> path_step_counts_;  // how many of them lead up to each state of path_, inclusive
};

void AtomicChains::follow(SuccessorBatch& out, TouchTrace* trace) {
  std::swap(out, batch_);
  out.clear();
  out.holder_released = batch_.holder_released;
  out.endless_atomic = batch_.endless_atomic;
  path_.shrink(0);
  path_steps_.clear();
  path_step_counts_.clear();
  add_errors(batch_, out);
  push_entries(batch_, 0);
  while (!pending_.empty()) {
    const Pending item = pending_.back();
    pending_.pop_back();
    path_.shrink(item.depth);
    path_step_counts_.resize(item.depth);
    path_steps_.resize(item.depth == 0 ? 0 : path_step_counts_.back());
    const auto first_step = pending_steps_.begin() + static_cast<ptrdiff_t>(item.step_begin);
    path_steps_.insert(path_steps_.end(), first_step, first_step + static_cast<ptrdiff_t>(item.step_count));
    pending_steps_.resize(item.step_begin);
    const ByteView state = ByteView(pending_bytes_).subspan(item.offset, item.size);
    if (!held(state)) {
      hand_out(state, out);
      pending_bytes_.resize(item.offset);
      continue;
    }
    const bool too_long = path_.size() >= kMaxAtomicSteps;
    const bool goes_on = !too_long && path_.push_new(state);
    pending_bytes_.resize(item.offset);
    if (!goes_on) {
      (too_long ? out.long_atomic : out.endless_atomic) = true;
      continue;
    }
    path_step_counts_.push_back(path_steps_.size());
    batch_.clear();
    const uint8_t holder = load<uint8_t>(path_.top().data() + holder_offset_);
    if (inner_->process_successors(path_.top(), holder, false, trace, batch_)) {
      add_errors(batch_, out);
      push_entries(batch_, path_.size());
    } else {
      hand_out(path_.top(), out);
    }
  }
}

// In reverse, so that the first comes out first.
void AtomicChains::push_entries(const SuccessorBatch& batch, size_t depth) {
  for (size_t i = batch.entries.size(); i-- > 0;) {
    const SuccessorBatch::Entry& entry = batch.entries[i];
    const ByteView state = batch.state(entry);
    pending_.push_back({pending_bytes_.size(), state.size(), pending_steps_.size(), entry.path_count, depth});
    pending_bytes_.insert(pending_bytes_.end(), state.begin(), state.end());
    const auto first_step = batch.steps.begin() + static_cast<ptrdiff_t>(entry.path_begin);
    pending_steps_.insert(pending_steps_.end(), first_step, first_step + static_cast<ptrdiff_t>(entry.path_count));
  }
}

void AtomicChains::add_errors(SuccessorBatch& batch, SuccessorBatch& out) const {
  for (RuntimeError& error : batch.errors) {
    const uint32_t begin = static_cast<uint32_t>(out.steps.size());
    const auto first_step = batch.steps.begin() + static_cast<ptrdiff_t>(error.path_begin);
    out.steps.insert(out.steps.end(), path_steps_.begin(), path_steps_.end());
    out.steps.insert(out.steps.end(), first_step, first_step + static_cast<ptrdiff_t>(error.path_count));
    error.path_begin = begin;
    error.path_count = static_cast<uint32_t>(out.steps.size()) - begin;
    out.errors.push_back(std::move(error));
  }
}

// Hands out a state with nobody in possession of atomicity, at the end of path_steps_.
void AtomicChains::hand_out(ByteView state, SuccessorBatch& out) const {
  SuccessorBatch::Entry& entry = out.entries.emplace_back();
  entry.offset = static_cast<uint32_t>(out.bytes.size());
  entry.size = static_cast<uint32_t>(state.size());
  entry.path_begin = static_cast<uint32_t>(out.steps.size());
  entry.path_count = static_cast<uint32_t>(path_steps_.size());
  out.bytes.insert(out.bytes.end(), state.begin(), state.end());
  store(out.bytes.data() + entry.offset + holder_offset_, kNoProcess);
  out.steps.insert(out.steps.end(), path_steps_.begin(), path_steps_.end());
}

}  // namespace

std::unique_ptr<SuccessorGenerator> close_atomic_chains(std::unique_ptr<SuccessorGenerator> generator,
                                                        const Model& model) {
  return std::make_unique<AtomicChains>(std::move(generator), model);
}

}  // namespace cmc
