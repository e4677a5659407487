#include "checker/shorten/shorten.h"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "base/check.h"
#include "checker/plain/simple_cycles.h"
#include "checker/result/replay.h"
#include "checker/shorten/fewest_switches.h"
#include "checker/shorten/short_cuts.h"
#include "checker/shorten/shortest_lasso.h"
#include "checker/shorten/statement_graph.h"

namespace cmc {

namespace {

using GraphError = StatementGraph::Error;
using LevelEnd = StatementGraph::LevelEnd;

constexpr double kShareOfShortCuts = 1.0 / 3;  // of the budget, if the rest was too little
constexpr const char* kMissed = "missed";      // all states were looked at in vain
constexpr uint64_t kGrowthPercent = 50;        // of the graph, until cycles are looked for again

bool has_loop(const FoundError& error) { return error.loop_start != FoundError::kNoLoop; }

bool is_same(const FoundError& a, const FoundError& b) {
  return a.kind == b.kind && a.message == b.message && a.place == b.place;
}

uint64_t steps_of_processes(const FoundError& error) {
  return static_cast<uint64_t>(
      std::ranges::count_if(error.path, [](const Step& step) { return step.pid != kNoProcess; }));
}

// The error with the shortest path; null: none has a path.
FoundError* shortest_of(SearchResult& result) {
  FoundError* shortest = nullptr;
  for (FoundError& error : result.errors) {
    if (error.has_path && (shortest == nullptr || error.path.size() < shortest->path.size())) shortest = &error;
  }
  return shortest;
}

// Which errors are to be replaced, and those that were found for them.
class Replacements {
 public:
  Replacements(const SearchOptions& options, SearchResult& result, const std::function<void()>& restore)
      : result_(result), restore_(restore) {
    const auto with_cycle = [&] { return std::ranges::any_of(result.errors, has_loop); };
    by_number_ = options.max_errors > 0 && result.error_count >= options.max_errors &&
                 (options.max_errors == 1 || !with_cycle());
    if (!by_number_) restore();  // a path that is restored may end in another kind of error
    wants_cycle_ = options.find_cycles && (with_cycle() || (by_number_ && options.max_errors == 1));
    most_ = std::min(by_number_ ? options.max_errors : ~uint64_t{0}, options.max_trails);
    if (by_number_) return;
    for (const FoundError& error : result.errors) {
      const bool known = std::ranges::any_of(missing_, [&](const FoundError& each) { return is_same(each, error); });
      if (!known && missing_.size() < most_)
        missing_.push_back({error.kind, error.message, error.place, 0, {}, false});
    }
  }

  [[nodiscard]] bool done() const { return by_number_ ? found_.size() >= most_ : missing_.empty(); }
  [[nodiscard]] bool wants_cycle() const { return wants_cycle_ && !done() && !cycle_found_; }
  [[nodiscard]] bool is_wanted(const GraphError& error) const {
    if (by_number_) return !done();
    return std::ranges::any_of(missing_, [&](const FoundError& each) { return is_same(each, as_found(error)); });
  }
  void add(FoundError error) {
    std::erase_if(missing_, [&](const FoundError& each) { return is_same(each, error); });
    cycle_found_ = cycle_found_ || has_loop(error);
    found_.push_back(std::move(error));
  }
  [[nodiscard]] bool takes_any() const { return by_number_; }  // error, whatever its kind and place
  [[nodiscard]] bool takes_any_once() const { return by_number_ && most_ == 1; }
  [[nodiscard]] bool any_found() const { return !found_.empty(); }

  // The paths of the search, which may be read then.
  void restore() const { restore_(); }
  // Puts them into the result, in front. As many errors are listed as before; those that stay are restored.
  void apply() {
    std::vector<FoundError>& errors = result_.errors;
    for (const FoundError& error : found_) {
      const auto same = std::ranges::find_if(errors, [&](const FoundError& each) { return is_same(each, error); });
      if (same != errors.end())
        errors.erase(same);
      else if (by_number_ && !errors.empty())
        errors.pop_back();
    }
    restore();
    errors.insert(errors.begin(), found_.begin(), found_.end());
  }

  static FoundError as_found(const GraphError& error) {
    return {error.kind, error.message, error.place, 0, {}, false};
  }

 private:
  SearchResult& result_;
  const std::function<void()>& restore_;
  bool by_number_ = false;  // the first ones; otherwise the first of each kind
  bool wants_cycle_ = false;
  bool cycle_found_ = false;
  uint64_t most_ = 0;
  std::vector<FoundError> missing_;  // kinds, without their paths
  std::vector<FoundError> found_;    // in order
};

class Shortener {
 public:
  Shortener(SuccessorGenerator& statements, const Model& model, const SearchOptions& options, const Budget& budget,
            TrailOrder order, SearchResult& result, std::function<void()> on_wait,
            const std::function<void()>& restore)
      : statements_(statements),
        model_(model),
        options_(options),
        budget_(budget),
        by_switches_(order == TrailOrder::kSwitches),
        result_(result),
        replacements_(options, result, restore),
        effort_(options, budget.part(1 - kShareOfShortCuts), std::move(on_wait)) {}

  void run() {
    SuccessorBatch first;
    statements_.initial(first);
    if (first.entries.empty()) return;  // the error is in the initial state
    Shortening done;
    note_steps(done.steps_before);
    graph_ =
        std::make_unique<StatementGraph>(statements_, model_, options_, replacements_.wants_cycle() || by_switches_);
    try {
      graph_->start(first.state(first.entries.front()));
      done.cut = explore();
      done.states = graph_->size();
      if (!done.cut.empty() && !replacements_.any_found()) make_the_best_of_it(done);
    } catch (const std::bad_alloc&) {
      done.cut = "memory";
    }
    replacements_.apply();
    if (done.cut == kMissed && replacements_.wants_cycle() && shortest_of(result_) == nullptr) {
      result_.add_reason(reason_of_bug("there seems to be a cycle, but no search finds its path"));
    }
    note_steps(done.steps_after);
    if (done.cut.empty() && by_switches_ && is_cut_) done.cut = "switches";
    done.wall_seconds = effort_.spent_seconds();
    result_.shortening = std::move(done);
  }

 private:
  // Of the shortest counterexample.
  void note_steps(uint64_t& steps) const {
    if (const FoundError* const shortest = shortest_of(result_)) steps = steps_of_processes(*shortest);
  }

  // Level by level until all is found. What keeps it from that; empty: nothing.
  std::string explore() {
    while (!replacements_.done()) {
      if (graph_->expanded() == graph_->size()) {
        if (!cycle_ || !replacements_.wants_cycle()) return graph_->has_gaps() ? "gaps" : kMissed;
        take_cycle();
        continue;
      }
      const LevelEnd end = graph_->expand_level(effort_, !replacements_.wants_cycle() && !by_switches_);
      is_cut_ = is_cut_ || end == LevelEnd::kCut;
      if (end == LevelEnd::kWhole && look_for_cycle()) continue;
      if (replacements_.wants_cycle() && (end == LevelEnd::kCut || !effort_.cut().empty())) return why_cut();
      // Of a level that is not whole, too: an error that lies in a state comes before those of its other states.
      take_errors(graph_->errors_of_states);
      if (end == LevelEnd::kError || replacements_.done()) continue;
      take_errors(graph_->errors_of_steps);
      if (end == LevelEnd::kCut) return why_cut();
    }
    return graph_->has_gaps() ? "gaps" : "";
  }

  [[nodiscard]] std::string why_cut() const { return effort_.cut().empty() ? "limit" : effort_.cut(); }

  void take_errors(std::vector<GraphError>& errors) {
    for (const GraphError& error : errors) {
      if (!replacements_.is_wanted(error)) continue;
      FoundError found = Replacements::as_found(error);
      found.path = graph_->path_to(error.source);
      found.path.insert(found.path.end(), error.steps.begin(), error.steps.end());
      if (by_switches_) take_fewest_switches(errors, found);
      found.depth = graph_->depth_of(error.source) + (error.steps.empty() ? 0 : 1);
      found.has_path = true;
      replacements_.add(std::move(found));
    }
    errors.clear();
  }
  // Instead of the way to the error, and of the error itself if any one will do, that with the fewest switches.
  void take_fewest_switches(const std::vector<GraphError>& errors, FoundError& found) {
    std::vector<const GraphError*> candidates;
    std::vector<PathEnd> ends;
    for (const GraphError& each : errors) {
      if (!replacements_.takes_any_once() && !is_same(Replacements::as_found(each), found)) continue;
      candidates.push_back(&each);
      ends.push_back({each.source, each.steps});
    }
    std::optional<SwitchingPath> path = path_of(ends);
    if (!path) return;
    const GraphError& end = *candidates[path->end];
    found.kind = end.kind;
    found.message = end.message;
    found.place = end.place;
    found.path = std::move(path->path);
  }
  std::optional<SwitchingPath> path_of(std::span<const PathEnd> ends) {
    std::optional<SwitchingPath> path;
    if (!is_cut_) path = path_with_fewest_switches(*graph_, ends, effort_);
    is_cut_ = !path;
    return path;
  }
  // The way to the loop, if the graph knows the state where it begins.
  void take_fewest_switches_to_loop(FoundError& found) {
    const std::span<const Step> stem = std::span(found.path).first(found.loop_start);
    const Result<ReplayEnd> end = replay_path(statements_, stem, [](const ReplayEvent&) {});
    const std::optional<StateSet::Id> state = end.ok() ? graph_->states().find(end.value().state) : std::nullopt;
    if (!state || *state >= graph_->expanded()) return;
    const PathEnd entry{*state, {}};
    std::optional<SwitchingPath> path = path_of(std::span(&entry, 1));
    if (!path || path->path.size() != stem.size()) return;
    std::ranges::copy(path->path, found.path.begin());
  }
  // Steps to the first of the errors that the last level has; as many as nothing has if there is none.
  [[nodiscard]] uint64_t steps_to_errors() const {
    const auto is_wanted = [&](const GraphError& error) { return replacements_.is_wanted(error); };
    const uint64_t depth = graph_->levels() - 1;
    if (std::ranges::any_of(graph_->errors_of_states, is_wanted)) return depth;
    return std::ranges::any_of(graph_->errors_of_steps, is_wanted) ? depth + 1 : ~uint64_t{0};
  }

  // True: the next one of the errors is a cycle, and was taken.
  bool look_for_cycle() {
    if (!replacements_.wants_cycle()) return false;
    const bool complete = graph_->expanded() == graph_->size();
    const uint64_t steps_to_errors = this->steps_to_errors();
    const bool error_ends_it = steps_to_errors != ~uint64_t{0};
    const bool shortest_now = cycle_ && cycle_->edges <= graph_->levels();
    const bool grown = graph_->size() >= next_look_;
    if (!complete && !error_ends_it && !shortest_now && !grown) return false;
    next_look_ = graph_->size() + graph_->size() * kGrowthPercent / 100;
    if (options_.fairness == Fairness::kWeak) effort_.spend(graph_->edges());  // they are computed again
    std::optional<Lasso> cycle =
        options_.fairness == Fairness::kNone
            ? find_shortest_lasso(*graph_, effort_)
            : find_accepting_cycle(statements_, model_, graph_->states(), options_.fairness,
                                   [&](uint64_t bytes) { return effort_.may_go_on(bytes + graph_->memory_bytes()); });
    if (cycle) cycle_ = std::move(cycle);
    if (!cycle_ || !effort_.cut().empty()) return false;
    const bool final = complete || options_.fairness != Fairness::kNone || cycle_->edges <= graph_->levels();
    if (!final || cycle_->edges >= steps_to_errors) return false;
    take_cycle();
    return true;
  }
  void take_cycle() {
    FoundError found;
    found.kind = options_.non_progress ? ErrorKind::non_progress_cycle() : ErrorKind::acceptance_cycle();
    found.message = error_kind_name(found.kind);
    found.depth = cycle_->edges;
    found.path = std::move(cycle_->path);
    found.loop_start = cycle_->loop_start;
    found.has_path = true;
    if (by_switches_) take_fewest_switches_to_loop(found);
    replacements_.add(std::move(found));
    cycle_.reset();
  }

  // The shortest counterexample that the search found, made shorter.
  void make_the_best_of_it(Shortening& done) {
    replacements_.restore();
    note_steps(done.steps_before);  // a run of a claim may go round a loop more often than the path of the search
    FoundError* const error = shortest_of(result_);
    effort_.go_on_for(budget_.part(kShareOfShortCuts));
    if (error == nullptr || error->path.empty() || !effort_.may_go_on(0)) return;
    const size_t steps = error->path.size();
    if (has_loop(*error)) take_shorter_cycle(*error);
    const WantedError is_wanted = [&](const GraphError& each) {
      return replacements_.takes_any() || is_same(Replacements::as_found(each), *error);
    };
    shorten_by_short_cuts(statements_, model_, options_, effort_, is_wanted, std::move(graph_), *error);
    if (error->path.size() < steps) error->depth = steps_of_processes(*error);
  }
  // The best one that is known so far.
  void take_shorter_cycle(FoundError& error) {
    if (!cycle_ && options_.fairness == Fairness::kNone) cycle_ = find_shortest_lasso(*graph_, effort_);
    if (!cycle_ || cycle_->path.size() >= error.path.size()) return;
    error.path = std::move(cycle_->path);
    error.loop_start = cycle_->loop_start;
  }

  SuccessorGenerator& statements_;
  const Model& model_;
  const SearchOptions& options_;
  const Budget budget_;
  const bool by_switches_;
  bool is_cut_ = false;  // fewer switches may be possible
  SearchResult& result_;
  Replacements replacements_;
  Effort effort_;  // begins when paths are restored, if they must be
  std::unique_ptr<StatementGraph> graph_;
  std::optional<Lasso> cycle_;  // the best one so far
  uint64_t next_look_ = 0;      // states that the graph has when cycles are looked for again
};

}  // namespace

void shorten_counterexamples(SuccessorGenerator& statements, const Model& model, const SearchOptions& options,
                             const Budget& budget, SearchResult& result, std::function<void()> on_wait,
                             TrailOrder order, std::function<void()> restore) {
  CHECK(result.error_count > 0);
  if (!restore) restore = [] {};
  Shortener(statements, model, options, budget, order, result, std::move(on_wait), restore).run();
}

}  // namespace cmc
