#include "checker/search/disk/rank_paths.h"

#include <optional>
#include <vector>

#include <fmt/format.h>

#include "checker/keyspace/converter.h"
#include "checker/search/engine/stage.h"

namespace cmc {
namespace {

// Of any layout: keys as wide as they can be, of which a path has few.
constexpr unsigned kWords = kMaxKeyWords;

class Follower final : public BatchExpander<kWords> {
 public:
  Follower(SearchContext& context, StepMemo<kWords>& memo) : BatchExpander(context, memo, 0) {}

  using BatchExpander::path_of;
  using BatchExpander::try_to_expand_whole;

 private:
  void on_part_of_batch() override {}
  bool should_stop_batch() override { return false; }
};

// What belongs to one layout.
struct Part {
  explicit Part(SearchContext& context)
      : memo(context.space->layout(), context.memo_bytes, context.workers, context.keeps_notes()),
        follower(context, memo) {}
  StepMemo<kWords> memo;
  Follower follower;
};

}  // namespace

Result<PathToState> follow_path(SearchContext& context, std::span<const uint64_t> indices) {
  std::vector<Key<kWords>> path{Key<kWords>()};
  KeyBuffer<kWords> successors;
  std::optional<Part> part(std::in_place, context);
  for (size_t i = 0; i < indices.size();) {
    if (!part->follower.try_to_expand_whole(path.back(), successors)) {
      const Layout old_layout = context.space->layout();
      part.reset();
      if (!context.space->relayout(path.size())) return Error{"keys would be too wide"};
      const Converter<kWords, kWords> convert(old_layout, context.space->layout());
      for (Key<kWords>& key : path) key = convert(key);
      part.emplace(context);
      continue;
    }
    if (indices[i] >= successors.size()) {
      return Error{fmt::format("step {} of {} is successor {} of a state that has {}", i + 1, indices.size(),
                               indices[i], successors.size())};
    }
    path.push_back(successors[indices[i++]]);
  }
  return part->follower.path_of(path);
}

}  // namespace cmc
