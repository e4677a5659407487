#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// The runs of `cmc tune`, which tries the settings of a grid one after the other: one record per run on disk, and all
// of them as a table for people, as CSV and as JSON.

namespace cmc {

// One option of the grid, with the values that it takes in turn.
struct TuneSetting {
  std::string label;                // "threads"; "N" for -DN=...
  std::string option;               // "--threads"; "-DN="
  std::vector<std::string> values;  // empty: a flag
  bool joined = false;              // option and value are one argument

  [[nodiscard]] bool is_list() const { return values.size() > 1; }
};

struct TuneRun {
  std::string id;                      // SHA-1 of version, model and arguments
  std::vector<std::string> arguments;  // of `cmc check`, without the model
  std::vector<std::string> values;     // of the settings that are lists, in their order

  std::string verdict;  // "holds", "violated", "incomplete"; empty: the run did not get that far
  std::string failure;  // why there is no complete search; empty: there is
  uint64_t states = 0;
  uint64_t transitions = 0;
  double cpu_seconds = 0;
  double wall_seconds = 0;
  uint64_t memory_bytes = 0;           // at the peak
  std::optional<uint64_t> pages_read;  // this and the following: only with a store
  std::optional<uint64_t> pages_written;
  std::optional<uint64_t> cache_failures;
  std::optional<uint64_t> disk_bytes;
  std::optional<double> disk_wait_seconds;
};

enum class TuneMeasure : uint8_t { kTime, kMemory };

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

// The complete run with the smallest measure, the first of equal ones; null: none is complete.
[[nodiscard]] const TuneRun* best_run(const TuneTable& table);

[[nodiscard]] std::string tune_text(const TuneTable& table);
[[nodiscard]] std::string tune_csv(const TuneTable& table);
[[nodiscard]] std::string tune_json(const TuneTable& table);  // schema cmc.tune/1

// "--threads 2 -DN=3": as on a command line.
[[nodiscard]] std::string arguments_text(const std::vector<std::string>& arguments);

}  // namespace cmc
