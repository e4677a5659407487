#include "checker/keyspace/layout.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "storage/sets/key_groups.h"

namespace cmc {

Layout::Layout(std::span<const uint8_t> widths, unsigned least_words,
               std::span<const std::vector<ComponentId>> together) {
  const auto width_of = [&](ComponentId component) { return component < widths.size() ? widths[component] : 0U; };
  std::vector<bool> placed(widths.size());
  std::vector<std::vector<ComponentId>> groups;
  for (const std::vector<ComponentId>& group : together) {
    unsigned width = 0;
    for (const ComponentId component : group) width += width_of(component);
    if (width > KeyGroup::kMostTableBits) continue;
    std::vector<ComponentId>& fields = groups.emplace_back();
    for (const ComponentId component : group) {
      if (width_of(component) == 0) continue;
      fields.push_back(component);
      placed[component] = true;
    }
  }
  const bool grouped = std::ranges::find(placed, true) != placed.end();
  for (uint32_t c = 0; c < widths.size(); ++c) {
    if (widths[c] > 0 && !placed[c]) groups.push_back({static_cast<ComponentId>(c)});
  }
  place(widths, groups, least_words);
  if (grouped) {
    Layout alone(widths, least_words);
    if (alone.words_ < words_) *this = std::move(alone);
  }
  DCHECK((check_invariants(), true));
}

void Layout::place(std::span<const uint8_t> widths, std::span<const std::vector<ComponentId>> groups,
                   unsigned least_words) {
  fields_.resize(widths.size());
  std::vector<unsigned> group_widths;
  for (const std::vector<ComponentId>& group : groups) {
    unsigned& width = group_widths.emplace_back(0);
    for (const ComponentId component : group) width += widths[component];
  }
  std::vector<size_t> order(groups.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return group_widths[a] > group_widths[b]; });
  std::vector<unsigned> free{kFirstWordBits};
  for (const size_t number : order) {
    const unsigned width = group_widths[number];
    bits_ += width;
    size_t word = 0;
    while (word < free.size() && free[word] < width) ++word;
    if (word == free.size()) free.push_back(64);
    const unsigned capacity = word == 0 ? kFirstWordBits : 64;
    for (const ComponentId component : groups[number]) {
      fields_[component] = {static_cast<uint8_t>(std::min<size_t>(word, 255)),
                            static_cast<uint8_t>(capacity - free[word]), widths[component]};
      free[word] -= widths[component];
    }
  }
  for (size_t word = 0; word < free.size(); ++word)
    word_bits_.push_back((word == 0 ? kFirstWordBits : 64) - free[word]);
  while (words_ < std::max<size_t>(free.size(), least_words)) words_ = next_key_width(words_);
  if (words_ <= kMaxKeyWords) note_owners();
}

Layout Layout::in_words(unsigned words) const {
  CHECK(words >= words_);
  Layout wider = *this;
  wider.words_ = words;
  wider.note_owners();
  return wider;
}

void Layout::note_owners() {
  owners_.resize(64 * words_);
  for (size_t c = 0; c < fields_.size(); ++c) {
    const auto first = owners_.begin() + 64 * fields_[c].word + fields_[c].shift;
    std::fill_n(first, fields_[c].width, static_cast<ComponentId>(c));
  }
}

std::optional<Layout> Layout::of_fields(std::vector<Field> fields, unsigned words) {
  if (words != 1 && words != 2 && words != 4 && words != kMaxKeyWords) return std::nullopt;
  Layout layout;
  layout.words_ = words;
  layout.word_bits_.resize(words);
  std::vector<uint64_t> taken(words);
  for (const Field& field : fields) {
    if (field.width == 0) continue;
    const unsigned capacity = field.word == 0 ? kFirstWordBits : 64;
    if (field.word >= words || field.width > 32 || field.shift + field.width > capacity) return std::nullopt;
    if ((taken[field.word] & field.mask()) != 0) return std::nullopt;
    taken[field.word] |= field.mask();
    unsigned& used = layout.word_bits_[field.word];
    used = std::max<unsigned>(used, field.shift + field.width);
    layout.bits_ += field.width;
  }
  layout.fields_ = std::move(fields);
  layout.note_owners();
  return layout;
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
