#include "checker/mutate/compare.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "checker/mutate/seen_graph.h"
#include "checker/reference/reference.h"
#include "checker/vm/generator.h"

namespace cmc::mutate {
namespace {

using Set = std::vector<uint32_t>;  // of nodes, sorted
using Outcome = Comparison::Outcome;

// Where the nodes can be behind a move that looks so.
Set behind(SeenGraph& graph, const Set& nodes, uint32_t label) {
  Set result;
  for (const uint32_t each : nodes) {
    const std::vector<SeenGraph::Move>& moves = graph.node(each).moves;
    auto move = std::ranges::lower_bound(moves, label, {}, &SeenGraph::Move::label);
    for (; move != moves.end() && move->label == label; ++move) result.push_back(move->target);
  }
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

class Comparer {
 public:
  Comparer(SeenGraph& model, SeenGraph& mutant, const ComparisonLimits& limits)
      : model_(model), mutant_(mutant), most_nodes_(limits.most_nodes), limits_({0, limits.seconds, nullptr}) {}

  Comparison run() {
    if (!model_.has_start() || !mutant_.has_start()) return {};
    if (model_.start_label() != mutant_.start_label()) return {Outcome::kMore, {}};
    if (are_bisimilar()) return {Outcome::kEqual, {}};
    Comparison found = only_in(mutant_, model_, Outcome::kMore);
    if (found.outcome == Outcome::kSameRuns) found = only_in(model_, mutant_, Outcome::kLess);
    return found;
  }

 private:
  // A relation between states of which each pair can make the same moves, to pairs of the relation. Moves that look
  // alike are paired in their order, so that not every bisimulation is found.
  bool are_bisimilar() {
    std::set<std::pair<uint32_t, uint32_t>> known{{0, 0}};
    std::vector<std::pair<uint32_t, uint32_t>> open{{0, 0}};
    while (!open.empty()) {
      const auto [of_model, of_mutant] = open.back();
      open.pop_back();
      if (known.size() > most_nodes_ || limits_.reached()) return false;
      const SeenGraph::Node& one = model_.node(of_model);
      const SeenGraph::Node& other = mutant_.node(of_mutant);
      const bool same =
          one.blocked == other.blocked && one.invalid_end == other.invalid_end &&
          std::ranges::equal(one.moves, other.moves, {}, &SeenGraph::Move::label, &SeenGraph::Move::label);
      if (!same) return false;
      for (size_t i = 0; i < one.moves.size(); ++i) {
        const std::pair next(one.moves[i].target, other.moves[i].target);
        if (known.insert(next).second) open.push_back(next);
      }
    }
    return true;
  }

  struct Node {
    uint32_t state = 0;  // of the one
    uint32_t set = 0;    // of states of the other that the same run leads to
    size_t parent = 0;
    std::vector<Step> steps;  // from there
  };

  // Breadth first, the one beside all states of the other that look alike (the subset construction).
  Comparison only_in(SeenGraph& one, SeenGraph& other, Outcome outcome) {
    std::vector<Set> sets{{0}};
    std::map<Set, uint32_t> numbers{{{0}, 0}};
    std::set<std::pair<uint32_t, uint32_t>> known{{0, 0}};
    std::vector<Node> nodes{{}};
    for (size_t at = 0; at < nodes.size(); ++at) {
      const std::vector<SeenGraph::Move> moves = one.node(nodes[at].state).moves;
      for (const SeenGraph::Move& move : moves) {
        if (nodes.size() > most_nodes_ || limits_.reached()) return {};
        Set next = behind(other, sets[nodes[at].set], move.label);
        std::vector<Step> steps = one.steps(nodes[at].state, move);
        if (next.empty()) return {outcome, run_to(nodes, at, steps)};
        const auto [number, is_new] = numbers.try_emplace(next, static_cast<uint32_t>(sets.size()));
        if (is_new) sets.push_back(std::move(next));
        if (known.emplace(move.target, number->second).second)
          nodes.push_back({move.target, number->second, at, std::move(steps)});
      }
    }
    return {Outcome::kSameRuns, {}};
  }

  static std::vector<Step> run_to(const std::vector<Node>& nodes, size_t last, const std::vector<Step>& end) {
    std::vector<std::vector<Step>> parts{end};
    for (size_t at = last; at != 0; at = nodes[at].parent) parts.push_back(nodes[at].steps);
    std::vector<Step> run;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) run.insert(run.end(), part->begin(), part->end());
    return run;
  }

  SeenGraph& model_;
  SeenGraph& mutant_;
  const size_t most_nodes_;
  Limits limits_;
};

// Whether the one can go this way, and the other one can look like that up to the last move, and not there.
bool is_only_in(SeenGraph& one, SeenGraph& other, const std::vector<Step>& run) {
  uint32_t state = 0;
  Set set{0};
  for (size_t at = 0; at < run.size();) {
    if (set.empty()) return false;
    const std::vector<SeenGraph::Move> moves = one.node(state).moves;
    const auto move = std::ranges::find_if(moves, [&](const SeenGraph::Move& each) {
      const std::vector<Step> steps = one.steps(state, each);
      return steps.size() <= run.size() - at && std::ranges::equal(steps, std::span(run).subspan(at, steps.size()));
    });
    if (move == moves.end() || move->step_count == 0) return false;
    set = behind(other, set, move->label);
    at += move->step_count;
    state = move->target;
  }
  return set.empty();
}

}  // namespace

Comparison compare(const Model& model, const Model& mutant, const ComparisonLimits& limits) {
  Interner labels;
  const bool by_bytes = have_same_layout(model, mutant);
  SeenGraph one(model, make_vm_generator(model, nullptr), labels, by_bytes);
  SeenGraph other(mutant, make_vm_generator(mutant, nullptr), labels, by_bytes);
  Comparison found = Comparer(one, other, limits).run();
  const bool has_run = found.outcome == Outcome::kMore || found.outcome == Outcome::kLess;
  if (!has_run || found.run.empty()) return found;
  SeenGraph plain_one(model, make_reference_generator(model, nullptr), labels, by_bytes);
  SeenGraph plain_other(mutant, make_reference_generator(mutant, nullptr), labels, by_bytes);
  const bool confirmed = found.outcome == Outcome::kMore ? is_only_in(plain_other, plain_one, found.run)
                                                         : is_only_in(plain_one, plain_other, found.run);
  return confirmed ? found : Comparison{};
}

}  // namespace cmc::mutate
