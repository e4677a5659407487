#include "checker/search/cycle_report.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "base/failed_check.h"
#include "checker/generator/product_generator.h"

namespace cmc {

namespace {

constexpr size_t kMostStates = 50'000;  // of one breadth-first search
constexpr size_t kMostTried = 16;       // accepting states of the loop from which a shorter one is looked for
constexpr uint64_t kOverhead = 128;     // bytes beside each state that is kept, about

// What tells states apart.
std::string_view identity(ByteView state, const Model& model) {
  const ByteView seen = state.subspan(model.hidden_bytes);
  return {reinterpret_cast<const char*>(seen.data()), seen.size()};
}

// Breadth-first search in a product for a shortest path.
class PathFinder {
 public:
  PathFinder(SuccessorGenerator& product, const Model& model, uint64_t most_bytes)
      : product_(product), model_(model), most_bytes_(most_bytes) {}

  // From `start` to a state that is wanted, with at most `longest` edges and at least one; none: there is no such
  // path among the states that were looked at. The path includes both ends.
  std::optional<std::vector<Bytes>> find(const Bytes& start, size_t longest,
                                         const std::function<bool(ByteView)>& wanted) {
    known_.clear();
    nodes_.clear();
    bytes_ = 0;
    add(start, 0, 0);
    for (size_t i = 0; i < nodes_.size() && nodes_[i].depth < longest; ++i) {
      batch_.clear();
      product_.successors(nodes_[i].state, batch_);
      for (const SuccessorBatch::Entry& entry : batch_.entries) {
        const ByteView next = batch_.state(entry);
        if (wanted(next)) return path_to(i, next);
        if (nodes_.size() < kMostStates && bytes_ < most_bytes_) add(next, i, nodes_[i].depth + 1);
      }
    }
    return std::nullopt;
  }
  // The claim is to move, and it or a process is at an accepting location.
  [[nodiscard]] bool accepts(ByteView state) {
    if (!is_accepting(model_, state)) return false;
    if (load<uint8_t>(state.data() + model_.atomic_holder_offset()) == kNoProcess) return true;
    batch_.clear();
    product_.successors(state, batch_);
    return batch_.holder_released;
  }

 private:
  struct Node {
    Bytes state;
    size_t parent = 0;
    size_t depth = 0;
  };
  void add(ByteView state, size_t parent, size_t depth) {
    if (known_.contains(identity(state, model_))) return;
    nodes_.push_back({Bytes(state.begin(), state.end()), parent, depth});
    known_.insert(identity(nodes_.back().state, model_));
    bytes_ += state.size() + kOverhead;
  }
  [[nodiscard]] std::vector<Bytes> path_to(size_t node, ByteView end) const {
    std::vector<Bytes> path{Bytes(end.begin(), end.end())};
    for (;; node = nodes_[node].parent) {
      path.push_back(nodes_[node].state);
      if (node == 0) break;
    }
    std::ranges::reverse(path);
    return path;
  }

  SuccessorGenerator& product_;
  const Model& model_;
  const uint64_t most_bytes_;
  SuccessorBatch batch_;
  std::deque<Node> nodes_;
  std::unordered_set<std::string_view> known_;  // of states in nodes_
  uint64_t bytes_ = 0;
};

// The states of the loop, each once.
StateSequence loop_of(const StateLasso& lasso) {
  CHECK(lasso.loop + 1 < lasso.states.size());
  return lasso.states.part(lasso.loop, lasso.states.size() - 1);
}

// Replaces the loop by a shorter one through one of its accepting states, to which the stem then leads.
void shorten_loop(const StateLasso& lasso, PathFinder& finder, const Model& model, StateSequence& stem,
                  StateSequence& loop) {
  const StateSequence old = loop;
  Bytes state;
  size_t tried = 0;
  for (size_t i = 0; i < old.size() && tried < kMostTried; ++i) {
    old.get(i, state);
    if (!finder.accepts(state)) continue;
    ++tried;
    auto back = finder.find(state, loop.size() - 1,
                            [&](ByteView next) { return identity(next, model) == identity(state, model); });
    if (!back) continue;
    back->pop_back();
    loop = StateSequence(std::move(*back));
    stem = lasso.states.part(0, lasso.loop + i + 1);
  }
}

// Replaces the stem by a shorter one, which may enter the loop elsewhere. Nothing is done about a loop that takes
// more than `most_bytes`.
void shorten_stem(PathFinder& finder, const Model& model, uint64_t most_bytes, StateSequence& stem,
                  StateSequence& loop) {
  std::unordered_map<std::string, size_t> places;
  uint64_t bytes = 0;
  Bytes state;
  for (size_t i = 0; i < loop.size(); ++i) {
    loop.get(i, state);
    bytes += state.size() + kOverhead;
    if (bytes > most_bytes) return;
    places.emplace(identity(state, model), i);
  }
  const auto place_of = [&](ByteView each) { return places.find(std::string(identity(each, model))); };
  const auto in_loop = [&](ByteView each) { return place_of(each) != places.end(); };
  const Bytes initial = stem.at(0);
  if (in_loop(initial)) {
    stem = stem.part(0, 1);
  } else if (stem.size() > 2) {
    auto shorter = finder.find(initial, stem.size() - 2, in_loop);
    if (shorter) stem = StateSequence(std::move(*shorter));
  }
  // The loop begins where the stem enters it.
  const auto entry = place_of(stem.at(stem.size() - 1));
  CHECK(entry != places.end());
  loop = loop.rotated(entry->second);
}

}  // namespace

StateLasso shortened(const StateLasso& lasso, SuccessorGenerator& product, const Model& model, uint64_t most_bytes) {
  PathFinder finder(product, model, most_bytes);
  StateSequence stem = lasso.states.part(0, lasso.loop + 1);
  StateSequence loop = loop_of(lasso);
  shorten_loop(lasso, finder, model, stem, loop);
  shorten_stem(finder, model, most_bytes, stem, loop);
  return {stem.followed_by(loop.rotated(1)), stem.size() - 1, {}};
}

void report_found_cycle(SearchControl& control, const std::function<void()>& report) {
  const std::string failure = failed_check_in(report);
  if (failure.empty()) return;
  Reason reason = reason_of_bug("there seems to be a cycle, but no path shows it: " + failure);
  control.stop(reason.kind, std::move(reason.text));
}

void report_lasso(SearchControl& control, SuccessorGenerator& product, const Model& model, const StateLasso& lasso) {
  CHECK(lasso.loop + 1 < lasso.states.size());
  const StateSequence stem = lasso.states.part(0, lasso.loop + 1);
  const StateSequence loop = lasso.states.part(lasso.loop, lasso.states.size());
  std::vector<Step> path;
  path.reserve(lasso.states.size() + 1);
  path = steps_along(product, stem, model.hidden_bytes, {}, std::move(path));
  const size_t loop_start = path.size();
  path = steps_along(product, loop, model.hidden_bytes, lasso.served, std::move(path));
  control.report_cycle(std::move(path), loop_start, lasso.states.size() - 1);
}

}  // namespace cmc
