#include "ir/product.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace cmc {

namespace {

uint32_t place_frame(Model& model, uint32_t claim) {
  CHECK(claim < model.claims.size() && model.claims[claim].channels.empty());
  uint32_t offset = model.global_bytes;
  for (const ChannelInstance& channel : model.channels) offset = std::min(offset, channel.offset);
  const uint32_t bytes = model.claims[claim].frame_bytes;
  for (ChannelInstance& channel : model.channels) channel.offset += bytes;
  model.global_bytes += bytes;
  return offset;
}

// A claim whose location 1 is its start, and whose last location is its end, which no edge leads to.
Proctype empty_claim(const char* name, size_t locations) {
  Proctype claim;
  claim.name = name;
  claim.locations.resize(locations + 2);
  claim.start = 1;
  claim.end = static_cast<LocationId>(locations + 1);
  claim.locations[claim.end].valid_end = true;
  return claim;
}

StatementId add_condition(Model& model, Operator op, const char* text) {
  Expression expression;
  expression.op = op;
  expression.value = 1;  // of a constant
  Statement statement;
  statement.kind = StatementKind::kCondition;
  statement.expression = static_cast<ExpressionId>(model.expressions.size());
  statement.text = text;
  model.expressions.push_back(std::move(expression));
  model.statements.push_back(std::move(statement));
  return static_cast<StatementId>(model.statements.size() - 1);
}

// SPIN's verifier counts a claim in _nr_pr, but looks for acceptance cycles through labels without one.
constexpr const char* kNoClaimOfSpin = "accept";
void leave_out_of_process_count(Model& model) {
  const size_t count = model.expressions.size();
  Expression one;
  one.value = 1;
  const auto its_number = static_cast<ExpressionId>(count);
  model.expressions.push_back(one);
  for (size_t id = 0; id < count; ++id) {
    if (model.expressions[id].op != Operator::kProcessCount) continue;
    Expression difference;
    difference.op = Operator::kSubtract;
    difference.operands = {static_cast<ExpressionId>(model.expressions.size()), its_number};
    model.expressions.push_back(model.expressions[id]);
    model.expressions[id] = std::move(difference);
  }
}

Edge edge_to(StatementId statement, LocationId target) {
  Edge edge;
  edge.statement = statement;
  edge.target = target;
  return edge;
}

uint32_t append(Model& model, Proctype claim) {
  model.claims.push_back(std::move(claim));
  return static_cast<uint32_t>(model.claims.size() - 1);
}

}  // namespace

Model with_observers(const Model& model, uint32_t claim, uint32_t trace) {
  CHECK(!model.claim.exists() && !model.trace.exists());
  Model product = model;
  for (const auto& [number, observer] : {std::pair{claim, &product.claim}, std::pair{trace, &product.trace}}) {
    if (number == kNoClaim) continue;
    *observer = {number, place_frame(product, number)};
  }
  if (claim != kNoClaim && product.claims[claim].name == kNoClaimOfSpin && product.claims[claim].place.line == 0) {
    leave_out_of_process_count(product);
  }
  return product;
}

bool is_notrace(const Model& model) {
  return std::ranges::any_of(model.properties, [&](const Property& property) {
    return property.claim == model.trace.claim && property.kind == Property::Kind::kNotrace;
  });
}

bool has_accepting_location(const Model& model) {
  const auto accepts = [](const Proctype& proctype) {
    return std::ranges::any_of(proctype.locations, &Location::accepting);
  };
  return (model.claim.exists() && accepts(model.claims[model.claim.claim])) ||
         std::ranges::any_of(model.proctypes, accepts);
}

uint32_t add_non_progress_claim(Model& model) {
  Proctype claim = empty_claim("non-progress", 2);
  const StatementId always = add_condition(model, Operator::kConstant, "(1)");
  const StatementId np = add_condition(model, Operator::kNonProgress, "(np_)");
  claim.locations[1].edges = {edge_to(np, 2), edge_to(always, 1)};  // in the order of SPIN's
  claim.locations[2].edges = {edge_to(np, 2)};
  claim.locations[2].accepting = true;
  return append(model, std::move(claim));
}

uint32_t add_true_claim(Model& model) {
  Proctype claim = empty_claim(kNoClaimOfSpin, 1);
  claim.locations[1].edges = {edge_to(add_condition(model, Operator::kConstant, "(1)"), 1)};
  return append(model, std::move(claim));
}

}  // namespace cmc
