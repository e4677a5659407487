#include "checker/search/exploration.h"

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "base/check.h"
#include "ir/effects.h"

namespace cmc {

namespace {

// A check reads the clock.
constexpr uint64_t kTransitionsPerCheck = 1024;

}  // namespace

Exploration::Exploration(SuccessorGenerator& generator, const Model& model, const SearchOptions& options,
                         SearchObserver* observer)
    : generator_(generator),
      model_(model),
      control_(model, options, observer),
      set_(model.hidden_bytes),
      coverage_(model),
      hidden_is_read_(model.hidden_bytes > 0 && reads_hidden_variable(model)) {}

SearchResult Exploration::run() {
  try {
    insert_initial();
    if (set_.size() > 0 && may_continue()) {
      expanding_ = true;
      explore();
    }
  } catch (const std::bad_alloc&) {
    control_.stop_for_lack_of_memory(set_.size());
  }
  if (hidden_merged_ && hidden_is_read_) {
    control_.add_reason(
        "hidden",
        "states that differ in hidden variables only were taken as equal, but the model reads hidden variables, "
        "so behaviour may have been missed");
  }
  control_.result().locations = coverage_.reached();
  SearchStatistics& statistics = control_.result().statistics;
  statistics.collected = true;
  for (size_t size = 0; size < size_counts_.size(); ++size) {
    if (size_counts_[size] > 0) statistics.state_sizes[static_cast<uint32_t>(size)] = size_counts_[size];
  }
  return control_.finish(set_.size(), transitions_);
}

void Exploration::insert_initial() {
  batch_.clear();
  generator_.initial(batch_);
  report_batch_errors();
  if (batch_.entries.empty()) {
    CHECK(!batch_.errors.empty());
    return;
  }
  const ByteView state = batch_.state(batch_.entries.front());
  control_.result().state_bytes_max = state.size();
  set_.insert(state);
}

std::span<const Exploration::Successor> Exploration::expand(Id id) {
  const ByteView state = set_.get(id);
  batch_.clear();
  generator_.successors(state, batch_);
  if (set_.size() + batch_.entries.size() > StateSet::kMaxSize) {
    control_.stop("states", fmt::format("the set of states is full: it holds at most {} states", StateSet::kMaxSize));
    return {};
  }
  coverage_.enter(state);
  insert_batch();
  count_batch();
  if (batch_.endless_atomic) ++control_.result().endless_atomic;
  if (batch_.long_atomic) control_.add_reason("atomic", kLongAtomicReason);
  if (!batch_.errors.empty() || batch_.invalid_end) report_batch_errors();
  return successors_;
}

// In three passes, so that the memory accesses of all successors overlap.
void Exploration::insert_batch() {
  const size_t count = batch_.entries.size();
  hashes_.resize(count);
  successors_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    hashes_[i] = set_.hash(batch_.state(batch_.entries[i]));
    set_.prefetch_slot(hashes_[i]);
  }
  mark_reached();
  if (count > 1) {
    for (size_t i = 0; i < count; ++i) set_.prefetch_candidate(hashes_[i]);
  }
  for (size_t i = 0; i < count; ++i) {
    const ByteView state = batch_.state(batch_.entries[i]);
    const StateSet::Inserted inserted = set_.insert(state, hashes_[i]);
    successors_[i].id = inserted.id;
    successors_[i].is_new = inserted.is_new;
    hidden_merged_ |= inserted.hidden_differs;
    if (inserted.is_new && state.size() > control_.result().state_bytes_max) {
      control_.result().state_bytes_max = state.size();
    }
  }
}

// All or nothing: only the resizing can fail, for lack of memory.
void Exploration::count_batch() {
  size_t largest = 0;
  for (const SuccessorBatch::Entry& entry : batch_.entries) largest = std::max<size_t>(largest, entry.size);
  if (largest >= size_counts_.size()) size_counts_.resize(largest + 1);
  for (const SuccessorBatch::Entry& entry : batch_.entries) ++size_counts_[entry.size];
  transitions_ += batch_.entries.size();
  SearchStatistics& statistics = control_.result().statistics;
  if (batch_.entries.empty()) ++statistics.dead_ends;
  if (batch_.entries.size() == 1) ++statistics.single_successor;
}

// Also computes the successors' costs, since it looks at all their steps anyway.
void Exploration::mark_reached() {
  for (size_t i = 0; i < batch_.entries.size(); ++i) {
    const SuccessorBatch::Entry& entry = batch_.entries[i];
    const std::span<const Step> steps = std::span(batch_.steps).subspan(entry.path_begin, entry.path_count);
    successors_[i].entry = static_cast<uint32_t>(i);
    successors_[i].cost = control_.cost_of(steps);
    if (steps.size() == 1) {
      coverage_.mark(steps.front());
    } else {
      coverage_.mark_sequence(steps, SequenceEnd::kCompleted);
    }
  }
  coverage_.mark_endless(batch_);
}

void Exploration::report_batch_errors() {
  coverage_.mark_errors(batch_);
  control_.report_errors(batch_, expanding_ ? depth() : 0, [&] { return path_to_expanded_state(); });
}

// The set keeps states, not steps: they are generated again, for the few states on the path.
std::vector<Step> Exploration::path_to_expanded_state() {
  if (!expanding_) return {};
  std::vector<Bytes> states;
  for (const Id id : ancestry()) {
    const ByteView state = set_.get(id);
    states.emplace_back(state.begin(), state.end());
  }
  return steps_along(generator_, states, 0);
}

void Exploration::check_limits() {
  next_check_transitions_ = transitions_ + kTransitionsPerCheck;
  SearchControl::Usage usage;
  usage.states = set_.size();
  usage.transitions = transitions_;
  usage.depth = depth();
  usage.open_states = open_states();
  usage.memory_bytes = set_.memory_bytes() + memory_bytes();
  usage.reserve_bytes = set_.growth_bytes(control_.result().state_bytes_max);
  control_.check(usage);
}

}  // namespace cmc
