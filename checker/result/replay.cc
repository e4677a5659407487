#include "checker/result/replay.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/failed_check.h"
#include "checker/generator/one_step.h"
#include "checker/result/loop_check.h"

namespace cmc {

namespace {

// As lists of statements show it: "process 2 at location 7, edge 0 with process 1 at location 3, edge 1".
std::string describe(const Step& step) {
  std::string text = fmt::format("process {} at location {}, edge {}", step.pid, step.location, step.edge);
  if (step.partner != kNoProcess) {
    text += fmt::format(", with process {} at location {}, edge {}", step.partner, step.partner_location,
                        step.partner_edge);
  }
  return text;
}

std::vector<RuntimeError> errors_of(const SuccessorBatch& batch, std::span<const Step> group) {
  std::vector<RuntimeError> errors;
  for (const RuntimeError& error : batch.errors) {
    if (std::ranges::equal(batch.path(error), group)) errors.push_back(error);
  }
  return errors;
}

// How many steps at the front of `path` are one of the batch, completed or not: d_steps inside a rendezvous belong to
// it, a move of the claim to what follows. 0: none is.
size_t group_size(const SuccessorBatch& batch, std::span<const Step> path) {
  size_t size = 0;
  const auto compare = [&](std::span<const Step> steps) {
    const size_t count = steps.size();
    if (count > size && count <= path.size() && std::ranges::equal(steps, path.first(count))) size = count;
  };
  for (const SuccessorBatch::Entry& entry : batch.entries) compare(batch.path(entry));
  for (const RuntimeError& error : batch.errors) compare(batch.path(error));
  return size;
}

const SuccessorBatch::Entry* find_successor(const SuccessorBatch& batch, std::span<const Step> group) {
  const auto found = std::ranges::find_if(batch.entries, [&](const SuccessorBatch::Entry& entry) {
    return std::ranges::equal(batch.path(entry), group);
  });
  return found == batch.entries.end() ? nullptr : &*found;
}

Bytes copy(ByteView bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

Result<ReplayEnd> replay_path(SuccessorGenerator& statements, std::span<const Step> path,
                              const std::function<void(const ReplayEvent&)>& on_step) {
  auto* const one_step = dynamic_cast<OneStepGenerator*>(&statements);
  SuccessorBatch batch;
  statements.initial(batch);
  if (batch.entries.empty()) {
    if (!path.empty()) return Error{"step 1: there is no initial state, because an initializer fails"};
    return ReplayEnd{{}, true, false, false, {}};
  }
  ReplayEnd end;
  end.state = copy(batch.state(batch.entries.front()));
  for (size_t i = 0; i < path.size();) {
    batch.clear();
    const std::span<const Step> rest = path.subspan(i);
    if (one_step != nullptr) {
      one_step->successors_by(end.state, rest.front(), batch);
    } else {
      statements.successors(end.state, batch);
    }
    const std::span<const Step> group = rest.first(std::max<size_t>(1, group_size(batch, rest)));
    const Step& step = group.back();
    const size_t last = i + group.size() - 1;
    ReplayEvent event{last, step, end.state, {}, errors_of(batch, group)};
    const SuccessorBatch::Entry* const entry = find_successor(batch, group);
    if (entry == nullptr && event.errors.empty()) {
      return Error{fmt::format("step {}: {}: this step is not executable here", last + 1, describe(step))};
    }
    if (entry == nullptr && last + 1 < path.size()) {
      return Error{fmt::format("step {}: {}: this step is cut by an error ({}), so no step can follow", last + 1,
                               describe(step), event.errors.front().message)};
    }
    if (entry != nullptr) event.after = batch.state(*entry);
    if (on_step) {
      // What a d_step inside a rendezvous changes is seen when the rendezvous is complete.
      for (; i < last; ++i) on_step({i, path[i], end.state, end.state, {}, false});
      on_step(event);
    }
    i = last + 1;
    if (entry == nullptr) {
      end.cut = true;
      return end;
    }
    end.state = copy(event.after);
  }
  batch.clear();
  statements.successors(end.state, batch);
  end.blocked = batch.blocked;
  end.invalid_end = batch.invalid_end;
  end.errors = errors_of(batch, {});
  return end;
}

Replay replay(SuccessorGenerator& statements, std::span<const Step> path) {
  Replay replay;
  SuccessorBatch batch;
  statements.initial(batch);
  if (!batch.entries.empty()) replay.initial = copy(batch.state(batch.entries.front()));
  Result<ReplayEnd> end = replay_path(statements, path, [&](const ReplayEvent& event) {
    replay.steps.push_back({event.step, copy(event.after), event.errors});
  });
  if (end.ok()) {
    replay.end = std::move(end).value();
  } else {
    replay.failure = end.error();
  }
  return replay;
}

namespace {

std::string verify_loop(const FoundError& error, SuccessorGenerator& product, LoopRules rules) {
  CHECK(rules.model != nullptr);
  const bool of_cycle = error.kind.is_cycle();
  if (!of_cycle || !rules.model->claim.exists())
    return "the path has a loop, but the property is not about endless runs";
  LoopCheck loop(product, *rules.model, rules.fairness);
  bool whole = true;  // the step before ended one of the product
  bool begins = false;
  const Result<ReplayEnd> end = replay_path(product, error.path, [&](const ReplayEvent& event) {
    if (event.index == error.loop_start) begins = whole;
    if (event.index >= error.loop_start) {
      if (whole) loop.state(event.before);
      loop.step(event.step);
    }
    whole = event.complete;
  });
  if (!end.ok()) return end.error();
  if (end.value().cut) return fmt::format("step {}: an error cuts the loop", error.path.size());
  if (error.loop_start < error.path.size() && !begins)
    return "the loop begins in the middle of a step of the product";
  return loop.end(end.value().state);
}

}  // namespace

std::string verify_error(const FoundError& error, SuccessorGenerator& reference, LoopRules rules) {
  if (error.loop_start != FoundError::kNoLoop) return verify_loop(error, reference, rules);
  const auto is_it = [&](const RuntimeError& each) { return ErrorKind{{}, each.kind} == error.kind; };
  bool found = false;
  if (error.path.empty()) {
    SuccessorBatch batch;
    reference.initial(batch);
    found = std::any_of(batch.errors.begin(), batch.errors.end(), is_it);
  }
  const Result<ReplayEnd> end = replay_path(reference, error.path, [&](const ReplayEvent& event) {
    if (event.index + 1 == error.path.size()) found = std::any_of(event.errors.begin(), event.errors.end(), is_it);
  });
  if (!end.ok()) return end.error();
  if (error.kind.is_invalid_end_state()) found = end.value().invalid_end;
  found = found || std::any_of(end.value().errors.begin(), end.value().errors.end(), is_it);
  if (found) return {};
  return fmt::format("step {}: the path does not end in the error '{}'", error.path.size(), error.message);
}

void keep_confirmed(SearchResult& result, const std::function<std::string(FoundError&)>& fault_of) {
  std::vector<FoundError> kept;
  for (FoundError& error : result.errors) {
    std::string fault;
    if (error.has_path) {
      const std::string failure = failed_check_in([&] { fault = fault_of(error); });
      if (!failure.empty()) fault = failure;
    }
    if (fault.empty()) {
      kept.push_back(std::move(error));
      continue;
    }
    --result.error_count;
    result.add_reason(reason_of_bug(
        fmt::format("the counterexample of the error '{}' could not be confirmed: {}", error.message, fault)));
  }
  result.errors = std::move(kept);
  const bool doubtful =
      std::ranges::any_of(result.reasons, [](const Reason& reason) { return reason.kind == ReasonKind::kBug; });
  if (!doubtful || std::ranges::any_of(result.errors, &FoundError::has_path)) return;
  result.errors.clear();
  result.error_count = 0;
  result.shortening.reset();
}

void verify_errors(SearchResult& result, SuccessorGenerator& reference, LoopRules rules) {
  keep_confirmed(result, [&](const FoundError& error) { return verify_error(error, reference, rules); });
}

}  // namespace cmc
