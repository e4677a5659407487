#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace cmc {

// What JoinedNotes has to know of one process's part in a handshake, as bytes: equal for parts of which a note says
// the same.
class PartDescription {
 public:
  enum class Kind : uint8_t { kOffers, kTakes, kRefuses };
  PartDescription(Kind kind, uint32_t pid) {
    add(static_cast<uint32_t>(kind));
    add(pid);
  }
  void add(uint32_t number) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof number);
    store(bytes_.data() + at, number);
  }
  void add(ByteView content) {
    add(static_cast<uint32_t>(content.size()));
    bytes_.insert(bytes_.end(), content.begin(), content.end());
  }
  [[nodiscard]] ByteView bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

}  // namespace cmc
