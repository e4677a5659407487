#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

// What committed transactions did, each with one file, and whether there is a serial order that explains it.

namespace cmc::study {

struct Committed {
  uint64_t order = 0;  // of the commits
  size_t file = 0;
  bool wrote = false;
  std::string value;  // written, or read; empty: there was no file
};

// How many reads found something else than what the last commit before them left, and how many files are not at last
// what the last commit left. 0: the commits are serialisable, in their order. Values must be different.
inline uint64_t count_broken(std::vector<Committed> history, const std::vector<std::string>& at_last) {
  std::sort(history.begin(), history.end(), [](const Committed& a, const Committed& b) { return a.order < b.order; });
  std::vector<std::string> files(at_last.size());
  uint64_t broken = 0;
  for (const Committed& each : history) {
    if (each.wrote) {
      files[each.file] = each.value;
    } else {
      broken += files[each.file] != each.value;
    }
  }
  for (size_t i = 0; i < files.size(); ++i) broken += files[i] != at_last[i];
  return broken;
}

}  // namespace cmc::study
