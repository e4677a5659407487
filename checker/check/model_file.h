#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checker/check/request.h"
#include "checker/trace/trail.h"
#include "checker/trace/views/page.h"
#include "ir/model.h"
#include "promela/compile.h"

namespace cmc {

// A model that was read.
struct LoadedModel {
  promela::Sources sources;  // its files have the numbers that places in the model have
  Model model;
  std::string file;  // as the user wrote it; "<stdin>" for -
  std::string sha1;  // of the file's bytes
  ModelRequest request;
};

// Told of a model with errors what is wrong with it; a place with line 0: the file as a whole.
using ErrorListener = std::function<void(const promela::Sources&, const promela::Diagnostics&)>;

// How the front end reads a model.
[[nodiscard]] promela::CompileOptions compile_options(const ModelRequest& request);

// Its files for pages.
[[nodiscard]] std::vector<SourceText> source_texts(const LoadedModel& loaded);

// How the model of a trail was read, unless macros or folders are given already.
void add_options(const Trail& trail, ModelRequest& request);

// Compiles a file of `sources`. Appends diagnostics to `messages`, with colours if `colored`, and tells `on_error`,
// if it is not null, when there is an error: then there is no model.
[[nodiscard]] std::optional<LoadedModel> compile_model(const ModelRequest& request, promela::Sources sources,
                                                       uint32_t file, std::string& messages, bool colored = false,
                                                       const ErrorListener& on_error = nullptr);

}  // namespace cmc
