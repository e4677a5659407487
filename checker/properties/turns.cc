#include "checker/properties/turns.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <system_error>
#include <thread>

#include "base/check.h"
#include "base/process_memory.h"

namespace cmc {

namespace {

constexpr double kFirstLookSeconds = 0.01;
constexpr double kGrowth = 2;  // of a look to the next one

}  // namespace

class Turns::Seat final : public Turn {
 public:
  enum class Stage : uint8_t {
    kInRam,    // begins, or goes on
    kAside,    // begins anew when none is in RAM
    kForDisk,  // goes on with the disk when none of the others can go on
    kOnDisk,
    kEnded,
  };

  explicit Seat(Turns& turns) : turns_(turns) {}

  void begin_look() {
    const double now = turns_.clock_.wall_seconds();
    const double share = turns_.share_of_rest(*this, now);
    if (stage == Stage::kAside) stage = Stage::kInRam;
    if (stage == Stage::kForDisk) stage = Stage::kOnDisk;
    look_end_ = now + std::min(look_seconds_, std::max(share, kFirstLookSeconds));
    look_seconds_ *= kGrowth;
    ++looks;
    deadline_ = turns_.others_in_ram(*this, false) ? turns_.end_ : now + share;
  }

  bool is_over() override { return turns_.clock_.wall_seconds() >= look_end_ && turns_.others_in_ram(*this, false); }
  void wait() override {
    std::unique_lock lock(turns_.mutex_);
    turns_.go_on_with_next();
    turns_.changed_.wait(lock, [&] { return turns_.current_ == this; });
  }
  bool must_set_aside() override {
    if (stage != Stage::kInRam || !turns_.others_in_ram(*this, true)) return false;
    stage = Stage::kAside;
    return true;
  }
  void wait_for_disk() override {
    stage = Stage::kForDisk;
    wait();
  }
  void found(uint64_t states) override {
    if (!turns_.rest_) turns_.rest_ = turns_.rest_after(states);
  }
  // What it costs: a statement that is computed, with the memo's entry for it, takes as long as some states.
  bool has_enough(uint64_t states, uint64_t computed) override {
    constexpr uint64_t kStatesOfStatement = 4;
    const std::optional<uint64_t>& rest = turns_.rest_;
    return rest && states + kStatesOfStatement * computed >= *rest;
  }
  double seconds_left() override { return deadline_ - turns_.clock_.wall_seconds(); }

  Stage stage = Stage::kInRam;
  uint32_t looks = 0;

 private:
  Turns& turns_;
  double look_seconds_ = kFirstLookSeconds;
  double look_end_ = 0;
  double deadline_ = 0;  // by the clock
};

Turns::Turns(const Clock& clock, double limit_seconds)
    : clock_(clock),
      end_(limit_seconds > 0 ? clock.wall_seconds() + limit_seconds : std::numeric_limits<double>::infinity()) {}

Turns::~Turns() = default;

// The one in RAM that has had the fewest looks; else one that was set aside; else one that waits for the disk.
Turns::Seat* Turns::next() const {
  using Stage = Seat::Stage;
  Seat* best = nullptr;
  for (const Stage stage : {Stage::kInRam, Stage::kAside, Stage::kForDisk}) {
    for (const std::unique_ptr<Seat>& seat : seats_) {
      if (seat->stage == stage && (best == nullptr || seat->looks < best->looks)) best = seat.get();
    }
    if (best != nullptr) return best;
  }
  return nullptr;
}

// Under the mutex.
void Turns::go_on_with_next() {
  current_ = next();
  if (current_ != nullptr) current_->begin_look();
  changed_.notify_all();
}

// `begun`: only those that hold memory.
bool Turns::others_in_ram(const Seat& seat, bool begun) const {
  return std::ranges::any_of(seats_, [&](const std::unique_ptr<Seat>& each) {
    return each.get() != &seat && each->stage == Seat::Stage::kInRam && (!begun || each->looks > 0);
  });
}

// Those that have had more looks get none before the others have had as many.
double Turns::share_of_rest(const Seat& seat, double now) const {
  const auto waiting = std::ranges::count_if(seats_, [&](const std::unique_ptr<Seat>& each) {
    return each->stage != Seat::Stage::kEnded && (each->stage != Seat::Stage::kInRam || each->looks <= seat.looks);
  });
  return std::max(0.0, end_ - now) / static_cast<double>(std::max<ptrdiff_t>(1, waiting));
}

// A number of states, not a time, so that models of usual size have all verdicts on any machine.
uint64_t Turns::rest_after(uint64_t states) const {
  constexpr uint64_t kStates = uint64_t{1} << 20;
  return (kStates + states) / (std::max<size_t>(seats_.size(), 2) - 1);
}

void Turns::run(std::span<const Job> jobs) {
  CHECK(seats_.empty() && !jobs.empty());
  if (jobs.size() > 1) share_one_heap();
  for (size_t i = 0; i < jobs.size(); ++i) seats_.push_back(std::make_unique<Seat>(*this));
  std::exception_ptr failure;
  const auto run_one = [&](size_t number) {
    Seat& seat = *seats_[number];
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return current_ == &seat; });
    }
    try {
      jobs[number](seat);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    seat.stage = Seat::Stage::kEnded;
    go_on_with_next();
  };
  // The last one is this thread's, and so are those for which the system gives no thread: each begins when the one
  // before it has ended.
  std::vector<std::thread> threads;
  try {
    for (size_t i = 0; i + 1 < jobs.size(); ++i) threads.emplace_back(run_one, i);
  } catch (const std::system_error&) {
    for (size_t i = threads.size() + 1; i < jobs.size(); ++i) seats_[i]->stage = Seat::Stage::kEnded;
  }
  for (size_t i = threads.size(); i < jobs.size(); ++i) {
    {
      const std::lock_guard lock(mutex_);
      seats_[i]->stage = Seat::Stage::kInRam;
      if (current_ == nullptr) go_on_with_next();
    }
    run_one(i);
  }
  for (std::thread& thread : threads) thread.join();
  seats_.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace cmc
