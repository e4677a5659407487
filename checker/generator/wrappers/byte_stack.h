#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"

namespace cmc {

// A stack of byte strings. They lie in pieces of memory that stay where they are: a stack that grows is never copied,
// so it takes no more at once than one piece.
class ByteStack {
 public:
  [[nodiscard]] size_t size() const { return strings_.size(); }
  [[nodiscard]] ByteView at(size_t number) const { return {strings_[number].data, strings_[number].size}; }
  [[nodiscard]] ByteView top() const { return at(strings_.size() - 1); }

  void push(ByteView bytes) {
    if (pieces_.empty() || pieces_.back().size - pieces_.back().used < bytes.size()) add_piece(bytes.size());
    Piece& piece = pieces_.back();
    std::byte* const data = piece.bytes.get() + piece.used;
    if (!bytes.empty()) std::memcpy(data, bytes.data(), bytes.size());
    piece.used += bytes.size();
    strings_.push_back({data, static_cast<uint32_t>(bytes.size()), static_cast<uint32_t>(pieces_.size())});
  }
  // Takes off what is above the first `size` strings.
  void shrink(size_t size) {
    DCHECK(size <= strings_.size());
    for (; strings_.size() > size; strings_.pop_back()) {
      while (pieces_.size() > strings_.back().piece) drop_piece();
      pieces_.back().used -= strings_.back().size;
    }
  }

 private:
  static constexpr size_t kPiece = size_t{1} << 16;

  struct Piece {
    std::unique_ptr<std::byte[]> bytes;
    size_t size = 0;
    size_t used = 0;
  };
  struct String {
    const std::byte* data;
    uint32_t size;
    uint32_t piece;  // from 1
  };

  // One that was dropped is kept: at the end of a piece the stack may go up and down.
  void add_piece(size_t least) {
    if (spare_.size < least) {
      const size_t size = std::max(kPiece, least);
      spare_ = {std::make_unique_for_overwrite<std::byte[]>(size), size, 0};
    }
    pieces_.push_back(std::move(spare_));
    spare_ = {};
  }
  void drop_piece() {
    spare_ = std::move(pieces_.back());
    spare_.used = 0;
    pieces_.pop_back();
  }

  std::deque<String> strings_;
  std::vector<Piece> pieces_;
  Piece spare_;
};

}  // namespace cmc
