#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace cmc {

// The colour of a process in pictures, as CSS has it. page/page.js has the same hues.
[[nodiscard]] inline std::string process_colour(uint32_t pid) {
  constexpr std::array<int, 12> kHues = {212, 268, 22, 168, 330, 46, 190, 296, 96, 240, 4, 140};
  return fmt::format("hsl({} 62% 50%)", kHues[pid % kHues.size()]);
}

}  // namespace cmc
