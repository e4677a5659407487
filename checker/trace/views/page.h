#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "checker/trace/trace.h"
#include "checker/trace/views/trace_json.h"
#include "ir/model.h"

namespace cmc {

struct SourceText {
  std::string name;  // as in Model::files
  std::string text;
};

// One HTML page that shows the traces and needs nothing else: no network, no other file. It is checker/trace/page
// with the data in it. `sources` are in the order of Model::files.
[[nodiscard]] std::string trace_page(const Model& model, std::span<const Trace* const> traces,
                                     const TraceSource& source, std::span<const SourceText> sources);

// The data of the page as JSON that can stand in a script element: it has no '<'.
[[nodiscard]] std::string page_data(const Model& model, std::span<const Trace* const> traces,
                                    const TraceSource& source, std::span<const SourceText> sources);

// A page with its parts: {{name}} stands in it once for each, in the order of the parts. What they hold is not looked
// at.
[[nodiscard]] std::string filled(std::string_view page,
                                 std::initializer_list<std::pair<std::string_view, std::string_view>> parts);

// "deadlock.pml: invalid end state, 9 steps"
[[nodiscard]] std::string trace_title(const Trace& trace);

}  // namespace cmc
