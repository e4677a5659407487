#include "checker/native/generator.h"

#include "base/fine_clock.h"
#include "base/quick_random.h"
#include "checker/generator/stepper.h"
#include "checker/native/machine.h"
#include "checker/vm/generator.h"

namespace cmc {

static_assert(Machine<native::NativeMachine>);

namespace {

class ChangingGenerator final : public SuccessorGenerator {
 public:
  ChangingGenerator(const Model& model, native::Build& build, GuardDecider* decider)
      : model_(model), build_(build), decider_(decider), current_(make_vm_generator(model, decider)) {}

  void initial(SuccessorBatch& out) override {
    ask([&] { current_->initial(out); });
  }
  void successors(ByteView state, SuccessorBatch& out) override {
    ask([&] { current_->successors(state, out); });
  }
  bool process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace,
                          SuccessorBatch& out) override {
    return ask([&] { return current_->process_successors(state, pid, timeout, trace, out); });
  }
  void claim_moves(ByteView state, bool timeout, TouchTrace* trace, SuccessorBatch& out) override {
    ask([&] { current_->claim_moves(state, timeout, trace, out); });
  }
  [[nodiscard]] bool executable_edges(ByteView state, uint8_t pid, bool timeout,
                                      std::vector<uint32_t>& edges) override {
    return ask([&] { return current_->executable_edges(state, pid, timeout, edges); });
  }
  bool edge_successors(ByteView state, uint8_t pid, bool timeout, uint32_t edge, TouchTrace* trace,
                       SuccessorBatch& out) override {
    return ask([&] { return current_->edge_successors(state, pid, timeout, edge, trace, out); });
  }
  [[nodiscard]] bool has_halves() const override { return current_->has_halves(); }
  void half(ByteView state, uint8_t pid, bool timeout, const RendezvousMessage* message, TouchTrace* trace,
            Half& out) override {
    ask([&] { current_->half(state, pid, timeout, message, trace, out); });
  }
  void resume(SuccessorBatch& out) override { current_->resume(out); }
  void watch(EdgeTrace* trace) override {
    edge_trace_ = trace;
    current_->watch(trace);
  }

 private:
  // What one call in so many takes, is taken for what the others took. The gaps vary, or they could meet the same
  // process always.
  static constexpr uint32_t kFewestCalls = 8;

  template <class Call>
  auto ask(Call&& call) -> decltype(call()) {
    if (settled_) [[likely]]
      return call();
    if (build_.ended()) settle();
    if (--calls_left_ > 0 || settled_) return call();
    const Sample sample(*this);
    return call();
  }

  // Measures one call.
  class Sample {
   public:
    explicit Sample(ChangingGenerator& generator) : generator_(generator), begin_(fine_nanoseconds()) {}
    ~Sample() { generator_.add(1e-9 * static_cast<double>(fine_nanoseconds() - begin_) * generator_.calls_); }
    Sample(const Sample&) = delete;
    Sample& operator=(const Sample&) = delete;

   private:
    ChangingGenerator& generator_;
    int64_t begin_;
  };
  void add(double seconds) {
    if (build_.add_seconds(seconds) >= native::Build::kSecondsBeforeLooking) build_.start();
    calls_ = calls_left_ = kFewestCalls + random_.next(4);
  }
  void settle() {
    settled_ = true;
    if (build_.library() == nullptr) return;
    current_ = make_native_generator(model_, build_.library(), decider_);
    current_->watch(edge_trace_);
  }

  const Model& model_;
  native::Build& build_;
  GuardDecider* const decider_;
  EdgeTrace* edge_trace_ = nullptr;
  std::unique_ptr<SuccessorGenerator> current_;
  bool settled_ = false;
  QuickRandom random_;
  uint32_t calls_ = kFewestCalls;  // that a sample stands for
  uint32_t calls_left_ = kFewestCalls;
};

}  // namespace

std::unique_ptr<SuccessorGenerator> make_native_generator(const Model& model,
                                                          std::shared_ptr<const native::Library> library,
                                                          GuardDecider* decider) {
  auto stepper = std::make_unique<Stepper<native::NativeMachine>>(model, decider);
  stepper->machine().use(std::move(library));
  return stepper;
}

std::unique_ptr<SuccessorGenerator> make_changing_generator(const Model& model, native::Build& build,
                                                            GuardDecider* decider) {
  return std::make_unique<ChangingGenerator>(model, build, decider);
}

}  // namespace cmc
