#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/components.h"
#include "storage/sets/key.h"

namespace cmc {

// Reads one field of keys.
struct FieldReader {
  uint32_t word = 0;
  uint32_t shift = 0;
  uint64_t mask = 0;  // behind the shift
  [[nodiscard]] uint32_t operator()(const uint64_t* words) const {
    return static_cast<uint32_t>(words[word] >> shift & mask);
  }
};

// Where in a key the number of each component is. A component that has had one content so far takes no bits.
class Layout {
 public:
  struct Field {
    uint8_t word = 0;
    uint8_t shift = 0;
    uint8_t width = 0;
    bool operator==(const Field&) const = default;
    [[nodiscard]] uint64_t mask() const { return ((uint64_t{1} << width) - 1) << shift; }
    [[nodiscard]] uint32_t get(const uint64_t* words) const {
      return static_cast<uint32_t>(words[word] >> shift & ((uint64_t{1} << width) - 1));
    }
  };

  Layout() = default;
  bool operator==(const Layout&) const = default;
  // A field never lies in two words; wide ones are placed first. Keys have at least `least_words` words. The fields
  // of each of the lists `together`, none of which is in two of them, are one behind the other, if they are narrow
  // enough for a KeyGroup, and keys do not get longer by it.
  explicit Layout(std::span<const uint8_t> widths, unsigned least_words = 1,
                  std::span<const std::vector<ComponentId>> together = {});

  // The same fields in keys of more words. REQUIRES: `words`, not less than words(), is a width of keys.
  [[nodiscard]] Layout in_words(unsigned words) const;
  // With fields where another layout of `words` words had them. None: they are no fields of a layout.
  [[nodiscard]] static std::optional<Layout> of_fields(std::vector<Field> fields, unsigned words);

  // Aborts unless fields lie within the words, apart from each other.
  void check_invariants() const;

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(fields_.size()); }
  [[nodiscard]] unsigned words() const {
    return words_;
  }  // needed: 1, 2, 4, 8 or 16; more: there is no key that wide
  [[nodiscard]] unsigned bits() const { return bits_; }
  [[nodiscard]] unsigned word_bits(unsigned word) const { return word < word_bits_.size() ? word_bits_[word] : 0; }
  template <unsigned W>
  [[nodiscard]] std::array<unsigned, W> bits_of_words() const {
    std::array<unsigned, W> bits{};
    for (unsigned i = 0; i < W; ++i) bits[i] = word_bits(i);
    return bits;
  }
  [[nodiscard]] FieldReader reader(ComponentId component) const {
    const Field at = field(component);
    return {at.word, at.shift, (uint64_t{1} << at.width) - 1};
  }
  [[nodiscard]] Field field(ComponentId component) const {
    return component < fields_.size() ? fields_[component] : Field{};
  }
  [[nodiscard]] uint32_t get(const uint64_t* words, ComponentId component) const {
    return field(component).get(words);
  }
  // Whose field a bit of a word lies in. REQUIRES: some field.
  [[nodiscard]] ComponentId owner(unsigned word, unsigned bit) const { return owners_[64 * word + bit]; }

 private:
  void note_owners();
  void place(std::span<const uint8_t> widths, std::span<const std::vector<ComponentId>> groups, unsigned least_words);

  std::vector<Field> fields_;        // by component
  std::vector<ComponentId> owners_;  // by bit
  std::vector<unsigned> word_bits_;  // the low ones that are used, by word
  unsigned words_ = 1;
  unsigned bits_ = 0;
};

}  // namespace cmc
