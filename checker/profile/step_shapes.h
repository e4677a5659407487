#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "checker/result/profile.h"

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
  // That a successor is in, by its index; null: there are not so many.
  [[nodiscard]] const Run* run_of(uint32_t index) const;

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

// What happened to steps of known shapes, by edge; behind all edges one for what is not known.
struct ShapeCounts {
  explicit ShapeCounts(uint32_t edges) : counts(edges + size_t{1}), keys(counts.size()), look_ups(counts.size()) {}

  // Each so many times: the steps were looked up or computed; their successors were taken; they were computed.
  void ask(const StepShape& shape, uint64_t times);
  void take(const StepShape& shape, uint64_t times);
  void compute(const StepShape& shape, uint64_t times);
  void execute(const StepShape::Run& run, uint64_t times, uint64_t Profile::Counts::*count) {
    for (const StepShape::Executed& each : run.executed) counts[each.edge].*count += times * each.times;
  }
  void add(const ShapeCounts& other);
  // What was not counted by compute() is 0 again.
  void keep_computed();

  std::vector<Profile::Counts> counts;
  // Shares in what is known as a whole only. Of computing keys: a computation and each of its successors are one.
  std::vector<double> keys;
  std::vector<double> look_ups;  // each is one

 private:
  // A share of 1 for the edges that were tried.
  static void add_share(std::vector<double>& shares, const StepShape& shape, double times);
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
