#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/native/c_names.h"
#include "checker/native/c_text.h"
#include "ir/model.h"

namespace cmc::native {

// A marked comment (marked_text.h) with the place of a statement and its text.
[[nodiscard]] std::string describe(const Model& model, const Statement& statement);

// Without the parentheses around the whole, if there are some.
[[nodiscard]] std::string bare(const std::string& text);

// Writes the body of one C function: what the Machine concept (checker/generator/machine.h) asks of a statement or an
// expression.
//
// An expression becomes C statements, which note what is touched and check indices and divisors, and a C expression
// without side effects, which is valid until the state changes. So errors come in the order of the operands, whatever
// the order in which C evaluates them.
//
// Constants are marked (marked_text.h). What the writer decides by their values is seen in the text: so functions
// whose texts differ in the marked constants only can be one function with parameters.
//
// What only the VM can do (run, enabled(), solver guards, embedded C, np_) makes the function unsupported().
class Writer {
 public:
  // `owner`: whose frame the code has.
  Writer(const Model& model, const CNames& names, CNames::Owner owner)
      : model_(model), names_(names), owner_(owner), code_(1) {}

  // For selections (CmcSelect): an error is not reported, but makes the function CMC_EXECUTABLE; nothing is
  // noted.
  void be_quiet() { quiet_ = true; }

  void test(const Statement& statement);
  void test_guard(ExpressionId guard);
  void execute(StatementId id);
  void message(const Statement& statement);
  void evaluate(ExpressionId id);

  [[nodiscard]] bool supported() const { return supported_; }
  [[nodiscard]] bool can_fail() const { return faults_ > 0; }
  [[nodiscard]] const std::string& code() const { return code_.text(); }

 private:
  // A C expression without side effects, and the range that its value is in. In parentheses unless it is a primary
  // expression or a call.
  struct Value {
    std::string text;
    int64_t low = INT32_MIN;
    int64_t high = INT32_MAX;
    uint32_t nesting = 0;
  };
  // A slot of a channel: C expressions.
  struct Slot {
    std::string channel;  // a struct Channel
    std::string number;
  };
  // What decides whether a receive takes a message.
  struct Receive {
    ExpressionId channel = kNoExpression;
    const std::vector<ReceiveArgument>& arguments;
    bool random = false;
    bool poll = false;
  };

  // Code in a block that need not be executed: what is touched there is not known to be touched behind it.
  void begin_conditional(const std::string& head);
  void end_conditional(const std::string& tail = "");
  // The code that `write` writes, which is to be in such a block.
  template <class F>
  [[nodiscard]] CText aside(F&& write) {
    CText before = std::exchange(code_, CText(code_.depth() + 1));
    const size_t known = touched_.size();
    write();
    touched_.resize(known);
    return std::exchange(code_, std::move(before));
  }
  void line(const std::string& text) { code_.line(text); }
  void touch(const std::string& address);
  void fail(const std::string& kind, const std::string& value);
  void fail_if(const std::string& condition, const std::string& kind, const std::string& value);
  [[nodiscard]] std::string fresh(const char* letter) { return letter + std::to_string(++names_given_); }
  [[nodiscard]] Value in_variable(const Value& value);
  [[nodiscard]] Value shallow(Value value);
  Value unsupported();

  // Expressions (write_expressions.cc).
  [[nodiscard]] std::optional<int32_t> constant(ExpressionId id) const;
  [[nodiscard]] bool is_fixed(const VariableReference& reference) const;
  [[nodiscard]] bool cannot_fail(ExpressionId id) const;
  Value value(ExpressionId id);
  Value load(const ScalarType& type, const std::string& address);
  Value unary(const Expression& e);
  Value binary(const Expression& e);
  Value division(const Expression& e, const Value& left, const Value& right);
  Value logical(const Expression& e);
  Value conditional(const Expression& e);
  Value remote_variable(const Expression& e);
  Value of_process(const Expression& e);
  Value of_channel(const Expression& e);
  [[nodiscard]] std::string process_named(const Expression& e);
  std::string place(const VariableReference& reference);
  std::string place(const VariableReference& reference, const std::string& base, CNames::Owner owner);
  void store(const ScalarType& type, const std::string& address, const Value& value);
  void evaluate_for_errors(ExpressionId id);

  // Channels (write_channels.cc).
  [[nodiscard]] std::string find_channel(const std::string& id);
  void seek_message(const Receive& receive, const std::string& otherwise, const std::string& channel,
                    const std::string& id, std::string& slot);
  [[nodiscard]] std::string find_slot(const std::vector<ReceiveArgument>& arguments, const std::string& channel,
                                      const std::string& otherwise);
  void match(const std::vector<ReceiveArgument>& arguments, const std::vector<Value>& known, const Slot& slot,
             const std::string& mismatch);
  Value receivable(const Receive& receive, bool numbered);
  void test_receive(const Statement& statement);
  void receive(const Statement& statement);
  [[nodiscard]] std::string begin_run(const VariableReference& first, size_t count, std::string& number);
  [[nodiscard]] std::string compose(const Statement& statement, std::string& channel, std::string& id);
  void send(const Statement& statement);

  // Statements (write_statements.cc).
  void require(ExpressionId id, bool sense, const std::string& otherwise);
  void refuse(ExpressionId id, bool sense);
  void write_refusals();
  void effect(const Statement& statement);
  void assign(const Statement& statement);
  void assertion(const Statement& statement);
  void set_priority(const Statement& statement);

  // Bodies of d_steps (write_blocks.cc).
  void block(StatementId id);
  void label(uint32_t node);
  std::optional<uint32_t> block_node(const DeterministicNode& node, std::vector<uint32_t>& waiting);
  void count();

  const Model& model_;
  const CNames& names_;
  const CNames::Owner owner_;
  CText code_;
  std::vector<std::string> touched_;    // addresses, in the block that is being written and around it
  std::vector<size_t> touched_before_;  // by open block: how many of them are those around it
  uint32_t names_given_ = 0;
  uint32_t faults_ = 0;  // places in the code where an error can be reported
  bool supported_ = true;
  bool quiet_ = false;
  std::vector<std::string> refusals_;  // of a quiet test: C conditions, each of which blocks, yet to be written

  // The d_step that is being written.
  StatementId block_ = kNoStatement;
  bool counts_ = false;     // its statements
  uint32_t uncounted_ = 0;  // statements since the last count
};

}  // namespace cmc::native
