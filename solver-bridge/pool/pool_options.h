#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "solver-bridge/protocol/wait_policy.h"

namespace cmc::solver {

enum class Transport : uint8_t { kIpc, kTcp };

// CURVE keys of both sides, 40 characters each (Z85).
struct CurveKeys {
  std::string server_public;
  std::string server_secret;
  std::string client_public;
  std::string client_secret;
};

struct PoolOptions {
  std::string worker_path;  // empty: cmc-solverd in the folder of this program
  unsigned workers = 1;
  Transport transport = Transport::kIpc;
  std::string tcp_address = "127.0.0.1";  // one that other machines can reach needs `keys`
  std::optional<CurveKeys> keys;          // none: with tcp each worker gets fresh ones
  bool eval = false;                      // the workers take SMT-LIB2 commands

  uint64_t memory_limit_bytes = uint64_t{2} << 30;  // of the address space of each worker
  uint32_t rlimit = 20'000'000;                     // Z3's resource units for each check: some seconds
  double start_limit_seconds = 10;                  // from the start of a worker to its first reply
  double soft_limit_seconds = 10;                   // then the query is cancelled
  double hard_limit_seconds = 20;                   // then its worker is killed
  WaitPolicy wait;                                  // of both sides, before they sleep
  unsigned max_batch = 8;                           // queries in one message, when more wait than there are workers

  unsigned recycle_after_queries = 10'000;
  unsigned recycle_at_permille = 800;  // of the memory limit
  unsigned deaths_until_poison = 2;    // of workers, at the same query
  unsigned kills_until_poison = 10;    // SIGKILL from outside: mostly not the query's fault
  unsigned deaths_until_open = 8;  // of workers, one after the other, without an answer between: the circuit breaker
  unsigned failed_starts_until_open = 3;  // as long as no worker has ever been ready
  std::string run_directory;              // where poison queries are written; empty: nowhere

  // For tests: the first `chaos_workers` workers are started with --chaos `chaos`.
  std::string chaos;
  unsigned chaos_workers = 1;

  // Limits of a question in proportion to the defaults, so that a longer time is not cut off by the resource units.
  void limit_time(double seconds) {
    const PoolOptions defaults;
    const double factor = seconds / defaults.soft_limit_seconds;
    soft_limit_seconds = seconds;
    hard_limit_seconds = factor * defaults.hard_limit_seconds;
    rlimit = static_cast<uint32_t>(std::clamp<double>(factor * defaults.rlimit, 1, UINT32_MAX));
  }
};

// A file in the folder of this program or, if it was installed, in ../libexec/cmc. Where it should be, if it is in
// neither.
[[nodiscard]] std::string beside_program(const std::string& name);
[[nodiscard]] inline std::string default_worker_path() { return beside_program("cmc-solverd"); }

}  // namespace cmc::solver
