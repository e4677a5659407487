#include <algorithm>

#include "tests/random/model_writer.h"

// Never claims and formulas, for models that are otherwise complete.

namespace cmc::random {

void ModelWriter::write_property(RandomProperty property) {
  uses_priority_ = uses_enabled_ = false;
  switch (property) {
    case RandomProperty::kIrrelevant:
      if (random_.chance(5)) write_simple_property();
      break;
    case RandomProperty::kNone: break;
    case RandomProperty::kNeverClaim: write_never_claim(); break;
    case RandomProperty::kFormula: write_formula(); break;
  }
}

void ModelWriter::write_simple_property() {
  uses_remote_ = uses_last_ = false;
  std::vector<const Leaf*> plain = leaves(globals_, true, true);
  if (plain.empty()) return;
  const std::string property = random_.pick(plain)->parts[0] + " < " + std::to_string(random_.between(1, 4));
  text_ += random_.chance(50) ? "ltl " + name("f") + " { [] (" + property + ") }\n"
                              : "never {\n  do\n  :: " + property + " -> break\n  :: else\n  od\n}\n";
}

// 2 to 6 labelled places, each a guard, a selection or a loop, whose options mostly jump to one of the others. SPIN
// refuses local variables of a claim, so a variable of its own is a global one.
void ModelWriter::write_never_claim() {
  Place place;
  place.scope = globals_;
  place.claim = true;
  if (random_.chance(30)) {
    claim_variable_ = name("c");
    text_ += "byte " + claim_variable_ + (random_.chance(30) ? " = 1" : "") + ";\n";
    Leaf leaf;
    leaf.parts = {claim_variable_};
    leaf.type.type = Type::kByte;
    for (int i = 0; i < 3; ++i) place.scope.leaves.push_back(leaf);  // likely to occur
  }
  std::vector<std::string> labels;
  const int places = random_.between(2, 6);
  for (int i = 0; i < places; ++i) {
    const char* kind = random_.chance(35) ? "accept_" : random_.chance(4) ? "end_" : "T_";
    labels.push_back(name(kind));
  }
  std::string body;
  for (size_t i = 0; i < labels.size(); ++i) {
    body += labels[i] + ":\n  " + hang(claim_place(place, i + 1 == labels.size(), labels), 2) + ";\n";
  }
  text_ += "never {\n" + body + "}\n";
}

std::string ModelWriter::claim_place(const Place& place, bool last, const std::vector<std::string>& labels) {
  if (!last && random_.chance(12)) return claim_guard(place);
  const bool loop = last ? !random_.chance(10) : random_.chance(60);
  std::string text = loop ? "do" : "if";
  const int count = random_.between(1, 3);
  for (int i = 0; i < count; ++i) text += "\n:: " + hang(claim_option(place, labels, loop), 3);
  if (random_.chance(20)) text += "\n:: else" + (random_.chance(50) ? " -> goto " + random_.pick(labels) : "");
  return text + (loop ? "\nod" : "\nfi");
}

std::string ModelWriter::claim_option(const Place& place, const std::vector<std::string>& labels, bool loop) {
  const std::string guard = claim_guard(place);
  const std::string jump = random_.chance(70) ? " -> goto " + random_.pick(labels) : "";
  // SPIN's verifier takes an atomic sequence of a claim twice where it tries again with timeout = 1.
  const bool atomic = text_.find("timeout") == std::string::npos;
  switch (atomic ? random_.below(12) : 3 + random_.below(10)) {
    case 0: return "atomic { " + guard + " -> assert(" + atom(place) + ") }" + jump;
    case 1:
    case 2: return "atomic { " + guard + " -> " + claim_assignment(place) + " }" + jump;
    case 3: return guard + " -> " + claim_assignment(place) + jump;
    case 4: return loop && random_.chance(20) ? guard + " -> break" : guard + jump;
    default: return guard + jump;
  }
}

std::string ModelWriter::claim_guard(const Place& place) {
  switch (random_.below(14)) {
    case 0:
    case 1:
    case 2:
    case 3: return random_.chance(50) ? "true" : "skip";
    case 4:  // for SPIN's verifier it is always 0 if no process uses it
      if (uses_timeout_) return random_.chance(50) ? "timeout" : "!timeout";
      break;
    case 5:
      if (!written_.empty()) return (random_.chance(50) ? "" : "!") + ("(" + remote_reference() + ")");
      break;
    case 6: return "(" + atom(place) + ") && (" + condition(place, 1) + ")";
    case 7:
      // Where it depends on timeout, SPIN's verifier asks only sometimes with timeout = 1.
      if (!has_rendezvous_ && text_.find("timeout") == std::string::npos)
        return "enabled(" + std::to_string(random_.below(2)) + ")";
      break;
    default: break;
  }
  return "(" + (random_.chance(25) ? condition(place, 1) : atom(place)) + ")";
}

// A comparison of something that is likely to change.
std::string ModelWriter::atom(const Place& place) {
  const std::vector<const Leaf*> readable = leaves(place.scope, true, false);
  if (!place.scope.channels.empty() && random_.chance(readable.empty() ? 100 : 20)) {
    return "len(" + text_of(random_.pick(place.scope.channels).leaf, place) + ") " +
           (random_.chance(50) ? "> 0" : "== " + std::to_string(random_.below(3)));
  }
  if (readable.empty()) return condition(place, 1);
  const Leaf& leaf = *random_.pick(readable);
  static const std::vector<std::string> kRelations = {"==", "==", "!=", "<", ">="};
  const std::string value =
      leaf.type.type == Type::kMtype ? mtype_constant(leaf.type.detail) : std::to_string(random_.below(3));
  return text_of(leaf, place) + " " + random_.pick(kRelations) + " " + value;
}

// Of the claim's own variable, if it has one; rarely of the system's.
std::string ModelWriter::claim_assignment(const Place& place) {
  if (!claim_variable_.empty()) {
    return claim_variable_ + " = (" + claim_variable_ + " + " + std::to_string(random_.between(1, 2)) + ") % 3";
  }
  const std::vector<const Leaf*> targets = leaves(globals_, true, true);
  if (targets.empty() || random_.chance(70)) return "assert(" + atom(place) + ")";
  const Leaf& target = *random_.pick(targets);
  return target.parts[0] + " = " + value_for(place, target.type);
}

void ModelWriter::write_formula() {
  Place place;
  place.scope = globals_;
  place.claim = true;
  std::vector<std::string> atoms;
  const int count = random_.between(1, 3);
  for (int i = 0; i < count; ++i) {
    const bool remote = !written_.empty() && random_.chance(20);
    atoms.push_back("(" + (remote ? remote_reference() : atom(place)) + ")");
  }
  text_ += "ltl " + name("f") + " { " + formula(atoms, random_.between(1, 4)) + " }\n";
}

std::string ModelWriter::formula(const std::vector<std::string>& atoms, int depth) {
  if (depth == 0) return random_.pick(atoms);
  const auto operand = [&] { return "(" + formula(atoms, depth - 1) + ")"; };
  switch (random_.below(10)) {
    case 0:
    case 1: return "[] " + operand();
    case 2:
    case 3: return "<> " + operand();
    case 4: return "!" + operand();
    case 5: return operand() + " U " + operand();
    case 6: return operand() + (random_.chance(50) ? " V " : " W ") + operand();
    case 7: return operand() + " -> " + operand();
    case 8: return operand() + (random_.chance(80) ? " && " : " <-> ") + operand();
    default: return operand() + " || " + operand();
  }
}

}  // namespace cmc::random
