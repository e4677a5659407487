#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "checker/reference/reference.h"
#include "checker/vm/generator.h"
#include "promela/compile.h"
#include "tests/vm/peterson.h"

// Successors per CPU second of a generator, without any store: a sample of reachable states is collected first, then
// expanded again and again.
//
//   bench_vm [vm|reference] [MODEL, or number of processes of Peterson's protocol] [millions of successors]

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

std::optional<Model> model_of(const std::string& name) {
  if (const int processes = std::atoi(name.c_str())) return test::peterson(processes);
  promela::Sources sources;
  promela::Diagnostics diagnostics(sources);
  Result<uint32_t> file = sources.load(name);
  if (!file.ok()) return std::nullopt;
  promela::CompileOptions options;
  options.preprocessor.include_directories = {std::filesystem::path(name).parent_path().string()};
  std::optional<Model> model = promela::compile(sources, file.value(), options, diagnostics);
  std::fputs(diagnostics.render(false).c_str(), stderr);
  return model;
}

}  // namespace

int main(int argc, char** argv) {
  const bool reference = argc > 1 && std::strcmp(argv[1], "reference") == 0;
  const std::string name = argc > 2 ? argv[2] : "4";
  const uint64_t goal = (argc > 3 ? static_cast<uint64_t>(std::atoll(argv[3])) : 20) * 1'000'000;
  const std::optional<Model> model = model_of(name);
  if (!model) return 2;
  const std::unique_ptr<SuccessorGenerator> generator =
      reference ? make_reference_generator(*model) : make_vm_generator(*model);
  const std::vector<Bytes> states = sample_states(*generator, 10'000);
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
  std::printf("%s, %s: %zu states sampled, %.2f successors per state\n", reference ? "reference" : "vm", name.c_str(),
              states.size(), static_cast<double>(successors) / static_cast<double>(expanded));
  std::printf("%.2f million successors per CPU second (%.1f ns each)\n",
              static_cast<double>(successors) / seconds / 1e6, seconds / static_cast<double>(successors) * 1e9);
  return 0;
}
