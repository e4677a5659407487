#pragma once

#include <string>

#include "checker/trace/trace.h"
#include "checker/trace/views/trace_json.h"

namespace cmc {

// The states of a trace in the Informal Trace Format of Apalache (its ADR 15), which tools around TLA+ read: the
// state before the first step and the one behind each. Variables: the globals (arrays are sequences, structures
// records), `channels` (a record of sequences of tuples), `processes` (a sequence of records) and `step` (what led
// there).
[[nodiscard]] std::string itf_trace(const Trace& trace, const TraceSource& source);

}  // namespace cmc
