#include <algorithm>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <unordered_set>

#include <fmt/format.h>
#include <time.h>

#include "base/hash.h"
#include "checker/native/build.h"
#include "checker/native/generator.h"
#include "checker/reference/reference.h"
#include "checker/vm/generator.h"
#include "tests/support/compile.h"

// What the mechanisms of Promela cost with each generator, and a forecast made of these costs (after the Estelle
// benchmark in Thees and Gotzhein 1997, section 4.2): for eight models, counts of what their statements do, times the
// costs, against the measured time of their successors. Costs come from the small models below only, never from the
// models that are forecast.
//
//     bench_mechanisms [--smoke] [FOLDER OF MODELS]

namespace cmc {
namespace {

using MakeGenerator = std::function<std::unique_ptr<SuccessorGenerator>(const Model&)>;

// CPU time of this thread: other work on the machine does not count.
double now_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// ns of one call of successors() and one step, in a walk that takes the first successor: the least of some walks.
double step_ns(const std::string& text, const MakeGenerator& make, uint64_t steps) {
  const Model model = test::compile_text(text);
  const std::unique_ptr<SuccessorGenerator> generator = make(model);
  SuccessorBatch batch;
  generator->initial(batch);
  Bytes state(batch.state(batch.entries.front()).begin(), batch.state(batch.entries.front()).end());
  double least = 1e18;
  constexpr int kWalks = 9;
  for (int walk = 0; walk < kWalks; ++walk) {
    const double begin = now_ns();
    for (uint64_t i = 0; i < steps; ++i) {
      batch.clear();
      generator->successors(state, batch);
      const ByteView next = batch.state(batch.entries.front());
      state.assign(next.begin(), next.end());
    }
    least = std::min(least, (now_ns() - begin) / static_cast<double>(steps));
  }
  return least;
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

std::string plain() { return "byte x;\nactive proctype p() { do :: x = 1 od }\n"; }

std::string message(int bytes, bool rendezvous) {
  const std::string types =
      fmt::format("typedef P {{ byte b[{}] }}\nchan c = [{}] of {{ P }};\n", bytes, rendezvous ? 0 : 1);
  if (rendezvous)
    return types + "active proctype r() { P p; do :: c ? p od }\nactive proctype s() { P p; do :: c ! p od }\n";
  return types + "active proctype t() { P p; do :: c ! p; c ? p od }\n";
}

std::string guards(int count) {
  return "byte x;\nactive proctype p() { do\n" + repeated("  :: x == 1 -> x = 2\n", count - 1) +
         "  :: x = 0\n  od }\n";
}

struct Mechanism {
  std::string name;
  std::string text;
  double steps;  // of the walk that make up one use of the mechanism
};

std::vector<Mechanism> mechanisms() {
  std::vector<Mechanism> all = {
      {"an assignment", plain(), 1},
      {"a local variable instead", "active proctype p() { byte x; do :: x = 1 od }\n", 1},
      {"a process: created, ended", "proctype c() { skip }\nactive proctype p() { do :: run c() od }\n", 3},
      {"an atomic sequence of 10 statements",
       "byte x;\nactive proctype p() { do :: atomic { " + repeated("x = 1; ", 9) + "x = 0 } od }\n", 10},
      {"a d_step of 10 statements",
       "byte x;\nactive proctype p() { do :: d_step { " + repeated("x = 1; ", 9) + "x = 0 } od }\n", 1}};
  for (const int bytes : {1, 16, 256, 1000}) {
    all.push_back({fmt::format("a message of {} bytes: buffer", bytes), message(bytes, false), 2});
    all.push_back({fmt::format("a message of {} bytes: rendezvous", bytes), message(bytes, true), 1});
  }
  all.push_back({"a choice among 2 guards", guards(2), 1});
  all.push_back({"a choice among 16 guards", guards(16), 1});
  all.push_back({"a choice among 64 guards", guards(64), 1});
  return all;
}

// Costs in ns.
struct Costs {
  double process = 0;  // tried
  double guard = 0;    // tested
  double step = 0;     // taken
  double byte = 0;     // of a successor
  double field = 0;    // of a message that is sent or received
};

Costs measure_costs(const MakeGenerator& make, uint64_t steps) {
  constexpr int kGuards = 64;
  constexpr int kProcesses = 20;
  constexpr int kBytes = 4000;
  constexpr int kFields = 1000;
  const double plain_ns = step_ns(plain(), make, steps);
  Costs costs;
  const auto slope = [&](const std::string& text, double count) {
    return std::max(0.0, step_ns(text, make, steps) - plain_ns) / count;
  };
  costs.guard = slope(guards(kGuards), kGuards - 1);
  costs.byte = slope(fmt::format("byte filler[{}];\n", kBytes) + plain(), kBytes);
  costs.process =
      std::max(0.0, slope(plain() + fmt::format("active [{}] proctype q() {{ x == 2 }}\n", kProcesses), kProcesses) -
                        costs.guard);
  costs.step = std::max(0.0, plain_ns - costs.process - costs.guard);
  costs.field = std::max(0.0, slope(message(kFields, false), kFields) - 2 * costs.byte);
  return costs;
}

struct Counts {
  double processes = 0, guards = 0, steps = 0, bytes = 0, fields = 0;
};

double fields_of(const Model& model, const Edge& edge) {
  const Statement& statement = model.statements[edge.statement];
  if (statement.kind == StatementKind::kSend) return static_cast<double>(statement.operands.size());
  if (statement.kind == StatementKind::kReceive) return static_cast<double>(statement.arguments.size());
  return 0;
}

// States of a model, breadth first, with what their expansion consists of.
std::vector<Bytes> collect(const Model& model, SuccessorGenerator& generator, size_t most, Counts& counts) {
  SuccessorBatch batch;
  generator.initial(batch);
  std::vector<Bytes> states;
  std::unordered_set<uint64_t> known;  // hashes: a lost state does not matter here
  const auto add = [&](ByteView state) {
    if (states.size() < most && known.insert(hash_bytes(state)).second)
      states.emplace_back(state.begin(), state.end());
  };
  add(batch.state(batch.entries.front()));
  for (size_t i = 0; i < states.size(); ++i) {
    const Bytes state = states[i];
    batch.clear();
    generator.successors(state, batch);
    size_t frame = model.global_bytes;
    const auto edges_at = [&](size_t at) -> const std::vector<Edge>& {
      const Proctype& type = model.proctypes[load<uint8_t>(state.data() + at + kFrameProctype)];
      return type.locations[load<LocationId>(state.data() + at + kFrameLocation)].edges;
    };
    std::vector<size_t> frames;
    while (frame < state.size()) {
      frames.push_back(frame);
      counts.guards += static_cast<double>(edges_at(frame).size());
      frame += model.proctypes[load<uint8_t>(state.data() + frame + kFrameProctype)].frame_bytes;
    }
    counts.processes += static_cast<double>(frames.size());
    counts.steps += static_cast<double>(batch.entries.size());
    counts.bytes += static_cast<double>(batch.bytes.size());
    for (const Step& step : batch.steps) {
      counts.fields += fields_of(model, edges_at(frames[step.pid])[step.edge]);
      if (step.partner != kNoProcess)
        counts.fields += fields_of(model, edges_at(frames[step.partner])[step.partner_edge]);
    }
    for (const SuccessorBatch::Entry& entry : batch.entries) add(batch.state(entry));
  }
  return states;
}

double expansion_ns(SuccessorGenerator& generator, const std::vector<Bytes>& states) {
  SuccessorBatch batch;
  double least = 1e18;
  constexpr int kRounds = 7;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = now_ns();
    for (const Bytes& state : states) {
      batch.clear();
      generator.successors(state, batch);
    }
    least = std::min(least, now_ns() - begin);
  }
  return least;
}

void forecast(const std::filesystem::path& folder, const char* name, const MakeGenerator& make, const Costs& costs,
              size_t most) {
  const Model model = test::compile_file(folder / name);
  const std::unique_ptr<SuccessorGenerator> generator = make(model);
  Counts counts;
  const std::vector<Bytes> states = collect(model, *generator, most, counts);
  const double measured = expansion_ns(*generator, states);
  const double expected = counts.processes * costs.process + counts.guards * costs.guard + counts.steps * costs.step +
                          counts.bytes * costs.byte + counts.fields * costs.field;
  fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} |\n", name, states.size(), expected / 1e6, measured / 1e6,
             expected / measured);
}

std::unique_ptr<SuccessorGenerator> make_native(const Model& model) {
  auto library = native::build_now(model);
  if (!library.ok()) throw std::runtime_error(library.error());
  return make_native_generator(model, std::move(library).value());
}

int run(const std::filesystem::path& folder, bool smoke) {
  const std::pair<const char*, MakeGenerator> generators[] = {
      {"vm", [](const Model& model) { return make_vm_generator(model); }},
      {"native", make_native},
      {"reference", [](const Model& model) { return make_reference_generator(model); }}};
  const uint64_t steps = smoke ? 20 : 20'000;
  fmt::print("| mechanism, ns |");
  for (const auto& [name, make] : generators) fmt::print(" {} |", name);
  fmt::print("\n|---|---|---|---|\n");
  for (const Mechanism& each : mechanisms()) {
    fmt::print("| {} |", each.name);
    for (const auto& [name, make] : generators) {
      const bool slow = std::string_view(name) == "reference";
      fmt::print(" {:.0f} |", step_ns(each.text, make, slow ? steps / 20 : steps) * each.steps);
    }
    fmt::print("\n");
  }
  const Costs costs = measure_costs(generators[0].second, steps);
  fmt::print(
      "\nvm, ns: a process tried {:.1f}, a guard {:.1f}, a step {:.1f}, a byte {:.3f}, a field of a message "
      "{:.1f}\n\n",
      costs.process, costs.guard, costs.step, costs.byte, costs.field);
  fmt::print("| model | states | forecast, ms | measured, ms | forecast / measured |\n|---|---|---|---|---|\n");
  for (const char* name :
       {"peterson/peterson4.pml", "leader/leader.pml", "classics/sliding_window.pml", "classics/dekker.pml",
        "classics/msi.pml", "classics/bakery.pml", "lunar/lunar-b.pml", "classics/readers_writers.pml"}) {
    forecast(folder, name, generators[0].second, costs, smoke ? 50 : 20'000);
  }
  return 0;
}

}  // namespace
}  // namespace cmc

int main(int count, char** words) {
  std::filesystem::path folder = "models";
  bool smoke = false;
  for (int i = 1; i < count; ++i) {
    if (std::string_view(words[i]) == "--smoke") {
      smoke = true;
    } else {
      folder = words[i];
    }
  }
  try {
    return cmc::run(folder, smoke);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_mechanisms: {}\n", error.what());
    return 2;
  }
}
