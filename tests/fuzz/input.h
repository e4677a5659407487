#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes.h"

namespace cmc::fuzz {

inline std::string_view as_text(const uint8_t* data, size_t size) {
  return size == 0 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(data), size);
}

// Numbers from the bytes that libFuzzer made; 0 behind them.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : rest_(reinterpret_cast<const std::byte*>(data), size) {}

  template <class T>
  [[nodiscard]] T take() {
    T value{};
    const size_t bytes = std::min(sizeof value, rest_.size());
    if (bytes > 0) std::memcpy(&value, rest_.data(), bytes);
    rest_ = rest_.subspan(bytes);
    return value;
  }
  [[nodiscard]] bool empty() const { return rest_.empty(); }
  [[nodiscard]] ByteView rest() const { return rest_; }

 private:
  ByteView rest_;
};

}  // namespace cmc::fuzz
