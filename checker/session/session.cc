#include "checker/session/session.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "checker/spin/trail.h"
#include "checker/trace/trail.h"

namespace cmc::session {
namespace {

bool is_error(const RuntimeError& error) { return error.kind != RuntimeErrorKind::kOverflowNote; }

// The choice with which the path begins; none: there is no such one. (A claim that waits for `timeout` may have
// marked a step that needs none.)
std::optional<size_t> first_of(std::span<const Step> path, std::span<const Choice> choices) {
  const auto found = std::ranges::find_if(choices, [&](const Choice& choice) {
    const size_t inside = choice.inside.size();
    if (inside >= path.size()) return false;
    Step last = path[inside];
    last.timeout = choice.step.timeout;
    return choice.step == last && std::ranges::equal(choice.inside, path.first(inside));
  });
  if (found == choices.end()) return std::nullopt;
  return static_cast<size_t>(found - choices.begin());
}

}  // namespace

Session::Session(const LoadedModel& loaded, SuccessorGenerator& statements, GuardDecider* decider)
    : loaded_(loaded), statements_(statements), decider_(decider), expressions_(loaded), recorder_(loaded.model) {
  begin();
}

void Session::begin() {
  run_.clear();
  loop_start_.reset();
  kept_.clear();
  recorded_.reset();
  last_.clear();
  before_.clear();
  batch_.clear();
  statements_.initial(batch_);
  at_.emplace(Position{0, 0, {}, Explainer(model(), statements_), batch_.errors, false});
  if (batch_.entries.empty()) {
    at_->is_cut = true;
  } else {
    const ByteView initial = batch_.state(batch_.entries.front());
    at_->state.assign(initial.begin(), initial.end());
  }
  kept_.push_back(*at_);
  look_around();
}

void Session::look_around() {
  choices_.clear();
  state_errors_.clear();
  batch_.clear();
  if (at_->is_cut) return;
  statements_.successors(at_->state, batch_);
  state_errors_ = errors_of_state(batch_);
  if (state_errors_.empty()) choices_ = choices_of(batch_);
}

std::optional<size_t> Session::find_choice(uint8_t pid) const {
  const auto found = std::ranges::find(choices_, pid, [](const Choice& choice) { return choice.step.pid; });
  if (found == choices_.end()) return std::nullopt;
  return static_cast<size_t>(found - choices_.begin());
}

Session::End Session::end() const {
  if (std::ranges::any_of(errors(), is_error) || state().empty()) return End::kError;
  if (!choices_.empty()) return End::kNone;
  return batch_.invalid_end ? End::kInvalidEnd : End::kEnded;
}

std::string Session::end_text() const {
  switch (end()) {
    case End::kNone: return "";
    case End::kEnded: return "the run has ended: all processes are at valid ends";
    case End::kInvalidEnd: return "invalid end state: no process can move";
    case End::kError: break;
  }
  const auto error = std::ranges::find_if(errors(), is_error);
  if (error == errors().end()) return "error: there is no initial state";
  return (is_reason(error->kind) ? "stopped: " : "error: ") + error->message;
}

Explanation Session::explain() {
  if (end() == End::kInvalidEnd) return at_->explainer.deadlock(state());
  return end() == End::kError && position() > 0 ? at_->explainer.failure() : Explanation{};
}

std::vector<ExplainedProcess> Session::waiting() {
  if (state().empty()) return {};
  std::vector<ExplainedProcess> all = at_->explainer.deadlock(state(), true).processes;
  std::erase_if(all, [&](const ExplainedProcess& process) {
    return std::ranges::any_of(choices_, [&](const Choice& choice) {
      return choice.step.pid == process.pid || choice.step.partner == process.pid;
    });
  });
  return all;
}

Result<Expression> Session::read(const std::string& text, uint8_t pid) {
  const Proctype* const type = pid == kNoProcess ? nullptr : find_proctype(model(), state(), pid);
  return expressions_.read(text, type == nullptr ? "" : type->name);
}

std::vector<TraceStep> Session::record(TraceRecorder& recorder, ByteView before, const Choice& choice,
                                       uint64_t steps) const {
  std::vector<TraceStep> recorded;
  for (const Step& inside : choice.inside) recorded.push_back(recorder.record({++steps, inside, before, before, {}}));
  recorded.push_back(recorder.record({++steps, choice.step, before, choice.after, choice.errors}));
  return recorded;
}

std::vector<TraceStep> Session::look_at(size_t choice) const {
  TraceRecorder recorder(model());
  recorder.start(state());
  return record(recorder, state(), choices_[choice], steps());
}

std::vector<TraceStep> Session::last_steps() {
  if (recorded_ != position() - 1) recorder_.start(before_);
  recorded_ = position();
  const std::span<const Step> inside = std::span(last_).first(last_.size() - 1);
  const ByteView after = at_->is_cut ? ByteView() : state();
  return record(recorder_, before_, {inside, last_.back(), after, at_->errors}, steps() - last_.size());
}

void Session::advance(size_t number) {
  const Choice& choice = choices_[number];
  before_ = at_->state;
  last_.assign(choice.inside.begin(), choice.inside.end());
  last_.push_back(choice.step);
  for (const Step& inside : choice.inside) at_->explainer.step({++at_->steps, inside, before_, before_, {}});
  at_->explainer.step({++at_->steps, choice.step, before_, choice.after, choice.errors});
  ++at_->position;
  at_->errors = choice.errors;
  at_->is_cut = choice.after.empty();
  if (!at_->is_cut) at_->state.assign(choice.after.begin(), choice.after.end());
  if (position() % kSpacing == 0 && kept_.size() == position() / kSpacing) kept_.push_back(*at_);
  look_around();
}

void Session::choose(size_t choice) {
  plan(choice);
  advance(choice);
}

void Session::plan(size_t choice) {
  CHECK(choice < choices_.size());
  if (next() != nullptr && run_[position()] == choice) return;
  run_.resize(position());
  while (kept_.size() > position() / kSpacing + 1) kept_.pop_back();
  loop_start_.reset();
  run_.push_back(static_cast<uint32_t>(choice));
}

const Choice* Session::next() const {
  return position() < run_.size() && !choices_.empty() ? &choices_[run_[position()]] : nullptr;
}

bool Session::plan(Random& random) {
  if (position() == run_.size() && !choices_.empty())
    run_.push_back(static_cast<uint32_t>(random() % choices_.size()));
  return next() != nullptr;
}

void Session::forward() {
  CHECK(next() != nullptr);
  advance(run_[position()]);
}

void Session::restore(uint64_t position) {
  const uint64_t number = position == 0 ? 0 : (position - 1) / kSpacing;
  at_.emplace(kept_[std::min<uint64_t>(number, kept_.size() - 1)]);
  recorded_.reset();
  look_around();
}

void Session::go_to(uint64_t position) {
  CHECK(position <= length());
  if (position < this->position() || position - this->position() > kSpacing) restore(position);
  while (this->position() < position) forward();
}

bool Session::back_until(const std::function<bool()>& condition) {
  for (uint64_t end = position(); end > 0;) {
    restore(end);
    const uint64_t begin = position();
    std::optional<uint64_t> latest;
    for (; position() < end; forward()) {
      if (condition()) latest = position();
    }
    if (latest || begin == 0) {
      go_to(latest.value_or(0));
      return latest.has_value();
    }
    end = begin;
  }
  return false;
}

std::vector<Step> Session::path() {
  std::vector<Step> path;
  const uint64_t end = position();
  go_to(0);
  while (position() < end) {
    forward();
    path.insert(path.end(), last_.begin(), last_.end());
  }
  return path;
}

Trace Session::trace(uint64_t most_choices) {
  Trace trace;
  const uint64_t end = position();
  const uint64_t begin = most_choices == 0 || most_choices > end ? 0 : end - most_choices;
  go_to(begin);
  trace.left_out = steps();
  trace.initial = decode_state(model(), state());
  while (position() < end) {
    forward();
    for (TraceStep& step : last_steps()) trace.steps.push_back(std::move(step));
  }
  trace.final_state = decode_state(model(), state());
  return trace;
}

Status Session::load(const std::string& text) {
  const Result<cmc::Trail> trail = cmc::parse_trail(text);
  if (trail.ok()) {
    const std::vector<Step>& path = trail.value().path();
    std::vector<Step> steps;
    size_t loop_start = cmc::FoundError::kNoLoop;
    for (size_t i = 0; i < path.size(); ++i) {
      if (i == trail.value().loop_start) loop_start = steps.size();
      if (path[i].pid != kNoProcess) steps.push_back(path[i]);
    }
    return load_path(steps, loop_start);
  }
  const Result<spin::Trail> of_spin = spin::parse_trail(text);
  if (!of_spin.ok() || of_spin.value().lines.empty()) return Error{trail.error()};
  CMC_TRY(const spin::FollowedTrail followed, spin::follow_trail(of_spin.value(), model(), statements_));
  return load_path(followed.path, followed.loop_start);
}

Status Session::load_path(std::span<const Step> path, size_t loop_start) {
  begin();
  std::optional<uint64_t> loop;
  for (size_t walked = 0; walked < path.size(); walked = steps()) {
    if (walked == loop_start) loop = position();
    const std::optional<size_t> choice = first_of(path.subspan(walked), choices_);
    if (!choice) {
      begin();
      return Error{fmt::format("the trail does not fit this model: step {} is not executable", walked + 1)};
    }
    choose(*choice);
  }
  loop_start_ = loop;
  go_to(0);
  return Success{};
}

}  // namespace cmc::session
