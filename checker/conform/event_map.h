#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checker/check/model_file.h"
#include "checker/conform/map_text.h"
#include "checker/generator/generator.h"

namespace cmc::conform {

// An expression of a rule: the model's language, with the fields of events among its names.
struct Term {
  ExpressionId id = kNoExpression;  // of EventMap::extended
  bool of_log = false;              // it reads a field
  int32_t field = -1;               // it is this field and nothing else
  std::string text;
};

struct Rule {
  RuleText text;
  std::vector<uint32_t> fields;  // numbers among all fields
  int32_t proctype = -1;         // -1: any
  std::optional<Term> pid;
  std::optional<Term> target;                  // the channel or variable
  std::vector<std::optional<Term>> arguments;  // none: any value
  std::vector<Term> where;
  // What its terms read of states but for variables of the process that moves: global bytes, or anything else.
  struct Range {
    uint32_t offset = 0;
    uint32_t size = 0;
  };
  std::vector<Range> reads;
  bool reads_more = false;
};

// A step as rules look at it: one of a process, its own or as the receiver of a rendezvous.
struct Seen {
  uint8_t pid = kNoProcess;
  ProctypeId proctype = 0;
  const Location* location = nullptr;  // that it leaves
  const Statement* statement = nullptr;
  RuleText::Kind kind = RuleText::Kind::kAny;
  int32_t target = 0;            // id of the channel; of kAssign the offset in the space
  Space space = Space::kGlobal;  // of kAssign
  std::vector<int32_t> values;
  std::vector<ScalarType> types;  // of the values, for people
};

// An event as a line of a log has it.
struct LoggedEvent {
  std::string event;
  std::vector<std::pair<std::string, std::string>> fields;  // "*": any value, or one that was not found
  bool is_known = true;                                     // each value was found

  [[nodiscard]] std::string text() const;  // "send(to=1, m=ack)"
};

// A map that fits a model. The model is compiled once more with hidden variables for the fields in front of all
// others, so that a state of it is the fields and a state of the model, one behind the other.
class EventMap {
 public:
  // Error: something in the map is unknown to the model, with its place.
  [[nodiscard]] static Result<EventMap> make(const LoadedModel& loaded, MapText text);

  [[nodiscard]] const std::vector<Rule>& rules() const { return rules_; }
  [[nodiscard]] const std::vector<std::string>& fields() const { return fields_; }
  [[nodiscard]] const MapText& text() const { return text_; }
  [[nodiscard]] bool knows(const std::string& event) const;
  // Whether the term is this global variable of the model.
  [[nodiscard]] bool is_variable(const Term& term, uint32_t offset) const;
  // Whether a rule reads a variable of the model that is declared `hidden`.
  [[nodiscard]] bool reads_hidden() const;

  // What steps (one choice: the last one, and d_steps that ran inside of it) show, each process by itself.
  [[nodiscard]] std::vector<Seen> seen_in(ByteView before, std::span<const Step> steps, ByteView after) const;
  // Whether the rule is about such a step, whatever the log says: all that reads no field fits.
  [[nodiscard]] bool observes(const Rule& rule, const Seen& seen, ByteView after) const;
  // Whether a step that the rule observes is the event with these values of all fields.
  [[nodiscard]] bool fits(const Rule& rule, const Seen& seen, ByteView after, std::span<const int32_t> values) const;

  // The pid that the rule gives events with these values, whatever the state; none: it gives none.
  [[nodiscard]] std::optional<int32_t> pid_named(const Rule& rule, std::span<const int32_t> values) const;

  // The event that the step is logged as.
  [[nodiscard]] LoggedEvent event_of(const Rule& rule, const Seen& seen, ByteView after) const;

 private:
  explicit EventMap(const Model& model) : model_(&model) {}
  [[nodiscard]] Status compile(const LoadedModel& loaded);
  void note_reads(Rule& rule) const;
  [[nodiscard]] bool agrees(const Rule& rule, const Seen& seen, ByteView after, std::span<const int32_t> values,
                            bool of_log) const;
  [[nodiscard]] std::optional<int32_t> value(const Term& term, const Seen& seen, ByteView after,
                                             std::span<const int32_t> values) const;
  [[nodiscard]] std::optional<int32_t> target_of(const Rule& rule, const Seen& seen, ByteView after,
                                                 std::span<const int32_t> values) const;

  const Model* model_;
  std::shared_ptr<const Model> extended_;
  MapText text_;
  std::vector<std::string> fields_;
  std::vector<Rule> rules_;
};

// The place in its space that the reference names in this state; none: an index is out of bounds.
[[nodiscard]] std::optional<uint32_t> offset_of(const Model& model, const VariableReference& reference,
                                                ByteView state, uint8_t pid);

}  // namespace cmc::conform
