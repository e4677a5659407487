#include "checker/shorten/short_cuts.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "checker/result/control.h"
#include "checker/result/loop_check.h"
#include "checker/result/replay.h"
#include "ir/scratch.h"

namespace cmc {

namespace {

using GraphError = StatementGraph::Error;

constexpr uint64_t kFirstBall = 4096;  // states that are searched around one state of the path
constexpr uint64_t kLargestBall = uint64_t{1} << 22;
constexpr uint64_t kBallStatesPerQuestion = 16;
constexpr size_t kFirstStarts = 64;  // states of the path that are searched around

// The states of a path, each before a step of the product.
struct Trail {
  explicit Trail(uint32_t hidden_bytes) : states(hidden_bytes) {}
  void add(ByteView state, size_t steps_before) {
    const StateSet::Id id = states.insert(state).id;
    if (id == last.size()) last.push_back(0);
    last[id] = at.size();
    at.push_back(id);
    steps.push_back(steps_before);
  }
  [[nodiscard]] uint64_t memory_bytes() const {
    return states.memory_bytes() + last.capacity() * sizeof(size_t) + at.capacity() * sizeof(StateSet::Id) +
           steps.capacity() * sizeof(size_t);
  }

  StateSet states;
  std::vector<size_t> last;      // by state: its last position on the path
  std::vector<StateSet::Id> at;  // by position
  std::vector<size_t> steps;     // by position: how many steps are before it
  size_t goal = 0;               // the position behind which, or in which, is what the path shows
};

// The best way on from one position of a trail.
struct WayBack {
  std::vector<Step> steps;
  size_t position = 0;              // where it ends
  std::optional<GraphError> error;  // it ends with that, nowhere on the trail
};

class ShortCuts {
 public:
  ShortCuts(SuccessorGenerator& statements, const Model& model, const SearchOptions& options, Effort& effort,
            const WantedError& is_wanted, FoundError& error)
      : statements_(statements),
        model_(model),
        options_(options),
        effort_(effort),
        is_wanted_(is_wanted),
        error_(error),
        has_loop_(error.loop_start != FoundError::kNoLoop) {}

  // Where the path comes back to a state of the graph, the graph may know a shorter way to it.
  void begin_in(StatementGraph& graph) {
    uint64_t position = 0;
    uint64_t saved = 0;
    size_t steps = 0;
    StatementGraph::Id entry = 0;
    const Leg leg = stem();
    visit_states(leg, [&](ByteView state, size_t steps_before) {
      const std::optional<StatementGraph::Id> known = graph.states().find(state);
      if (known && position > graph.depth_of(*known) + saved) {
        saved = position - graph.depth_of(*known);
        steps = steps_before;
        entry = *known;
      }
      ++position;
    });
    if (saved == 0) return;
    std::vector<Step> shorter = graph.path_to(entry);
    const std::span<const Step> old = part(leg);
    shorter.insert(shorter.end(), old.begin() + static_cast<ptrdiff_t>(steps), old.end());
    replace(leg, std::move(shorter), nullptr);
  }

  void run() {
    uint64_t ball = kFirstBall;
    size_t starts = kFirstStarts;
    if (!has_loop_ && !model_.claim.exists()) leave_out();
    bool improved = cut_short(ball, starts);
    while (effort_.may_go_on(0) && (improved || ball < kLargestBall || starts < error_.path.size())) {
      if (!improved) {
        ball = std::min(2 * ball, kLargestBall);
        starts = std::min(2 * starts, error_.path.size());
      }
      improved = cut_short(ball, starts);
    }
  }

 private:
  // A part of the path that gets shorter by itself: the states where it begins and ends stay.
  struct Leg {
    size_t begin = 0;
    size_t end = 0;
  };

  [[nodiscard]] Leg stem() const { return {0, std::min(error_.loop_start, error_.path.size())}; }
  // Of a loop all states and steps are kept that make it a counterexample.
  [[nodiscard]] std::vector<Leg> legs() {
    std::vector<Leg> legs{stem()};
    if (!has_loop_) return legs;
    const auto end_leg = [&](size_t at) {
      if (at > legs.back().end) legs.push_back({legs.back().end, at});
    };
    LoopCheck loop(statements_, model_, options_.fairness);
    bool whole = true;
    size_t begin = 0;  // of the step of the product
    size_t seen = 0;   // before it
    const Result<ReplayEnd> end = replay_path(statements_, error_.path, [&](const ReplayEvent& event) {
      if (event.index < error_.loop_start) return;
      if (whole) {
        begin = event.index;
        loop.state(event.before);
        if (loop.seen() > seen) end_leg(begin);
        seen = loop.seen();
      }
      loop.step(event.step);
      whole = event.complete;
      if (!whole || loop.seen() == seen) return;
      end_leg(begin);
      end_leg(event.index + 1);
    });
    CHECK(end.ok());
    end_leg(error_.path.size());
    return legs;
  }
  [[nodiscard]] std::span<const Step> part(const Leg& leg) const {
    return std::span<const Step>(error_.path).subspan(leg.begin, leg.end - leg.begin);
  }

  // Calls visit(state, how many steps of the leg are before it) for each state of the leg that is before a step of
  // the product, and for the last one, unless it is an error that ends the path.
  template <class Visit>
  void visit_states(const Leg& leg, Visit&& visit) {
    bool whole = true;     // the step before ended one of the product
    bool in_step = false;  // the last step ends in the error
    const Result<ReplayEnd> end = replay_path(statements_, part({0, leg.end}), [&](const ReplayEvent& event) {
      if (whole && event.index >= leg.begin) visit(event.before, event.index - leg.begin);
      whole = event.complete;
      in_step = std::ranges::any_of(event.errors, [&](const RuntimeError& each) {
        return ErrorKind{{}, each.kind} == error_.kind;
      });
    });
    CHECK(end.ok());
    if (!has_loop_ && in_step) return;
    CHECK(!end.value().cut);
    visit(end.value().state, leg.end - leg.begin);
  }
  // None: there is no time or memory for it.
  [[nodiscard]] std::optional<Trail> follow(const Leg& leg) {
    std::optional<Trail> trail(ignored_bytes(model_));
    visit_states(leg, [&](ByteView state, size_t steps) {
      if (trail && !effort_.may_go_on(trail->memory_bytes())) trail.reset();
      if (trail) trail->add(state, steps);
    });
    if (trail) trail->goal = trail->at.size() - 1;
    return trail;
  }

  // One pass over the path, from its end, so that what is before a leg stays where it is. False: no step was saved.
  bool cut_short(uint64_t ball, size_t starts) {
    bool improved = false;
    const std::vector<Leg> legs = this->legs();
    for (size_t i = legs.size(); i-- > 0;) improved |= cut_short(legs[i], ball, starts);
    return improved;
  }
  // Tries to get on faster from about `starts` states of the leg.
  bool cut_short(const Leg& leg, uint64_t ball, size_t starts) {
    if (leg.end - leg.begin < 2) return false;
    const std::optional<Trail> followed = follow(leg);
    if (!followed) return false;
    const Trail& trail = *followed;
    const size_t stride = std::max<size_t>(1, trail.goal / starts);
    const std::span<const Step> old = part(leg);
    // Where a leg goes all the way round, its first step stays: the state where it begins is no later one.
    size_t position = leg.begin >= error_.loop_start && trail.at.front() == trail.at.back() ? 1 : 0;
    std::vector<Step> shorter(old.begin(), old.begin() + offset(trail, position));
    while (position < trail.goal && effort_.may_go_on(0)) {
      WayBack way = look_around(trail, position, ball);
      shorter.insert(shorter.end(), way.steps.begin(), way.steps.end());
      if (way.error) return replace(leg, std::move(shorter), &*way.error);
      if (way.position == position) {
        way.position = std::min(position + stride, trail.goal);
        shorter.insert(shorter.end(), old.begin() + offset(trail, position),
                       old.begin() + offset(trail, way.position));
      }
      position = way.position;
    }
    shorter.insert(shorter.end(), old.begin() + offset(trail, position), old.end());
    return replace(leg, std::move(shorter), nullptr);
  }
  static ptrdiff_t offset(const Trail& trail, size_t position) {
    return static_cast<ptrdiff_t>(trail.steps[position]);
  }

  WayBack look_around(const Trail& trail, size_t from, uint64_t ball) {
    StatementGraph graph(statements_, model_, options_, false);
    graph.start(trail.states.get(trail.at[from]));
    WayBack way;
    way.position = from;
    uint64_t saved = 0;
    StatementGraph::Id best = 0;
    for (uint64_t seen = 1; graph.expanded() < graph.size() && graph.size() < ball;) {
      const bool asks = graph.expanded() % kBallStatesPerQuestion == 0;
      if (asks && !effort_.may_go_on(trail.memory_bytes() + graph.memory_bytes())) break;
      graph.expand_next(effort_);
      if (std::optional<GraphError> error = wanted_error(graph)) {
        way.steps = graph.path_to(error->source);
        way.steps.insert(way.steps.end(), error->steps.begin(), error->steps.end());
        way.error = std::move(error);
        return way;
      }
      for (; seen < graph.size(); ++seen) {
        const auto id = static_cast<StatementGraph::Id>(seen);
        const std::optional<StateSet::Id> known = trail.states.find(graph.states().get(id));
        const uint64_t longest = from + graph.depth_of(id) + saved;
        if (!known || trail.last[*known] <= longest) continue;
        saved += trail.last[*known] - longest;
        best = id;
        way.position = trail.last[*known];
      }
    }
    if (best != 0) way.steps = graph.path_to(best);
    return way;
  }
  std::optional<GraphError> wanted_error(StatementGraph& graph) const {
    std::optional<GraphError> wanted;
    for (std::vector<GraphError>* errors : {&graph.errors_of_states, &graph.errors_of_steps}) {
      const auto found = std::ranges::find_if(*errors, is_wanted_);
      if (!has_loop_ && !wanted && found != errors->end()) wanted = std::move(*found);
      errors->clear();
    }
    return wanted;
  }

  // With `end` the path ends in another error. False: it would not be shorter.
  bool replace(const Leg& leg, std::vector<Step> shorter, const GraphError* end) {
    const size_t length = leg.end - leg.begin;
    if (shorter.size() >= length) return false;
    if (has_loop_ && leg.end <= error_.loop_start) error_.loop_start -= length - shorter.size();
    const auto begin = error_.path.begin() + static_cast<ptrdiff_t>(leg.begin);
    error_.path.insert(error_.path.erase(begin, begin + static_cast<ptrdiff_t>(length)), shorter.begin(),
                       shorter.end());
    if (end == nullptr) return true;
    error_.kind = end->kind;
    error_.message = end->message;
    error_.place = end->place;
    return true;
  }

  // Half of the path, quarters, ...
  void leave_out() {
    for (size_t part = error_.path.size() / 2; part > 0; part /= 2) {
      for (size_t begin = 0; begin < error_.path.size();) {
        if (!effort_.may_go_on(0)) return;
        if (!leave_out(begin, begin + part)) begin += part;
      }
    }
  }
  // Executes the path without its steps from `begin` to `end`, as far as that goes.
  bool leave_out(size_t begin, size_t end) {
    const std::vector<Step> old = error_.path;
    std::vector<Step> taken;
    SuccessorBatch batch;
    statements_.initial(batch);
    Bytes state(batch.state(batch.entries.front()).begin(), batch.state(batch.entries.front()).end());
    for (size_t i = begin == 0 ? end : 0;; i = i == begin ? end : i) {
      batch.clear();
      statements_.successors(state, batch);
      effort_.spend(1 + batch.entries.size());
      const std::span<const Step> rest = std::span(old).subspan(std::min(i, old.size()));
      if (const std::optional<GraphError> error = error_behind(batch, rest)) {
        taken.insert(taken.end(), error->steps.begin(), error->steps.end());
        return replace(stem(), std::move(taken), &*error);
      }
      if (rest.empty() || taken.size() + 1 >= old.size()) return false;
      const auto next = std::ranges::find_if(batch.entries,
                                             [&](const auto& entry) { return begins_with(rest, batch.path(entry)); });
      if (next == batch.entries.end()) {
        ++i;
        continue;
      }
      const auto steps = batch.path(*next);
      taken.insert(taken.end(), steps.begin(), steps.end());
      state.assign(batch.state(*next).begin(), batch.state(*next).end());
      // What is left out begins between two steps of the product, or a little later.
      i += i < begin ? std::min<size_t>(steps.size(), begin - i) : steps.size();
    }
  }
  // An error that is wanted in the state itself, or with the next step of the path.
  [[nodiscard]] std::optional<GraphError> error_behind(const SuccessorBatch& batch,
                                                       std::span<const Step> rest) const {
    if (batch.invalid_end && options_.check_end_states) {
      GraphError error{ErrorKind::invalid_end_state(), kInvalidEndMessage, {}, 0, {}};
      if (is_wanted_(error)) return error;
    }
    for (const RuntimeError& each : batch.errors) {
      const auto steps = batch.path(each);
      GraphError error{ErrorKind{{}, each.kind}, each.message, each.place, 0, {steps.begin(), steps.end()}};
      const bool counts = !is_reason(each.kind) && (!options_.only_observers || is_of_observer(each, steps));
      if (counts && begins_with(rest, steps) && is_wanted_(error)) return error;
    }
    return std::nullopt;
  }
  // Whatever `timeout` was.
  static bool begins_with(std::span<const Step> rest, std::span<const Step> steps) {
    return rest.size() >= steps.size() && std::ranges::equal(rest.first(steps.size()), steps, [](Step a, Step b) {
             a.timeout = b.timeout;
             return a == b;
           });
  }

  SuccessorGenerator& statements_;
  const Model& model_;
  const SearchOptions& options_;
  Effort& effort_;
  const WantedError& is_wanted_;
  FoundError& error_;
  const bool has_loop_;
};

}  // namespace

void shorten_by_short_cuts(SuccessorGenerator& statements, const Model& model, const SearchOptions& options,
                           Effort& effort, const WantedError& is_wanted, std::unique_ptr<StatementGraph> graph,
                           FoundError& error) {
  ShortCuts short_cuts(statements, model, options, effort, is_wanted, error);
  short_cuts.begin_in(*graph);
  graph.reset();
  short_cuts.run();
}

}  // namespace cmc
