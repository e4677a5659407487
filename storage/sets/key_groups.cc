#include "storage/sets/key_groups.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/check.h"
#include "storage/sets/key.h"

namespace cmc {

namespace {

using Part = CondenserPlan::Part;

// How many numbers a part has, 2^64 at most.
unsigned __int128 limit_of(const Part& part) {
  return part.limit == 0 ? static_cast<unsigned __int128>(1) << 64 : part.limit;
}

// Of numbers below `count`.
unsigned bits_for(unsigned __int128 count) {
  unsigned bits = 0;
  while (bits < 128 && static_cast<unsigned __int128>(1) << bits < count) ++bits;
  return bits;
}

constexpr unsigned kMostPartBits = 31;  // two of them fit into word 0

unsigned most_bits(unsigned word) { return word == 0 ? kFirstWordBits : 64; }

// Chooses a word for each part, the largest first. False: they do not fit this way.
bool place(std::vector<Part>& parts, unsigned words) {
  std::ranges::stable_sort(parts, [](const Part& a, const Part& b) { return limit_of(a) > limit_of(b); });
  std::vector<unsigned __int128> products(words, 1);
  for (Part& part : parts) {
    const auto fits = [&](unsigned word) {
      if (bits_for(products[word]) + bits_for(limit_of(part)) > 127u) return false;  // the product could overflow
      return bits_for(products[word] * limit_of(part)) <= most_bits(word);
    };
    unsigned word = 0;
    while (word < words && !fits(word)) ++word;
    if (word == words) return false;
    part.to = static_cast<uint8_t>(word);
    products[word] *= limit_of(part);
  }
  return true;
}

unsigned __int128 product_of(const std::vector<Part>& parts, unsigned word) {
  unsigned __int128 product = 1;
  for (const Part& part : parts) {
    if (part.to == word) product *= limit_of(part);
  }
  return product;
}

// Gives tables more numbers, as many as the bits of the word have room for.
void fill_up(std::vector<Part>& parts, unsigned word) {
  const auto takes_more = [&](const Part& part) { return part.to == word && part.table >= 0; };
  const auto tables = std::ranges::count_if(parts, takes_more);
  if (tables == 0) return;
  const double room = std::exp2(bits_for(product_of(parts, word))) / static_cast<double>(product_of(parts, word));
  const double factor = std::pow(room, 1.0 / static_cast<double>(tables));
  const std::vector<Part> before = parts;
  const unsigned bits = bits_for(product_of(parts, word));
  for (Part& part : parts) {
    if (!takes_more(part)) continue;
    const auto more = static_cast<uint64_t>(static_cast<double>(part.limit) * factor);
    part.limit = std::clamp(more, part.limit, uint64_t{1} << part.bits);
  }
  if (bits_for(product_of(parts, word)) > bits) parts = before;
}

}  // namespace

CondenserPlan CondenserPlan::make(std::span<const KeyGroup> groups, unsigned words) {
  std::vector<Part> parts;
  for (const KeyGroup& group : groups) {
    CHECK(group.word < words && group.bits > 0 && group.shift + group.bits <= 64);
    CHECK(group.values == 0 || group.bits <= KeyGroup::kMostTableBits);
    // Word 0 is what a set hashes, so it must not be left to small groups because a wide part does not fit there.
    const unsigned most = words == 1 ? 64 : kMostPartBits;
    for (unsigned at = 0; at < group.bits; at += most) {
      Part part;
      part.from = part.to = group.word;
      part.shift = static_cast<uint8_t>(group.shift + at);
      part.bits = static_cast<uint8_t>(std::min(group.bits - at, most));
      part.table = group.values > 0 ? 0 : -1;
      part.limit = group.values > 0  ? std::min<uint64_t>(group.values, uint64_t{1} << part.bits)
                   : part.bits == 64 ? 0
                                     : uint64_t{1} << part.bits;
      parts.push_back(part);
    }
  }
  const std::vector<Part> as_they_were = parts;
  if (!place(parts, words)) parts = as_they_were;
  CondenserPlan plan;
  for (unsigned word = 0; word < words; ++word) {
    fill_up(parts, word);
    plan.word_bits.push_back(bits_for(product_of(parts, word)));
    CHECK(plan.word_bits.back() <= most_bits(word));
  }
  std::vector<unsigned __int128> weights(words, 1);
  for (Part& part : parts) {
    part.weight = static_cast<uint64_t>(weights[part.to]);
    CHECK(part.weight == weights[part.to]);  // else two keys had one short form
    weights[part.to] *= limit_of(part);
    if (part.table >= 0) part.table = static_cast<int>(plan.tables.size());
    (part.table >= 0 ? plan.tables : plan.whole).push_back(part);
  }
  plan.by_weight.assign(parts.rbegin(), parts.rend());
  return plan;
}

namespace {

// The values of a group of fields in the keys of a sample, packed into bits.
struct Column {
  std::vector<uint32_t> fields;
  std::vector<uint16_t> values;
  unsigned bits = 0;
  uint32_t distinct = 0;
  uint32_t once = 0;  // values that one key has
};

class GroupFinder {
 public:
  GroupFinder(std::span<const uint64_t> sample, unsigned words, std::span<const KeyField> fields) {
    const uint64_t pairs = std::max<uint64_t>(1, fields.size() * fields.size() / 2);
    keys_ = std::min<size_t>(sample.size() / words, std::max(kFewestKeys, kMostWork / pairs));
    for (uint32_t number = 0; number < fields.size(); ++number) {
      const KeyField& field = fields[number];
      if (field.width == 0 || field.width > KeyGroup::kMostTableBits) continue;
      Column column{{number}, std::vector<uint16_t>(keys_), field.width, 0, 0};
      for (size_t i = 0; i < keys_; ++i) {
        const uint64_t word = sample[i * words + field.word];
        column.values[i] = static_cast<uint16_t>(word >> field.shift & ((uint64_t{1} << field.width) - 1));
      }
      count(column);
      columns_.push_back(std::move(column));
    }
  }

  std::vector<FieldGroup> find() {
    while (join_best()) {
    }
    join_small();
    std::vector<FieldGroup> groups;
    for (const Column& column : columns_) {
      if (!is_covered(column)) continue;
      // Twice as large a sample would have about `once` values more (Good and Toulmin, 1956). But the sample is of
      // the part of the graph that was searched first; elsewhere other values occur.
      const uint32_t values = column.distinct + std::max(column.once, column.distinct / 4) + 2;
      if (values * 10 < (uint64_t{9} << column.bits)) groups.push_back({column.fields, values});
    }
    return groups;
  }

 private:
  static constexpr uint64_t kMostWork = uint64_t{1} << 24;  // pairs of fields times keys: about 30 ms
  static constexpr uint64_t kFewestKeys = 1024;
  static constexpr double kLeastGain = 0.2;    // bits
  static constexpr uint64_t kUncovered = 400;  // at most one key in so many has a value that the sample has once
  static constexpr uint64_t kSmall = 256;      // values of a group that costs less than two of fewer values

  [[nodiscard]] bool is_covered(const Column& column) const { return column.once * kUncovered <= keys_; }

  void count(Column& column) {
    seen_.assign(size_t{1} << column.bits, 0);
    for (const uint16_t value : column.values) seen_[value] = static_cast<uint8_t>(std::min(seen_[value] + 1, 2));
    column.distinct = static_cast<uint32_t>(std::ranges::count_if(seen_, [](uint8_t count) { return count > 0; }));
    column.once = static_cast<uint32_t>(std::ranges::count(seen_, 1));
  }
  [[nodiscard]] static bool can_join(const Column& a, const Column& b) {
    return a.bits + b.bits <= KeyGroup::kMostTableBits;
  }
  [[nodiscard]] Column joined(const Column& a, const Column& b) {
    Column column = a;
    column.fields.insert(column.fields.end(), b.fields.begin(), b.fields.end());
    column.bits += b.bits;
    for (size_t i = 0; i < keys_; ++i) {
      column.values[i] = static_cast<uint16_t>(column.values[i] | unsigned{b.values[i]} << a.bits);
    }
    count(column);
    return column;
  }
  // Bits that joining spares; none if the sample is too small to tell.
  [[nodiscard]] double gain(const Column& a, const Column& b) {
    const std::pair pair{a.fields, b.fields};
    const auto known = gains_.find(pair);
    if (known != gains_.end()) return known->second;
    const Column both = joined(a, b);
    const double spared = std::log2(1.0 * a.distinct * b.distinct / both.distinct);
    return gains_[pair] = is_covered(both) ? spared : 0;
  }
  void join(size_t a, size_t b) {
    columns_[a] = joined(columns_[a], columns_[b]);
    columns_.erase(columns_.begin() + static_cast<ptrdiff_t>(b));
  }
  bool join_best() {
    double best = kLeastGain;
    std::optional<std::pair<size_t, size_t>> pair;
    for (size_t a = 0; a < columns_.size(); ++a) {
      for (size_t b = a + 1; b < columns_.size(); ++b) {
        if (!can_join(columns_[a], columns_[b])) continue;
        if (columns_[a].distinct <= 1 || columns_[b].distinct <= 1) continue;  // nothing to gain
        const double spared = gain(columns_[a], columns_[b]);
        if (spared <= best) continue;
        best = spared;
        pair = {a, b};
      }
    }
    if (pair) join(pair->first, pair->second);
    return pair.has_value();
  }
  // Fewer groups take less time.
  void join_small() {
    for (size_t a = 0; a < columns_.size(); ++a) {
      for (size_t b = a + 1; b < columns_.size();) {
        const bool small = uint64_t{columns_[a].distinct} * columns_[b].distinct <= kSmall;
        if (small && can_join(columns_[a], columns_[b])) {
          join(a, b);
        } else {
          ++b;
        }
      }
    }
  }

  size_t keys_ = 0;
  std::vector<Column> columns_;
  std::vector<uint8_t> seen_;  // by value: how often, 2 at most
  std::map<std::pair<std::vector<uint32_t>, std::vector<uint32_t>>, double> gains_;
};

}  // namespace

std::vector<FieldGroup> find_groups(std::span<const uint64_t> sample, unsigned words,
                                    std::span<const KeyField> fields) {
  return GroupFinder(sample, words, fields).find();
}

}  // namespace cmc
