#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "promela/compile.h"

// From Promela texts and files to models, for tests that need no diagnostics.

namespace cmc::test {

inline Model compile_in(promela::Sources& sources, uint32_t file, const std::vector<std::string>& defines) {
  promela::Diagnostics diagnostics(sources);
  promela::CompileOptions options;
  options.validate = true;
  for (const std::string& define : defines) options.preprocessor.commands.push_back({false, define});
  std::optional<Model> model = promela::compile(sources, file, options, diagnostics);
  if (!model) throw std::runtime_error(diagnostics.render(false));
  return std::move(*model);
}

inline Model compile_text(const std::string& text, const std::vector<std::string>& defines = {}) {
  promela::Sources sources;
  return compile_in(sources, sources.add("test.pml", text), defines);
}

inline Model compile_file(const std::filesystem::path& path, const std::vector<std::string>& defines = {}) {
  promela::Sources sources;
  const Result<uint32_t> file = sources.load(path.string());
  if (!file.ok()) throw std::runtime_error(file.error());
  return compile_in(sources, file.value(), defines);
}

}  // namespace cmc::test
