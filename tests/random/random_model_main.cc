#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tests/random/random_model.h"

int main(int argc, char** argv) {
  uint64_t seed = 1;
  std::string profile = "everything";
  std::vector<std::string> names;
  for (const cmc::random::Profile& known : cmc::random::profiles()) names.push_back(known.name);
  cmc::random::RandomProperty property = cmc::random::RandomProperty::kIrrelevant;
  const std::map<std::string, cmc::random::RandomProperty> properties = {
      {"any", cmc::random::RandomProperty::kIrrelevant},
      {"none", cmc::random::RandomProperty::kNone},
      {"never", cmc::random::RandomProperty::kNeverClaim},
      {"ltl", cmc::random::RandomProperty::kFormula}};
  CLI::App app("Prints a random model.");
  app.option_defaults()->always_capture_default();
  app.add_option("--seed", seed, "number of the model");
  app.add_option("--profile", profile, "kind of model")->check(CLI::IsMember(names));
  app.add_option("--property", property, "what stands at its end")->transform(CLI::CheckedTransformer(properties));
  CLI11_PARSE(app, argc, argv);
  std::fputs(cmc::random::random_model(seed, *cmc::random::find_profile(profile), property).c_str(), stdout);
}
