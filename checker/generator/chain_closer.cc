#include "checker/generator/chain_closer.h"

#include <algorithm>
#include <utility>

#include "ir/effects.h"

namespace cmc {

namespace {

constexpr uint64_t kFollowedPerQuestion = 1024;  // states, between two calls of SuccessorLimits::should_stop

bool same_edges(const Step& a, const Step& b) {
  return a.pid == b.pid && a.location == b.location && a.edge == b.edge && a.partner == b.partner &&
         a.partner_location == b.partner_location && a.partner_edge == b.partner_edge;
}

// An inner generator that closes paths itself does not stop between portions, because it is asked again about every
// state on the way. Returns the limits before.
SuccessorLimits without_portions(SuccessorBatch& batch) {
  const SuccessorLimits before = batch.limits;
  batch.limits.most_entries = batch.limits.most_steps = SIZE_MAX;
  return before;
}

}  // namespace

ChainCloser::ChainCloser(std::unique_ptr<SuccessorGenerator> inner, const Model& model)
    : inner_(std::move(inner)),
      ignored_bytes_(reads_hidden_variable(model) ? 0 : model.hidden_bytes),
      path_(ignored_bytes_) {}

ChainCloser::~ChainCloser() = default;

void ChainCloser::successors(ByteView state, SuccessorBatch& out) {
  const SuccessorLimits limits = without_portions(out);
  inner_->successors(state, out);
  out.limits = limits;
  if (closed(out)) return;
  begin(out, nullptr);
  follow(out);
}

bool ChainCloser::process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace,
                                     SuccessorBatch& out) {
  const SuccessorLimits limits = without_portions(out);
  const bool moves = inner_->process_successors(state, pid, timeout, trace, out);
  out.limits = limits;
  if (closed(out)) return moves;
  begin(out, trace);
  follow(out);
  return moves;
}

bool ChainCloser::edge_successors(ByteView state, uint8_t pid, bool timeout, uint32_t edge, TouchTrace* trace,
                                  SuccessorBatch& out) {
  return inner_->edge_successors(state, pid, timeout, edge, trace, out) && closed(out);
}

void ChainCloser::resume(SuccessorBatch& out) { follow(out); }

bool ChainCloser::closed(const SuccessorBatch& batch) {
  movers_.clear();
  for (const SuccessorBatch::Entry& entry : batch.entries) {
    find_movers(batch.state(entry), std::span(batch.steps).subspan(entry.path_begin, entry.path_count), movers_);
  }
  return movers_.empty();
}

// Takes what the inner generator has made over to pending_.
void ChainCloser::begin(SuccessorBatch& out, TouchTrace* trace) {
  std::swap(out, batch_);
  out.clear();
  out.limits = without_portions(batch_);
  out.holder_released = batch_.holder_released;
  out.long_atomic = batch_.long_atomic;
  out.stopped = batch_.stopped;
  trace_ = trace;
  path_.clear();
  path_steps_.clear();
  path_step_counts_.clear();
  cut_steps_.clear();
  steps_known_cut_ = 0;
  process_ = kNoProcess;
  pending_.clear();
  pending_bytes_.clear();
  pending_steps_.clear();
  add_errors(batch_, out);
  add_endless(batch_, out);
  push_entries(batch_, 0);
}

void ChainCloser::follow(SuccessorBatch& out) {
  while (!pending_.empty()) {
    if (limits_reached(out)) return;
    follow_next(out);
    if (out.stopped) return;
  }
}

bool ChainCloser::limits_reached(SuccessorBatch& out) {
  if (out.entries.size() >= out.limits.most_entries || out.steps.size() >= out.limits.most_steps) {
    out.more = true;
    return true;
  }
  if (out.limits.should_stop != nullptr && followed_ % kFollowedPerQuestion == kFollowedPerQuestion - 1) {
    out.stopped = (*out.limits.should_stop)();
  }
  return out.stopped;
}

void ChainCloser::follow_next(SuccessorBatch& out) {
  const Pending item = pending_.back();
  pending_.pop_back();
  DCHECK(item.depth <= path_.size() && path_.size() == path_step_counts_.size());
  DCHECK(item.offset + item.size == pending_bytes_.size());
  DCHECK(item.step_begin + item.step_count == pending_steps_.size());
  path_.shrink(item.depth);
  path_step_counts_.resize(item.depth);
  path_steps_.resize(item.depth == 0 ? 0 : path_step_counts_.back());
  steps_known_cut_ = std::min(steps_known_cut_, path_steps_.size());
  const auto first_step = pending_steps_.begin() + static_cast<ptrdiff_t>(item.step_begin);
  if (item.depth == 0) begin_process(std::span(first_step, item.step_count));
  path_steps_.insert(path_steps_.end(), first_step, first_step + static_cast<ptrdiff_t>(item.step_count));
  pending_steps_.resize(item.step_begin);
  ++followed_;
  const ByteView state = ByteView(pending_bytes_).subspan(item.offset, item.size);
  movers_.clear();
  find_movers(state, path_steps_, movers_);
  if (movers_.empty()) hand_out(state, out);
  const bool goes_on = !movers_.empty() && enter(state, item.depth, out);
  pending_bytes_.resize(item.offset);
  if (!goes_on) return;
  path_step_counts_.push_back(path_steps_.size());
  DCHECK(path_.size() == path_step_counts_.size());
  go_on(out);
}

// Puts a state with movers on the path. False: it is not to be followed.
bool ChainCloser::enter(ByteView state, size_t depth, SuccessorBatch& out) {
  const bool too_long = !remembers_ && (path_.size() >= kMaxChain || remembered_.size() >= kMaxChain);
  if (too_long || !path_.push_new(state)) {
    if (hands_out_cycles()) {
      hand_out(state, out);
    } else if (too_long) {
      out.long_atomic = true;
    } else {
      cut({}, out);
    }
    return false;
  }
  remembers_ = remembers_ || (cyclic_ && followed_ >= kMostFollowed);
  if ((hands_out_cycles() || remembers_) && !is_first_visit(state)) {
    keep_path({}, false, out);
    path_.shrink(depth);
    return false;
  }
  return true;
}

// A path begins with these steps. Paths of different processes are not merged, so that the successors of a state are
// those of its processes, one after the other.
void ChainCloser::begin_process(std::span<const Step> steps) {
  const auto own = std::ranges::find_if(steps, [](const Step& step) { return !step.inside_rendezvous; });
  if (own == steps.end() || own->pid == process_) return;
  process_ = own->pid;
  remembered_.clear();
  followed_ = 0;
  cyclic_ = remembers_ = false;
}

// Whether the state, with these movers, is followed for the first time.
bool ChainCloser::is_first_visit(ByteView state) {
  scratch_.assign(state.begin() + static_cast<ptrdiff_t>(ignored_bytes_), state.end());
  for (const uint8_t mover : movers_) scratch_.push_back(std::byte{mover});
  return remembered_.push_new(scratch_);
}

// From the state on top of the path, which has movers.
void ChainCloser::go_on(SuccessorBatch& out) {
  for (const uint8_t mover : movers_) {
    batch_.clear();
    const bool moves = inner_->process_successors(path_.top(), mover, false, trace_, batch_);
    out.stopped = batch_.stopped;
    if (!moves) continue;
    out.long_atomic |= batch_.long_atomic;
    add_errors(batch_, out);
    add_endless(batch_, out);
    push_entries(batch_, path_.size());
    return;
  }
  hand_out(path_.top(), out);
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
    DCHECK(error.path_begin + error.path_count <= batch.steps.size());
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

// Notes that the sequence at the end of path_steps_ and these steps never ends.
void ChainCloser::cut(std::span<const Step> more, SuccessorBatch& out) {
  const bool first = !cyclic_;
  out.endless_atomic = cyclic_ = true;
  keep_path(more, first, out);
}

// The path that ends with path_steps_ and these steps is not handed out, but its statements are executed. Such paths
// can be as many as states, and as long as there are states on the path, so that one is only kept if it has a
// statement of which nobody knows yet, or `always`.
void ChainCloser::keep_path(std::span<const Step> more, bool always, SuccessorBatch& out) {
  bool is_new = always;
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
