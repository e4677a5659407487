#include <map>
#include <mutex>
#include <random>

#include "base/process_memory.h"
#include "base/sanitizers.h"
#include "checker/checkpoint/checkpoints.h"
#include "checker/result/progress.h"
#include "checker/result/turn.h"
#include "tests/solver_guards/engines.h"
#include "tests/solver_guards/texts.h"
#include "tests/support/ballast.h"
#include "tests/support/model_files.h"
#include "tests/support/same_results.h"
#include "tests/support/temporary_folder.h"

// A search that does not wait for the answers about its guards, whenever they come, finds what one finds that waits.

namespace cmc::test {
namespace {

using Order = SearchOptions::Order;

// Says "pending" when a question comes up; the answer comes some questions later, or when somebody waits for one, in
// any order. A part of the questions is never decided.
class LateDecider final : public GuardDecider, public PendingGuards {
 public:
  struct Habits {
    unsigned undecided_percent = 0;
    unsigned hurry_percent = 0;  // that an answer comes while others ask
    unsigned seed = 1;
  };
  LateDecider(const Model& model, Habits habits) : model_(model), habits_(habits), random_(habits.seed) {}

  GuardAnswer decide(const GuardQuestion& question) override {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = asked_.try_emplace(key_of(question));
    Asked& asked = place->second;
    if (is_new) {
      asked.number = static_cast<uint32_t>(asked_.size());
      asked.answer = at_once(question);
      open_.push_back(&asked);
    }
    if (random_() % 100 < habits_.hurry_percent) answer_one();
    if (asked.answered) return asked.answer;
    ++pending_;
    GuardAnswer pending;
    pending.outcome = GuardAnswer::Outcome::kPending;
    pending.question = asked.number;
    return pending;
  }
  // What a decider says that waits.
  GuardAnswer at_once(const GuardQuestion& question) const {
    const bool undecided = std::hash<std::string>()(key_of(question)) % 100 < habits_.undecided_percent;
    return undecided ? GuardAnswer{} : try_tuples(model_, question, kTriedTuples);
  }

  std::vector<uint32_t> answered() override {
    const std::lock_guard lock(mutex_);
    some_answered_ = false;
    return std::exchange(to_tell_, {});
  }
  bool some_answered() const override { return some_answered_; }
  void wait(double) override {
    const std::lock_guard lock(mutex_);
    if (++waits_ == 1) questions_before_waiting_ = asked_.size();
    answer_one();
  }

  unsigned pending() const { return pending_; }
  unsigned waits() const { return waits_; }
  size_t questions() const { return asked_.size(); }
  size_t questions_before_waiting() const { return questions_before_waiting_; }

 private:
  struct Asked {
    uint32_t number = 0;
    GuardAnswer answer;
    bool answered = false;
  };
  static std::string key_of(const GuardQuestion& question) {
    std::string key = std::to_string(question.guard) + "/" + std::to_string(static_cast<int>(question.goal));
    for (const ParameterValue& each : question.parameters)
      key += each.defined ? " " + std::to_string(each.value) : " -";
    for (const IntRange& each : question.ranges)
      key += " " + std::to_string(each.low) + ".." + std::to_string(each.high);
    return key;
  }
  void answer_one() {
    if (open_.empty()) return;
    std::swap(open_[random_() % open_.size()], open_.back());
    open_.back()->answered = true;
    to_tell_.push_back(open_.back()->number);
    some_answered_ = true;
    open_.pop_back();
  }

  const Model& model_;
  const Habits habits_;
  std::mutex mutex_;
  std::mt19937 random_;
  std::map<std::string, Asked> asked_;
  std::vector<Asked*> open_;
  std::vector<uint32_t> to_tell_;
  std::atomic<bool> some_answered_ = false;
  unsigned pending_ = 0;
  unsigned waits_ = 0;
  size_t questions_before_waiting_ = 0;
};

class Waiting final : public GuardDecider {
 public:
  explicit Waiting(LateDecider& decider) : decider_(decider) {}
  GuardAnswer decide(const GuardQuestion& question) override { return decider_.at_once(question); }

 private:
  LateDecider& decider_;
};

// With caches that are too small for the texts below.
SearchOptions on_disk(SearchOptions options) {
  options.store.from_start = true;
  options.store.bloom_bits = 1 << 12;
  options.store.lossy_capacity = 500;
  options.store.lookup_buffer = 200;
  options.store.partitions = 3;
  return options;
}

// Returns how often a search met a question without an answer.
unsigned compare(const Model& model, std::initializer_list<uint32_t> threads, unsigned seeds) {
  unsigned pending = 0;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    for (const unsigned undecided_percent : {0u, 30u}) {
      for (const unsigned hurry_percent : {0u, 20u, 90u}) {
        const LateDecider::Habits habits{undecided_percent, hurry_percent, seed};
        LateDecider reference(model, habits);
        Waiting waiting(reference);
        const Found expected = run_fast(model, &waiting, Order::kDepthFirst, 2);
        for (const Order order : {Order::kDepthFirst, Order::kBreadthFirst}) {
          for (const uint32_t count : threads) {
            for (const bool store : {false, true}) {
              INFO(undecided_percent << " % undecided, " << hurry_percent << " % in a hurry, seed " << seed << ", "
                                     << (order == Order::kDepthFirst ? "depth" : "breadth") << " first, " << count
                                     << " threads, " << (store ? "on disk" : "in RAM"));
              LateDecider decider(model, habits);
              SearchOptions options = all_errors(order, count);
              CHECK(run_parking(model, decider, decider, store ? on_disk(options) : options) == expected);
              if (decider.questions() > 0 && hurry_percent == 0) CHECK(decider.pending() > 0);
              pending += decider.pending();
            }
          }
        }
        for (const uint32_t count : threads) {
          INFO(undecided_percent << " % undecided, " << hurry_percent << " % in a hurry, seed " << seed << ", "
                                 << count << " threads, in rounds");
          LateDecider decider(model, habits);
          SearchOptions options = on_disk(all_errors(Order::kAuto, count));
          options.store.beyond = Beyond::kSorted;
          CHECK(run_parking(model, decider, decider, options) == expected);
        }
      }
    }
  }
  return pending;
}

TEST_CASE("parking: a search that does not wait finds the same: small texts", "[long]") {
  for (const GuardText& each : kTexts) {
    INFO(each.name);
    static_cast<void>(compare(compile_s(each.text), {1, 3}, 1));
  }
}

TEST_CASE("parking: a search that does not wait finds the same: shipped models") {
  for (const char* name : {"banker", "key_agreement", "schedule", "sequence_window"}) {
    INFO(name);
    const Model model = compile_file(std::string(CMC_SOURCE_DIR) + "/models/solver/" + name + ".pml");
    CHECK(compare(model, {1, 2}, 1) > 10);
  }
}

// Two questions in many states, and keys that grow.
constexpr const char* kLong =
    "byte a, b, hits; short n; active proctype P() { do :: a < SIZE -> if :: exists (k: 0 .. 7) (k * k % 13 == (a + "
    "b) % 13) -> "
    "hits++ :: else fi; a++ :: else -> break od } active proctype Q() { do :: b < SIZE -> choose (n: 0 .. 2) where "
    "((n + a * 7 + b) % 5 < 3); b++ :: else -> break od; assert(hits != SIZE / 2) }";

TEST_CASE("parking: a search that does not wait finds the same: keys that grow", "[long]") {
  CHECK(compare(compile_text(kLong, {"PROMELA_S", "SIZE=9"}), {1, 4}, 2) > 1000);
}

// That of a search which lets others go on whenever it looks at its limits.
class ShortTurn final : public Turn {
 public:
  bool is_over() override { return true; }
  void wait() override { ++waits_; }
  bool must_set_aside() override { return false; }
  void wait_for_disk() override {}
  void found(uint64_t) override {}
  bool has_enough(uint64_t, uint64_t) override { return false; }
  double seconds_left() override { return 1000; }
  unsigned waits() const { return waits_; }

 private:
  unsigned waits_ = 0;
};

TEST_CASE("parking: a search that waits for answers lets others go on") {
  const Model model = compile_text(kLong, {"PROMELA_S", "SIZE=4"});
  for (const Order order : {Order::kDepthFirst, Order::kBreadthFirst}) {
    const Found expected = run_fast(model, nullptr, order, 1);
    for (const uint32_t threads : {1u, 3u}) {
      INFO((order == Order::kDepthFirst ? "depth" : "breadth") << " first, " << threads << " threads");
      ShortTurn turn;
      LateDecider decider(model, {});
      SearchOptions options = all_errors(order, threads);
      options.turn = &turn;
      CHECK(run_parking(model, decider, decider, options) == expected);
      CHECK(turn.waits() > 0);
    }
  }
}

TEST_CASE("parking: a search that does not wait finds the same: gone over to the disk") {
  const Model model = compile_text(kLong, {"PROMELA_S", "SIZE=20"});
  const Ballast ballast;
  for (const Order order : {Order::kDepthFirst, Order::kBreadthFirst}) {
    const Found expected = run_fast(model, nullptr, order, 2);
    for (const uint32_t threads : {1u, 3u}) {
      INFO((order == Order::kDepthFirst ? "depth" : "breadth") << " first, " << threads << " threads");
      LateDecider decider(model, {0, 5, threads});
      SearchOptions options = all_errors(order, threads);
      options.store.enabled = true;
      options.memory_limit_bytes = Ballast::limit_reached();
      options.pending_guards = &decider;
      const auto result = run_key_search(
          model, [&] { return vm_in_spin_steps(model, &decider); }, options);
      REQUIRE(result.has_value());
      CHECK(result->statistics.store.has_value());
      CHECK(found_in(*result) == expected);
    }
  }
}

#if !CMC_ADDRESS_SANITIZER && !CMC_THREAD_SANITIZER  // whose own memory reaches the limit too early
// Its guard is looked at in a few of the states only, so many are found while some are parked.
constexpr const char* kWide = R"(
byte a, b, c, s, hits;
active proctype A() { do :: a < 12 -> a++ :: else -> a = 0 od }
active proctype B() { do :: b < 12 -> b++ :: else -> b = 0 od }
active proctype C() { do :: c < 14 -> c++ :: else -> c = 0 od }
active proctype S() {
  do
  :: a == 3 && b == 4 && s < 19 && exists (k : 0 .. 7) ((k * k + s * 60 + c * 4 + hits * 1200) % 13 < 2) -> s++
  :: s == 19 && a == 11 -> hits = (hits + 1) % 3; assert(hits < 2 || b * c < 12 * 14); s = 0
  od
})";

TEST_CASE("parking: a search that does not wait finds the same: handed over to the disk", "[long]") {
  struct Restarts final : SearchObserver {
    void on_progress(const Progress&) override {}
    void on_restart(uint64_t) override { ++count; }
    int count = 0;
  };
  const Model model = compile_text(kWide, {"PROMELA_S"});
  const Found expected = run_fast(model, nullptr, Order::kDepthFirst, 2);
  const Ballast ballast;
  for (const Beyond beyond : {Beyond::kCached, Beyond::kSorted}) {
    for (const uint32_t threads : {1u, 3u}) {
      INFO((beyond == Beyond::kCached ? "cached" : "sorted") << ", " << threads << " threads");
      LateDecider decider(model, {0, 0, threads});
      SearchOptions options = all_errors(Order::kAuto, threads);
      options.store.enabled = true;
      options.store.beyond = beyond;
      options.memory_limit_bytes = resident_bytes() + (uint64_t{5} << 20);
      options.pending_guards = &decider;
      Restarts restarts;
      const auto result = run_key_search(
          model, [&] { return vm_in_spin_steps(model, &decider); }, options, &restarts);
      REQUIRE(result.has_value());
      CHECK(restarts.count == 0);
      CHECK(result->states_before_store >= uint64_t{1} << 18);
      CHECK(found_in(*result) == expected);
      require_confirmed(*result, model, nullptr);
    }
  }
}
#endif

// Interrupted behind each checkpoint; what was asked is forgotten then.
SearchResult run_in_parts(const Model& model, LateDecider::Habits habits, SearchOptions options) {
  TemporaryFolder folder(TemporaryFolder::Where::kMemory);
  std::atomic<bool> interrupted{false};
  options.interrupt = &interrupted;
  unsigned pending = 0;
  for (unsigned number = 0;; ++number) {
    const auto run = number == 0 ? Checkpoints::create(folder.path() + "/run", RunFile())
                                 : Checkpoints::open(folder.path() + "/run");
    REQUIRE(run.ok());
    run.value()->timing = {0, 8 * (1 + number)};  // so that at last there is time for all answers
    run.value()->on_commit = [&](const Manifest&) { interrupted = true; };
    interrupted = false;
    options.checkpoints = run.value().get();
    options.resumes = number > 0;
    LateDecider decider(model, habits);
    options.pending_guards = &decider;
    auto result = run_key_search(
        model, [&] { return vm_in_spin_steps(model, &decider); }, options);
    REQUIRE(result.has_value());
    pending += decider.pending();
    if (!result->all_expanded) continue;
    CHECK((number > 2 && pending > 0));
    return std::move(*result);
  }
}

TEST_CASE("parking: a search in parts is one search") {
  const Model model = compile_text(kLong, {"PROMELA_S", "SIZE=9"});
  for (const Order order : {Order::kDepthFirst, Order::kBreadthFirst, Order::kAuto}) {
    for (const bool store : {false, true}) {
      INFO("order " << static_cast<int>(order) << (store ? ", on disk" : ", in RAM"));
      SearchOptions options = all_errors(order, 1);
      if (store) options = on_disk(options);
      if (order == Order::kAuto) options.store.beyond = Beyond::kSorted;
      const auto whole = run_key_search(
          model, [&] { return vm_in_spin_steps(model, nullptr); }, options);
      REQUIRE((whole.has_value() && whole->error_count > 0));
      for (const unsigned hurry_percent : {0u, 20u}) {
        const SearchResult parts = run_in_parts(model, {0, hurry_percent, 1}, options);
        check_same_figures(parts, *whole);
        CHECK(errors_of(parts) == errors_of(*whole));
      }
    }
  }
}

TEST_CASE("parking: a question that comes up in the initial state is waited for") {
  const Model model =
      compile_s("bool z = exists (k: 0 .. 3) (k == 2); active proctype P() { assert(z); assert(!z) }");
  LateDecider decider(model, {});
  CHECK(run_parking(model, decider, decider, Order::kDepthFirst, 1) == run_simple(model, nullptr));
  CHECK(decider.waits() == 1);
}

TEST_CASE("parking: other states do not wait for a state whose guard is pending") {
  // Nothing is answered before somebody waits: by then the other process has done everything that it can.
  const Model model = compile_s(
      "byte x, y; active proctype P() { choose (x: 0 .. 1) where (x == 1) } active proctype Q() { do :: y < 200 -> "
      "y++ :: else "
      "-> break od }");
  for (const Order order : {Order::kDepthFirst, Order::kBreadthFirst}) {
    LateDecider decider(model, {});
    CHECK(run_parking(model, decider, decider, order, 1) == run_simple(model, nullptr));
    CHECK(decider.questions() == 1);
    CHECK(decider.waits() == 1);
  }
}

TEST_CASE("parking: a question does not wait for another one that it does not depend on") {
  const Model model =
      compile_s("byte x; active [4] proctype P() { exists (k: 0 .. 9) (k * 3 == _pid + x); x = x + 1 }");
  for (const Order order : {Order::kDepthFirst, Order::kBreadthFirst}) {
    LateDecider decider(model, {});
    CHECK(run_parking(model, decider, decider, order, 1) == run_simple(model, nullptr));
    CHECK(decider.questions_before_waiting() == 4);
  }
}

TEST_CASE("parking: enabled and priorities wait for a guard that is pending", "[long]") {
  const char* const texts[] = {
      "byte x; active proctype A() { exists (k: 0 .. 1) (k == x); x = 2 } active proctype B() { do :: x < 9 -> if :: "
      "enabled(0) -> "
      "x++ :: else -> x = x + 3 fi :: else -> break od }",
      "byte x = 5; active proctype A() priority 9 { exists (k: 0 .. 1) (k == x); x = 2 } active proctype B() { do :: "
      "x > 0 -> x-- "
      ":: else -> break od }",
      "byte x; active proctype A() priority 9 { exists (k: 0 .. 1) (k == x); x = 2 } active proctype B() { x++ } "
      "active proctype "
      "C() { exists (k: 1 .. 2) (k == x + enabled(0)); x = x + 5 }",
  };
  for (const char* text : texts) {
    INFO(text);
    CHECK(compare(compile_s(text), {1, 2}, 3) > 0);
  }
}

TEST_CASE("parking: a stopped search does not wait for answers") {
  const Model model = compile_text(kLong, {"PROMELA_S", "SIZE=12"});
  class Never final : public GuardDecider, public PendingGuards {
   public:
    GuardAnswer decide(const GuardQuestion&) override {
      GuardAnswer pending;
      pending.outcome = GuardAnswer::Outcome::kPending;
      pending.question = 1;
      return pending;
    }
    std::vector<uint32_t> answered() override { return {}; }
    bool some_answered() const override { return false; }
    void wait(double) override {}
  } never;
  for (const Order order : {Order::kDepthFirst, Order::kBreadthFirst}) {
    for (const uint32_t threads : {1u, 3u}) {
      for (const bool store : {false, true}) {
        SearchOptions options = all_errors(order, threads);
        if (store) options = on_disk(options);
        options.time_limit_seconds = 0.1;
        CHECK(run_parking(model, never, never, options).reasons == std::set<std::string>{"time"});
      }
    }
  }
}

}  // namespace
}  // namespace cmc::test
