#include "checker/generator/wrappers/path_steps.h"

#include <algorithm>

#include "checker/generator/wrappers/chain_closer.h"
#include "checker/generator/wrappers/half_paths.h"
#include "ir/effects.h"

namespace cmc {

namespace {

bool looks_at_others(const Model& model) {
  if (model.uses_priority || model.uses_last) return true;
  if (std::ranges::any_of(model.proctypes, [](const Proctype& each) { return each.provided != kNoExpression; })) {
    return true;
  }
  return std::ranges::any_of(model.expressions, [](const Expression& expression) {
    switch (expression.op) {
      case Operator::kNonProgress:
      case Operator::kEnabled:
      case Operator::kLocationOf:
      case Operator::kRemoteLocation:
      case Operator::kRemoteVariable: return true;
      default: return false;
    }
  });
}

bool is_local(const Model& model, const Statement& statement) {
  const VariableReference& target = statement.target;
  switch (statement.kind) {
    case StatementKind::kSkip:
    case StatementKind::kElse: return true;
    case StatementKind::kCondition:
    case StatementKind::kAssert: return is_of_process(model, statement.expression);
    case StatementKind::kAssign:
      return is_of_process(model, statement.expression) &&
             (statement.discard_target ||
              (target.space == Space::kLocal && std::ranges::all_of(target.indices, [&](const auto& index) {
                 return is_of_process(model, index.expression);
               })));
    default: return false;
  }
}

bool meets(const Model& model, const Statement& statement) {
  if (statement.kind == StatementKind::kSend || statement.kind == StatementKind::kReceive) return true;
  return std::ranges::any_of(statement.body, [&](const DeterministicNode& node) {
    return std::ranges::any_of(node.alternatives, [&](const DeterministicNode::Alternative& each) {
      return meets(model, model.statements[each.statement]);
    });
  });
}

// By edges, whether a location may offer a handshake.
bool offers(const Model& model, const Location& location) {
  return std::ranges::any_of(location.edges,
                             [&](const Edge& edge) { return meets(model, model.statements[edge.statement]); });
}

// Whether it can matter somewhere that nobody is ready for a handshake: beside `else`, under an escape, or in an
// atomic sequence, which stops there.
bool tests_handshakes(const Model& model) {
  if (std::ranges::none_of(model.channel_types, [](const ChannelType& each) { return each.capacity == 0; }))
    return false;
  return std::ranges::any_of(model.proctypes, [&](const Proctype& proctype) {
    return std::ranges::any_of(proctype.locations, [&](const Location& location) {
      const bool here = offers(model, location);
      return std::ranges::any_of(location.edges, [&](const Edge& edge) {
        const StatementKind kind = model.statements[edge.statement].kind;
        const bool tests = edge.escape != 0 || kind == StatementKind::kElse || kind == StatementKind::kAtomicBlock;
        return (here && tests) || (edge.atomic && offers(model, proctype.locations[edge.target]));
      });
    });
  });
}

// A step that begins an atomic sequence takes all of it.
void exclude_mixed_sequences(const Proctype& proctype, std::vector<bool>& local) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < local.size(); ++i) {
      const bool mixed = local[i] && std::ranges::any_of(proctype.locations[i].edges, [&](const Edge& edge) {
                           return edge.atomic && !local[edge.target];
                         });
      if (mixed) local[i] = false;
      changed = changed || mixed;
    }
  }
}

// The variables of the process that a local statement reads or writes.
std::vector<uint32_t> touched_variables(const Model& model, const Statement& statement) {
  std::vector<uint32_t> touched;
  const auto touch = [&](const VariableReference& reference) {
    if (reference.space == Space::kLocal) touched.push_back(reference.variable);
  };
  for_each_expression(model, statement, [&](const Expression& each) {
    if (each.op == Operator::kVariable) touch(each.reference);
  });
  for_each_written(model, statement, touch);
  return touched;
}

// Of a way of local steps from an edge of the location back to it, on which there is no choice: the variables that
// its first statement touches, or, if that touches none, such as `true`, the first one that does. Empty: there is no
// such way.
std::vector<uint32_t> first_touched(const Model& model, const Proctype& proctype, const std::vector<bool>& local,
                                    LocationId location, const Edge& first) {
  std::vector<uint32_t> touched;
  const Edge* edge = &first;
  for (size_t i = 0; i < proctype.locations.size(); ++i) {
    if (touched.empty()) touched = touched_variables(model, model.statements[edge->statement]);
    if (edge->target == location) return touched;
    const std::vector<Edge>& next = proctype.locations[edge->target].edges;
    if (!local[edge->target] || next.size() != 1) break;
    edge = &next.front();
  }
  return {};
}

// Whether a loop of local steps goes on from the location in several ways, of which two touch no common variable
// first: several counters, each of which goes on where the others are. Paths from there rarely meet, so they would be
// taken back (ChainCloser), and all that they touched would count as what the step before them depends on.
bool is_wide(const Model& model, const Proctype& proctype, const std::vector<bool>& local, LocationId location) {
  std::vector<std::vector<uint32_t>> ways;
  for (const Edge& edge : proctype.locations[location].edges) {
    if (model.statements[edge.statement].kind == StatementKind::kElse) continue;
    std::vector<uint32_t> touched = first_touched(model, proctype, local, location, edge);
    if (touched.empty()) continue;
    const auto has_none_of = [&](const std::vector<uint32_t>& other) {
      return std::ranges::find_first_of(other, touched) == other.end();
    };
    if (std::ranges::any_of(ways, has_none_of)) return true;
    ways.push_back(std::move(touched));
  }
  return false;
}

// Local steps end at wide loops.
void exclude_wide_loops(const Model& model, LocalLocations& all) {
  for (size_t i = 0; i < all.size(); ++i) {
    const std::vector<bool> local = all[i];
    for (size_t location = 0; location < local.size(); ++location) {
      if (local[location] && is_wide(model, model.proctypes[i], local, static_cast<LocationId>(location)))
        all[i][location] = false;
    }
  }
}

class LocalPaths final : public ChainCloser {
 public:
  LocalPaths(std::unique_ptr<SuccessorGenerator> inner, const Model& model, LocalLocations local)
      : ChainCloser(std::move(inner), model), local_(std::move(local)), halves_(this->inner(), model, local_) {}

  [[nodiscard]] bool has_halves() const override { return inner().has_halves(); }
  void half(ByteView state, uint8_t pid, bool timeout, const RendezvousMessage* message, TouchTrace* trace,
            Half& out) override {
    halves_.half(state, pid, timeout, message, trace, out);
  }

 private:
  void find_movers(ByteView state, std::span<const Step> first_steps, std::vector<uint8_t>& movers) override {
    const auto add = [&](uint8_t pid) {
      if (std::ranges::find(movers, pid) == movers.end() && halves_.is_local(state, pid)) movers.push_back(pid);
    };
    uint8_t last = kNoProcess;
    for (const Step& step : first_steps) {
      if (step.pid != last) add(step.pid);
      if (step.partner != kNoProcess) add(step.partner);
      last = step.pid;
    }
  }
  void finish(std::byte*) override {}
  [[nodiscard]] bool may_end_anywhere() const override { return true; }

  const LocalLocations local_;
  HalfPaths halves_;
};

}  // namespace

LocalLocations local_locations(const Model& model) {
  const bool all_visible = looks_at_others(model);
  const bool offers_seen = tests_handshakes(model);
  LocalLocations all;
  for (const Proctype& proctype : model.proctypes) {
    std::vector<bool>& local = all.emplace_back();
    for (const Location& location : proctype.locations) {
      local.push_back(!all_visible && !location.edges.empty() &&
                      std::ranges::all_of(location.edges, [&](const Edge& edge) {
                        return is_local(model, model.statements[edge.statement]) &&
                               !(offers_seen && offers(model, proctype.locations[edge.target]));
                      }));
    }
    exclude_mixed_sequences(proctype, local);
  }
  return all;
}

std::unique_ptr<SuccessorGenerator> close_local_paths(std::unique_ptr<SuccessorGenerator> generator,
                                                      const Model& model) {
  LocalLocations local = local_locations(model);
  exclude_wide_loops(model, local);
  const auto has_one = [](const std::vector<bool>& each) { return std::ranges::find(each, true) != each.end(); };
  if (std::ranges::none_of(local, has_one)) return generator;  // whose steps it would only copy
  return std::make_unique<LocalPaths>(std::move(generator), model, std::move(local));
}

}  // namespace cmc
