#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "solver-bridge/pool/worker_pool.h"
#include "tests/solver-bridge/constraints.h"

// What the tests of the pool share: options with short limits, a load of random queries whose answers are known, and
// a look at the processes and sockets that are left.

namespace cmc::solver::test {

inline const SystemClock kClock;

inline PoolOptions fast_options() {
  PoolOptions options;
  options.worker_path = std::string(CMC_BINARY_DIR) + "/cmc-solverd";
  options.soft_limit_seconds = 1.5;
  options.hard_limit_seconds = 2;
  options.start_limit_seconds = 20;
  return options;
}

struct Load {
  std::vector<Example> all = examples();
  std::mt19937 random{7};
  std::map<Ticket, std::pair<const Example*, Question>> asked;
  unsigned answers = 0;
  unsigned wrong = 0;
  unsigned undecided = 0;
  unsigned strange = 0;  // answers to what was not asked, or twice
  std::string reason;

  void submit(GuardOracle& pool, unsigned number) {
    for (unsigned i = 0; i < number; ++i) {
      const Example& example = all[random() % all.size()];
      Question question = random_question(*example.constraint, random);
      const Ticket ticket = pool.submit({.constraint = example.constraint, .question = question});
      asked[ticket] = {&example, question};
    }
  }

  void collect(GuardOracle& pool, double seconds) {
    for (const Completed& completed : pool.poll(seconds)) {
      const auto place = asked.find(completed.ticket);
      ++answers;
      if (place == asked.end()) {
        ++strange;
        continue;
      }
      const auto& [example, question] = place->second;
      if (!completed.answer.decided()) {
        ++undecided;
        reason = completed.answer.reason;
      } else if (!agrees(*example, question, completed.answer)) {
        ++wrong;
      }
      asked.erase(place);
    }
  }

  // Until everything is answered; what is not after so long is lost.
  void collect_all(GuardOracle& pool, double seconds = 60) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!asked.empty() && std::chrono::steady_clock::now() < end) collect(pool, 0.5);
  }
};

// Does the process exist, other than as a zombie?
inline bool is_alive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const size_t end = line.rfind(')');
  return end != std::string::npos && end + 2 < line.size() && line[end + 2] != 'Z';
}

// Abstract sockets of workers of this client.
inline unsigned sockets_of(pid_t client) {
  std::ifstream file("/proc/net/unix");
  unsigned number = 0;
  const std::string name = "@cmc-solverd-" + std::to_string(client) + "-";
  for (std::string line; std::getline(file, line);) number += line.find(name) != std::string::npos ? 1 : 0;
  return number;
}

// Waits until none of them is left; at most so long.
inline bool all_gone(const std::vector<pid_t>& pids, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::any_of(pids.begin(), pids.end(), is_alive)) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace cmc::solver::test
