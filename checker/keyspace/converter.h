#pragma once

#include <bit>
#include <vector>

#include "base/check.h"
#include "checker/keyspace/layout.h"

namespace cmc {

// Moves the fields of a key, or of a difference of keys, from one layout to a later one. Fields that move together
// are moved at once: mostly there are three or four such groups.
template <unsigned From, unsigned To>
class Converter {
 public:
  Converter(const Layout& from, const Layout& to) {
    for (uint32_t c = 0; c < from.size(); ++c) {
      const Layout::Field old = from.field(static_cast<ComponentId>(c));
      if (old.width == 0) continue;
      const Layout::Field next = to.field(static_cast<ComponentId>(c));
      add({old.mask(), old.word, next.word, static_cast<uint8_t>((next.shift - old.shift) & 63)});
    }
  }
  [[nodiscard]] Key<To> operator()(const Key<From>& key) const {
    Key<To> converted;
    DCHECK(covers(key));
    for (const Move& move : moves_) {
      converted[move.to] |= std::rotl(key[move.from] & move.mask, move.rotation);
    }
    return converted;
  }

 private:
  // Whether every bit of the key belongs to a field of the old layout.
  [[nodiscard]] bool covers(Key<From> key) const {
    for (const Move& move : moves_) key[move.from] &= ~move.mask;
    return key.is_zero();
  }

  struct Move {
    uint64_t mask = 0;
    uint8_t from = 0;  // word
    uint8_t to = 0;
    uint8_t rotation = 0;
  };
  void add(const Move& field) {
    for (Move& move : moves_) {
      if (move.from != field.from || move.to != field.to || move.rotation != field.rotation) continue;
      move.mask |= field.mask;
      return;
    }
    moves_.push_back(field);
  }

  std::vector<Move> moves_;
};

}  // namespace cmc
