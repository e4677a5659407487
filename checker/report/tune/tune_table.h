#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checker/report/tune/tune_samples.h"

// The runs of `cmc tune`, which tries the settings of a grid one after the other: one record per run on disk, and all
// of them as a table for people, as CSV and as JSON.

namespace cmc {

// One option of the grid, with the values that it takes in turn.
struct TuneSetting {
  std::string label;                // "threads"; "N" for -DN=...
  std::string option;               // "--threads"; "-DN="
  std::vector<std::string> values;  // empty: a flag
  bool joined = false;              // option and value are one argument
  bool changes_question = false;    // runs with different values do not search for the same
  bool is_about_disk = false;       // it matters only if the search goes on beyond memory

  [[nodiscard]] bool is_list() const { return values.size() > 1; }
};

// What is measured is the median of the samples.
struct TuneRun : TuneSample {
  std::string id;                      // SHA-1 of version, model and arguments
  std::vector<std::string> arguments;  // of `cmc check`, without the model
  std::vector<std::string> values;     // of the settings that are lists, in their order

  std::string verdict;  // "holds", "violated", "incomplete"; empty: the run did not get that far
  std::string failure;  // why there is no complete search; empty: there is
  uint64_t states = 0;
  uint64_t transitions = 0;
  std::vector<TuneSample> samples;

  // What was measured last, in the figures of this run, is one more sample.
  void keep_sample();
};

// The record of one run, schema cmc.tune.run/1.
[[nodiscard]] std::string tune_run_json(const TuneRun& run);
[[nodiscard]] Result<TuneRun> parse_tune_run(std::string_view text);

// Takes over what a result cmc.result/1 says. False: the text is none.
[[nodiscard]] bool read_result(std::string_view text, TuneRun& run);

struct TuneTable {
  std::string model_file;
  std::string model_sha1;
  std::vector<TuneSetting> settings;
  std::vector<TuneRun> runs;  // those that have ended
  size_t planned = 0;
  TuneMeasure measure = TuneMeasure::kTime;
};

// The best of the complete runs that answer one question: of one text of the model, with the same steps and
// properties. Others are not compared: a smaller model is not a better setting.
struct TuneBest {
  std::string question;               // "N=3, steps=path": what is different in the others; empty: nothing
  const TuneRun* run = nullptr;       // the first with the smallest median
  std::vector<const TuneRun*> equal;  // others, whose difference to it is within the spread
};
[[nodiscard]] std::vector<TuneBest> best_runs(const TuneTable& table, TuneMeasure measure);

[[nodiscard]] std::string tune_text(const TuneTable& table);
[[nodiscard]] std::string tune_csv(const TuneTable& table);
[[nodiscard]] std::string tune_json(const TuneTable& table);  // schema cmc.tune/1

// "memo=1M, threads=2": the values of the lists; empty: there are no lists.
[[nodiscard]] std::string combination_text(const std::vector<TuneSetting>& settings, const TuneRun& run);

// "--threads 2 -DN=3": as on a command line.
[[nodiscard]] std::string arguments_text(const std::vector<std::string>& arguments);

}  // namespace cmc
