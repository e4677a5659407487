#include "checker/mutate/compare.h"

#include <algorithm>
#include <csignal>
#include <optional>

#include "checker/check/model_file.h"
#include "checker/mutate/child_pool.h"

#include "tests/catch.h"

namespace cmc::mutate {
namespace {

using Outcome = Comparison::Outcome;

Comparison compared(const std::string& one, const std::string& other, const ComparisonLimits& limits = {}) {
  std::vector<LoadedModel> models;
  for (const std::string& text : {one, other}) {
    promela::Sources sources;
    sources.add("model.pml", text);
    std::string messages;
    std::optional<LoadedModel> loaded = compile_model({}, std::move(sources), 0, messages);
    INFO(messages);
    REQUIRE(loaded);
    models.push_back(std::move(*loaded));
  }
  return compare(models[0].model, models[1].model, limits);
}

const std::string kCounter = "byte x; active [2] proctype P() { do :: x < 3 -> x++ :: x >= 3 -> break od }";

TEST_CASE("compare: the same graph is equal, whatever the text is") {
  CHECK(compared(kCounter, kCounter).outcome == Outcome::kEqual);
  CHECK(compared(kCounter, "byte x; active [2] proctype P() { do :: x <= 2 -> x = x + 1 :: !(x < 3) -> break od }")
            .outcome == Outcome::kEqual);
  CHECK(compared("byte x; active proctype P() { atomic { x = 1; x = 2 } }",
                 "byte x; active proctype P() { x = 1; x = 2 }")
            .outcome == Outcome::kEqual);
}

TEST_CASE("compare: a run that only one has is a shortest one") {
  const Comparison more = compared("byte x; active proctype P() { x = 1; x = 2; x = 3 }",
                                   "byte x; active proctype P() { x = 1; if :: x = 2 :: x = 5 fi; x = 3 }");
  CHECK(more.outcome == Outcome::kMore);
  CHECK(more.run.size() == 2);
  const Comparison less = compared("byte x; active proctype P() { x = 1; if :: x = 2 :: x = 5 fi; x = 3 }",
                                   "byte x; active proctype P() { x = 1; x = 2; x = 3 }");
  CHECK(less.outcome == Outcome::kLess);
  CHECK(less.run.size() == 2);
}

TEST_CASE("compare: models with other layouts are compared by names and values") {
  const std::string channel = "chan q = [1] of { byte }; active proctype P() { byte x; q ! 1; q ? x }";
  CHECK(compared(channel, "chan q = [2] of { byte }; active proctype P() { byte x; q ! 1; q ? x }").outcome ==
        Outcome::kEqual);
  CHECK(compared("chan q = [1] of { byte }; active proctype P() { do :: q ! 1 od }",
                 "chan q = [2] of { byte }; active proctype P() { do :: q ! 1 od }")
            .outcome == Outcome::kMore);
}

TEST_CASE("compare: choices that are made earlier are no equality") {
  // The same runs; but behind x = 1, the second one has chosen.
  CHECK(compared("byte x; active proctype P() { x = 1; if :: x = 2 :: x = 3 fi }",
                 "byte x; active proctype P() { if :: x = 1; x = 2 :: x = 1; x = 3 fi }")
            .outcome == Outcome::kSameRuns);
}

TEST_CASE("compare: labels and ends are seen") {
  CHECK(compared("byte x; active proctype P() { x = 1; skip }", "byte x; active proctype P() { x = 1; L: skip }")
            .outcome != Outcome::kEqual);
  CHECK(compared("byte x; active proctype P() { x = 1; false }", "byte x; active proctype P() { x = 1; end: false }")
            .outcome != Outcome::kEqual);
}

TEST_CASE("compare: beyond the limit nothing is said") {
  CHECK(compared(kCounter, kCounter, {3, 10}).outcome == Outcome::kUndecided);
}

TEST_CASE("child pool: every task is answered once, also if children die") {
  std::vector<int> answers(40);
  ChildWork work;
  work.tasks = answers.size();
  work.jobs = 3;
  work.work = [](size_t task) {
    if (task % 7 == 3) static_cast<void>(::raise(SIGKILL));
    return std::string(task * 10'000, 'x');
  };
  work.on_end = [&](size_t task, const std::optional<std::string>& answer) {
    ++answers[task];
    CHECK(answer.has_value() == (task % 7 != 3));
    if (answer) CHECK(answer->size() == task * 10'000);
  };
  work.goes_on = [] { return true; };
  CHECK(run_in_children(work));
  CHECK(std::ranges::all_of(answers, [](int count) { return count == 1; }));
}

TEST_CASE("child pool: a child that takes too long is ended, and so are all if nobody wants to go on") {
  ChildWork work;
  work.tasks = 2;
  work.most_seconds = 0.2;
  work.work = [](size_t task) {
    while (task == 0) {
    }
    return std::string("done");
  };
  std::vector<bool> answered;
  work.on_end = [&](size_t, const std::optional<std::string>& answer) { answered.push_back(answer.has_value()); };
  work.goes_on = [] { return true; };
  CHECK(run_in_children(work));
  CHECK(answered == std::vector<bool>{false, true});
  work.goes_on = [] { return false; };
  CHECK(!run_in_children(work));
}

}  // namespace
}  // namespace cmc::mutate
