#pragma once

#include <string>
#include <vector>

#include "tests/random/profile.h"
#include "tests/random/random_model.h"
#include "tests/random/random_source.h"

// The writer behind random_model(): keeps what is declared, and writes text that uses it.

namespace cmc::random {

enum class Type { kBit, kBool, kByte, kShort, kInt, kUnsigned, kMtype, kPid, kChan, kStruct };

struct FieldType {
  Type type = Type::kByte;
  int bits = 0;    // kUnsigned
  int detail = 0;  // mtype set, channel type or typedef
};

struct ChannelType {
  std::vector<FieldType> fields;
  bool may_be_rendezvous = false;  // then it is never polled
  bool loose_bits = false;         // anything is sent into bit fields
};

// A scalar place: parts[0] [index] parts[1] [index] ...
struct Leaf {
  std::vector<std::string> parts;
  std::vector<int> counts;
  FieldType type;
  bool readable = true;
};

struct Channel {
  Leaf leaf;
  bool lasting = false;   // lives as long as the system: may be sent around
  int typedef_only = -1;  // `for (x in q)`: the typedef that is its one field; declared as a plain global
};

struct StructVariable {
  std::string name;
  int definition = 0;
};

struct Scope {
  std::vector<Leaf> leaves;
  std::vector<Channel> channels;
  std::vector<std::string> arrays;
  std::vector<StructVariable> structs;
};

struct Field {
  std::string name;
  FieldType type;
  int count = 0;            // 0: no array
  std::string initializer;  // of a channel
};

struct Definition {
  std::string name;
  std::vector<Field> fields;
};

struct Proctype {
  std::string name;
  std::vector<Field> parameters;
  std::vector<std::string> labels;
  std::vector<Leaf> remote_leaves;
  int first_pid = -1;  // of the active ones
  int instances = 0;
};

struct Inline {
  std::string name;
  std::vector<bool> by_reference;  // per parameter: an lvalue is needed
  bool receives = false;           // into such a parameter, perhaps
  bool returns = false;            // a value; then it is only called as `x = f()`
};

// Where a statement stands.
struct Place {
  Scope scope;
  int depth = 0;
  bool atomic = false;
  bool d_step = false;
  bool provided = false;  // a provided clause
  bool in_loop = false;   // `break` is possible
  bool in_inline = false;
  bool in_guard = false;  // the condition of a solver guard
  bool claim = false;     // a never claim: no process
  bool may_start_with_label = false;
  Proctype* process = nullptr;
};

class ModelWriter {
 public:
  ModelWriter(uint64_t seed, const Profile& profile) : random_(seed), profile_(profile) {}
  std::string write(RandomProperty property);

 private:
  // declarations.cc
  void declare_types();
  void declare_globals();
  void write_proctype(Proctype& process, bool active, int instances);
  void write_init(const std::vector<Proctype*>& started);
  void write_inline(int number);
  std::string declare(Place& place, bool global, const std::string& name, FieldType type, int count, bool hidden);
  std::string channel_declaration(Place& place, bool global, const std::string& name, int channel_type, int count);
  std::string local_declaration(Place& place);
  std::string initializer(Place* place, FieldType type);
  void add_leaves(Scope& scope, const Leaf& prefix, FieldType type, int count, bool readable, bool lasting);
  std::string type_name(FieldType type) const;
  std::string channel_type_text(int channel_type, int capacity) const;
  int capacity(int channel_type);
  FieldType random_type(bool in_message);
  std::string provided_clause();

  // claims.cc
  void write_property(RandomProperty property);
  void write_simple_property();
  void write_never_claim();
  void write_formula();
  std::string claim_place(const Place& place, bool last, const std::vector<std::string>& labels);
  std::string claim_option(const Place& place, const std::vector<std::string>& labels, bool loop);
  std::string claim_guard(const Place& place);
  std::string claim_assignment(const Place& place);
  std::string atom(const Place& place);
  std::string formula(const std::vector<std::string>& atoms, int depth);

  // expressions.cc
  std::string expression(const Place& place, int depth);
  std::string term(const Place& place, int depth);
  std::string condition(const Place& place, int depth);
  std::string guard(const Place& place);
  std::string exists(const Place& place, int depth);
  std::string range();
  static Place inside_guard(const Place& place);
  std::string constant();
  std::string value_for(const Place& place, FieldType type);
  std::string text_of(const Leaf& leaf, const Place& place);
  std::string index(const Place& place, int count);
  bool reads_handshake(const Place& place, const Channel& channel) const;
  std::string mtype_constant(int set);
  std::string poll(const Place& place, const Channel& channel);
  std::string receive_arguments(const Place& place, const Channel& channel, bool poll,
                                std::vector<std::string>* stored_names = nullptr);
  static int width(const FieldType& type, bool loose_bits);
  std::string send_arguments(const Place& place, const Channel& channel);
  std::string remote_reference();
  std::string other_pid();
  std::vector<const Leaf*> leaves(const Scope& scope, bool to_read, bool plain);
  const Channel* channel_of(const Scope& scope, int channel_type, bool lasting);
  bool flat(const FieldType& type) const;  // a struct without arrays

  // statements.cc
  std::string sequence(Place place, int count);
  std::string join(const std::vector<std::string>& items);
  std::string statement(Place& place);
  std::string first_statement(Place& place);
  std::string basic_statement(Place& place);
  std::string timeout(const Place& place, const std::string& text);
  std::string assignment(Place& place);
  std::string increment(Place& place);
  std::string send(const Place& place);
  std::string receive(const Place& place);
  std::string selection(Place& place, bool loop);
  std::string atomic_block(Place& place);
  std::string endless_loop(Place& place);
  std::string d_step_block(Place& place);
  std::string d_step_statement(Place& place, std::vector<std::string>& pending_labels);
  std::string d_step_sequence(Place place, int count);
  std::string unless_statement(Place& place);
  std::string for_statement(Place& place);
  std::string select_statement(Place& place);
  std::string choose_statement(const Place& place);
  std::string run_statement(Place& place);
  std::string run_expression(const Place& place, const Proctype& process);
  std::string call(Place& place);
  std::string print(const Place& place);
  std::string labelled(Place& place, std::string statement);
  std::string local_counter(Place& place, std::string& declaration);

  // Names of local variables repeat in other proctypes and, sometimes, in other blocks.
  std::string local_name(const Place& place) {
    return place.in_inline ? name("w") : "v" + std::to_string(next_local_++);
  }
  std::string name(const char* prefix) { return prefix + std::to_string(next_name_++); }

  RandomSource random_;
  const Profile& profile_;
  std::string text_;
  int next_name_ = 0;
  int next_local_ = 0;
  int budget_ = 0;  // statements left for the current body

  std::vector<std::vector<std::string>> mtype_sets_;  // constants; set 0 is unnamed
  std::vector<ChannelType> channel_types_;
  std::vector<Definition> definitions_;
  std::vector<Proctype*> written_;  // proctypes that remote references may name
  std::vector<Proctype*> runnable_;
  std::vector<Inline> inlines_;
  Scope globals_;
  std::vector<std::string> macros_;
  std::string claim_variable_;  // empty: the claim has none
  bool has_rendezvous_ = false;
  bool uses_last_ = false;
  bool uses_timeout_ = false;  // a process does
  bool uses_remote_ = false;
  bool uses_enabled_ = false;  // by the process being written: one that asks about one that asks is ill-defined
  bool uses_priority_ = false;
  bool implied_semicolons_ = false;
};

// `text` with every line but the first indented.
std::string hang(const std::string& text, int spaces);
std::string braces(const std::string& body);

}  // namespace cmc::random
