#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "checker/generator/reference.h"
#include "checker/vm/generator.h"
#include "tests/vm/model_builder.h"

// Successors per CPU second of a generator, without any store: a sample of reachable states is collected first, then
// expanded again and again.
//
//   bench_vm [vm|reference] [processes] [millions of successors]

namespace {

using namespace cmc;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::string key(ByteView state) { return {reinterpret_cast<const char*>(state.data()), state.size()}; }

std::vector<Bytes> sample_states(SuccessorGenerator& generator, size_t wanted) {
  std::vector<Bytes> states;
  std::unordered_set<std::string> seen;
  const auto add = [&](const SuccessorBatch& batch) {
    for (const SuccessorBatch::Entry& entry : batch.entries) {
      const ByteView state = batch.state(entry);
      if (states.size() < wanted && seen.insert(key(state)).second) states.emplace_back(state.begin(), state.end());
    }
  };
  SuccessorBatch batch;
  generator.initial(batch);
  add(batch);
  for (size_t i = 0; i < states.size() && states.size() < wanted; ++i) {
    batch.clear();
    generator.successors(ByteView(states[i]), batch);
    add(batch);
  }
  return states;
}

}  // namespace

int main(int argc, char** argv) {
  const bool reference = argc > 1 && std::strcmp(argv[1], "reference") == 0;
  const int processes = argc > 2 ? std::atoi(argv[2]) : 4;
  const uint64_t goal = (argc > 3 ? static_cast<uint64_t>(std::atoll(argv[3])) : 20) * 1'000'000;
  const Model model = vm::test::peterson(processes);
  const std::unique_ptr<SuccessorGenerator> generator =
      reference ? make_reference_generator(model) : make_vm_generator(model);
  const std::vector<Bytes> states = sample_states(*generator, 100'000);
  SuccessorBatch batch;
  uint64_t successors = 0;
  uint64_t expanded = 0;
  const double begin = cpu_seconds();
  while (successors < goal) {
    for (const Bytes& state : states) {
      batch.clear();
      generator->successors(ByteView(state), batch);
      successors += batch.entries.size();
    }
    expanded += states.size();
  }
  const double seconds = cpu_seconds() - begin;
  std::printf("%s, Peterson with %d processes: %zu states sampled, %.2f successors per state\n",
              reference ? "reference" : "vm", processes, states.size(),
              static_cast<double>(successors) / static_cast<double>(expanded));
  std::printf("%.2f million successors per CPU second (%.1f ns each)\n", static_cast<double>(successors) / seconds / 1e6,
              seconds / static_cast<double>(successors) * 1e9);
  return 0;
}
