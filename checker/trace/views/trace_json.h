#pragma once

#include <span>
#include <string>

#include "checker/trace/trace.h"
#include "ir/model.h"

namespace cmc {

// Of which text the traces are.
struct TraceSource {
  std::string model_file;
  std::string model_sha1;
};

// One JSON object, schema cmc.trace/1 (docs/traces.md), with a newline behind it; each step is a line.
[[nodiscard]] std::string trace_json(const Model& model, std::span<const Trace* const> traces,
                                     const TraceSource& source);

}  // namespace cmc
