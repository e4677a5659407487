#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace cmc {

// The message of a rendezvous under way: sent, not yet received.
struct RendezvousMessage {
  uint32_t channel = 0;         // id; 0: no rendezvous under way
  std::vector<int32_t> values;  // one per field of the channel, truncated to the fields' types
};
inline constexpr RendezvousMessage kNoMessage;

// Half of a handshake: what one process does by itself, without a look at who takes its messages. Either all that it
// can do in a state, up to its next rendezvous sends, or all that it does with a message that it is offered, up to
// its next ones. The steps of a process follow from its half and, message by message, from those of the others.
struct Half {
  // Items come in the order of the successors to which they lead.
  struct Item {
    enum class Kind : uint8_t {
      kSuccessor,    // a state
      kOffer,        // a message, and the state in which the others are asked, from the highest pid down
      kUnlessTaken,  // the next `items` items count only if none of the `offers` offers just before it is taken
    };
    Kind kind = Kind::kSuccessor;
    bool timeout = false;  // of an offer: the value of `timeout`
    uint32_t offset = 0;   // of the state vector in `bytes`
    uint32_t size = 0;     // bytes
    uint32_t message = 0;  // of an offer: index into `messages`
    uint32_t offers = 0;   // of others: locations left on the way; see half_way.h
    uint32_t items = 0;    // of others: 1: it goes on by itself; see half_paths.h
  };
  Bytes bytes;
  std::vector<Item> items;
  std::vector<RendezvousMessage> messages;
  // The process can move, or failed trying, even if nobody takes what it offers; all items are offers otherwise. Of a
  // process that was offered a message: it takes it.
  bool moves = false;
  // It cannot be said so: the steps must be computed as wholes. The items mean nothing then.
  bool whole = false;

  void clear() {
    bytes.clear();
    items.clear();
    messages.clear();
    moves = whole = false;
  }
  [[nodiscard]] ByteView state(const Item& item) const { return ByteView(bytes).subspan(item.offset, item.size); }
  void add_state(Item item, ByteView state) {
    item.offset = static_cast<uint32_t>(bytes.size());
    item.size = static_cast<uint32_t>(state.size());
    bytes.insert(bytes.end(), state.begin(), state.end());
    items.push_back(item);
  }
};

}  // namespace cmc
