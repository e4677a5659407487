#include "studies/xtp/session.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "studies/xtp/packet_log.h"

namespace cmc::xtp {
namespace {

using Role = ProfileUser::Role;

// A user and its end.
struct Side {
  Side(Role role, const Parameters& parameters, const EndpointMaker& make, MediumMemory& medium, const Timer& timer)
      : user(role, parameters, timer) {
    const size_t number = role == Role::kInitiator ? 0 : 1;
    EndpointOptions options = parameters.endpoint;
    if (!parameters.events.empty()) {
      options.observer = write_packets_to(fmt::format("{}.{}.jsonl", parameters.events, number), number);
    }
    endpoint = make(medium.link(number), medium.link(1 - number), user, timer, options);
    user.use(*endpoint);
  }
  bool work() {
    const bool worked = endpoint->work();
    return user.work() || worked;
  }
  [[nodiscard]] SideReport report() const { return {endpoint->counts(), user.received(), user.mistakes()}; }

  ProfileUser user;
  std::unique_ptr<Endpoint> endpoint;
};

// CPU time of this thread: other work on the machine does not count.
class CpuTimer final : public Timer {
 public:
  [[nodiscard]] uint64_t now_ns() const override {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  }
};

// What two processes share beside the network.
struct Shared {
  std::atomic<bool> stop{false};
  std::atomic<bool> responder_done{false};
  SideReport responder;
};

void respond(const Parameters& parameters, const EndpointMaker& make, MediumMemory& medium, Shared& shared) {
  const RealTimer timer;
  Side side(Role::kResponder, parameters, make, medium, timer);
  while (!shared.stop.load(std::memory_order_acquire)) {
    if (!side.work()) sched_yield();
    if (side.user.done()) shared.responder_done.store(true, std::memory_order_release);
  }
  shared.responder = side.report();
}

}  // namespace

SessionReport run_virtual(const Parameters& parameters, const EndpointMaker& initiator,
                          const EndpointMaker& responder, uint64_t most_virtual_ns) {
  const CpuTimer cpu;
  VirtualTimer timer;
  MediumMemory medium(parameters.medium);
  Side first(Role::kInitiator, parameters, initiator, medium, timer);
  Side second(Role::kResponder, parameters, responder, medium, timer);
  SessionReport report;
  const uint64_t begin = cpu.now_ns();
  for (;;) {
    const bool worked = first.work();
    if (second.work() || worked) continue;
    const uint64_t next = std::min({medium.link(0).next_arrival(), medium.link(1).next_arrival(),
                                    first.endpoint->deadline_ns(), second.endpoint->deadline_ns()});
    if (next == UINT64_MAX || next > most_virtual_ns) break;
    timer.advance_to(next);
  }
  report.seconds_ns = cpu.now_ns() - begin;
  report.done = first.user.done() && second.user.done();
  report.sides = {first.report(), second.report()};
  report.links = {medium.link(0).counts(), medium.link(1).counts()};
  report.round_trips_ns = first.user.round_trips();
  return report;
}

SessionReport run_real(const Parameters& parameters, const EndpointMaker& initiator, const EndpointMaker& responder,
                       uint64_t most_ns) {
  MediumMemory medium(parameters.medium);
  void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "shared memory");
  Shared& shared = *new (memory) Shared;
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "a second process");
  if (child == 0) {
    respond(parameters, responder, medium, shared);
    _exit(0);
  }
  const RealTimer timer;
  Side side(Role::kInitiator, parameters, initiator, medium, timer);
  SessionReport report;
  const uint64_t begin = timer.now_ns();
  const auto done = [&] { return side.user.done() && shared.responder_done.load(std::memory_order_acquire); };
  const auto quiet = [&] {
    return medium.link(0).next_arrival() == UINT64_MAX && medium.link(1).next_arrival() == UINT64_MAX;
  };
  while (!(done() && quiet()) && timer.now_ns() - begin < most_ns) {
    if (!side.work()) sched_yield();
  }
  report.seconds_ns = timer.now_ns() - begin;
  report.done = done();
  shared.stop.store(true, std::memory_order_release);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  report.sides = {side.report(), shared.responder};
  report.links = {medium.link(0).counts(), medium.link(1).counts()};
  report.round_trips_ns = side.user.round_trips();
  munmap(memory, sizeof(Shared));
  return report;
}

}  // namespace cmc::xtp
