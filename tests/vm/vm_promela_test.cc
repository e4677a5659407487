#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "promela/compile.h"
#include "tests/support/compile.h"
#include "tests/vm/compare.h"

#include "tests/catch.h"

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

// Of each model in step mode `spin`: behind one state there can be very many.
constexpr uint64_t kSpinStepStates = 100;

// CMC_MODEL_STATES=<number>: states per model.
uint64_t state_limit() {
  const char* wanted = std::getenv("CMC_MODEL_STATES");
  return wanted == nullptr ? 2'000 : static_cast<uint64_t>(std::atoll(wanted));
}

TEST_CASE("VM: it agrees with the reference interpreter on shipped models") {
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
    CHECK(explore_spin_steps(*model, kSpinStepStates).differences == std::vector<std::string>{});
  }
}

TEST_CASE("VM: two bytes of a frame are compared as the element that each names") {
  for (const char* const place : {"local", "global"}) {
    const bool local = place == std::string("local");
    const std::string arrays = "byte a[4]; short s[4]; int w[3]; bit t[4]; ";
    const std::string bytes = "byte i; byte j; ";
    for (const bool other : {false, true}) {  // index and arrays in the same place or not
      const bool local_bytes = local != other;
      const std::string text = (local ? "" : arrays) + (local_bytes ? "" : bytes) + "active proctype P() { " +
                               (local ? arrays : "") + (local_bytes ? bytes : "") + R"(
          do
          :: i < 5 -> i++
          :: j < 255 - i -> j = j + 51
          :: i <= j && i != 0 -> i--
          :: i >= j -> a[i] = j; s[i] = a[j] - 300
          :: i == j -> w[i] = s[j] * 1000; a[j] = w[i]
          :: i != j && j > i -> t[j] = s[i]; j = a[i] + t[j]
          :: j > 3 -> j = 0
          od })";
      INFO(text);
      const Exploration found = explore(compile_text(text), 4'000);
      CHECK(found.differences == std::vector<std::string>{});
      CHECK(found.states > 1'000);
      CHECK(found.errors.at("index") > 0);
    }
  }
}

// A million statements are the most that a d_step may execute; those of one round are 2 or 3 of them, and a few.
TEST_CASE("VM: the statements of a d_step are counted") {
  const auto errors_of = [](int rounds, bool branches) {
    const std::string text =
        fmt::format(R"(
        int n; byte x, y;
        active proctype P() {{
          d_step {{
            x = 1;
            do
            :: n < {0} -> n++; x = 2; {1}
            :: n >= {0} -> break
            od;
            x = 0; y = 0
          }}
        }})",
                    rounds, branches ? "if :: n % 2 == 0 -> y = 1; x = 3 :: else -> x = 4 fi" : "y = 3");
    const Exploration found = explore(compile_text(text));
    CHECK(found.differences == std::vector<std::string>{});
    return found.errors.size();
  };
  for (const bool branches : {false, true}) {
    int most = 1;  // rounds without an error
    for (int step = 1 << 18; step > 0; step /= 2) most += errors_of(most + step, branches) == 0 ? step : 0;
    CHECK(most > 100'000);
    CHECK(most < 400'000);
  }
}

// Some of SPIN's examples are not complete models or not Promela of SPIN 6: those that do not compile are not this
// test's business.
TEST_CASE("VM: it agrees with the reference interpreter on the examples of SPIN") {
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
    CHECK(explore_spin_steps(*model, kSpinStepStates).differences == std::vector<std::string>{});
  }
  if (paths.empty()) {
    WARN("SPIN's examples are not installed");
  } else {
    CHECK(compiled > 60);
  }
}

}  // namespace
}  // namespace cmc::test
