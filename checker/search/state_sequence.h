#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

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
  explicit StateSequence(std::vector<Bytes> states) : size_(states.size()) {
    make_ = [kept = std::make_shared<const std::vector<Bytes>>(std::move(states))](size_t i, Bytes& state) {
      state = (*kept)[i];
    };
  }

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
  // All, from number `first` on and round.
  [[nodiscard]] StateSequence rotated(size_t first) const {
    return {size_, [first, size = size_, all = make_](size_t i, Bytes& state) { all((first + i) % size, state); }};
  }
  [[nodiscard]] StateSequence followed_by(const StateSequence& more) const {
    return {size_ + more.size_, [size = size_, first = make_, second = more.make_](size_t i, Bytes& state) {
              i < size ? first(i, state) : second(i - size, state);
            }};
  }

 private:
  size_t size_ = 0;
  Make make_;
};

}  // namespace cmc
