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
//  M5  A leaf, its deltas and notes are written before its entry is published (M1), and are not written again, but
//  for
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
  // a note beside the steps of each computation, or beside each step. `keeps_leaves`: steps can be found again by
  // their number. REQUIRES then: no profile numbers them.
  StepMemo(const Layout& layout, uint64_t budget_bytes, uint32_t workers = 1, bool keeps_notes = false,
           bool keeps_leaves = false);

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

  // The steps that find() found, by Steps::number: as long as clears() and the layout stay.
  struct Leaf {
    Key<W> changed;      // by any of the steps: the delta, if there is one
    uint32_t node = 0;   // where it lies
    uint32_t first = 0;  // of several deltas
    uint16_t count = 0;  // of deltas
    uint16_t flags = 0;  // of Steps
  };
  [[nodiscard]] bool keeps_leaves() const { return keeps_leaves_; }
  // Forgets them, and keeps none from now on. For a worker that does not use it.
  void drop_leaves();
  [[nodiscard, gnu::always_inline]] const Leaf& leaf(uint32_t number) const {
    DCHECK(number < leaves_.used());
    return leaves_[number];
  }
  [[nodiscard, gnu::always_inline]] std::span<const Key<W>> deltas_of(const Leaf& leaf) const {
    return {leaf.count > 1 ? deltas_.data() + leaf.first : &leaf.changed, leaf.count};
  }
  // What their computation touched, without the frame's piece 0 (but for kAccept, kEdge).
  [[nodiscard, gnu::always_inline]] const Key<W>& touched_by(const Leaf& leaf) const {
    return nodes_[leaf.node].path;
  }
  void prefetch_leaf(uint32_t number) const { __builtin_prefetch(leaves_.data() + number); }

  // Aborts if M1 to M5 do not hold. REQUIRES: no other worker uses it.
  void check_invariants() const;

  [[nodiscard]] bool crowded() const { return crowded_.load(std::memory_order_relaxed); }
  // For a worker that does not use it. Everything is forgotten if growing takes more than `spare_bytes` meanwhile, or
  // more than the budget. That grows before, up to `most_budget_bytes`. Throws std::bad_alloc.
  void make_room(uint64_t spare_bytes = ~uint64_t{0}, uint64_t most_budget_bytes = 0);

  // What the memo of the layout before remembers, whose contents may be moved from, and no smaller budget. REQUIRES:
  // nobody uses either.
  template <unsigned V>
  void take_over(StepMemo<V>& from, const Converter<V, W>& convert);

  [[nodiscard]] uint64_t memory_bytes() const {
    return fixed_bytes_.load(std::memory_order_relaxed) + nodes_.used_bytes() + components_.used_bytes() +
           deltas_.used_bytes() + leaves_.used_bytes() +
           uint64_t{4} * notes_capacity_.load(std::memory_order_relaxed);
  }
  // For any worker, whatever the others do.
  [[nodiscard]] uint64_t budget_bytes() const { return budget_bytes_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t clears() const { return clears_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t entries() const { return entries_.load(std::memory_order_relaxed); }

 private:
  template <unsigned V>
  friend class StepMemo;

  // Where a branch leads: to a node, or to steps.
  struct Branch {
    uint32_t value = 0;   // number of the node, or of the first delta
    uint16_t count = 0;   // of deltas
    uint16_t flags = 0;   // of Steps, or kIsNode
    uint32_t number = 0;  // of Steps, or of the leaf
    [[nodiscard]] bool is_node() const { return (flags & kIsNode) != 0; }
  };
  struct Entry {
    Key<W> key;
    uint32_t tag = kFree;  // the node that it belongs to, kFree or kBusy
    Branch branch;
  };
  struct Node {
    Key<W> mask;         // of all components that are named
    Key<W> path;         // and by the nodes above
    Entry only;          // of a node without a mask: its components have one content each, so there is one branch
    uint32_t above = 0;  // the node; 0: none
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
  static constexpr size_t kFirstLeaves = 1024;
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
  [[nodiscard]] const Entry* lookup_behind(size_t first, const Key<W>& masked, uint32_t tag) const;
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
  void set_masks(Node& node) const;

  // False: there is no room.
  bool try_insert(Supply& supply, const Key<W>& key, size_t root, uint32_t frame,
                  std::span<const ComponentId> touched, const Steps<W>& steps, std::span<const uint32_t> notes);
  // 0, or none: there is no room.
  uint32_t make_node(uint32_t above, std::span<const ComponentId> components);
  uint32_t make_node(uint32_t above, uint32_t first, uint32_t count);
  std::optional<Branch> make_leaf(Supply& supply, uint32_t node, const Steps<W>& steps,
                                  std::span<const uint32_t> notes);
  std::optional<Branch> make_branch(uint32_t above, std::span<const ComponentId> components);
  // And looks whether it is time for make_room().
  void count_entries(Supply& supply);
  [[nodiscard]] bool wants_room() const;

  // All below: while nobody else uses it. What throws std::bad_alloc leaves it usable.
  PageMemory set_table(size_t size);  // empty; returns that of the one before
  [[nodiscard]] bool table_may_grow() const { return 2 * table_size_ * sizeof(Entry) <= budget_bytes() / 2; }
  [[nodiscard]] uint64_t growth_bytes() const;
  // Whether it can only grow beyond its budget.
  [[nodiscard]] bool exceeds_budget() const {
    return memory_bytes() > budget_bytes() || (entries() > most_entries_ && !table_may_grow());
  }
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
  std::atomic<uint64_t> budget_bytes_;
  uint64_t most_entries_ = 0;            // with more, the table is too full
  std::array<MemoRoots, kRoots> roots_;  // by root_number()
  PageMemory table_memory_;
  Entry* table_ = nullptr;  // zeroes are free entries
  size_t table_size_ = 0;
  unsigned table_shift_ = 0;
  AppendArray<Node> nodes_;              // [0] unused
  AppendArray<Key<W>> deltas_;           // [0] is 0
  AppendArray<Leaf> leaves_;             // [0] unused
  AppendArray<ComponentId> components_;  // of all nodes
  // By the number of the delta; with a note of its own, a computation without steps has a delta, too. Null: none are
  // kept.
  std::unique_ptr<uint32_t[]> notes_;
  std::atomic<uint32_t> notes_capacity_{0};  // which is asked for while it changes
  const bool keeps_notes_;
  bool keeps_leaves_;
  ReaderLock lock_;
  const uint32_t workers_;
  const std::unique_ptr<Supply[]> supplies_;  // by worker
  std::atomic<uint64_t> fixed_bytes_{0};
  std::atomic<uint64_t> clears_{0};
  alignas(64) std::atomic<uint64_t> entries_{0};
  std::atomic<bool> crowded_{false};
  std::array<std::atomic<uint32_t>, kRoots> wanted_roots_{};  // sizes: 0, or the one there is was too small
  // The table before, while it is being emptied into a larger one.
  std::span<const Entry> former_;
  std::atomic<size_t> next_share_{0};
  std::atomic<bool> emptying_{false};
  std::atomic<uint32_t> helpers_{0};
};

}  // namespace cmc
