#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "checker/checkpoint/checkpoints.h"
#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "ir/effects.h"
#include "tests/ranks/run_ranks.h"
#include "tests/support/compile.h"
#include "tests/support/model_files.h"
#include "tests/support/part_of_day.h"
#include "tests/support/random_models.h"
#include "tests/support/same_results.h"
#include "tests/support/temporary_folder.h"

#include "tests/catch.h"

// Searches by ranks that end again and again, and go on with another number of ranks.

namespace cmc::test {
namespace {

// In parts of so many states. Returns how many there were.
uint64_t compare_in_parts(const Model& model, const SearchResult& expected, SearchOptions options, uint64_t part,
                          uint64_t seed) {
  constexpr std::array kRanks = {2U, 3U, 1U, 5U};
  const TemporaryFolder folder(TemporaryFolder::Where::kMemory);
  for (uint64_t parts = 1;; ++parts) {
    RankSetting setting;
    setting.ranks = kRanks[(parts + seed) % kRanks.size()];
    setting.seed = seed + parts;
    setting.batch_candidates = 100;
    setting.run = folder.path() + "/run";
    setting.every_checks = seed % 3 == 0 ? 2 : 0;
    options.state_limit = parts * part;
    const SearchResult found = run_ranks(model, options, setting);
    INFO("part " << parts << ": " << reasons_of(found));
    if (!found.all_expanded) {
      REQUIRE(std::ranges::any_of(found.reasons, [](const Reason& reason) {
        return reason.kind == ReasonKind::kLimit && reason.text.find("goes on") != std::string::npos;
      }));
      REQUIRE(parts < 10'000);
      continue;
    }
    check_same_figures(found, expected);
    const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(model);
    for (const FoundError& error : found.errors) {
      if (error.has_path) CHECK(verify_error(error, *reference).empty());
    }
    Result<std::unique_ptr<Checkpoints>> run = Checkpoints::open(setting.run);
    REQUIRE(run.ok());
    CHECK(run.value()->last()->complete);
    CHECK(run.value()->last()->states == expected.states_stored);
    return parts;
  }
}

bool can_be_compared(const Model& model) {
  return !model.claim.exists() && model.guards.empty() && !(model.hidden_bytes > 0 && reads_hidden_variable(model));
}

// Each `step`th of the models with so many states, in about so many parts.
uint64_t compare_models(uint64_t most_states, size_t step, uint64_t parts, const PartOfDay* day = nullptr) {
  uint64_t done = 0;
  const std::vector<ModelRun> runs = model_runs();
  for (size_t i = 0; i < runs.size(); i += step) {
    if (day != nullptr && !day->has(i)) continue;
    if (runs[i].slow || runs[i].states == 0 || runs[i].states > most_states) continue;
    const Model model = compile_file(runs[i].file, runs[i].defines);
    if (!can_be_compared(model)) continue;
    INFO(runs[i].name() << ", seed " << i);
    const uint64_t part = std::max<uint64_t>(50, runs[i].states / parts);
    done += compare_in_parts(model, run_once(model, all_errors()), all_errors(), part, i);
  }
  return done;
}

}  // namespace

TEST_CASE("ranks: a search in parts by 2, 3, 1 and 5 ranks finds what one search finds") {
  CHECK(compare_models(1500, 4, 6) > 20);
}

TEST_CASE("ranks: a search in parts finds what one search finds: all models", "[.][slow]") {
  const PartOfDay day;
  CHECK(compare_models(300'000, 1, 7, &day) > (day.is_whole() ? 200 : 20));
}

namespace {

uint64_t compare_saved_random_models(uint64_t first, uint64_t behind, const PartOfDay* part = nullptr) {
  uint64_t compared = 0;
  for (const random::Profile& profile : random::profiles()) {
    for (uint64_t seed = first; seed < behind; ++seed) {
      if (part != nullptr && !part->has(seed)) continue;
      const std::optional<Model> model = compile_random(seed, profile);
      if (!model || !can_be_compared(*model)) continue;
      SearchOptions options = all_errors();
      options.state_limit = 3000;
      const SearchResult expected = run_once(*model, options);
      if (!expected.all_expanded) continue;
      INFO(profile.name << " " << seed);
      static_cast<void>(compare_in_parts(*model, expected, all_errors(), 20 + expected.states_stored / 4, seed));
      ++compared;
    }
  }
  return compared;
}

}  // namespace

TEST_CASE("ranks: random models in parts have the counts of one search") {
  CHECK(compare_saved_random_models(400, 402) > 10);
}

TEST_CASE("ranks: 500 random models in parts have the counts of one search", "[.][slow]") {
  const PartOfDay part;
  CHECK(compare_saved_random_models(2000, 2060, &part) > (part.is_whole() ? 500 : 60));
}

TEST_CASE("ranks: checkpoints beside re-layouts, threads and reductions change nothing") {
  const Model peterson = compile_file(std::string(CMC_SOURCE_DIR) + "/models/peterson/peterson3.pml");
  const Model sieve = compile_file(std::string(CMC_SOURCE_DIR) + "/models/features/sieve.pml");
  for (const Model* model : {&peterson, &sieve}) {
    for (const bool reduces : {false, true}) {
      SearchOptions options = all_errors();
      options.partial_order = options.symmetry = reduces;
      options.store.from_start = true;
      options.store.beyond = Beyond::kSorted;
      options.store.sized_for_bytes = uint64_t{8} << 20;
      const SearchResult expected = run_once(*model, options);
      options.tight_fields = true;
      options.threads = 2;
      INFO("reduces " << reduces);
      CHECK(compare_in_parts(*model, expected, options, 1 + expected.states_stored / 3, 3) > 1);
    }
  }
}

TEST_CASE("ranks: an error behind a checkpoint has a path") {
  const Model model = compile_file(std::string(CMC_SOURCE_DIR) + "/models/features/termination.pml", {"ROUNDS=1"});
  for (const bool same_ranks : {true, false}) {
    const TemporaryFolder folder(TemporaryFolder::Where::kMemory);
    RankSetting setting;
    setting.run = folder.path() + "/run";
    setting.batch_candidates = 20;
    SearchOptions options;
    options.state_limit = 30;
    const SearchResult first = run_ranks(model, options, setting);
    REQUIRE(first.verdict() == Verdict::kIncomplete);
    options.state_limit = 0;
    if (!same_ranks) setting.ranks = 3;
    const SearchResult found = run_ranks(model, options, setting);
    INFO(reasons_of(found));
    REQUIRE(found.error_count == 1);
    REQUIRE(found.errors.front().has_path);
    CHECK(verify_error(found.errors.front(), *make_reference_generator(model)).empty());
    CHECK(found.verdict() == Verdict::kViolated);
  }
}

}  // namespace cmc::test
