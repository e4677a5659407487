#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
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

// Keys in any order: how many, then pieces, each sorted.
template <unsigned W, class Keys>
void save_pieces(OutStream& to, const Keys& keys) {
  constexpr uint64_t kPiece = uint64_t{1} << 16;
  to.number(keys.size());
  std::vector<Key<W>> piece;
  for (uint64_t begin = 0; begin < keys.size();) {
    const uint64_t end = std::min<uint64_t>(begin + kPiece, keys.size());
    for (piece.clear(); begin < end; ++begin) piece.push_back(keys[begin]);
    sort_keys<W>(piece);
    to.number(piece.size());
    KeyWriter<W> writer(to);
    for (const Key<W>& key : piece) writer.add(key);
    writer.finish();
  }
}
template <unsigned W, class Visit>
void load_pieces(InStream& from, Visit&& visit) {
  for (uint64_t left = from.number(); left > 0 && from.ok();) {
    const uint64_t count = from.number_up_to(left);
    if (count == 0) from.fail();
    KeyReader<W> reader(from, count);
    for (Key<W> key; reader.next(key);) visit(key);
    left -= count;
  }
}

// Keys, each with a value, in any order: pieces of keys with the same one.
template <unsigned W>
class ValuedPieces {
 public:
  explicit ValuedPieces(OutStream& to) : to_(to) {}

  void add(const Key<W>& key, uint64_t value) {
    std::vector<Key<W>>& piece = pieces_[value];
    piece.push_back(key);
    if (piece.size() == kPiece) write(value, piece);
  }
  void finish() {
    for (auto& [value, piece] : pieces_) {
      if (!piece.empty()) write(value, piece);
    }
    to_.number(0);
  }

 private:
  void write(uint64_t value, std::vector<Key<W>>& piece) {
    to_.number(value + 1);
    save_pieces<W>(to_, piece);
    piece.clear();
  }

  static constexpr size_t kPiece = size_t{1} << 16;
  OutStream& to_;
  std::map<uint64_t, std::vector<Key<W>>> pieces_;  // by value
};
template <unsigned W, class Visit>
void load_valued(InStream& from, Visit&& visit) {
  for (uint64_t value = from.number(); value > 0 && from.ok(); value = from.number())
    load_pieces<W>(from, [&](const Key<W>& key) { visit(key, value - 1); });
}

// Files of states that stay as they are as long as the layout does, by who wrote them: runs of pages, by partition
// and number. A later checkpoint names them again.
class LastingFiles {
 public:
  using Id = std::pair<uint32_t, uint64_t>;

  // Before a checkpoint is written: what the last one does not have is not there.
  void keep(const std::optional<Manifest>& last);
  [[nodiscard]] const CheckpointFile* find(const Id& id) const {
    const auto found = files_.find(id);
    return found == files_.end() ? nullptr : &found->second;
  }
  void add(const Id& id, const CheckpointFile& file) { files_[id] = file; }

 private:
  std::map<Id, CheckpointFile> files_;
};

// Writes the visited states of an engine, `total` of them, each once.
template <unsigned W>
class StatesFiles {
 public:
  StatesFiles(CheckpointWriter& writer, uint64_t total)
      : writer_(writer),
        most_(writer.lasts() ? std::max<uint64_t>(kLeast, total / kParts) : kLeastOfFile),
        least_of_file_(std::max<uint64_t>(kLeastOfFile, total / kMostFiles)) {
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
    write_file(for_each);
  }
  // A run of pages, likewise.
  template <class Run, class ForEach>
  void add_run(LastingFiles& lasting, const Run& run, ForEach&& for_each) {
    if (run.entries < least_of_file_) return add_sorted(run.entries, for_each);
    const LastingFiles::Id id{run.partition, run.number};
    if (const CheckpointFile* const known = lasting.find(id)) {
      writer_.manifest().files.push_back(*known);
      return;
    }
    write_file(for_each);
    if (writer_.status().ok()) lasting.add(id, writer_.manifest().files.back());
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
  static constexpr uint64_t kLeastOfFile = uint64_t{1} << 16;
  static constexpr uint64_t kMostFiles = 4096;

  template <class ForEach>
  void write_file(ForEach&& for_each) {
    OutStream file = writer_.open("states", true);
    KeyWriter<W> keys(file);
    note(for_each([&](const Key<W>& key) { keys.add(key); }));
    keys.finish();
    writer_.add(std::move(file), keys.total());
  }
  void note(const Status& status) {
    if (!status.ok()) writer_.fail(status.error());
  }

  CheckpointWriter& writer_;
  const uint64_t most_;           // keys in memory
  const uint64_t least_of_file_;  // keys of a run
  std::vector<Key<W>> keys_;
};

// The visited states of a file: visit(key), false: that is enough. An error: the file is damaged.
template <unsigned W, class Visit>
[[nodiscard]] Status load_states(const std::string& directory, const CheckpointFile& file, Visit&& visit) {
  InStream from(directory, file);
  KeyReader<W> keys(from, file.states);
  for (Key<W> key; keys.next(key);) {
    if (!visit(key)) return Success{};
  }
  if (from.ok() && !from.at_end()) from.fail();
  return from.status();
}
// Those of all files.
template <unsigned W, class Visit>
[[nodiscard]] Status load_states(const std::string& directory, const Manifest& manifest, Visit&& visit) {
  for (const CheckpointFile& file : manifest.files_of("states")) {
    bool stopped = false;
    const Status loaded =
        load_states<W>(directory, file, [&](const Key<W>& key) { return !(stopped = !visit(key)); });
    if (!loaded.ok() || stopped) return loaded;
  }
  return Success{};
}

// What a checkpoint of an engine in RAM has: its states, each once, of which for_each(visit) tells, and the file
// `open`, which save_open(to) writes. `engine`: Manifest::engine.
template <unsigned W, class ForEach, class SaveOpen>
void save_states_and_open(CheckpointWriter& writer, const char* engine, uint64_t total, ForEach&& for_each,
                          SaveOpen&& save_open) {
  writer.manifest().engine = engine;
  writer.manifest().words = W;
  StatesFiles<W> states(writer, total);
  for_each([&](const Key<W>& key) { states.add(key); });
  states.flush();
  OutStream open = writer.open("open");
  save_open(open);
  writer.add(std::move(open));
}
// Reads it: receive(state) for each; received(), which says how many states there are then; load_open(from).
template <unsigned W, class Receive, class Received, class LoadOpen>
[[nodiscard]] Status load_states_and_open(const std::string& directory, const Manifest& manifest, Receive&& receive,
                                          Received&& received, LoadOpen&& load_open) {
  Status loaded = load_states<W>(directory, manifest, [&](const Key<W>& key) {
    receive(key);
    return true;
  });
  const uint64_t states = received();
  if (loaded.ok() && states != manifest.states) loaded = Error{"states of the checkpoint are missing"};
  for (const CheckpointFile& file : manifest.files_of("open")) {
    InStream open(directory, file);
    if (loaded.ok()) load_open(open);
    if (loaded.ok()) loaded = open.status();
  }
  return loaded;
}

// The name of the counter of states in a rank's log of paths.
[[nodiscard]] std::string trail_counter(uint64_t rank);

// What does not depend on the width of keys. Among ranks, each has some of it, and rank 0 the rest.
void save_context(SearchContext& context, const Layout& layout, uint64_t states, CheckpointWriter& writer);
// What set_initial() needs to know (nothing: the manifest has no division); then, behind it, the rest. False: the
// search has been stopped.
[[nodiscard]] std::optional<FrameDivision> division_of(const Manifest& manifest);
[[nodiscard]] bool load_context(SearchContext& context, const Manifest& manifest);
// Only the layout of keys.
[[nodiscard]] bool load_layout(SearchContext& context, const Manifest& manifest);
// What a search in RAM that lacks memory has saved for the disk store, in its folder, or else in the run's: the last
// checkpoint if it has all of the `states`. Null: it begins again.
[[nodiscard]] const Manifest* handed_over(const SearchContext& context, uint64_t states);

// A sentence about a search that was to be saved.
[[nodiscard]] std::string outcome_of_saving(const SearchContext& context, const Status& saved);
// Saves the search, with keys of that layout, and commits it; at a limit the search is stopped then. `save(writer)`
// writes what the engine has. `is_last`: nothing is left, and the verdict commits it. Without a run's folder that is
// for handed_over() only.
void write_checkpoint(SearchContext& context, const Layout& layout, uint64_t states, bool is_last,
                      const std::function<void(CheckpointWriter&)>& save);

}  // namespace cmc
