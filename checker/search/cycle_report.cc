#include "checker/search/cycle_report.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/check.h"
#include "checker/generator/product_generator.h"

namespace cmc {

namespace {

constexpr size_t kMostStates = 50'000;  // of one breadth-first search
constexpr size_t kMostTried = 16;       // accepting states of the loop from which a shorter one is looked for

// Breadth-first search in a product for a shortest path.
class PathFinder {
 public:
  PathFinder(SuccessorGenerator& product, const Model& model) : product_(product), model_(model) {}

  // From `start` to a state that is wanted, with at most `longest` edges and at least one; none: there is no such
  // path among the states that were looked at. The path includes both ends.
  std::optional<std::vector<Bytes>> find(const Bytes& start, size_t longest,
                                         const std::function<bool(ByteView)>& wanted) {
    known_.clear();
    nodes_.clear();
    add(start, 0, 0);
    for (size_t i = 0; i < nodes_.size() && nodes_[i].depth < longest; ++i) {
      batch_.clear();
      product_.successors(nodes_[i].state, batch_);
      for (const SuccessorBatch::Entry& entry : batch_.entries) {
        const ByteView next = batch_.state(entry);
        if (wanted(next)) return path_to(i, next);
        if (nodes_.size() < kMostStates) add(Bytes(next.begin(), next.end()), i, nodes_[i].depth + 1);
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
  // What tells states apart.
  [[nodiscard]] std::string_view identity(ByteView state) const {
    const ByteView seen = state.subspan(model_.hidden_bytes);
    return {reinterpret_cast<const char*>(seen.data()), seen.size()};
  }

 private:
  struct Node {
    Bytes state;
    size_t parent = 0;
    size_t depth = 0;
  };
  void add(Bytes state, size_t parent, size_t depth) {
    if (!known_.insert(std::string(identity(state))).second) return;
    nodes_.push_back({std::move(state), parent, depth});
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
  SuccessorBatch batch_;
  std::unordered_set<std::string> known_;
  std::vector<Node> nodes_;
};

// A shorter loop through one of the accepting states of `loop`, which begins and ends with the same state.
std::vector<Bytes> shorter_loop(std::vector<Bytes> loop, PathFinder& finder) {
  std::vector<Bytes> accepting;
  for (size_t i = 0; i + 1 < loop.size() && accepting.size() < kMostTried; ++i) {
    if (finder.accepts(loop[i])) accepting.push_back(loop[i]);
  }
  for (const Bytes& state : accepting) {
    auto back = finder.find(state, loop.size() - 2,
                            [&](ByteView next) { return finder.identity(next) == finder.identity(state); });
    if (back) loop = std::move(*back);
  }
  return loop;
}

}  // namespace

StateLasso shortened(StateLasso lasso, SuccessorGenerator& product, const Model& model, bool keep_loop) {
  CHECK(lasso.loop + 1 < lasso.states.size());
  PathFinder finder(product, model);
  const auto begin = lasso.states.begin() + static_cast<ptrdiff_t>(lasso.loop);
  std::vector<Bytes> loop(begin, lasso.states.end());
  std::vector<Bytes> stem(lasso.states.begin(), begin + 1);
  std::unordered_map<std::string, size_t> places;
  if (!keep_loop) {
    std::vector<Bytes> shorter = shorter_loop(loop, finder);
    if (shorter.size() < loop.size()) {
      // Up to where the new loop begins, which is a state of the old one.
      const auto at = std::ranges::find_if(
          loop, [&](const Bytes& each) { return finder.identity(each) == finder.identity(shorter.front()); });
      CHECK(at != loop.end());
      if (at != loop.begin()) stem.insert(stem.end(), loop.begin() + 1, at + 1);

      loop = std::move(shorter);
    }
  }
  for (size_t i = 0; i + 1 < loop.size(); ++i) places.emplace(finder.identity(loop[i]), i);
  const auto in_loop = [&](ByteView state) { return places.contains(std::string(finder.identity(state))); };
  const Bytes initial = stem.front();
  if (in_loop(initial)) {
    stem = {initial};
  } else if (stem.size() > 2) {
    auto shorter = finder.find(initial, stem.size() - 2, in_loop);
    if (shorter) stem = std::move(*shorter);
  }
  // The loop begins where the stem enters it.
  const size_t entry = places.at(std::string(finder.identity(stem.back())));
  loop.pop_back();
  std::ranges::rotate(loop, loop.begin() + static_cast<ptrdiff_t>(entry));
  StateLasso result{std::move(stem), 0, {}};
  result.loop = result.states.size() - 1;
  loop.push_back(loop.front());
  result.states.insert(result.states.end(), loop.begin() + 1, loop.end());
  return result;
}

void report_lasso(SearchControl& control, SuccessorGenerator& product, const Model& model, const StateLasso& lasso) {
  CHECK(lasso.loop + 1 < lasso.states.size());
  const std::span<const Bytes> states = lasso.states;
  std::vector<Step> path = steps_along(product, states.first(lasso.loop + 1), model.hidden_bytes);
  const size_t loop_start = path.size();
  const std::vector<Step> back = steps_along(product, states.subspan(lasso.loop), model.hidden_bytes, lasso.served);
  path.insert(path.end(), back.begin(), back.end());
  control.report_cycle(std::move(path), loop_start, lasso.states.size() - 1);
}

}  // namespace cmc
