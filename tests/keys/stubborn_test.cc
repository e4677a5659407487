#include "checker/por/stubborn.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "checker/generator/wrappers/spin_steps.h"
#include "checker/keys/key_generator.h"
#include "checker/reference/reference.h"
#include "checker/vm/generator.h"
#include "tests/keys/steps.h"
#include "tests/random/profile.h"
#include "tests/random/random_model.h"
#include "tests/support/compile.h"
#include "tests/support/part_of_day.h"

#include "tests/catch.h"

// What the theory asks of a choice (Valmari, Hansen, "Stubborn set intuition explained", 2017), decided by brute
// force: by following the other processes with the reference interpreter.

namespace cmc::test {
namespace {

constexpr int kDepth = 5;             // steps of others that are followed
constexpr size_t kMostFollowed = 60;  // states, for one choice

// A step: its statements, and where it leads.
struct Taken {
  uint8_t pid = 0;
  std::vector<Step> path;
  Bytes to;
};

// The reference interpreter's steps, by state and process.
class Steps {
 public:
  explicit Steps(const Model& model)
      : model_(model), reference_(make_reference_generator(model, nullptr, ReferenceSteps::kSpin)) {}

  [[nodiscard]] Bytes initial() {
    SuccessorBatch batch;
    reference_->initial(batch);
    return batch.entries.empty() ? Bytes() : state_of(batch, batch.entries.front());
  }
  // In the order of the engines: the youngest process first.
  const std::vector<Taken>& of(const Bytes& state) {
    const auto [found, is_new] = known_.try_emplace(state);
    std::vector<Taken>& all = found->second;
    if (!is_new) return all;
    for (uint32_t pid = load<uint8_t>(state.data() + model_.process_count_offset()); pid-- > 0;) {
      SuccessorBatch batch;
      reference_->process_successors(state, static_cast<uint8_t>(pid), false, nullptr, batch);
      for (const SuccessorBatch::Entry& entry : batch.entries) {
        const auto begin = batch.steps.begin() + static_cast<ptrdiff_t>(entry.path_begin);
        all.push_back({static_cast<uint8_t>(pid),
                       {begin, begin + static_cast<ptrdiff_t>(entry.path_count)},
                       state_of(batch, entry)});
      }
    }
    return all;
  }

 private:
  [[nodiscard]] Bytes state_of(const SuccessorBatch& batch, const SuccessorBatch::Entry& entry) const {
    const ByteView view = batch.state(entry);
    Bytes state(view.begin(), view.end());
    std::fill_n(state.begin(), model_.hidden_bytes, std::byte{0});
    return state;
  }

  const Model& model_;
  const std::unique_ptr<SuccessorGenerator> reference_;
  std::map<Bytes, std::vector<Taken>> known_;
};

// Successors as a reduced search takes them.
class Reduced {
 public:
  Reduced(const Model& model, const Bytes& initial)
      : space_(model),
        generator_(close_atomic_chains(make_vm_generator(model), model)),
        sets_(space_.components(), initial),
        initial_(initial) {
    space_.set_initial(initial);
    begin();
  }

  std::vector<Bytes> of(const Bytes& state) {
    KeyBuffer<kWords> successors;
    while (!expand(state, successors)) {
      REQUIRE(space_.relayout(0));
      REQUIRE(space_.layout().words() <= kWords);
      begin();
    }
    std::vector<Bytes> states(successors.size());
    for (size_t i = 0; i < states.size(); ++i) space_.unpack(successors[i].data(), states[i]);
    return states;
  }

 private:
  bool expand(const Bytes& state, KeyBuffer<kWords>& successors) {
    Key<kWords> key{};
    if (!space_.difference(Key<kWords>{}.data(), initial_, state, KeySpace::kAll, key.data())) return false;
    ExpansionFlags flags;
    successors.clear();
    const auto using_memo = keys_->use_memo();
    return keys_->expand(key, successors, flags) == KeyGenerator<kWords>::Expanded::kAll;
  }
  void begin() {
    keys_.reset();
    memo_ = std::make_unique<StepMemo<kWords>>(space_.layout(), uint64_t{8} << 20, 1);
    keys_ = std::make_unique<KeyGenerator<kWords>>(space_, *generator_, observer_, *memo_, 0,
                                                   StepOptions{.sets = &sets_});
  }

  KeySpace space_;
  const std::unique_ptr<SuccessorGenerator> generator_;
  StubbornSets sets_;
  const Bytes initial_;
  Nobody observer_;
  std::unique_ptr<StepMemo<kWords>> memo_;
  std::unique_ptr<KeyGenerator<kWords>> keys_;
};

struct Judged {
  uint64_t states = 0;
  uint64_t choices = 0;  // states in which processes were left out
  std::string fault;
};

class Judge {
 public:
  Judge(const Model& model, size_t most_states)
      : steps_(model), initial_(steps_.initial()), reduced_(model, initial_), most_states_(most_states) {}

  // Of the states that a reduced search reaches.
  Judged run() {
    Judged judged;
    add(initial_);
    for (size_t i = 0; i < states_.size() && judged.fault.empty(); ++i) {
      if (states_.size() > most_states_) return judged;  // it says nothing about cycles
      const Bytes state = states_[i];
      const std::vector<Bytes> chosen = reduced_.of(state);
      ++judged.states;
      Node node;
      for (const Bytes& each : chosen) node.successors.push_back(add(each));
      node.partial = chosen.size() < steps_.of(state).size();
      nodes_.push_back(std::move(node));
      if (!nodes_.back().partial) continue;
      ++judged.choices;
      judged.fault = fault_of(state, chosen);
    }
    if (judged.fault.empty() && puts_off()) judged.fault = "a cycle without a state in which all steps are taken";
    return judged;
  }

 private:
  struct Node {
    std::vector<size_t> successors;
    bool partial = false;
  };

  size_t add(const Bytes& state) {
    const auto [found, is_new] = numbers_.try_emplace(state, states_.size());
    if (is_new) states_.push_back(state);
    return found->second;
  }

  // The sets of processes whose steps these may be: more than one if processes lead to the same states.
  static void find_sets(const std::vector<Taken>& all, size_t at, const std::vector<Bytes>& chosen, size_t taken,
                        uint64_t set, std::vector<uint64_t>& sets) {
    if (at == all.size()) {
      if (taken == chosen.size()) sets.push_back(set);
      return;
    }
    size_t end = at;
    bool fits = true;
    for (; end < all.size() && all[end].pid == all[at].pid; ++end) {
      const size_t index = taken + (end - at);
      fits = fits && index < chosen.size() && chosen[index] == all[end].to;
    }
    if (fits) find_sets(all, end, chosen, taken + (end - at), set | uint64_t{1} << all[at].pid, sets);
    find_sets(all, end, chosen, taken, set, sets);
  }

  std::string fault_of(const Bytes& state, const std::vector<Bytes>& chosen) {
    std::vector<uint64_t> sets;
    find_sets(steps_.of(state), 0, chosen, 0, 0, sets);
    if (sets.empty()) return "other steps than those of some processes";
    std::string fault;
    for (const uint64_t set : sets) {
      fault = fault_of(state, set);
      if (fault.empty()) break;
    }
    return fault;
  }

  // Follows the processes that are not in the set. Wherever they come, the set has the steps that it had, and each
  // can be exchanged with theirs.
  std::string fault_of(const Bytes& state, uint64_t set) {
    std::vector<Bytes> level{state};
    std::set<Bytes> seen{state};
    for (int depth = 0; depth < kDepth && !level.empty(); ++depth) {
      std::vector<Bytes> next;
      for (const Bytes& from : level) {
        const std::vector<Taken>& all = steps_.of(from);
        for (const Taken& other : all) {
          if ((set >> other.pid & 1) != 0) continue;
          if (const std::string fault = exchange(all, other, set); !fault.empty())
            return fmt::format("{}, {} steps on, process {} at location {}", fault, depth, other.pid,
                               other.path.front().location);
          if (seen.size() < kMostFollowed && seen.insert(other.to).second) next.push_back(other.to);
        }
      }
      level = std::move(next);
    }
    return "";
  }

  std::string exchange(const std::vector<Taken>& all, const Taken& other, uint64_t set) {
    const std::vector<Taken>& behind = steps_.of(other.to);
    const auto inside = [&](const Taken& each) { return (set >> each.pid & 1) != 0; };
    if (std::ranges::count_if(behind, inside) != std::ranges::count_if(all, inside))
      return "a chosen process gets or loses steps";
    for (const Taken& chosen : all) {
      if (!inside(chosen)) continue;
      const auto same = [](const Taken& a, const Taken& b) { return a.pid == b.pid && a.path == b.path; };
      const bool both = std::ranges::any_of(behind, [&](const Taken& second) {
        if (!same(second, chosen)) return false;
        return std::ranges::any_of(steps_.of(chosen.to),
                                   [&](const Taken& last) { return same(last, other) && last.to == second.to; });
      });
      if (!both) return fmt::format("a step of process {} does not commute", chosen.pid);
    }
    return "";
  }

  // Whether there is a cycle of states in each of which processes were left out.
  [[nodiscard]] bool puts_off() const {
    std::vector<size_t> left(nodes_.size());  // partial successors that can still be on a cycle
    std::vector<std::vector<size_t>> before(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      for (const size_t successor : nodes_[i].successors) {
        if (!nodes_[successor].partial) continue;
        ++left[i];
        before[successor].push_back(i);
      }
    }
    std::vector<size_t> done;
    size_t partial = 0;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (!nodes_[i].partial) continue;
      ++partial;
      if (left[i] == 0) done.push_back(i);
    }
    for (size_t i = 0; i < done.size(); ++i) {
      for (const size_t source : before[done[i]]) {
        if (nodes_[source].partial && --left[source] == 0) done.push_back(source);
      }
    }
    return done.size() < partial;
  }

  Steps steps_;
  const Bytes initial_;
  Reduced reduced_;
  const size_t most_states_;
  std::vector<Bytes> states_;
  std::map<Bytes, size_t> numbers_;
  std::vector<Node> nodes_;
};

// Nothing: it cannot be reduced, or has no initial state.
std::optional<Judged> judge(const Model& model, size_t most_states) {
  if (StubbornSets::obstacle(model) != nullptr) return std::nullopt;
  if (Steps(model).initial().empty()) return std::nullopt;
  return Judge(model, most_states).run();
}

TEST_CASE("stubborn sets: chosen steps commute with all that others can do: models that were written against it") {
  uint64_t choices = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CMC_SOURCE_DIR "/tests/data/reductions")) {
    if (entry.path().extension() != ".pml") continue;
    const std::optional<Judged> judged = judge(compile_file(entry.path()), 2000);
    if (!judged) continue;
    INFO(entry.path().filename().string());
    CHECK(judged->fault == "");
    choices += judged->choices;
  }
  CHECK(choices > 300);
}

void judge_random_models(uint64_t from, uint64_t to, const PartOfDay* part = nullptr) {
  uint64_t choices = 0;
  uint64_t tried = 0;
  for (uint64_t seed = from; seed < to; ++seed) {
    if (part != nullptr && !part->has(seed)) continue;
    ++tried;
    const random::Profile& usual = random::profiles()[seed % random::profiles().size()];
    const random::Profile& profile = seed % 2 == 0 ? *random::find_profile("reductions") : usual;
    std::optional<Model> model;
    try {
      model = compile_text(random::random_model(seed, profile));
    } catch (const std::runtime_error&) {
      continue;
    }
    const std::optional<Judged> judged = judge(*model, 300);
    if (!judged) continue;
    INFO(seed << " " << profile.name);
    CHECK(judged->fault == "");
    choices += judged->choices;
  }
  CHECK(choices > 10 * tried);
}

TEST_CASE("stubborn sets: chosen steps commute with all that others can do: random models") {
  judge_random_models(0, 100);
}

TEST_CASE("stubborn sets: chosen steps commute with all that others can do: many random models", "[.][slow]") {
  const PartOfDay part;
  judge_random_models(1000, 21000, &part);
}

}  // namespace
}  // namespace cmc::test
