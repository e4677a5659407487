#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "storage/options/store_figures.h"

namespace cmc {

// An equation between two figures that does not hold.
struct BrokenIdentity {
  std::string text;  // "cache failures = lossy queries - lossy resolved"
  std::string left;
  std::string right;
};

// Collects them. Exact: sums of any 64-bit figures fit into 128 bits.
class IdentityChecker {
 public:
  using Wide = __int128;
  void equal(const char* text, Wide left, Wide right) {
    if (left != right) add(text, left, right);
  }
  void at_least(const char* text, Wide left, Wide right) {
    if (left < right) add(text, left, right);
  }
  // Those of store_figures.h. Of a search that was cut (not `complete`), candidates may be left whose fate is open,
  // so there two of them are inequalities.
  void check_store(const StoreFigures& figures, uint64_t visited, uint64_t created, bool complete) {
    (figures.turns > 0 ? check_rounds(figures, visited, created, complete)
                       : check_caches(figures, visited, created, complete));
  }

  [[nodiscard]] std::vector<BrokenIdentity> take() { return std::move(broken_); }

 private:
  void check_caches(const StoreFigures& figures, uint64_t visited, uint64_t created, bool complete);
  void check_rounds(const StoreFigures& figures, uint64_t visited, uint64_t created, bool complete);
  void add(const char* text, Wide left, Wide right);
  std::vector<BrokenIdentity> broken_;
};

// Asserts the identities at the end of a search that left no candidate: visited states, created successors. Returns
// the first that is violated, with its numbers; empty: none.
[[nodiscard]] std::string check_identities(const StoreFigures& figures, uint64_t visited, uint64_t created);

}  // namespace cmc
