#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/result/result.h"
#include "ir/model.h"

// What is known of a model that tells why a mutant survives.

namespace cmc::mutate {

// Plain statements at locations that no process comes to. One that another location has, too, is not among them, nor
// are jumps: SPIN's rules leave out the locations in front of many of them.
[[nodiscard]] std::set<SourcePlace> unreached_statements(const Model& model, const ReachedLocations& reached);

// Whether nothing reads the variable that is assigned there, but to compute its own next value. A local variable
// counts as read if that of another proctype with its number is.
[[nodiscard]] bool assigns_unread(const Model& model, const SourcePlace& place);

// A solver's answers, C code, hidden variables and places of processes are not seen in a graph (seen_graph.h).
[[nodiscard]] bool can_be_compared(const Model& model);

// A run of the model, a step a line, replayed by the reference interpreter; empty: it is none.
[[nodiscard]] std::vector<std::string> run_texts(const Model& model, std::span<const Step> run);

}  // namespace cmc::mutate
