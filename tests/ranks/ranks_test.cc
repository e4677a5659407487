#include "checker/ranks/ranks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "ir/effects.h"
#include "tests/ranks/run_ranks.h"
#include "tests/support/compile.h"
#include "tests/support/model_files.h"
#include "tests/support/part_of_day.h"
#include "tests/support/random_models.h"
#include "tests/support/same_results.h"

#include "tests/catch.h"

// Searches whose ranks are threads, against searches that are alone.

namespace cmc::test {
namespace {

void check_same(const SearchResult& one, const SearchResult& other) {
  INFO(reasons_of(one));
  CHECK(one.all_expanded == other.all_expanded);
  check_same_figures(one, other);
  CHECK(one.errors.size() == other.errors.size());
  // Of very many some are listed, which are not the same.
  if (one.errors.size() == one.error_count) CHECK(errors_of(one) == errors_of(other));
}

void check_paths(const Model& model, const SearchResult& result) {
  const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(model);
  for (const FoundError& error : result.errors) {
    if (error.has_path) CHECK(verify_error(error, *reference).empty());
  }
}

}  // namespace

namespace {

// Models of models/ and tests/spin/cases that are small enough to be searched often.
std::vector<ModelRun> small_runs(uint64_t most_states) {
  std::vector<ModelRun> runs;
  for (ModelRun& run : model_runs()) {
    if (!run.slow && run.states > 0 && run.states <= most_states) runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace

namespace {

// Each `step`th of these models.
void compare_models(uint64_t most_states, size_t step, const PartOfDay* part = nullptr) {
  const std::vector<ModelRun> runs = small_runs(most_states);
  for (size_t i = 0; i < runs.size(); i += step) {
    if (part != nullptr && !part->has(i)) continue;
    const Model model = compile_file(runs[i].file, runs[i].defines);
    const bool has_hidden = model.hidden_bytes > 0 && reads_hidden_variable(model);
    if (model.claim.exists() || !model.guards.empty() || has_hidden) continue;
    const SearchResult expected = run_once(model, all_errors());
    const uint32_t ranks = std::array{1U, 2U, 3U, 7U}[i / step % 4];
    INFO(runs[i].name() << ", " << ranks << " ranks, seed " << i);
    const SearchResult found = run_ranks(model, all_errors(), {ranks, i, i % 3 == 0 ? 1U : 100U});
    check_same(found, expected);
    check_paths(model, found);
    CHECK(found.ranks.size() == ranks);
  }
}

}  // namespace

TEST_CASE("ranks: any number of them finds what one search finds") { compare_models(1500, 5); }

TEST_CASE("ranks: any number of them finds what one search finds: all models", "[.][slow]") {
  const PartOfDay part;
  compare_models(300'000, 1, &part);
}

namespace {

// Returns how many were compared.
uint64_t compare_random_models(uint64_t first, uint64_t behind, const PartOfDay* part = nullptr) {
  uint64_t compared = 0;
  for (const random::Profile& profile : random::profiles()) {
    for (uint64_t seed = first; seed < behind; ++seed) {
      if (part != nullptr && !part->has(seed)) continue;
      const std::optional<Model> model = compile_random(seed, profile);
      if (!model || model->claim.exists() || (model->hidden_bytes > 0 && reads_hidden_variable(*model))) continue;
      SearchOptions options = all_errors();
      options.state_limit = 3000;
      const SearchResult expected = run_once(*model, options);
      if (!expected.all_expanded) continue;
      const uint32_t ranks = 2 + static_cast<uint32_t>(seed % 2);
      INFO(profile.name << " " << seed << ", " << ranks << " ranks");
      const SearchResult found = run_ranks(*model, all_errors(), {ranks, seed, 30});
      check_same(found, expected);
      check_paths(*model, found);
      ++compared;
    }
  }
  return compared;
}

}  // namespace

TEST_CASE("ranks: random models have the counts of one search") { CHECK(compare_random_models(300, 304) > 20); }

TEST_CASE("ranks: 500 random models have the counts of one search", "[.][slow]") {
  const PartOfDay part;
  CHECK(compare_random_models(1000, 1060, &part) > (part.is_whole() ? 500 : 60));
}

TEST_CASE("ranks: 64 and 1,024 of them in one process are balanced, and count the same", "[.][slow]") {
  const Model model = compile_file(std::string(CMC_SOURCE_DIR) + "/models/leader/leader.pml", {"N=7"});
  const SearchResult expected = run_once(model, all_errors());
  for (const uint32_t ranks : {64U, 1024U}) {
    const SearchResult found = run_ranks(model, all_errors(), {ranks, 0, size_t{1} << 16});
    check_same_figures(found, expected);
    uint64_t most = 0;
    uint64_t bytes = 0;
    for (const RankFigures& rank : found.ranks) {
      most = std::max(most, rank.states);
      bytes += rank.bytes_sent;
    }
    const double mean = static_cast<double>(found.states_stored) / ranks;
    const double above = static_cast<double>(most) / mean;
    WARN(ranks << " ranks: the most states are " << above << " of the mean, "
               << static_cast<double>(bytes) / static_cast<double>(found.transitions) << " bytes a transition");
    CHECK(above < 1 + 5 / std::sqrt(mean));
  }
}

TEST_CASE("ranks: keys without room, threads, and reductions change nothing") {
  const Model peterson = compile_file(std::string(CMC_SOURCE_DIR) + "/models/peterson/peterson3.pml");
  const Model sieve = compile_file(std::string(CMC_SOURCE_DIR) + "/models/features/sieve.pml");
  const Model leader = compile_file(std::string(CMC_SOURCE_DIR) + "/models/leader/leader.pml", {"N=4"});
  for (const Model* model : {&peterson, &sieve, &leader}) {
    for (const bool reduces : {false, true}) {
      SearchOptions options = all_errors();
      options.partial_order = options.symmetry = reduces;
      options.store.from_start = true;
      options.store.beyond = Beyond::kSorted;
      options.store.sized_for_bytes = uint64_t{8} << 20;
      const SearchResult expected = run_once(*model, options);
      options.tight_fields = true;
      options.threads = 2;
      INFO(model << " reduces " << reduces);
      check_same(run_ranks(*model, options, {3, 5, 50}), expected);
    }
  }
}

TEST_CASE("ranks: one error stops all, and its path leads through several of them") {
  const Model model = compile_file(std::string(CMC_SOURCE_DIR) + "/models/features/termination.pml", {"ROUNDS=1"});
  for (uint64_t seed = 1; seed < 9; ++seed) {
    SearchOptions options;
    options.store.paths = seed < 6;  // without, a second search has them
    const SearchResult found = run_ranks(model, options, {1 + static_cast<uint32_t>(seed), seed, 20});
    INFO(reasons_of(found));
    REQUIRE(found.error_count == 1);
    REQUIRE(found.errors.front().has_path);
    CHECK(found.errors.front().path.size() > 5);
    CHECK(found.verdict() == Verdict::kViolated);
    CHECK(found.reasons.empty());
    check_paths(model, found);
  }
}

TEST_CASE("ranks: a limit at one of them makes the search incomplete") {
  const Model model = compile_file(std::string(CMC_SOURCE_DIR) + "/models/peterson/peterson4.pml");
  SearchOptions options;
  options.state_limit = 5000;
  const SearchResult found = run_ranks(model, options, {3, 7});
  CHECK(found.verdict() == Verdict::kIncomplete);
  REQUIRE(found.reasons.size() == 1);
  CHECK(found.reasons.front().kind == ReasonKind::kLimit);
  CHECK(found.states_stored >= 5000);
}

namespace {

enum class Fault : uint8_t { kDropped, kDoubled, kCut, kChanged };

// Does one thing to one batch of a rank.
class FaultyExchange final : public Exchange {
 public:
  FaultyExchange(std::unique_ptr<Exchange> exchange, Fault fault, uint64_t at)
      : exchange_(std::move(exchange)), fault_(fault), at_(at) {}
  [[nodiscard]] uint32_t rank() const override { return exchange_->rank(); }
  [[nodiscard]] uint32_t ranks() const override { return exchange_->ranks(); }
  void send(uint32_t to, Bytes bytes) override {
    if (!Ranks::has_candidates(bytes) || number_++ != at_) return exchange_->send(to, std::move(bytes));
    switch (fault_) {
      case Fault::kDropped: return;
      case Fault::kDoubled: exchange_->send(to, bytes); break;
      case Fault::kCut: bytes.resize(bytes.size() / 2); break;
      case Fault::kChanged: bytes[bytes.size() / 2] ^= std::byte{4}; break;
    }
    exchange_->send(to, std::move(bytes));
  }
  [[nodiscard]] std::optional<Message> receive() override { return exchange_->receive(); }
  [[nodiscard]] uint64_t unsent_bytes() override { return exchange_->unsent_bytes(); }

 private:
  std::unique_ptr<Exchange> exchange_;
  const Fault fault_;
  const uint64_t at_;
  uint64_t number_ = 0;
};

}  // namespace

TEST_CASE("ranks: a batch that is lost, doubled or damaged is found, never counted") {
  const Model model = compile_file(std::string(CMC_SOURCE_DIR) + "/models/peterson/peterson3.pml");
  for (const Fault fault : {Fault::kDropped, Fault::kDoubled, Fault::kCut, Fault::kChanged}) {
    for (const uint64_t at : {0u, 3u, 20u}) {
      const auto wrap = [&](std::unique_ptr<Exchange> exchange) -> std::unique_ptr<Exchange> {
        if (exchange->rank() != 1) return exchange;
        return std::make_unique<FaultyExchange>(std::move(exchange), fault, at);
      };
      const SearchResult found = run_ranks(model, SearchOptions(), {3, at + 1, 100, wrap});
      INFO(static_cast<int>(fault) << " at " << at << ": " << reasons_of(found));
      CHECK(found.verdict() == Verdict::kIncomplete);
      REQUIRE(!found.reasons.empty());
      CHECK(found.reasons.front().kind == ReasonKind::kBug);
    }
  }
}

}  // namespace cmc::test
