#include "checker/session/find.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "checker/reference/reference.h"

namespace cmc::session {
namespace {

bool same_choice(const Choice& a, const Choice& b) {
  return a.step == b.step && std::ranges::equal(a.inside, b.inside) && std::ranges::equal(a.after, b.after);
}

// Whether the reference interpreter takes this choice to the same state.
bool is_confirmed(SuccessorGenerator& reference, ByteView state, const Choice& choice) {
  SuccessorBatch batch;
  reference.successors(state, batch);
  const std::vector<Choice> choices = choices_of(batch);
  return std::ranges::any_of(choices, [&](const Choice& each) { return same_choice(each, choice); });
}

}  // namespace

Finder::Finder(Session& session, Expression expression, uint8_t pid)
    : session_(session),
      expression_(std::move(expression)),
      pid_(pid),
      known_(session.model().hidden_bytes),
      origins_(1) {
  static_cast<void>(known_.push_new(session.state()));
}

bool Finder::walk(uint32_t number) {
  std::vector<uint32_t> choices;
  for (; number != 0; number = origins_[number].state) choices.push_back(origins_[number].choice);
  const std::unique_ptr<SuccessorGenerator> reference =
      make_reference_generator(session_.model(), session_.decider());
  for (auto choice = choices.rbegin(); choice != choices.rend(); ++choice) {
    if (!is_confirmed(*reference, session_.state(), session_.choices()[*choice])) return false;
    session_.choose(*choice);
  }
  return true;
}

Result<Found> Finder::finish() {
  const uint64_t begin = session_.position();
  if (walk(static_cast<uint32_t>(known_.size() - 1))) return Found{Found::Outcome::kFound, known_.size()};
  const uint64_t step = session_.steps() + 1;
  session_.go_to(begin);
  return Error{fmt::format(
      "the reference interpreter does not take step {} of what was found: this is a mistake of CMC", step)};
}

bool Finder::expand(uint32_t number) {
  state_.assign(known_.at(number).begin(), known_.at(number).end());
  batch_.clear();
  session_.statements().successors(state_, batch_);
  const bool is_wrong = !errors_of_state(batch_).empty();  // a run ends there
  const std::vector<Choice> choices = is_wrong ? std::vector<Choice>() : choices_of(batch_);
  last_growth_ = choices.size();
  for (uint32_t i = 0; i < choices.size(); ++i) {
    if (choices[i].after.empty() || !known_.push_new(choices[i].after)) continue;
    origins_.push_back({number, i});
    if (expression_.value(choices[i].after, pid_).value_or(0) != 0) return true;
  }
  return false;
}

std::optional<Result<Found>> Finder::go_on(uint64_t states, Limits& limits) {
  using Outcome = Found::Outcome;
  if (next_ == 0 && expression_.value(session_.state(), pid_).value_or(0) != 0) return Found{Outcome::kFound, 1};
  for (const uint64_t end = next_ + states; next_ < known_.size(); ++next_) {
    if (next_ == end) return std::nullopt;
    if (expand(next_)) return finish();
    if (limits.reached(known_.growth_bytes(last_growth_))) return Found{Outcome::kLimit, known_.size()};
  }
  return Found{Outcome::kNowhere, known_.size()};
}

Result<Found> find(Session& session, const Expression& expression, uint8_t pid, Limits& limits) {
  return *Finder(session, expression, pid).go_on(UINT32_MAX, limits);
}

}  // namespace cmc::session
