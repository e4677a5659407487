#pragma once

#include <optional>
#include <vector>

#include "checker/vm/program.h"

// Translates expressions and statements to bytecode.
//
// Registers are a stack: every function gets the first free register and leaves its result there, or in register 0
// (_pid). Conditions become jumps (no truth values are made), comparisons of a variable with a small constant become
// one instruction. An expression that needs more registers than there are continues in a `call`.

namespace cmc::vm {

class Compiler {
 public:
  Compiler(const Model& model, Program& program) : model_(model), program_(program) {}

  void statement(StatementId id);
  // The address of code that ends with `result`; compiled if it was not yet.
  uint32_t expression(ExpressionId id);

 private:
  using Register = uint32_t;
  enum class Comparison : uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
  enum class Width : uint8_t { k8, k16, kSigned16, k32 };

  // A jump target that may not be known yet.
  struct Label {
    uint32_t address = kNoCode;
    std::vector<uint32_t> uses;
  };
  // Where a scalar is, after the code for its indices.
  struct Place {
    enum class Kind : uint8_t { kFixed, kElement, kComputed } kind = Kind::kFixed;
    enum class Index : uint8_t { kRegister, kGlobalByte, kLocalByte } index_in = Index::kRegister;  // kElement
    Space space = Space::kGlobal;
    Width width = Width::k8;
    uint32_t offset = 0;
    uint32_t count = 0;  // kElement
    uint32_t index =
        0;  // kElement: a register with the index, or where the byte is; kComputed: a register with a byte offset
  };

  static Label known(uint32_t address) { return Label{address, {}}; }
  static Width width_of(const ScalarType& type);

  uint32_t here() const { return static_cast<uint32_t>(program_.code.size()); }
  void emit(Opcode opcode, uint32_t a = 0, uint32_t b = 0, int32_t c = 0);
  void emit_jump(Opcode opcode, uint32_t a, uint32_t b, Label& target);
  void bind(Label& label);
  void finish_calls();

  std::optional<int32_t> constant(ExpressionId id);
  std::optional<Place> fixed_place(const Expression& expression);
  std::optional<Place> fixed_place(const VariableReference& reference);
  bool cannot_fail(ExpressionId id);

  Register value(ExpressionId id, Register free);
  void value_into(ExpressionId id, Register target);
  Register binary(const Expression& expression, Register free);
  Register boolean(ExpressionId id, Register free);
  Register found_slot(const Expression& e, Register free);
  Register conditional(const Expression& expression, Register free);
  Register remote_pid(const Expression& expression, Register free);
  Register remote_variable(const Expression& expression, Register free);
  Register remote_location(const Expression& expression, Register free);
  Register unary(Opcode opcode, const Expression& expression, Register free);
  Register with_constant(const Expression& expression, ExpressionId operand, int32_t constant, Register free);

  void branch(ExpressionId id, bool sense, Label& target, Register free);
  void branch_both(const Expression& expression, bool sense, Label& target, Register free);
  void compare(Comparison comparison, ExpressionId left, ExpressionId right, Label& target, Register free);
  void compare_constant(Comparison comparison, ExpressionId left, int32_t right, Label& target, Register free);
  void compare_register(Comparison comparison, Register left, int32_t right, Label& target, Register free);

  Register byte_offset(const std::vector<VariableReference::Index>& indices, Register free);
  Place place(const VariableReference& reference, Register& free);
  void load(const Place& place, Register target);
  void store(const Place& place, const ScalarType& type, Register source, Register free);
  void store_low_bits(const Place& place, const ScalarType& type, Register source, Register free);

  void test_receive(ExpressionId channel, const std::vector<ReceiveArgument>& arguments, bool random, Opcode test,
                    Label& blocked, Register free);
  void match(const std::vector<ReceiveArgument>& arguments, Register channel, Register slot, Label& mismatch,
             Register free);
  Register find_slot(const std::vector<ReceiveArgument>& arguments, Register channel, Label& none, Register free);

  void test_condition(const Statement& statement);
  void test_receive_statement(const Statement& statement);
  void assign(const Statement& statement);
  void choose(const Statement& statement);
  bool assign_constant(const Statement& statement);
  bool assign_increment(const Statement& statement);
  void send(const Statement& statement, Opcode opcode);
  void receive(const Statement& statement);
  void assertion(const Statement& statement);
  void effect(const Statement& statement);
  bool can_run_block(const Statement& block) const;
  bool cannot_fail_from(uint32_t begin) const;
  void block(StatementId id);
  void evaluate_for_errors(ExpressionId id, Register free);

  const Model& model_;
  Program& program_;
  std::vector<std::pair<uint32_t, ExpressionId>> calls_;  // `call` instructions whose code is still to be compiled
};

}  // namespace cmc::vm
