#include "checker/generator/wrappers/spin_steps.h"

#include "checker/generator/half_chains.h"
#include "checker/generator/wrappers/chain_closer.h"

namespace cmc {

namespace {

class AtomicChains final : public ChainCloser {
 public:
  AtomicChains(std::unique_ptr<SuccessorGenerator> generator, const Model& model)
      : ChainCloser(std::move(generator), model),
        holder_offset_(model.atomic_holder_offset()),
        halves_(inner(), model) {}

  [[nodiscard]] bool has_halves() const override { return inner().has_halves(); }
  void half(ByteView state, uint8_t pid, bool timeout, const RendezvousMessage* message, TouchTrace* trace,
            Half& out) override {
    halves_.half(state, pid, timeout, message, trace, out);
  }

 private:
  void find_movers(ByteView state, std::span<const Step>, std::vector<uint8_t>& movers) override {
    const uint8_t holder = load<uint8_t>(state.data() + holder_offset_);
    if (holder != kNoProcess) movers.push_back(holder);
  }
  void finish(std::byte* state) override { store(state + holder_offset_, kNoProcess); }
  [[nodiscard]] bool may_end_anywhere() const override { return false; }

  uint32_t holder_offset_;
  HalfChains halves_;
};

}  // namespace

std::unique_ptr<SuccessorGenerator> close_atomic_chains(std::unique_ptr<SuccessorGenerator> generator,
                                                        const Model& model) {
  return std::make_unique<AtomicChains>(std::move(generator), model);
}

}  // namespace cmc
