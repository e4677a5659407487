// cmc-solverd: Z3 in a process of its own, which answers one checker over ZeroMQ. Started by cmc; see README.md.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/sanitizers.h"
#include "solver-bridge/protocol/protocol.h"
#include "solver-bridge/worker/server.h"
#include "solver-bridge/worker/z3_session.h"

namespace {

using cmc::solver::ServerKeys;
using cmc::solver::ServerOptions;

#if CMC_ADDRESS_SANITIZER || CMC_THREAD_SANITIZER
constexpr bool kAddressSpaceIsNeeded = true;  // sanitizers reserve terabytes of it
#else
constexpr bool kAddressSpaceIsNeeded = false;
#endif

// The worker dies with the thread that started it; if that was too fast for the kernel to tell, it ends itself.
void die_with_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
}

void limit_resources(uint64_t memory_bytes) {
  const rlimit nothing{0, 0};
  ::setrlimit(RLIMIT_CORE, &nothing);
  ::setrlimit(RLIMIT_FSIZE, &nothing);  // it writes no files; standard output is a socket
  ::prctl(PR_SET_DUMPABLE, 0);
  if (memory_bytes == 0) return;
  const rlimit memory{memory_bytes, memory_bytes};
  ::setrlimit(RLIMIT_AS, &memory);
}

// "PUBLIC SECRET CLIENT-PUBLIC"; in the environment, as everyone can read a command line.
std::optional<ServerKeys> keys_from_environment() {
  const char* text = std::getenv("CMC_SOLVERD_KEYS");
  if (text == nullptr) return std::nullopt;
  ServerKeys keys;
  std::istringstream words(text);
  words >> keys.public_key >> keys.secret_key >> keys.client_public_key;
  return keys;
}

int run(int argc, char** argv) {
  ServerOptions options;
  pid_t parent = 0;
  int life_line = -1;
  std::string chaos;
  std::string wait = "auto";
  CLI::App app("Z3 as a worker of cmc. It is started by cmc, and not meant to be started by hand.");
  app.set_version_flag("--version", fmt::format("cmc-solverd, protocol {}, Z3 {}", cmc::solver::kProtocolVersion,
                                                cmc::solver::Z3Session::z3_version()));
  app.add_option("--endpoint", options.endpoint, "where to listen: ipc://@NAME or tcp://ADDRESS:PORT")->required();
  app.add_option("--parent", parent, "end with this process");
  app.add_option("--life-line", life_line, "end when this descriptor is closed at its other end");
  app.add_option("--memory", options.memory_limit_bytes, "limit of the address space in bytes");
  app.add_option("--wait", wait, "how long to poll before sleeping: auto, block, or microseconds");
  app.add_flag("--eval", options.eval_allowed, "take SMT-LIB2 commands (cmc solver eval)");
  app.add_option("--chaos", chaos, "for tests: a fault to commit, as FAULT[:QUERY[:every]]");
  CLI11_PARSE(app, argc, argv);

  if (parent != 0) die_with_parent(parent);
  if (kAddressSpaceIsNeeded) options.memory_limit_bytes = 0;
  limit_resources(options.memory_limit_bytes);
  if (life_line >= 0) options.life_line = life_line;
  options.keys = keys_from_environment();
  const auto policy = cmc::solver::parse_wait(wait);
  if (!policy.ok()) {
    std::fprintf(stderr, "cmc-solverd: %s\n", policy.error().c_str());
    return 2;
  }
  options.wait = policy.value();
  options.chaos_allowed = !chaos.empty();
  if (options.chaos_allowed) {
    const auto plan = cmc::solver::parse_chaos(chaos);
    if (!plan.ok()) {
      std::fprintf(stderr, "cmc-solverd: %s\n", plan.error().c_str());
      return 2;
    }
    options.chaos = plan.value();
  }
  const auto result = cmc::solver::run_server(options);
  if (!result.ok()) {
    std::fprintf(stderr, "cmc-solverd: %s\n", result.error().c_str());
    return 2;
  }
  return result.value();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cmc-solverd: %s\n", error.what());
    return 2;
  }
}
