#pragma once

#include <bit>
#include <cstdint>

#include "checker/keyspace/layout.h"

namespace cmc {

// visit(component, its field) for each field in which two keys of that layout differ.
template <unsigned W, class Visit>
void for_each_changed_field(const Layout& layout, const Key<W>& before, const Key<W>& after, Visit&& visit) {
  for (unsigned word = 0; word < W; ++word) {
    for (uint64_t changed = before[word] ^ after[word]; changed != 0;) {
      const ComponentId component = layout.owner(word, static_cast<unsigned>(std::countr_zero(changed)));
      const Layout::Field field = layout.field(component);
      visit(component, field);
      changed &= ~field.mask();
    }
  }
}

}  // namespace cmc
