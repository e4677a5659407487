#pragma once

#include <string>

#include "checker/trace/counterexample.h"
#include "checker/trace/trail.h"
#include "tests/report/run.h"

// Traces of small models, for the tests of this folder.

namespace cmc {

// The trace of the first error that a breadth-first search finds.
inline Trace trace_of(const Model& model, const SearchOptions& options = {}) {
  SearchOptions search = options;
  search.order = SearchOptions::Order::kBreadthFirst;
  const SearchResult result = search_model(model, search);
  const auto referee = make_reference_generator(model);
  Result<Trace> trace = make_trace(model, result.errors.at(0), *referee, 0, {});
  if (!trace.ok()) throw std::runtime_error(trace.error());
  return std::move(trace).value();
}

inline std::string text_of(const Model& model, const Trace& trace, TraceOptions options, uint64_t shown_last = 0) {
  const Palette palette(false);
  std::string text;
  const TraceStyle style = options.style;
  TracePrinter printer(model, std::move(options), palette, [&](std::string_view part) { text += part; });
  print_trace(trace, printer, style, shown_last);
  return text;
}

inline std::string trace_of_error(const std::string& text, TraceOptions options, uint64_t shown_last = 0) {
  const Model model = compile_text(text);
  return text_of(model, trace_of(model), std::move(options), shown_last);
}

}  // namespace cmc
