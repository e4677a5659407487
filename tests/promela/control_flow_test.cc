#include "promela/control_flow.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "ir/dump.h"
#include "promela/compile.h"
#include "tests/promela/front_end.h"

#include "tests/catch.h"

// State machines, layout and edges of small models, whole: golden/NAME.pml and its dump, golden/NAME.dump.
// After a wanted change run the tests once with CMC_UPDATE_GOLDEN=1 and read the difference before it is committed.
// That numbers and edges are SPIN's is held by tests/spin/compare_state_machines.py.

namespace cmc::promela {
namespace {

namespace fs = std::filesystem;

const fs::path kGolden = fs::path(CMC_SOURCE_DIR) / "tests/promela/golden";

std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string dumped(const std::string& name, const std::string& text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const std::optional<Model> model = compile(sources, sources.add(name, text), {}, diagnostics);
  if (!model) return diagnostics.render(false);
  std::stringstream out;
  dump(*model, out);
  return out.str();
}

// The first line that differs, for a message that can be read.
std::string first_difference(const std::string& expected, const std::string& found) {
  std::stringstream left(expected), right(found);
  std::string a, b;
  for (int line = 1;; ++line) {
    const bool more_left = static_cast<bool>(std::getline(left, a));
    const bool more_right = static_cast<bool>(std::getline(right, b));
    if (!more_left && !more_right) return "";
    if (a != b || more_left != more_right) return "line " + std::to_string(line) + ":\n- " + a + "\n+ " + b;
  }
}

}  // namespace

TEST_CASE("golden models have their state machines and layouts") {
  const char* update = std::getenv("CMC_UPDATE_GOLDEN");
  size_t compared = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kGolden)) {
    if (entry.path().extension() != ".pml") continue;
    const std::string found = dumped(entry.path().filename().string(), read(entry.path()));
    fs::path golden = entry.path();
    golden.replace_extension(".dump");
    if (update != nullptr && std::string(update) == "1") std::ofstream(golden) << found;
    INFO(entry.path().filename().string() << ", " << first_difference(read(golden), found));
    CHECK(found == read(golden));
    ++compared;
  }
  CHECK(compared >= 12);
}

TEST_CASE("with Java's order the inner escape goes before the outer one") {
  const std::string text =
      "byte x;\nactive proctype P() { { { x = 1 } unless { x == 2 -> skip } } unless { x == 3 -> skip } }\n";
  const auto first_text = [&](bool like_java) {
    const Compiled compiled(text, like_java);
    REQUIRE(compiled.model);
    const Proctype& proctype = compiled.model->proctypes.at(0);
    const Edge& edge = proctype.locations.at(proctype.start).edges.at(0);
    return compiled.model->statements.at(edge.statement).text;
  };
  CHECK(first_text(false) == "(x==3)");
  CHECK(first_text(true) == "(x==2)");
}

}  // namespace cmc::promela
