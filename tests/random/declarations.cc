#include <algorithm>

#include "tests/random/model_writer.h"

namespace cmc::random {
namespace {

constexpr int kMaxCapacity = 3;

}  // namespace

std::string ModelWriter::type_name(FieldType type) const {
  static const char* kNames[] = {"bit", "bool", "byte", "short", "int", "unsigned", "mtype", "pid", "chan", ""};
  if (type.type == Type::kStruct) return definitions_[static_cast<size_t>(type.detail)].name;
  if (type.type == Type::kMtype && type.detail > 0) return "mtype:kind" + std::to_string(type.detail);
  return kNames[static_cast<size_t>(type.type)];
}

FieldType ModelWriter::random_type(bool in_message) {
  FieldType type;
  switch (random_.weighted(
      {3, 2, 10, 2, 4, in_message ? 0 : profile_.unsigned_type, 3, 1, definitions_.empty() ? 0 : 2})) {
    case 0: type.type = Type::kBit; break;
    case 1: type.type = Type::kBool; break;
    case 2: type.type = Type::kByte; break;
    case 3: type.type = Type::kShort; break;
    case 4: type.type = Type::kInt; break;
    case 5:
      type.type = Type::kUnsigned;
      type.bits = random_.between(1, random_.chance(80) ? 4 : 17);
      break;
    case 6:
      type.type = Type::kMtype;
      type.detail = static_cast<int>(random_.below(mtype_sets_.size()));
      break;
    case 7: type.type = Type::kPid; break;
    default:
      type.type = Type::kStruct;
      type.detail = static_cast<int>(random_.below(definitions_.size()));
      if (in_message && !flat(type)) type = FieldType{};
  }
  return type;
}

int ModelWriter::capacity(int channel_type) {
  if (!channel_types_[static_cast<size_t>(channel_type)].may_be_rendezvous) return random_.between(1, kMaxCapacity);
  if (random_.chance(30)) return random_.between(1, 2);
  has_rendezvous_ = true;
  return 0;
}

std::string ModelWriter::channel_type_text(int channel_type, int capacity) const {
  std::string text = "[" + std::to_string(capacity) + "] of { ";
  bool first = true;
  for (const FieldType& field : channel_types_[static_cast<size_t>(channel_type)].fields) {
    text += (first ? "" : ", ") + type_name(field);
    first = false;
  }
  return text + " }";
}

void ModelWriter::declare_types() {
  const int sets = random_.between(1, 2);
  for (int set = 0; set < sets; ++set) {
    std::vector<std::string> constants;
    const int count = random_.between(2, 3);
    text_ += set == 0 ? "mtype = { " : "mtype:kind" + std::to_string(set) + " = { ";
    for (int i = 0; i < count; ++i) {
      constants.push_back(name("M"));
      text_ += (i > 0 ? ", " : "") + constants.back();
    }
    text_ += " };\n";
    mtype_sets_.push_back(constants);
  }
  if (random_.chance(profile_.macros)) {
    macros_.push_back(name("N"));
    text_ += "#define " + macros_.back() + " " + std::to_string(random_.between(1, 3)) + "\n";
    const std::string function = name("F");
    text_ += "#define " + function + "(a) ((a) + \\\n  " + macros_.back() + ")\n";
    macros_.push_back(function + "(" + std::to_string(random_.below(3)) + ")");
  }
  const bool channels = random_.chance(profile_.channel);
  const auto add_channel_type = [&](bool of_definition) {
    ChannelType type;
    type.may_be_rendezvous = random_.chance(profile_.rendezvous);
    type.loose_bits = random_.chance(40);
    const int fields = of_definition ? 1 : static_cast<int>(1 + random_.weighted({5, 4, 2}));
    for (int i = 0; i < fields; ++i) {
      FieldType field = random_type(true);
      if (of_definition) {
        field = FieldType{Type::kStruct, 0, static_cast<int>(definitions_.size()) - 1};
      } else if (field.type == Type::kStruct && fields > 1 && random_.chance(70)) {
        field = FieldType{};
      } else if (!channel_types_.empty() && random_.chance(profile_.channel_messages)) {
        field = FieldType{Type::kChan, 0, static_cast<int>(random_.below(channel_types_.size()))};
      }
      type.fields.push_back(field);
    }
    channel_types_.push_back(type);
  };
  if (channels) add_channel_type(false);
  if (random_.chance(profile_.typedefs)) {
    const int count = random_.between(1, 2);
    for (int i = 0; i < count; ++i) {
      Definition definition;
      definition.name = name("T");
      const int fields = random_.between(1, 3);
      std::string body;
      const bool for_messages = random_.chance(50);
      for (int j = 0; j < fields; ++j) {
        Field field;
        field.name = name("f");
        field.type = random_type(for_messages);
        if (!for_messages && random_.chance(35)) field.count = random_.between(1, 3);
        if (field.type.type == Type::kUnsigned || (for_messages && field.type.type == Type::kStruct)) field.count = 0;
        body += "  " + type_name(field.type) + " " + field.name;
        if (field.type.type == Type::kUnsigned) body += " : " + std::to_string(field.type.bits);
        if (field.count > 0) body += "[" + std::to_string(field.count) + "]";
        if (channels && !for_messages && random_.chance(profile_.channel_fields)) {
          body += ";\n";
          definition.fields.push_back(field);
          field = Field{};
          field.name = name("q");
          field.type = FieldType{Type::kChan, 0, 0};
          field.initializer = channel_type_text(0, capacity(0));
          body += "  chan " + field.name + " = " + field.initializer;
        }
        body += j + 1 < fields ? ";\n" : "\n";
        definition.fields.push_back(field);
      }
      text_ += "typedef " + definition.name + " {\n" + body + "};\n";
      definitions_.push_back(definition);
      const FieldType type{Type::kStruct, 0, static_cast<int>(definitions_.size()) - 1};
      if (channels && flat(type) && random_.chance(60)) add_channel_type(true);
    }
  }
  if (channels && random_.chance(40)) add_channel_type(false);
}

void ModelWriter::add_leaves(Scope& scope, const Leaf& prefix, FieldType type, int count, bool readable,
                             bool lasting) {
  Leaf leaf = prefix;
  leaf.type = type;
  leaf.readable = readable;
  if (count > 0) {
    leaf.counts.push_back(count);
    if (type.type == Type::kStruct) leaf.parts.emplace_back();
  }
  if (type.type == Type::kStruct) {
    for (const Field& field : definitions_[static_cast<size_t>(type.detail)].fields) {
      Leaf inner = leaf;
      inner.parts.back() += "." + field.name;
      add_leaves(scope, inner, field.type, field.count, readable, lasting);
    }
  } else if (type.type == Type::kChan) {
    Channel channel;
    channel.leaf = leaf;
    channel.lasting = lasting;
    scope.channels.push_back(channel);
  } else {
    scope.leaves.push_back(leaf);
  }
}

std::string ModelWriter::initializer(Place* place, FieldType type) {
  if (type.type == Type::kMtype) return mtype_constant(type.detail);
  if (place != nullptr && random_.chance(30)) {
    std::vector<const Leaf*> sources;
    for (const Leaf* leaf : leaves(place->scope, true, true)) {
      if (leaf->type.type != Type::kMtype && leaf->parts[0].find('.') == std::string::npos) sources.push_back(leaf);
    }
    if (!sources.empty()) return random_.pick(sources)->parts[0] + (random_.chance(50) ? "" : " + 1");
  }
  return std::to_string(random_.below(type.type == Type::kBit || type.type == Type::kBool ? 2 : 4));
}

std::string ModelWriter::declare(Place& place, bool global, const std::string& variable, FieldType type, int count,
                                 bool hidden) {
  std::string text = (hidden                        ? "hidden "
                      : global && random_.chance(5) ? "local "
                                                    : "") +
                     type_name(type) + " " + variable;
  if (type.type == Type::kUnsigned) text += " : " + std::to_string(type.bits);
  if (count > 0) text += "[" + std::to_string(count) + "]";
  if (type.type != Type::kStruct && random_.chance(40)) {
    if (count > 0 && random_.chance(50)) {
      text += " = {";
      for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + std::to_string(random_.below(2));
      text += "}";
    } else {
      text += " = " + initializer(global && !random_.chance(20) ? nullptr : &place, type);
    }
  }
  Leaf leaf;
  leaf.parts = {variable};
  add_leaves(place.scope, leaf, type, count, !hidden, global);
  if (count > 0 && !hidden) place.scope.arrays.push_back(variable);
  if (type.type == Type::kStruct && count == 0 && !hidden) place.scope.structs.push_back({variable, type.detail});
  return text;
}

std::string ModelWriter::channel_declaration(Place& place, bool global, const std::string& variable, int channel_type,
                                             int count) {
  Leaf leaf;
  leaf.parts = {variable};
  const int slots = capacity(channel_type);
  add_leaves(place.scope, leaf, FieldType{Type::kChan, 0, channel_type}, count, true,
             global || profile_.own_channels_go);
  const ChannelType& type = channel_types_[static_cast<size_t>(channel_type)];
  if (global && count == 0 && slots > 0 && type.fields.size() == 1 && type.fields[0].type == Type::kStruct) {
    place.scope.channels.back().typedef_only = type.fields[0].detail;
  }
  return "chan " + variable + (count > 0 ? "[" + std::to_string(count) + "]" : "") + " = " +
         channel_type_text(channel_type, slots);
}

void ModelWriter::declare_globals() {
  Place place;
  std::string lines;
  for (size_t i = 0; i < definitions_.size(); ++i) {  // SPIN's verifier does not compile if its channels do not exist
    bool channels = false;
    for (const Field& field : definitions_[i].fields) channels = channels || !field.initializer.empty();
    if (channels)
      lines += declare(place, true, name("s"), FieldType{Type::kStruct, 0, static_cast<int>(i)}, 0, false) + ";\n";
  }
  const int count = random_.between(1, 4);
  for (int i = 0; i < count; ++i) {
    FieldType type = random_type(false);
    int elements = random_.chance(25) ? random_.between(1, 4) : 0;
    if (type.type == Type::kUnsigned) elements = 0;
    const bool hidden = type.type != Type::kBit && type.type != Type::kBool && type.type != Type::kStruct &&
                        random_.chance(profile_.hidden);
    lines += declare(place, true, name(hidden ? "h" : "g"), type, elements, hidden) + ";\n";
  }
  for (size_t type = 0; type < channel_types_.size(); ++type) {
    for (const FieldType& field : channel_types_[type].fields) {
      if (field.type == Type::kStruct && random_.chance(80)) {
        lines += declare(place, true, name("s"), field, 0, false) + ";\n";
      }
    }
    const int channels = random_.between(1, type == 0 ? 2 : 1);
    for (int i = 0; i < channels; ++i) {
      const int elements = random_.chance(20) ? random_.between(1, 2) : 0;
      lines += channel_declaration(place, true, name("q"), static_cast<int>(type), elements) + ";\n";
    }
  }
  text_ += lines;
  globals_ = place.scope;
}

std::string ModelWriter::local_declaration(Place& place) {
  FieldType type = random_type(false);
  const int count = type.type != Type::kUnsigned && random_.chance(15) ? random_.between(1, 3) : 0;
  const std::string variable = local_name(place);
  std::string text = type_name(type) + " " + variable;
  if (type.type == Type::kUnsigned) text += " : " + std::to_string(type.bits);
  if (count > 0) text += "[" + std::to_string(count) + "]";
  if (type.type != Type::kStruct && random_.chance(60)) {
    text += " = " + (type.type == Type::kMtype ? mtype_constant(type.detail) : expression(place, 1));
  }
  Leaf leaf;
  leaf.parts = {variable};
  add_leaves(place.scope, leaf, type, count, true, false);
  return text;
}

std::string ModelWriter::provided_clause() {
  if (!random_.chance(profile_.provided)) return "";
  Place place;
  place.scope = globals_;
  place.provided = true;
  const bool remote = uses_remote_;
  uses_remote_ = false;
  std::string text = " provided (" + condition(place, 1) + ")";
  uses_remote_ = remote;
  return text;
}

void ModelWriter::write_inline(int number) {
  Inline definition;
  definition.name = "in" + std::to_string(number);
  Place place;
  place.scope = globals_;
  place.in_inline = true;
  place.depth = 1;
  std::string parameters;
  const int count = random_.between(0, 2);
  for (int i = 0; i < count; ++i) {
    const std::string parameter = name("p");
    definition.by_reference.push_back(random_.chance(50));
    parameters += (i > 0 ? ", " : "") + parameter;
    Leaf leaf;
    leaf.parts = {parameter};
    // An argument that is only an expression can be read but not assigned: it is used in the assertion below.
    if (definition.by_reference.back()) {
      place.scope.leaves.push_back(leaf);
    } else {
      macros_.push_back(parameter);
    }
  }
  budget_ = 4;
  std::string body = sequence(place, random_.between(1, 3));
  if (random_.chance(25)) {
    definition.returns = true;
    body += std::string(body.ends_with(";") ? "" : ";") + "\nreturn " + expression(place, 1);
  }
  definition.receives = body.find('?') != std::string::npos;
  std::erase_if(macros_, [](const std::string& macro) { return macro[0] == 'p'; });
  text_ += "inline " + definition.name + "(" + parameters + ") {\n  " + hang(body, 2) + "\n}\n";
  inlines_.push_back(definition);
}

void ModelWriter::write_proctype(Proctype& process, bool active, int instances) {
  Place place;
  place.scope = globals_;
  place.process = &process;
  place.may_start_with_label = true;
  next_local_ = 0;
  std::string head;
  if (active) head = instances > 1 ? "active [" + std::to_string(instances) + "] " : "active ";
  head += random_.chance(profile_.deterministic) ? "D_proctype " : "proctype ";
  head += process.name + "(";
  for (size_t i = 0; i < process.parameters.size(); ++i) {
    const Field& parameter = process.parameters[i];
    head += (i > 0 ? "; " : "") + type_name(parameter.type) + " " + parameter.name;
    Leaf leaf;
    leaf.parts = {parameter.name};
    add_leaves(place.scope, leaf, parameter.type, 0, true, false);
  }
  head += ")";
  if (uses_priority_ && random_.chance(60)) head += " priority " + std::to_string(random_.between(1, 4));
  head += provided_clause();

  std::vector<std::string> items;
  const int locals = random_.between(0, 2);
  for (int i = 0; i < locals; ++i) {
    FieldType type = random_type(false);
    const int count = type.type != Type::kUnsigned && random_.chance(15) ? random_.between(1, 3) : 0;
    const std::string variable = local_name(place);
    items.push_back(declare(place, false, variable, type, count, false));
    if (count == 0 && type.type != Type::kStruct) process.remote_leaves.push_back(place.scope.leaves.back());
  }
  if (!channel_types_.empty() && random_.chance(profile_.own_channels)) {
    items.push_back(channel_declaration(
        place, false, name("q"), static_cast<int>(random_.below(channel_types_.size())), random_.chance(20) ? 2 : 0));
  }
  if (!channel_types_.empty() && random_.chance(profile_.channel_variables)) {
    const FieldType type{Type::kChan, 0, static_cast<int>(random_.below(channel_types_.size()))};
    const std::string value = value_for(place, type);
    const std::string variable = name("cv");
    if (random_.chance(50)) {
      items.push_back("chan " + variable);
      items.push_back(variable + " = " + value);
    } else {
      items.push_back("chan " + variable + " = " + value);
    }
    Channel channel;
    channel.leaf.parts = {variable};
    channel.leaf.type = type;
    channel.lasting = true;
    place.scope.channels.push_back(channel);
  }
  const int statements = random_.between(1, 4);
  items.push_back(random_.chance(45) ? labelled(place, selection(place, true)) : sequence(place, statements));

  std::string body = join(items);
  for (size_t at = body.find("goto @"); at != std::string::npos; at = body.find("goto @", at + 1)) {
    const std::string jump = process.labels.empty() ? "skip" : "goto " + random_.pick(process.labels);
    body.replace(at, 6, jump);
  }
  text_ += head + " {\n  " + hang(body, 2) + "\n}\n";
}

void ModelWriter::write_init(const std::vector<Proctype*>& started) {
  Proctype process;
  Place place;
  place.scope = globals_;
  place.process = &process;
  std::vector<std::string> items;
  for (const Proctype* proctype : started) {
    const std::string run = run_expression(place, *proctype);
    if (!run.empty()) items.push_back(run);
  }
  const size_t runs = items.size();
  std::vector<std::string> body;
  if (runs > 0) {
    body.push_back(random_.chance(60) ? "atomic " + braces(join(items)) : join(items));
    if (body.back().ends_with(";")) body.back().pop_back();
  }
  if (runs == 0 || random_.chance(40)) body.push_back(sequence(place, random_.between(1, 2)));
  std::string text = join(body);
  for (size_t at = text.find("goto @"); at != std::string::npos; at = text.find("goto @", at + 1)) {
    text.replace(at, 6, process.labels.empty() ? "skip" : "goto " + random_.pick(process.labels));
  }
  text_ += std::string("init") + (uses_priority_ && random_.chance(40) ? " priority 2" : "") + " {\n  " +
           hang(text, 2) + "\n}\n";
}

std::string ModelWriter::write(RandomProperty property) {
  if (profile_.choose > 0) text_ += "#define PROMELA_S 1\n";
  uses_last_ = random_.chance(profile_.last);
  uses_remote_ = random_.chance(profile_.remote);
  implied_semicolons_ = random_.chance(profile_.implied_semicolons);
  declare_types();
  declare_globals();
  for (const Definition& definition : definitions_) {
    for (const Field& field : definition.fields) has_rendezvous_ = has_rendezvous_ || !field.initializer.empty();
  }
  for (const ChannelType& type : channel_types_) has_rendezvous_ = has_rendezvous_ || type.may_be_rendezvous;
  uses_priority_ = !has_rendezvous_ && random_.chance(profile_.priorities);
  // No enabled() beside set_priority(): SPIN's verifier forgets in it that it only tests, and sets the priority.
  bool enabled = !has_rendezvous_ && !uses_priority_ && random_.chance(profile_.enabled);

  const bool init = random_.chance(profile_.init);
  const size_t count = static_cast<size_t>(random_.chance(10) ? 1 : random_.between(2, profile_.most_processes));
  std::vector<Proctype> processes(count);
  std::vector<bool> active(count);
  std::vector<Proctype*> started;
  for (size_t i = 0; i < count; ++i) {
    Proctype& process = processes[i];
    process.name = "P" + std::to_string(i);
    active[i] = !init || random_.chance(40);
    const int parameters = active[i] ? (random_.chance(10) ? 1 : 0) : random_.between(0, 2);
    for (int j = 0; j < parameters; ++j) {
      Field field;
      field.name = name("a");
      field.type = random_type(true);
      if (field.type.type == Type::kStruct && (active[i] || !flat(field.type))) field.type = FieldType{};
      if (!active[i] && !channel_types_.empty() && random_.chance(50)) {
        field.type = FieldType{Type::kChan, 0, static_cast<int>(random_.below(channel_types_.size()))};
      }
      process.parameters.push_back(field);
    }
    if (!active[i]) {
      started.push_back(&process);
      if (random_.chance(20)) started.push_back(&process);
    }
    if (!active[i] || random_.chance(30)) runnable_.push_back(&process);
  }
  const int inlines = random_.chance(profile_.inlines) ? random_.between(1, 2) : 0;
  for (int i = 0; i < inlines; ++i) write_inline(i);
  const size_t init_at = random_.chance(70) ? count : random_.below(count + 1);
  int next_pid = 0;
  const int share = 30 / static_cast<int>(count + 1);
  for (size_t i = 0; i <= count; ++i) {
    budget_ = random_.between(3, share);
    if (init && i == init_at) {
      write_init(started);
      ++next_pid;
    }
    if (i == count) break;
    budget_ = random_.between(3, share);
    processes[i].instances = random_.chance(20) ? 2 : 1;
    const bool alone = active[i] && std::find(runnable_.begin(), runnable_.end(), &processes[i]) == runnable_.end();
    uses_enabled_ = enabled && alone && processes[i].instances == 1;
    enabled = enabled && !uses_enabled_;
    if (active[i]) processes[i].first_pid = next_pid;
    if (active[i]) next_pid += processes[i].instances;
    write_proctype(processes[i], active[i], processes[i].instances);
    uses_enabled_ = false;
    written_.push_back(&processes[i]);
  }
  write_property(property);
  return text_;
}

}  // namespace cmc::random
