#include "tests/ranks/run_ranks.h"

#include <filesystem>
#include <stdexcept>
#include <thread>

#include "checker/check/rank_runs.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/ranks/ranks.h"
#include "checker/report/report.h"
#include "checker/vm/generator.h"
#include "tests/ranks/in_process.h"
#include "tests/support/temporary_folder.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

// As a check does it.
std::unique_ptr<Checkpoints> open_checkpoints(const RankSetting& setting, Ranks& ranks, bool resumes) {
  Result<std::unique_ptr<Checkpoints>> opened =
      resumes ? reopen_run(&ranks, setting.run) : begin_run(&ranks, setting.run, RunFile());
  if (!opened.ok()) throw std::runtime_error(opened.error());
  opened.value()->timing = {0, setting.every_checks};
  return std::move(opened).value();
}

void conclude(Checkpoints& checkpoints, const SearchResult& result) {
  if (result.all_expanded)
    checkpoints.conclude(verdict_name(result.verdict()), result.states_stored, result.transitions);
  const Status committed = checkpoints.commit_end();
  if (!committed.ok()) throw std::runtime_error(committed.error());
}

std::optional<SearchResult> run_rank(const Model& model, SearchOptions options, const RankSetting& setting,
                                     Ranks& ranks, bool resumes) {
  options.ranks = &ranks;
  std::unique_ptr<Checkpoints> checkpoints;
  if (!setting.run.empty()) {
    checkpoints = open_checkpoints(setting, ranks, resumes);
    options.checkpoints = checkpoints.get();
    options.resumes = resumes;
    if (resumes) {
      const Manifest& last = *checkpoints->last();
      options.store.paths = last.counters.contains("trail") && last.ranks() == ranks.count();
    }
  }
  std::optional<SearchResult> result = run_once(model, options);
  options.store.paths = true;
  options.checkpoints = nullptr;
  options.resumes = false;
  options.state_limit = 0;
  if (ranks.goes_again()) result = run_once(model, options);
  if (checkpoints != nullptr && ranks.rank() == 0) conclude(*checkpoints, *result);
  return result;
}

}  // namespace

SearchResult run_once(const Model& model, const SearchOptions& options) {
  std::string reason;
  std::optional<SearchResult> result = run_key_search(
      model, [&] { return close_atomic_chains(make_vm_generator(model), model); }, options, nullptr, &reason);
  if (!result) throw std::runtime_error(reason);
  return std::move(*result);
}

SearchResult run_ranks(const Model& model, SearchOptions options, const RankSetting& setting) {
  TemporaryFolder folder(TemporaryFolder::Where::kMemory);
  options.store.from_start = true;
  options.store.beyond = Beyond::kSorted;
  options.store.sized_for_bytes = uint64_t{8} << 20;
  options.store.directory = folder.path();
  const bool resumes = !setting.run.empty() && std::filesystem::exists(setting.run + "/run.json");
  InProcessNetwork network(setting.ranks, setting.seed);
  std::vector<std::optional<SearchResult>> results(setting.ranks);
  std::vector<std::string> failures(setting.ranks);
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < setting.ranks; ++rank) {
    threads.emplace_back([&, rank] {
      std::unique_ptr<Exchange> exchange = network.exchange(rank);
      if (setting.wrap) exchange = setting.wrap(std::move(exchange));
      Ranks::Settings settings;
      settings.batch_candidates = setting.batch_candidates;
      settings.patience_seconds = 0.3;
      settings.host = "here";
      Ranks ranks(*exchange, settings);
      try {
        results[rank] = run_rank(model, options, setting, ranks, resumes);
      } catch (const std::exception& error) {
        failures[rank] = error.what();
        if (!ranks.has_begun()) ranks.refuse();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures) {
    INFO(failure);
    REQUIRE(failure.empty());
  }
  return std::move(*results[0]);
}

std::string reasons_of(const SearchResult& result) {
  std::string text;
  for (const Reason& reason : result.reasons) text += reason.text + "\n";
  return text;
}

}  // namespace cmc::test
