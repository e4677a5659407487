#include "ir/channel_names.h"

#include <string>

#include "tests/support/compile.h"

#include "tests/catch.h"

// Which channels the receives of a model can name.

namespace cmc::test {
namespace {

using List = std::vector<uint32_t>;
using Ids = std::optional<List>;

// Of the first receive in the text.
Ids named(const std::string& text) {
  const Model model = compile_text(text);
  const ChannelNames names(model);
  for (const Statement& statement : model.statements) {
    if (statement.kind == StatementKind::kReceive) return names.of(statement.channel);
  }
  return List{99};
}

TEST_CASE("channel names: a global channel that nobody assigns is that channel") {
  CHECK(named("chan a = [0] of { byte }, b = [0] of { byte }; active proctype P() { b?_ }") == Ids(List{2}));
  CHECK(named("chan a = [0] of { byte }, b; active proctype P() { b?_ }") == Ids(List{}));
}

TEST_CASE("channel names: an element of an array is any of the array") {
  CHECK(named("byte i; chan a = [0] of { byte }; chan b[3] = [0] of { byte }; active proctype P() { b[i]?_ }") ==
        Ids(List{2, 3, 4}));
  CHECK(named("typedef T { byte x; chan c = [0] of { byte } }; T t[2]; active proctype P() { t[1].c?_ }") ==
        Ids(List{2}));
}

TEST_CASE("channel names: what is assigned may be any channel") {
  const std::string channels = "chan a = [0] of { byte }, b = [0] of { byte }; chan m = [1] of { chan };";
  CHECK(named(channels + "chan c = a; active proctype P() { c?_ }") == std::nullopt);
  CHECK(named(channels + "active proctype P() { a?_; a = b }") == std::nullopt);
  CHECK(named(channels + "active proctype P() { a?_; m?a }") == std::nullopt);
  CHECK(named(channels + "active proctype P() { a?_; d_step { skip; a = b } }") == std::nullopt);
  CHECK(named(channels + "proctype P(chan c) { c?_ } init { run P(a) }") == std::nullopt);
  CHECK(named(channels + "active proctype P() { chan c = [0] of { byte }; c?_ }") == std::nullopt);
  CHECK(named("chan b[3] = [0] of { byte }; byte i; active proctype P() { b[0]?_; b[i] = b[1] }") == std::nullopt);
}

}  // namespace
}  // namespace cmc::test
