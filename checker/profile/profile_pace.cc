#include "checker/profile/profile_pace.h"

#include <algorithm>

#include "base/fine_clock.h"

namespace cmc {
namespace {

constexpr int64_t kObservingShare = 64;  // one in so many nanoseconds
constexpr int64_t kSamplingShare = 64;   // likewise
constexpr uint64_t kFirstSamples = 64;   // one after the other
constexpr double kLargestDistance = 1 << 20;

}  // namespace

ProfilePace::ProfilePace(const ProfileOptions& options)
    : every_(options.every), free_(options.free_nanoseconds), begin_(fine_nanoseconds()) {}

int64_t ProfilePace::elapsed() const { return fine_nanoseconds() - begin_; }

void ProfilePace::decide() {
  observes_ = every_ || (may_observe_ && observing_ < free_ + elapsed() / kObservingShare);
}

// A sample of mean cost c in d steps of mean time t takes the share c / (d t).
uint32_t ProfilePace::next_distance(uint64_t weight, int64_t nanoseconds) {
  sampling_ += limited(nanoseconds);
  steps_ += weight;
  if (every_ || ++samples_ < kFirstSamples) return 1;
  const double cost = static_cast<double>(sampling_) / static_cast<double>(samples_);
  const double step = static_cast<double>(elapsed()) / static_cast<double>(steps_);
  const double wanted = cost * kSamplingShare / std::max(step, 1.0);
  // Not much at once: the first steps are not as the others.
  mean_distance_ = std::clamp(wanted, mean_distance_ / 2, 2 * mean_distance_);
  mean_distance_ = std::clamp(mean_distance_, 2.0, kLargestDistance);
  // Not at equal distances: a model can have a rhythm.
  const auto mean = static_cast<uint32_t>(mean_distance_);
  return mean / 2 + 1 + random_.next(24) % mean;
}

}  // namespace cmc
