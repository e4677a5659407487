#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cmc {

// Bits of a key that lie one behind the other, and how many values of them get a number (Condenser).
struct KeyGroup {
  static constexpr unsigned kMostTableBits = 13;

  uint8_t word = 0;
  uint8_t shift = 0;
  uint8_t bits = 0;
  uint32_t values = 0;  // 0: all of them, which are their own numbers; else bits <= kMostTableBits
};

// Where a Condenser puts the numbers of groups: in mixed radix, in at most as many words.
struct CondenserPlan {
  struct Part {
    uint64_t weight = 1;
    uint64_t limit = 0;  // numbers; 0: 2^64
    int table = -1;      // number in `tables`; -1: values are numbers
    uint8_t from = 0;    // word
    uint8_t shift = 0;
    uint8_t bits = 0;
    uint8_t to = 0;  // word
    [[nodiscard]] uint64_t mask() const { return ~uint64_t{0} >> (64 - bits); }
  };
  std::vector<Part> tables;
  std::vector<Part> whole;
  std::vector<Part> by_weight;      // all, of each word the largest weight first
  std::vector<unsigned> word_bits;  // by word

  // Room that is left in the last bit of a word is given to its tables.
  [[nodiscard]] static CondenserPlan make(std::span<const KeyGroup> groups, unsigned words);
};

// A field of keys.
struct KeyField {
  uint8_t word = 0;
  uint8_t shift = 0;
  uint8_t width = 0;
};

// Fields that belong together, by their numbers, and how many values they have together.
struct FieldGroup {
  std::vector<uint32_t> fields;
  uint32_t values = 0;
};

// Groups of fields that depend on each other in a random sample of keys of `words` words, one key behind the other:
// together they have fewer values than if each had those of its own. A greedy choice, the greatest gain first; only
// of groups for which the sample has nearly all values: the share of values that it has not is that of the values it
// has once (Good, "The population frequencies of species and the estimation of population parameters", 1953). Each
// has at most KeyGroup::kMostTableBits bits. A field that is in none takes all values.
[[nodiscard]] std::vector<FieldGroup> find_groups(std::span<const uint64_t> sample, unsigned words,
                                                  std::span<const KeyField> fields);

}  // namespace cmc
