#include "studies/latency/launch.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <future>
#include <thread>

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cmc::latency {

namespace {

constexpr double kEndSeconds = 2;     // for the peer to end by itself
constexpr double kSpareSeconds = 15;  // beside the time that a measurement may take

// What the measuring process leaves to its parent, in shared memory.
struct Outcome {
  bool is_done = false;
  char error[400] = "";
  double timer_ns = 0;
  Histogram all_ns;
  uint64_t involuntary_switches = 0;
  uint32_t points = 0;

  // Behind this object: as many as there are rounds.
  [[nodiscard]] double* points_ns() { return reinterpret_cast<double*>(this + 1); }
};

// Memory for an Outcome with that many points.
class SharedOutcome {
 public:
  explicit SharedOutcome(uint32_t rounds)
      : bytes_(sizeof(Outcome) + sizeof(double) * rounds),
        memory_(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (is_there()) new (memory_) Outcome;
  }
  ~SharedOutcome() {
    if (is_there()) ::munmap(memory_, bytes_);
  }
  SharedOutcome(const SharedOutcome&) = delete;
  SharedOutcome& operator=(const SharedOutcome&) = delete;
  [[nodiscard]] bool is_there() const { return memory_ != MAP_FAILED; }
  [[nodiscard]] Outcome* operator->() const { return static_cast<Outcome*>(memory_); }
  [[nodiscard]] Outcome& operator*() const { return *static_cast<Outcome*>(memory_); }

 private:
  const size_t bytes_;
  void* const memory_;
};

uint64_t involuntary_switches(int whose) {
  rusage usage{};
  ::getrusage(whose, &usage);
  return static_cast<uint64_t>(usage.ru_nivcsw);
}

void pin(Placement placement, Side side) {
  const std::vector<int> processors = allowed_processors();
  if (placement == Placement::kUnpinned || processors.empty()) return;
  const bool is_second = placement == Placement::kTwoCores && side == Side::kResponder;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processors[is_second ? 1 : 0], &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

// Waits for a child; false: it did not end in time.
bool wait_for(pid_t child, double seconds, const std::atomic<bool>* interrupted) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (::waitpid(child, nullptr, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= end || (interrupted != nullptr && *interrupted)) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void end_child(pid_t child) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

void leave(Outcome& outcome, const Result<RoundTrips>& trips) {
  if (!trips.ok()) {
    std::strncpy(outcome.error, trips.error().c_str(), sizeof outcome.error - 1);
  } else {
    outcome.timer_ns = trips.value().timer_ns;
    outcome.all_ns = trips.value().all_ns;
    outcome.points = static_cast<uint32_t>(trips.value().points_ns.size());
    std::ranges::copy(trips.value().points_ns, outcome.points_ns());
  }
  outcome.is_done = true;
}

Result<RoundTrips> ask(Link& link, uint32_t responder, const MeasureOptions& options) {
  CMC_TRY(const std::unique_ptr<Channel> channel, link.open(Side::kAsker));
  return measure(*channel, static_cast<uint32_t>(::gettid()), responder, options);
}

void answer(Link& link, Placement placement) {
  pin(placement, Side::kResponder);
  const Result<std::unique_ptr<Channel>> channel = link.open(Side::kResponder);
  if (channel.ok()) respond(*channel.value(), static_cast<uint32_t>(::gettid()));
}

void measure_with_thread(Link& link, Placement placement, const MeasureOptions& options, Outcome& outcome) {
  std::promise<uint32_t> name;
  std::thread responder([&] {
    name.set_value(static_cast<uint32_t>(::gettid()));
    answer(link, placement);
  });
  pin(placement, Side::kAsker);
  leave(outcome, ask(link, name.get_future().get(), options));
  outcome.involuntary_switches = involuntary_switches(RUSAGE_SELF);
  if (*outcome.error != '\0') ::_exit(0);  // the responder may wait for long
  responder.join();
}

void measure_with_process(Link& link, Placement placement, const MeasureOptions& options, Outcome& outcome) {
  const pid_t self = ::getpid();
  const pid_t responder = ::fork();
  if (responder < 0) return leave(outcome, Error{"there is no second process"});
  if (responder == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != self) ::_exit(0);
    answer(link, placement);
    ::_exit(0);
  }
  pin(placement, Side::kAsker);
  leave(outcome, ask(link, static_cast<uint32_t>(responder), options));
  if (!wait_for(responder, *outcome.error == '\0' ? kEndSeconds : 0, nullptr)) end_child(responder);
  outcome.involuntary_switches = involuntary_switches(RUSAGE_SELF) + involuntary_switches(RUSAGE_CHILDREN);
}

[[noreturn]] void run_child(pid_t parent, const ChannelKind& kind, Placement placement, const MeasureOptions& options,
                            Outcome& outcome) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  const Result<std::unique_ptr<Link>> link = kind.make();
  if (!link.ok()) {
    leave(outcome, Error{link.error()});
  } else if (kind.is_in_process) {
    measure_with_thread(*link.value(), placement, options, outcome);
  } else {
    measure_with_process(*link.value(), placement, options, outcome);
  }
  ::_exit(0);
}

}  // namespace

std::vector<int> allowed_processors() {
  cpu_set_t set;
  std::vector<int> processors;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return processors;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) processors.push_back(i);
  }
  return processors;
}

Result<Launched> launch(const ChannelKind& kind, Placement placement, const MeasureOptions& options,
                        const std::atomic<bool>& interrupted) {
  if (placement == Placement::kTwoCores && allowed_processors().size() < 2)
    return Error{"there is only one processor"};
  const SharedOutcome outcome(options.rounds);
  if (!outcome.is_there()) return Error{"there is no shared memory"};
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return Error{"there is no process to measure in"};
  if (child == 0) run_child(parent, kind, placement, options, *outcome);
  const bool has_ended = wait_for(child, options.seconds + kSpareSeconds, &interrupted);
  if (!has_ended) end_child(child);
  if (interrupted) return Error{"interrupted"};
  if (!has_ended) return Error{"the measurement did not end"};
  if (!outcome->is_done) return Error{"the measuring process died"};
  if (*outcome->error != '\0') return Error{outcome->error};
  Launched launched;
  launched.trips.points_ns.assign(outcome->points_ns(), outcome->points_ns() + outcome->points);
  launched.trips.all_ns = outcome->all_ns;
  launched.trips.timer_ns = outcome->timer_ns;
  launched.involuntary_switches = outcome->involuntary_switches;
  return launched;
}

}  // namespace cmc::latency
