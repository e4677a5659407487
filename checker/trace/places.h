#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "ir/model.h"

// Where things lie in a state vector, and what they are called.

namespace cmc {

// Bytes of a state vector.
struct ByteRange {
  size_t begin = 0;
  size_t size = 0;
};

// REQUIRES: the process exists.
[[nodiscard]] size_t frame_offset(const Model& model, ByteView state, uint8_t pid);

struct ChannelPlace {
  std::string name;  // "q", "user[0].q"
  const ChannelType* type = nullptr;
  size_t offset = 0;  // of its contents

  [[nodiscard]] ByteRange length() const { return {offset, kChannelHeaderBytes}; }
  [[nodiscard]] ByteRange message(size_t slot) const {
    return {offset + kChannelHeaderBytes + slot * type->message_bytes, type->message_bytes};
  }
};
// None: there is no channel with this id.
[[nodiscard]] std::optional<ChannelPlace> find_channel(const Model& model, ByteView state, int32_t id);
// The one message that the longer contents of a channel have more than the shorter.
template <class Message>
[[nodiscard]] const Message& extra_message(const std::vector<Message>& longer, const std::vector<Message>& shorter) {
  return *std::ranges::mismatch(longer, shorter).in1;
}

// "x[2]" or, of a local, "user[0].n": the element that lies `offset` bytes behind the begin of the variable's space.
[[nodiscard]] std::string element_name(const Variable& variable, uint32_t offset);

// Without its folders.
[[nodiscard]] std::string file_name(const std::string& path);

// "user[0]". REQUIRES: the process exists.
[[nodiscard]] std::string process_label(const Model& model, ByteView state, uint8_t pid);

}  // namespace cmc
