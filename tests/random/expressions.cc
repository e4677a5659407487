#include <algorithm>

#include "tests/random/model_writer.h"

namespace cmc::random {

bool ModelWriter::flat(const FieldType& type) const {
  if (type.type != Type::kStruct) return true;
  for (const Field& field : definitions_[static_cast<size_t>(type.detail)].fields) {
    if (field.count > 0 || field.type.type == Type::kUnsigned || field.type.type == Type::kChan ||
        !flat(field.type)) {
      return false;
    }
  }
  return true;
}

std::vector<const Leaf*> ModelWriter::leaves(const Scope& scope, bool to_read, bool plain) {
  std::vector<const Leaf*> found;
  for (const Leaf& leaf : scope.leaves) {
    if (leaf.type.type == Type::kChan || (to_read && !leaf.readable) || (plain && !leaf.counts.empty())) continue;
    found.push_back(&leaf);
  }
  return found;
}

const Channel* ModelWriter::channel_of(const Scope& scope, int channel_type, bool lasting) {
  std::vector<const Channel*> found;
  for (const Channel& channel : scope.channels) {
    if (channel.leaf.type.detail == channel_type && (!lasting || channel.lasting)) found.push_back(&channel);
  }
  return found.empty() ? nullptr : random_.pick(found);
}

// For SPIN's verifier a rendezvous channel holds a message during the handshake. That is when a provided clause of
// the receiver is evaluated, and the guards of a d_step that may begin with the receive.
bool ModelWriter::reads_handshake(const Place& place, const Channel& channel) const {
  return (place.provided || place.d_step) &&
         channel_types_[static_cast<size_t>(channel.leaf.type.detail)].may_be_rendezvous;
}

std::string ModelWriter::mtype_constant(int set) { return random_.pick(mtype_sets_[static_cast<size_t>(set)]); }

std::string ModelWriter::index(const Place& place, int count) {
  if (count == 1) return random_.chance(80) ? "0" : "(0)";
  const std::vector<const Leaf*> plain = leaves(place.scope, true, true);
  if (plain.empty() || random_.chance(50)) return std::to_string(random_.below(static_cast<size_t>(count)));
  const std::string leaf = !place.claim && random_.chance(20) ? "_pid" : text_of(*random_.pick(plain), place);
  if (count == 2) return random_.chance(50) ? leaf + " & 1" : "(" + leaf + " > 1 -> 1 : 0)";
  if (count == 4) return leaf + " & 3";
  return "(" + leaf + " & 7) % " + std::to_string(count);
}

std::string ModelWriter::text_of(const Leaf& leaf, const Place& place) {
  std::string text = leaf.parts[0];
  for (size_t i = 0; i < leaf.counts.size(); ++i) {
    text += "[" + index(place, leaf.counts[i]) + "]";
    if (i + 1 < leaf.parts.size()) text += leaf.parts[i + 1];
  }
  return text;
}

std::string ModelWriter::constant() {
  if (random_.chance(80)) return std::to_string(random_.below(4));
  switch (random_.below(7)) {
    case 0: return "true";
    case 1: return "false";
    case 2: return "(-" + std::to_string(random_.below(4)) + ")";
    case 3: return macros_.empty() ? "5" : random_.pick(macros_);
    case 4: return mtype_sets_.empty() ? "7" : mtype_constant(static_cast<int>(random_.below(mtype_sets_.size())));
    default: {
      static const std::vector<std::string> kLarge = {"127",    "128",      "255",       "256",   "257",
                                                      "32767",  "32768",    "65535",     "65536", "100000",
                                                      "(-129)", "(-32769)", "2147483647"};
      return random_.pick(kLarge);
    }
  }
}

std::string ModelWriter::other_pid() {
  switch (random_.below(3)) {
    case 0: return "1 - (_pid & 1)";  // never the process itself
    case 1: return "(_pid == 0 -> 1 : 0)";
    default: return "(_pid + 1) % 4";
  }
}

std::string ModelWriter::remote_reference() {
  const Proctype& target = *random_.pick(written_);
  if (target.first_pid >= 0 && !target.remote_leaves.empty() &&
      random_.chance(40)) {  // elsewhere, SPIN reads anything
    const int pid = target.first_pid + static_cast<int>(random_.below(static_cast<size_t>(target.instances)));
    return target.name + "[" + std::to_string(pid) + "]:" + random_.pick(target.remote_leaves).parts[0];
  }
  std::string who = target.name;
  if (random_.chance(85)) {
    // Of a process of another proctype, SPIN compares the number of its state, and those of a text in Promela/S are
    // not those of what it is expanded to.
    const bool plain = profile_.choose == 0;
    const int pid = plain ? static_cast<int>(random_.below(3))
                          : target.first_pid + static_cast<int>(random_.below(static_cast<size_t>(target.instances)));
    if (plain || (target.first_pid >= 0 && runnable_.empty())) who += "[" + std::to_string(pid) + "]";
  }
  if (target.labels.empty()) return "1";
  return who + "@" + random_.pick(target.labels);
}

// A leaf of the expression tree.
std::string ModelWriter::term(const Place& place, int depth) {
  const std::vector<const Leaf*> readable = leaves(place.scope, true, false);
  const uint32_t choice = random_.below(100);
  if (choice < 58 && !readable.empty()) return text_of(*random_.pick(readable), place);
  if (choice < 75) return constant();
  if (choice < 79 && !place.claim) return "_pid";
  if (choice < 82) return "_nr_pr";
  if (choice < 88 && !place.scope.channels.empty()) {
    const Channel& channel = random_.pick(place.scope.channels);
    if (!reads_handshake(place, channel)) return "len(" + text_of(channel.leaf, place) + ")";
  }
  if (choice < 91 && !place.scope.channels.empty()) {
    const Channel& channel = random_.pick(place.scope.channels);
    // As an operand SPIN's verifier takes a poll apart, where the model has a rendezvous channel: `1 + q?[x]` becomes
    // `1 + not_RV(q) && ...` without parentheses. In a condition of its own it is whole.
    if (!channel_types_[static_cast<size_t>(channel.leaf.type.detail)].may_be_rendezvous) {
      return "(" + poll(place, channel) + " -> 1 : 0)";
    }
  }
  if (choice < 93 && uses_last_) return "_last";
  if (choice < 96 && uses_remote_ && !place.d_step && !written_.empty()) return remote_reference();
  if (choice < 98 && uses_enabled_ && !place.d_step) return "enabled(" + other_pid() + ")";
  if (uses_priority_ && choice < 99) return random_.chance(50) ? "get_priority(" + other_pid() + ")" : "_priority";
  if (depth > 0)
    return "(" + condition(place, depth - 1) + " -> " + expression(place, depth - 1) + " : " +
           expression(place, depth - 1) + ")";
  return constant();
}

std::string ModelWriter::expression(const Place& place, int depth) {
  if (depth <= 0 || random_.chance(30)) return term(place, depth);
  const auto operand = [&] {
    std::string text = expression(place, depth - 1);
    return random_.chance(75) ? "(" + text + ")" : text;
  };
  switch (random_.below(20)) {
    case 0:
    case 1:
    case 2: return operand() + " + " + operand();
    case 3:
    case 4: return operand() + " - (" + expression(place, depth - 1) + ")";
    case 5: return operand() + " * " + operand();
    case 6: return operand() + " / " + std::to_string(random_.between(1, 4));
    case 7: return operand() + " % ((" + expression(place, depth - 1) + " & 3) + 1)";
    case 8: return "(" + expression(place, depth - 1) + " & 15) << (" + expression(place, depth - 1) + " & 3)";
    case 9: return operand() + " >> (" + expression(place, depth - 1) + " & 7)";
    case 10: return operand() + " & " + operand();
    case 11: return operand() + " | " + operand();
    case 12: return operand() + " ^ " + operand();
    case 13: return "~(" + expression(place, depth - 1) + ")";
    case 14: return "-(" + expression(place, depth - 1) + ")";
    case 15: return "!" + operand();
    case 16: return "(" + condition(place, depth - 1) + ")";
    case 17: return "(" + condition(place, depth - 1) + " -> " + operand() + " : " + operand() + ")";
    default: return term(place, depth);
  }
}

std::string ModelWriter::condition(const Place& place, int depth) {
  static const std::vector<std::string> kRelations = {"==", "!=", "<", ">", "<=", ">="};
  if (profile_.exists > 0 && !place.in_guard && random_.chance(profile_.exists)) return exists(place, depth);
  const uint32_t choice = random_.below(10);
  if (depth > 0 && choice == 0) return "(" + condition(place, depth - 1) + ") && " + condition(place, depth - 1);
  if (depth > 0 && choice == 1) return condition(place, depth - 1) + " || (" + condition(place, depth - 1) + ")";
  if (depth > 0 && choice == 2) return "!(" + condition(place, depth - 1) + ")";
  if (choice == 3) return expression(place, depth);
  std::vector<const Leaf*> typed;
  for (const Leaf* leaf : leaves(place.scope, true, false)) {
    if (leaf->type.type == Type::kMtype) typed.push_back(leaf);
  }
  if (!typed.empty() && random_.chance(15)) {
    const Leaf& leaf = *random_.pick(typed);
    return text_of(leaf, place) + (random_.chance(50) ? " == " : " != ") + mtype_constant(leaf.type.detail);
  }
  if (random_.chance(60)) {  // likely to hold, so that models get somewhere
    const std::string left = term(place, depth - 1);
    switch (random_.below(4)) {
      case 0: return left + " != " + std::to_string(random_.below(3));
      case 1: return left + " < " + std::to_string(random_.between(2, 4));
      case 2: return left + " <= " + std::to_string(random_.between(0, 3));
      default: return left + " >= " + std::to_string(random_.below(2));
    }
  }
  return term(place, depth - 1) + " " + random_.pick(kRelations) + " " +
         (random_.chance(75) ? std::to_string(random_.below(3)) : "(" + expression(place, depth - 1) + ")");
}

// A few values.
std::string ModelWriter::range() {
  const int low = random_.between(-1, 2);
  return std::to_string(low) + " .. " + std::to_string(low + random_.between(-1, 3));
}

// What depends on the values that are looked for may be arithmetic and elements of arrays, but no channel.
Place ModelWriter::inside_guard(const Place& place) {
  Place inside = place;
  inside.in_guard = true;
  inside.scope.channels.clear();
  return inside;
}

std::string ModelWriter::exists(const Place& place, int depth) {
  Place inside = inside_guard(place);
  std::string targets;
  for (const char* target : {"k", "j"}) {
    Leaf leaf;
    leaf.parts = {target};
    leaf.type = FieldType{Type::kInt};
    for (int i = 0; i < 3; ++i) inside.scope.leaves.push_back(leaf);  // likely to occur
    targets += (targets.empty() ? "" : ", ") + std::string(target) + " : " + range();
    if (random_.chance(60)) break;
  }
  return "exists (" + targets + ") (" + condition(inside, std::max(depth, 1)) + ")";
}

// An expression as a statement; channel probes can only stand here.
std::string ModelWriter::guard(const Place& place) {
  static const std::vector<std::string> kProbes = {"full", "empty", "nfull", "nempty"};
  if (!place.scope.channels.empty() && random_.chance(20)) {
    const Channel& channel = random_.pick(place.scope.channels);
    const std::string probe = reads_handshake(place, channel)
                                  ? "(" + condition(place, 1) + ")"
                                  : random_.pick(kProbes) + "(" + text_of(channel.leaf, place) + ")";
    if (random_.chance(60)) return probe;
    return random_.chance(50) ? probe + " && " + condition(place, 1) : "(" + condition(place, 1) + ") || " + probe;
  }
  if (!place.scope.channels.empty() && random_.chance(10)) {
    const Channel& channel = random_.pick(place.scope.channels);
    if (!channel_types_[static_cast<size_t>(channel.leaf.type.detail)].may_be_rendezvous) return poll(place, channel);
  }
  return random_.chance(50) ? "(" + condition(place, 1) + ")" : condition(place, 1);
}

std::string ModelWriter::poll(const Place& place, const Channel& channel) {
  const std::string arguments = receive_arguments(place, channel, true);
  if (arguments.empty()) return "true";  // a struct field: there is no way to poll for it
  return text_of(channel.leaf, place) + (random_.chance(70) ? "?[" : "??[") + arguments + "]";
}

// An expression whose value suits a place of this type, mostly within a small range.
std::string ModelWriter::value_for(const Place& place, FieldType type) {
  switch (type.type) {
    case Type::kMtype: {
      std::vector<const Leaf*> same;
      for (const Leaf* leaf : leaves(place.scope, true, false)) {
        if (leaf->type.type == Type::kMtype && leaf->type.detail == type.detail) same.push_back(leaf);
      }
      if (!same.empty() && random_.chance(30)) return text_of(*random_.pick(same), place);
      return mtype_constant(type.detail);
    }
    case Type::kChan: {
      const Channel* channel = channel_of(place.scope, type.detail, true);
      return channel ? text_of(channel->leaf, place) : "";
    }
    case Type::kPid: return random_.chance(70) ? "_pid" : std::to_string(random_.below(3));
    default: break;
  }
  if (random_.chance(40))
    return std::to_string(random_.below(type.type == Type::kBit || type.type == Type::kBool ? 2 : 4));
  if (random_.chance(55)) return "(" + expression(place, 2) + ") & " + (random_.chance(50) ? "1" : "3");
  if (random_.chance(40)) return "(" + expression(place, 1) + ") % 3";
  return expression(place, 1);
}

std::string ModelWriter::send_arguments(const Place& place, const Channel& channel) {
  std::string text;
  const ChannelType& type = channel_types_[static_cast<size_t>(channel.leaf.type.detail)];
  const bool call_style = type.fields.size() > 1 && type.fields[0].type != Type::kStruct && random_.chance(15);
  for (size_t i = 0; i < type.fields.size(); ++i) {
    if (i > 0) text += call_style && i == 1 ? "(" : ", ";
    const FieldType& field = type.fields[i];
    if (field.type != Type::kStruct) {
      const bool bit = field.type == Type::kBit || field.type == Type::kBool;
      text += bit && !type.loose_bits ? "(" + expression(place, 1) + ") & 1" : value_for(place, field);
      continue;
    }
    std::vector<std::string> variables;
    for (const StructVariable& variable : place.scope.structs) {
      if (variable.definition == field.detail) variables.push_back(variable.name);
    }
    if (variables.empty()) return "";
    text += random_.pick(variables);
  }
  return text + (call_style ? ")" : "");
}

// Bits that a place keeps. SPIN's verifier undoes a receive by putting the variable's value back into the channel, so
// a message that was truncated by the receive is corrupted for the rest of the search: never receive into less.
// (It also keeps 8 bits of a lone bit field: `loose_bits` says that its senders make use of that.)
int ModelWriter::width(const FieldType& type, bool loose_bits) {
  switch (type.type) {
    case Type::kBit:
    case Type::kBool: return loose_bits ? 8 : 1;
    case Type::kUnsigned: return type.bits;
    case Type::kShort: return 16;
    case Type::kInt: return 32;
    default: return 8;
  }
}

std::string ModelWriter::receive_arguments(const Place& place, const Channel& channel, bool is_poll,
                                           std::vector<std::string>* stored_names) {
  std::string text;
  std::vector<const Leaf*> stored;
  const ChannelType& type = channel_types_[static_cast<size_t>(channel.leaf.type.detail)];
  for (size_t i = 0; i < type.fields.size(); ++i) {
    if (i > 0) text += ", ";
    const FieldType& field = type.fields[i];
    if (field.type == Type::kStruct) {
      std::vector<std::string> variables;
      for (const StructVariable& variable : place.scope.structs) {
        if (variable.definition == field.detail) variables.push_back(variable.name);
      }
      if (variables.empty() || is_poll) return "";
      const std::string& variable = random_.pick(variables);
      if (stored_names != nullptr) stored_names->push_back(variable);
      text += variable;
      continue;
    }
    if (field.type == Type::kChan) {
      std::vector<const Channel*> variables;
      for (const Channel& candidate : place.scope.channels) {
        if (candidate.leaf.type.detail == field.detail && candidate.leaf.parts[0].rfind("cv", 0) == 0) {
          variables.push_back(&candidate);
        }
      }
      const bool discard = variables.empty() || is_poll || random_.chance(30);
      if (!discard && stored_names != nullptr) stored_names->push_back(variables[0]->leaf.parts[0]);
      text += discard ? "_" : variables[0]->leaf.parts[0];
      continue;
    }
    const uint32_t choice = random_.below(100);
    if (choice < 25) {
      text += field.type == Type::kMtype ? mtype_constant(field.detail) : std::to_string(random_.below(3));
    } else if (choice < 38) {
      std::string value = field.type == Type::kMtype ? mtype_constant(field.detail) : expression(place, 1);
      // The same trouble with what the receive itself changes: the verifier evaluates it again when it undoes the
      // receive.
      const bool unstable = value.find("len(") != std::string::npos || value.find('?') != std::string::npos ||
                            value.find("_last") != std::string::npos || value.find("enabled(") != std::string::npos;
      text += "eval(" + (unstable ? "1" : value) + ")";
    } else if (choice < 50 || is_poll) {
      text += "_";
    } else {
      std::vector<const Leaf*> targets;
      for (const Leaf* leaf : leaves(place.scope, false, false)) {
        const bool is_mtype = leaf->type.type == Type::kMtype;
        if (!leaf->readable) continue;  // nor does it restore a hidden variable in time
        if (is_mtype != (field.type == Type::kMtype) || (is_mtype && leaf->type.detail != field.detail)) continue;
        if (width(leaf->type, false) < width(field, type.loose_bits)) continue;
        bool used = false;  // SPIN refuses a variable in two fields
        for (const Leaf* other : stored) used = used || other->parts[0] == leaf->parts[0];
        if (!used) targets.push_back(leaf);
      }
      if (!targets.empty()) stored.push_back(random_.pick(targets));
      if (!targets.empty() && stored_names != nullptr) {
        const std::string& base = stored.back()->parts[0];
        stored_names->push_back(base.substr(0, base.find('.')));
      }
      text += targets.empty() ? "_" : text_of(*stored.back(), place);
    }
  }
  return text;
}

}  // namespace cmc::random
