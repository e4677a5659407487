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
  const auto has_one = [](const std::vector<bool>& each) { return std::ranges::find(each, true) != each.end(); };
  if (std::ranges::none_of(local, has_one)) return generator;  // whose steps it would only copy
  return std::make_unique<LocalPaths>(std::move(generator), model, std::move(local));
}

}  // namespace cmc
