#include "ir/validate.h"

#include <functional>

#include "tests/ir/example_model.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

TEST_CASE("validation: a valid model is accepted") {
  for (const std::string& problem : validate(example_model())) FAIL_CHECK(problem);
}

TEST_CASE("validation: a broken model is refused") {
  const auto broken = [](const char* words, const std::function<void(Model&)>& breaks) {
    Model model = example_model();
    breaks(model);
    std::string all;
    for (const std::string& problem : validate(model)) all += problem + "\n";
    INFO("expected \"" << words << "\" in:\n" << all);
    CHECK(all.find(words) != std::string::npos);
  };
  broken("operand", [](Model& m) { m.expressions.back().operands = {9999}; });
  broken("contains itself", [](Model& m) {
    const auto id = static_cast<ExpressionId>(m.expressions.size() - 1);
    m.expressions[id].op = Operator::kNot;
    m.expressions[id].operands = {id};
  });
  broken("has 2 operands", [](Model& m) {
    for (Expression& e : m.expressions) {
      if (e.op == Operator::kEnabled) e.operands.push_back(e.operands[0]);
    }
  });
  broken("overlap", [](Model& m) { m.globals[1].offset = m.globals[2].offset; });
  broken("does not fit", [](Model& m) { m.globals[1].offset = m.global_bytes; });
  broken("overlap", [](Model& m) { m.globals[1].offset = m.header_offset(); });
  broken("hidden", [](Model& m) { m.globals[0].hidden = false; });
  broken("overlap", [](Model& m) { m.channels[1].offset = m.channels[0].offset; });
  broken("has type", [](Model& m) { m.channels[0].type = 77; });
  broken("does not fit the frame", [](Model& m) { m.proctypes[1].channels[0].offset = 1000; });
  broken("field 1", [](Model& m) { m.channel_types[0].field_offsets[1] = 2; });
  broken("claim 3 of 0", [](Model& m) { m.properties = {{Property::Kind::kNeverClaim, "", {}, 3}}; });
  broken("start location", [](Model& m) {
    m.claims = {m.proctypes[0]};
    m.claims[0].start = 999;
  });
  broken("of its own", [](Model& m) { m.claims = {m.proctypes[1]}; });
  broken("ltl: formula", [](Model& m) { m.properties = {{Property::Kind::kLtl, "", {}}}; });
  broken("never claim: formula 0 of 0", [](Model& m) {
    m.properties = {{Property::Kind::kNeverClaim, "", {}, 0, 0}};
  });
  broken("on formula 0", [](Model& m) { m.formulas = {{Formula::Op::kAlways, 0}}; });
  broken("on formula 1", [](Model& m) { m.formulas = {{Formula::Op::kNot, 1}, {Formula::Op::kTrue}}; });
  broken("on formula 0", [](Model& m) { m.formulas = {{Formula::Op::kTrue}, {Formula::Op::kAlways, 0, 0}}; });
  broken("on formula", [](Model& m) { m.formulas = {{Formula::Op::kTrue}, {Formula::Op::kUntil, 0}}; });
  broken("expression 9999 does not exist", [](Model& m) {
    m.formulas = {{Formula::Op::kAtom, kNoFormula, kNoFormula, 9999}};
  });
  broken("only a process has", [](Model& m) {
    m.expressions[0] = {};
    m.expressions[0].op = Operator::kOwnPid;
    m.formulas = {{Formula::Op::kAtom, kNoFormula, kNoFormula, 0}};
  });
  broken("local", [](Model& m) {
    const ProctypeId child = 1;
    const VariableReference parameter = m.proctypes[child].parameters[0];
    Expression local;
    local.op = Operator::kVariable;
    local.reference = parameter;
    m.expressions.push_back(local);
    m.formulas = {{Formula::Op::kAtom, kNoFormula, kNoFormula, static_cast<ExpressionId>(m.expressions.size() - 1)}};
  });
  broken("_last", [](Model& m) {
    m.expressions[0] = {};
    m.expressions[0].op = Operator::kLast;
    m.uses_last = false;
    m.formulas = {{Formula::Op::kAtom, kNoFormula, kNoFormula, 0}};
  });
  broken("bits in", [](Model& m) { m.globals[1].type.bits = 33; });
  broken("mtype set 4", [](Model& m) { m.globals[3].type.mtype_set = 4; });
  broken("statement", [](Model& m) { m.proctypes[0].locations[1].edges[0].statement = 5000; });
  broken("edge to location 99", [](Model& m) { m.proctypes[0].locations[1].edges[0].target = 99; });
  broken("edge to location 0", [](Model& m) { m.proctypes[0].locations[1].edges[0].target = 0; });
  broken("escape location 99", [](Model& m) { m.proctypes[0].locations[1].edges[0].escape = 99; });
  broken("start location", [](Model& m) { m.proctypes[0].start = 0; });
  broken("proctype 3 does not exist", [](Model& m) { m.active[0].proctype = 3; });
  broken("with 1 arguments for 0 parameters", [](Model& m) { m.proctypes[1].parameters.clear(); });
  broken("not a plain local", [](Model& m) { m.proctypes[1].parameters[0].space = Space::kGlobal; });
  broken("initializer names channel", [](Model& m) { m.initializers[0].channel = 8; });
  broken("reference to bytes", [](Model& m) {
    for (Statement& s : m.statements) {
      if (s.kind == StatementKind::kAssign) s.target.offset = m.global_bytes;
    }
  });
  broken("node 12", [](Model& m) {
    for (Statement& s : m.statements) {
      if (s.kind == StatementKind::kAtomicBlock) s.body[0].alternatives[0].next = 12;
    }
  });
  broken("d_step inside", [](Model& m) {
    for (StatementId id = 0; id < m.statements.size(); ++id) {
      Statement& s = m.statements[id];
      if (s.kind == StatementKind::kAtomicBlock) s.body[0].alternatives[0].statement = id;
    }
  });
  broken("inside an expression", [](Model& m) {
    for (ExpressionId id = 0; id < m.expressions.size(); ++id) {
      if (m.expressions[id].op == Operator::kRun) m.expressions[3].operands = {id};
    }
  });
}

}  // namespace
}  // namespace cmc::test
