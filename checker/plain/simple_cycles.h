#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/result/options.h"
#include "storage/sets/state_set.h"

namespace cmc {

// Of both plain searches.
inline constexpr size_t kPortion = 4096;                  // successors that are computed at a time
inline constexpr size_t kPortionSteps = size_t{1} << 14;  // and their steps

// A run that never ends: the steps from the initial state; those from number `loop_start` on lead back to the state
// before them, and are repeated for ever.
struct Lasso {
  std::vector<Step> path;
  size_t loop_start = 0;
  uint64_t edges = 0;  // of the product, on the path
};

// Looks for a cycle with an accepting node among `nodes`, the states of a product (Model::claim) that `generator`
// reaches from number 0. With weak fairness only those cycles count in which each process moves, or cannot move
// somewhere: a handshake is a move of both, a process that waits to receive in one cannot move by itself.
//
// The plain way, the yardstick of the fast engine's searches: all edges are generated once more and kept (4 bytes
// each), the strongly connected components are found (Tarjan, 1972), and one of them has such a cycle or none. The
// path to the loop is as short as possible, the loop is not.
//
// `may_continue` is asked now and then, with the bytes that the search takes: false ends it without a result.
[[nodiscard]] std::optional<Lasso> find_accepting_cycle(
    SuccessorGenerator& generator, const Model& model, const StateSet& nodes, Fairness fairness,
    const std::function<bool(uint64_t memory_bytes)>& may_continue);

}  // namespace cmc
