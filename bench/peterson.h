#pragma once

#include <cstdint>

namespace cmc {

// The states of Peterson's mutual exclusion for up to 5 processes, as a word each: a generator in 40 lines.
struct Peterson {
  static constexpr unsigned kProcessBits = 8;  // place 2 (3: in the critical section), level 3, other 3

  unsigned n = 2;  // processes

  [[nodiscard]] unsigned bits() const { return n * kProcessBits + (n - 1) * 3; }
  [[nodiscard]] static uint64_t place(uint64_t state, unsigned process) {
    return state >> process * kProcessBits & 3;
  }

  // visit(process, successor); a process that waits has none.
  template <class Visit>
  void successors(uint64_t s, Visit&& visit) const {
    const auto field = [&](unsigned at, unsigned width) { return s >> at & ((1u << width) - 1); };
    const auto with = [](uint64_t state, unsigned at, unsigned width, uint64_t value) {
      return (state & ~(((uint64_t{1} << width) - 1) << at)) | value << at;
    };
    for (unsigned i = 0; i < n; ++i) {
      const unsigned at = i * kProcessBits;
      const uint64_t level = field(at + 2, 3);
      const uint64_t other = field(at + 5, 3);
      const unsigned turn = n * kProcessBits + 3 * static_cast<unsigned>(level > 0 ? level - 1 : 0);
      switch (place(s, i)) {
        case 0:  // wants to the next level
          visit(i, with(with(s, at, 2, 1), at + 2, 3, level + 1));
          break;
        case 1: visit(i, with(with(with(s, turn, 3, i), at, 2, 2), at + 5, 3, 0)); break;
        case 2: {  // waits for each other process
          const bool free =
              other == i || field(static_cast<unsigned>(other) * kProcessBits + 2, 3) < level || field(turn, 3) != i;
          if (!free) break;
          visit(i, other + 1 < n ? with(s, at + 5, 3, other + 1)
                                 : with(with(s, at + 5, 3, 0), at, 2, level + 1 < n ? 0 : 3));
          break;
        }
        default: visit(i, with(s, at, 8, 0));
      }
    }
  }
};

}  // namespace cmc
