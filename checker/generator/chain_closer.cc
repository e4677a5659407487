#include "checker/generator/chain_closer.h"

#include <algorithm>
#include <unordered_map>

#include "base/hash.h"
#include "ir/effects.h"

namespace cmc {

namespace {

bool same_edges(const Step& a, const Step& b) {
  return a.pid == b.pid && a.location == b.location && a.edge == b.edge && a.partner == b.partner &&
         a.partner_location == b.partner_location && a.partner_edge == b.partner_edge;
}

}  // namespace

// The states on the path that is being followed, as a stack that can be searched. Most paths have
// a few states: those are compared one after the other; the tail of a long one is in a table.
class ChainCloser::StatePath {
 public:
  explicit StatePath(size_t ignored_bytes) : ignored_bytes_(ignored_bytes) {}

  [[nodiscard]] size_t size() const { return nodes_.size(); }
  [[nodiscard]] ByteView top() const { return bytes_of(nodes_.back()); }

  // False if the state is on the path already.
  bool push_new(ByteView state) {
    const Node node{hash_bytes(state.subspan(ignored_bytes_)), bytes_.size(), state.size()};
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
    state = state.subspan(ignored_bytes_);
    const size_t linear = std::min(nodes_.size(), kLinear);
    for (size_t i = 0; i < linear; ++i) {
      if (nodes_[i].hash == hash && std::ranges::equal(compared(nodes_[i]), state)) return true;
    }
    if (tail_.empty()) return false;
    const auto [begin, end] = tail_.equal_range(hash);
    return std::any_of(begin, end,
                       [&](const auto& entry) { return std::ranges::equal(compared(nodes_[entry.second]), state); });
  }
  [[nodiscard]] ByteView bytes_of(const Node& node) const { return ByteView(bytes_).subspan(node.offset, node.size); }
  [[nodiscard]] ByteView compared(const Node& node) const { return bytes_of(node).subspan(ignored_bytes_); }

  const size_t ignored_bytes_;
  std::vector<Node> nodes_;
  Bytes bytes_;
  std::unordered_multimap<uint64_t, size_t> tail_;
};

ChainCloser::ChainCloser(std::unique_ptr<SuccessorGenerator> inner, const Model& model)
    : inner_(std::move(inner)),
      ignored_bytes_(reads_hidden_variable(model) ? 0 : model.hidden_bytes),
      path_(std::make_unique<StatePath>(ignored_bytes_)) {}

ChainCloser::~ChainCloser() = default;

void ChainCloser::successors(ByteView state, SuccessorBatch& out) {
  inner_->successors(state, out);
  if (!closed(out)) follow(out, nullptr);
}

bool ChainCloser::process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace,
                                     SuccessorBatch& out) {
  const bool moves = inner_->process_successors(state, pid, timeout, trace, out);
  if (!closed(out)) follow(out, trace);
  return moves;
}

bool ChainCloser::closed(const SuccessorBatch& batch) {
  movers_.clear();
  for (const SuccessorBatch::Entry& entry : batch.entries) {
    find_movers(batch.state(entry), std::span(batch.steps).subspan(entry.path_begin, entry.path_count), movers_);
  }
  return movers_.empty();
}

void ChainCloser::follow(SuccessorBatch& out, TouchTrace* trace) {
  std::swap(out, batch_);
  out.clear();
  out.holder_released = batch_.holder_released;
  out.long_atomic = batch_.long_atomic;
  path_->shrink(0);
  path_steps_.clear();
  path_step_counts_.clear();
  cut_steps_.clear();
  steps_known_cut_ = 0;
  merged_.clear();
  process_ = kNoProcess;
  add_errors(batch_, out);
  add_endless(batch_, out);
  push_entries(batch_, 0);
  while (!pending_.empty()) {
    const Pending item = pending_.back();
    pending_.pop_back();
    path_->shrink(item.depth);
    path_step_counts_.resize(item.depth);
    path_steps_.resize(item.depth == 0 ? 0 : path_step_counts_.back());
    steps_known_cut_ = std::min(steps_known_cut_, path_steps_.size());
    const auto first_step = pending_steps_.begin() + static_cast<ptrdiff_t>(item.step_begin);
    if (item.depth == 0) begin_process(std::span(first_step, item.step_count));
    path_steps_.insert(path_steps_.end(), first_step, first_step + static_cast<ptrdiff_t>(item.step_count));
    pending_steps_.resize(item.step_begin);
    const ByteView state = ByteView(pending_bytes_).subspan(item.offset, item.size);
    movers_.clear();
    find_movers(state, path_steps_, movers_);
    if (movers_.empty()) {
      hand_out(state, out);
      pending_bytes_.resize(item.offset);
      continue;
    }
    const bool too_long = path_->size() >= kMaxChain || merged_.size() >= kMaxChain;
    const bool goes_on = !too_long && path_->push_new(state);
    if (!goes_on) {
      if (hands_out_cycles()) {
        hand_out(state, out);
      } else if (too_long) {
        out.long_atomic = true;
      } else {
        cut({}, out);
      }
    }
    pending_bytes_.resize(item.offset);
    if (!goes_on) continue;
    if (hands_out_cycles() && !is_first_visit()) {
      path_->shrink(item.depth);
      continue;
    }
    path_step_counts_.push_back(path_steps_.size());
    go_on(out, trace);
  }
}

// A path begins with these steps. Paths of different processes are not merged, so that the successors of a state are
// those of its processes, one after the other.
void ChainCloser::begin_process(std::span<const Step> steps) {
  const auto own = std::ranges::find_if(steps, [](const Step& step) { return !step.inside_rendezvous; });
  if (own == steps.end() || own->pid == process_) return;
  process_ = own->pid;
  merged_.clear();
}

// Whether the state on top of the path, with these movers, is followed for the first time.
bool ChainCloser::is_first_visit() {
  const ByteView state = path_->top().subspan(ignored_bytes_);
  std::string key(reinterpret_cast<const char*>(state.data()), state.size());
  key.append(movers_.begin(), movers_.end());
  return merged_.insert(std::move(key)).second;
}

// From the state on top of the path, which has movers.
void ChainCloser::go_on(SuccessorBatch& out, TouchTrace* trace) {
  for (const uint8_t mover : movers_) {
    batch_.clear();
    if (!inner_->process_successors(path_->top(), mover, false, trace, batch_)) continue;
    out.long_atomic |= batch_.long_atomic;
    add_errors(batch_, out);
    add_endless(batch_, out);
    push_entries(batch_, path_->size());
    return;
  }
  hand_out(path_->top(), out);
}

// In reverse, so that the first comes out first.
void ChainCloser::push_entries(const SuccessorBatch& batch, size_t depth) {
  for (size_t i = batch.entries.size(); i-- > 0;) {
    const SuccessorBatch::Entry& entry = batch.entries[i];
    const ByteView state = batch.state(entry);
    pending_.push_back({pending_bytes_.size(), state.size(), pending_steps_.size(), entry.path_count, depth});
    pending_bytes_.insert(pending_bytes_.end(), state.begin(), state.end());
    const auto first_step = batch.steps.begin() + static_cast<ptrdiff_t>(entry.path_begin);
    pending_steps_.insert(pending_steps_.end(), first_step, first_step + static_cast<ptrdiff_t>(entry.path_count));
  }
}

void ChainCloser::add_errors(SuccessorBatch& batch, SuccessorBatch& out) const {
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

void ChainCloser::add_endless(const SuccessorBatch& batch, SuccessorBatch& out) {
  for (const SuccessorBatch::Path& path : batch.endless_paths) {
    cut(std::span(batch.steps).subspan(path.begin, path.count), out);
  }
}

// Notes that the sequence at the end of path_steps_ and these steps never ends. Paths to such places can be as many
// as states, and as long as there are states on the path, so that one is only noted if it has a statement of which
// nobody knows yet.
void ChainCloser::cut(std::span<const Step> more, SuccessorBatch& out) {
  bool is_new = !out.endless_atomic;
  out.endless_atomic = true;
  const auto note = [&](const Step& step) {
    if (std::ranges::any_of(cut_steps_, [&](const Step& known) { return same_edges(known, step); })) return;
    cut_steps_.push_back(step);
    is_new = true;
  };
  std::for_each(path_steps_.begin() + static_cast<ptrdiff_t>(steps_known_cut_), path_steps_.end(), note);
  steps_known_cut_ = path_steps_.size();
  std::ranges::for_each(more, note);
  if (!is_new) return;
  SuccessorBatch::Path& path = out.endless_paths.emplace_back();
  path.begin = static_cast<uint32_t>(out.steps.size());
  path.count = static_cast<uint32_t>(path_steps_.size() + more.size());
  out.steps.insert(out.steps.end(), path_steps_.begin(), path_steps_.end());
  out.steps.insert(out.steps.end(), more.begin(), more.end());
}

// Hands out a state at the end of path_steps_.
void ChainCloser::hand_out(ByteView state, SuccessorBatch& out) {
  SuccessorBatch::Entry& entry = out.entries.emplace_back();
  entry.offset = static_cast<uint32_t>(out.bytes.size());
  entry.size = static_cast<uint32_t>(state.size());
  entry.path_begin = static_cast<uint32_t>(out.steps.size());
  entry.path_count = static_cast<uint32_t>(path_steps_.size());
  out.bytes.insert(out.bytes.end(), state.begin(), state.end());
  finish(out.bytes.data() + entry.offset);
  out.steps.insert(out.steps.end(), path_steps_.begin(), path_steps_.end());
}

}  // namespace cmc
