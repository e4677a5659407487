#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "promela/compile.h"
#include "tests/catch.h"
#include "tests/vm/compare.h"

// VM and reference interpreter on models from Promela text: those that CMC ships and those in Debian's package spin.

namespace cmc::test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> models_below(const fs::path& folder) {
  std::vector<fs::path> result;
  if (!fs::exists(folder)) return result;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".pml") result.push_back(entry.path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::optional<Model> compile_file(const fs::path& path, std::string& messages) {
  promela::Sources sources;
  promela::Diagnostics diagnostics(sources);
  Result<uint32_t> file = sources.load(path.string());
  if (!file.ok()) return std::nullopt;
  promela::CompileOptions options;
  options.preprocessor.include_directories = {path.parent_path().string()};
  std::optional<Model> model = promela::compile(sources, file.value(), options, diagnostics);
  messages = diagnostics.render(false);
  return model;
}

// CMC_MODEL_STATES=<number>: states per model.
uint64_t state_limit() {
  const char* wanted = std::getenv("CMC_MODEL_STATES");
  return wanted == nullptr ? 2'000 : static_cast<uint64_t>(std::atoll(wanted));
}

TEST_CASE("VM and reference interpreter differ on a shipped model") {
  const std::vector<fs::path> paths = models_below(fs::path(CMC_SOURCE_DIR) / "models");
  CHECK(paths.size() > 10);
  for (const fs::path& path : paths) {
    std::string messages;
    const std::optional<Model> model = compile_file(path, messages);
    INFO(path.string() << "\n" << messages);
    CHECK(model.has_value());
    if (!model) continue;
    const Exploration found = explore(*model, state_limit());
    CHECK(found.differences == std::vector<std::string>{});
    CHECK(found.states > 1);
  }
}

// Some of SPIN's examples are not complete models or not Promela of SPIN 6: those that do not compile are not this
// test's business.
TEST_CASE("VM and reference interpreter differ on one of SPIN's examples") {
  const std::vector<fs::path> paths = models_below("/usr/share/doc/spin/examples/Examples");
  size_t compiled = 0;
  for (const fs::path& path : paths) {
    std::string messages;
    const std::optional<Model> model = compile_file(path, messages);
    if (!model) continue;
    ++compiled;
    INFO(path.string());
    const Exploration found = explore(*model, state_limit());
    CHECK(found.differences == std::vector<std::string>{});
  }
  if (paths.empty()) {
    WARN("SPIN's examples are not installed");
  } else {
    CHECK(compiled > 60);
  }
}

}  // namespace
}  // namespace cmc::test
