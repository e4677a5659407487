#include "checker/spin/state_tables.h"

#include <algorithm>
#include <deque>
#include <vector>

#include <fmt/format.h>

#include "checker/properties/properties.h"
#include "checker/spin/local_locations.h"
#include "checker/spin/run_text.h"
#include "ir/state_printer.h"

namespace cmc::spin {
namespace {

constexpr int kFirstTransition = 3;  // numbers of transitions, as SPIN counts them
constexpr int kEndKind = 3500;       // SPIN's kind of the end of a process
constexpr int kOtherKind = 2;

enum class Role : uint8_t { kProctype, kInit, kClaim, kTrace };

struct Machine {
  Role role = Role::kProctype;
  std::string name;
  const Model* model = nullptr;
  const Proctype* graph = nullptr;
  std::vector<bool> local = {};  // by location; none: all statements are about globals
};

struct Machines {
  std::deque<Model> products;  // with the claims of formulas
  std::vector<Machine> all;
};

Role role_of(const Model& model, uint32_t claim) {
  const auto property = std::ranges::find(model.properties, claim, &Property::claim);
  const bool traces = property != model.properties.end() &&
                      (property->kind == Property::Kind::kTrace || property->kind == Property::Kind::kNotrace);
  return traces ? Role::kTrace : Role::kClaim;
}

// Proctypes, then claims.
Status collect(const Model& model, Machines& machines) {
  for (const Proctype& proctype : model.proctypes) {
    machines.all.push_back({proctype.is_init ? Role::kInit : Role::kProctype, proctype.name, &model, &proctype,
                            local_locations(model, proctype)});
  }
  for (uint32_t i = 0; i < model.claims.size(); ++i) {
    machines.all.push_back({role_of(model, i), model.claims[i].name, &model, &model.claims[i]});
  }
  for (const PropertyEntry& entry : properties_of(model)) {
    if (entry.kind != PropertyKind::kLtl) continue;
    CMC_TRY(Model product, make_product(model, entry));
    const Model& kept = machines.products.emplace_back(std::move(product));
    machines.all.push_back({Role::kClaim, entry.name, &kept, &kept.claims.at(kept.claim.claim)});
  }
  return Success{};
}

std::string heading(const Machine& machine) {
  switch (machine.role) {
    case Role::kInit: return "init";
    case Role::kTrace: return "trace assertion";
    case Role::kClaim: return "claim " + machine.name;
    case Role::kProctype: break;
  }
  return "proctype " + machine.name;
}

struct Transition {
  LocationId from = 0;
  const Edge* edge = nullptr;
  const Statement* statement = nullptr;
  bool ends = false;  // the process
  bool local = false;
};

std::string text_of(const Transition& transition) {
  return transition.ends ? "-end-" : listed_text(transition.statement->text);
}

// Of locations that can be reached, in the order in which SPIN comes to them, depth first.
template <typename Visit>
void for_each_transition(const Machine& machine, const Visit& visit) {
  const std::vector<Location>& locations = machine.graph->locations;
  std::vector<bool> met(locations.size());
  std::vector<LocationId> open = {machine.graph->start};
  while (!open.empty()) {
    const LocationId from = open.back();
    open.pop_back();
    if (from >= locations.size() || met[from]) continue;
    met[from] = true;
    const std::vector<Edge>& edges = locations[from].edges;
    for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) open.push_back(edge->target);
    for (const Edge& edge : edges) {
      const Statement& statement = machine.model->statements[edge.statement];
      const bool ends = statement.kind == StatementKind::kEndProcess;
      visit(Transition{from, &edge, &statement, ends, ends || (!machine.local.empty() && machine.local[from])});
    }
  }
}

std::string file_name(const Model& model, const SourcePlace& place) {
  return place.line > 0 && place.file < model.files.size() ? model.files[place.file] : "-";
}

std::string table_of(const Machine& machine, int& transition_number) {
  std::string text = heading(machine) + "\n";
  for_each_transition(machine, [&](const Transition& transition) {
    const Location& from = machine.graph->locations[transition.from];
    const bool d_step = transition.statement->kind == StatementKind::kAtomicBlock;
    const std::string flags = {d_step                    ? 'D'
                               : transition.edge->atomic ? 'A'
                                                         : '-',
                               from.accepting ? 'a' : '-', from.valid_end ? 'e' : '-', from.progress ? 'p' : '-',
                               transition.local ? 'L' : 'G'};
    const SourcePlace& place = transition.ends ? from.place : transition.statement->place;
    text += fmt::format("\tstate {:3} -(tr {:3})-> state {:3}  [id {:3} tp {:3}] [{}] {}:{} => {}\n", transition.from,
                        transition_number++, transition.edge->target, transition.edge->element,
                        transition.ends ? kEndKind : kOtherKind, flags, file_name(*machine.model, place), place.line,
                        text_of(transition));
  });
  return text;
}

// A statement as the label of an edge: no quotes, no line breaks.
std::string edge_label(std::string text) {
  for (size_t at = text.find("\\n"); at != std::string::npos; at = text.find("\\n", at)) text.replace(at, 2, " ");
  std::erase(text, '\\');
  std::ranges::replace(text, '"', '\'');
  return text;
}

std::string graph_name(const Machine& machine) {
  switch (machine.role) {
    case Role::kInit: return "init";
    case Role::kTrace: return "trace";
    case Role::kClaim: return "claim_" + machine.name;
    case Role::kProctype: break;
  }
  return "p_" + machine.name;
}

std::string graph_of(const Machine& machine) {
  std::string text = fmt::format("digraph {} {{\nsize=\"8,10\";\n", graph_name(machine));
  text +=
      fmt::format("  GT [shape=box,style=dotted,label=\"{}\"];\n  GT -> S{};\n", machine.name, machine.graph->start);
  for_each_transition(machine, [&](const Transition& transition) {
    const char* const style = transition.edge->atomic ? "dashed" : transition.local ? "solid" : "bold";
    text += fmt::format("\tS{} -> S{}  [color=black,style={},label=\"{}\"];\n", transition.from,
                        transition.edge->target, style, edge_label(text_of(transition)));
  });
  for (size_t i = 1; i < machine.graph->locations.size(); ++i) {
    const Location& location = machine.graph->locations[i];
    const char* const colour = location.accepting   ? "red"
                               : location.progress  ? "green"
                               : location.valid_end ? "blue"
                                                    : nullptr;
    if (colour != nullptr) text += fmt::format("  S{} [color={},style=bold,shape=box];\n", i, colour);
  }
  return text + "}\n";
}

std::string variables_text(const Model& model, const std::vector<Variable>& variables, const std::string& owner) {
  std::string text;
  size_t parameter = 0;
  for (const Variable& variable : variables) {
    const std::string use = variable.is_parameter ? fmt::format("parameter {}", ++parameter) : "variable";
    std::string name = variable.name;
    for (const Variable::Dimension& dimension : variable.dimensions) {
      name += fmt::format("[{}]{}", dimension.count, dimension.suffix);
    }
    const std::string type = type_name(model, variable.type);  // of unsigned:3 and mtype:set the first word
    text += fmt::format("{:<6}\t{}\t0\t<{}>\t<{}>\n", type.substr(0, type.find(':')), name, owner, use);
  }
  return text;
}

std::string labels_text(const Machine& machine) {
  std::string text;
  for (size_t i = machine.graph->locations.size(); i-- > 1;) {
    if (machine.graph->locations[i].edges.empty()) continue;  // accept_all, which became the end of the claim
    for (const std::string& label : machine.graph->locations[i].labels) {
      text += fmt::format("label\t{}\t{}\t<{}>\n", label, i, machine.role == Role::kInit ? ":init:" : machine.name);
    }
  }
  return text;
}

}  // namespace

Result<std::string> state_tables(const Model& model) {
  Machines machines;
  if (const Status collected = collect(model, machines); !collected.ok()) return Error{collected.error()};
  int number = kFirstTransition;
  std::string text;
  for (const Machine& machine : machines.all) text += table_of(machine, number);
  return text +
         "\nTransition Type: A=atomic; D=d_step; L=local; G=global\n"
         "Source-State Labels: p=progress; e=end; a=accept;\n\npan: elapsed time 0 seconds\n";
}

Result<std::string> state_graphs(const Model& model) {
  Machines machines;
  if (const Status collected = collect(model, machines); !collected.ok()) return Error{collected.error()};
  std::string text;
  for (const Machine& machine : machines.all) text += graph_of(machine);
  return text;
}

Result<std::string> symbol_table(const Model& model) {
  Machines machines;
  if (const Status collected = collect(model, machines); !collected.ok()) return Error{collected.error()};
  std::string text;
  for (const std::vector<std::string>& set : model.mtype_sets) {
    for (size_t value = set.size(); value > 0; --value) {
      text += fmt::format("mtype \t{}\t{}\t<:global:>\t<constant>\n", set[value - 1], value);
    }
  }
  text += variables_text(model, model.globals, ":global:");
  for (const Proctype& proctype : model.proctypes) {
    const std::string name = proctype.is_init ? ":init:" : proctype.name;
    if (!proctype.is_init) text += fmt::format("proctype\t{}\t0\t<:global:>\t<variable>\n", name);
    text += variables_text(model, proctype.variables, name);
  }
  for (auto machine = machines.all.rbegin(); machine != machines.all.rend(); ++machine) text += labels_text(*machine);
  return text;
}

}  // namespace cmc::spin
