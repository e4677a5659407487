#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/reader_lock.h"
#include "checker/keys/append_array.h"
#include "checker/keys/steps.h"
#include "checker/keyspace/converter.h"
#include "storage/sets/page_memory.h"

namespace cmc {

// The roots of a process in a StepMemo: nodes by the content of the frame, or the message; 0: none.
struct MemoRoots {
  std::unique_ptr<uint32_t[]> nodes;
  uint32_t size = 0;
};

// Remembers the steps of processes by the values that their computation looked at.
//
// A computation touches components in an order in which each next one depends on the values of those before only
// (TouchTrace). So the memoised steps form a tree, for each process and content of its frame: a node names the
// components that are touched next, a branch their values, and at the leaf are the steps. As long as all computations
// that came to a node touched the same components, whatever their values, the node names them all at once, as a mask
// of key bits, and one look-up in a hash table decides; when one touches something else, the node is replaced by one
// for what was common, and what it knew is forgotten. Masks only become shorter, so this ends.
//
// All workers use one memo at the same time, without locks. Arrays never move while workers are inside. An entry that
// does not fit is dropped and sets crowded(); make_room() waits for the workers inside, grows the table, and waiting
// workers help to rehash. Of two workers that insert the same, one may do so in vain. Everything may be forgotten at
// any time: it costs a computation. When the memory that is allowed is used up, all is.
//
// The invariants behind that, each with the memory order that keeps it:
//
//  M1  A slot of the table is kFree, then kBusy, then has the number of a node for good (or is kFree again, if there
//      was no room for what it was to say). Only the worker that made it kBusy writes its key and branch. Claiming:
//      compare-exchange. Publishing: release store of the tag. Reading: acquire load of the tag before the rest.
//  M2  What an entry says does not change, but for one thing: a branch that leads to a node can come to lead to a
//      shorter one. Changing: compare-exchange (acquire-release). Reading: acquire load of the branch's value.
//  M3  A node is complete before its number stands anywhere. Release store or compare-exchange of the root, tag or
//      branch value; a reader of the number has loaded it with acquire. Nodes do not change, but for `only` (as M1)
//      and `replaced`, which is read by make_room() alone.
//  M4  The components of a node that replaces another are a prefix of that one's: masks only become shorter, so an
//      insertion ends.
//  M5  A leaf's deltas and notes are written before its entry is published (M1), and are not written again, but for
//      bits that are set in notes (relaxed: a bit says that something was done at least once).
//  M6  Arrays, table and roots are replaced only by the worker that holds lock_ for writing; the others are outside
//      then. ReaderLock: sequentially consistent flags.
//  M7  An entry is at the first place of its sequence that was not taken when it was claimed, so a search ends at a
//      free slot. A slot that becomes kFree again (M1) can break that: then a search misses an entry, and its steps
//      are computed once more.
template <unsigned W>
class StepMemo {
 public:
  // `budget_bytes` bounds the memory approximately; at least what a few hundred entries need. `keeps_notes`: there is
  // a note beside the steps of each computation, or beside each step.
  StepMemo(const Layout& layout, uint64_t budget_bytes, uint32_t workers = 1, bool keeps_notes = false);

  // To be held by a worker that calls find() or insert(), and as long as it reads the steps that it was given; for a
  // short time.
  [[nodiscard]] ReaderLock::Reading use(uint32_t worker) {
    return lock_.read(worker, [this] { help(); });
  }

  // Runs `work` while the worker, who uses the memo, does not: it may wait for others then. Steps from find() are
  // gone.
  template <class Work>
  void pause_use(uint32_t worker, Work&& work) {
    lock_.pause(worker, work, [this] { help(); });
  }

  // The steps of `pid`, whose frame (piece 0) has the content number `frame`; false: not known.
  [[nodiscard, gnu::always_inline]] bool find(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout,
                                              Steps<W>& steps, MemoKind kind = MemoKind::kSteps) const {
    const MemoRoots& roots = roots_[root_number(pid, timeout, kind)];
    if (frame >= roots.size) [[unlikely]]
      return false;
    uint32_t node = load(roots.nodes[frame]);
    if (node == 0) [[unlikely]]
      return false;
    for (;;) {
      DCHECK(node < nodes_.used());
      const Node& at = nodes_[node];
      const Entry* entry = &at.only;
      if (at.has_mask) {
        entry = lookup(key & at.mask, node);
        if (entry == nullptr) return false;
      } else if (load(entry->tag) != node) {
        return false;
      }
      const Branch& branch = entry->branch;
      if (!branch.is_node()) {
        DCHECK(uint64_t{branch.value} + branch.count <= deltas_.used());
        steps.flags = branch.flags;
        steps.deltas = {deltas_.data() + branch.value, branch.count};
        steps.number = branch.number;
        return true;
      }
      node = load(branch.value);
    }
  }

  // Asks for the memory that find() is going to look at first. Worth it if is_large().
  [[gnu::always_inline]] void prefetch(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout,
                                       MemoKind kind = MemoKind::kSteps) const {
    const MemoRoots& roots = roots_[root_number(pid, timeout, kind)];
    if (frame >= roots.size) [[unlikely]]
      return;
    const uint32_t node = load(roots.nodes[frame]);
    __builtin_prefetch(&table_[first_place(key & nodes_[node].mask, node)]);
  }
  // The processor's nearest caches do not hold it.
  [[nodiscard]] bool is_large() const { return table_size_ * sizeof(Entry) >= kLarge; }

  // `touched`: in order, without the frame's piece 0, which `frame` stands for (but for kAccept, kEdge). `notes`:
  // one, or one for each step, if the memo keeps notes.
  void insert(uint32_t worker, const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout,
              std::span<const ComponentId> touched, const Steps<W>& steps, std::span<const uint32_t> notes = {},
              MemoKind kind = MemoKind::kSteps);

  // What stands beside steps from find(), or beside one of them. REQUIRES: insert() was given it.
  [[nodiscard]] uint32_t note_of(const Steps<W>& steps, size_t step = 0) const {
    return std::atomic_ref(notes_[note_number(steps, step)]).load(std::memory_order_relaxed);
  }
  // Sets bits in it, for all workers.
  void mark_note(const Steps<W>& steps, size_t step, uint32_t bits) {
    std::atomic_ref(notes_[note_number(steps, step)]).fetch_or(bits, std::memory_order_relaxed);
  }

  // Aborts if M1 to M5 do not hold. REQUIRES: no other worker uses it.
  void check_invariants() const;

  [[nodiscard]] bool crowded() const { return crowded_.load(std::memory_order_relaxed); }
  // For a worker that does not use it. Everything is forgotten if growing takes more than `spare_bytes` meanwhile.
  // Throws std::bad_alloc.
  void make_room(uint64_t spare_bytes = ~uint64_t{0});

  // What the memo of the layout before remembers, whose contents may be moved from. REQUIRES: nobody uses either.
  template <unsigned V>
  void take_over(StepMemo<V>& from, const Converter<V, W>& convert);

  [[nodiscard]] uint64_t memory_bytes() const {
    return fixed_bytes_.load(std::memory_order_relaxed) + nodes_.used_bytes() + components_.used_bytes() +
           deltas_.used_bytes() + uint64_t{4} * notes_capacity_;
  }
  [[nodiscard]] uint64_t clears() const { return clears_; }
  [[nodiscard]] uint64_t entries() const { return entries_.load(std::memory_order_relaxed); }

 private:
  template <unsigned V>
  friend class StepMemo;

  // Where a branch leads: to a node, or to steps.
  struct Branch {
    uint32_t value = 0;   // number of the node, or of the first delta
    uint16_t count = 0;   // of deltas
    uint16_t flags = 0;   // of Steps, or kIsNode
    uint32_t number = 0;  // of Steps
    [[nodiscard]] bool is_node() const { return (flags & kIsNode) != 0; }
  };
  struct Entry {
    Key<W> key;
    uint32_t tag = kFree;  // the node that it belongs to, kFree or kBusy
    Branch branch;
  };
  struct Node {
    Key<W> mask;         // of all components that are named
    Entry only;          // of a node without a mask: its components have one content each, so there is one branch
    uint32_t first = 0;  // of its components in components_
    uint32_t count = 0;
    bool has_mask = false;
    bool replaced = false;
  };
  // What a worker has taken of what all share, so that it does not ask for each entry: two that did waited for each
  // other's cache lines.
  struct alignas(64) Supply {
    uint32_t next_delta = 0;
    uint32_t end_delta = 0;
    uint32_t entries = 0;  // not counted yet
  };

  static constexpr uint16_t kIsNode = 0x8000;
  static constexpr uint32_t kFree = 0;
  static constexpr uint32_t kBusy = 0xffffffff;      // is being written
  static constexpr size_t kBucket = 4;               // neighbours, of which any may have an entry
  static constexpr size_t kMostBuckets = 8;          // one after the other: the next one if there is no room
  static constexpr size_t kLarge = size_t{1} << 18;  // bytes
  static constexpr size_t kFirstEntries = 1024;
  static constexpr size_t kSmallTable = size_t{1} << 16;  // a larger one is filled more
  static constexpr size_t kFirstNodes = 256;
  static constexpr size_t kFirstComponents = 1024;
  static constexpr size_t kFirstDeltas = 2048;
  static constexpr uint32_t kDeltasAtOnce = 64;
  static constexpr uint32_t kEntriesAtOnce = 16;
  static constexpr size_t kShare = 4096;  // entries that a worker puts into a larger table at a time

  static uint32_t load(const uint32_t& value) {
    return std::atomic_ref(const_cast<uint32_t&>(value)).load(std::memory_order_acquire);
  }
  static void publish(uint32_t& value, uint32_t number) {
    std::atomic_ref(value).store(number, std::memory_order_release);
  }

  static constexpr size_t kRoots = size_t{2} * kMemoKinds * kMovers;
  static size_t root_number(uint32_t pid, bool timeout, MemoKind kind) {
    return (static_cast<uint32_t>(kind) * kMovers + pid) * size_t{2} + (timeout ? 1 : 0);
  }
  [[nodiscard]] size_t note_number(const Steps<W>& steps, size_t step) const {
    return static_cast<size_t>(steps.deltas.data() - deltas_.data()) + step;
  }

  // Multiplicative: the first bits of the product depend on all others.
  [[nodiscard, gnu::always_inline]] size_t first_place(const Key<W>& masked, uint32_t tag) const {
    uint64_t hash = masked[0] + uint64_t{tag} * 0x9e3779b97f4a7c15ULL;
    for (unsigned i = 1; i < W; ++i) hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9ULL + masked[i];
    hash ^= hash >> 32;
    return static_cast<size_t>(hash * 0xd6e8feb86659fd93ULL >> table_shift_);
  }
  // Number i of the places where an entry can be.
  [[nodiscard, gnu::always_inline]] size_t place(size_t first, size_t i) const {
    return ((first ^ i % kBucket) + (i & ~(kBucket - 1))) & (table_size_ - 1);
  }
  // Most are at their first place.
  [[nodiscard, gnu::always_inline]] const Entry* lookup(const Key<W>& masked, uint32_t tag) const {
    const size_t first = first_place(masked, tag);
    const Entry& entry = table_[first];
    const uint32_t its = load(entry.tag);
    if (its == tag && entry.key == masked) [[likely]]
      return &entry;
    return its == kFree ? nullptr : lookup_behind(first, masked, tag);
  }
  // Entries stay where they are, and took the first free place.
  [[nodiscard, gnu::noinline]] const Entry* lookup_behind(size_t first, const Key<W>& masked, uint32_t tag) const {
    for (size_t i = 1; i < kBucket * kMostBuckets; ++i) {
      const Entry& entry = table_[place(first, i)];
      const uint32_t its = load(entry.tag);
      if (its == tag && entry.key == masked) return &entry;
      if (its == kFree) break;
    }
    return nullptr;
  }
  // The entry, or a free one that is kBusy now; null: there is no room.
  Entry* claim(const Key<W>& masked, uint32_t tag);
  // The same of a node without a mask; null: another worker is at it.
  Entry* claim_only(Node& node, uint32_t number) {
    uint32_t its = kFree;
    const bool free = std::atomic_ref(node.only.tag).compare_exchange_strong(its, kBusy);
    return free || its == number ? &node.only : nullptr;
  }
  static bool replace(uint32_t& link, uint32_t expected, uint32_t number) {
    return std::atomic_ref(link).compare_exchange_strong(expected, number, std::memory_order_acq_rel);
  }
  // Of one that was claimed.
  static void fill(Entry& entry, const Key<W>& masked, uint32_t tag, const Branch& branch) {
    DCHECK(load(entry.tag) == kBusy);
    entry.key = masked;
    entry.branch = branch;
    publish(entry.tag, tag);
  }
  // What was known before; false: there is no room, or it is there already. The caller counts entries.
  bool put(const Key<W>& masked, uint32_t tag, const Branch& branch);
  void set_mask(Node& node) const;

  // False: there is no room.
  bool try_insert(Supply& supply, const Key<W>& key, size_t root, uint32_t frame,
                  std::span<const ComponentId> touched, const Steps<W>& steps, std::span<const uint32_t> notes);
  // 0, or none: there is no room.
  uint32_t make_node(std::span<const ComponentId> components);
  uint32_t make_node(uint32_t first, uint32_t count);
  std::optional<Branch> make_leaf(Supply& supply, const Steps<W>& steps, std::span<const uint32_t> notes);
  std::optional<Branch> make_branch(std::span<const ComponentId> components);
  // And looks whether it is time for make_room().
  void count_entries(Supply& supply);
  [[nodiscard]] bool wants_room() const;

  // All below: while nobody else uses it. What throws std::bad_alloc leaves it usable.
  PageMemory set_table(size_t size);  // empty; returns that of the one before
  [[nodiscard]] bool table_may_grow() const { return 2 * table_size_ * sizeof(Entry) <= budget_bytes_ / 2; }
  [[nodiscard]] uint64_t growth_bytes() const;
  void grow_table();
  void fit_notes();  // after the deltas' capacity has changed
  void put_shares();
  void grow_roots();
  void count_fixed_bytes();
  void clear();
  // Of a worker that waits.
  void help();

  // What find() reads comes first: no insertion may write to its cache lines.
  const Layout& layout_;
  const uint64_t budget_bytes_;
  uint64_t most_entries_ = 0;            // with more, the table is too full
  std::array<MemoRoots, kRoots> roots_;  // by root_number()
  PageMemory table_memory_;
  Entry* table_ = nullptr;  // zeroes are free entries
  size_t table_size_ = 0;
  unsigned table_shift_ = 0;
  AppendArray<Node> nodes_;              // [0] unused
  AppendArray<Key<W>> deltas_;           // [0] is 0
  AppendArray<ComponentId> components_;  // of all nodes
  // By the number of the delta; with a note of its own, a computation without steps has a delta, too. Null: none are
  // kept.
  std::unique_ptr<uint32_t[]> notes_;
  uint32_t notes_capacity_ = 0;
  const bool keeps_notes_;
  ReaderLock lock_;
  const uint32_t workers_;
  const std::unique_ptr<Supply[]> supplies_;  // by worker
  std::atomic<uint64_t> fixed_bytes_{0};
  uint64_t clears_ = 0;
  alignas(64) std::atomic<uint64_t> entries_{0};
  std::atomic<bool> crowded_{false};
  std::array<std::atomic<uint32_t>, kRoots> wanted_roots_{};  // sizes: 0, or the one there is was too small
  // The table before, while it is being emptied into a larger one.
  std::span<const Entry> former_;
  std::atomic<size_t> next_share_{0};
  std::atomic<bool> emptying_{false};
  std::atomic<uint32_t> helpers_{0};
};

template <unsigned W>
StepMemo<W>::StepMemo(const Layout& layout, uint64_t budget_bytes, uint32_t workers, bool keeps_notes)
    : layout_(layout),
      budget_bytes_(budget_bytes),
      keeps_notes_(keeps_notes),
      lock_(workers),
      workers_(workers),
      supplies_(std::make_unique<Supply[]>(workers)) {
  clear();
  clears_ = 0;
}

template <unsigned W>
void StepMemo<W>::clear() {
  static_cast<void>(set_table(kFirstEntries));
  roots_ = {};
  nodes_.reset(kFirstNodes, 1);
  components_.reset(kFirstComponents, 0);
  deltas_.reset(kFirstDeltas, 1);
  fit_notes();
  std::fill_n(supplies_.get(), workers_, Supply{});
  count_fixed_bytes();
  ++clears_;
}

template <unsigned W>
void StepMemo<W>::count_fixed_bytes() {
  uint64_t roots = 0;
  for (const MemoRoots& each : roots_) roots += each.size;
  fixed_bytes_ = roots * sizeof(uint32_t) + table_size_ * sizeof(Entry);
}

template <unsigned W>
PageMemory StepMemo<W>::set_table(size_t size) {
  PageMemory memory(0, size * sizeof(Entry));
  memory.grow(size * sizeof(Entry));
  table_memory_.swap(memory);
  table_ = static_cast<Entry*>(table_memory_.data());
  table_size_ = size;
  table_shift_ = static_cast<unsigned>(std::countl_zero(size)) + 1;
  most_entries_ = table_may_grow() && size <= kSmallTable ? size / 2 : size / 4 * 3;
  entries_ = 0;
  count_fixed_bytes();
  return memory;
}

template <unsigned W>
typename StepMemo<W>::Entry* StepMemo<W>::claim(const Key<W>& masked, uint32_t tag) {
  const size_t first = first_place(masked, tag);
  for (size_t i = 0; i < kBucket * kMostBuckets; ++i) {
    Entry& entry = table_[place(first, i)];
    uint32_t its = load(entry.tag);
    if (its == tag && entry.key == masked) return &entry;
    if (its == kFree && std::atomic_ref(entry.tag).compare_exchange_strong(its, kBusy)) return &entry;
  }
  return nullptr;
}

template <unsigned W>
bool StepMemo<W>::put(const Key<W>& masked, uint32_t tag, const Branch& branch) {
  Entry* const entry = claim(masked, tag);
  if (entry == nullptr || load(entry->tag) == tag) return false;
  fill(*entry, masked, tag, branch);
  return true;
}

template <unsigned W>
void StepMemo<W>::set_mask(Node& node) const {
  node.mask = {};
  for (uint32_t i = 0; i < node.count; ++i) {
    const Layout::Field field = layout_.field(components_[node.first + i]);
    node.mask[field.word] |= field.mask();
  }
  node.has_mask = !node.mask.is_zero();
}

template <unsigned W>
uint32_t StepMemo<W>::make_node(std::span<const ComponentId> components) {
  const auto first = components_.append(components);
  return first ? make_node(*first, static_cast<uint32_t>(components.size())) : 0;
}

template <unsigned W>
uint32_t StepMemo<W>::make_node(uint32_t first, uint32_t count) {
  Node node;
  node.first = first;
  node.count = count;
  set_mask(node);
  return nodes_.append(node).value_or(0);
}

template <unsigned W>
void StepMemo<W>::insert(uint32_t worker, const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout,
                         std::span<const ComponentId> touched, const Steps<W>& steps, std::span<const uint32_t> notes,
                         MemoKind kind) {
  if (!keeps_notes_) notes = {};
  if (!try_insert(supplies_[worker], key, root_number(pid, timeout, kind), frame, touched, steps, notes)) {
    crowded_.store(true, std::memory_order_relaxed);
  }
}

template <unsigned W>
bool StepMemo<W>::try_insert(Supply& supply, const Key<W>& key, size_t root, uint32_t frame,
                             std::span<const ComponentId> touched, const Steps<W>& steps,
                             std::span<const uint32_t> notes) {
  if (frame >= roots_[root].size) {
    std::atomic<uint32_t>& size = wanted_roots_[root];
    for (uint32_t wanted = size; wanted <= frame && !size.compare_exchange_weak(wanted, frame + 1);) {
    }
    return false;
  }
  uint32_t* link = &roots_[root].nodes[frame];  // what leads to the node
  for (;;) {
    uint32_t number = load(*link);
    if (number == 0) {
      const uint32_t first = make_node(touched);
      if (first == 0) return false;
      replace(*link, number, first);
      continue;
    }
    Node& node = nodes_[number];
    uint32_t common = 0;
    while (common < node.count && common < touched.size() && components_[node.first + common] == touched[common])
      ++common;
    if (common < node.count) {
      const uint32_t shorter = make_node(node.first, common);
      if (shorter == 0) return false;
      if (replace(*link, number, shorter)) node.replaced = true;
      continue;
    }
    touched = touched.subspan(common);
    const Key<W> masked = key & node.mask;
    DCHECK(node.has_mask || masked.is_zero());
    Entry* const entry = node.has_mask ? claim(masked, number) : claim_only(node, number);
    if (entry == nullptr)
      return true;  // its neighbours have been faster: it stays unknown, and room would change nothing
    if (load(entry->tag) != number) {
      const std::optional<Branch> branch = touched.empty() ? make_leaf(supply, steps, notes) : make_branch(touched);
      if (!branch) {
        publish(entry->tag, kFree);
        return false;
      }
      fill(*entry, masked, number, *branch);
      if (++supply.entries == kEntriesAtOnce) count_entries(supply);
    }
    // A leaf is new, or another worker has been faster.
    if (!entry->branch.is_node()) return true;
    link = &entry->branch.value;
  }
}

template <unsigned W>
std::optional<typename StepMemo<W>::Branch> StepMemo<W>::make_leaf(Supply& supply, const Steps<W>& steps,
                                                                   std::span<const uint32_t> notes) {
  const uint32_t count = static_cast<uint32_t>(steps.deltas.size());
  DCHECK(steps.deltas.size() <= 0xffff && steps.flags < kIsNode);
  const uint32_t wanted = std::max(count, static_cast<uint32_t>(notes.size()));
  if (wanted == 0) return Branch{0, 0, static_cast<uint16_t>(steps.flags), steps.number};
  if (supply.end_delta - supply.next_delta < wanted) {
    const uint32_t taken = std::max(wanted, kDeltasAtOnce);
    const auto first = deltas_.append_empty(taken);
    if (!first) return std::nullopt;
    supply.next_delta = *first;
    supply.end_delta = *first + taken;
  }
  const uint32_t first = std::exchange(supply.next_delta, supply.next_delta + wanted);
  for (uint32_t i = 0; i < notes.size(); ++i) notes_[first + i] = notes[i];
  for (uint32_t i = 0; i < count; ++i) deltas_[first + i] = steps.deltas[i];
  return Branch{first, static_cast<uint16_t>(count), static_cast<uint16_t>(steps.flags), steps.number};
}

template <unsigned W>
std::optional<typename StepMemo<W>::Branch> StepMemo<W>::make_branch(std::span<const ComponentId> components) {
  const uint32_t number = make_node(components);
  if (number == 0) return std::nullopt;
  return Branch{number, 0, kIsNode, 0};
}

template <unsigned W>
void StepMemo<W>::count_entries(Supply& supply) {
  entries_.fetch_add(std::exchange(supply.entries, 0), std::memory_order_relaxed);
  if (wants_room()) crowded_.store(true, std::memory_order_relaxed);
}

template <unsigned W>
bool StepMemo<W>::wants_room() const {
  return entries() > most_entries_ || nodes_.scarce() || components_.scarce() || deltas_.scarce() ||
         memory_bytes() > budget_bytes_;
}

template <unsigned W>
void StepMemo<W>::make_room(uint64_t spare_bytes) {
  const std::unique_lock lock(lock_);
  if (!crowded()) return;  // another worker was faster
  DCHECK((check_invariants(), true));
  crowded_ = false;
  const bool many = entries() > most_entries_;
  if (memory_bytes() > budget_bytes_ || (many && !table_may_grow()) || growth_bytes() > spare_bytes ||
      nodes_.full() || components_.full() || deltas_.full()) {
    clear();
  } else {
    if (many) grow_table();
    if (nodes_.scarce()) nodes_.grow();
    if (components_.scarce()) components_.grow();
    if (deltas_.scarce()) deltas_.grow();
    fit_notes();
  }
  grow_roots();
}

template <unsigned W>
void StepMemo<W>::check_invariants() const {
  const auto check_entry = [&](const Entry& entry, uint32_t tag) {
    CHECK(entry.tag == tag && entry.tag < nodes_.used());
    CHECK((entry.key & nodes_[tag].mask) == entry.key);
    const Branch& branch = entry.branch;
    CHECK(branch.is_node() ? branch.value < nodes_.used() : uint64_t{branch.value} + branch.count <= deltas_.used());
  };
  for (size_t i = 0; i < table_size_; ++i) {
    if (table_[i].tag != kFree) check_entry(table_[i], table_[i].tag);
  }
  for (uint32_t number = 1; number < nodes_.used(); ++number) {
    const Node& node = nodes_[number];
    CHECK(uint64_t{node.first} + node.count <= components_.used());
    CHECK(node.has_mask != node.mask.is_zero());
    if (node.only.tag != kFree) check_entry(node.only, number);
  }
  for (const MemoRoots& roots : roots_) {
    for (uint32_t frame = 0; frame < roots.size; ++frame) CHECK(roots.nodes[frame] < nodes_.used());
  }
  CHECK(deltas_.used() > 0 && deltas_[0].is_zero());
}

template <unsigned W>
void StepMemo<W>::grow_roots() {
  for (size_t i = 0; i < roots_.size(); ++i) {
    MemoRoots& roots = roots_[i];
    const uint32_t wanted = wanted_roots_[i].exchange(0);
    if (wanted <= roots.size) continue;
    const uint32_t size = std::max({uint32_t{16}, wanted, roots.size + roots.size / 2});
    auto larger = std::make_unique<uint32_t[]>(size);
    std::copy_n(roots.nodes.get(), roots.size, larger.get());
    roots = {std::move(larger), size};
  }
  count_fixed_bytes();
}

// At most. The table is there twice while it grows; arrays may be.
template <unsigned W>
uint64_t StepMemo<W>::growth_bytes() const {
  const auto of_array = [](const auto& array) { return array.scarce() ? 2 * array.used_bytes() : 0; };
  const uint64_t notes = deltas_.scarce() ? 2 * uint64_t{4} * notes_capacity_ : 0;
  const uint64_t table = entries() > most_entries_ ? 2 * table_size_ * sizeof(Entry) : 0;
  return table + notes + of_array(nodes_) + of_array(components_) + of_array(deltas_);
}

template <unsigned W>
void StepMemo<W>::fit_notes() {
  if (!keeps_notes_ || notes_capacity_ == deltas_.capacity()) return;
  auto larger = std::make_unique<uint32_t[]>(deltas_.capacity());
  std::copy_n(notes_.get(), std::min(notes_capacity_, deltas_.capacity()), larger.get());
  notes_ = std::move(larger);
  notes_capacity_ = deltas_.capacity();
}

template <unsigned W>
void StepMemo<W>::grow_table() {
  former_ = {table_, table_size_};
  const PageMemory former_memory = set_table(2 * table_size_);
  next_share_ = 0;
  emptying_ = true;
  put_shares();
  emptying_ = false;
  // A helper says that it is there before it looks whether there is anything to do.
  while (helpers_ > 0) std::this_thread::yield();
}

template <unsigned W>
void StepMemo<W>::help() {
  ++helpers_;
  if (emptying_) put_shares();
  --helpers_;
  std::this_thread::yield();
}

template <unsigned W>
void StepMemo<W>::put_shares() {
  for (;;) {
    const size_t first = next_share_.fetch_add(kShare);
    if (first >= former_.size()) return;
    uint64_t count = 0;
    for (const Entry& entry : former_.subspan(first, std::min(kShare, former_.size() - first))) {
      if (entry.tag == kFree || nodes_[entry.tag].replaced) continue;
      count += put(entry.key, entry.tag, entry.branch) ? 1 : 0;
    }
    entries_ += count;
  }
}

// A component that had one content had no field, and the content's number was 0: so the new bits of its field are 0
// in all keys and differences that are taken over.
template <unsigned W>
template <unsigned V>
void StepMemo<W>::take_over(StepMemo<V>& from, const Converter<V, W>& convert) {
  const auto converted = [](const typename StepMemo<V>::Branch& branch) {
    return Branch{branch.value, branch.count, branch.flags, branch.number};
  };
  roots_.swap(from.roots_);
  components_.reset(from.components_.capacity(), 0);
  static_cast<void>(components_.append(from.components_.all()));
  deltas_.reset(from.deltas_.capacity(), 0);
  for (const Key<V>& delta : from.deltas_.all()) static_cast<void>(deltas_.append(convert(delta)));
  if (keeps_notes_) {
    notes_ = std::move(from.notes_);
    notes_capacity_ = from.notes_capacity_;
    fit_notes();
  }
  nodes_.reset(from.nodes_.capacity(), 1);
  static_cast<void>(set_table(from.table_size_));
  for (const typename StepMemo<V>::Node& old : from.nodes_.all().subspan(1)) {
    Node node;
    node.first = old.first;
    node.count = old.count;
    node.replaced = old.replaced;
    set_mask(node);
    const uint32_t number = static_cast<uint32_t>(nodes_.used());
    if (!old.has_mask && old.only.tag != kFree) {
      if (node.has_mask) {
        entries_ += put({}, number, converted(old.only.branch)) ? 1 : 0;
      } else {
        node.only = {{}, number, converted(old.only.branch)};
      }
    }
    static_cast<void>(nodes_.append(node));
  }
  for (const typename StepMemo<V>::Entry& entry : std::span(from.table_, from.table_size_)) {
    if (entry.tag == kFree || nodes_[entry.tag].replaced) continue;
    entries_ += put(convert(entry.key), entry.tag, converted(entry.branch)) ? 1 : 0;
  }
  count_fixed_bytes();
  if (memory_bytes() > budget_bytes_) clear();
}

}  // namespace cmc
