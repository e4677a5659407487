#include "checker/por/hindrances.h"

#include "tests/support/compile.h"

#include "tests/catch.h"

// What kept partial-order reduction from more, for people.

namespace cmc::test {
namespace {

TEST_CASE("hindrances: reasons of one place and text are one, the commonest first") {
  const Model model = compile_text(
      "byte x[2];\n"
      "active [2] proctype P() { chan own = [1] of { byte };\n"
      "  x[_pid]++;\n"
      "  own!1\n"
      "}\n");
  const Components components(model);
  const StatePieces& pieces = components.pieces();
  const uint32_t variable = model.globals.front().offset;
  const uint16_t piece = pieces.frame_piece[0][model.proctypes[0].channels.front().offset];
  using Kind = Hindrance::Kind;
  const LocationId start = model.proctypes[0].start;
  const std::vector<CountedHindrance> all{{{Kind::kComponent, pieces.global_component[variable], 0, start, 0}, 3},
                                          {{Kind::kCycle, kControlComponent, 0, start, 0}, 4},
                                          {{Kind::kComponent, pieces.global_component[variable + 1], 0, start, 0}, 2},
                                          {{Kind::kComponent, pieces.frame(1, piece), 0, start, 0}, 1}};
  const std::vector<HindranceText> texts = describe(all, components, {});
  REQUIRE(texts.size() == 3);
  CHECK(texts[0].text == "P may use x, too");
  CHECK(texts[0].count == 5);
  CHECK(texts[0].place.line == 3);
  CHECK(texts[0].proctype == "P");
  CHECK(texts[1].text == "all processes may run in a cycle through this place");
  CHECK(texts[2].text == "P may use own, too");
}

}  // namespace
}  // namespace cmc::test
