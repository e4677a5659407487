#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/units.h"
#include "checker/keys/claim_regions.h"
#include "checker/search/cycles/cycle_report.h"
#include "checker/search/ram/ram_engine.h"
#include "storage/sets/chunked_array.h"

// Nested depth-first search for accepting cycles in RAM, with two bits for each node, or with several workers 2 more
// for each of them.
//
// One worker: Schwoon, Esparza, "A note on on-the-fly verification algorithms", 2005. The blue search goes through
// all nodes; before it leaves an accepting one, the red search looks for a way from there back to the blue search's
// path, whose nodes are cyan. A node that is in the set and not blue is cyan.
//
// Several workers (CNDFS: Evangelista, Laarman, Petrucci, van de Pol, "Improved multi-core nested depth-first
// search", 2012): each has a blue search of its own, goes through successors in an order of its own, and leaves out
// what some worker has coloured blue. Cyan is private. A red search first collects what it visits, waits until the
// other accepting nodes among that are red, and then colours all of it. Behind a node on another worker's path it can
// come to nodes that no blue search has met: these it puts into the set.
//
// Both look at the claim's graph (ClaimRegions): where no cycle can be accepting there is no red search, where each
// one is the blue search closes it, and a red search stays in the component where it begins.
//
// Where nodes lie inside atomic sequences (step mode `statement`), a cycle among them alone is not accepting, because
// the claim stands still. So from the first such node on there are red searches in each component where a cycle can
// be accepting. What was left before needs none: the search met no edge that closes a cycle of such nodes alone.

namespace cmc {

// Colours of a node, the bits of its value in the set. Of several workers each has a bit for cyan and one for what
// its red search has reached.
inline constexpr uint64_t kBlue = 1;
inline constexpr uint64_t kRed = 2;
inline constexpr uint32_t kMostNdfsWorkers = 15;
[[nodiscard]] constexpr uint32_t ndfs_workers(uint32_t workers) { return std::min(workers, kMostNdfsWorkers); }
[[nodiscard]] constexpr unsigned ndfs_bits(uint32_t workers) {  // KeySetOptions::value_bits
  return workers == 1 ? 2 : 2 + 2 * ndfs_workers(workers);
}

// The path of a depth-first search, with the successors of each node on it that are still to be visited.
template <unsigned W>
class DepthPath {
 public:
  struct Frame {
    Key<W> node;
    uint64_t first = 0;     // of its successors in waiting_
    bool expanded = false;  // they are there
    bool owned = false;     // this worker has put the node into the set
  };

  [[nodiscard]] bool empty() const { return frames_.empty(); }
  [[nodiscard]] uint64_t size() const { return frames_.size(); }
  [[nodiscard]] uint64_t waiting() const { return waiting_.size(); }
  [[nodiscard]] Frame& top() { return frames_.back(); }
  [[nodiscard]] const Frame& operator[](uint64_t index) const { return frames_[index]; }
  [[nodiscard]] uint64_t memory_bytes() const { return frames_.memory_bytes() + waiting_.memory_bytes(); }

  void enter(const Key<W>& node, bool owned) { frames_.push_back({node, waiting_.size(), false, owned}); }
  void leave() {
    DCHECK(waiting_.size() == top().first);
    frames_.pop_back();
  }
  void wait(const Key<W>& successor) { waiting_.push_back(successor); }
  // The next one of the top's successors; false: there is none.
  [[nodiscard]] bool next(Key<W>& successor) {
    if (waiting_.size() == top().first) return false;
    successor = waiting_.back();
    waiting_.pop_back();
    return true;
  }
  void clear() {
    frames_.shrink(0);
    waiting_.shrink(0);
  }
  void append_to(std::vector<Key<W>>& nodes, uint64_t from = 0) const {
    for (uint64_t i = from; i < frames_.size(); ++i) nodes.push_back(frames_[i].node);
  }

  void save(OutStream& to) const {
    to.number(frames_.size());
    for (uint64_t i = 0; i < frames_.size(); ++i) {
      const Frame& frame = frames_[i];
      save_key(to, frame.node);
      to.number(frame.first);
      to.number((frame.expanded ? 1 : 0) + (frame.owned ? 2 : 0));
    }
    to.number(waiting_.size());
    for (uint64_t i = 0; i < waiting_.size(); ++i) save_key(to, waiting_[i]);
  }
  void load(InStream& from) {
    for (uint64_t left = from.number(); left > 0 && from.ok(); --left) {
      const Key<W> node = load_key<W>(from);
      const uint64_t first = from.number();
      const uint64_t flags = from.number();
      frames_.push_back({node, first, (flags & 1) != 0, (flags & 2) != 0});
    }
    for (uint64_t left = from.number(); left > 0 && from.ok(); --left) waiting_.push_back(load_key<W>(from));
    if (!frames_.empty() && top().first > waiting_.size()) from.fail();
  }

  template <unsigned V>
  void take_over(DepthPath<V>& from, const Converter<V, W>& convert) {
    from.frames_.drain([&](const typename DepthPath<V>::Frame& frame) {
      frames_.push_back({convert(frame.node), frame.first, frame.expanded, frame.owned});
    });
    from.waiting_.drain([&](const Key<V>& node) { waiting_.push_back(convert(node)); });
  }

 private:
  template <unsigned V>
  friend class DepthPath;

  ChunkedArray<Frame, 10> frames_;
  ChunkedArray<Key<W>, 10> waiting_;
};

template <unsigned W>
struct NdfsShared : RamShared<W> {
  explicit NdfsShared(SearchContext& context_) : RamShared<W>(context_), regions(context_.model) {}
  template <unsigned V>
  void take_over(NdfsShared<V>& from, const Converter<V, W>&) {
    inside_atomic = from.inside_atomic.load();
  }

  [[nodiscard]] uint64_t left() const { return 0; }  // the workers have everything

  const ClaimRegions regions;
  std::atomic<bool> inside_atomic{false};  // a node was expanded in which the claim stands still
  std::mutex reporting;
  bool reported = false;  // a cycle; under `reporting`
};

template <unsigned W>
class NdfsWorker final : public RamWorker<W> {
 public:
  using State = Key<W>;
  using ClaimOrder = SearchContext::ClaimOrder;

  NdfsWorker(NdfsShared<W>& shared, uint32_t number)
      : RamWorker<W>(shared, number),
        ndfs_(shared),
        regions_(shared.regions),
        set_(shared.set),
        alone_(shared.context.workers == 1),
        cyan_(alone_ ? 0 : uint64_t{4} << number),
        reached_(alone_ ? kRed : uint64_t{4} << (ndfs_workers(shared.context.workers) + number)),
        random_(number * 0x9e3779b97f4a7c15ULL + 1) {}

  // The initial node is in the set.
  void start(const State& initial) { begin(initial, true); }
  // Every worker begins there; one of them has been told so.
  void run() {
    if (blue_.empty() && !begun_) begin({}, false);
    while (!blue_.empty() && !this->halted()) {
      if (++visited_ % kVisitsPerBoundary == 0) {
        this->boundary();
        if (wants_other_order()) [[unlikely]]
          this->shared_.crew.halt(End::kReorder);
      }
      if (!(red_.empty() ? search_blue() : search_red())) return;
    }
  }

  template <unsigned V>
  void assign(NdfsWorker<V>& from, const Converter<V, W>& convert) {
    begun_ = from.begun_;
    awaits_ = from.awaits_;
    visited_ = from.visited_;
    blue_.take_over(from.blue_, convert);
    red_.take_over(from.red_, convert);
    for (const Key<V>& node : from.to_colour_) to_colour_.push_back(convert(node));
  }
  void save(OutStream& to) const {
    to.number((begun_ ? 1 : 0) + (awaits_ ? 2 : 0));
    blue_.save(to);
    red_.save(to);
    save_pieces<W>(to, to_colour_);
  }
  void load(InStream& from) {
    const uint64_t flags = from.number();
    begun_ = (flags & 1) != 0;
    awaits_ = (flags & 2) != 0;
    blue_.load(from);
    red_.load(from);
    load_pieces<W>(from, [&](const State& node) { to_colour_.push_back(node); });
  }
  [[nodiscard]] std::optional<State> next_state() {
    if (!red_.empty()) return red_.top().node;
    return blue_.empty() ? std::nullopt : std::optional(blue_.top().node);
  }

 private:
  template <unsigned V>
  friend class NdfsWorker;
  void begin(const State& initial, bool owned) {
    begun_ = true;
    enter_blue(initial, owned);
  }
  void enter_blue(const State& node, bool owned) {
    blue_.enter(node, owned);
    if (!alone_) paint(node, cyan_);
    this->counts_.note_depth(blue_.size() - 1);
  }

  // One step of the blue search: expands the node on top, visits one of its successors, or leaves it. False: the
  // worker has to stop.
  bool search_blue() {
    if (!blue_.top().expanded) return expand_blue();
    State next;
    if (!blue_.next(next)) return leave_blue();
    const auto probe = set_.prefetch(next);
    const bool owned = set_.insert(next, probe, this->tally_) == KeySet<W>::Inserted::kNew;
    if (owned || !has_colour(next, probe, kBlue)) enter_blue(next, owned);
    return true;
  }
  bool expand_blue() {
    const State node = blue_.top().node;
    if (!generate(node, blue_.top().owned, recently_blue_)) return false;
    blue_.top().expanded = true;
    const bool accepts = this->generator_.accepting(node);
    for (size_t i = 0; i < successors_.size(); ++i) {
      const State& next = successors_[i];
      const auto colours = set_.value(next, probes_[i]);
      if (colours && (*colours & kBlue) != 0) {
        recently_blue_.at(next) = next;
        continue;
      }
      if (colours && is_cyan(*colours)) {
        if (may_close(node, next, accepts)) return found(next);
        continue;
      }
      blue_.wait(next);
    }
    return true;
  }
  // A step from `node` to a node of the path closes an accepting cycle, if it stays where cycles can be accepting and
  // one of the two is accepting.
  bool may_close(const State& node, const State& next, bool accepts) {
    ClaimFacts& claim = this->generator_.claim();
    return (accepts || this->generator_.accepting(next)) && regions_.may_accept(claim.location(node)) &&
           regions_.component(claim.location(node)) == regions_.component(claim.location(next));
  }
  bool leave_blue() {
    const State node = blue_.top().node;
    if (awaits_) return finish_red(node);
    ClaimFacts& claim = this->generator_.claim();
    if (needs_red(claim.location(node)) && this->generator_.accepting(node) &&
        !has_colour(node, set_.prefetch(node), kRed)) {
      if (!alone_) reach(node);
      red_.enter(node, false);
      return true;
    }
    leave(node, kBlue);
    return true;
  }
  [[nodiscard]] bool needs_red(LocationId location) const {
    return regions_.is_strong(location) || (ndfs_.inside_atomic && regions_.may_accept(location));
  }
  void leave(const State& node, uint64_t colours) {
    paint(node, colours, cyan_);
    blue_.leave();
  }

  // One step of the red search. A node is coloured red when it is entered, by one worker alone; else when the whole
  // red search is over.
  bool search_red() {
    if (!red_.top().expanded) return expand_red();
    State next;
    if (!red_.next(next)) {
      red_.leave();
      if (!red_.empty()) return true;
      if (!alone_) {
        awaits_ = true;
        return true;
      }
      leave(blue_.top().node, kBlue | kRed);
      return true;
    }
    const bool owned = !alone_ && set_.insert(next, set_.prefetch(next), this->tally_) == KeySet<W>::Inserted::kNew;
    if (reach(next)) red_.enter(next, owned);
    return true;
  }
  bool expand_red() {
    const State node = red_.top().node;
    if (!generate(node, red_.top().owned, recently_red_)) return false;
    red_.top().expanded = true;
    ClaimFacts& claim = this->generator_.claim();
    const uint32_t component = regions_.component(claim.location(node));
    for (size_t i = 0; i < successors_.size(); ++i) {
      const State& next = successors_[i];
      if (regions_.component(claim.location(next)) != component) continue;
      const auto known = set_.value(next, probes_[i]);
      DCHECK(known || !alone_);
      const uint64_t colours = known.value_or(0);
      if (known && is_cyan(colours)) return found(next);
      if ((colours & kRed) != 0) {
        if (alone_) recently_red_.at(next) = next;  // else it may be cyan, too
      } else if ((colours & reached_) == 0) {
        red_.wait(next);
      }
    }
    return true;
  }
  // Waits until the other accepting nodes that the red search has reached are red, or were left without a red search:
  // their own workers look for cycles through them.
  bool finish_red(const State& seed) {
    for (const State& node : to_colour_) {
      if (node == seed || !this->generator_.accepting(node)) continue;
      while (!has_colour(node, set_.prefetch(node), kBlue | kRed)) {
        this->boundary();
        if (this->halted()) return false;
        std::this_thread::yield();
      }
    }
    for (const State& node : to_colour_) paint(node, kRed, reached_);
    to_colour_.clear();
    awaits_ = false;
    leave(seed, kBlue | kRed);
    return true;
  }

  // The successors of a node, but for those in `known`, and where they belong. `first`: nobody has expanded the node
  // before: its transitions count, and its errors are reported. False: keys are too narrow, or the search has been
  // stopped.
  bool generate(const State& node, bool first, RecentStates<W>& known) {
    successors_.clear();
    {
      const auto using_memo = this->generator_.use_memo();
      ExpansionFlags flags;
      const auto expanded = this->generator_.expand(node, successors_, flags);
      if (expanded == KeyGenerator<W>::Expanded::kTooNarrow) this->shared_.crew.halt(End::kRelayout);
      if (expanded != KeyGenerator<W>::Expanded::kAll) return false;
      this->flags_[0] = flags;
      if (flags.holder_moves) [[unlikely]]
        ndfs_.inside_atomic = true;
    }
    if (first) {
      this->add(this->counts_.transitions, successors_.size());
      for (const State& created : successors_) this->count_created(created);
      this->counts_.single_successor += successors_.size() == 1 ? 1 : 0;
      this->counts_.dead_ends += successors_.size() == 0 ? 1 : 0;
      if (this->flags_[0].special) [[unlikely]] {
        const uint64_t depth = blue_.size() - 1 + (red_.empty() ? 0 : red_.size() - 1);
        this->report_state(node, this->flags_[0], depth, [&] { return path_to_top(); });
      }
    }
    State* const end = std::remove_if(successors_.begin(), successors_.end(),
                                      [&](const State& each) { return known.at(each) == each; });
    successors_.shrink(static_cast<size_t>(end - successors_.begin()));
    if (goes_straight()) {
      std::reverse(successors_.begin(), end);  // the last one is taken first: a step of the last process, as in SPIN
      if (alone_ && this->context_.claim_order == ClaimOrder::kOther) wait_last(node, end);
    } else {
      shuffle();
    }
    probes_.clear();
    for (const State& each : successors_) probes_.push_back(set_.prefetch(each));
    return true;
  }
  [[nodiscard]] bool wants_other_order() const {
    if (!alone_) return false;
    const ClaimOrder order = this->context_.claim_order;
    return (order == ClaimOrder::kOnTrial && set_.size() >= SearchContext::kNodesOnTrial) ||
           (order == ClaimOrder::kShuffled && set_.size() >= SearchContext::kShuffledNodes);
  }
  // ClaimOrder::kOther. Steps beside which the claim waits are taken last, whichever process moves; in its own order
  // each process has its steps together.
  void wait_last(const State& node, State* end) {
    ClaimFacts& claim = this->generator_.claim();
    const LocationId from = claim.location(node);
    std::stable_partition(successors_.begin(), end, [&](const State& next) { return claim.location(next) == from; });
  }
  // One worker, or one of several at first, goes as SPIN's verifier does: people expect to find what is near there
  // (petersonN of SPIN's examples: 295 states, not 2.5 million).
  [[nodiscard]] bool goes_straight() const {
    return alone_ ? this->context_.claim_order != ClaimOrder::kShuffled : this->number_ == 0 && visited_ < kStraight;
  }
  // Workers that go different ways meet less often.
  void shuffle() {
    for (size_t i = successors_.size(); i > 1; --i) {
      random_ ^= random_ << 13, random_ ^= random_ >> 7, random_ ^= random_ << 17;
      std::swap(successors_.begin()[i - 1], successors_.begin()[random_ % i]);
    }
  }

  // On this worker's path. Alone, that is what has been met and not been left.
  [[nodiscard]] bool is_cyan(uint64_t colours) const {
    return alone_ ? (colours & kBlue) == 0 : (colours & cyan_) != 0;
  }
  [[nodiscard]] bool has_colour(const State& node, const typename KeySet<W>::Probe& probe, uint64_t wanted) {
    const auto colours = set_.value(node, probe);
    return (colours.value_or(0) & wanted) != 0;
  }
  // Returns the colours before.
  uint64_t paint(const State& node, uint64_t colours, uint64_t without = 0) {
    const auto before =
        set_.change_value(node, set_.prefetch(node), [&](uint64_t value) { return (value & ~without) | colours; });
    CHECK(before);
    return *before;
  }
  // False: this red search has been there.
  bool reach(const State& node) {
    if ((paint(node, reached_) & reached_) != 0) return false;
    if (!alone_) to_colour_.push_back(node);
    return true;
  }

  // The node that is being expanded is the last one.
  [[nodiscard]] std::vector<State> path_to_top() const {
    std::vector<State> nodes;
    nodes.reserve(blue_.size() + red_.size() + 1);
    blue_.append_to(nodes);
    red_.append_to(nodes, 1);  // it begins where the blue search stands
    return nodes;
  }

  // The nodes of the path up to `next`, where the loop begins, then the loop, which ends in `next` again. Of several
  // workers that have found a cycle one reports it.
  bool found(const State& next) {
    const std::lock_guard lock(ndfs_.reporting);
    if (std::exchange(ndfs_.reported, true)) return false;
    report_found_cycle(this->context_.control, [&] { report(next); });
    return false;
  }
  void report(const State& next) {
    KeyLasso<W> lasso;
    for (const State& node : path_to_top()) lasso.run.push_back({node, 0});
    const auto begin = std::ranges::find(lasso.run, next, &MarkedEdge<W>::target);
    CHECK(begin != lasso.run.end());
    lasso.loop = static_cast<size_t>(begin - lasso.run.begin());
    lasso.run.push_back({next, 0});
    report_lasso(this->context_, this->statements_, lasso);
  }

  void on_part_of_batch() override {}  // all successors of a node are needed at once
  [[nodiscard]] uint64_t open_states() const override { return blue_.size() + blue_.waiting() + red_.size(); }
  [[nodiscard]] uint64_t open_bytes() const override {
    return blue_.memory_bytes() + red_.memory_bytes() + to_colour_.capacity() * sizeof(State);
  }
  [[nodiscard]] uint64_t depth() const override { return blue_.size(); }

  static constexpr uint64_t kVisitsPerBoundary = 64;
  static constexpr uint64_t kStraight = uint64_t{1} << 14;  // visits

  NdfsShared<W>& ndfs_;
  const ClaimRegions& regions_;
  KeySet<W>& set_;
  const bool alone_;
  const uint64_t cyan_;     // colours of this worker
  const uint64_t reached_;  // alone: red
  bool begun_ = false;
  bool awaits_ = false;  // the red search is over but for what other workers are to colour
  DepthPath<W> blue_;
  DepthPath<W> red_;
  std::vector<State> to_colour_;  // of several workers: what the red search has reached
  KeyBuffer<W> successors_;
  std::vector<typename KeySet<W>::Probe> probes_;  // of successors_
  RecentStates<W> recently_blue_;
  RecentStates<W> recently_red_;
  uint64_t visited_ = 0;
  uint64_t random_;
};

template <unsigned W>
class Ndfs : public RamEngine<W, NdfsShared, NdfsWorker> {
 public:
  using RamEngine<W, NdfsShared, NdfsWorker>::RamEngine;

  End run() {
    this->shared_.crew.begin();
    this->explore(searching());
    return this->shared_.crew.end();
  }

 private:
  [[nodiscard]] uint32_t searching() const { return ndfs_workers(this->context_.workers); }
  [[nodiscard]] const char* name() const override { return kNdfsEngine; }
  [[nodiscard]] uint64_t usual_value() const override { return kBlue; }
  // The workers, whose colours are in the set: so those that go on are as many.
  void save_open(OutStream& to) override {
    to.number(searching());
    to.number(this->shared_.inside_atomic ? 1 : 0);
    for (uint32_t i = 0; i < searching(); ++i) this->workers_[i]->save(to);
    ValuedPieces<W> nodes(to);
    this->shared_.set.visit([&](const Key<W>& node, uint64_t colours) {
      if (colours != kBlue) nodes.add(node, colours);
    });
    nodes.finish();
  }
  void load_open(InStream& from) override {
    if (const uint64_t saved = from.number(); saved != searching()) {
      this->context_.control.stop(
          ReasonKind::kLimit, fmt::format("a nested depth-first search that was saved with {} goes on with as many: "
                                          "--threads {}",
                                          plural(saved, "thread"), saved));
      return;
    }
    this->shared_.inside_atomic = from.number() != 0;
    for (uint32_t i = 0; i < searching(); ++i) this->workers_[i]->load(from);
    load_valued<W>(from, [&](const Key<W>& node, uint64_t colours) {
      if (!this->shared_.set.change_value(node, [&](uint64_t) { return colours; })) from.fail();
    });
  }
};

}  // namespace cmc
