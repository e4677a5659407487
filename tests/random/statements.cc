#include <algorithm>
#include <cctype>

#include "tests/random/model_writer.h"

namespace cmc::random {
namespace {

constexpr int kMaxDepth = 4;

bool ends_block(const std::string& text) {
  return text.ends_with("}") || text.ends_with("\nfi") || text.ends_with("\nod");
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// How often `word` stands in the text as a whole word.
int occurrences(const std::string& text, const std::string& word) {
  int count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word(text[at - 1]);
    if (begins && (at + word.size() == text.size() || !is_word(text[at + word.size()]))) ++count;
  }
  return count;
}

}  // namespace

std::string hang(const std::string& text, int spaces) {
  std::string result;
  for (char c : text) {
    result += c;
    if (c == '\n') result.append(static_cast<size_t>(spaces), ' ');
  }
  return result;
}

std::string braces(const std::string& body) { return "{\n  " + hang(body, 2) + "\n}"; }

std::string ModelWriter::join(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    text += items[i];
    const bool last = i + 1 == items.size();
    if (items[i].ends_with(":")) {
      text += "\n";  // a label
    } else if (last) {
      if (random_.chance(20)) text += ";";
    } else if (implied_semicolons_ && ends_block(items[i]) && random_.chance(50)) {
      text += "\n";
    } else {
      text += random_.chance(12) ? " ->\n" : ";\n";
    }
  }
  return text;
}

std::string ModelWriter::sequence(Place place, int count) {
  std::vector<std::string> items;
  const bool may_start_with_label = place.may_start_with_label;
  place.may_start_with_label = false;
  for (int i = 0; i < count || items.empty(); ++i) {
    if (random_.chance(profile_.declaration) && random_.chance(60)) {
      const std::string declaration = local_declaration(place);
      items.push_back(declaration);
    }
    const std::string text = i == 0 && random_.chance(50) ? first_statement(place) : statement(place);
    const bool first = items.empty() && !may_start_with_label;  // SPIN refuses a label there
    items.push_back(first ? text : labelled(place, text));
  }
  return join(items);
}

std::string ModelWriter::labelled(Place& place, std::string statement) {
  if (place.process == nullptr || place.in_inline || place.d_step || !random_.chance(profile_.label))
    return statement;
  static const std::vector<std::string> kKinds = {"l", "l", "l", "end", "progress", "accept"};
  const std::string label = name(random_.pick(kKinds).c_str());
  place.process->labels.push_back(label);
  if (statement.find(" unless ") != std::string::npos) statement = braces(statement);  // SPIN wants them
  return label + ":\n" + statement;
}

// What may come first in an option, an atomic or an escape: something that can block, more often than not.
std::string ModelWriter::first_statement(Place& place) {
  const bool channels = !place.scope.channels.empty();
  switch (random_.weighted({profile_.guard + 2, channels ? profile_.send : 0, channels ? profile_.receive : 0,
                            profile_.timeout, 6, place.in_inline ? 0 : profile_.choose})) {
    case 0: return guard(place);
    case 1: return send(place);
    case 2: return receive(place);
    case 3: return timeout(place, random_.chance(70) ? "timeout" : "timeout && (" + condition(place, 1) + ")");
    case 5: return choose_statement(place);
    default: return statement(place);
  }
}

std::string ModelWriter::basic_statement(Place& place) {
  switch (random_.below(5)) {
    case 0: return increment(place);
    case 1: return guard(place);
    default: return assignment(place);
  }
}

std::string ModelWriter::statement(Place& place) {
  if (--budget_ < 0 || place.depth >= kMaxDepth) return basic_statement(place);
  const Profile& p = profile_;
  const bool channels = !place.scope.channels.empty();
  const bool nested = place.depth + 1 < kMaxDepth && budget_ > 0;
  const bool jumps = place.process != nullptr && !place.in_inline;
  enum Kind {
    kAssign,
    kIncrement,
    kGuard,
    kSkip,
    kPrint,
    kAssert,
    kSend,
    kReceive,
    kIf,
    kDo,
    kAtomic,
    kDStep,
    kUnless,
    kBlock,
    kFor,
    kSelect,
    kJump,
    kBreak,
    kRun,
    kCall,
    kSetPriority,
    kTimeout,
    kChoose
  };
  const bool can_run = jumps && !runnable_.empty();
  const size_t kind = random_.weighted({p.assign,
                                        p.increment,
                                        p.guard,
                                        p.skip,
                                        p.print,
                                        p.assertion,
                                        channels ? p.send : 0,
                                        channels ? p.receive : 0,
                                        nested ? p.selection : 0,
                                        nested ? (place.atomic ? p.loop / 2 : p.loop) : 0,
                                        nested && !place.atomic ? p.atomic : p.atomic / 4,
                                        nested ? p.d_step : 0,
                                        nested ? p.unless : 0,
                                        nested ? p.block : 0,
                                        nested ? p.for_loop : 0,
                                        p.select,
                                        jumps ? p.jump : 0,
                                        place.in_loop ? 3 : 0,
                                        can_run ? p.run : 0,
                                        inlines_.empty() || place.in_inline ? 0 : 2 * p.call,
                                        uses_priority_ ? p.set_priority : 0,
                                        p.timeout,
                                        place.in_inline ? 0 : p.choose});
  switch (kind) {
    case kAssign: return assignment(place);
    case kIncrement: return increment(place);
    case kGuard: return guard(place);
    case kSkip: return random_.chance(70) ? "skip" : "true";
    case kPrint: return print(place);
    case kAssert: return "assert(" + condition(place, 2) + ")";
    case kSend: return send(place);
    case kReceive: return receive(place);
    case kIf: return selection(place, false);
    case kDo: return selection(place, true);
    case kAtomic: return atomic_block(place);
    case kDStep: return d_step_block(place);
    case kUnless: return unless_statement(place);
    case kBlock: {
      Place inner = place;
      ++inner.depth;
      const int next_local = next_local_;
      const std::string text = braces(sequence(inner, random_.between(1, 3)));
      if (random_.chance(profile_.repeated_names)) next_local_ = next_local;
      return text;
    }
    case kFor: return for_statement(place);
    case kSelect: return select_statement(place);
    case kJump: return "goto @";
    case kBreak: return "break";
    case kRun: return run_statement(place);
    case kCall: return call(place);
    case kSetPriority:  // of a process that exists: SPIN's verifier undoes it wrongly otherwise
      return "set_priority(" + std::string(random_.chance(60) ? "_pid" : "0") + ", " +
             (random_.chance(80) ? std::to_string(random_.between(1, 4))
                                 : "((" + expression(place, 1) + ") & 3) + 1") +
             ")";
    case kChoose: return choose_statement(place);
    default: return timeout(place, random_.chance(80) ? "timeout" : "(timeout || " + condition(place, 1) + ")");
  }
}

// Two targets are never the same variable.
std::string ModelWriter::choose_statement(const Place& place) {
  std::vector<std::string> names;
  for (const Leaf* leaf : leaves(place.scope, true, true)) {
    const bool number = leaf->type.type != Type::kMtype && leaf->type.type != Type::kPid;
    if (number && std::find(names.begin(), names.end(), leaf->parts[0]) == names.end())
      names.push_back(leaf->parts[0]);
  }
  if (names.empty()) return "skip";
  const size_t first = random_.below(names.size());
  std::string targets = names[first] + " : " + range();
  const size_t second = random_.below(names.size());
  if (second != first && random_.chance(40)) targets += ", " + names[second] + " : " + range();
  const bool least = random_.chance(25);
  return std::string(least ? "least" : "choose") + " (" + targets + ") where (" + condition(inside_guard(place), 2) +
         ")" + (!least && random_.chance(20) ? " max " + std::to_string(random_.between(1, 3)) : "");
}

std::string ModelWriter::timeout(const Place& place, const std::string& text) {
  uses_timeout_ = uses_timeout_ || !place.in_inline;
  return text;
}

std::string ModelWriter::assignment(Place& place) {
  if (!place.in_inline && random_.chance(6)) {  // chan variables always hold a channel, and get another one
    std::vector<const Channel*> variables;
    for (const Channel& channel : place.scope.channels) {
      if (channel.leaf.parts[0].rfind("cv", 0) == 0) variables.push_back(&channel);
    }
    if (!variables.empty()) {
      const Channel& target = *random_.pick(variables);
      const std::string value = value_for(place, target.leaf.type);
      if (!value.empty()) return text_of(target.leaf, place) + " = " + value;
    }
  }
  std::vector<const Leaf*> targets = leaves(place.scope, false, false);
  if (targets.empty()) return "skip";
  const Leaf& target = *random_.pick(targets);
  return text_of(target, place) + " = " + value_for(place, target.type);
}

std::string ModelWriter::increment(Place& place) {
  std::vector<const Leaf*> targets;
  for (const Leaf* leaf : leaves(place.scope, true, false)) {
    if (leaf->type.type != Type::kMtype && (leaf->type.type != Type::kInt || random_.chance(30)))
      targets.push_back(leaf);
  }
  if (targets.empty()) return "skip";
  const Leaf& target = *random_.pick(targets);
  const std::string text = text_of(target, place);
  const Type type = target.type.type;
  const bool small = type == Type::kBit || type == Type::kBool || (type == Type::kUnsigned && target.type.bits < 4);
  const bool up = random_.chance(60);
  const std::string step = text + (up ? "++" : "--");
  if (small || random_.chance(10)) return step;
  return text + (up ? " < 3" : " > 0") + " -> " + step;
}

std::string ModelWriter::send(const Place& place) {
  const Channel& channel = random_.pick(place.scope.channels);
  const std::string arguments = send_arguments(place, channel);
  if (arguments.empty()) return "skip";
  return text_of(channel.leaf, place) + (random_.chance(80) ? "!" : "!!") + arguments;
}

std::string ModelWriter::receive(const Place& place) {
  const Channel& channel = random_.pick(place.scope.channels);
  const bool rendezvous = channel_types_[static_cast<size_t>(channel.leaf.type.detail)].may_be_rendezvous;
  for (int attempt = 0; attempt < 5; ++attempt) {
    std::vector<std::string> stored;
    const std::string arguments = receive_arguments(place, channel, false, &stored);
    if (arguments.empty()) return "skip";
    std::string text = text_of(channel.leaf, place) + (random_.chance(80) ? "?" : "??");
    text += rendezvous || !random_.chance(15) ? arguments : " <" + arguments + ">";  // ??< is a trigraph
    // Where a stored variable also decides the channel, an index or a match, SPIN's verifier evaluates those again
    // after the store, and undoes it wrongly.
    const bool twice = std::any_of(stored.begin(), stored.end(),
                                   [&](const std::string& variable) { return occurrences(text, variable) > 1; });
    // The same if a parameter of an inline is stored, which may become anything, beside other variables.
    const bool parameter =
        place.in_inline &&
        std::any_of(stored.begin(), stored.end(), [](const std::string& variable) { return variable[0] == 'p'; });
    const bool alone =
        stored.size() == 1 && text.find("eval(") == std::string::npos && text.find('[') == std::string::npos;
    if (!twice && (!parameter || alone)) return text;
  }
  return "skip";
}

std::string ModelWriter::selection(Place& place, bool loop) {
  Place inner = place;
  ++inner.depth;
  inner.in_loop = inner.in_loop || loop;
  const int count = random_.between(1, 3);
  const bool with_else = random_.chance(loop ? profile_.otherwise - 10 : profile_.otherwise);
  const bool with_break = loop && random_.chance(75);
  std::string text = loop ? "do" : "if";
  std::vector<std::string> options;
  for (int i = 0; i < count; ++i) {
    Place option = inner;
    std::vector<std::string> items;
    items.push_back(labelled(option, first_statement(option)));
    const int more = random_.between(0, 2);
    option.may_start_with_label = true;
    if (more > 0) items.push_back(sequence(option, more));
    options.push_back(join(items));
  }
  if (with_break && !with_else) {
    options.push_back(random_.chance(50) ? "break" : guard(inner) + " -> break");
  }
  if (with_else) {
    std::string rest = with_break ? "break" : random_.chance(40) ? "skip" : sequence(inner, random_.between(1, 2));
    options.insert(options.begin() + random_.between(0, static_cast<int>(options.size())), "else -> " + rest);
  }
  for (const std::string& option : options) text += "\n:: " + hang(option, 3);
  return text + (loop ? "\nod" : "\nfi");
}

std::string ModelWriter::atomic_block(Place& place) {
  Place inner = place;
  ++inner.depth;
  inner.atomic = true;
  std::vector<std::string> items = {first_statement(inner)};
  items.push_back(sequence(inner, random_.between(1, 3)));
  if (profile_.endless > 0 && random_.chance(profile_.endless)) items.push_back(endless_loop(inner));
  return "atomic " + braces(join(items));
}

// With a guard in front of its break it may end after all.
std::string ModelWriter::endless_loop(Place& place) {
  std::string text = "do\n:: " + hang(assignment(place), 3);
  if (random_.chance(40)) text += "\n:: " + hang(increment(place), 3);
  if (random_.chance(40)) text += "\n:: " + guard(place) + " -> break";
  return text + "\nod";
}

// A counter for a loop that must end, declared and set to 0.
std::string ModelWriter::local_counter(Place& place, std::string& declaration) {
  const std::string counter = name("i");
  declaration = (random_.chance(70) ? "byte " : "int ") + counter + (random_.chance(50) ? " = 0" : "");
  Leaf leaf;
  leaf.parts = {counter};
  leaf.type.type = Type::kByte;
  leaf.readable = true;
  place.scope.leaves.push_back(leaf);
  return counter;
}

// One statement inside a d_step, which never blocks.
std::string ModelWriter::d_step_statement(Place& place, std::vector<std::string>& pending_labels) {
  --budget_;
  const bool nested = place.depth + 1 < kMaxDepth && budget_ > 0;
  Place inner = place;
  ++inner.depth;
  switch (random_.weighted({12, 3, profile_.assertion > 0 ? 2 : 0, 1, nested ? 4 : 0, nested ? 2 : 0,
                            place.scope.channels.empty() ? 0 : 4, 1, 1, nested ? 1 : 0, place.in_loop ? 2 : 0})) {
    case 0: return assignment(place);
    case 1: {
      const std::string step = increment(place);
      return step.find("->") == std::string::npos ? step : "if\n:: " + step + "\n:: else\nfi";
    }
    case 2: return "assert(" + condition(place, 1) + ")";
    case 3: return print(place);
    case 4: {
      std::string text = "if";
      const int count = random_.between(1, 2);
      for (int i = 0; i < count; ++i)
        text += "\n:: " + guard(inner) + " ->\n   " + hang(d_step_sequence(inner, 1), 3);
      return text + "\n:: else" + (random_.chance(50) ? "" : " -> " + hang(d_step_sequence(inner, 1), 3)) + "\nfi";
    }
    case 5: {
      std::string declaration;
      const std::string counter = name("i");
      inner.in_loop = true;
      return "{\n  byte " + counter + ";\n  " + counter + " = 0;\n  do\n  :: " + counter + " < 2 -> " +
             hang(d_step_sequence(inner, 1), 5) + ";\n     " + counter + "++\n  :: else -> break\n  od\n}";
    }
    case 6: {
      const Channel& channel = random_.pick(place.scope.channels);
      if (channel_types_[static_cast<size_t>(channel.leaf.type.detail)].may_be_rendezvous ||
          !channel.leaf.counts.empty()) {
        return assignment(place);
      }
      const std::string queue = text_of(channel.leaf, place);
      const std::string arguments = send_arguments(place, channel);
      if (arguments.empty()) return assignment(place);
      return "if\n:: nfull(" + queue + ") -> " + queue + (random_.chance(70) ? "!" : "!!") + arguments +
             "\n:: else\nfi";
    }
    case 7: {
      const std::string label = name("d");
      pending_labels.push_back(label);
      return "if\n:: " + guard(inner) + " -> goto " + label + "\n:: else\nfi";
    }
    case 8: return select_statement(place);
    case 9: {
      std::string declaration;
      const std::string counter = local_counter(inner, declaration);
      inner.scope.leaves.pop_back();
      inner.in_loop = true;
      return "{\n  " + declaration + ";\n  for (" + counter + " : 0 .. " + std::to_string(random_.below(3)) + ") " +
             hang(braces(d_step_sequence(inner, 1)), 2) + "\n}";
    }
    default: return "if\n:: " + guard(inner) + " -> break\n:: else\nfi";
  }
}

std::string ModelWriter::d_step_sequence(Place place, int count) {
  std::vector<std::string> items;
  std::vector<std::string> pending_labels;
  for (int i = 0; i < count; ++i) items.push_back(d_step_statement(place, pending_labels));
  for (const std::string& label : pending_labels) items.push_back(label + ":\n" + "skip");
  return join(items);
}

std::string ModelWriter::d_step_block(Place& place) {
  Place inner = place;
  ++inner.depth;
  inner.d_step = true;
  inner.in_loop = false;
  std::vector<std::string> items;
  const bool channels = !place.scope.channels.empty();
  switch (random_.weighted({6, channels ? 6 : 0, channels ? 2 : 0, 4, 4, 1, 2})) {
    case 0: items.push_back(guard(inner)); break;
    case 1: items.push_back(receive(inner)); break;
    case 2: {
      const Channel& channel = random_.pick(inner.scope.channels);
      const std::string arguments = send_arguments(inner, channel);
      const bool rendezvous = channel_types_[static_cast<size_t>(channel.leaf.type.detail)].may_be_rendezvous;
      items.push_back(rendezvous || arguments.empty() ? "skip" : text_of(channel.leaf, inner) + "!" + arguments);
      break;
    }
    case 3: {  // a selection that decides whether the d_step can start
      std::string text = random_.chance(80) ? "if" : "do";
      const bool loop = text == "do";
      const int count = random_.between(1, 3);
      std::string receives;
      std::string others;
      for (int i = 0; i < count; ++i) {
        const bool receiving = channels && random_.chance(40);
        const std::string first = receiving ? receive(inner) : guard(inner);
        (receiving ? receives : others) += "\n:: " + first +
                                           (loop                 ? " -> break"
                                            : random_.chance(50) ? ""
                                                                 : " -> " + hang(d_step_sequence(inner, 1), 3));
      }
      // Receives first: else a handshake starts the d_step and it takes another option, see below.
      text += receives + others;
      if (random_.chance(30)) text += loop ? "\n:: else -> break" : "\n:: else";
      items.push_back(text + (loop ? "\nod" : "\nfi"));
      break;
    }
    case 5: items.push_back("skip"); break;
    case 6: {
      const std::string text = braces(guard(inner) + ";\n" + assignment(inner));
      items.push_back(text);
      break;
    }
    default: break;
  }
  items.push_back(d_step_sequence(inner, random_.between(1, 3)));
  std::string text = join(items);
  // SPIN's verifier starts a d_step in the middle of a handshake if an assertion or a printf comes first. It counts
  // an assertion that fails there even if nobody completes the handshake, and takes the offer for accepted: the
  // sender's `else`, and what an `unless` guards, are not tried.
  const bool unguarded = text.starts_with("assert") || text.starts_with("print");
  if (has_rendezvous_ && unguarded) text = "skip;\n" + text;
  return "d_step " + braces(text);
}

std::string ModelWriter::unless_statement(Place& place) {
  Place inner = place;
  ++inner.depth;
  std::string main = random_.chance(75) ? braces(sequence(inner, random_.between(1, 3))) : statement(inner);
  if (main.find("unless") != std::string::npos || main.find("->") != std::string::npos) main = braces(main);
  std::vector<std::string> items = {first_statement(inner)};
  if (random_.chance(50)) items.push_back(sequence(inner, random_.between(1, 2)));
  const bool again = random_.chance(15);
  std::string escape = random_.chance(75) ? braces(join(items)) : "atomic " + braces(join(items));
  std::string text = main + " unless " + escape;
  if (again) text = braces(text) + " unless " + braces(guard(inner) + ";\n" + assignment(inner));
  return text;
}

std::string ModelWriter::for_statement(Place& place) {
  Place inner = place;
  ++inner.depth;
  inner.in_loop = true;
  std::vector<const Channel*> channels;
  for (const Channel& channel : place.scope.channels) {
    if (channel.typedef_only >= 0) channels.push_back(&channel);
  }
  if (!channels.empty() && random_.chance(60)) {
    const Channel& channel = *random_.pick(channels);
    for (const StructVariable& variable : place.scope.structs) {
      if (variable.definition == channel.typedef_only) {
        return "for (" + variable.name + " in " + channel.leaf.parts[0] + ") " +
               braces(sequence(inner, random_.between(1, 2)));
      }
    }
  }
  std::string declaration;
  const std::string counter = local_counter(inner, declaration);
  std::string head;
  if (!place.scope.arrays.empty() && random_.chance(40)) {
    head = counter + " in " + random_.pick(place.scope.arrays);
  } else {
    const int low = random_.between(0, 2);
    head = counter + " : " + std::to_string(low) + " .. " +
           (random_.chance(75) ? std::to_string(low + random_.between(0, 2)) : "(" + expression(place, 1) + ") & 3");
  }
  if (random_.chance(70)) inner.scope.leaves.back().readable = true;
  return braces(declaration + ";\n" + "for (" + head + ") " + braces(sequence(inner, random_.between(1, 2))));
}

std::string ModelWriter::select_statement(Place& place) {
  std::vector<std::string> targets;
  for (const Leaf* leaf : leaves(place.scope, true, true)) {
    const Type type = leaf->type.type;
    if (type != Type::kMtype && leaf->parts[0].find('.') == std::string::npos) targets.push_back(leaf->parts[0]);
  }
  if (targets.empty()) return "skip";
  return "select (" + random_.pick(targets) + " : " + std::to_string(random_.below(2)) + " .. " +
         std::to_string(random_.between(1, 3)) + ")";
}

std::string ModelWriter::run_expression(const Place& place, const Proctype& process) {
  std::string text = "run " + process.name + "(";
  for (size_t i = 0; i < process.parameters.size(); ++i) {
    const FieldType& type = process.parameters[i].type;
    std::string value;
    if (type.type == Type::kChan) {
      const Channel* channel = channel_of(place.scope, type.detail, false);
      if (channel == nullptr) return "";
      value = text_of(channel->leaf, place);
    } else if (type.type == Type::kStruct) {
      std::vector<std::string> variables;
      for (const StructVariable& variable : place.scope.structs) {
        if (variable.definition == type.detail) variables.push_back(variable.name);
      }
      if (variables.empty()) return "";
      value = random_.pick(variables);
    } else {
      value = value_for(place, type);
    }
    text += (i > 0 ? ", " : "") + value;
  }
  text += ")";
  if (uses_priority_ && random_.chance(40)) text += " priority " + std::to_string(random_.between(1, 4));
  return text;
}

std::string ModelWriter::run_statement(Place& place) {
  const std::string run = run_expression(place, *random_.pick(runnable_));
  if (run.empty()) return "skip";
  std::string statement = run;
  std::vector<const Leaf*> targets = leaves(place.scope, false, false);
  if (!targets.empty() && random_.chance(35)) {
    const Leaf& target = *random_.pick(targets);
    if (target.type.type != Type::kMtype) statement = text_of(target, place) + " = " + run;
  } else if (random_.chance(20)) {
    statement = "(" + run + ")";
  }
  const std::string limit = "_nr_pr < " + std::to_string(random_.between(2, 4));
  if (random_.chance(50)) return "atomic { " + limit + " -> " + statement + " }";
  if (random_.chance(50)) return "if\n:: " + limit + " -> " + statement + "\n:: else\nfi";
  return limit + " -> " + statement;
}

std::string ModelWriter::call(Place& place) {
  const Inline& target = random_.pick(inlines_);
  std::vector<const Leaf*> targets;
  for (const Leaf* leaf : leaves(place.scope, true, false)) {
    const bool narrow = target.receives && width(leaf->type, false) < 8;  // see there
    if (leaf->type.type != Type::kMtype && !narrow) targets.push_back(leaf);
  }
  if (target.returns && targets.empty()) return "skip";
  std::string text = (target.returns ? text_of(*random_.pick(targets), place) + " = " : "") + target.name + "(";
  for (size_t i = 0; i < target.by_reference.size(); ++i) {
    if (i > 0) text += ", ";
    if (target.by_reference[i]) {
      if (targets.empty()) return "skip";
      const Leaf& argument = *random_.pick(targets);
      const std::string place_text = text_of(argument, place);
      if (occurrences(place_text, argument.parts[0]) > 1) return "skip";  // it may be received into: see there
      text += place_text;
    } else {
      text += random_.chance(50) ? std::to_string(random_.below(3)) : "(" + expression(place, 1) + ")";
    }
  }
  return text + ")";
}

std::string ModelWriter::print(const Place& place) {
  std::vector<const Leaf*> typed;
  for (const Leaf* leaf : leaves(place.scope, true, true)) {
    if (leaf->type.type == Type::kMtype) typed.push_back(leaf);
  }
  if (!typed.empty() && random_.chance(30)) {
    const std::string leaf = text_of(*random_.pick(typed), place);
    return random_.chance(50) ? "printm(" + leaf + ")" : "printf(\"%e\\n\", " + leaf + ")";
  }
  if (random_.chance(40)) return "printf(\"MSC: done\\n\")";
  return "printf(\"%d and %d\\n\", " + expression(place, 1) + ", " + expression(place, 0) + ")";
}

}  // namespace cmc::random
