#include "checker/result/control.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/check.h"
#include "base/failed_check.h"
#include "base/files/disk_space.h"
#include "base/process_memory.h"
#include "base/units.h"
#include "checker/checkpoint/checkpoints.h"
#include "checker/result/turn.h"
#include "ir/print.h"
#include "ir/product.h"

namespace cmc {

namespace {

// One check in 16 reads the memory in use, which takes a microsecond or two.
constexpr uint64_t kChecksPerMemoryCheck = 16;
constexpr double kProgressInterval = 0.1;

// Paths are kept until they have that many steps together (16 bytes each); the first error always has its path.
constexpr uint64_t kMaxTrailSteps = uint64_t{4} << 20;

std::string undecided_sentence(const Model& model, const Property& property) {
  std::string sentence = info(property.kind).noun;
  if (!property.name.empty()) sentence += fmt::format(" '{}'", property.name);
  sentence += place_text(model, property.place, " (", ")");
  return sentence + " is not decided by this search";
}

// Whether a search of the model decides it. Progress labels by themselves ask for nothing.
bool is_decided(const Model& model, const SearchOptions& options, const Property& property) {
  using Kind = Property::Kind;
  const bool runs = model.claim.exists() && model.claim.claim == property.claim;
  switch (property.kind) {
    case Kind::kNeverClaim:
    case Kind::kLtl: return runs && (options.find_cycles || !has_accepting_location(model));
    case Kind::kTrace:
    case Kind::kNotrace: return model.trace.exists() && model.trace.claim == property.claim;
    case Kind::kAcceptanceCycle:
      return model.claim.exists() && (options.find_cycles || !has_accepting_location(model));
    case Kind::kNonProgressCycle: return property.claim == kNoClaim || (runs && options.find_cycles);
    case Kind::kEmbeddedC: break;
  }
  return false;
}

bool has_path_of_its_kind(const std::vector<FoundError>& errors, const FoundError& error) {
  return std::ranges::any_of(errors, [&](const FoundError& each) {
    return each.has_path && each.kind == error.kind && each.message == error.message && each.place == error.place;
  });
}

// By the process, or by the search if it knows of more.
uint64_t bytes_in_use(const SearchControl::Usage& usage) { return std::max(resident_bytes(), usage.memory_bytes); }

}  // namespace

bool is_of_observer(const RuntimeError& error, std::span<const Step> steps) {
  if (error.kind == RuntimeErrorKind::kClaimEnd) return true;  // also in the initial state, without a step
  return error.kind == RuntimeErrorKind::kTraceMismatch || error.kind == RuntimeErrorKind::kNotraceMatched ||
         (!steps.empty() && steps.back().pid == kNoProcess);
}

void PathToState::append(std::span<const Step> more) {
  const auto rename = [&](uint8_t& pid) {
    if (pid < pids.size()) pid = pids[pid];
  };
  for (Step step : more) {
    rename(step.pid);
    rename(step.partner);
    steps.push_back(step);
  }
}

SearchControl::SearchControl(const Model& model, const SearchOptions& options, SearchObserver* observer)
    : model_(model),
      options_(options),
      depth_in_levels_(options.order == SearchOptions::Order::kBreadthFirst),
      observer_(observer),
      clock_(options.clock != nullptr ? *options.clock : system_clock_) {
  start_wall_ = clock_.wall_seconds() - options.spent_wall_seconds;
  start_cpu_ = clock_.cpu_seconds() - options.spent_cpu_seconds;
  last_checkpoint_ = clock_.wall_seconds();
  result_.reasons = undecided_reasons(model, options);
}

void SearchControl::add_reason(ReasonKind kind, std::string text) {
  const std::lock_guard lock(reasons_mutex_);
  result_.add_reason({kind, std::move(text)});
}

void SearchControl::add_reason(const RuntimeError& error) {
  const std::string text = place_text(model_, error.place, "", ": ") + error.message;
  switch (error.kind) {
    case RuntimeErrorKind::kUndecidedGuard: return add_reason(ReasonKind::kGuard, text);
    case RuntimeErrorKind::kMoreWitnesses: return add_reason(ReasonKind::kWitnesses, text);
    case RuntimeErrorKind::kEndlessAtomicBlock: return add_reason(ReasonKind::kAtomic, text);
    default:
      return add_reason(ReasonKind::kEmbeddedC, "the model contains embedded C code, which CMC does not execute");
  }
}

// Once for each place.
void SearchControl::add_overflow(const RuntimeError& error) {
  const std::lock_guard lock(mutex_);
  const bool known = std::ranges::any_of(
      result_.overflows, [&](const SearchResult::OverflowNote& note) { return note.place == error.place; });
  if (!known) result_.overflows.push_back({error.place, error.message});
}

void SearchControl::leave_out(const RuntimeError& error) {
  const std::lock_guard lock(mutex_);
  if (result_.process_error) return;
  result_.process_error.emplace();
  result_.process_error->kind = ErrorKind{{}, error.kind};
  result_.process_error->message = error.message;
  result_.process_error->place = error.place;
}

void SearchControl::stop(ReasonKind kind, std::string text) {
  if (stopped_.exchange(true)) return;
  add_reason(kind, std::move(text));
}

void SearchControl::path_is_lost(const std::string& why) {
  path_lost_ = true;
  if (!why.empty()) add_reason(ReasonKind::kStore, "the path to an error is lost: " + why);
}

void SearchControl::start_again() {
  const std::lock_guard lock(mutex_);
  wants_store_ = false;
  if (result_.error_count > error_count_before_) {
    error_count_before_ = result_.error_count;
    errors_before_ = std::move(result_.errors);
  }
  result_.errors.clear();
  result_.error_count = trails_ = trail_steps_ = 0;
}

void SearchControl::start_again_with_disk(uint64_t states) {
  start_again();
  if (observer_ != nullptr) observer_->on_restart(states);
}

void SearchControl::stop_for_lack_of_memory(uint64_t states) {
  if (sets_aside(states)) return;
  stop(ReasonKind::kMemory, fmt::format("the system gave no more memory after {}", plural(states, "state")));
}

uint32_t SearchControl::cost_of(std::span<const Step> steps) const {
  if (depth_in_levels_) return steps.empty() ? 0 : 1;
  uint32_t cost = 0;
  for (const Step& step : steps) cost += step.partner == kNoProcess ? 1 : 2;
  return cost;
}

void SearchControl::report_errors(const SuccessorBatch& batch, uint64_t depth, const PathMaker& path) {
  for (const RuntimeError& error : batch.errors) {
    if (error.kind == RuntimeErrorKind::kOverflowNote) {
      add_overflow(error);
      continue;
    }
    if (is_reason(error.kind)) {
      add_reason(error);
      continue;
    }
    const std::span<const Step> steps = batch.path(error);
    if (options_.only_observers && !is_of_observer(error, steps)) {
      leave_out(error);
      continue;
    }
    report_error({ErrorKind{{}, error.kind}, error.message, error.place, steps}, depth, path);
    if (stopped()) return;
  }
  if (batch.invalid_end && options_.check_end_states) {
    report_error({ErrorKind::invalid_end_state(), kInvalidEndMessage, {}, {}}, depth, path);
  }
}

void SearchControl::report_errors_in_portions(SuccessorGenerator& generator, ByteView state, SuccessorBatch& batch,
                                              uint64_t depth, const PathToState& path) {
  batch.clear();
  generator.successors(state, batch);
  for (;;) {
    report_errors(batch, depth, [&] { return path; });
    if (!batch.more || stopped()) return;
    batch.clear();
    generator.resume(batch);
  }
}

void SearchControl::report_cycle(std::vector<Step> path, size_t loop_start, uint64_t edges) {
  const std::lock_guard lock(mutex_);
  if (stopped_.exchange(true)) return;
  FoundError error;
  error.kind = options_.non_progress ? ErrorKind::non_progress_cycle() : ErrorKind::acceptance_cycle();
  error.message = error_kind_name(error.kind);
  error.depth = depth_in_levels_ ? edges : cost_of(path);
  error.has_path = !path.empty();
  error.path = std::move(path);
  error.loop_start = loop_start;
  result_.errors.push_back(std::move(error));
  ++result_.error_count;
}

void SearchControl::report_error(const ErrorSite& site, uint64_t depth, const PathMaker& path) {
  const std::lock_guard lock(mutex_);
  if (options_.max_errors > 0 && result_.error_count >= options_.max_errors) return;
  // Who wants more errors than there can be paths gets one path for each kind and place, so that a frequent error
  // leaves room for a rare one.
  const bool wants_each = options_.max_trails == SearchOptions::kEachTrail ||
                          (options_.max_errors > 0 && options_.max_errors <= options_.max_trails);
  ++result_.error_count;
  if (result_.errors.size() < options_.max_reported_errors) {
    FoundError error{site.kind, site.message, site.place, 0, {}, false};
    error.depth = depth + cost_of(site.steps);
    const bool has_room = trails_ < options_.max_trails && (trails_ == 0 || trail_steps_ < kMaxTrailSteps);
    if (has_room && (wants_each || !has_path_of_its_kind(result_.errors, error))) {
      path_lost_ = false;
      PathToState whole{std::vector<Step>()};
      const std::string failure = failed_check_in([&] { whole = path(); });
      if (!failure.empty()) {
        path_lost_ = true;
        Reason reason = reason_of_bug("there is no path to an error: " + failure);
        add_reason(reason.kind, std::move(reason.text));
      }
      error.has_path = !path_lost_;
      if (error.has_path) {
        whole.append(site.steps);
        error.path = std::move(whole.steps);
        error.begins_at = whole.begins_at;
        if (!depth_in_levels_) error.depth = cost_of(error.path);
        ++trails_;
        trail_steps_ += error.path.size();
      }
    }
    result_.errors.push_back(std::move(error));
  }
  if (result_.error_count == options_.max_errors) stopped_ = true;
}

void SearchControl::check(const Usage& usage) {
  if (options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed)) {
    result_.interrupted = options_.checkpoints == nullptr;
    reach_limit(ReasonKind::kInterrupted,
                fmt::format("the search was interrupted after {}", plural(usage.states, "state")));
    return;
  }
  const double now = clock_.wall_seconds();
  const double elapsed = now - start_wall_;
  if (options_.time_limit_seconds > 0 && seconds_left(elapsed) <= 0) {
    reach_limit(ReasonKind::kTime,
                fmt::format("the time limit of {} was reached after {}", format_limit(options_.time_limit_seconds),
                            plural(usage.states, "state")));
  }
  if (options_.state_limit > 0 && usage.states >= options_.state_limit) {
    reach_limit(ReasonKind::kLimit, fmt::format("{} were found", plural(usage.states, "state")));
  }
  if (options_.computed_limit > 0 && usage.computed >= options_.computed_limit) {
    reach_limit(ReasonKind::kLimit, fmt::format("{} were computed", plural(usage.computed, "statement")));
  }
  if (options_.turn != nullptr && options_.turn->has_enough(usage.states, usage.computed)) {
    reach_limit(ReasonKind::kLimit, fmt::format("another property is violated, so the search ended after {}; "
                                                "--property makes it go on",
                                                plural(usage.states, "state")));
  }
  check_disk(usage, now);
  if (checkpoint_is_due(now)) wants_checkpoint_ = true;
  if (checks_++ % kChecksPerMemoryCheck == 0 || memory_check_due(usage.memory_bytes)) check_memory(usage);
  if (observer_ != nullptr && elapsed - last_progress_ >= kProgressInterval) show_progress(usage, elapsed);
}

// Workers finish their steps before the search is saved; but a step can take for ever.
void SearchControl::reach_limit(ReasonKind kind, std::string text) {
  const double most_seconds = options_.ranks == nullptr ? 20 : 120;  // until all of them stand still
  if (options_.checkpoints == nullptr) return stop(kind, std::move(text));
  const double now = clock_.wall_seconds();
  if (!limit_) {
    limit_ = Reason{kind, std::move(text)};
    last_checkpoint_ = now;
    wants_checkpoint_ = true;
  } else if (now - last_checkpoint_ > most_seconds) {
    stop(limit_->kind, limit_->text + "; it was not saved, because a step that takes long was in the way");
  }
}

// Checkpoints take a twentieth of the time at the most.
bool SearchControl::checkpoint_is_due(double now) {
  constexpr double kLeastShare = 20;
  if (options_.checkpoints == nullptr) return false;
  const Checkpoints::Timing& timing = options_.checkpoints->timing;
  if (timing.every_checks > 0 && ++unsaved_checks_ >= timing.every_checks) return true;
  return timing.every_seconds > 0 &&
         now - last_checkpoint_ >= std::max(timing.every_seconds, kLeastShare * checkpoint_seconds_);
}

void SearchControl::checkpoint_is_written(const std::string& outcome, double seconds) {
  wants_checkpoint_ = false;
  unsaved_checks_ = 0;
  checkpoint_seconds_ = seconds;
  last_checkpoint_ = clock_.wall_seconds();
  if (limit_) limit_->text += outcome;
  static_cast<void>(stop_at_limit());
}

bool SearchControl::stop_at_limit() {
  if (limit_) stop(limit_->kind, limit_->text);
  return stopped();
}

double SearchControl::seconds_left(double elapsed) const {
  return options_.turn != nullptr ? options_.turn->seconds_left() : options_.time_limit_seconds - elapsed;
}

void SearchControl::check_in_turn(const Usage& usage) {
  check(usage);
  if (turn_is_over()) wait_for_turn();
}

bool SearchControl::turn_is_over() const {
  return options_.turn != nullptr && !stopped() && !wants_store() && options_.turn->is_over();
}

void SearchControl::wait_for_turn() {
  stand_still([&] { options_.turn->wait(); });
}

void SearchControl::wait_for_disk() {
  if (options_.turn != nullptr) stand_still([&] { options_.turn->wait_for_disk(); });
}

// What others take meanwhile is not this search's time.
template <class Wait>
void SearchControl::stand_still(Wait&& wait) {
  const double wall = clock_.wall_seconds();
  const double cpu = clock_.cpu_seconds();
  if (observer_ != nullptr) observer_->on_wait();
  wait();
  start_wall_ += clock_.wall_seconds() - wall;
  start_cpu_ += clock_.cpu_seconds() - cpu;
}

// Whether the search ends here, to be begun anew when there is more memory.
bool SearchControl::sets_aside(uint64_t states) {
  if (options_.turn == nullptr || stopped() || !options_.turn->must_set_aside()) return false;
  result_.set_aside = true;
  stop(ReasonKind::kMemory, fmt::format("the search was set aside after {}, as searches for other properties hold a "
                                        "part of the memory",
                                        plural(states, "state")));
  return true;
}

// Stops while there is still room for the largest single growth, so that the limit is not overshot. Before a search
// uses its grace, it gives back what need not be in memory: with a limit of 11 MB, 8 of them were code. Without a
// grace it does not: code that comes back would overshoot.
void SearchControl::check_memory(const Usage& usage) {
  used_bytes_ = bytes_in_use(usage);
  const uint64_t limit = options_.memory_limit_bytes;
  if (limit > 0 && usage.grace_bytes > 0 && used_bytes_ + usage.reserve_bytes > limit) {
    release_freed();
    release_code();
    used_bytes_ = bytes_in_use(usage);
  }
  if (limit == 0) {
    next_check_bytes_ = ~uint64_t{0};
  } else if (!fits(usage)) {
    if (sets_aside(usage.states)) return;
    if (usage.has_store) {
      wants_store_ = true;
      return;
    }
    reach_limit(ReasonKind::kMemory, fmt::format("the memory limit of {} was reached after {}", format_size(limit),
                                                 plural(usage.states, "state")));
  } else {
    next_check_bytes_ = usage.memory_bytes + (limit + usage.grace_bytes - used_bytes_ - usage.reserve_bytes) / 4 + 1;
  }
}

// Stops while there is still room for a last checkpoint, and for the files of the result.
void SearchControl::check_disk(const Usage& usage, double now) {
  constexpr double kSeconds = 1;  // files are counted for it
  constexpr uint64_t kLeastFree = uint64_t{64} << 20;
  constexpr uint64_t kLeastShare = 16;  // of a small file system
  const Checkpoints* const checkpoints = options_.checkpoints;
  if ((usage.store_folder == nullptr && checkpoints == nullptr) || now - last_disk_check_ < kSeconds) return;
  last_disk_check_ = now;
  const bool has_paths = usage.store_folder != nullptr && options_.store.paths;
  const uint64_t next = checkpoints == nullptr ? 0 : checkpoints->expected_bytes(usage.states, has_paths);
  disk_bytes_ = 0;
  for (const std::string* folder :
       {usage.store_folder, checkpoints == nullptr ? nullptr : &checkpoints->directory()}) {
    if (folder == nullptr) continue;
    disk_bytes_ += folder_bytes(*folder);
    const DiskSpace space = disk_space(*folder);
    if (space.total > 0 && space.free < next + std::min(kLeastFree, space.total / kLeastShare)) {
      reach_limit(ReasonKind::kStore, fmt::format("the file system of '{}' is nearly full, with {} left, after {}",
                                                  *folder, format_size(space.free), plural(usage.states, "state")));
    }
  }
  if (const uint64_t limit = options_.disk_limit_bytes; limit > 0 && disk_bytes_ + next > limit) {
    reach_limit(ReasonKind::kStore, fmt::format("the disk limit of {} was reached after {}", format_size(limit),
                                                plural(usage.states, "state")));
  }
}

bool SearchControl::fits(const Usage& usage) const {
  const uint64_t limit = options_.memory_limit_bytes;
  return limit == 0 || used_bytes_ + usage.reserve_bytes <= limit + usage.grace_bytes;
}

uint64_t SearchControl::spare_bytes(const Usage& usage) const {
  const uint64_t limit = options_.memory_limit_bytes;
  if (limit == 0) return ~uint64_t{0};
  const uint64_t needed = bytes_in_use(usage) + usage.reserve_bytes;
  return limit + usage.grace_bytes - std::min(limit + usage.grace_bytes, needed);
}

void SearchControl::release_if_scarce() const {
  const uint64_t limit = options_.memory_limit_bytes;
  if (limit > 0 && resident_bytes() > limit / 2) release_freed();
}

void SearchControl::show_progress(const Usage& usage, double elapsed) {
  last_progress_ = elapsed;
  Progress progress{usage};
  progress.states = usage.states;
  progress.transitions = usage.transitions;
  // Figures of one moment are not always of the same moment.
  progress.matched = usage.transitions + 1 - std::min(usage.states, usage.transitions + 1);
  progress.depth = usage.depth;
  progress.open_states = usage.open_states;
  {
    const std::lock_guard lock(mutex_);
    progress.errors = std::max(result_.error_count, error_count_before_);
  }
  progress.memory_bytes = used_bytes_;
  progress.disk_bytes = disk_bytes_;
  progress.elapsed_seconds = elapsed;
  observer_->on_progress(progress);
}

// Nothing but a proof makes a search complete. One that lacks it for no reason that is known is a mistake of CMC, and
// says so instead of "holds".
void SearchControl::judge_completeness(const std::optional<Remainder>& left) {
  result_.all_expanded = left && left->nothing() && !stopped();
  if (result_.all_expanded) return;
  const bool explained =
      stopped() &&
      (stopped_elsewhere_ || result_.error_count > 0 || error_count_before_ > 0 ||
       std::ranges::any_of(result_.reasons, [](const Reason& reason) { return info(reason.kind).loses_states; }));
  if (explained) return;
  const Remainder rest = left.value_or(Remainder());
  add_reason(ReasonKind::kBug,
             fmt::format("the search ended without a proof that it was complete ({} open states, {} candidates, {} "
                         "parked states are left), which is a mistake of CMC",
                         rest.open_states, rest.candidates, rest.parked));
}

SearchResult SearchControl::finish(uint64_t states, uint64_t transitions, const std::optional<Remainder>& left) {
  judge_completeness(left);
  if (result_.error_count < error_count_before_) {
    // A cycle ends the search, however few other errors it has met by then.
    const auto cycle =
        std::ranges::find_if(result_.errors, [](const FoundError& each) { return each.kind.is_cycle(); });
    if (cycle != result_.errors.end()) errors_before_.push_back(std::move(*cycle));
    result_.error_count = error_count_before_ + (cycle != result_.errors.end() ? 1 : 0);
    result_.errors = std::move(errors_before_);
  }
  result_.states_stored = states;
  result_.transitions = transitions;
  result_.states_matched = states == 0 ? 0 : transitions + 1 - states;
  result_.memory_peak_bytes = peak_resident_bytes();
  result_.wall_seconds = wall_seconds();
  result_.cpu_seconds = cpu_seconds();
  return std::move(result_);
}

std::vector<Reason> undecided_reasons(const Model& model, const SearchOptions& options) {
  std::vector<Reason> reasons;
  for (const Property& property : model.properties) {
    if (is_decided(model, options, property)) continue;
    const bool embedded_c = property.kind == Property::Kind::kEmbeddedC;
    reasons.push_back(
        {embedded_c ? ReasonKind::kEmbeddedC : ReasonKind::kUndecided, undecided_sentence(model, property)});
  }
  if (options.partial_order && options.proviso == SearchOptions::Proviso::kNone && !model.claim.exists()) {
    reasons.push_back({ReasonKind::kUndecided,
                       "por-deadlock finds every deadlock, but leaves out steps in which other errors may be"});
  }
  return reasons;
}

namespace {

// How well the steps are those of the processes that are served: how many of these take part in them; negative if
// others do.
int fitness(std::span<const Step> steps, uint64_t served) {
  uint64_t parts = 0;
  for (const Step& step : steps) {
    for (const uint8_t pid : {step.pid, step.partner}) parts |= pid < 64 ? uint64_t{1} << pid : 0;
  }
  return (parts & ~served) != 0 ? -1 : std::popcount(parts);
}

}  // namespace

std::vector<Step> steps_along(SuccessorGenerator& generator, const StateSequence& states, uint32_t hidden_bytes,
                              std::span<const uint64_t> served, std::vector<Step> path) {
  constexpr size_t kPortion = 4096;
  constexpr size_t kPortionSteps = size_t{1} << 16;  // of which atomic sequences may have many each
  path.reserve(path.size() + states.size());
  std::vector<Step> best;
  SuccessorBatch batch;
  batch.limits = {.most_entries = kPortion, .most_steps = kPortionSteps};
  Bytes state;
  Bytes successor;
  if (states.size() > 0) states.get(0, state);
  for (size_t i = 0; i + 1 < states.size(); ++i, std::swap(state, successor)) {
    states.get(i + 1, successor);
    const ByteView next = ByteView(successor).subspan(hidden_bytes);
    const uint64_t wanted = i < served.size() ? served[i] : 0;
    std::optional<int> fits;
    batch.clear();
    generator.successors(state, batch);
    for (;;) {
      for (const SuccessorBatch::Entry& entry : batch.entries) {
        if (fits && wanted == 0) break;
        if (!std::ranges::equal(batch.state(entry).subspan(hidden_bytes), next)) continue;
        const auto steps = batch.path(entry);
        const int value = fitness(steps, wanted);
        if (fits && value <= *fits) continue;
        fits = value;
        best.assign(steps.begin(), steps.end());
      }
      if (!batch.more || (fits && wanted == 0)) break;
      batch.clear();
      generator.resume(batch);
    }
    CHECK(fits);
    path.insert(path.end(), best.begin(), best.end());
  }
  return path;
}

}  // namespace cmc
