#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "checker/checkpoint/checkpoints.h"
#include "checker/checkpoint/key_stream.h"
#include "checker/search/engine/context.h"
#include "storage/pages/radix_sort.h"
#include "storage/sets/key.h"

// How a search is saved, and goes on in another process. What an engine has is its own business (AnyEngine::save());
// here is what all have in common.

namespace cmc {

template <unsigned W>
void save_key(OutStream& to, const Key<W>& key) {
  for (unsigned i = 0; i < W; ++i) to.fixed(key[i]);
}
template <unsigned W>
[[nodiscard]] Key<W> load_key(InStream& from) {
  Key<W> key;
  for (unsigned i = 0; i < W; ++i) key[i] = from.fixed<uint64_t>();
  return key;
}

template <unsigned W>
void sort_keys(std::vector<Key<W>>& keys) {
  radix_sort<W>(keys.data(), keys.data() + keys.size(), [](const Key<W>& key, unsigned word) { return key[word]; });
}

// Writes the visited states of an engine, `total` of them, each once.
template <unsigned W>
class StatesFiles {
 public:
  StatesFiles(CheckpointWriter& writer, uint64_t total)
      : writer_(writer), most_(std::max<uint64_t>(kLeast, total / kParts)) {
    keys_.reserve(std::min(most_, total));
  }

  // In any order.
  void add(const Key<W>& key) {
    keys_.push_back(key);
    if (keys_.size() == most_) flush();
  }
  // So many in ascending order: for_each(visit) calls visit(key), and returns a Status.
  template <class ForEach>
  void add_sorted(uint64_t count, ForEach&& for_each) {
    if (count < most_) return note(for_each([&](const Key<W>& key) { add(key); }));
    OutStream file = writer_.open("states", true);
    KeyWriter<W> keys(file);
    note(for_each([&](const Key<W>& key) { keys.add(key); }));
    keys.finish();
    writer_.add(std::move(file), keys.total());
  }
  void flush() {
    if (keys_.empty()) return;
    sort_keys<W>(keys_);
    OutStream file = writer_.open("states", true);
    KeyWriter<W> keys(file);
    for (const Key<W>& key : keys_) keys.add(key);
    keys.finish();
    writer_.add(std::move(file), keys_.size());
    keys_.clear();
  }

 private:
  static constexpr uint64_t kLeast = uint64_t{1} << 18;
  static constexpr uint64_t kParts = 32;

  void note(const Status& status) {
    if (!status.ok()) writer_.fail(status.error());
  }

  CheckpointWriter& writer_;
  const uint64_t most_;  // keys in memory
  std::vector<Key<W>> keys_;
};

// The visited states of a file: visit(key), false: that is enough. An error: the file is damaged.
template <unsigned W, class Visit>
[[nodiscard]] Status load_states(const Checkpoints& checkpoints, const CheckpointFile& file, Visit&& visit) {
  InStream from(checkpoints.directory(), file);
  KeyReader<W> keys(from, file.states);
  for (Key<W> key; keys.next(key);) {
    if (!visit(key)) return Success{};
  }
  if (from.ok() && !from.at_end()) from.fail();
  return from.status();
}
// Those of all files.
template <unsigned W, class Visit>
[[nodiscard]] Status load_states(const Checkpoints& checkpoints, const Manifest& manifest, Visit&& visit) {
  for (const CheckpointFile& file : manifest.files_of("states")) {
    bool stopped = false;
    const Status loaded =
        load_states<W>(checkpoints, file, [&](const Key<W>& key) { return !(stopped = !visit(key)); });
    if (!loaded.ok() || stopped) return loaded;
  }
  return Success{};
}

// The name of the counter of states in a rank's log of paths.
[[nodiscard]] std::string trail_counter(uint64_t rank);

// What does not depend on the width of keys. Among ranks, each has some of it, and rank 0 the rest.
void save_context(SearchContext& context, const Layout& layout, uint64_t states, CheckpointWriter& writer);
// What set_initial() needs to know; then, behind it, the rest. False: the search has been stopped.
[[nodiscard]] Components::Division division_of(const Manifest& manifest);
[[nodiscard]] bool load_context(SearchContext& context, const Manifest& manifest);

// A sentence about a search that was to be saved.
[[nodiscard]] std::string outcome_of_saving(const SearchContext& context, const Status& saved);
// Saves the search, with keys of that layout, and commits it; at a limit the search is stopped then. `save(writer)`
// writes what the engine has. `is_last`: nothing is left, and the verdict commits it.
void write_checkpoint(SearchContext& context, const Layout& layout, uint64_t states, bool is_last,
                      const std::function<void(CheckpointWriter&)>& save);

}  // namespace cmc
