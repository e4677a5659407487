#include "checker/keys/layout.h"

#include <algorithm>
#include <numeric>

namespace cmc {

Layout::Layout(std::span<const uint8_t> widths, unsigned least_words) : fields_(widths.size()) {
  std::vector<ComponentId> order(widths.size());
  std::iota(order.begin(), order.end(), ComponentId{0});
  std::stable_sort(order.begin(), order.end(), [&](ComponentId a, ComponentId b) { return widths[a] > widths[b]; });
  std::vector<unsigned> free{kFirstWordBits};
  for (const ComponentId component : order) {
    const uint8_t width = widths[component];
    if (width == 0) break;
    bits_ += width;
    size_t word = 0;
    while (word < free.size() && free[word] < width) ++word;
    if (word == free.size()) free.push_back(64);
    const unsigned capacity = word == 0 ? kFirstWordBits : 64;
    fields_[component] = {static_cast<uint8_t>(std::min<size_t>(word, 255)),
                          static_cast<uint8_t>(capacity - free[word]), width};
    free[word] -= width;
  }
  for (size_t word = 0; word < free.size(); ++word)
    word_bits_.push_back((word == 0 ? kFirstWordBits : 64) - free[word]);
  while (words_ < std::max<size_t>(free.size(), least_words)) words_ *= 2;
  DCHECK((check_invariants(), true));
}

void Layout::check_invariants() const {
  if (words_ > kMaxKeyWords) return;  // no key is that wide
  std::vector<uint64_t> taken(words_);
  unsigned bits = 0;
  for (const Field& field : fields_) {
    if (field.width == 0) continue;
    CHECK(field.word < words_ && field.width <= 32 && field.shift + field.width <= word_bits(field.word));
    CHECK((taken[field.word] & field.mask()) == 0);
    taken[field.word] |= field.mask();
    bits += field.width;
  }
  CHECK(bits == bits_ && word_bits(0) <= kFirstWordBits);
}

}  // namespace cmc
