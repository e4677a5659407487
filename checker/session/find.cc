#include "checker/session/find.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "checker/generator/wrappers/state_stack.h"
#include "checker/reference/reference.h"

namespace cmc::session {
namespace {

struct Origin {
  uint32_t state = 0;  // number of the one before
  uint32_t choice = 0;
};

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

// The run takes the choices that lead to the state. False: the reference interpreter would not.
bool walk(Session& session, const std::deque<Origin>& origins, uint32_t number) {
  std::vector<uint32_t> choices;
  for (; number != 0; number = origins[number].state) choices.push_back(origins[number].choice);
  const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(session.model(), session.decider());
  for (auto choice = choices.rbegin(); choice != choices.rend(); ++choice) {
    if (!is_confirmed(*reference, session.state(), session.choices()[*choice])) return false;
    session.choose(*choice);
  }
  return true;
}

}  // namespace

Result<Found> find(Session& session, const Expression& expression, uint8_t pid, Limits& limits) {
  using Outcome = Found::Outcome;
  if (expression.value(session.state(), pid).value_or(0) != 0) return Found{Outcome::kFound, 1};
  const uint64_t begin = session.position();
  StateStack known(session.model().hidden_bytes);
  std::deque<Origin> origins(1);
  static_cast<void>(known.push_new(session.state()));
  SuccessorBatch batch;
  Bytes state;
  for (uint32_t number = 0; number < known.size(); ++number) {
    state.assign(known.at(number).begin(), known.at(number).end());
    batch.clear();
    session.statements().successors(state, batch);
    const bool is_wrong = !errors_of_state(batch).empty();  // a run ends there
    const std::vector<Choice> choices = is_wrong ? std::vector<Choice>() : choices_of(batch);
    for (uint32_t i = 0; i < choices.size(); ++i) {
      if (choices[i].after.empty() || !known.push_new(choices[i].after)) continue;
      origins.push_back({number, i});
      if (expression.value(choices[i].after, pid).value_or(0) == 0) continue;
      if (walk(session, origins, static_cast<uint32_t>(known.size() - 1)))
        return Found{Outcome::kFound, known.size()};
      const uint64_t step = session.steps() + 1;
      session.go_to(begin);
      return Error{
          fmt::format("the reference interpreter does not take step {} of what was found: this is a mistake "
                      "of CMC",
                      step)};
    }
    if (limits.reached(known.growth_bytes(choices.size()))) return Found{Outcome::kLimit, known.size()};
  }
  return Found{Outcome::kNowhere, known.size()};
}

}  // namespace cmc::session
