#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "checker/search/cycles/cycle_report.h"
#include "checker/search/cycles/hull.h"
#include "checker/search/cycles/lasso.h"
#include "checker/search/cycles/scc_engine.h"
#include "checker/search/engine/product_graph.h"
#include "checker/search/ram/ram_depth.h"

namespace cmc {

inline constexpr unsigned kHullBits = 2;  // KeySetOptions::value_bits

// Cycle search in RAM by sets: the whole product is explored depth first, then its hull is computed (hull.h). A
// checkpoint of the second part has the nodes that are still in the hull.
template <unsigned W>
class RamHull : public RamDepth<W> {
 public:
  using RamDepth<W>::RamDepth;

  End run() {
    if (!in_hull_) {
      const End end = RamDepth<W>::run();
      if (end != End::kExplored) return end;
    }
    if (shows_absence()) return End::kExplored;
    const bool is_to_be_saved = !context_.control.stopped() && context_.control.wants_checkpoint();
    return is_to_be_saved ? End::kCheckpoint : End::kStopped;
  }

 private:
  using RamDepth<W>::context_;
  using RamDepth<W>::shared_;

  [[nodiscard]] const char* name() const override { return kHullEngine; }
  // As depth first; then whether the hull was begun, and the nodes that are in it.
  void save_open(OutStream& to) override {
    RamDepth<W>::save_open(to);
    to.number(in_hull_ ? 1 : 0);
    if (!in_hull_) return;
    ValuedPieces<W> nodes(to);
    for (size_t i = 0; i < KeySet<W>::kPartitions; ++i)
      shared_.set.visit_valued(i, [&](const Key<W>& node, uint64_t) { nodes.add(node, 1); });
    nodes.finish();
  }
  void load_open(InStream& from) override {
    RamDepth<W>::load_open(from);
    in_hull_ = from.number() != 0;
    if (!in_hull_) return;
    load_valued<W>(from, [&](const Key<W>& node, uint64_t value) {
      if (!shared_.set.change_value(node, [&](uint64_t) { return value; })) from.fail();
    });
  }

  // True: there is no accepting cycle. Otherwise one was reported, the search has been stopped, or is to be saved.
  [[nodiscard]] bool shows_absence() {
    using Graph = ProductGraph<W>;
    const ClaimRegions regions(context_.model);
    const uint32_t processes = fair_processes(context_.model, context_.options.fairness);
    std::vector<std::unique_ptr<Graph>> owned;
    std::vector<Graph*> graphs;
    for (auto& worker : this->workers_) {
      owned.push_back(std::make_unique<Graph>(worker->graph(regions, processes)));
      graphs.push_back(owned.back().get());
    }
    const ShouldStop should_stop = [this](uint64_t bytes) {
      SearchControl::Usage usage;
      usage.states = shared_.set.size();
      usage.transitions = context_.sum(&SearchContext::Counts::transitions);
      usage.memory_bytes =
          bytes + shared_.set.memory_bytes() + shared_.memo.memory_bytes() + context_.space->memory_bytes();
      context_.control.check_in_turn(usage);
      return context_.control.stopped() || context_.control.stops_behind_checkpoint();
    };
    Hull<Graph> hull(shared_.set, graphs, should_stop);
    const HullResult result =
        hull.run(std::exchange(in_hull_, true), [this] { return context_.control.wants_checkpoint(); });
    if (std::ranges::any_of(graphs, [](const Graph* graph) { return graph->too_many_processes(); })) {
      context_.control.stop(ReasonKind::kLimit, kTooManyFairProcesses);
      return false;
    }
    if (result.stopped || result.nodes == 0) return !result.stopped;
    report_found_cycle(context_.control, [&] { report(*graphs.front(), should_stop); });
    return false;
  }

  template <class Graph>
  void report(Graph& graph, const ShouldStop& should_stop) {
    const auto bits = context_.space->layout().template bits_of_words<W>();
    const auto lasso = find_lasso_in_hull(graph, {}, shared_.set, context_.set_options, bits, should_stop);
    if (!lasso) {
      CHECK(context_.control.stopped() || context_.control.stops_behind_checkpoint());
      return;
    }
    report_lasso(context_, *context_.generators.front(), *lasso);
  }

  bool in_hull_ = false;  // everything is explored, and values in the set are the hull's
};

}  // namespace cmc
