#pragma once

#include "checker/api/cmc/cmc.h"
#include "checker/check/model_file.h"
#include "checker/cli/options/options.h"
#include "checker/generator/generator.h"
#include "checker/trace/trace.h"

// What is behind the public header.

namespace cmc::api {

struct Loaded {
  CheckRequest request;  // the generator and the solver of runs
  LoadedModel loaded;
  std::string warnings;
};

struct Model::Content : Loaded {
  explicit Content(Loaded all) : Loaded(std::move(all)) {}
};

// Options of `command`, as on its command line. Error: what is wrong with them.
[[nodiscard]] Result<Options> parse_options(const char* command, const std::vector<std::string>& words);

// Of a model that was read. Error: an option is there that says how models are read.
[[nodiscard]] Result<Options> parse_later_options(const char* command, const std::vector<std::string>& words);

// REQUIRES: the step is one of `state`.
[[nodiscard]] Step step_of(const cmc::Model& model, ByteView state, const cmc::Step& step);
[[nodiscard]] Step step_of(const TraceStep& step);

[[nodiscard]] std::vector<Value> values_of(const cmc::Model& model, ByteView state);

// cmc.trace/1, or a page. `model`: of the traces' places and names.
[[nodiscard]] std::string json_of(const LoadedModel& loaded, const cmc::Model& model,
                                  std::span<const Trace* const> traces);
[[nodiscard]] std::string page_of(const LoadedModel& loaded, const cmc::Model& model,
                                  std::span<const Trace* const> traces);

}  // namespace cmc::api
