#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "checker/keyspace/layout.h"
#include "ir/components.h"

namespace cmc {

// The notes (StepMemo) of steps that are joined of parts: for partial-order reduction, what they look at and change.
//
// Such a note follows from the parts of all who were asked (Handshakes::number_of_part()), in their order, and from
// which components the joined steps change. So the notes stand in a tree: an edge is a part, and at last come bits,
// one for each component that was touched on the way. The first time, the steps are computed as a whole, and so is
// the note. Parts say little about values, so there are few notes, where there are many steps.
//
// One per worker and layout.
class JoinedNotes {
 public:
  static constexpr uint32_t kMostParts = uint32_t{1} << 19;  // numbers
  static constexpr uint32_t kMostItems = uint32_t{1} << 13;  // of a half
  static constexpr uint32_t kMostDepth = uint32_t{1} << 7;

  explicit JoinedNotes(const Layout& layout) : layout_(layout) { clear(); }

  void begin(uint32_t part) {
    if (nodes_.size() > kMostNodes) clear();
    at_ = go(0, part);
  }
  // Who was asked by an item of a half in so many handshakes.
  void add(uint32_t depth, size_t item, uint32_t part) {
    at_ = go(at_, (uint64_t{depth} * kMostItems + item) * kMostParts + part);
  }
  // Of steps that change these bits of a key.
  [[nodiscard]] std::optional<uint32_t> find(const uint64_t* changed) {
    if (nodes_[at_].fields == kNone) return std::nullopt;
    const Node& end = nodes_[behind_bits(changed)];
    return end.note == kNone ? std::nullopt : std::optional(end.note);
  }
  void learn(std::span<const ComponentId> touched, const uint64_t* changed, uint32_t note) {
    if (nodes_[at_].fields == kNone) {
      nodes_[at_].fields = static_cast<uint32_t>(fields_.size());
      std::vector<Field>& fields = fields_.emplace_back();
      for (const ComponentId component : touched) {
        const auto& field = layout_.field(component);
        fields.push_back({field.word, field.mask()});
      }
    }
    nodes_[behind_bits(changed)].note = note;
  }

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  static constexpr size_t kMostNodes = size_t{1} << 20;  // numbers have 24 bits
  static constexpr size_t kFirstEdges = size_t{1} << 10;
  static constexpr uint64_t kBits = uint64_t{1} << 39;
  struct Field {
    uint32_t word = 0;
    uint64_t mask = 0;
  };
  struct Node {
    uint32_t fields = kNone;  // where all parts are known: of what was touched
    uint32_t note = kNone;    // where the bits are known
  };
  struct Edge {
    uint64_t key = 0;  // the node and what follows on it; 0: none
    uint32_t node = 0;
  };

  void clear() {
    nodes_.assign(1, {});
    fields_.clear();
    edges_.assign(kFirstEdges, {});
  }
  [[nodiscard]] uint32_t behind_bits(const uint64_t* changed) {
    const std::vector<Field>& fields = fields_[nodes_[at_].fields];
    uint32_t node = at_;
    uint64_t bits = kBits;
    for (size_t i = 0; i < fields.size(); ++i) {
      if ((changed[fields[i].word] & fields[i].mask) != 0) bits |= uint64_t{1} << i % 32;
      if (i % 32 == 31 || i + 1 == fields.size()) node = go(node, std::exchange(bits, kBits));
    }
    return node;
  }
  // Node numbers have 24 bits, what follows 40.
  [[nodiscard]] uint32_t go(uint32_t node, uint64_t next) {
    const uint64_t key = (uint64_t{node} << 40 | next) + 1;
    for (size_t at = place(key);; at = (at + 1) & (edges_.size() - 1)) {
      if (edges_[at].key == key) return edges_[at].node;
      if (edges_[at].key == 0) break;
    }
    if (2 * nodes_.size() > edges_.size()) grow();
    const auto made = static_cast<uint32_t>(nodes_.size());
    nodes_.emplace_back();
    put({key, made});
    return made;
  }
  [[nodiscard]] size_t place(uint64_t key) const {
    key ^= key >> 32;
    key *= 0x9e3779b97f4a7c15ULL;
    return (key >> 32) & (edges_.size() - 1);
  }
  void put(const Edge& edge) {
    size_t at = place(edge.key);
    while (edges_[at].key != 0) at = (at + 1) & (edges_.size() - 1);
    edges_[at] = edge;
  }
  void grow() {
    const std::vector<Edge> before = std::exchange(edges_, std::vector<Edge>(2 * edges_.size()));
    for (const Edge& edge : before) {
      if (edge.key != 0) put(edge);
    }
  }

  const Layout& layout_;
  std::vector<Node> nodes_;  // [0] is where all begins
  std::vector<std::vector<Field>> fields_;
  std::vector<Edge> edges_;  // a table with linear probing
  uint32_t at_ = 0;
};

}  // namespace cmc
