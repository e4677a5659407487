#include "checker/generator/wrappers/checked.h"

#include <functional>

#include "tests/generator/explore.h"
#include "tests/support/model_builder.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

// Spoils what the reference says.
class Liar final : public SuccessorGenerator {
 public:
  Liar(const Model& model, std::function<void(SuccessorBatch&)> lie)
      : inner_(make_reference_generator(model)), lie_(std::move(lie)) {}
  void initial(SuccessorBatch& out) override { inner_->initial(out); }
  bool process_successors(ByteView, uint8_t, bool, TouchTrace*, SuccessorBatch&) override {
    FAIL("not asked for processes");
    return false;
  }
  void successors(ByteView state, SuccessorBatch& out) override {
    inner_->successors(state, out);
    lie_(out);
  }

 private:
  std::unique_ptr<SuccessorGenerator> inner_;
  std::function<void(SuccessorBatch&)> lie_;
};

TEST_CASE("checked generator: differences between two generators are noticed, and none is invented") {
  ModelBuilder b;
  const ProctypeId p = b.proctype("P");
  b.sequence({b.assertion(b.constant(0))});
  b.activate(p, 2);
  const auto difference = [&](std::function<void(SuccessorBatch&)> lie) {
    std::string text;
    auto checked = make_checked_generator(std::make_unique<Liar>(b.model, std::move(lie)),
                                          make_reference_generator(b.model), [&](const std::string& t) { text = t; });
    SuccessorBatch out;
    checked->initial(out);
    const Bytes state = Explorer::copy(out, 0);
    out.clear();
    checked->successors(state, out);
    return text;
  };
  CHECK(difference([](SuccessorBatch&) {}).empty());
  const auto finds = [&](const char* words, std::function<void(SuccessorBatch&)> lie) {
    const std::string text = difference(std::move(lie));
    INFO(text);
    CHECK(text.find(words) != std::string::npos);
  };
  finds("differs at byte 4", [](SuccessorBatch& s) { s.bytes[s.entries[1].offset + 4] = std::byte{9}; });
  finds("edge 7", [](SuccessorBatch& s) { s.steps[0].edge = 7; });
  finds("steps", [](SuccessorBatch& s) { std::swap(s.entries[0], s.entries[1]); });
  finds("missing", [](SuccessorBatch& s) { s.entries.pop_back(); });
  finds("more than 2 successors", [](SuccessorBatch& s) { s.entries.push_back(s.entries[0]); });
  finds("bytes, expected", [](SuccessorBatch& s) { --s.entries[0].size; });
  finds("error 0", [](SuccessorBatch& s) { s.errors[0].message = "else"; });
  finds("errors, expected", [](SuccessorBatch& s) { s.errors.pop_back(); });
  finds("flags", [](SuccessorBatch& s) { s.blocked = true; });
}

TEST_CASE("checked generator: every run-time error has a name") {
  std::set<std::string> names;
  for (int kind = 0; kind <= static_cast<int>(RuntimeErrorKind::kEmbeddedC); ++kind) {
    names.insert(runtime_error_name(static_cast<RuntimeErrorKind>(kind)));
  }
  CHECK(names.size() == static_cast<size_t>(RuntimeErrorKind::kEmbeddedC) + 1);
  CHECK(names.count("unknown") == 0);
}

}  // namespace
}  // namespace cmc::test
