#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "checker/checkpoint/stream.h"

namespace cmc {

// What the open states belong to: Manifest::engine.
inline constexpr const char* kDepthEngine = "dfs";
inline constexpr const char* kLevelsEngine = "bfs";
inline constexpr const char* kHullEngine = "hull";  // for cycles: depth first, then the hull
inline constexpr const char* kNdfsEngine = "ndfs";
inline constexpr const char* kSccEngine = "scc";
inline constexpr const char* kRoundsEngine = "rounds";
inline constexpr const char* kCachedEngine = "cached";

// What a checkpoint consists of; the file manifest.<epoch>.json (RUN_FORMAT.md).
struct Manifest {
  // Where in a key the number of a component is; those without bits are left out.
  struct Field {
    uint32_t component = 0;
    uint8_t word = 0;
    uint8_t shift = 0;
    uint8_t width = 0;
  };

  uint64_t epoch = 0;
  bool complete = false;  // the search is over
  std::string verdict;    // then
  std::string engine;     // kDepthEngine, ...
  std::string division;   // of frames into components: "coarse" or "fine", and the proctypes whose scalars are apart:
                          // "coarse 0 2"
  uint64_t states = 0;
  uint64_t transitions = 0;
  unsigned words = 1;  // of a key
  std::vector<Field> layout;
  std::map<std::string, uint64_t> counters;
  std::vector<CheckpointFile> files;

  [[nodiscard]] uint64_t counter(const std::string& name, uint64_t without = 0) const {
    const auto found = counters.find(name);
    return found == counters.end() ? without : found->second;
  }
  // Of the search that wrote it.
  [[nodiscard]] uint64_t ranks() const { return counter("ranks", 1); }
  // Whether it was beyond memory.
  [[nodiscard]] bool is_of_disk() const { return engine == kRoundsEngine || engine == kCachedEngine; }
  // Whether it knows how its open states were reached, beyond memory by the log of a rank.
  [[nodiscard]] bool has_paths(const std::string& log = "trail") const {
    return engine == kDepthEngine || counter(log) > 0;
  }
  // Whether a search beyond memory can go on with what it has.
  [[nodiscard]] bool suits_disk() const {
    return is_of_disk() || engine == kDepthEngine || engine == kLevelsEngine || engine == kHullEngine;
  }
  [[nodiscard]] std::vector<CheckpointFile> files_of(std::string_view kind) const;
};

[[nodiscard]] std::string manifest_name(uint64_t epoch);
[[nodiscard]] std::string manifest_text(const Manifest& manifest);
// Error: it is damaged, or of another format.
[[nodiscard]] Result<Manifest> parse_manifest(const std::string& text);

// What a run is about; the file run.json.
struct RunFile {
  struct Source {
    std::string name;
    std::string text;
  };
  std::string version;  // of CMC
  std::string model;    // one of `files`
  std::vector<Source> files;
  std::vector<std::string> arguments;  // that decide what is searched, and how
  std::string model_sha256;            // of what CMC understands the model to be
  std::string components_sha256;       // of how states are divided
};

inline constexpr const char* kRunFile = "run.json";

// Error: a text is no UTF-8, which JSON wants.
[[nodiscard]] Result<std::string> run_file_text(const RunFile& run);
[[nodiscard]] Result<RunFile> parse_run_file(const std::string& text);

}  // namespace cmc
