#include "promela/lower/control_flow.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "ir/dump.h"
#include "ir/print.h"
#include "ir/validate.h"
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
  const std::optional<Model> model = compile(sources, sources.add(name, text), {.validate = true}, diagnostics);
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

TEST_CASE("control flow: golden models have their state machines and layouts") {
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

TEST_CASE("control flow: with Java's order the inner escape goes before the outer one") {
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

TEST_CASE("control flow: never claims, traces and notraces are kept, and named by their properties") {
  const Compiled claims(
      "typedef T { byte a; byte b }; byte x; T t; chan q = [1] of { byte, byte };"
      "active proctype P() { q!1,2; progress: x = 1 }"
      "never wrong { byte n; accept: do :: x < 3 -> n++ :: else -> break od }"
      "trace { do :: q!_,2 :: q!t; q?_,_ od }"
      "ltl late { <> (x == 3) }");
  INFO(claims.messages);
  REQUIRE(claims.model);
  const Model& model = *claims.model;
  CHECK(validate(model) == std::vector<std::string>{});
  REQUIRE(model.proctypes.size() == 1);
  REQUIRE(model.claims.size() == 2);
  std::string text;
  for (const Property& property : model.properties) {
    text += std::string(info(property.kind).name) + " '" + property.name + "'";
    if (property.claim != kNoClaim) text += " is claim " + std::to_string(property.claim);
    text += "; ";
  }
  CHECK(text == "never claim 'wrong' is claim 0; trace '' is claim 1; ltl 'late'; non-progress cycle 'progress'; ");
  CHECK(model.claims[0].variables.at(0).name == "n");
  CHECK(model.claims[0].frame_bytes == kFrameHeaderBytes + 1);
  CHECK(model.claims[0].locations.size() > 3);
  std::string sends;
  for (const Edge& edge : model.claims[1].locations.at(model.claims[1].start).edges) {
    CHECK(model.statements[edge.statement].kind == StatementKind::kSend);
    sends += build_statement_text(model, &model.claims[1], edge.statement) + " ";
  }
  CHECK(sends == "q!_,2 q!_,_ ");
}

TEST_CASE("control flow: '_' is a pattern in the messages of a trace only") {
  CHECK(Compiled("byte x; active proctype P() { x = 1 } never { do :: _ == 0 od }").messages ==
        "1:53: error: '_' can be written but not read\n");
  CHECK(Compiled("chan q = [1] of { byte }; active proctype P() { q!_ }").messages ==
        "1:51: error: '_' can be written but not read\n");
  CHECK(Compiled("chan q = [1] of { byte }; active proctype P() { q!1 } trace { q!_+1 }").messages ==
        "1:65: error: '_' can be written but not read\n"
        "1:66: warning: in a trace '(_+1)' stands for any value, as in SPIN, which compares constants, and eval(...) "
        "in receives, only\n");
}

}  // namespace cmc::promela
