#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/pages/spill.h"

namespace cmc {

// How each state was reached first, for trails: an append-only log of (parent, successor index), on disk but for the
// last chunk. Varints of how far back the parent is and of the index: 3 to 5 bytes a state. A path is found by going
// through the chunks once, from the end to the beginning, because a parent is always older. Not thread-safe; after an
// error append() is not allowed any more.
class TrailLog {
 public:
  static constexpr uint64_t kRoot = 0;  // the initial state's number
  static constexpr size_t kChunkBytes = size_t{64} << 10;

  TrailLog(FileSystem& files, std::string path, size_t chunk_bytes = kChunkBytes);

  // The new state's number: 1, 2, ... REQUIRES: the parent is older.
  [[nodiscard]] Result<uint64_t> append(uint64_t parent, uint64_t successor_index);
  // A number that stands for a state in another log, which may be a parent then; `place` says which. REQUIRES: not 0.
  [[nodiscard]] Result<uint64_t> append_place(uint64_t place);
  // The same as append(), for a state whose parent is there.
  [[nodiscard]] Result<uint64_t> append_from_elsewhere(uint64_t place, uint64_t successor_index);
  // The successor indices that lead to a state: from the root, or from a state in another log.
  struct Path {
    uint64_t place = 0;  // of that one; 0: the root
    std::vector<uint64_t> indices;
  };
  [[nodiscard]] Result<Path> path_to(uint64_t number);

  [[nodiscard]] uint64_t size() const { return next_; }  // with the root
  // visit(parent, successor_index) for each state from that number on; of a place: visit(its own number, place).
  [[nodiscard]] Status visit(uint64_t first, const std::function<void(uint64_t, uint64_t)>& visit);
  [[nodiscard]] uint64_t memory_bytes() const;

 private:
  struct Chunk {
    uint64_t first = 0;  // number of a state
    uint32_t bytes = 0;
    ChunkFile::Place place = {};
  };
  struct Step {
    uint64_t back = 0;  // number of the state - number of its parent; 0: it is no state, but stands for one elsewhere
    uint64_t index = 0;  // or place
  };

  [[nodiscard]] Result<uint64_t> append_step(const Step& step);
  // The steps of the states first..last in this part of the log.
  [[nodiscard]] Status decode(ByteView content, const Chunk& chunk, uint64_t last, std::vector<Step>& steps) const;

  const std::string path_;
  ChunkFile file_;
  std::vector<Chunk> chunks_;  // in the file
  Bytes tail_;                 // behind them
  uint64_t tail_first_ = 1;
  uint64_t next_ = 1;
};

}  // namespace cmc
