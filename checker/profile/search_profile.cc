#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

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

uint64_t sum_of(const ShapeCounts& counts, uint64_t Profile::Counts::*count) {
  uint64_t sum = 0;
  for (const Profile::Counts& each : counts.counts) sum += each.*count;
  return sum;
}

// Divides `whole` among the edges in the ratio of a count, with the sum kept (largest remainders); by transitions, if
// the count is 0 everywhere; as not known, if these are as well.
std::vector<uint64_t> apportion(uint64_t whole, const ShapeCounts& counts, uint64_t Profile::Counts::*count) {
  std::vector<uint64_t> parts(counts.counts.size());
  if (sum_of(counts, count) == 0) count = &Profile::Counts::transitions;
  const uint64_t sum = sum_of(counts, count);
  if (sum == 0) {
    parts.back() = whole;
    return parts;
  }
  std::vector<std::pair<double, size_t>> remainders;
  uint64_t given = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const double share =
        static_cast<double>(whole) * static_cast<double>(counts.counts[i].*count) / static_cast<double>(sum);
    parts[i] = std::min(static_cast<uint64_t>(share), whole - given);
    given += parts[i];
    if (counts.counts[i].*count > 0) remainders.emplace_back(static_cast<double>(parts[i]) - share, i);
  }
  std::ranges::sort(remainders);
  for (size_t i = 0; given < whole; ++given, ++i) ++parts[remainders[i % remainders.size()].second];
  return parts;
}

double ratio(uint64_t whole, uint64_t part) {
  return part == 0 ? 0 : static_cast<double>(whole) / static_cast<double>(part);
}

// Makes counts larger by the factors, but for those whose sum is known.
void spread(ShapeCounts& counts, double asked, double taken, uint64_t transitions, uint64_t first_reached) {
  const std::vector<uint64_t> lead = apportion(transitions, counts, &Profile::Counts::transitions);
  const std::vector<uint64_t> first = apportion(first_reached, counts, &Profile::Counts::first_reached);
  counts.scale(asked, taken);
  for (size_t i = 0; i < lead.size(); ++i) {
    Profile::Counts& each = counts.counts[i];
    each.transitions = lead[i];
    each.executed = std::max(each.executed, each.transitions);
    each.first_reached = first[i];
  }
}

}  // namespace

SearchProfile::SearchProfile(const Model& model, const ProfileOptions& options,
                             std::span<const std::unique_ptr<SuccessorGenerator>> generators)
    : model_(model), options_(options) {
  for (const auto& generator : generators) {
    workers_.push_back(std::make_unique<WorkerProfile>(model, shapes_, *generator, options));
  }
}

void SearchProfile::forget() {
  for (const auto& worker : workers_) worker->forget();
}

// For all workers.
struct SearchProfile::Sums {
  explicit Sums(uint32_t edges_known) : counts(edges_known), edges(edges_known + size_t{1}) {}

  ShapeCounts counts;
  std::vector<Profile::Edge> edges;
  double generator = 0;  // nanoseconds
  double computing = 0;  // likewise: all that computations took
  double expanding = 0;  // likewise: that expanding states took
};

// Of steps that have numbers.
void SearchProfile::add_numbered(const WorkerProfile& worker, ShapeCounts& counts) const {
  const auto at = [](const std::vector<uint64_t>& values, size_t i) { return i < values.size() ? values[i] : 0; };
  const size_t end = std::max({worker.asked_.size(), worker.taken_.size(), worker.computed_.size()});
  for (uint32_t number = 1; number < end; ++number) {
    const uint64_t taken = at(worker.taken_, number);
    const uint64_t asked = at(worker.asked_, number) + (worker.parts_are_asked_ ? taken : 0);
    const uint64_t computed = at(worker.computed_, number);
    if (asked + taken + computed == 0) continue;
    const StepShape& shape = shapes_.shape(number);
    counts.ask(shape, asked);
    counts.take(shape, taken);
    counts.compute(shape, computed);
  }
  for (const auto& [move, successors] : worker.moves_) {
    const StepShape::Run* const run =
        shapes_.shape(static_cast<uint32_t>(move >> 32)).run_of(static_cast<uint32_t>(move));
    if (run != nullptr) counts.execute(*run, successors, &Profile::Counts::executed);
  }
  for (size_t i = 0; i < counts.counts.size(); ++i) counts.counts[i].first_reached += worker.first_reached_[i];
}

// What samples of steps without numbers stand for: so much that the sums of transitions and new states are those of
// all batches that were counted.
void SearchProfile::add_unnumbered(ShapeCounts& counts) const {
  ShapeCounts estimated(static_cast<uint32_t>(counts.counts.size() - 1));
  uint64_t transitions = 0;
  uint64_t steps = 0;
  uint64_t weight = 0;
  uint64_t first = std::exchange(counts.counts.back().first_reached, 0);
  for (const auto& worker : workers_) {
    estimated.add(worker->estimated_);
    transitions += worker->transitions_;
    steps += worker->asked_[0] + (worker->parts_are_asked_ ? worker->taken_[0] : 0) + worker->samples_steps_;
    weight += worker->samples_weight_;
    first += worker->samples_new_;
  }
  transitions -= sum_of(counts, &Profile::Counts::transitions);
  const double asked = ratio(steps, weight);
  const double taken = ratio(transitions, sum_of(estimated, &Profile::Counts::transitions));
  spread(estimated, asked, taken, transitions, first);
  counts.add(estimated);
}

// Of all batches. Those that were counted stand for the others.
void SearchProfile::add_counts(Sums& sums, Profile& profile, const Totals& totals) const {
  ShapeCounts& counts = sums.counts;
  uint64_t transitions = 0;
  uint64_t counted = 0;
  bool skips = false;
  for (const auto& worker : workers_) {
    add_numbered(*worker, counts);
    counts.add(worker->certain_);
    transitions += worker->transitions_;
    const auto sum = [](const std::vector<uint64_t>& values) {
      return std::accumulate(values.begin(), values.end(), uint64_t{0});
    };
    profile.asked +=
        sum(worker->asked_) + (worker->parts_are_asked_ ? sum(worker->taken_) : 0) + worker->samples_asked_;
    profile.sampled += worker->samples_counted_;
    counted += worker->counted_ - worker->unnumbered_;
    skips = skips || worker->skips_;
  }
  add_unnumbered(counts);
  if (skips) {
    const double factor = ratio(totals.transitions, transitions);
    spread(counts, factor, factor, totals.transitions, std::max<uint64_t>(totals.states, 1) - 1);
    profile.asked = static_cast<uint64_t>(std::llround(static_cast<double>(profile.asked) * factor));
    profile.asked = std::max(profile.asked, counted + 1);
  }
  profile.uncounted = profile.asked - counted;
  for (size_t i = 0; i < sums.edges.size(); ++i) sums.edges[i] += counts.counts[i];
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
  share(keys, sums.counts.keys, sums.edges, &Profile::Cost::keys);
  share(look_ups, sums.counts.look_ups, sums.edges, &Profile::Cost::look_ups);
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

Profile SearchProfile::collect(const Totals& totals) {
  Profile profile;
  profile.every = options_.every;
  profile.knows_first_reached = totals.knows_first_reached;
  const EdgeWalk walk(model_);
  Sums sums(walk.edges());
  for (const auto& worker : workers_) worker->edges_.clear();
  add_counts(sums, profile, totals);
  add_times(sums, profile);
  share_costs(sums, profile, totals.cpu_seconds);

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
