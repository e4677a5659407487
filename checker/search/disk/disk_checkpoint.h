#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "checker/checkpoint/checkpoints.h"
#include "checker/keys/system_steps.h"
#include "checker/search/disk/open_state.h"
#include "checker/search/disk/store_plan.h"
#include "checker/search/disk/trail_expander.h"
#include "checker/search/engine/checkpoint.h"
#include "storage/pages/origin.h"
#include "storage/pages/trail_log.h"

// What the checkpoints of both engines beyond memory have: open states and candidates, with the log of the paths to
// them. Each of the engines goes on with its own ones, and with those of a search in RAM.

namespace cmc {

class Ranks;

// `save_its_key(to, key)`: save_key(), but for ranks with keys of their own.
template <unsigned W, class SaveKey>
void save_open_state(OutStream& to, const OpenState<W>& open, SaveKey&& save_its_key) {
  save_its_key(to, open.key);
  to.number(open.number);
  to.number(open.depth);
  to.number(open.asleep);
}
template <unsigned W, class SaveKey>
void save_candidate(OutStream& to, const Key<W>& key, const Origin& origin, SaveKey&& save_its_key) {
  save_its_key(to, key);
  for (const uint64_t number :
       {uint64_t{origin.parent}, uint64_t{origin.asleep}, uint64_t{origin.index}, uint64_t{origin.depth}})
    to.number(number);
}

// The files of the last checkpoint stay, if it is one of this log, and what has come since then is another one.
void save_trail(const SearchContext& context, TrailLog& trail, CheckpointWriter& writer);
// `ranks`: null if there are none.
[[nodiscard]] Status load_trail(const std::string& directory, const Ranks* ranks, const Manifest& manifest,
                                TrailLog& trail);

// Whether a parent is in a log of paths: in the own one, or perhaps in that of another rank. Without a log the
// numbers of states mean nothing.
[[nodiscard]] bool has_number(uint64_t parent, const Ranks* ranks, const TrailLog& trail);

// The file `open` of an engine beyond memory: on_open(open state), on_candidate(key, origin), which return a Status.
template <unsigned W, class OnOpen, class OnCandidate>
[[nodiscard]] Status load_open_states(InStream& from, const Ranks* ranks, const TrailLog* trail, OnOpen&& on_open,
                                      OnCandidate&& on_candidate) {
  Status status = Success{};
  for (uint64_t left = from.number(); left > 0 && from.ok() && status.ok(); --left) {
    OpenState<W> open;
    open.key = load_key<W>(from);
    const uint64_t number = from.number();
    open.number = trail != nullptr ? number : TrailLog::kRoot;
    open.depth = static_cast<uint32_t>(from.number());
    open.asleep = static_cast<uint32_t>(from.number());
    if (trail != nullptr && number >= trail->size()) from.fail();
    if (from.ok()) status = on_open(open);
  }
  for (uint64_t left = status.ok() ? from.number() : 0; left > 0 && from.ok() && status.ok(); --left) {
    const Key<W> key = load_key<W>(from);
    const uint64_t parent = from.number();
    const auto asleep = static_cast<uint16_t>(from.number());
    const auto index = static_cast<uint32_t>(from.number());
    const auto depth = static_cast<uint32_t>(from.number());
    if (trail != nullptr && !has_number(parent, ranks, *trail)) from.fail();
    if (from.ok())
      status = on_candidate(key, Origin(trail != nullptr ? parent : 0, trail != nullptr ? index : 0, depth, asleep));
  }
  return status.ok() ? from.status() : status;
}

// Writes into the log of paths how a search in RAM reached its open states, of which it has the states on the way:
// which successors they are is computed once more.
template <unsigned W>
class PathsInRam {
 public:
  struct Node {
    Key<W> key{};
    uint64_t number = TrailLog::kRoot;
  };

  PathsInRam(StorePlan& plan, TrailExpander<W>& expander) : plan_(plan), expander_(expander) {}

  // The successor of `parent` with that key. If there is none the log is given up: paths are not known then.
  [[nodiscard]] Result<Node> next(const Node& parent, const Key<W>& key) {
    if (plan_.trail == nullptr) return Node{key, TrailLog::kRoot};
    if (expanded_ != parent.number && !expander_.successors_of(parent.key, successors_)) successors_.clear();
    expanded_ = parent.number;
    const auto found = std::find(successors_.begin(), successors_.end(), key);
    if (found == successors_.end()) {
      plan_.trail.reset();
      return Node{key, TrailLog::kRoot};
    }
    CMC_TRY(const uint64_t number,
            plan_.trail->append(parent.number, static_cast<uint64_t>(found - successors_.begin())));
    return Node{key, number};
  }

 private:
  StorePlan& plan_;
  TrailExpander<W>& expander_;
  std::optional<uint64_t> expanded_;  // whose successors these are
  KeyBuffer<W> successors_;
};

// That of a search in RAM, depth first: levels that lie one behind the other, in each of which the states in front of
// its batch are open (RUN_FORMAT.md).
template <unsigned W, class OnOpen>
[[nodiscard]] Status load_stacks(InStream& from, PathsInRam<W> paths, OnOpen&& on_open) {
  using Node = typename PathsInRam<W>::Node;
  Status status = Success{};
  const auto goes_on = [&] { return from.ok() && status.ok(); };
  const auto next = [&](const Node* parent, const Key<W>& key) {
    if (parent == nullptr && key != Key<W>{}) from.fail();  // the initial state's is 0 in every layout
    if (parent == nullptr) return Node{key};
    const Result<Node> node = paths.next(*parent, key);
    if (!node.ok()) status = Error{node.error()};
    return node.ok() ? node.value() : Node{key};
  };
  const auto add = [&](const Node& node, uint64_t depth) {
    if (goes_on()) status = on_open({node.key, node.number, static_cast<uint32_t>(depth), 0});
  };
  std::vector<std::array<uint64_t, 3>> levels;  // begin, batch, end
  std::vector<Node> batch_below;                // of the level below: its last state is the batch's first
  std::vector<Node> own_batch;
  for (uint64_t left = from.number(); left > 0 && from.ok(); --left) {
    levels.clear();
    for (uint64_t count = from.number(); count > 0 && from.ok(); --count) {
      auto& level = levels.emplace_back();
      for (uint64_t& number : level) number = from.number();
      if (!std::ranges::is_sorted(level)) from.fail();
    }
    uint64_t number = 0;
    for (uint64_t depth = 0; depth < levels.size(); ++depth) {
      const auto [begin, batch, end] = levels[depth];
      own_batch.clear();
      for (; number < end && goes_on(); ++number) {
        const uint64_t parent = from.number();
        const Key<W> key = load_key<W>(from);
        if (number < begin) continue;
        if (depth > 0 && parent >= batch_below.size()) {
          from.fail();
          break;
        }
        const Node node = next(depth == 0 ? nullptr : &batch_below[batch_below.size() - 1 - parent], key);
        if (number < batch) {
          add(node, depth);
        } else {
          own_batch.push_back(node);
        }
      }
      std::swap(batch_below, own_batch);
    }
  }
  // Parked states, with the paths to them, which have much in common.
  std::vector<Node> path;
  for (uint64_t left = from.number(); left > 0 && goes_on(); --left) {
    const uint64_t steps = from.number();
    if (steps == 0) from.fail();
    for (uint64_t i = 0; i < steps && goes_on(); ++i) {
      const Key<W> key = load_key<W>(from);
      if (i < path.size() && path[i].key == key) continue;
      path.resize(std::min<uint64_t>(i, path.size()));
      path.push_back(next(i == 0 ? nullptr : &path.back(), key));
    }
    if (!goes_on()) break;
    path.resize(steps);
    add(path.back(), steps - 1);
  }
  return status.ok() ? from.status() : status;
}

// The same, level by level: on_open() for the states of the last level that are not expanded, then on_next() for
// those of the next one.
template <unsigned W, class OnOpen, class OnNext>
[[nodiscard]] Status load_levels(InStream& from, OnOpen&& on_open, OnNext&& on_next) {
  Status status = Success{};
  const uint64_t levels = from.number();
  if (levels == 0) from.fail();
  for (uint64_t level = 0; level < levels && from.ok(); ++level) {
    for (uint64_t parts = from.number(); parts > 0 && from.ok(); --parts) load_pieces<W>(from, [](const Key<W>&) {});
  }
  const auto depth = static_cast<uint32_t>(levels - 1);
  load_pieces<W>(from, [&](const Key<W>& key) {
    if (status.ok()) status = on_open({key, TrailLog::kRoot, depth, 0});
  });
  for (uint64_t parts = from.number(); parts > 0 && from.ok(); --parts) {
    load_pieces<W>(from, [&](const Key<W>& key) {
      if (status.ok()) status = on_next({key, TrailLog::kRoot, depth + 1, 0});
    });
  }
  return status.ok() ? from.status() : status;
}

}  // namespace cmc
