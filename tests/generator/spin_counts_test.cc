#include "checker/generator/spin_steps.h"
#include "ir/effects.h"
#include "promela/compile.h"
#include "tests/generator/explore.h"
#include "tests/generator/spin_cases.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

Model compile_case(const SpinCase& c) {
  promela::Sources sources;
  promela::Diagnostics diagnostics(sources);
  auto model = promela::compile(sources, sources.add(c.name, c.text), {.validate = true}, diagnostics);
  INFO(c.name << "\n" << diagnostics.render(false));
  REQUIRE(model.has_value());
  for (const std::string& problem : validate(*model)) FAIL_CHECK(problem);
  return std::move(*model);
}

TEST_CASE("counts: small models have the counts of SPIN") {
  for (const SpinCase& c : kSpinCases) {
    const Model model = compile_case(c);
    INFO(c.name);
    Explorer explorer(model, close_atomic_chains(make_reference_generator(model), model));
    const Explorer::Counts counts = explorer.explore();
    CHECK(counts.states == c.states);
    CHECK(counts.transitions == c.transitions);
    CHECK(counts.errors.size() == c.errors);
  }
}

bool contains(const std::vector<uint32_t>& list, size_t value) {
  return std::find(list.begin(), list.end(), static_cast<uint32_t>(value)) != list.end();
}

// What a step changed outside the frame of the process that took it, and `effects` did not foresee.
std::string unforeseen(const Model& model, const Effects& effects, uint32_t pid, const Explorer& explorer,
                       const Bytes& before, const Bytes& after) {
  if (effects.writes.everything) return "";
  const auto differs = [&](size_t begin, size_t size) {
    return std::memcmp(before.data() + begin, after.data() + begin, size) != 0;
  };
  for (size_t i = 0; i < model.globals.size(); ++i) {
    const Variable& variable = model.globals[i];
    size_t size = variable.type.bytes;
    size_t elements = 1;
    for (const auto& dimension : variable.dimensions) {
      size += (dimension.count - 1) * dimension.stride;
      elements *= dimension.count;
    }
    // Fields of an array of structures are interleaved; the extent of one then covers others too.
    const bool interleaved = size != elements * variable.type.bytes;
    if (!interleaved && differs(variable.offset, size) && !contains(effects.writes.globals, i)) return variable.name;
  }
  for (size_t i = 0; i < model.channels.size(); ++i) {
    const size_t size = model.channel_types[model.channels[i].type].bytes();
    if (differs(model.channels[i].offset, size) && !contains(effects.writes.channels, i))
      return model.channels[i].name;
  }
  if (explorer.processes(before) != explorer.processes(after)) return effects.writes.processes ? "" : "processes";
  for (uint32_t other = 0; other < explorer.processes(before); ++other) {
    const uint32_t frame = explorer.frame(before, other);
    if (other == pid) continue;
    if (differs(frame + kFramePriority, 1) && !effects.writes.priorities) return "a priority";
    if (differs(frame + kFrameLocation, 2) && !effects.writes.other_locations) return "a location";
    const uint32_t size = model.proctypes[static_cast<size_t>(before[frame])].frame_bytes - kFrameHeaderBytes;
    if (differs(frame + kFrameHeaderBytes, size) && !effects.writes.other_locals && !effects.writes.any_channel) {
      return "a local";
    }
  }
  return "";
}

TEST_CASE("counts: a step writes only what effects() foresaw") {
  for (const SpinCase& c : kSpinCases) {
    const Model model = compile_case(c);
    const ModelEffects all = effects(model);
    Explorer explorer(model);
    std::set<Bytes> seen{explorer.initial()};
    std::vector<Bytes> open{explorer.initial()};
    while (!open.empty() && seen.size() < 2000) {
      const Bytes state = open.back();
      open.pop_back();
      const SuccessorBatch batch = explorer.expand(state);
      for (size_t i = 0; i < batch.entries.size(); ++i) {
        Bytes successor = Explorer::copy(batch, i);
        // Of several steps (d_steps in the middle of a rendezvous) the handshake is the last.
        const SuccessorBatch::Entry& entry = batch.entries[i];
        const Step& step = batch.steps[entry.path_begin + entry.path_count - 1];
        const size_t proctype = static_cast<size_t>(state[explorer.frame(state, step.pid)]);
        const Effects& foreseen = all.locations[proctype][step.location];
        const std::string missed = unforeseen(model, foreseen, step.pid, explorer, state, successor);
        if (!missed.empty())
          FAIL_CHECK(c.name << ": " << missed << " by pid " << int{step.pid} << " at " << step.location);
        if (seen.insert(successor).second) open.push_back(std::move(successor));
      }
    }
  }
}

}  // namespace
}  // namespace cmc::test
