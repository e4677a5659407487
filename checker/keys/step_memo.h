#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "checker/base/check.h"
#include "checker/base/spin_lock.h"
#include "checker/keys/converter.h"

namespace cmc {

// The steps of one process from one state, as what they change: each successor's key is the state's key xor a delta.
// Valid for all states that agree on what the computation of the steps touched.
template <unsigned W>
struct Steps {
  enum Flag : uint32_t {
    kMoves = 1,          // the process can move, or failed trying
    kNeedsGenerator = 2, // there are errors to report: the generator must be asked each time
    kEndlessAtomic = 4,
    kLongAtomic = 8,
    kPending = 16,        // a guard is not decided yet: never remembered
    kChangesControl = 32,
  };
  // What is to be told about a state beside its successors.
  static constexpr uint32_t kSpecial = kNeedsGenerator | kEndlessAtomic | kLongAtomic | kPending;
  uint32_t flags = 0;
  std::span<const Key<W>> deltas;  // from find(): if there is none, deltas.data() is one of 0
};

// The roots of a process in a StepMemo: nodes by the content of the frame; 0: none.
struct MemoRoots {
  std::unique_ptr<uint32_t[]> nodes;
  uint32_t size = 0;
};

// Remembers the steps of processes by the values that their computation looked at.
//
// A computation touches components in an order in which each next one depends on the values of those before only
// (TouchTrace). So what is remembered forms a tree, for each process and content of its frame: a node names the components
// that are touched next, a branch their values, and at the leaf are the steps. As long as all computations that came to a
// node touched the same components, whatever their values, the node names them all at once, as a mask of key bits, and one
// look-up in a hash table decides; when one touches something else, the node is cut to what was common and what it knew is
// forgotten. Masks only become shorter, so this ends.
//
// Everything may be forgotten at any time: it costs a computation. When the table or the store of steps is full, all is.
// Each worker has its own, which only that worker looks at and changes without waiting; others may ask it to tell() them, if it is
// shared.
template <unsigned W>
class StepMemo {
 public:
  // `budget_bytes` bounds the memory approximately; at least what a few hundred entries need.
  StepMemo(const Layout& layout, uint64_t budget_bytes);

  // The steps of `pid`, whose frame (piece 0) has the content number `frame`; false: not known.
  [[gnu::always_inline]] bool find(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout, Steps<W>& steps) const {
    return find_by_way_of(key, root(pid, frame, timeout), steps, [](const Node&) {});
  }

  // Other threads may tell() from now on.
  void share() { shared_ = true; }
  // The same for another thread: copies of what insert() was given. It does not wait: false as well while there is a change.
  [[nodiscard]] bool tell(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout, std::vector<ComponentId>& touched,
                          std::vector<Key<W>>& deltas, uint32_t& flags) const {
    const std::unique_lock lock(lock_, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    Steps<W> steps;
    touched.clear();
    const bool found = find_by_way_of(key, root(pid, frame, timeout), steps, [&](const Node& node) {
      const auto first = components_.begin() + node.first;
      touched.insert(touched.end(), first, first + node.count);
    });
    if (!found) return false;
    deltas.assign(steps.deltas.begin(), steps.deltas.end());
    flags = steps.flags;
    return true;
  }

  // `touched`: in order, without the frame's piece 0, which `frame` stands for.
  void insert(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout, std::span<const ComponentId> touched,
              const Steps<W>& steps);

  // What the memo of the layout before remembers, whose contents may be moved from.
  template <unsigned V>
  void take_over(StepMemo<V>& from, const Converter<V, W>& convert);

  void clear();

  [[nodiscard]] uint64_t memory_bytes() const;
  [[nodiscard]] uint64_t clears() const { return clears_; }
  [[nodiscard]] uint64_t entries() const { return used_; }

 private:
  template <unsigned V>
  friend class StepMemo;

  static constexpr uint16_t kIsNode = 0x8000;
  static constexpr uint16_t kIsLeaf = 0x4000;
  static constexpr uint16_t kStepFlags = 0x00ff;
  static constexpr size_t kPlaces = 4;  // where an entry can be: four neighbours
  static constexpr size_t kFirstEntries = 1024;

  // Where a branch leads: to a node, to steps (a range of deltas_), or nowhere yet.
  struct Entry {
    Key<W> key;
    uint32_t tag = 0;    // 0: free
    uint32_t value = 0;  // number of the node, or of the first delta
    uint16_t count = 0;  // of deltas
    uint16_t flags = 0;  // Steps::flags, kIsNode, kIsLeaf
  };
  struct Node {
    Key<W> mask;            // of all components that are named
    Entry only;             // of a node without a mask: its components have one content each, so there is one branch
    uint32_t tag = 0;       // names the node and its version in the table
    uint32_t first = 0;     // of its components in components_
    uint32_t count = 0;
    bool has_mask = false;
  };

  // Multiplicative: the first bits of the product depend on all others.
  [[nodiscard, gnu::always_inline]] size_t first_place(const Key<W>& masked, uint32_t tag) const {
    uint64_t hash = masked.words[0] + uint64_t{tag} * 0x9e3779b97f4a7c15ULL;
    for (unsigned i = 1; i < W; ++i) hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9ULL + masked.words[i];
    hash ^= hash >> 32;
    return static_cast<size_t>(hash * 0xd6e8feb86659fd93ULL >> table_shift_);
  }
  [[nodiscard]] const Entry* lookup(const Key<W>& masked, uint32_t tag) const {
    const size_t first = first_place(masked, tag);
    for (size_t i = 0; i < kPlaces; ++i) {
      const Entry& entry = table_[first ^ i];
      if (entry.tag == tag && entry.key == masked) return &entry;
    }
    return nullptr;
  }
  // visit(Node) for those on the way to the steps.
  template <class Visit>
  [[gnu::always_inline]] bool find_by_way_of(const Key<W>& key, uint32_t node, Steps<W>& steps, Visit&& visit) const {
    if (node == 0) [[unlikely]] return false;
    for (;;) {
      const Node& at = nodes_[node];
      visit(at);
      const Entry* entry = &at.only;
      if (at.has_mask) {
        entry = lookup(key & at.mask, at.tag);
        if (entry == nullptr) return false;
      }
      if ((entry->flags & kIsNode) == 0) {
        if ((entry->flags & kIsLeaf) == 0) return false;
        steps.flags = entry->flags & kStepFlags;
        steps.deltas = {deltas_.data() + entry->value, entry->count};
        return true;
      }
      node = entry->value;
    }
  }
  [[nodiscard, gnu::always_inline]] uint32_t root(uint32_t pid, uint32_t frame, bool timeout) const {
    const MemoRoots& roots = roots_[pid * 2 + (timeout ? 1 : 0)];
    return frame < roots.size ? roots.nodes[frame] : 0;
  }
  uint32_t& make_root_slot(uint32_t pid, uint32_t frame, bool timeout);
  Entry& place(const Key<W>& masked, uint32_t tag);
  void set_table(size_t size);  // empty
  void grow();
  uint32_t make_node(std::span<const ComponentId> components);
  void set_mask(Node& node, size_t count);
  void set_components(Node& node, size_t count);  // forgets what the node knew

  const Layout& layout_;
  uint64_t budget_bytes_;
  std::array<MemoRoots, 2 * kMaxProcesses> roots_;  // by pid and timeout
  std::vector<Node> nodes_;                   // [0] unused
  std::vector<ComponentId> components_;       // of all nodes
  std::vector<Entry> table_;
  unsigned table_shift_ = 0;
  std::vector<Key<W>> deltas_;  // [0] is 0
  uint64_t used_ = 0;
  uint32_t next_tag_ = 1;
  uint32_t next_victim_ = 0;
  uint64_t root_count_ = 0;
  uint64_t clears_ = 0;
  bool shared_ = false;
  mutable SpinLock lock_;  // if shared_: of changes, and of whoever is not the owner
};

template <unsigned W>
StepMemo<W>::StepMemo(const Layout& layout, uint64_t budget_bytes) : layout_(layout), budget_bytes_(budget_bytes) {
  clear();
  clears_ = 0;
}

template <unsigned W>
void StepMemo<W>::clear() {
  roots_ = {};
  root_count_ = 0;
  nodes_.assign(1, Node{});
  components_.clear();
  set_table(kFirstEntries);
  deltas_.assign(1, Key<W>{});
  used_ = 0;
  next_tag_ = 1;
  ++clears_;
}

template <unsigned W>
uint64_t StepMemo<W>::memory_bytes() const {
  return root_count_ * sizeof(uint32_t) + nodes_.size() * sizeof(Node) + components_.size() * sizeof(ComponentId) +
         table_.size() * sizeof(Entry) + deltas_.size() * sizeof(Key<W>);
}

template <unsigned W>
uint32_t& StepMemo<W>::make_root_slot(uint32_t pid, uint32_t frame, bool timeout) {
  MemoRoots& roots = roots_[pid * 2 + (timeout ? 1 : 0)];
  if (frame >= roots.size) {
    const uint32_t size = std::max({uint32_t{16}, frame + 1, roots.size + roots.size / 2});
    auto larger = std::make_unique<uint32_t[]>(size);
    std::copy_n(roots.nodes.get(), roots.size, larger.get());
    root_count_ += size - roots.size;
    roots = {std::move(larger), size};
  }
  return roots.nodes[frame];
}

template <unsigned W>
void StepMemo<W>::set_mask(Node& node, size_t count) {
  node.count = static_cast<uint32_t>(count);
  node.mask = {};
  for (size_t i = 0; i < count; ++i) {
    const Layout::Field field = layout_.field(components_[node.first + i]);
    node.mask.words[field.word] |= field.mask();
  }
  node.has_mask = !node.mask.is_zero();
}

template <unsigned W>
void StepMemo<W>::set_components(Node& node, size_t count) {
  set_mask(node, count);
  node.tag = next_tag_++;
  node.only = {};
}

template <unsigned W>
uint32_t StepMemo<W>::make_node(std::span<const ComponentId> components) {
  Node node;
  node.first = static_cast<uint32_t>(components_.size());
  components_.insert(components_.end(), components.begin(), components.end());
  set_components(node, components.size());
  nodes_.push_back(node);
  return static_cast<uint32_t>(nodes_.size() - 1);
}

template <unsigned W>
void StepMemo<W>::set_table(size_t size) {
  table_.assign(size, Entry{});
  table_shift_ = static_cast<unsigned>(std::countl_zero(size)) + 1;
}

template <unsigned W>
void StepMemo<W>::grow() {
  std::vector<Entry> old;
  old.swap(table_);
  set_table(2 * old.size());
  for (const Entry& entry : old) {
    if (entry.tag != 0) place(entry.key, entry.tag) = entry;
  }
}

// A component that had one content had no field, and the content's number was 0: so the new bits of its field are 0 in all
// keys and differences that are taken over.
template <unsigned W>
template <unsigned V>
void StepMemo<W>::take_over(StepMemo<V>& from, const Converter<V, W>& convert) {
  roots_ = std::move(from.roots_);
  root_count_ = from.root_count_;
  components_ = std::move(from.components_);
  next_tag_ = from.next_tag_;
  used_ = from.used_;
  deltas_.clear();
  for (const Key<V>& delta : from.deltas_) deltas_.push_back(convert(delta));
  set_table(from.table_.size());
  const auto lead = [](Entry& entry, const typename StepMemo<V>::Entry& old) {
    entry.value = old.value;
    entry.count = old.count;
    entry.flags = old.flags;
  };
  std::vector<bool> current(next_tag_);  // tags of nodes; others belong to what was forgotten
  nodes_.clear();
  for (const typename StepMemo<V>::Node& old : from.nodes_) {
    Node& node = nodes_.emplace_back();
    node.first = old.first;
    node.tag = old.tag;
    set_mask(node, old.count);
    current[node.tag] = true;
    if (!old.has_mask && old.only.flags != 0) lead(node.has_mask ? place({}, node.tag) : node.only, old.only);
  }
  for (const typename StepMemo<V>::Entry& entry : from.table_) {
    if (entry.tag != 0 && current[entry.tag]) lead(place(convert(entry.key), entry.tag), entry);
  }
  if (memory_bytes() > budget_bytes_) clear();
}

// The entry for this key, or the one that has to make room for it.
template <unsigned W>
typename StepMemo<W>::Entry& StepMemo<W>::place(const Key<W>& masked, uint32_t tag) {
  const size_t first = first_place(masked, tag);
  Entry* chosen = nullptr;
  for (size_t i = 0; i < kPlaces; ++i) {
    Entry& entry = table_[first ^ i];
    if (entry.tag == tag && entry.key == masked) return entry;
    if (entry.tag == 0 && chosen == nullptr) chosen = &entry;
  }
  if (chosen == nullptr) chosen = &table_[first ^ (next_victim_++ % kPlaces)];
  *chosen = {masked, tag, 0, 0, 0};
  return *chosen;
}

template <unsigned W>
void StepMemo<W>::insert(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout,
                         std::span<const ComponentId> touched, const Steps<W>& steps) {
  std::unique_lock lock(lock_, std::defer_lock);
  if (shared_) lock.lock();
  if (used_ * 2 > table_.size() && table_.size() * sizeof(Entry) * 2 <= budget_bytes_ / 2) grow();
  if (memory_bytes() > budget_bytes_ || used_ > table_.size() * 2 || next_tag_ > 0xf0000000u) clear();
  if (deltas_.size() + steps.deltas.size() > 0xffffffffu) clear();
  uint32_t& slot = make_root_slot(pid, frame, timeout);
  if (slot == 0) slot = make_node(touched);
  uint32_t current = slot;
  size_t position = 0;
  for (;;) {
    Node& node = nodes_[current];
    const size_t rest = touched.size() - position;
    size_t common = 0;
    while (common < node.count && common < rest && components_[node.first + common] == touched[position + common]) {
      ++common;
    }
    if (common < node.count) set_components(node, common);
    position += common;
    Entry& entry = node.has_mask ? place(key & node.mask, node.tag) : node.only;
    if (position == touched.size()) {
      entry.value = steps.deltas.empty() ? 0 : static_cast<uint32_t>(deltas_.size());
      entry.count = static_cast<uint16_t>(steps.deltas.size());
      entry.flags = static_cast<uint16_t>(steps.flags | kIsLeaf);
      deltas_.insert(deltas_.end(), steps.deltas.begin(), steps.deltas.end());
      ++used_;
      return;
    }
    if ((entry.flags & kIsNode) == 0) {
      entry.value = static_cast<uint32_t>(nodes_.size());
      entry.flags = kIsNode;
      ++used_;
      current = make_node(touched.subspan(position));
    } else {
      current = entry.value;
    }
  }
}

}  // namespace cmc
