#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "tests/random/compare.h"
#include "tests/random/cycle_oracle.h"
#include "tests/random/random_model.h"
#include "tests/random/shrink.h"
#include "tests/support/part_of_day.h"

#include "tests/catch.h"

namespace cmc::random {
namespace {

constexpr uint64_t kSeeds = 300;
constexpr uint64_t kSeedsOfProducts = 60;

std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

uint64_t number_behind(const std::string& text, const std::string& name) {
  const size_t at = text.find(name);
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + name.size(), nullptr, 10);
}

// What SPIN said, from a line "expect: states=3 transitions=2 assertions=0 errors=1" or "expect: run-time error:
// ...".
SpinResult stored_answer(const std::string& line) {
  SpinResult spin;
  if (line.find("run-time error") != std::string::npos) {
    spin.outcome = SpinResult::Outcome::kRuntimeError;
    return spin;
  }
  REQUIRE(line.find("states=") != std::string::npos);
  spin.outcome = SpinResult::Outcome::kCounted;
  spin.states = number_behind(line, "states=");
  spin.transitions = number_behind(line, "transitions=");
  spin.assertion_errors = number_behind(line, "assertions=");
  spin.all_errors = number_behind(line, "errors=");
  return spin;
}

void must_agree(const std::string& name, const SpinResult& spin, const std::string& model) {
  const CmcResult cmc = ask_cmc(model, seconds_for_cmc(spin));
  INFO(name << "\n  SPIN " << describe(spin) << "\n  CMC  " << describe(cmc));
  CHECK(disagreement(spin, cmc) == "");
}

TEST_CASE("random models: models that CMC once got wrong have the counts of SPIN") {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(CMC_SOURCE_DIR) + "/tests/random/regressions")) {
    if (entry.path().extension() != ".pml") continue;
    const std::string model = read(entry.path());
    const size_t at = model.find("expect: ");
    INFO(entry.path());
    REQUIRE(at != std::string::npos);
    must_agree(entry.path().filename(), stored_answer(model.substr(at, model.find('\n', at) - at)), model);
  }
}

TEST_CASE("random models: the same seed gives the same model") {
  for (const Profile& profile : profiles()) {
    CHECK(random_model(7, profile) == random_model(7, profile));
    CHECK(random_model(7, profile) != random_model(8, profile));
  }
}

// SPIN compares numbers of states where a process is of another proctype, and a text in Promela/S has its own.
TEST_CASE("random models: in Promela/S, references to labels name processes of their proctype") {
  uint64_t references = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const std::string text = random_model(seed, *find_profile("guards"), RandomProperty::kFormula);
    std::vector<std::string> names;  // by pid, of those that are there from the beginning
    const std::regex proctype("\nactive (?:\\[(\\d+)\\] )?proctype (P\\d+)|\ninit");
    for (std::sregex_iterator it(text.begin(), text.end(), proctype), end; it != end; ++it) {
      names.resize(names.size() + ((*it)[1].matched ? std::stoul((*it)[1]) : 1), (*it)[2]);
    }
    const std::regex reference("(P\\d+)\\[(\\d+)\\]@");
    for (std::sregex_iterator it(text.begin(), text.end(), reference), end; it != end; ++it, ++references) {
      INFO(text);
      CHECK(names.at(std::stoul((*it)[2])) == (*it)[1]);
    }
  }
  CHECK(references > 10);
}

CmcCycles ask_about(const std::string& text, CycleQuestion question) {
  const CmcCycles cmc = ask_cmc_cycles(text, question);
  REQUIRE(cmc.outcome == CmcResult::Outcome::kCounted);
  return cmc;
}

// SPIN finds a cycle in the first one only. It also depends on the order of its search whether it does.
TEST_CASE("traits of SPIN: a cycle may close right behind an accept label inside an atomic sequence") {
  const auto ask = [](const std::string& body) {
    return ask_about("byte x; active proctype P() { do :: " + body + " od }", CycleQuestion::kAccept);
  };
  CHECK(ask("atomic { x = 1; accept: x = 0 }").closes_in_atomic);
  CHECK(!ask("atomic { x = 1; accept: x = 2; x = 0 }").closes_in_atomic);
  CHECK(!ask("atomic { x = 1; accept: x = 0 } -> break").closes_in_atomic);
  CHECK(!ask("atomic { x = 1; accept: x = 0 }").cycle);
}

// Counts of pan. Its claim moves by an atomic sequence, and `timeout` is all that the system does.
TEST_CASE("traits of SPIN: steps behind an atomic move of the claim count twice where the system waits for timeout") {
  struct Case {
    const char* moves;
    uint64_t transitions;
    uint64_t of_spin;
  };
  for (const Case& each :
       {Case{":: atomic { true; true }", 4, 4}, Case{":: true :: atomic { true; true }", 8, 10},
        Case{":: true :: atomic { true; if :: true :: true; true fi }", 12, 16},
        Case{":: true :: atomic { true; if :: true :: true; if :: true :: true; true fi fi }", 16, 22}}) {
    const CmcCycles cmc = ask_about("byte x; active proctype P() { do :: timeout -> x = 1 - x od }\nnever { T: do " +
                                        std::string(each.moves) + " od }",
                                    CycleQuestion::kClaim);
    INFO(each.moves);
    CHECK(cmc.transitions == each.transitions);
    CHECK(cmc.merged_transitions == each.of_spin);
    CHECK(cmc.merged_states == 4);
  }
}

TEST_CASE("random models: shrinking keeps what must persist") {
  const std::string text =
      "byte x; byte y;\nactive proctype P() { if :: x == 1 -> y = 2 :: else -> atomic { assert(y == 0) } fi }\n";
  const auto persists = [](const std::string& candidate) {
    size_t open = 0;
    for (char c : candidate) {
      if (c == '(') ++open;
      if (c == ')' && open-- == 0) return false;
    }
    return open == 0 && candidate.find("assert (") != std::string::npos;
  };
  const std::string small = shrink(text, persists, 5);
  CHECK(persists(small));
  CHECK(small.size() < 20);
}

TEST_CASE("random models: the stored answers of SPIN are those of CMC", "[long]") {
  std::ifstream lines(std::string(CMC_SOURCE_DIR) + "/tests/random/stored_answers.txt");
  const test::PartOfDay part;
  uint64_t models = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    uint64_t seed = 0;
    std::string profile;
    uint64_t hash = 0;
    words >> seed >> profile >> hash;
    REQUIRE(find_profile(profile) != nullptr);
    const std::string model = random_model(seed, *find_profile(profile));
    if (fingerprint(model) != hash)
      FAIL("the generator has changed: random_diff --from 0 --to 300 --store FILE asks SPIN again; " << line);
    if (part.has(models++)) must_agree(std::to_string(seed) + " " + profile, stored_answer(line), model);
  }
  CHECK(models > kSeeds * 4 / 5);
}

// The models whose answers are stored, asked again: that only tests SPIN, as long as the generator is the same.
TEST_CASE("random models: CMC agrees with SPIN", "[.][slow]") {
  if (!SpinOracle::available()) {
    WARN("spin or tcc is not installed");
    return;
  }
  const std::string folder = std::string(CMC_BINARY_DIR) + "/random-" + std::to_string(getpid());
  mkdir(folder.c_str(), 0755);
  const SpinOracle oracle(folder);
  const test::PartOfDay part;
  uint64_t tried = 0;
  uint64_t counted = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    if (!part.has(seed)) continue;
    ++tried;
    const Profile& profile = profiles()[seed % profiles().size()];
    const std::string model = random_model(seed, profile);
    const SpinResult spin = oracle.ask(model);
    if (spin.outcome == SpinResult::Outcome::kCounted) ++counted;
    must_agree("seed " + std::to_string(seed) + " " + profile.name, spin, model);
  }
  CHECK(counted > tried * 4 / 5);  // else the generator has decayed
  std::filesystem::remove_all(folder);
}

TEST_CASE("random models: CMC agrees with SPIN about products and cycles", "[long]") {
  if (!SpinOracle::available()) {
    WARN("spin or tcc is not installed");
    return;
  }
  const std::string folder = std::string(CMC_BINARY_DIR) + "/random-" + std::to_string(getpid());
  mkdir(folder.c_str(), 0755);
  const SpinOracle oracle(folder);
  const test::PartOfDay part;
  for (const CycleQuestion question : {CycleQuestion::kClaim, CycleQuestion::kAccept, CycleQuestion::kNonProgress}) {
    uint64_t asked = 0;
    uint64_t counted = 0;
    uint64_t cycles = 0;
    const RandomProperty property =
        question == CycleQuestion::kClaim ? RandomProperty::kNeverClaim : RandomProperty::kNone;
    for (uint64_t seed = 0; seed < kSeedsOfProducts; ++seed) {
      if (!part.has(seed)) continue;
      ++asked;
      const std::string model = random_model(seed, profiles()[seed % profiles().size()], property);
      const SpinCycles spin = oracle.ask_cycles(model, question);
      const CmcCycles cmc = ask_cmc_cycles(model, question);
      if (spin.product.outcome == SpinResult::Outcome::kCounted) ++counted;
      if (cmc.cycle) ++cycles;
      INFO("question " << static_cast<int>(question) << ", seed " << seed << "\n  SPIN " << describe(spin)
                       << "\n  CMC  " << describe(cmc));
      std::vector<std::string> known;
      CHECK(disagreement(question, spin, cmc, known) == "");
    }
    if (!part.is_whole()) continue;  // a part may have few of them
    CHECK(counted > asked * 3 / 4);
    CHECK(cycles > asked / 20);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace cmc::random
