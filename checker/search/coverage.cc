#include "checker/search/coverage.h"

#include "base/check.h"

namespace cmc {

namespace {

void collect_started(const Model& model, ExpressionId id, std::vector<ProctypeId>& started) {
  if (id == kNoExpression) return;
  const Expression& expression = model.expressions[id];
  for (const ExpressionId operand : expression.operands) collect_started(model, operand, started);
  if (expression.op == Operator::kRun) started.push_back(expression.proctype);
}

void collect_started(const Model& model, const Statement& statement, std::vector<ProctypeId>& started) {
  collect_started(model, statement.expression, started);
  for (const ExpressionId operand : statement.operands) collect_started(model, operand, started);
  for (const DeterministicNode& node : statement.body) {
    for (const DeterministicNode::Alternative& alternative : node.alternatives) {
      collect_started(model, model.statements[alternative.statement], started);
    }
  }
}

}  // namespace

Coverage::Coverage(const Model& model) : model_(model) {
  for (const Proctype& proctype : model.proctypes) {
    frame_bytes_.push_back(proctype.frame_bytes);
    std::vector<uint32_t>& first_edge = first_edges_.emplace_back();
    for (const Location& location : proctype.locations) {
      first_edge.push_back(static_cast<uint32_t>(effects_.size()));
      for (const Edge& edge : location.edges) {
        const Statement& statement = model.statements[edge.statement];
        Effect& effect = effects_.emplace_back();
        effect.ends_process = statement.kind == StatementKind::kEndProcess;
        collect_started(model, statement, effect.started);
      }
    }
    first_edge.push_back(static_cast<uint32_t>(effects_.size()));
  }
  marks_.resize(effects_.size());
}

void Coverage::enter(ByteView state) {
  processes_.clear();
  if (frame_bytes_.empty()) return;  // a model of a test, whose states are no Promela states
  const uint8_t count = load<uint8_t>(state.data() + model_.process_count_offset());
  size_t frame = model_.global_bytes;
  for (uint8_t pid = 0; pid < count; ++pid) {
    const ProctypeId proctype = load<ProctypeId>(state.data() + frame + kFrameProctype);
    DCHECK(proctype < model_.proctypes.size());
    processes_.push_back(proctype);
    frame += frame_bytes_[proctype];
  }
}

void Coverage::mark_sequence(std::span<const Step> steps, SequenceEnd end) {
  const std::vector<ProctypeId> start = processes_;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const bool last = i + 1 == steps.size();
    if (last && end == SequenceEnd::kFailed) {
      mark_edge(step.pid, step.location, step.edge, kTried);
      break;
    }
    mark(step);
    if (last && end == SequenceEnd::kCut) mark_edge(step.pid, step.location, step.edge, kCut);
    apply_effect(step.pid, step.location, step.edge);
    if (step.partner != kNoProcess) apply_effect(step.partner, step.partner_location, step.partner_edge);
  }
  processes_ = start;
}

void Coverage::apply_effect(uint8_t pid, LocationId location, uint16_t edge) {
  if (pid >= processes_.size()) return;
  const std::vector<uint32_t>& first_edge = first_edges_[processes_[pid]];
  if (location + size_t{1} >= first_edge.size()) return;
  const size_t index = first_edge[location] + edge;
  if (index >= first_edge[location + size_t{1}]) return;
  const Effect& effect = effects_[index];
  processes_.insert(processes_.end(), effect.started.begin(), effect.started.end());
  if (effect.ends_process) processes_.pop_back();
}

void Coverage::mark_successors(const SuccessorBatch& batch) {
  for (const SuccessorBatch::Entry& entry : batch.entries) {
    const std::span<const Step> steps = std::span(batch.steps).subspan(entry.path_begin, entry.path_count);
    if (steps.size() == 1) {
      mark(steps.front());
    } else {
      mark_sequence(steps, SequenceEnd::kCompleted);
    }
  }
  mark_endless(batch);
}

void Coverage::mark_endless(const SuccessorBatch& batch) {
  for (const SuccessorBatch::Path& path : batch.endless_paths) {
    mark_sequence(std::span(batch.steps).subspan(path.begin, path.count), SequenceEnd::kCut);
  }
}

void Coverage::mark_errors(const SuccessorBatch& batch) {
  for (const RuntimeError& error : batch.errors) {
    const std::span<const Step> steps = std::span(batch.steps).subspan(error.path_begin, error.path_count);
    mark_sequence(steps, runtime_error_continues(error.kind) ? SequenceEnd::kCompleted : SequenceEnd::kFailed);
  }
}

void Coverage::merge(const Coverage& other) {
  for (size_t i = 0; i < marks_.size(); ++i) marks_[i] |= other.marks_[i];
}

ReachedLocations Coverage::reached() const {
  ReachedLocations result;
  for (const Proctype& proctype : model_.proctypes) result.reached.emplace_back(proctype.locations.size(), false);
  const auto mark_start = [&](ProctypeId id) {
    const LocationId start = model_.proctypes[id].start;
    if (start > 0) result.reached[id][start] = true;
  };
  for (const ActiveProcess& process : model_.active) mark_start(process.proctype);
  for (size_t p = 0; p < model_.proctypes.size(); ++p) {
    const std::vector<Location>& locations = model_.proctypes[p].locations;
    for (size_t i = 0; i < locations.size(); ++i) {
      for (size_t e = 0; e < locations[i].edges.size(); ++e) {
        const uint32_t index = first_edges_[p][i] + static_cast<uint32_t>(e);
        if (marks_[index] != 0) result.reached[p][i] = true;
        if ((marks_[index] & kTaken) == 0) continue;
        if ((marks_[index] & kCut) != 0 && result.endless_atomic.line == 0) {
          result.endless_atomic = model_.statements[locations[i].edges[e].statement].place;
        }
        const LocationId target = locations[i].edges[e].target;
        if (target > 0) result.reached[p][target] = true;
        for (const ProctypeId started : effects_[index].started) mark_start(started);
      }
    }
  }
  return result;
}

}  // namespace cmc
