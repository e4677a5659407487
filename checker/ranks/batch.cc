#include "checker/ranks/batch.h"

#include <algorithm>
#include <array>
#include <bit>

#include "checker/ranks/changed_fields.h"
#include "storage/pages/key_codec.h"
#include "storage/pages/page.h"
#include "storage/pages/radix_sort.h"

namespace cmc {
namespace {

constexpr size_t kBlock = 4096;                  // candidates; longer ones have no affine hull
constexpr size_t kReadableBehind = 8;            // bytes, for KeyDecoder
constexpr uint64_t kNoPage = uint64_t{1} << 40;  // bytes: of a page that is never full

// The fields of an Origin, each a column.
constexpr size_t kColumns = 4;
using Columns = std::array<uint64_t, kColumns>;
Columns columns_of(const Origin& origin) { return {origin.parent, origin.index, origin.depth, origin.asleep}; }

template <unsigned W>
void write_column(std::span<const Candidate<W>> candidates, size_t column, Bytes& to) {
  const auto value = [&](const Candidate<W>& each) { return columns_of(each.origin)[column]; };
  uint64_t least = UINT64_MAX;
  uint64_t most = 0;
  for (const Candidate<W>& each : candidates) {
    least = std::min(least, value(each));
    most = std::max(most, value(each));
  }
  const auto bits = static_cast<unsigned>(std::bit_width(most - least));
  put_varint(to, least);
  put_varint(to, bits);
  uint64_t waiting = 0;
  unsigned count = 0;  // of waiting bits, below 8: a column has 48 at the most
  for (const Candidate<W>& each : candidates) {
    waiting |= (value(each) - least) << count;
    for (count += bits; count >= 8; count -= 8, waiting >>= 8) to.push_back(static_cast<std::byte>(waiting));
  }
  if (count > 0) to.push_back(static_cast<std::byte>(waiting));
}

template <unsigned W>
void sort_unique(std::vector<Candidate<W>>& candidates) {
  radix_sort<W>(candidates.data(), candidates.data() + candidates.size(),
                [](const Candidate<W>& each, unsigned word) { return each.key[word]; });
  size_t kept = 0;
  for (size_t i = 1; i < candidates.size(); ++i) {
    if (candidates[i].key != candidates[kept].key) {
      candidates[++kept] = candidates[i];
    } else if (candidates[i].origin.depth < candidates[kept].origin.depth) {
      candidates[kept] = candidates[i];
    }
  }
  if (!candidates.empty()) candidates.resize(kept + 1);
}

}  // namespace

void BatchWriter::write_layout(const Layout& layout, unsigned words, Bytes& to) {
  if (has_layout_ && layout == layout_) return put_varint(to, 0);
  layout_ = layout;
  has_layout_ = true;
  put_varint(to, words);
  std::vector<uint32_t> wide;
  for (uint32_t c = 0; c < layout.size(); ++c) {
    if (layout.field(static_cast<ComponentId>(c)).width > 0) wide.push_back(c);
  }
  put_varint(to, wide.size());
  for (const uint32_t c : wide) {
    const Layout::Field field = layout.field(static_cast<ComponentId>(c));
    for (const uint32_t each : {c, uint32_t{field.word}, uint32_t{field.shift}, uint32_t{field.width}})
      put_varint(to, each);
  }
}

// Candidates are sorted: what does not change from one to the next was told before.
template <unsigned W>
void BatchWriter::write_contents(const KeySpace& space, std::span<const Candidate<W>> candidates, Bytes& to) {
  Bytes contents;
  uint64_t count = 0;
  Key<W> last{};
  for (const Candidate<W>& each : candidates) {
    for_each_changed_field(layout_, last, each.key, [&](ComponentId component, const Layout::Field& field) {
      const uint32_t number = field.get(each.key.data());
      if (component >= told_.size()) told_.resize(size_t{component} + 1);
      std::vector<bool>& told = told_[component];
      if (number >= told.size()) told.resize(std::max<size_t>(number + size_t{1}, 2 * told.size()));
      if (number == 0 || told[number]) return;
      told[number] = true;
      const ByteView content = space.numbered(component, number);
      put_varint(contents, component);
      put_varint(contents, number);
      put_varint(contents, content.size());
      contents.insert(contents.end(), content.begin(), content.end());
      ++count;
    });
    last = each.key;
  }
  put_varint(to, count);
  to.insert(to.end(), contents.begin(), contents.end());
  content_bytes_ += contents.size();
}

template <unsigned W>
void BatchWriter::write(const KeySpace& space, std::vector<Candidate<W>>& candidates, Bytes& to) {
  sort_unique(candidates);
  to.push_back(static_cast<std::byte>(W));
  write_layout(space.layout(), W, to);
  write_contents<W>(space, candidates, to);
  KeyEncoder<W> encoder(kNoPage, true);
  Bytes keys;
  for (size_t begin = 0; begin < candidates.size(); begin += kBlock) {
    const auto block =
        std::span<const Candidate<W>>(candidates).subspan(begin, std::min(kBlock, candidates.size() - begin));
    for (const Candidate<W>& each : block) encoder.add(each.key);
    keys.clear();
    CHECK(encoder.finish(keys) == block.size());
    put_varint(to, block.size());
    put_varint(to, keys.size());
    to.insert(to.end(), keys.begin(), keys.end());
    for (size_t column = 0; column < kColumns; ++column) write_column<W>(block, column, to);
  }
  put_varint(to, 0);
  to.resize(to.size() + kReadableBehind);
}

template void BatchWriter::write(const KeySpace&, std::vector<Candidate<1>>&, Bytes&);
template void BatchWriter::write(const KeySpace&, std::vector<Candidate<2>>&, Bytes&);
template void BatchWriter::write(const KeySpace&, std::vector<Candidate<4>>&, Bytes&);
template void BatchWriter::write(const KeySpace&, std::vector<Candidate<16>>&, Bytes&);

// What is read behind the end is 0 or empty, and ok() is false from then on.
class BatchReader::Input {
 public:
  explicit Input(ByteView bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  [[nodiscard]] bool ok() const { return at_ != nullptr; }
  [[nodiscard]] uint64_t number() {
    uint64_t value = 0;
    if (ok()) at_ = get_varint(at_, end_, value);
    return ok() ? value : 0;
  }
  [[nodiscard]] uint64_t number_up_to(uint64_t most) {
    const uint64_t value = number();
    if (value > most) at_ = nullptr;
    return ok() ? value : 0;
  }
  [[nodiscard]] ByteView bytes(uint64_t count) {
    if (!ok() || count > static_cast<uint64_t>(end_ - at_)) {
      at_ = nullptr;
      return {};
    }
    const ByteView view(at_, count);
    at_ += count;
    return view;
  }
  void column(std::vector<uint64_t>& values) {
    const uint64_t least = number();
    const auto bits = static_cast<unsigned>(number_up_to(48));
    const ByteView packed = bytes((bits * values.size() + 7) / 8);
    if (!ok()) return;
    uint64_t waiting = 0;
    unsigned count = 0;
    const std::byte* next = packed.data();
    for (uint64_t& value : values) {
      for (; count < bits; count += 8) waiting |= std::to_integer<uint64_t>(*next++) << count;
      value = least + (waiting & ((uint64_t{1} << bits) - 1));
      waiting >>= bits;
      count -= bits;
    }
  }

 private:
  const std::byte* at_;  // null: the bytes are none of a batch
  const std::byte* const end_;
};

bool BatchReader::read_layout(Input& from) {
  const auto words = static_cast<unsigned>(from.number_up_to(kMaxKeyWords));
  if (words == 0) return from.ok() && !field_bits_.empty();
  std::vector<Layout::Field> fields;
  for (uint64_t left = from.number_up_to(UINT16_MAX); left > 0; --left) {
    const uint64_t component = from.number_up_to(UINT16_MAX);
    if (component >= fields.size()) fields.resize(component + 1);
    Layout::Field& field = fields[component];
    field.word = static_cast<uint8_t>(from.number_up_to(kMaxKeyWords - 1));
    field.shift = static_cast<uint8_t>(from.number_up_to(63));
    field.width = static_cast<uint8_t>(from.number_up_to(32));
  }
  if (!from.ok()) return false;
  std::optional<Layout> layout = Layout::of_fields(std::move(fields), words);
  if (!layout) return false;
  layout_ = std::move(*layout);
  field_bits_.assign(kMaxKeyWords, 0);
  for (uint32_t c = 0; c < layout_.size(); ++c) {
    const Layout::Field field = layout_.field(static_cast<ComponentId>(c));
    if (field.width > 0) field_bits_[field.word] |= field.mask();
  }
  return true;
}

bool BatchReader::read_contents(Input& from, KeySpace& space) {
  const uint32_t most_components = space.components().pieces().component_count(kMaxProcesses);
  for (uint64_t left = from.number(); left > 0 && from.ok(); --left) {
    const uint64_t component = from.number_up_to(most_components - 1);
    const uint64_t number = from.number_up_to(kUnknown - 1);
    const ByteView content = from.bytes(from.number());
    if (!from.ok()) return false;
    if (component >= own_.size()) {
      own_.resize(component + 1);
      most_.resize(component + 1);
    }
    std::vector<uint32_t>& own = own_[component];
    if (number >= own.size()) own.resize(std::max<size_t>(number + 1, 2 * own.size()), kUnknown);
    own[number] = space.number_of(static_cast<ComponentId>(component), content);
    most_[component] = std::max(most_[component], own[number]);
  }
  return from.ok();
}

bool BatchReader::fits(const Layout& own) const {
  for (uint32_t c = 0; c < most_.size(); ++c) {
    if (most_[c] >> own.field(static_cast<ComponentId>(c)).width != 0) return false;
  }
  return true;
}

// From the own key of `before` to that of `after`. False: the sender has not told a content.
template <unsigned V>
bool BatchReader::translate(const Key<V>& before, const Key<V>& after, const Layout& own, uint64_t* key) const {
  for (unsigned word = 0; word < V; ++word) {
    if (((before[word] ^ after[word]) & ~field_bits_[word]) != 0) return false;
  }
  bool known = true;
  for_each_changed_field(layout_, before, after, [&](ComponentId component, const Layout::Field& theirs) {
    const uint32_t number = theirs.get(after.data());
    uint64_t its = 0;
    if (number > 0) {
      if (component >= own_.size() || number >= own_[component].size() || own_[component][number] == kUnknown) {
        known = false;
        return;
      }
      its = own_[component][number];
    }
    const Layout::Field field = own.field(component);
    key[field.word] = (key[field.word] & ~field.mask()) | its << field.shift;
  });
  return known;
}

template <unsigned V>
BatchReader::Outcome BatchReader::read_blocks(Input& from, const Layout& own, const Visit& visit) {
  std::array<std::vector<uint64_t>, kColumns> columns;
  std::array<uint64_t, kMaxKeyWords> key{};
  Key<V> last{};
  while (const auto count = static_cast<uint32_t>(from.number_up_to(kBlock))) {
    KeyDecoder<V> keys;
    const ByteView coded = from.bytes(from.number());
    if (!from.ok() || !keys.open(coded, count)) return Outcome::kDamaged;
    for (std::vector<uint64_t>& column : columns) {
      column.resize(count);
      from.column(column);
    }
    if (!from.ok()) return Outcome::kDamaged;
    for (uint32_t i = 0; i < count; ++i) {
      Key<V> next;
      if (!keys.next(next) || !translate(last, next, own, key.data())) return Outcome::kDamaged;
      last = next;
      const Origin origin(columns[0][i], static_cast<uint32_t>(columns[1][i]), static_cast<uint32_t>(columns[2][i]),
                          static_cast<uint16_t>(columns[3][i]));
      if (!visit(key.data(), origin)) return Outcome::kStopped;
    }
  }
  return from.ok() ? Outcome::kRead : Outcome::kDamaged;
}

BatchReader::Outcome BatchReader::read(ByteView batch, KeySpace& space, const Visit& visit) {
  if (batch.size() < kReadableBehind + 1) return Outcome::kDamaged;
  const auto words = std::to_integer<unsigned>(batch.front());
  Input from(batch.subspan(1, batch.size() - 1 - kReadableBehind));
  if (!read_layout(from) || !read_contents(from, space)) return Outcome::kDamaged;
  const Layout& own = space.layout();
  if (!fits(own)) return Outcome::kTooNarrow;
  switch (words) {
    case 1: return read_blocks<1>(from, own, visit);
    case 2: return read_blocks<2>(from, own, visit);
    case 4: return read_blocks<4>(from, own, visit);
    case 16: return read_blocks<16>(from, own, visit);
    default: return Outcome::kDamaged;
  }
}

}  // namespace cmc
