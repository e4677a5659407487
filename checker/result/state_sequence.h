#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "base/bytes.h"

namespace cmc {

// States one after the other. Each is made when it is asked for, so that a long run takes no memory beyond what it is
// made of.
class StateSequence {
 public:
  using Make = std::function<void(size_t, Bytes&)>;  // writes the state with this number

  StateSequence() = default;
  // Keeps `make`, and whatever it refers to has to live as long.
  StateSequence(size_t size, Make make) : size_(size), make_(std::move(make)) {}

  [[nodiscard]] size_t size() const { return size_; }
  void get(size_t i, Bytes& state) const { make_(i, state); }
  [[nodiscard]] Bytes at(size_t i) const {
    Bytes state;
    get(i, state);
    return state;
  }

  // Those from `begin` to before `end`.
  [[nodiscard]] StateSequence part(size_t begin, size_t end) const {
    return {end - begin, [begin, all = make_](size_t i, Bytes& state) { all(begin + i, state); }};
  }

 private:
  size_t size_ = 0;
  Make make_;
};

}  // namespace cmc
