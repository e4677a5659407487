#pragma once

#include "checker/generator/batch_writer.h"
#include "checker/generator/half.h"

namespace cmc {

// The half of a handshake that is being computed, if any: by the functions that compute whole steps, but a send is
// noted as an offer instead of asking for its receivers.
class HalfNotes {
 public:
  explicit HalfNotes(BatchWriter& writer) : writer_(writer) {}

  // Until end(). Returns where successors go.
  SuccessorBatch& begin(Half& out) {
    half_ = &out;
    out.clear();
    notes_.clear();
    batch_.clear();
    return batch_;
  }
  void end();
  [[nodiscard]] bool active() const { return half_ != nullptr; }

  // A message is offered in the view's state, of which the sender's step is a part.
  void add_offer(const View& view, const RendezvousMessage& message);
  // The `else` of a location is about to be taken, where nothing but sends came before, if anything. It has one
  // successor.
  void add_else();
  void give_up() { half_->whole = true; }

 private:
  [[nodiscard]] bool joins_at(const View& view) const;

  struct Note {
    size_t successors = 0;  // before it
    Half::Item item;
  };
  BatchWriter& writer_;
  Half* half_ = nullptr;
  std::vector<Note> notes_;
  SuccessorBatch batch_;
};

}  // namespace cmc
