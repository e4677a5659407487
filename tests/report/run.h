#pragma once

#include <optional>
#include <string>

#include "checker/generator/wrappers/spin_steps.h"
#include "checker/plain/simple_search.h"
#include "checker/reference/reference.h"
#include "checker/report/report.h"
#include "checker/result/replay.h"
#include "promela/compile.h"

// From a Promela text to a report and a trace, for the tests of this folder.

namespace cmc {

inline Model compile_text(const std::string& text) {
  promela::Sources sources;
  const uint32_t file = sources.add("test.pml", text);
  promela::Diagnostics diagnostics(sources);
  std::optional<Model> model = promela::compile(sources, file, {.validate = true}, diagnostics);
  if (!model) throw std::runtime_error(diagnostics.render(false));
  return std::move(*model);
}

inline SearchResult search_model(const Model& model, SearchOptions options = {}) {
  const auto generator = close_atomic_chains(make_reference_generator(model), model);
  return run_search(*generator, model, options);
}

inline Report report_of(const Model& model, const SearchResult& result) {
  RunDescription run;
  run.model_file = "test.pml";
  run.model_sha1 = "0123";
  run.steps = "spin";
  PropertyResult safety;
  safety.entry = properties_of(model).front();
  safety.result = result;
  return make_report(model, std::span(&safety, 1), run);
}

inline bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace cmc
