#include "checker/shorten/statement_graph.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/check.h"
#include "checker/generator/product_generator.h"
#include "checker/result/control.h"
#include "ir/scratch.h"

namespace cmc {

namespace {

constexpr uint64_t kExpandedPerQuestion = 16;
constexpr uint64_t kMostStates = StateSet::kMaxSize / 2;  // no state has as many successors

auto rank(const Step& step) {
  return std::tuple(step.pid, step.location, step.edge, step.partner, step.partner_location, step.partner_edge,
                    step.witness, step.inside_rendezvous, step.timeout);
}

int compare(const Step& a, const Step& b) {
  const auto left = rank(a);
  const auto right = rank(b);
  return left < right ? -1 : right < left ? 1 : 0;
}

// The steps of the claim only, or those of processes only.
int compare_part(std::span<const Step> a, std::span<const Step> b, bool of_claim) {
  const auto next = [&](std::span<const Step> steps, size_t from) {
    while (from < steps.size() && (steps[from].pid == kNoProcess) != of_claim) ++from;
    return from;
  };
  size_t i = next(a, 0);
  size_t j = next(b, 0);
  for (; i < a.size() && j < b.size(); i = next(a, i + 1), j = next(b, j + 1)) {
    if (const int order = compare(a[i], b[j]); order != 0) return order;
  }
  return static_cast<int>(i < a.size()) - static_cast<int>(j < b.size());
}

bool is_before(const StatementGraph::Error& a, const StatementGraph::Error& b) {
  if (const int order = compare_steps(a.steps, b.steps); order != 0) return order < 0;
  const auto key = [](const StatementGraph::Error& error) {
    return std::tuple(error.kind.error_class, error.kind.runtime, error.place, std::string_view(error.message));
  };
  return key(a) < key(b);
}

}  // namespace

int compare_steps(std::span<const Step> a, std::span<const Step> b) {
  const int order = compare_part(a, b, false);
  return order != 0 ? order : compare_part(a, b, true);
}

StatementGraph::StatementGraph(SuccessorGenerator& statements, const Model& model, const SearchOptions& options,
                               bool keep_edges)
    : statements_(statements),
      model_(model),
      options_(options),
      keep_edges_(keep_edges),
      set_(ignored_bytes(model)) {}

void StatementGraph::start(ByteView state) {
  CHECK(set_.size() == 0);
  set_.insert(state);
  parents_.push_back(0);
  levels_.push_back(0);
  levels_.push_back(1);
}

void StatementGraph::generate(Id id) {
  batch_.clear();
  statements_.successors(set_.get(id), batch_);
  order_.resize(batch_.entries.size());
  std::iota(order_.begin(), order_.end(), 0);
  const auto is_first = [&](uint32_t a, uint32_t b) { return compare_steps(steps_of(a), steps_of(b)) < 0; };
  if (!std::ranges::is_sorted(order_, is_first)) std::ranges::stable_sort(order_, is_first);
}

void StatementGraph::expand_next(Effort& effort) {
  const Id id = static_cast<Id>(expanded_++);
  generate(id);
  effort.spend(1 + order_.size());
  if (keep_edges_) first_edges_.push_back(targets_.size());
  for (const uint32_t entry : order_) {
    const StateSet::Inserted inserted = set_.insert(batch_.state(batch_.entries[entry]));
    if (inserted.is_new) parents_.push_back(id);
    if (keep_edges_) targets_.push_back(inserted.id);
  }
  if (expanded_ == levels_.back()) levels_.push_back(static_cast<Id>(set_.size()));
  note_errors(id);
  if (!keep_edges_ || !model_.claim.exists()) return;
  const ByteView state = set_.get(id);
  const bool stable = load<uint8_t>(state.data() + model_.atomic_holder_offset()) == kNoProcess;
  if ((stable || batch_.holder_released) && is_accepting(model_, state)) accepting_.push_back(id);
}

StatementGraph::LevelEnd StatementGraph::expand_level(Effort& effort, bool stops_at_error) {
  const size_t errors = errors_of_states.size();
  for (const Id end = levels_.back(); expanded_ < end;) {
    if (expanded_ % kExpandedPerQuestion == 0 && !effort.may_go_on(memory_bytes())) return LevelEnd::kCut;
    expand_next(effort);
    if (stops_at_error && errors_of_states.size() > errors && expanded_ < end) return LevelEnd::kError;
    if (set_.size() > kMostStates) return LevelEnd::kCut;
  }
  return LevelEnd::kWhole;
}

// Errors of steps are taken in the order of these, whatever the generator's is.
void StatementGraph::note_errors(Id id) {
  const size_t known = errors_of_steps.size();
  for (const RuntimeError& error : batch_.errors) note_error(error, id);
  std::ranges::sort(errors_of_steps.begin() + static_cast<ptrdiff_t>(known), errors_of_steps.end(), is_before);
  if (batch_.invalid_end && options_.check_end_states) {
    errors_of_states.push_back({ErrorKind::invalid_end_state(), kInvalidEndMessage, {}, id, {}});
  }
}

void StatementGraph::note_error(const RuntimeError& error, Id id) {
  const std::span<const Step> steps = batch_.path(error);
  has_gaps_ = has_gaps_ || (is_reason(error.kind) && !is_overflow(error.kind));
  if (is_reason(error.kind) || (options_.only_observers && !is_of_observer(error, steps))) return;
  std::vector<Error>& errors = steps.empty() ? errors_of_states : errors_of_steps;
  errors.push_back({ErrorKind{{}, error.kind}, error.message, error.place, id, {steps.begin(), steps.end()}});
}

uint64_t StatementGraph::depth_of(Id id) const {
  return static_cast<uint64_t>(std::ranges::upper_bound(levels_, id) - levels_.begin()) - 1;
}

uint64_t StatementGraph::memory_bytes() const {
  return set_.memory_bytes() + parents_.memory_bytes() + first_edges_.memory_bytes() + targets_.memory_bytes() +
         accepting_.capacity() * sizeof(Id);
}

std::vector<Step> StatementGraph::path_to(Id id) {
  std::vector<Id> way;
  for (; id != 0; id = parents_[id]) way.push_back(id);
  std::vector<Step> path;
  Id at = 0;
  for (size_t i = way.size(); i-- > 0; at = way[i]) {
    generate(at);
    const auto leads_on = [&](uint32_t entry) { return set_.find(batch_.state(batch_.entries[entry])) == way[i]; };
    const auto found = std::ranges::find_if(order_, leads_on);
    CHECK(found != order_.end());
    const std::span<const Step> steps = steps_of(*found);
    path.insert(path.end(), steps.begin(), steps.end());
  }
  return path;
}

void StatementGraph::visit_edges(Id source, const std::function<void(uint64_t, Id, std::span<const Step>)>& visit) {
  generate(source);
  for (size_t i = 0; i < order_.size(); ++i) {
    const uint64_t edge = first_edges_[source] + i;
    visit(edge, targets_[edge], steps_of(order_[i]));
  }
}

void StatementGraph::append_steps(Id source, uint64_t edge, std::vector<Step>& steps) {
  generate(source);
  const std::span<const Step> its = steps_of(order_[edge - first_edges_[source]]);
  steps.insert(steps.end(), its.begin(), its.end());
}

}  // namespace cmc
