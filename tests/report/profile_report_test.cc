#include "checker/report/profile/profile_report.h"

#include <memory>

#include <nlohmann/json.hpp>

#include "tests/report/run.h"

#include "tests/catch.h"

namespace cmc {
namespace {

// Two statements; the one in line 2 has two edges, because it begins the loop.
PropertyResult profiled() {
  PropertyResult result;
  result.product = std::make_shared<const Model>(compile_text(
      "byte x;\nactive proctype P() { do :: x < 9 -> x++ :: printf(\"a\\033[1m, \\\"b\\\"\\n\") od }\n"));
  result.entry = properties_of(*result.product).front();
  result.result.states_stored = 10;
  result.result.transitions = 30;
  result.result.cpu_seconds = 2;
  Profile& profile = result.result.profile.emplace();
  const Proctype& proctype = result.product->proctypes.front();
  for (LocationId location = 1; location < proctype.locations.size(); ++location) {
    for (uint16_t number = 0; number < proctype.locations[location].edges.size(); ++number) {
      Profile::Edge edge;
      edge.location = location;
      edge.edge = number;
      edge.tried = 2;
      edge.transitions = 1;
      edge.samples = 4;
      edge.selection_nanoseconds = 100.0 * location;
      edge.cost.selection = location;
      profile.counts += edge;
      profile.cost += edge.cost;
      profile.edges.push_back(edge);
    }
  }
  profile.spans = {{0, 0, 0, 10, 20}, {0, 1, 40, 30, 0}};
  profile.interruptions = 3;
  return result;
}

ProfileReport report() {
  RunDescription run;
  run.model_file = "folder/test.pml";
  run.steps = "spin";
  return make_profile_report(profiled(), run);
}

TEST_CASE("profile report: copies of a statement are one line") {
  const ProfileReport made = report();
  CHECK(made.statements.size() < made.profile.edges.size());
  CHECK(made.statement_of.size() == made.profile.edges.size());
  Profile::Counts sum;
  Profile::Cost cost;
  for (size_t i = 0; i < made.statements.size(); ++i) {
    sum += made.statements[i];
    cost += made.statements[i].cost;
    if (i > 0) CHECK(made.statements[i - 1].cost.total() >= made.statements[i].cost.total());
  }
  CHECK(sum.tried == made.profile.counts.tried);
  CHECK(cost.total() == Approx(made.profile.cost.total()));
  for (size_t i = 0; i < made.profile.edges.size(); ++i) {
    const auto& states = made.statements[made.statement_of[i]].states;
    CHECK(std::ranges::find(states, made.profile.edges[i].location) != states.end());
  }
}

TEST_CASE("profile report: the table shows the costliest lines, and nothing drives the terminal") {
  const ProfileReport made = report();
  const std::string all = profile_text(made, 0, Palette(false));
  CHECK(contains(all, "30 transitions"));
  CHECK(contains(all, "test.pml:2 P"));
  CHECK(contains(all, "3 interruptions"));
  CHECK_FALSE(contains(all, "\033"));
  CHECK_FALSE(contains(all, "more"));
  const std::string others = "in " + plural(made.statements.size() - 1, "statement") + " more";
  CHECK(contains(profile_text(made, 1, Palette(false)), others));
  CHECK(contains(profile_text(made, 0, Palette(true)), "\033["));
}

TEST_CASE("profile report: programs can read it whatever is in the model") {
  ProfileReport made = report();
  made.statements[0].text = "\"q\" \xff\n,";
  const auto json = nlohmann::json::parse(profile_json(made));
  CHECK(json["schema"] == "cmc.profile/1");
  CHECK(json["statements"].size() == made.statements.size());
  CHECK(json["counts"]["transitions"] == made.profile.counts.transitions);
  const auto trace = nlohmann::json::parse(profile_trace(made));
  CHECK(trace["traceEvents"].size() == 1 + 3);  // the thread's name, two selections, one execution
  const std::string csv = profile_csv(made);
  CHECK(contains(csv, "\"\"\"q\"\" "));
  CHECK(contains(csv, ",copied_bytes,changed_bytes\n"));
  made.profile.knows_first_reached = false;
  CHECK(nlohmann::json::parse(profile_json(made))["counts"]["first_reached"].is_null());
  CHECK_FALSE(contains(profile_text(made, 0, Palette(false)), "first reached"));
}

TEST_CASE("profile report: the picture has a bar for each statement") {
  ProfileReport made = report();
  const Plot plot = profile_plot(made);
  CHECK(plot.name == "profile");
  CHECK(contains(plot.data, "$ends << END\n0 "));
  CHECK(contains(plot.body, "P:2"));
  made.statements.clear();
  CHECK_FALSE(profile_plot(made).body.empty());
}

}  // namespace
}  // namespace cmc
