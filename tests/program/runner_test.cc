#include "checker/program/runner.h"

#include "checker/program/external.h"
#include "checker/vm/generator.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

namespace cmc::program {
namespace {

Result<std::vector<ExternalChannel>> external_in(const std::string& text) {
  const Model model = test::compile_text(text);
  return find_external_channels(model, [&](uint32_t) { return std::string_view(text); });
}

TEST_CASE("runner: channels with the mark are external, in the direction in which processes use them") {
  const auto found = external_in(
      "chan in[2] = [1] of { byte };  /* cmc: external */\n"
      "chan out = [2] of { byte };    // cmc: external\n"
      "chan inner = [1] of { byte };\n"
      "active proctype p() { byte x; do :: in[0] ? x -> inner ! x; inner ? x; out ! x od }\n");
  REQUIRE(found.ok());
  REQUIRE(found.value().size() == 2);
  CHECK(found.value()[0].name == "in");
  CHECK(found.value()[0].count == 2);
  CHECK(found.value()[0].direction == ExternalChannel::Direction::kIn);
  CHECK(found.value()[1].name == "out");
  CHECK(found.value()[1].first == 2);
  CHECK(found.value()[1].direction == ExternalChannel::Direction::kOut);
}

TEST_CASE("runner: external channels that cannot be bound are errors") {
  const char* const kMistakes[] = {
      "chan c = [0] of { byte }; /* cmc: external */\nactive proctype p() { c ! 1 }\n",
      "chan c = [1] of { byte }; /* cmc: external */\nactive proctype p() { skip }\n",
      "chan c = [1] of { byte }; /* cmc: external */\nactive proctype p() { c ! 1; c ? _ }\n",
      "chan d = [1] of { byte };\nchan c; /* cmc: external */\nactive proctype p() { c = d; c ! 1 }\n",
  };
  for (const char* text : kMistakes) {
    const auto found = external_in(text);
    INFO(text);
    REQUIRE_FALSE(found.ok());
    CHECK(found.error().find("'c'") != std::string::npos);
  }
}

TEST_CASE("runner: a program takes steps, waits for messages, and hands messages out") {
  const Model model = test::compile_text(
      "chan in = [2] of { byte, int };\n"
      "chan out = [2] of { int };\n"
      "active proctype p() { byte a; int b; end: do :: in ? a, b -> out ! a + b :: timeout -> out ! -1 od }\n");
  Runner runner(model, make_vm_generator(model));
  REQUIRE(runner.start().ok());
  CHECK(runner.run(false).value() == 0);
  const std::span<std::byte> message = runner.push(0);
  REQUIRE(message.size() == 5);
  store(message.data(), uint8_t{7});
  store(message.data() + runner.type_of(0).field_offsets[1], int32_t{1000});
  CHECK(runner.run(false).value() == 2);
  REQUIRE(runner.length(1) == 1);
  CHECK(load<int32_t>(runner.front(1).data()) == 1007);
  runner.pop(1);
  CHECK(runner.length(1) == 0);
  CHECK(runner.length(0) == 0);
  // The clock is asked for once, when nothing else can be done.
  CHECK(runner.run(true).value() == 2);
  CHECK(load<int32_t>(runner.front(1).data()) == -1);
}

TEST_CASE("runner: an error of the model ends its program with a text") {
  const Model model = test::compile_text("byte a[2];\nbyte i = 1;\nactive proctype p() { i++; a[i] = 1 }\n");
  Runner runner(model, make_vm_generator(model));
  REQUIRE(runner.start().ok());
  const auto result = runner.run(false);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().find("test.pml:3") != std::string::npos);
}

TEST_CASE("runner: rendezvous and atomic sequences within a program go their way") {
  const Model model = test::compile_text(
      "chan c = [0] of { byte };\nchan out = [4] of { byte };\n"
      "active proctype q() { byte x; end: do :: atomic { c ? x -> out ! x; out ! x + 1 } od }\n"
      "active proctype p() { c ! 5; c ! 7 }\n");
  Runner runner(model, make_vm_generator(model));
  REQUIRE(runner.start().ok());
  REQUIRE(runner.run(false).ok());
  REQUIRE(runner.length(1) == 4);
  for (const int expected : {5, 6, 7, 8}) {
    CHECK(load<uint8_t>(runner.front(1).data()) == expected);
    runner.pop(1);
  }
}

}  // namespace
}  // namespace cmc::program
