#include <algorithm>
#include <span>
#include <vector>

#include "checker/generator/one_step.h"
#include "tests/reference/observed.h"

#include "tests/catch.h"

// What the judge tells of one process to who replays a run.

namespace cmc::test {
namespace {

std::vector<Step> steps_of(const SuccessorBatch& batch, uint32_t begin, uint32_t count) {
  const std::span<const Step> steps = std::span(batch.steps).subspan(begin, count);
  return {steps.begin(), steps.end()};
}

// Where each step leads, and what fails on the way.
struct Told {
  std::vector<std::pair<std::vector<Step>, Bytes>> entries;
  std::vector<std::pair<std::vector<Step>, RuntimeErrorKind>> errors;
};
Told told_of(const SuccessorBatch& batch, const Step& first) {
  Told told;
  const auto begins = [&](const std::vector<Step>& steps) { return !steps.empty() && steps.front() == first; };
  for (size_t i = 0; i < batch.entries.size(); ++i) {
    std::vector<Step> steps = steps_of(batch, batch.entries[i].path_begin, batch.entries[i].path_count);
    if (begins(steps)) told.entries.emplace_back(std::move(steps), Explorer::copy(batch, i));
  }
  for (const RuntimeError& error : batch.errors) {
    std::vector<Step> steps = steps_of(batch, error.path_begin, error.path_count);
    if (begins(steps)) told.errors.emplace_back(std::move(steps), error.kind);
  }
  return told;
}

// Holders that block, timeout, a d_step in the middle of a rendezvous, priorities, provided, errors.
constexpr const char* kModels[] = {
    "byte x; active proctype A() { atomic { x < 2 -> x++; x == 2 -> x = 0 } } active [2] proctype B() { do :: x < 3 "
    "-> x++ :: x == 3 -> break od }",
    "chan c = [0] of { byte }; byte y; active proctype S() { c ! 1; timeout -> y = 1 } active proctype R() { byte z; "
    "c ? z; assert(y == 1) } active proctype D() { d_step { y == 0 -> y = 2 } }",
    "byte n; active proctype A() priority 3 { n = 1 } active proctype B() provided (n > 0) { n = 2; n = 1 / (n - 2) "
    "} "
    "active proctype C() { n = 3 }",
};

TEST_CASE("reference: who asks about one step is told what all successors tell of it") {
  for (const char* const text : kModels) {
    INFO(text);
    const Model model = compile_text(text);
    const auto generator = make_reference_generator(model);
    auto& one_step = dynamic_cast<OneStepGenerator&>(*generator);
    for (const Bytes& state : reachable(*generator)) {
      SuccessorBatch all;
      generator->successors(state, all);
      std::vector<Step> firsts = all.steps;  // and some that are none
      for (uint8_t pid = 0; pid < 5; ++pid) firsts.push_back(Step{.pid = pid});
      for (const Step& first : firsts) {
        SuccessorBatch asked;
        one_step.successors_by(state, first, asked);
        const Told expected = told_of(all, first);
        const Told got = told_of(asked, first);
        CHECK(got.entries == expected.entries);
        CHECK(got.errors == expected.errors);
      }
    }
  }
}

}  // namespace
}  // namespace cmc::test
