#include "checker/spin/run_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "checker/trace/operands.h"
#include "checker/trace/step_values.h"
#include "ir/effects.h"
#include "ir/scalar.h"

namespace cmc::spin {
namespace {

// Whether the text, without parentheses around it, has an operator between two operands.
bool is_binary(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (depth < 0) return true;  // "(a)+(b)": the parentheses around it are none
    const bool is_operator = std::string_view("+-*/%<>=&|^").find(c) != std::string_view::npos || (c == '!' && i > 0);
    if (depth == 0 && i > 0 && is_operator) return true;
  }
  return false;
}

// The name of the symbol that a variable belongs to: "s" of "s.f", "x" of "x@12".
std::string_view symbol_of(std::string_view name) { return name.substr(0, name.find_first_of(".[@")); }

// SPIN's number of a type.
int type_number(const ScalarType& type) {
  switch (type.basic) {
    case BasicType::kBit: return 1;
    case BasicType::kUnsigned: return 5;
    case BasicType::kShort: return 16;
    default: return 8;
  }
}

bool is_structure(const Variable& variable) {
  if (variable.name.find('.') != std::string::npos) return true;
  return std::ranges::any_of(variable.dimensions, [](const auto& dimension) { return !dimension.suffix.empty(); });
}

size_t elements_of(const Variable& variable) {
  size_t count = 1;
  for (const Variable::Dimension& dimension : variable.dimensions) count *= dimension.count;
  return count;
}

std::string without_distinction(std::string name, const Variable& variable) {
  const size_t at = variable.distinction.empty() ? std::string::npos : name.find(variable.distinction);
  return at == std::string::npos ? name : name.erase(at, variable.distinction.size());
}

const ChannelImage* find_channel(const StateImage& state, const std::string& name) {
  const auto found = std::ranges::find(state.channels, name, &ChannelImage::name);
  return found == state.channels.end() ? nullptr : &*found;
}

// Local variables that the statement assigns to, by their numbers in the proctype: SPIN shows them also if the value
// is the same.
std::vector<uint32_t> assigned_locals(const Statement& statement) {
  std::vector<uint32_t> locals;
  const auto add = [&](const VariableReference& target) {
    if (target.space == Space::kLocal) locals.push_back(target.variable);
  };
  if (statement.kind == StatementKind::kAssign && !statement.discard_target) add(statement.target);
  for (const ReceiveArgument& argument : statement.arguments) {
    if (statement.kind == StatementKind::kReceive && argument.kind == ReceiveArgument::Kind::kStore)
      add(argument.store);
  }
  return locals;
}

// What a send or receive names: "q[i]" of "q[i]!1".
std::string channel_text(const std::string& statement) { return statement.substr(0, statement.find_first_of("!?")); }

}  // namespace

std::string listed_text(std::string text) {
  if (text.starts_with('(') && text.size() >= 2) {  // a condition
    const std::string_view inside = std::string_view(text).substr(1, text.size() - 2);
    return is_binary(inside) ? "(" + text + ")" : text;
  }
  if (text.starts_with("printf(")) std::ranges::replace(text, '"', '\'');
  return text;
}

std::string statement_text(const Statement& statement) {
  std::string text = listed_text(statement.text);
  if (statement.kind != StatementKind::kPrintf) return text;
  for (size_t at = text.find('\\'); at != std::string::npos; at = text.find('\\', at + 2)) text.insert(at, 1, '\\');
  return text;
}

std::string proctype_text(const Proctype& proctype) { return proctype.is_init ? ":init:" : proctype.name; }

void RunText::start(ByteView state) {
  const auto has = [&](std::initializer_list<Property::Kind> kinds) {
    return std::ranges::any_of(model_.properties, [&](const Property& property) {
      return std::ranges::find(kinds, property.kind) != kinds.end();
    });
  };
  if (!options_.guided && options_.statements) {
    for (const ProcessImage& process : decode_state(model_, state).processes) {
      sink_(fmt::format("  0:\tproc  - (:root:) creates proc {:2} ({})\n", process.pid,
                        proctype_text(proctype_of(process))));
    }
  }
  if (!options_.guided && has({Property::Kind::kNeverClaim})) {
    sink_("warning: never claim not used in random simulation\n");
  }
  if (!options_.guided && has({Property::Kind::kTrace, Property::Kind::kNotrace})) {
    sink_("warning: trace assertion not used in random simulation\n");
  }
  note_new_processes({}, state);
}

void RunText::fail(const std::vector<RuntimeError>& errors) {
  for (const RuntimeError& error : errors) print_error(error);
}

void RunText::note_new_processes(ByteView before, ByteView after) {
  const StateImage image = decode_state(model_, after);
  const uint32_t old_count = before.empty() ? 0 : load<uint8_t>(before.data() + model_.process_count_offset());
  if (image.processes.size() < old_count) {
    size_t kept = model_.channels.size();
    for (const ProcessImage& process : image.processes) kept += proctype_of(process).channels.size();
    queues_.forget_from(static_cast<uint32_t>(kept) + 1);
  }
  for (size_t pid = old_count; pid < image.processes.size(); ++pid) {
    ++created_;
    const std::string prefix = fmt::format("{}[{}].", image.processes[pid].proctype, pid);
    for (const ChannelImage& channel : image.channels) {
      if (channel.name.starts_with(prefix)) queues_.enter(channel.id);
    }
  }
}

// All elements of a global array get their numbers at its first use.
void RunText::enter_symbol(ByteView state, std::string_view symbol) {
  const StateImage image = decode_state(model_, state);
  for (const ChannelImage& channel : image.channels) {
    if (channel.id <= model_.channels.size() && symbol_of(channel.name) == symbol) queues_.enter(channel.id);
  }
}

void RunText::note_channels(ByteView state, ExpressionId id) {
  if (id == kNoExpression) return;
  const Expression& expression = model_.expressions[id];
  const VariableReference& reference = expression.reference;
  if (expression.op == Operator::kVariable && reference.space == Space::kGlobal &&
      reference.type.basic == BasicType::kChan) {
    enter_symbol(state, symbol_of(model_.globals[reference.variable].name));
  }
  for (const ExpressionId operand : expression.operands) note_channels(state, operand);
}

void RunText::note_channels(ByteView state, const Statement& statement) {
  note_channels(state, statement.channel);
  note_channels(state, statement.expression);
  for (const ExpressionId operand : statement.operands) note_channels(state, operand);
}

const Proctype& RunText::proctype_of(const ProcessImage& process) const {
  const auto found = std::ranges::find(model_.proctypes, process.proctype, &Proctype::name);
  CHECK(found != model_.proctypes.end());
  return *found;
}

std::string RunText::file_name(const SourcePlace& place) const {
  return place.line > 0 && place.file < model_.files.size() ? model_.files[place.file] : "-";
}

std::string RunText::error_prefix(const SourcePlace& place) const {
  return fmt::format("spin: {}:{}, Error: ", file_name(place), place.line);
}

std::string RunText::process_text(uint64_t depth, const ProcessImage& process) const {
  return fmt::format("{:3}:\tproc {:2} ({}:{}) ", depth, process.pid, proctype_text(proctype_of(process)),
                     process.priority);
}

void RunText::begin_depth(uint64_t depth, ByteView before) {
  if (options_.guided && depth == since_depth_) return;
  since_depth_ = depth;
  since_.assign(before.begin(), before.end());
  assigned_.clear();
  queues_.begin_step();
}

void RunText::step(uint64_t depth, const Step& step, ByteView before, ByteView after,
                   const std::vector<RuntimeError>& errors) {
  const bool is_merged = options_.guided && depth == since_depth_;
  begin_depth(options_.guided && step.partner != kNoProcess ? depth + 1 : depth, before);
  const ByteView behind = after.empty() ? before : after;
  const StateImage image = decode_state(model_, before);
  const StateImage next = decode_state(model_, behind);
  const bool shown = depth >= options_.skipped;
  const Actor actor{step.pid, find_edge(model_, before, step.pid, step.location, step.edge)};
  CHECK(actor.edge != nullptr);
  const Statement& statement = model_.statements[actor.edge->statement];
  if (is_merged && is_jump(statement)) return;  // SPIN shows jumps only where a step begins
  note_channels(before, statement);
  if (!options_.quiet_prints) {
    if (const auto printed = printed_by_step(model_, before, step)) sink_(margin(step.pid) + *printed);
  }
  if (statement.kind == StatementKind::kEndProcess) {
    note_new_processes(before, behind);
    if (!shown || !options_.statements) return;
    sink_(options_.guided ? fmt::format("{:3}: proc {} terminates\n", depth, step.pid)
                          : process_text(depth, image.processes[step.pid]) + margin(step.pid) + "terminates\n");
    return;
  }
  if (shown) print_creation(depth, actor, image, next);
  note_new_processes(before, behind);
  if (step.partner != kNoProcess) {
    for (const RuntimeError& error : errors) print_error(error);
  }
  for (const Truncation& each : truncations_of_step(model_, before, step)) {
    sink_(error_prefix(statement.place) + fmt::format("value ({}->{} ({})) truncated in assignment\n", each.value,
                                                      truncate(each.type, each.value), type_number(each.type)));
  }
  if (step.partner != kNoProcess) {
    if (shown) print_rendezvous(depth, actor, step, before, image, next);
    return;
  }
  if (shown) print_message(depth, actor, step, image, next, before);
  for (const RuntimeError& error : errors) print_error(error);
  if (!shown) return;
  print_actor(depth, actor, image);
  print_values(actor, next);
}

void RunText::print_creation(uint64_t depth, const Actor& actor, const StateImage& before, const StateImage& after) {
  if (after.processes.size() <= before.processes.size() || !options_.statements) return;
  const ProcessImage& created = after.processes.back();
  const std::string name = proctype_text(proctype_of(created));
  sink_(fmt::format("Starting {} with pid {}\n", name, created.pid));
  if (options_.guided) return;
  sink_(process_text(depth, before.processes[actor.pid]) +
        fmt::format("creates proc {:2} ({})\n", created.pid, name));
}

// A trail has a line for each half, a random run shows both together.
void RunText::print_rendezvous(uint64_t depth, const Actor& sender, const Step& step, ByteView before_bytes,
                               const StateImage& before, const StateImage& after) {
  const Actor receiver{step.partner,
                       find_edge(model_, before_bytes, step.partner, step.partner_location, step.partner_edge)};
  CHECK(receiver.edge != nullptr);
  if (options_.guided) {
    print_message(depth, sender, step, before, after, before_bytes);
    print_actor(depth, sender, before);
    print_values(sender, before);
    print_message(depth + 1, receiver, step, before, after, before_bytes);
    print_actor(depth + 1, receiver, before);
  } else {
    print_actor(depth, sender, before);
    print_actor(depth, receiver, before);
    print_message(depth, sender, step, before, after, before_bytes);
    print_message(depth, receiver, step, before, after, before_bytes);
  }
  print_values(receiver, after);
}

// With the statement's own number: that of the edge may be the number of the selection which it is an option of.
std::string RunText::place_text(const Actor& actor, const Proctype& proctype) const {
  const SourcePlace& place = model_.statements[actor.edge->statement].place;
  const LocationId own = proctype.owner(*actor.edge);
  const bool valid_end = proctype.locations[own].valid_end && !options_.for_interface;
  return fmt::format("{}:{} (state {}){}", file_name(place), place.line, own, valid_end ? " <valid end state>" : "");
}

void RunText::print_actor(uint64_t depth, const Actor& actor, const StateImage& before) {
  if (!options_.statements) return;
  const ProcessImage& process = before.processes[actor.pid];
  sink_(process_text(depth, process) + fmt::format("{}\t[{}]\n", place_text(actor, proctype_of(process)),
                                                   statement_text(model_.statements[actor.edge->statement])));
}

std::string RunText::choice_text(ByteView state, const Step& step) const {
  const Actor actor{step.pid, find_edge(model_, state, step.pid, step.location, step.edge)};
  CHECK(actor.edge != nullptr);
  const StateImage image = decode_state(model_, state);
  const Proctype& proctype = proctype_of(image.processes[step.pid]);
  return fmt::format("proc {:2} ({}:{}) {} [{}]", step.pid, proctype_text(proctype),
                     image.processes[step.pid].priority, place_text(actor, proctype),
                     statement_text(model_.statements[actor.edge->statement]));
}

bool RunText::asks(ByteView state, size_t choices) const {
  if (choices > 1) return true;
  return options_.for_interface && decode_state(model_, state).processes.size() > 1;
}

std::string RunText::prompt(size_t choices) const {
  return options_.for_interface ? fmt::format("Make Selection {}\n\n", choices)
                                : fmt::format("Select [1-{}]: ", choices);
}

void RunText::print_message(uint64_t depth, const Actor& actor, const Step& step, const StateImage& before,
                            const StateImage& after, ByteView before_bytes) {
  const Statement& statement = model_.statements[actor.edge->statement];
  const bool sends = statement.kind == StatementKind::kSend;
  if (!(sends ? options_.sends : options_.receives && statement.kind == StatementKind::kReceive)) return;
  const std::optional<MessageText> message = message_of_step(model_, before_bytes, step, before, after);
  const std::optional<int32_t> channel = value_of(model_, before_bytes, actor.pid, statement.channel);
  if (!message || !channel || *channel <= 0) return;
  const auto id = static_cast<uint32_t>(*channel);
  std::string name = channel_text(statement.text);
  if (name.find('[') != std::string::npos && id <= before.channels.size()) name = before.channels[id - 1].name;
  const std::string head = process_text(depth, before.processes[actor.pid]) +
                           fmt::format("{}:{} ", file_name(statement.place), statement.place.line);
  if (options_.for_interface) {
    sink_(head + fmt::format("(state -)\t[values: {}{}{}]\n", queues_.of(id), sends ? '!' : '?',
                             message_text(message->values, before)));
    return;
  }
  const char* const word = sends            ? (step.partner == kNoProcess ? "Send" : "Sent")
                           : statement.poll ? "[Recv]"
                                            : "Recv";
  sink_(head + fmt::format("{} {}\t{} queue {} ({})\n", word, message_text(message->values, before),
                           sends ? "->" : "<-", queues_.of(id), name));
}

// Fields that are channels are shown by their numbers.
std::string RunText::message_text(const std::string& values, const StateImage& state) const {
  std::string text;
  for (size_t begin = 0; begin <= values.size();) {
    const size_t end = std::min(values.find(',', begin), values.size());
    const std::string field = values.substr(begin, end - begin);
    const ChannelImage* const channel = find_channel(state, field);
    text += (begin == 0 ? "" : ",") + (channel == nullptr ? field : std::to_string(queues_.of(channel->id)));
    begin = end + 1;
  }
  return text;
}

void RunText::print_error(const RuntimeError& error) {
  const std::string place = error_prefix(error.place);
  if (error.kind != RuntimeErrorKind::kAssertion) {
    sink_(place + error.message + "\n");
    return;
  }
  constexpr std::string_view kPrefix = "assertion violated: ";
  std::string_view text = error.message;
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  sink_(place + fmt::format("assertion violated\nspin: text of failed assertion: {}\n", text));
}

// Only with statements, as in SPIN.
void RunText::print_values(const Actor& actor, const StateImage& after) {
  if (!options_.statements) return;
  const bool all = options_.all_values;
  const StateImage before = decode_state(model_, since_);
  const std::vector<uint32_t> assigned = assigned_locals(model_.statements[actor.edge->statement]);
  assigned_.insert(assigned_.end(), assigned.begin(), assigned.end());
  if (options_.globals) print_variables(model_.globals, before.globals, after.globals, "", after, all, {}, &before);
  if (options_.locals && actor.pid < after.processes.size()) {
    const ProcessImage& process = after.processes[actor.pid];
    const Proctype& proctype = proctype_of(process);
    print_variables(proctype.variables, before.processes[actor.pid].locals, process.locals,
                    fmt::format("{}({}):", proctype_text(proctype), process.pid), after, all, assigned_, &before);
  }
  if (options_.for_interface) sink_("\n");
}

// Interfaces are told what a step changes: `before` is the state that it was taken in.
void RunText::print_queue(const std::string& owner, const std::string& name, const std::string& channel,
                          const StateImage& state, const StateImage* before) {
  const ChannelImage* const image = find_channel(state, channel);
  if (image == nullptr || image->capacity == 0 || queues_.of(image->id) == 0) return;
  if (options_.for_interface && before != nullptr) {
    const ChannelImage* const previous = find_channel(*before, channel);
    const bool same = previous != nullptr && previous->messages == image->messages;
    if (same && !queues_.fresh(image->id)) return;
  }
  std::string messages;
  for (const std::string& message : image->messages) messages += "[" + message_text(message, state) + "]";
  sink_(fmt::format("\t\tqueue {} ({}{}): {}\n", queues_.of(image->id), owner, name, messages));
}

// Globals in their order, locals from the last one, as SPIN keeps them. An array is shown whole if one element
// changed; structures of processes always, global ones at the end only.
void RunText::print_variables(const std::vector<Variable>& variables, const std::vector<NamedValue>& before,
                              const std::vector<NamedValue>& after, const std::string& owner, const StateImage& state,
                              bool all, const std::vector<uint32_t>& assigned, const StateImage* previous) {
  struct Range {
    const Variable* variable = nullptr;
    size_t begin = 0;
    size_t end = 0;
  };
  std::vector<std::vector<Range>> symbols;  // structures have several variables
  size_t begin = 0;
  for (const Variable& variable : variables) {
    const size_t end = begin + elements_of(variable);
    if (end > after.size()) break;
    const bool joins = !symbols.empty() && is_structure(variable) && is_structure(*symbols.back().front().variable) &&
                       symbol_of(variable.name) == symbol_of(symbols.back().front().variable->name);
    if (!joins) symbols.emplace_back();
    symbols.back().push_back({&variable, begin, end});
    begin = end;
  }
  if (!owner.empty()) std::ranges::reverse(symbols);
  for (const std::vector<Range>& symbol : symbols) {
    for (const Range& range : symbol) {
      const bool channels = range.variable->type.basic == BasicType::kChan;
      const auto number = static_cast<uint32_t>(range.variable - variables.data());
      bool changed = all || (is_structure(*range.variable) && !owner.empty()) ||
                     std::ranges::find(assigned, number) != assigned.end();
      for (size_t i = range.begin; i < range.end && !is_structure(*range.variable); ++i) {
        changed = changed || i >= before.size() || before[i].value != after[i].value;
      }
      for (size_t i = range.begin; i < range.end; ++i) {
        const std::string name = without_distinction(after[i].name, *range.variable);
        if (channels) {
          if (is_structure(*range.variable) && owner.empty() && !all) continue;
          print_queue(owner, name, after[i].value, state, previous);
        } else if (changed) {
          sink_(fmt::format("\t\t{}{} = {}\n", owner, name, after[i].value));
        }
      }
    }
  }
}

void RunText::finish(ByteView state, uint64_t depth) {
  if (options_.guided) sink_(fmt::format("spin: trail ends after {} steps\n", depth));
  finish_failed(state, depth);
}

void RunText::finish_failed(ByteView state, uint64_t depth) {
  if (options_.final_state) print_final_state(state, depth);
  if (options_.guided && options_.for_interface) sink_("Exit-Status 0\n");
}

void RunText::print_final_state(ByteView state, uint64_t depth) {
  const StateImage image = decode_state(model_, state);
  if (!image.processes.empty()) {
    sink_(fmt::format("#processes: {}\n", image.processes.size()));
    print_variables(model_.globals, {}, image.globals, "", image, true);
    for (auto process = image.processes.rbegin(); process != image.processes.rend(); ++process) {
      const Proctype& proctype = proctype_of(*process);
      const bool shows_end = proctype.locations[process->location].valid_end && !options_.for_interface;
      sink_(process_text(depth, *process) + fmt::format("{}:{} (state {}){}\n", file_name(process->place),
                                                        process->place.line, process->location,
                                                        shows_end ? " <valid end state>" : ""));
      if (!options_.locals) continue;
      print_variables(proctype.variables, {}, process->locals,
                      fmt::format("{}({}):", proctype_text(proctype), process->pid), image, true);
    }
  }
  sink_(fmt::format("{} process{} created\n", created_, created_ == 1 && !options_.for_interface ? "" : "es"));
}

}  // namespace cmc::spin
