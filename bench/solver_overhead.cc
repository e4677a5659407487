// What it costs that Z3 is in another process: the same predicates in this process, by a worker over ipc, and by one
// over tcp, each with one request a predicate and with as many as a chatty protocol has (20 to 286, as in the study
// of the decoupled ProB: every term is built by a request of its own; here the additional requests are ECHOs of 32
// bytes).
//
//   bench_solver_overhead [--full] [--repeats N] [--modes LIST] [--wait auto|block|MICROSECONDS] [--worker PATH]
//       > result.csv
//   bench/solver_overhead.py result.csv --folder FOLDER
//
// A test is a worker (or a session) of its own with some predicates, so that query 1 of each contains its start
// (column first: start); the first query about a constraint contains its preparation (prepare). All modes of a test
// are measured one after the other, and all of that is repeated, so that slow changes of the machine hit all.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "solver-bridge/oracle/in_process_oracle.h"
#include "solver-bridge/pool/worker_pool.h"

namespace {

using namespace cmc;
using namespace cmc::solver;

constexpr uint32_t kRlimit = 100'000'000;

enum class Mode { kInProcess, kIpc, kTcp, kIpcChatty, kTcpChatty };
constexpr Mode kModes[] = {Mode::kInProcess, Mode::kIpc, Mode::kTcp, Mode::kIpcChatty, Mode::kTcpChatty};

const char* name_of(Mode mode) {
  switch (mode) {
    case Mode::kInProcess: return "in-process";
    case Mode::kIpc: return "ipc";
    case Mode::kTcp: return "tcp";
    case Mode::kIpcChatty: return "ipc-chatty";
    case Mode::kTcpChatty: return "tcp-chatty";
  }
  return "?";
}

// Names with commas between them; exits if there is another word.
std::vector<Mode> parse_modes(const std::string& list) {
  std::vector<Mode> modes;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    const auto* mode = std::find_if(std::begin(kModes), std::end(kModes), [&](Mode m) { return word == name_of(m); });
    if (mode == std::end(kModes)) {
      std::fprintf(stderr, "there is no mode '%s'\n", word.c_str());
      std::exit(2);
    }
    modes.push_back(*mode);
  }
  return modes;
}

struct Predicate {
  Query query;
  unsigned requests;  // of the chatty protocol
};

std::vector<ConstraintPtr> make_constraints() {
  const auto make = [](std::vector<std::string> parameters, std::vector<std::string> targets, std::string text) {
    return std::make_shared<const Constraint>(std::move(parameters), std::move(targets), std::move(text));
  };
  return {
      // A slot assignment, a checksum over a nonce, a window of sequence numbers.
      make({"p", "q"}, {"a", "b", "c"},
           "(assert (distinct a b c))(assert (= (bvadd a b c) p))(assert (bvslt (bvadd a q) (bvadd b b)))"),
      make({"p"}, {"x"}, "(assert (= (bvand (bvxor (bvmul x #x9e3779b1) (bvlshr x #x00000007)) #x00000fff) p))"),
      make({"p", "q"}, {"x", "y"},
           "(assert (bvult (bvsub x p) #x00000010))(assert (= (bvxor x y) q))(assert (bvslt x y))"),
  };
}

Predicate make_predicate(const std::vector<ConstraintPtr>& constraints, unsigned test, unsigned number) {
  std::mt19937 random(test * 1000 + number);
  const auto below = [&random](int32_t limit) {
    return static_cast<int32_t>(random() % static_cast<uint32_t>(limit));
  };
  const ConstraintPtr constraint = constraints[random() % constraints.size()];
  Question question{.goal = Goal::kExists, .parameters = {}, .ranges = {}};
  for (size_t i = 0; i < constraint->parameters().size(); ++i) question.parameters.push_back(below(4096));
  for (size_t i = 0; i < constraint->targets().size(); ++i) question.ranges.push_back({0, (1 << 20) - 1});
  return {{.constraint = constraint, .question = std::move(question)}, 20 + static_cast<unsigned>(random() % 267)};
}

std::unique_ptr<GuardOracle> make_oracle(Mode mode, PoolOptions options, const Clock& clock) {
  if (mode == Mode::kInProcess) return std::make_unique<InProcessOracle>(kRlimit, clock);
  if (mode == Mode::kTcp || mode == Mode::kTcpChatty) options.transport = Transport::kTcp;
  return std::make_unique<WorkerPool>(std::move(options), clock);
}

void run_test(unsigned test, unsigned repeat, Mode mode, const std::vector<Predicate>& predicates,
              const PoolOptions& settings) {
  const SystemClock clock;
  const std::unique_ptr<GuardOracle> oracle = make_oracle(mode, settings, clock);
  const bool chatty = mode == Mode::kIpcChatty || mode == Mode::kTcpChatty;
  std::set<std::string> known;
  for (unsigned i = 0; i < predicates.size(); ++i) {
    const bool is_new = known.insert(predicates[i].query.constraint->key()).second;
    const auto start = std::chrono::steady_clock::now();
    const Answer answer = oracle->solve(predicates[i].query);
    // The solving request comes first, as the first one has to start the worker; the order does not matter for the
    // sum.
    for (unsigned request = 1; chatty && request < predicates[i].requests; ++request) {
      if (!static_cast<WorkerPool&>(*oracle).echo(32)) std::exit(1);
    }
    const auto time = std::chrono::steady_clock::now() - start;
    if (!answer.decided()) {
      std::fprintf(stderr, "test %u, query %u, %s: %s\n", test, i + 1, name_of(mode), answer.reason.c_str());
      std::exit(1);
    }
    std::printf("%u,%u,%s,%s,%u,%u,%lld\n", test, i + 1,
                i == 0   ? "start"
                : is_new ? "prepare"
                         : "known",
                name_of(mode), chatty ? predicates[i].requests : 1, repeat,
                static_cast<long long>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  unsigned tests = 8;
  unsigned queries = 12;
  unsigned repeats = 5;
  PoolOptions settings;
  settings.rlimit = kRlimit;
  std::vector<Mode> modes(std::begin(kModes), std::end(kModes));
  for (int i = 1; i < argc; ++i) {
    const bool has_value = i + 1 < argc;
    if (std::strcmp(argv[i], "--full") == 0) {
      tests = 53;
      queries = 13;
      repeats = 20;
    } else if (std::strcmp(argv[i], "--repeats") == 0 && has_value) {
      repeats = static_cast<unsigned>(std::atoi(argv[++i]));
    } else if (std::strcmp(argv[i], "--modes") == 0 && has_value) {
      modes = parse_modes(argv[++i]);
    } else if (std::strcmp(argv[i], "--wait") == 0 && has_value && parse_wait(argv[i + 1]).ok()) {
      settings.wait = parse_wait(argv[++i]).value();
    } else if (std::strcmp(argv[i], "--worker") == 0 && has_value) {
      settings.worker_path = argv[++i];
    } else {
      std::fprintf(
          stderr,
          "usage: bench_solver_overhead [--full] [--repeats N] [--modes LIST] [--wait auto|block|MICROSECONDS] "
          "[--worker PATH] > result.csv\n");
      return 2;
    }
  }
  const std::vector<ConstraintPtr> constraints = make_constraints();
  std::printf("test,query,first,mode,requests,repeat,ns\n");
  for (unsigned repeat = 1; repeat <= repeats; ++repeat) {
    for (unsigned test = 1; test <= tests; ++test) {
      std::vector<Predicate> predicates;
      for (unsigned i = 1; i <= queries; ++i) predicates.push_back(make_predicate(constraints, test, i));
      for (const Mode mode : modes) run_test(test, repeat, mode, predicates, settings);
    }
    std::fprintf(stderr, "repeat %u of %u\n", repeat, repeats);
  }
  return 0;
}
