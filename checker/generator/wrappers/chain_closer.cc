#include "checker/generator/wrappers/chain_closer.h"

#include <algorithm>
#include <utility>

#include "ir/scratch.h"

namespace cmc {

namespace {

constexpr uint64_t kFollowedPerQuestion = 1024;  // states, between two calls of SuccessorLimits::should_stop

bool same_edges(const Step& a, const Step& b) {
  return a.pid == b.pid && a.location == b.location && a.edge == b.edge && a.partner == b.partner &&
         a.partner_location == b.partner_location && a.partner_edge == b.partner_edge;
}

// What a step of a process may have so that paths from there are followed, if they may end anywhere.
constexpr size_t kMostEntries = 256;
constexpr size_t kMostSteps = 4096;

}  // namespace

ChainCloser::ChainCloser(std::unique_ptr<SuccessorGenerator> inner, const Model& model)
    : inner_(std::move(inner)), model_(model), ignored_bytes_(ignored_bytes(model)), path_(ignored_bytes_) {}

ChainCloser::~ChainCloser() = default;

void ChainCloser::successors(ByteView state, SuccessorBatch& out) {
  processes_left_ = 0;
  ask_inner(out, [&] { inner_->successors(state, out); });
  if (out.more) return begin_by_process(state, out);
  if (closed(out)) return;
  begin(out, nullptr);
  follow(out);
}

bool ChainCloser::process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace,
                                     SuccessorBatch& out) {
  processes_left_ = 0;
  return add_process(state, pid, timeout, trace, out);
}

bool ChainCloser::add_process(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace, SuccessorBatch& out) {
  bool moves = false;
  ask_inner(out, [&] { moves = inner_->process_successors(state, pid, timeout, trace, out); });
  passes_on_ = out.more;
  if (out.more || closed(out)) return moves;
  begin(out, trace);
  follow(out);
  return moves;
}

// What the inner generator hands out in portions is not followed: it is asked again about every state on the way, and
// cannot be while it has more to hand out. So only portions that do not depend on the caller's limits tell what is
// handed out.
template <class Ask>
void ChainCloser::ask_inner(SuccessorBatch& out, Ask&& ask) {
  pending_.clear();
  passes_on_ = false;
  const SuccessorLimits limits = out.limits;
  out.limits.most_entries = may_end_anywhere() ? kMostEntries : SIZE_MAX;
  out.limits.most_steps = may_end_anywhere() ? kMostSteps : SIZE_MAX;
  ask();
  out.limits = limits;
}

bool ChainCloser::edge_successors(ByteView state, uint8_t pid, bool timeout, uint32_t edge, TouchTrace* trace,
                                  SuccessorBatch& out) {
  return inner_->edge_successors(state, pid, timeout, edge, trace, out) && closed(out);
}

void ChainCloser::resume(SuccessorBatch& out) {
  if (passes_on_) {
    inner_->resume(out);
    passes_on_ = out.more;
  } else {
    follow(out);
  }
  const auto has_something = [&] { return !out.entries.empty() || !out.errors.empty() || !out.steps.empty(); };
  while (processes_left_ > 0 && !out.more && !out.stopped && !has_something()) {
    add_process(by_process_.state, static_cast<uint8_t>(--processes_left_), by_process_.timeout, nullptr, out);
    out.holder_released = by_process_.holder_released;
  }
  out.more = out.more || processes_left_ > 0;
}

// The inner generator has handed out the first successors of a state that has many.
void ChainCloser::begin_by_process(ByteView state, SuccessorBatch& out) {
  by_process_.state.assign(state.begin(), state.end());
  by_process_.timeout = !out.steps.empty() && out.steps.front().timeout;
  by_process_.holder_released = out.holder_released;
  std::byte* const holder = by_process_.state.data() + model_.atomic_holder_offset();
  if (load<uint8_t>(holder) != kNoProcess && !out.holder_released) {  // they are all of one process
    passes_on_ = true;
    return;
  }
  store(holder, kNoProcess);
  processes_left_ = load<uint8_t>(by_process_.state.data() + model_.process_count_offset());
  out.clear();
  resume(out);
}

bool ChainCloser::closed(const SuccessorBatch& batch) {
  movers_.clear();
  for (const SuccessorBatch::Entry& entry : batch.entries) {
    find_movers(batch.state(entry), batch.path(entry), movers_);
  }
  return movers_.empty();
}

// Takes over what the inner generator has made first.
void ChainCloser::begin(SuccessorBatch& out, TouchTrace* trace) {
  std::swap(out, batch_);
  out.clear();
  out.limits = batch_.limits;
  out.holder_released = batch_.holder_released;
  out.long_atomic = batch_.long_atomic;
  out.stopped = batch_.stopped;
  trace_ = trace;
  trial_.on = false;
  path_.clear();
  path_steps_.clear();
  path_step_counts_.clear();
  cut_steps_.clear();
  steps_known_cut_ = 0;
  process_ = kNoProcess;
  pending_.clear();
  pending_bytes_.shrink(0);
  pending_steps_.clear();
  add_errors(batch_, out);
  add_endless(batch_, out);
  push_entries(batch_, 0);
}

void ChainCloser::follow(SuccessorBatch& out) {
  while (!pending_.empty()) {
    if (limits_reached(in_trial(), out)) return;
    follow_next(out);
    if (out.stopped) return;
  }
}

// A trial can take back what it has added to the batch, so no portion ends in the middle of it.
bool ChainCloser::limits_reached(bool in_trial, SuccessorBatch& out) {
  const SuccessorLimits& limits = out.limits;
  const bool full = out.entries.size() >= limits.most_entries || out.steps.size() >= limits.most_steps;
  if (full && !in_trial) {
    out.more = true;
    return true;
  }
  if (limits.should_stop != nullptr && followed_ % kFollowedPerQuestion == kFollowedPerQuestion - 1) {
    out.stopped = (*limits.should_stop)();
  }
  return out.stopped;
}

void ChainCloser::follow_next(SuccessorBatch& out) {
  trial_.on = in_trial();
  if (trial_.on && ++trial_.followed > kMostLocal) return end_path_here(out);
  const Pending item = pending_.back();
  pending_.pop_back();
  DCHECK(item.depth <= path_.size() && path_.size() == path_step_counts_.size());
  DCHECK(pending_.size() + 1 == pending_bytes_.size());
  DCHECK(item.step_begin + item.step_count == pending_steps_.size());
  shrink_path(item.depth);
  const size_t steps_before = path_steps_.size();
  path_steps_.resize(steps_before + item.step_count);
  for (size_t i = path_steps_.size(); i-- > steps_before; pending_steps_.pop_back())
    path_steps_[i] = pending_steps_.back();
  if (item.depth == 0) {
    const auto own = std::ranges::find(path_steps_, false, &Step::inside_rendezvous);
    if (own != path_steps_.end()) begin_process(own->pid);
  }
  bool goes_on = reach(pending_bytes_.top(), out);
  pending_bytes_.shrink(pending_.size());
  while (goes_on && go_on(out)) {
    if (out.stopped || limits_reached(trial_.on, out)) return push_entries(batch_, path_.size());
    if (trial_.on && ++trial_.followed > kMostLocal) return end_path_here(out);
    const SuccessorBatch::Entry& only = batch_.entries.front();
    const std::span<const Step> steps = batch_.path(only);
    path_steps_.insert(path_steps_.end(), steps.begin(), steps.end());
    goes_on = reach(batch_.state(only), out);
  }
}

// The state at the end of path_steps_, behind those on the path. False: the path ends there, or goes on from there
// already.
bool ChainCloser::reach(ByteView state, SuccessorBatch& out) {
  ++followed_;
  movers_.clear();
  const size_t first_steps = path_step_counts_.empty() ? path_steps_.size() : path_step_counts_.front();
  find_movers(state, std::span(path_steps_).first(first_steps), movers_);
  if (movers_.empty()) hand_out(state, out);
  if (movers_.empty() || !enter(state, out)) return false;
  path_step_counts_.push_back(path_steps_.size());
  DCHECK(path_.size() == path_step_counts_.size());
  return true;
}

// Leaves the first `depth` states on the path.
void ChainCloser::shrink_path(size_t depth) {
  path_.shrink(depth);
  path_step_counts_.resize(depth);
  path_steps_.resize(depth == 0 ? 0 : path_step_counts_.back());
  steps_known_cut_ = std::min(steps_known_cut_, path_steps_.size());
}

// Puts a state with movers on the path. False: it is not to be followed.
bool ChainCloser::enter(ByteView state, SuccessorBatch& out) {
  StateStack& path = path_;
  const bool too_long = may_end_anywhere() ? path.size() >= kMostLocal : !remembers_ && path.size() >= kMaxChain;
  if (too_long || !path.push_new(state)) {
    if (may_end_anywhere()) {
      hand_out(state, out);
    } else if (too_long) {
      out.long_atomic = true;
    } else {
      cut({}, out);
    }
    return false;
  }
  remembers_ = remembers_ || (cyclic_ && followed_ >= kMostFollowed);
  if ((may_end_anywhere() || remembers_) && !is_first_visit(state)) {
    keep_path({}, false, out);
    path.shrink(path.size() - 1);
    return false;
  }
  return true;
}

// A path begins with a step of this process. Paths of different processes are not merged, so that the successors of a
// state are those of its processes, one after the other.
void ChainCloser::begin_process(uint8_t pid) {
  if (pid == process_) return;
  process_ = pid;
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

// From the state on top of the path, which has movers. True: there is one successor, in batch_; several wait, if
// there are.
bool ChainCloser::go_on(SuccessorBatch& out) {
  for (const uint8_t mover : movers_) {
    batch_.clear();
    batch_.limits = {.should_stop = out.limits.should_stop};
    if (may_end_anywhere()) {
      batch_.limits.most_entries = kMostChoices + 1;
      batch_.limits.most_steps = kMostLocal;
    }
    const bool moves = inner_->process_successors(path_.top(), mover, false, trace_, batch_);
    out.stopped = batch_.stopped;
    if (!moves) {
      add_errors(batch_, out);  // of what it offers
      continue;
    }
    if (batch_.more) {
      end_path_here(out);
      return false;
    }
    if (batch_.entries.size() > 1 && may_end_anywhere()) {
      if (!trial_.on) begin_trial(out);
      trial_.choices += batch_.entries.size() - 1;
      if (trial_.choices > kMostChoices) {
        end_path_here(out);
        return false;
      }
    }
    out.long_atomic |= batch_.long_atomic;
    add_errors(batch_, out);
    add_endless(batch_, out);
    if (batch_.entries.size() == 1) return true;
    push_entries(batch_, path_.size());
    return false;
  }
  hand_out(path_.top(), out);
  return false;
}

bool ChainCloser::in_trial() const { return trial_.on && pending_.size() > trial_.pending; }

// The state on top of the path has a choice.
void ChainCloser::begin_trial(const SuccessorBatch& out) {
  trial_ = {.on = true,
            .depth = path_.size(),
            .pending = pending_.size(),
            .pending_steps = pending_steps_.size(),
            .remembered = remembered_.size(),
            .cut_steps = cut_steps_.size(),
            .cyclic = cyclic_,
            .entries = out.entries.size(),
            .bytes = out.bytes.size(),
            .steps = out.steps.size(),
            .errors = out.errors.size(),
            .endless_paths = out.endless_paths.size(),
            .endless_atomic = out.endless_atomic,
            .long_atomic = out.long_atomic};
}

// The path ends with the state on top of it, or, in a trial, with the state with the choice: nothing behind that was
// handed out.
void ChainCloser::end_path_here(SuccessorBatch& out) {
  const Trial& trial = trial_;
  if (trial.on) {
    shrink_path(trial.depth);
    pending_.resize(trial.pending);
    pending_bytes_.shrink(trial.pending);
    pending_steps_.resize(trial.pending_steps);
    remembered_.shrink(trial.remembered);
    cut_steps_.resize(trial.cut_steps);
    cyclic_ = trial.cyclic;
    out.entries.resize(trial.entries);
    out.bytes.resize(trial.bytes);
    out.steps.resize(trial.steps);
    out.errors.resize(trial.errors);
    out.endless_paths.resize(trial.endless_paths);
    out.endless_atomic = trial.endless_atomic;
    out.long_atomic = trial.long_atomic;
    trial_.on = false;
  }
  hand_out(path_.top(), out);
}

// In reverse, so that the first comes out first.
void ChainCloser::push_entries(const SuccessorBatch& batch, size_t depth) {
  for (size_t i = batch.entries.size(); i-- > 0;) {
    const SuccessorBatch::Entry& entry = batch.entries[i];
    const ByteView state = batch.state(entry);
    pending_.push_back({pending_steps_.size(), entry.path_count, depth});
    pending_bytes_.push(state);
    for (const Step& step : batch.path(entry)) pending_steps_.push_back(step);
  }
}

void ChainCloser::add_errors(SuccessorBatch& batch, SuccessorBatch& out) const {
  for (RuntimeError& error : batch.errors) {
    DCHECK(error.path_begin + error.path_count <= batch.steps.size());
    const uint32_t begin = static_cast<uint32_t>(out.steps.size());
    const std::span<const Step> last = batch.path(error);
    out.steps.insert(out.steps.end(), path_steps_.begin(), path_steps_.end());
    out.steps.insert(out.steps.end(), last.begin(), last.end());
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

// The path that ends with path_steps_ and these steps is not handed out, but its statements are executed. Such
// paths can be as many as states, and as long as there are states on the path, so that one is only kept if it has a
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
