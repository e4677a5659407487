#include "checker/search/profile.h"

#include <algorithm>

#include "checker/search/profiler.h"

namespace cmc {

namespace {

constexpr double kNanosecond = 1e-9;

// Divides `seconds` among edges by their shares.
void share(double seconds, std::span<const double> shares, std::vector<Profile::Edge>& edges,
           double Profile::Cost::*part) {
  double sum = 0;
  for (const double each : shares) sum += each;
  if (sum <= 0) return;
  for (size_t i = 0; i < edges.size(); ++i) edges[i].cost.*part += seconds * shares[i] / sum;
}

}  // namespace

Profile::Cost& Profile::Cost::operator+=(const Cost& other) {
  selection += other.selection;
  execution += other.execution;
  keys += other.keys;
  look_ups += other.look_ups;
  storing += other.storing;
  return *this;
}

Profile::Counts& Profile::Counts::operator+=(const Counts& other) {
  tried += other.tried;
  executable += other.executable;
  executed += other.executed;
  computed += other.computed;
  transitions += other.transitions;
  first_reached += other.first_reached;
  return *this;
}

SearchProfile::SearchProfile(const Model& model, const ProfileOptions& options, uint32_t workers)
    : model_(model), options_(options) {
  for (uint32_t i = 0; i < workers; ++i) {
    workers_.push_back(std::make_unique<WorkerProfile>(model, shapes_, options));
  }
}

void SearchProfile::forget() {
  for (const auto& worker : workers_) worker->forget();
}

// By edge, for all workers.
struct SearchProfile::Sums {
  std::vector<Profile::Edge> edges;
  std::vector<double> keys;      // shares in that part of the cost: a computation and each of its successors are one
  std::vector<double> look_ups;  // each is one
  double generator = 0;          // nanoseconds
  double computing = 0;          // likewise: all that computations took
  double expanding = 0;          // likewise: that expanding states took

  void execute(const StepShape::Run& run, uint64_t times, uint64_t Profile::Counts::*count) {
    for (const StepShape::Executed& each : run.executed) edges[each.edge].*count += times * each.times;
  }
  // A share of 1 for the edges that were tried.
  static void add_share(std::vector<double>& shares, const StepShape& shape, double times) {
    uint64_t tried = 0;
    for (const StepShape::Tried& each : shape.tried) tried += each.tried;
    for (const StepShape::Tried& each : shape.tried) {
      shares[each.edge] += times * each.tried / static_cast<double>(tried);
    }
  }
};

void SearchProfile::add_counts(Sums& sums) const {
  for (const auto& worker : workers_) {
    for (uint32_t number = 0; number < worker->counts_.size(); ++number) {
      const WorkerProfile::Uses& uses = worker->counts_[number];
      if (uses.asked + uses.taken + uses.computed == 0) continue;
      const StepShape& shape = shapes_.shape(number);
      for (const StepShape::Tried& each : shape.tried) {
        sums.edges[each.edge].tried += uses.asked * each.tried;
        sums.edges[each.edge].executable += uses.asked * each.executable;
      }
      for (const StepShape::Run& run : shape.runs) {
        sums.edges[run.lead].transitions += uses.taken * run.count;
        sums.keys[run.lead] += static_cast<double>(uses.computed * run.count);
        sums.execute(run, uses.taken * run.count, &Profile::Counts::executed);
        sums.execute(run, uses.computed * run.count, &Profile::Counts::computed);
      }
      Sums::add_share(sums.look_ups, shape, static_cast<double>(uses.asked));
      Sums::add_share(sums.keys, shape, static_cast<double>(uses.computed));
    }
    for (const auto& [move, successors] : worker->moves_) {
      uint32_t index = static_cast<uint32_t>(move);
      for (const StepShape::Run& run : shapes_.shape(static_cast<uint32_t>(move >> 32)).runs) {
        if (index < run.count) {
          sums.execute(run, successors, &Profile::Counts::executed);
          break;
        }
        index -= run.count;
      }
    }
    for (size_t i = 0; i < sums.edges.size(); ++i) sums.edges[i].first_reached += worker->first_reached_[i];
  }
}

void SearchProfile::add_times(Sums& sums, Profile& profile) const {
  const auto summary_of = [&](const Durations& durations) {
    return options_.keeps_interruptions ? durations.all() : durations.summary();
  };
  const auto note_outliers = [&](const Durations::Summary& summary) {
    profile.interrupted_seconds += static_cast<double>(summary.outlier_nanoseconds) * kNanosecond;
  };
  for (uint32_t i = 0; i + 1 < sums.edges.size(); ++i) {
    EdgeTrace::Times all;
    for (const auto& worker : workers_) all.merge(worker->edges_.times()[i]);
    const Durations::Summary selection = summary_of(all.selection);
    const Durations::Summary execution = summary_of(all.execution);
    Profile::Edge& edge = sums.edges[i];
    edge.samples = all.timed;
    edge.selection_nanoseconds = std::max(selection.mean(), 0.0);
    edge.execution_nanoseconds = std::max(execution.mean(), 0.0);
    const double tried = static_cast<double>(all.tried);
    const double executing = all.selection.all().count == 0 ? 0
                                                            : tried * static_cast<double>(all.execution.all().count) /
                                                                  static_cast<double>(all.selection.all().count);
    edge.cost.selection = edge.selection_nanoseconds * tried * kNanosecond;
    edge.cost.execution = edge.execution_nanoseconds * executing * kNanosecond;
    sums.generator += (edge.cost.selection + edge.cost.execution) / kNanosecond;
    if (all.executions > 0) {
      edge.copied_bytes = static_cast<double>(all.copied_bytes) / static_cast<double>(all.executions);
      edge.changed_bytes = static_cast<double>(all.changed_bytes) / static_cast<double>(all.executions);
    }
    note_outliers(selection);
    note_outliers(execution);
    profile.samples += all.timed;
    profile.interruptions += all.interrupted + selection.outliers + execution.outliers;
    profile.interrupted_seconds += static_cast<double>(all.interrupted_nanoseconds) * kNanosecond;
  }
  Durations computing;
  Durations expanding;
  uint64_t batches = 0;
  for (const auto& worker : workers_) {
    computing.merge(worker->computing_);
    profile.incomplete_inside = profile.incomplete_inside || worker->incomplete_inside_;
    profile.asked += worker->asked_;
    profile.computations += worker->computation_.seen;
    expanding.merge(worker->expanding_);
    batches += worker->batch_.seen;
    profile.clock_nanoseconds = static_cast<double>(worker->edges_.clock_nanoseconds());
  }
  sums.expanding = summary_of(expanding).mean() * static_cast<double>(batches);
  sums.computing = std::max(summary_of(computing).mean(), 0.0) * static_cast<double>(profile.computations);
}

// What is known of the whole only is shared out.
void SearchProfile::share_costs(Sums& sums, Profile& profile, double cpu_seconds) const {
  const double keys = std::max(sums.computing - sums.generator, 0.0) * kNanosecond;
  const double expanding = std::min(sums.expanding * kNanosecond, cpu_seconds);
  const double look_ups = std::max(expanding - keys - sums.generator * kNanosecond, 0.0);
  std::vector<double> transitions;
  for (const Profile::Edge& edge : sums.edges) transitions.push_back(static_cast<double>(edge.transitions));
  share(keys, sums.keys, sums.edges, &Profile::Cost::keys);
  share(look_ups, sums.look_ups, sums.edges, &Profile::Cost::look_ups);
  share(std::max(cpu_seconds - expanding, 0.0), transitions, sums.edges, &Profile::Cost::storing);
  for (const Profile::Edge& edge : sums.edges) {
    profile.cost += edge.cost;
    profile.counts += edge;
  }
}

// `places`: of edges in Profile::edges.
void SearchProfile::add_spans(Profile& profile, std::span<const uint32_t> places) const {
  for (uint32_t i = 0; i < workers_.size(); ++i) {
    for (const EdgeTrace::Span& span : workers_[i]->edges_.spans()) {
      if (places[span.edge] == EdgeWalk::kNoEdge) continue;
      profile.spans.push_back(
          {i, places[span.edge], span.begin, span.selected - span.begin, span.end - span.selected});
    }
  }
  std::ranges::sort(profile.spans, {}, &Profile::Span::begin);
  const int64_t first = profile.spans.empty() ? 0 : profile.spans.front().begin;
  for (Profile::Span& span : profile.spans) span.begin -= first;
}

Profile SearchProfile::collect(double cpu_seconds, bool knows_first_reached) {
  Profile profile;
  profile.every = options_.every;
  profile.knows_first_reached = knows_first_reached;
  const EdgeWalk walk(model_);
  Sums sums;
  const size_t count = walk.edges() + size_t{1};  // the last one: not known
  sums.edges.resize(count);
  sums.keys.resize(count);
  sums.look_ups.resize(count);
  for (const auto& worker : workers_) worker->edges_.clear();
  add_counts(sums);
  add_times(sums, profile);
  share_costs(sums, profile, cpu_seconds);

  const size_t proctypes = model_.proctypes.size() + (model_.claim.exists() ? 1 : 0);
  std::vector<uint32_t> places(walk.edges(), EdgeWalk::kNoEdge);
  for (uint32_t p = 0; p < proctypes; ++p) {
    const Proctype& proctype = p < model_.proctypes.size() ? model_.proctypes[p] : model_.claims[model_.claim.claim];
    for (size_t l = 0; l < proctype.locations.size(); ++l) {
      for (size_t e = 0; e < proctype.locations[l].edges.size(); ++e) {
        const auto location = static_cast<LocationId>(l);
        const uint32_t number = walk.number(p, location, static_cast<uint16_t>(e));
        Profile::Edge& edge = sums.edges[number];
        if (edge.tried + edge.samples + edge.executed == 0) continue;
        edge.proctype = p;
        edge.location = location;
        edge.edge = static_cast<uint16_t>(e);
        places[number] = static_cast<uint32_t>(profile.edges.size());
        profile.edges.push_back(edge);
      }
    }
  }
  add_spans(profile, places);
  return profile;
}

}  // namespace cmc
