#include <algorithm>

#include "checker/profile/profiler.h"

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

double ratio(uint64_t whole, uint64_t part) {
  return part == 0 ? 0 : static_cast<double>(whole) / static_cast<double>(part);
}

// In seconds. What was subtracted for the clock may have been too much.
double seconds_of(int64_t nanoseconds) {
  return static_cast<double>(std::max<int64_t>(nanoseconds, 0)) * kNanosecond;
}

void add_times(const EdgeTrace::Times& times, Profile::Edge& edge) {
  const uint64_t timed = times.tried - times.interrupted;
  edge.samples = times.tried;
  edge.cost.selection = seconds_of(times.selection);
  edge.cost.execution = seconds_of(times.execution);
  if (timed > 0) edge.selection_nanoseconds = edge.cost.selection / kNanosecond / static_cast<double>(timed);
  if (times.executing > 0)
    edge.execution_nanoseconds = edge.cost.execution / kNanosecond / static_cast<double>(times.executing);
  edge.copied_bytes = ratio(times.copied_bytes, times.executions);
  edge.changed_bytes = ratio(times.changed_bytes, times.executions);
}

}  // namespace

SearchProfile::SearchProfile(const Model& model, std::span<const std::unique_ptr<SuccessorGenerator>> generators)
    : model_(model) {
  for (const auto& generator : generators) {
    workers_.push_back(std::make_unique<WorkerProfile>(model, shapes_, *generator));
  }
}

void SearchProfile::forget() {
  for (const auto& worker : workers_) worker->forget();
}

// For all workers.
struct SearchProfile::Sums {
  explicit Sums(uint32_t known) : counts(known), times(known), edges(known + size_t{1}) {}

  ShapeCounts counts;
  std::vector<EdgeTrace::Times> times;
  std::vector<Profile::Edge> edges;  // the last one: not known
  int64_t computing = 0;             // nanoseconds
  int64_t expanding = 0;
};

void SearchProfile::add_worker(const WorkerProfile& worker, Sums& sums, Profile& profile) const {
  sums.counts.add(worker.counts_);
  for (const WorkerProfile::Shape& each : worker.known_) each.add_to(sums.counts);
  for (size_t i = 0; i < sums.times.size(); ++i) sums.times[i] += worker.edges_.times()[i];
  sums.computing += worker.computing_.nanoseconds;
  sums.expanding += worker.expanding_.nanoseconds;
  profile.asked += worker.asked_;
  profile.computations += worker.computations_;
  profile.clock_nanoseconds = static_cast<double>(worker.edges_.clock_nanoseconds());
}

// What is known of the whole only is shared out. The clock goes on while other programs have the processor: if more
// was measured than the search's CPU time, all of it is made shorter.
void SearchProfile::share_costs(Sums& sums, Profile& profile, double cpu_seconds) const {
  double generator = 0;
  std::vector<double> transitions;
  for (const Profile::Edge& edge : sums.edges) {
    generator += edge.cost.selection + edge.cost.execution;
    transitions.push_back(static_cast<double>(edge.transitions));
  }
  const double computing = std::max(seconds_of(sums.computing), generator);
  const double expanding = std::max(seconds_of(sums.expanding), computing);
  const double part = expanding > cpu_seconds ? cpu_seconds / expanding : 1;
  for (Profile::Edge& edge : sums.edges) {
    edge.cost.selection *= part;
    edge.cost.execution *= part;
  }
  share((computing - generator) * part, sums.counts.keys, sums.edges, &Profile::Cost::keys);
  share((expanding - computing) * part, sums.counts.look_ups, sums.edges, &Profile::Cost::look_ups);
  share(std::max(cpu_seconds - expanding, 0.0), transitions, sums.edges, &Profile::Cost::storing);
  for (const Profile::Edge& edge : sums.edges) {
    profile.cost += edge.cost;
    profile.counts += edge;
  }
}

// Those that were tried, with their places in the model, and the spans of their tries.
void SearchProfile::add_edges(const Sums& sums, Profile& profile) const {
  const EdgeWalk walk(model_);
  const size_t proctypes = model_.proctypes.size() + (model_.claim.exists() ? 1 : 0);
  std::vector<uint32_t> places(walk.edges(), EdgeWalk::kNoEdge);  // in Profile::edges
  for (uint32_t p = 0; p < proctypes; ++p) {
    const Proctype& proctype = p < model_.proctypes.size() ? model_.proctypes[p] : model_.claims[model_.claim.claim];
    for (size_t l = 0; l < proctype.locations.size(); ++l) {
      for (size_t e = 0; e < proctype.locations[l].edges.size(); ++e) {
        const auto location = static_cast<LocationId>(l);
        const uint32_t number = walk.number(p, location, static_cast<uint16_t>(e));
        Profile::Edge edge = sums.edges[number];
        if (edge.tried + edge.samples + edge.executed == 0) continue;
        edge.proctype = p;
        edge.location = location;
        edge.edge = static_cast<uint16_t>(e);
        places[number] = static_cast<uint32_t>(profile.edges.size());
        profile.edges.push_back(edge);
      }
    }
  }
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
  profile.knows_first_reached = knows_first_reached;
  Sums sums(EdgeWalk(model_).edges());
  for (const auto& worker : workers_) {
    worker->begin_state();
    add_worker(*worker, sums, profile);
  }
  for (size_t i = 0; i < sums.edges.size(); ++i) static_cast<Profile::Counts&>(sums.edges[i]) = sums.counts.counts[i];
  for (size_t i = 0; i < sums.times.size(); ++i) {
    const EdgeTrace::Times& times = sums.times[i];
    add_times(times, sums.edges[i]);
    profile.samples += times.tried;
    profile.interruptions += times.interrupted;
    profile.interrupted_seconds += seconds_of(times.interruption);
  }
  share_costs(sums, profile, cpu_seconds);
  add_edges(sums, profile);
  return profile;
}

}  // namespace cmc
