#include "checker/search/exploration.h"

#include <algorithm>
#include <fmt/format.h>
#include <new>
#include <utility>

#include "checker/base/check.h"
#include "checker/base/memory_budget.h"

namespace cmc {

namespace {

// A check reads the clock; one in 16 reads the memory in use, which takes a microsecond or two.
constexpr uint64_t kTransitionsPerCheck = 1024;
constexpr uint64_t kChecksPerMemoryCheck = 16;
constexpr double kProgressInterval = 0.1;

// Paths are kept until they have that many steps together (12 bytes each); the first error always has its path.
constexpr uint64_t kMaxTrailSteps = uint64_t{4} << 20;

bool same_bytes(ByteView a, ByteView b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

}  // namespace

Exploration::Exploration(SuccessorGenerator& generator, const Model& model, const SearchOptions& options,
                         SearchObserver* observer)
    : generator_(generator),
      model_(model),
      options_(options),
      depth_in_levels_(options.order == SearchOptions::Order::kBreadthFirst),
      observer_(observer),
      clock_(options.clock != nullptr ? *options.clock : system_clock_),
      set_(model.hidden_bytes),
      coverage_(model),
      hidden_is_read_(model.hidden_bytes > 0 && reads_hidden_variable(model)) {}

SearchResult Exploration::run() {
  start_wall_ = clock_.wall_seconds();
  start_cpu_ = clock_.cpu_seconds();
  result_.reasons = undecided_reasons(model_);
  try {
    insert_initial();
    if (set_.size() > 0 && may_continue()) {
      expanding_ = true;
      explore();
    }
  } catch (const std::bad_alloc&) {
    stop("memory", fmt::format("the system gave no more memory after {} states", set_.size()));
  }
  finish();
  return std::move(result_);
}

uint32_t Exploration::cost_of(std::span<const Step> steps) const {
  if (depth_in_levels_) return steps.empty() ? 0 : 1;
  uint32_t cost = 0;
  for (const Step& step : steps) cost += step.partner == kNoProcess ? 1 : 2;
  return cost;
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
  result_.state_bytes_max = state.size();
  set_.insert(state);
}

std::span<const Exploration::Successor> Exploration::expand(Id id) {
  const ByteView state = set_.get(id);
  batch_.clear();
  generator_.successors(state, batch_);
  if (set_.size() + batch_.entries.size() > StateSet::kMaxSize) {
    stop("states", fmt::format("the set of states is full: it holds at most {} states", StateSet::kMaxSize));
    return {};
  }
  coverage_.enter(state);
  insert_batch();
  transitions_ += batch_.entries.size();
  if (batch_.endless_atomic) ++result_.endless_atomic;
  if (batch_.long_atomic && !long_atomic_) {
    add_reason("atomic", "an atomic sequence of more than a million steps was cut");
    long_atomic_ = true;
  }
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
    if (inserted.is_new && state.size() > result_.state_bytes_max) result_.state_bytes_max = state.size();
  }
}

// Also computes the successors' costs, since it looks at all their steps anyway.
void Exploration::mark_reached() {
  for (size_t i = 0; i < batch_.entries.size(); ++i) {
    const SuccessorBatch::Entry& entry = batch_.entries[i];
    const std::span<const Step> steps = std::span(batch_.steps).subspan(entry.path_begin, entry.path_count);
    successors_[i].entry = static_cast<uint32_t>(i);
    successors_[i].cost = cost_of(steps);
    if (steps.size() == 1) {
      coverage_.mark(steps.front());
    } else {
      coverage_.mark_sequence(steps, true);
    }
  }
}

void Exploration::report_batch_errors() {
  for (const RuntimeError& error : batch_.errors) {
    const std::span<const Step> steps = std::span(batch_.steps).subspan(error.path_begin, error.path_count);
    coverage_.mark_sequence(steps, runtime_error_continues(error.kind));
    if (error.kind == RuntimeErrorKind::kEmbeddedC) {
      if (!embedded_c_) add_reason("embedded-c", "the model executes embedded C, which this version does not");
      embedded_c_ = true;
      continue;
    }
    report_error({runtime_error_name(error.kind), error.message, error.place, steps});
    if (stopped_) return;
  }
  if (batch_.invalid_end && options_.check_end_states)
    report_error({"invalid end state", "invalid end state", {}, {}});
}

void Exploration::report_error(const ErrorSite& site) {
  ++result_.error_count;
  if (result_.errors.size() < options_.max_reported_errors) {
    FoundError error{site.kind, site.message, site.place, 0, {}, false};
    error.depth = (expanding_ ? depth() : 0) + cost_of(site.steps);
    if (trails_ < options_.max_trails && (trails_ == 0 || trail_steps_ < kMaxTrailSteps)) {
      if (expanding_) error.path = path_to_expanded_state();
      error.path.insert(error.path.end(), site.steps.begin(), site.steps.end());
      error.has_path = true;
      ++trails_;
      trail_steps_ += error.path.size();
    }
    result_.errors.push_back(std::move(error));
  }
  if (result_.error_count == options_.max_errors) stopped_ = true;
}

// The set keeps states, not steps: they are generated again, for the few states on the path.
std::vector<Step> Exploration::path_to_expanded_state() {
  const std::vector<Id> states = ancestry();
  std::vector<Step> path;
  SuccessorBatch batch;
  for (size_t i = 0; i + 1 < states.size(); ++i) {
    batch.clear();
    generator_.successors(set_.get(states[i]), batch);
    const ByteView next = set_.get(states[i + 1]);
    const auto entry =
        std::find_if(batch.entries.begin(), batch.entries.end(),
                     [&](const SuccessorBatch::Entry& each) { return same_bytes(batch.state(each), next); });
    CHECK(entry != batch.entries.end());
    const auto steps = batch.steps.begin() + entry->path_begin;
    path.insert(path.end(), steps, steps + entry->path_count);
  }
  return path;
}

void Exploration::check_limits() {
  next_check_transitions_ = transitions_ + kTransitionsPerCheck;
  if (options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed)) {
    result_.interrupted = true;
    stop("interrupted", fmt::format("the search was interrupted after {} states", set_.size()));
    return;
  }
  const double elapsed = clock_.wall_seconds() - start_wall_;
  check_time(elapsed);
  if (checks_++ % kChecksPerMemoryCheck == 0 || set_.memory_bytes() >= next_check_bytes_) check_memory();
  if (observer_ != nullptr && elapsed - last_progress_ >= kProgressInterval) show_progress(elapsed);
}

void Exploration::check_time(double elapsed) {
  if (options_.time_limit_seconds <= 0 || elapsed < options_.time_limit_seconds) return;
  stop("time", fmt::format("the time limit of {:g} seconds was reached after {} states", options_.time_limit_seconds,
                           set_.size()));
}

// Stops while there is still room for the largest single growth of the set, so that the limit is not overshot.
void Exploration::check_memory() {
  used_bytes_ = std::max(resident_bytes(), set_.memory_bytes() + memory_bytes());
  const uint64_t reserve = set_.growth_bytes(result_.state_bytes_max);
  const uint64_t limit = options_.memory_limit_bytes;
  if (limit == 0) {
    next_check_bytes_ = ~uint64_t{0};
  } else if (used_bytes_ + reserve > limit) {
    stop("memory",
         fmt::format("the memory limit of {} was reached after {} states", format_size(limit), set_.size()));
  } else {
    next_check_bytes_ = set_.memory_bytes() + (limit - used_bytes_ - reserve) / 4 + 1;
  }
}

void Exploration::show_progress(double elapsed) {
  last_progress_ = elapsed;
  Progress progress;
  progress.states = set_.size();
  progress.transitions = transitions_;
  progress.matched = transitions_ + 1 - set_.size();
  progress.depth = depth();
  progress.open_states = open_states();
  progress.errors = result_.error_count;
  progress.memory_bytes = used_bytes_;
  progress.elapsed_seconds = elapsed;
  observer_->on_progress(progress);
}

void Exploration::add_reason(std::string kind, std::string text) {
  result_.reasons.push_back({std::move(kind), std::move(text)});
}

void Exploration::stop(std::string kind, std::string text) {
  if (stopped_) return;
  stopped_ = true;
  add_reason(std::move(kind), std::move(text));
}

void Exploration::finish() {
  if (hidden_merged_ && hidden_is_read_) {
    add_reason(
        "hidden",
        "states that differ in hidden variables only were taken as equal, but the model reads hidden variables, "
        "so behaviour may have been missed");
  }
  result_.complete = !stopped_;
  result_.states_stored = set_.size();
  result_.transitions = transitions_;
  result_.states_matched = set_.size() == 0 ? 0 : transitions_ + 1 - set_.size();
  result_.locations = coverage_.reached();
  result_.memory_peak_bytes = peak_resident_bytes();
  result_.wall_seconds = clock_.wall_seconds() - start_wall_;
  result_.cpu_seconds = clock_.cpu_seconds() - start_cpu_;
  CHECK(result_.complete || result_.error_count > 0 || !result_.reasons.empty());
}

}  // namespace cmc
