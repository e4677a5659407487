#include "checker/result/replay.h"

#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "tests/search/graph_generator.h"

#include "tests/catch.h"

namespace cmc {
namespace {

using Node = GraphGenerator::Node;

Step edge_step(uint16_t edge) {
  Step step;
  step.pid = 0;
  step.edge = edge;
  return step;
}

// 0 -> 1 -> 2 -> 3 (blocked, invalid); 1 has a failing edge 5; 2 -> 3 raises an assertion but completes.
GraphGenerator line() {
  return GraphGenerator([](uint64_t number, uint8_t, Node& node) {
    if (number < 3) node.edges = {{number + 1}};
    if (number == 1) node.failures.push_back({RuntimeErrorKind::kDivisionByZero, "division by zero", 1, 5});
    if (number == 2) node.failures.push_back({RuntimeErrorKind::kAssertion, "assertion violated", 1, 0});
    node.invalid_end = number == 3;
  });
}

uint64_t number_of(const Bytes& state) { return load<uint64_t>(state.data()); }

TEST_CASE("replay: a replay has every state, every error and the end") {
  GraphGenerator generator = line();
  const std::vector<Step> path = {edge_step(0), edge_step(0), edge_step(0)};
  const Replay all = replay(generator, path);
  CHECK(all.failure.empty());
  CHECK(number_of(all.initial) == 0);
  REQUIRE(all.steps.size() == 3);
  for (size_t i = 0; i < 3; ++i) CHECK(number_of(all.steps[i].state) == i + 1);
  CHECK(all.steps[0].errors.empty());
  REQUIRE(all.steps[2].errors.size() == 1);
  CHECK(all.steps[2].errors[0].message == "assertion violated");
  CHECK(number_of(all.end.state) == 3);
  CHECK((all.end.blocked && all.end.invalid_end && !all.end.cut));
}

TEST_CASE("replay: a step that does not exist is named with its number") {
  GraphGenerator generator = line();
  const Replay all = replay(generator, std::vector<Step>{edge_step(0), edge_step(1)});
  CHECK(all.failure == "step 2: process 0 at location 0, edge 1: this step is not executable here");
  CHECK(all.steps.size() == 1);
}

TEST_CASE("replay: every part of a step must agree") {
  GraphGenerator generator = line();
  for (int part = 0; part < 7; ++part) {
    Step step = edge_step(0);
    if (part == 0) step.pid = 1;
    if (part == 1) step.partner = 1;
    if (part == 2) step.location = 1;
    if (part == 3) step.partner_location = 1;
    if (part == 4) step.edge = 1;
    if (part == 5) step.partner_edge = 1;
    if (part == 6) step.timeout = true;
    CHECK(!replay(generator, std::vector<Step>{step}).failure.empty());
  }
}

TEST_CASE("replay: a step that an error cuts ends the path, and nothing can follow it") {
  GraphGenerator generator = line();
  const Replay cut = replay(generator, std::vector<Step>{edge_step(0), edge_step(5)});
  CHECK(cut.failure.empty());
  REQUIRE(cut.steps.size() == 2);
  CHECK(cut.steps[1].state.empty());
  CHECK(cut.steps[1].errors[0].message == "division by zero");
  CHECK(cut.end.cut);
  CHECK(number_of(cut.end.state) == 1);
  const Replay beyond = replay(generator, std::vector<Step>{edge_step(0), edge_step(5), edge_step(0)});
  CHECK(beyond.failure.find("step 2: ") == 0);
  CHECK(beyond.failure.find("division by zero") != std::string::npos);
}

TEST_CASE("replay: an empty path ends in the initial state") {
  GraphGenerator generator = line();
  const Replay all = replay(generator, {});
  CHECK(all.failure.empty());
  CHECK(number_of(all.end.state) == 0);
  CHECK(!all.end.blocked);
}

TEST_CASE("replay: a path that ends in no error, or in another one, is not verified") {
  GraphGenerator generator = line();
  FoundError error;
  error.kind = ErrorKind::invalid_end_state();
  error.message = "invalid end state";
  error.has_path = true;
  error.path = {edge_step(0), edge_step(0), edge_step(0)};
  CHECK(verify_error(error, generator).empty());
  error.path.pop_back();
  CHECK(verify_error(error, generator) == "step 2: the path does not end in the error 'invalid end state'");
  error.kind = ErrorKind{{}, RuntimeErrorKind::kAssertion};
  CHECK(!verify_error(error, generator).empty());
  error.path.push_back(edge_step(0));
  CHECK(verify_error(error, generator).empty());
  error.kind = ErrorKind{{}, RuntimeErrorKind::kDivisionByZero};
  CHECK(!verify_error(error, generator).empty());
  error.path = {edge_step(0), edge_step(5)};
  CHECK(verify_error(error, generator).empty());
  error.path = {edge_step(3)};
  CHECK(verify_error(error, generator).find("not executable") != std::string::npos);
}

FoundError error_behind(std::vector<Step> path) {
  FoundError error;
  error.kind = ErrorKind::invalid_end_state();
  error.message = "invalid end state";
  error.has_path = !path.empty();
  error.path = std::move(path);
  return error;
}

SearchResult result_with(std::vector<FoundError> errors) {
  SearchResult result;
  result.error_count = errors.size();
  result.errors = std::move(errors);
  return result;
}

TEST_CASE("replay: an error that cannot be confirmed is said, and the model does not hold") {
  GraphGenerator generator = line();
  const FoundError good = error_behind({edge_step(0), edge_step(0), edge_step(0)});
  const FoundError bad = error_behind({edge_step(0)});
  const FoundError lost = error_behind({});
  const auto verified = [&](std::vector<FoundError> errors) {
    SearchResult result = result_with(std::move(errors));
    verify_errors(result, generator);
    return result;
  };
  CHECK(verified({good, lost}).error_count == 2);
  CHECK(verified({good, lost}).reasons.empty());
  CHECK(verified({lost}).verdict() == Verdict::kViolated);

  const SearchResult none = verified({bad});
  CHECK(none.verdict() == Verdict::kIncomplete);
  CHECK(none.errors.empty());
  REQUIRE(none.reasons.size() == 1);
  CHECK(none.reasons[0].kind == ReasonKind::kBug);
  CHECK(none.reasons[0].text.find("could not be confirmed: step 1: the path does not end in") != std::string::npos);
  CHECK(none.reasons[0].text.find("please report it") != std::string::npos);

  const SearchResult some = verified({bad, good, lost, bad});
  CHECK(some.verdict() == Verdict::kViolated);
  CHECK(some.error_count == 2);
  CHECK(some.reasons.size() == 1);
  // Where one path is wrong, errors that have none need not be there.
  CHECK(verified({lost, bad}).verdict() == Verdict::kIncomplete);
}

TEST_CASE("replay: a CHECK that fails while a path is looked at costs no other errors") {
  SearchResult result = result_with({error_behind({edge_step(0)}), error_behind({edge_step(1)})});
  keep_confirmed(result, [](const FoundError& error) {
    if (error.path.front().edge == 0) check_failed("file.cc", 7, "what was expected");
    return std::string();
  });
  CHECK(result.error_count == 1);
  CHECK(result.errors.front().path.front().edge == 1);
  CHECK(result.verdict() == Verdict::kViolated);
  REQUIRE(result.reasons.size() == 1);
  CHECK(result.reasons[0].text.find("file.cc:7: CHECK failed: what was expected") != std::string::npos);
}

}  // namespace
}  // namespace cmc
