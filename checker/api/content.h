#pragma once

#include "checker/api/cmc/cmc.h"
#include "checker/check/model_file.h"
#include "checker/generator/generator.h"

// What is behind the public header.

namespace cmc::api {

struct Loaded {
  CheckRequest request;  // the generator and the solver of runs
  LoadedModel loaded;
};

struct Model::Content : Loaded {
  explicit Content(Loaded all) : Loaded(std::move(all)) {}
};

// REQUIRES: the step is one of `state`.
[[nodiscard]] Step step_of(const cmc::Model& model, ByteView state, const cmc::Step& step);

[[nodiscard]] std::vector<Value> values_of(const cmc::Model& model, ByteView state);

}  // namespace cmc::api
