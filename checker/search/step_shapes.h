#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace cmc {

// What a computation of steps tried and found, as far as a profile counts it. Many remembered entries have one shape.
struct StepShape {
  struct Tried {
    uint32_t edge = 0;
    uint32_t tried = 0;
    uint32_t executable = 0;
  };
  struct Executed {
    uint32_t edge = 0;
    uint32_t times = 0;
  };
  // Successors one after the other whose steps take the same edges.
  struct Run {
    uint32_t lead = 0;               // the first edge
    uint32_t count = 0;              // of successors
    std::vector<Executed> executed;  // by each
  };
  std::vector<Tried> tried;
  std::vector<Run> runs;
};

// A shape as words, which are equal if the shapes are:
//   for each run: lead, count, number of executed edges, for each its edge and times; then of each tried edge the
//   edge, tried, executable; last the number of tried edges.
using ShapeWords = std::vector<uint32_t>;
[[nodiscard]] StepShape read_shape(const ShapeWords& words);

struct ShapeHash {
  size_t operator()(const ShapeWords& words) const;
};

// Gives shapes numbers, from 1 on; for all workers. 0 is a shape without anything.
class StepShapes {
 public:
  StepShapes() : shapes_(1) {}
  [[nodiscard]] uint32_t number_of(const ShapeWords& words);
  // Stays where it is.
  [[nodiscard]] const StepShape& shape(uint32_t number) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<ShapeWords, uint32_t, ShapeHash> numbers_;
  std::deque<StepShape> shapes_;
};

}  // namespace cmc
