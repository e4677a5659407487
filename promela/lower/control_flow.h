#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "promela/sema/symbols.h"
#include "promela/text/diagnostic.h"

// From a body of statements to SPIN's state machine, with SPIN's numbering of states: counts of states and the values
// of pc_value and remote references depend on it.
//
// The steps: statements become elements in sequences (a do loop is a target, a choice and a break; a for loop becomes
// a do loop), escapes of `unless` are attached to every element they cover, atomic sequences are marked; each element
// then becomes a state with its transitions, and at last the intermediate states are eliminated: a choice takes over
// the transitions of its options' first elements, a covered state those of its escapes. The order of transitions, the
// moves of labels and the treatment of jumps out of atomic sequences follow the behaviour of SPIN 6.5.2's generator
// and of the `retrans` step of its verifier, traits included.

namespace cmc::promela {

struct FlowElement;

struct FlowSequence {
  FlowElement* first = nullptr;
  FlowElement* last = nullptr;
  FlowElement* extent = nullptr;  // the last element of the text; `last` may be a target appended behind it
};

struct FlowElement {
  enum class Kind : uint8_t {
    kStatement,
    kElse,
    kGoto,
    kBreakTarget,  // behind a do loop
    kTarget,       // behind a selection, before a loop's choice, behind an unless
    kIf,
    kDo,
    kUnless,  // branches: main sequence, escape
    kAtomic,
    kDStep,
    kBlock,  // branches[0]: the body
    kEnd,
  };
  Kind kind = Kind::kStatement;
  const ast::Statement* statement = nullptr;
  Location location;
  int number = 0;                      // SPIN's state number
  const LabelSymbol* label = nullptr;  // kGoto to a label
  int loop = -1;                       // kGoto by `break`: index of the loop that it leaves
  FlowElement* next = nullptr;
  std::vector<FlowSequence*> branches;
  std::vector<FlowSequence*> escapes;  // the latest attached (outermost) first
  bool atomic = false;                 // inside an atomic sequence, not its last element
  bool atomic_last = false;
  bool in_d_step = false;
  uint32_t d_step = 0;        // ControlFlow::d_step_ when this jump or d_step had been read
  bool no_operation = false;  // a declaration of a structure behind a statement: a step that does nothing
  bool emitted = false;
  // Where control rests that arrives here from outside of an atomic sequence [0] or from inside one [1].
  FlowElement* rest[2] = {nullptr, nullptr};
  uint32_t rest_epoch[2] = {0, 0};   // ControlFlow::epoch_ when that was found out, 0: never
  bool passing[2] = {false, false};  // it is being found out
};

struct FlowTransition {
  const FlowElement* element = nullptr;  // what is executed; null: nothing can be (a choice before its elimination)
  int number = 0;                        // of the element, or of the choice
  int target = 0;
  int escape = 0;  // the state number of the escape that it comes from, 0: none
  bool atomic = false;
  std::vector<int> escapes;
};

struct FlowState {
  std::vector<FlowTransition> transitions;
  const FlowElement* element = nullptr;
  std::vector<std::string> labels;
  bool valid_end = false;
  bool accepting = false;
  bool progress = false;
};

// The state machine of one body. Not thread-safe.
class ControlFlow {
 public:
  ControlFlow(const AnalysedProctype& proctype, const Sources& sources, Diagnostics& diagnostics);

  // Before generate(): SPIN turns a jump that a remote reference names into a skip and the jump.
  // Returns false if there is no such label.
  bool prepare_remote_label(const std::string& label);

  // Whether the label is on a statement inside a d_step, where no process is ever seen. REQUIRES: it exists.
  [[nodiscard]] bool label_in_d_step(const std::string& label) const;

  // Builds the states. `like_java`: inner escapes before outer ones (spin -J).
  void generate(bool like_java);

  [[nodiscard]] const std::vector<FlowState>& states() const { return states_; }
  [[nodiscard]] int start() const { return start_; }
  [[nodiscard]] int end() const { return end_; }
  // The state number that a remote reference to this label compares with; 0: no such label.
  [[nodiscard]] int label_state(const std::string& label) const;

  // How many elements there are, and SPIN's number of the first one, which goes on from proctype to proctype; to be
  // set from outside.
  [[nodiscard]] uint32_t element_count() const { return static_cast<uint32_t>(elements_.size()); }
  [[nodiscard]] uint32_t first_element() const { return first_element_; }
  void set_first_element(uint32_t number) { first_element_ = number; }

  // The element that control reaches from `element` through jumps and targets, or null: the end of the d_step that
  // it starts in. For the bodies of d_steps.
  [[nodiscard]] const FlowElement* follow_in_d_step(const FlowElement* element);
  // Skips targets and unless, as the generator does before it looks at an option's first element.
  [[nodiscard]] const FlowElement* option_start(const FlowElement* element) const;

 private:
  // A statement that has been read but is not yet part of a sequence.
  struct Node {
    FlowElement::Kind kind = FlowElement::Kind::kStatement;
    const ast::Statement* statement = nullptr;
    Location location;
    std::vector<FlowSequence*> sequences;
    std::vector<const ast::Statement*> labels;  // kLabel, innermost first
    const LabelSymbol* jump = nullptr;
    int loop = -1;
    uint32_t d_step = 0;  // ControlFlow::d_step_, of a jump or a d_step
    bool no_operation = false;
    [[nodiscard]] bool plain(FlowElement::Kind wanted) const { return kind == wanted && labels.empty(); }
  };
  struct LabelEntry {
    std::string name;
    const Scope* scope = nullptr;
    std::string_view inline_name;  // of the inline that it is written in
    Location location;
    FlowElement* element = nullptr;
    [[nodiscard]] bool special() const {
      return name.starts_with("accept") || name.starts_with("end") || name.starts_with("progress");
    }
  };

  // building
  [[nodiscard]] Node reduce(const ast::Statement& statement);
  [[nodiscard]] Node reduce_options(const ast::Statement& statement, FlowElement::Kind kind);
  [[nodiscard]] Node reduce_for(const ast::Statement& statement);
  [[nodiscard]] Node reduce_select(const ast::Statement& statement);
  [[nodiscard]] Node finish_counting_loop(const ast::Statement& statement, const ast::VariableRef& counter,
                                          bool with_else);
  [[nodiscard]] Node simple_node(const ast::Statement& statement) const;
  [[nodiscard]] Node break_node(const Location& location);
  void push_loop();
  [[nodiscard]] Node reduce_unless(const ast::Statement& statement);
  void add_declaration(const ast::Statement& statement);
  void add_steps(const ast::Sequence& sequence);
  void open();
  enum class Place : uint8_t { kBody, kEscape, kMain, kAtomic, kDStep, kBlock, kOption, kSynthetic };
  [[nodiscard]] FlowSequence* close(Place place, const Location& location);
  void add(const Node& node);
  [[nodiscard]] FlowElement* new_element(FlowElement::Kind kind, const ast::Statement* statement,
                                         const Location& location);
  [[nodiscard]] FlowElement* add_choice(const Node& node);
  [[nodiscard]] FlowElement* add_unless(const Node& node);
  void append(FlowElement* element, FlowSequence& sequence);
  void remove_redundant_skips(FlowSequence& sequence);
  void attach_escape(FlowSequence& covered, FlowSequence* escape);
  void attach_escape(FlowElement& element, FlowSequence* escape);
  void make_atomic(FlowSequence& sequence, bool d_step);
  void walk_atomic(FlowElement* from, FlowElement* to, bool d_step);
  [[nodiscard]] bool jumps_stay_inside(const FlowElement* from, const FlowElement* stop, int elements_before);
  void set_label(const ast::Statement& label, FlowElement* element);
  [[nodiscard]] std::string_view inline_around(const Location& location) const;
  void move_last_label(FlowElement& from, FlowElement& to);
  [[nodiscard]] FlowElement* find_label(const LabelSymbol& label) const;
  [[nodiscard]] FlowElement* jump_target(const FlowElement& jump);
  void refuse_jumps_to_d_steps();
  [[nodiscard]] const ast::Statement& synthesise_assignment(const ast::VariableRef& target, ast::ExpressionPtr value,
                                                            const Location& location);
  [[nodiscard]] const ast::Statement& synthesise_condition(const ast::VariableRef& left, ast::Op op,
                                                           ast::ExpressionPtr right, const Location& location);
  [[nodiscard]] ast::Statement& synthesise(ast::StatementKind kind, const Location& location);

  // generating
  void tie_loose_ends();
  [[nodiscard]] FlowElement* settle(FlowElement* element, bool from_atomic);
  [[nodiscard]] FlowElement* onward(FlowElement& element, bool from_atomic);
  // What settle() has found out about other elements may be wrong from now on.
  void forget_rests() { ++epoch_; }
  void emit(FlowSequence& sequence);
  void emit_block(FlowElement& element);
  void emit_simple(FlowElement& element);
  void emit_escapes(FlowElement& element);
  void bridge_atomic_jumps(FlowSequence& sequence);
  void eliminate_intermediate_states();
  void add_escape_transitions(bool like_java);
  void inherit_marks(int from, int to);
  void mark_labels();
  [[nodiscard]] FlowState& state(int number);

  const AnalysedProctype& proctype_;
  const Sources& sources_;
  Diagnostics& diagnostics_;
  std::deque<FlowElement> elements_;
  std::deque<FlowSequence> sequences_;
  std::deque<ast::Statement> synthesised_;
  std::vector<FlowSequence*> open_;
  std::vector<int> loops_;                // open ones, innermost last: indices into loop_exits_
  std::vector<FlowElement*> loop_exits_;  // set when the loop is complete
  std::deque<LabelEntry> labels_;         // in order of definition
  // Indices into labels_, in order of definition.
  std::unordered_map<std::string_view, std::vector<size_t>> labels_by_name_;
  std::unordered_map<const FlowElement*, std::vector<size_t>> labels_by_element_;
  uint32_t epoch_ = 1;
  // Number of the d_step that was opened last; 0: none was, or one has been closed since, be it inside another one.
  // SPIN allows a jump to a d_step if that is the same at the end of both.
  uint32_t d_step_ = 0;
  uint32_t d_steps_ = 0;
  FlowSequence* body_ = nullptr;
  int next_number_ = 1;
  uint32_t first_element_ = 0;
  std::vector<FlowState> states_;
  std::vector<std::vector<FlowTransition>> raw_;
  int start_ = 0;
  int end_ = 0;
};

}  // namespace cmc::promela
