#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "checker/search/cycles/cycle_report.h"
#include "checker/search/cycles/lasso.h"
#include "checker/search/cycles/scc_search.h"
#include "checker/search/engine/checkpoint.h"
#include "checker/search/engine/crew.h"
#include "checker/search/engine/engines.h"
#include "checker/search/engine/later_reduction.h"
#include "checker/search/engine/product_graph.h"
#include "checker/search/engine/stage.h"

namespace cmc {

// The processes that weak fairness has to tell apart; 0: without fairness.
[[nodiscard]] uint32_t fair_processes(const Model& model, Fairness fairness);

// The only worker of an SccEngine: its expander, and the graph that the search goes through. It counts transitions
// and reports errors, each node being expanded once.
template <unsigned W>
class SccWorker final : public BatchExpander<W> {
 public:
  using Node = Key<W>;

  // `check_limits` is called now and then while a node is expanded.
  SccWorker(SearchContext& context, StepMemo<W>& memo, const ClaimRegions& regions, SccSearch<W>& search,
            std::function<void()> check_limits)
      : BatchExpander<W>(context, memo, 0),
        graph_(this->generator_, *context.space, this->statements_, regions,
               fair_processes(context.model, context.options.fairness)),
        search_(search),
        check_limits_(std::move(check_limits)) {}

  [[nodiscard]] uint32_t sets() const { return graph_.sets(); }
  [[nodiscard]] bool in_region(const Node& node) { return graph_.in_region(node); }
  template <class Sink>
  [[nodiscard]] bool expand(const Node& node, Sink&& sink) {
    edges_.clear();
    if (!graph_.expand(node, [&](const Node& target, uint64_t marks) { edges_.push_back({target, marks}); }))
      return false;
    if (graph_.too_many_processes()) {
      this->context_.control.stop(ReasonKind::kLimit, kTooManyFairProcesses);
      return false;
    }
    if (waits_first() || this->generator_.claim().traits().uses_non_progress) put_in_order(node);
    for (const MarkedEdge<W>& edge : edges_) {
      sink(edge.target, edge.marks);
      this->count_created(edge.target);
    }
    this->add(this->counts_.transitions, edges_.size());
    this->counts_.single_successor += edges_.size() == 1 ? 1 : 0;
    this->counts_.dead_ends += edges_.empty() ? 1 : 0;
    this->counts_.note_depth(search_.depth());
    if (graph_.flags().special) [[unlikely]] {
      this->report_state(node, graph_.flags(), search_.depth(), [&] {
        std::vector<Node> path = search_.path();
        path.push_back(node);
        return path;
      });
    }
    return true;
  }
  // The same edges, without counts.
  [[nodiscard]] ProductGraph<W>& graph() { return graph_; }
  [[nodiscard]] SuccessorGenerator& steps() { return this->statements_; }
  [[nodiscard]] const ReductionFigures& reductions() const { return this->generator_.reductions(); }
  using BatchExpander<W>::steps_computed;

 private:
  [[nodiscard]] bool waits_first() const { return this->context_.claim_order == SearchContext::ClaimOrder::kOther; }
  // The search follows the last edge first. A claim that asks for np_ waits last, as SPIN's does, until it waits
  // first.
  void put_in_order(const Node& node) {
    ClaimFacts& claim = this->generator_.claim();
    const LocationId from = claim.location(node);
    const auto rank = [&](const MarkedEdge<W>& edge) {
      const bool waits = claim.location(edge.target) == from;
      if (!waits_first()) return waits ? 0 : 1;
      return (waits ? 2 : 0) + (claim.claim_accepts(edge.target) ? 0 : 1);
    };
    const auto is_out_of_order = [&](const MarkedEdge<W>& a, const MarkedEdge<W>& b) { return rank(a) > rank(b); };
    if (std::ranges::adjacent_find(edges_, is_out_of_order) != edges_.end())
      std::ranges::stable_sort(edges_, {}, rank);
  }
  void on_part_of_batch() override {}
  [[nodiscard]] bool should_stop_batch() override {
    check_limits_();
    return this->context_.control.stopped();
  }

  ProductGraph<W> graph_;
  SccSearch<W>& search_;
  const std::function<void()> check_limits_;
  std::vector<MarkedEdge<W>> edges_;  // of the node that is expanded
};

// Cycle search under weak fairness in RAM: strongly connected components, on the fly, one thread (scc_search.h). An
// engine of relayout.h.
template <unsigned W>
class SccEngine : public AnyEngine<EngineTotals> {
 public:
  explicit SccEngine(SearchContext& context)
      : context_(context),
        regions_(context.model),
        memo_(context.space->layout(), context.memo_bytes, 1, context.keeps_notes()),
        search_(context.set_options, context.space->layout().bits_of_words<W>()),
        worker_(context, memo_, regions_, search_,
                [this] { context_.control.check_in_turn(usage(search_.memory_bytes())); }) {}
  ~SccEngine() { context_.note(memo_); }
  SccEngine(const SccEngine&) = delete;
  SccEngine& operator=(const SccEngine&) = delete;

  void start() { search_.start({}); }
  template <unsigned V>
  [[nodiscard]] bool has_room_for(const SccEngine<V>& from, const Layout&) {
    SearchControl::Usage usage = from.usage(from.search_.memory_bytes());
    usage.reserve_bytes = search_.bytes_to_take_over(from.search_);
    if (!context_.control.has_room(usage)) return false;
    usage.reserve_bytes += from.memo_.memory_bytes() / V * std::max(V, W);
    remembers_ = context_.control.fits(usage);
    return true;
  }
  template <unsigned V>
  void take_over(SccEngine<V>& from, const Layout& old_layout) {
    const Converter<V, W> convert(old_layout, context_.space->layout());
    if (remembers_) memo_.take_over(from.memo_, convert);
    search_.take_over(from.search_, convert);
    worker_.take_over_habits(from.worker_.habits());
  }

  void save(CheckpointWriter& writer) override {
    save_states_and_open<W>(
        writer, kSccEngine, search_.nodes(), [&](auto&& visit) { search_.visit(visit); },
        [&](OutStream& to) { search_.save(to); });
  }
  [[nodiscard]] bool load(const Manifest& manifest) {
    SearchControl::Usage usage = this->usage(search_.memory_bytes());
    usage.states = manifest.states;
    usage.reserve_bytes = search_.bytes_for(manifest.states);
    if (!context_.control.has_room(usage)) return false;
    const Status loaded = load_states_and_open<W>(
        context_.saved_in(), manifest, [&](const Key<W>& node) { search_.receive(node); },
        [&] { return search_.nodes(); }, [&](InStream& from) { search_.load(from); });
    if (!loaded.ok()) context_.control.stop(ReasonKind::kStore, loaded.error());
    return loaded.ok();
  }

  End run() {
    using SccEnd = typename SccSearch<W>::End;
    const ShouldStop should_stop = [this](uint64_t bytes) { return needs_pause(bytes); };
    for (;;) {
      const SccEnd end = search_.run(worker_, should_stop);
      if (memo_.crowded()) memo_.make_room(context_.control.spare_bytes(usage(search_.memory_bytes())));
      if (end == SccEnd::kFound) report_found_cycle(context_.control, [&] { report(); });
      if (end == SccEnd::kTooMany) context_.control.stop(ReasonKind::kLimit, "a component has more than 2^32 states");
      if (context_.control.stopped()) return End::kStopped;
      if (end == SccEnd::kNone) return End::kExplored;
      if (context_.control.wants_store()) return End::kToStore;
      if (context_.control.wants_checkpoint() && end == SccEnd::kStopped) return End::kCheckpoint;
      if (end == SccEnd::kNotExpanded || wants_trim()) return End::kRelayout;
      if (reduction_failed() || (wants_look() && reduction_pays())) return End::kReduce;
      if (wants_other_order()) return End::kReorder;
    }
  }
  [[nodiscard]] bool ready_for_relayout() const { return true; }
  void layout_changed() {}
  [[nodiscard]] bool may_divide() const { return true; }
  [[nodiscard]] uint64_t states() const { return search_.nodes(); }
  [[nodiscard]] Remainder left() const { return {search_.open_edges(), 0, 0}; }
  [[nodiscard]] EngineTotals totals() override {
    return {search_.nodes(), search_.memory_bytes(), memo_.memory_bytes()};
  }

 private:
  template <unsigned V>
  friend class SccEngine;

  [[nodiscard]] bool wants_trim() const { return context_.space->wants_trim(search_.nodes()); }
  bool needs_pause(uint64_t bytes) {
    context_.control.check_in_turn(usage(bytes));
    const SearchControl& control = context_.control;
    return control.stopped() || control.wants_store() || control.wants_checkpoint() || memo_.crowded() ||
           wants_trim() || wants_look() || reduction_failed() || wants_other_order();
  }
  [[nodiscard]] bool wants_other_order() const {
    return context_.claim_order == SearchContext::ClaimOrder::kOnTrial &&
           search_.nodes() >= SearchContext::kNodesOnTrial;
  }
  // Whether partial-order reduction would pay, or has not (later_reduction.h).
  [[nodiscard]] bool wants_look() const {
    return context_.considered != nullptr && search_.nodes() >= context_.considered_at;
  }
  [[nodiscard]] bool reduction_pays() {
    const std::vector<uint64_t> sample = search_.set().sample(looked_at_of(search_.nodes()));
    return reduction_pays_among<W>(context_, search_.nodes(), sample, worker_.steps_computed());
  }
  [[nodiscard]] bool reduction_failed() const {
    return context_.own_reduction == SearchContext::OwnReduction::kOnTrial &&
           search_.nodes() >= context_.considered_at && reduction_has_failed(worker_.reductions());
  }
  // `bytes`: of the search.
  [[nodiscard]] SearchControl::Usage usage(uint64_t bytes) const {
    SearchControl::Usage usage;
    usage.states = search_.nodes();
    usage.transitions = context_.sum(&SearchContext::Counts::transitions);
    usage.depth = search_.depth();
    usage.open_states = search_.depth();
    usage.memory_bytes = bytes + memo_.memory_bytes() + context_.space->memory_bytes();
    usage.reserve_bytes = search_.growth_bytes();
    usage.has_store = context_.store != nullptr;
    return usage;
  }
  void report() {
    const auto bits = context_.space->layout().template bits_of_words<W>();
    const ShouldStop never = [](uint64_t) { return false; };
    worker_.graph().set_explored();
    const auto lasso = with_loop_in_component(worker_.graph(), search_, bits, never, search_.path_to_component());
    CHECK(lasso);
    report_lasso(context_, worker_.steps(), *lasso);
  }

  SearchContext& context_;
  const ClaimRegions regions_;
  StepMemo<W> memo_;
  bool remembers_ = true;  // takes over the steps that the other engine remembers: a copy, beside theirs
  SccSearch<W> search_;
  SccWorker<W> worker_;
};

}  // namespace cmc
