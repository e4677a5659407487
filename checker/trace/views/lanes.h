#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "checker/trace/trace.h"

namespace cmc {

// The processes of a trace by pid, each with its name; if several have had a pid: "a[1] / b[1]".
[[nodiscard]] std::map<uint32_t, std::string> lanes_of(const Trace& trace);

// Whether a chart shows the step: it is not local, or it fails.
[[nodiscard]] bool is_in_chart(const TraceStep& step);

// A message sequence chart as a Mermaid sequence diagram (mermaid.js.org): rendezvous and receives are arrows, what
// else happens are notes, what repeats for ever is a loop.
[[nodiscard]] std::string mermaid_chart(const Trace& trace);

// The same as a picture, SVG, light or dark as the reader has it. An arrow leads from a send down to its receive.
[[nodiscard]] std::string svg_chart(const Trace& trace);

}  // namespace cmc
