#include "ir/state_printer.h"

#include "ir/scalar.h"
#include "tests/ir/example_model.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

// One process of each proctype, a message in q and in Child's channel.
Bytes example_state(const Model& model) {
  const Proctype& main = model.proctypes[0];
  const Proctype& child = model.proctypes[1];
  Bytes state(model.global_bytes + main.frame_bytes + child.frame_bytes);
  const auto put = [&](size_t at, int value) { state[at] = static_cast<std::byte>(value); };
  put(model.process_count_offset(), 2);
  put(model.atomic_holder_offset(), kNoProcess);
  store(state.data() + model.globals[1].offset, int32_t{-5});
  put(model.globals[2].offset + 1, 200);
  put(model.globals[3].offset, 2);
  put(model.globals[4].offset, 1);
  put(model.globals[6].offset, 3);
  put(model.channels[0].offset, 1);
  put(model.channels[0].offset + 2, 2);
  put(model.channels[0].offset + 3, 9);
  const size_t frame = model.global_bytes;
  put(frame + kFramePriority, 1);
  put(frame + kFrameLocation, 6);
  put(frame + 4, 77);
  const size_t second = frame + main.frame_bytes;
  put(second + kFrameProctype, 1);
  put(second + kFrameLocation, 2);
  put(second + 4, 3);
  put(second + 5, 3);
  put(second + child.channels[0].offset, 1);
  put(second + child.channels[0].offset + 2, 8);
  return state;
}

TEST_CASE("state printer: a state is shown with the values of its variables, channels and processes") {
  const Model model = example_model();
  const StateImage image = decode_state(model, example_state(model));
  CHECK(image.damage.empty());
  const std::vector<NamedValue> globals = {{"scratch", "0"}, {"x", "-5"},   {"a[0]", "0"},
                                           {"a[1]", "200"},  {"a[2]", "0"}, {"kind", "ack"},
                                           {"q", "q"},       {"r", "none"}, {"moving", "Child[1].own"}};
  CHECK(image.globals == globals);
  REQUIRE(image.processes.size() == 2);
  CHECK(image.processes[0].proctype == "Main");
  CHECK(image.processes[0].location == 6);
  CHECK(image.processes[0].locals == std::vector<NamedValue>{{"n", "77"}});
  CHECK(image.processes[1].locals == std::vector<NamedValue>{{"p", "3"}, {"own", "Child[1].own"}});
  REQUIRE(image.channels.size() == 3);
  CHECK(image.channels[0].messages == std::vector<std::string>{"ack,9"});
  CHECK(image.channels[1].capacity == 0);
  CHECK(image.channels[2].id == 3);
  CHECK(image.channels[2].messages == std::vector<std::string>{"8"});
}

TEST_CASE("state printer: an unsigned value has no sign, and an unknown mtype has its number") {
  const Model model = example_model();
  CHECK(value_text(model, {BasicType::kUnsigned, 32, 4, 0}, -1) == "4294967295");
  CHECK(value_text(model, kMtypeType, 0) == "0");
  CHECK(value_text(model, kMtypeType, 3) == "3");
  CHECK(mtype_name(model, 9, 1).empty());
}

TEST_CASE("state printer: a damaged state is called so") {
  const Model model = example_model();
  const Bytes whole = example_state(model);
  for (size_t size = 0; size < whole.size(); ++size) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    CHECK(!decode_state(model, part).damage.empty());
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    Bytes spoiled = whole;
    spoiled[i] = std::byte{0xff};
    (void)decode_state(model, spoiled);
  }
  Bytes longer = whole;
  longer.push_back(std::byte{0});
  CHECK(!decode_state(model, longer).damage.empty());
}

}  // namespace
}  // namespace cmc::test
