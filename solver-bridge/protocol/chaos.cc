#include "solver-bridge/protocol/chaos.h"

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace cmc::solver {

namespace {

constexpr std::array kFaults = {
    FaultName{Fault::kSegfault, "segfault", true},
    FaultName{Fault::kAbort, "abort", true},
    FaultName{Fault::kExit, "exit", true},
    FaultName{Fault::kBusyLoop, "busy-loop", true},
    FaultName{Fault::kSleep, "sleep", true},
    FaultName{Fault::kStop, "stop", true},
    FaultName{Fault::kOutOfMemory, "oom", true},
    FaultName{Fault::kGarbage, "garbage", true},
    FaultName{Fault::kTruncated, "truncated", true},
    FaultName{Fault::kWrongChecksum, "wrong-crc", true},
    FaultName{Fault::kWrongId, "wrong-id", true},
    FaultName{Fault::kWrongEpoch, "wrong-epoch", true},
    FaultName{Fault::kWrongVersion, "wrong-version", true},
    FaultName{Fault::kDouble, "double", true},
    FaultName{Fault::kLate, "late", true},
    FaultName{Fault::kMissing, "missing", true},
    FaultName{Fault::kForget, "forget", true},
    FaultName{Fault::kWrongAnswer, "wrong-answer", true},
    FaultName{Fault::kHelloVersion, "hello-version", false},
    FaultName{Fault::kDieAtStart, "die-at-start", false},
};

// The limit of the address space ends it. Without one (sanitizers need the space) it stops at 2.5 GB, which it does
// not touch.
[[noreturn]] void use_up_memory() {
  std::vector<std::unique_ptr<char[]>> blocks;
  while (blocks.size() < 160) blocks.emplace_back(new char[size_t{16} << 20]);
  throw std::bad_alloc();
}

}  // namespace

const FaultName* fault_table() { return kFaults.data(); }
size_t fault_count() { return kFaults.size(); }

std::string_view name_of(Fault fault) {
  for (const FaultName& row : kFaults) {
    if (row.fault == fault) return row.name;
  }
  return "none";
}

Result<ChaosPlan> parse_chaos(std::string_view text) {
  ChaosPlan plan;
  const std::string_view name = text.substr(0, text.find(':'));
  for (const FaultName& row : kFaults) {
    if (row.name == name) plan.fault = row.fault;
  }
  if (name == "none" && name == text) return plan;
  if (plan.fault == Fault::kNone) return Error{fmt::format("there is no fault '{}'", name)};
  std::string_view rest = text.substr(name.size());
  if (rest.empty()) return plan;
  rest.remove_prefix(1);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), plan.query);
  if (error != std::errc() || plan.query == 0) return Error{fmt::format("'{}': no number of a query", text)};
  const std::string_view tail = rest.substr(static_cast<size_t>(end - rest.data()));
  if (!tail.empty() && tail != ":every") return Error{fmt::format("'{}': expected ':every' after the number", text)};
  plan.every = !tail.empty();
  return plan;
}

void commit(Fault fault) {
  switch (fault) {
    case Fault::kSegfault:
      std::signal(SIGSEGV, SIG_DFL);  // not the sanitizer's report
      ::kill(::getpid(), SIGSEGV);
      std::this_thread::sleep_for(std::chrono::seconds(60));
      return;
    case Fault::kAbort: std::abort();
    case Fault::kExit: ::_exit(7);
    case Fault::kBusyLoop: {
      volatile uint64_t turns = 0;
      while (true) turns = turns + 1;
    }
    case Fault::kSleep: std::this_thread::sleep_for(std::chrono::seconds(3600)); return;
    case Fault::kStop: ::kill(::getpid(), SIGSTOP); return;
    case Fault::kOutOfMemory: use_up_memory();
    default: return;
  }
}

}  // namespace cmc::solver
