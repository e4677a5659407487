#include "checker/keys/step_memo.h"

namespace cmc {

template <unsigned W>
StepMemo<W>::StepMemo(const Layout& layout, uint64_t budget_bytes, uint32_t workers, bool keeps_notes,
                      bool keeps_leaves)
    : layout_(layout),
      budget_bytes_(budget_bytes),
      keeps_notes_(keeps_notes),
      keeps_leaves_(keeps_leaves),
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
  leaves_.reset(keeps_leaves_ ? kFirstLeaves : 1, 1);
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
const typename StepMemo<W>::Entry* StepMemo<W>::lookup_behind(size_t first, const Key<W>& masked,
                                                              uint32_t tag) const {
  for (size_t i = 1; i < kBucket * kMostBuckets; ++i) {
    const Entry& entry = table_[place(first, i)];
    const uint32_t its = load(entry.tag);
    if (its == tag && entry.key == masked) return &entry;
    if (its == kFree) break;
  }
  return nullptr;
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
void StepMemo<W>::set_masks(Node& node) const {
  node.mask = {};
  for (uint32_t i = 0; i < node.count; ++i) {
    const Layout::Field field = layout_.field(components_[node.first + i]);
    node.mask[field.word] |= field.mask();
  }
  node.has_mask = !node.mask.is_zero();
  node.path = node.mask | nodes_[node.above].path;
}

template <unsigned W>
uint32_t StepMemo<W>::make_node(uint32_t above, std::span<const ComponentId> components) {
  const auto first = components_.append(components);
  return first ? make_node(above, *first, static_cast<uint32_t>(components.size())) : 0;
}

template <unsigned W>
uint32_t StepMemo<W>::make_node(uint32_t above, uint32_t first, uint32_t count) {
  Node node;
  node.above = above;
  node.first = first;
  node.count = count;
  set_masks(node);
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
      const uint32_t first = make_node(0, touched);
      if (first == 0) return false;
      replace(*link, number, first);
      continue;
    }
    Node& node = nodes_[number];
    uint32_t common = 0;
    while (common < node.count && common < touched.size() && components_[node.first + common] == touched[common])
      ++common;
    if (common < node.count) {
      const uint32_t shorter = make_node(node.above, node.first, common);
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
      const std::optional<Branch> branch =
          touched.empty() ? make_leaf(supply, number, steps, notes) : make_branch(number, touched);
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
std::optional<typename StepMemo<W>::Branch> StepMemo<W>::make_leaf(Supply& supply, uint32_t node,
                                                                   const Steps<W>& steps,
                                                                   std::span<const uint32_t> notes) {
  const uint32_t count = static_cast<uint32_t>(steps.deltas.size());
  DCHECK(steps.deltas.size() <= 0xffff && steps.flags < kIsNode);
  Branch branch{0, static_cast<uint16_t>(count), static_cast<uint16_t>(steps.flags), steps.number};
  if (const uint32_t wanted = std::max(count, static_cast<uint32_t>(notes.size())); wanted > 0) {
    if (supply.end_delta - supply.next_delta < wanted) {
      const uint32_t taken = std::max(wanted, kDeltasAtOnce);
      const auto first = deltas_.append_empty(taken);
      if (!first) return std::nullopt;
      supply.next_delta = *first;
      supply.end_delta = *first + taken;
    }
    branch.value = std::exchange(supply.next_delta, supply.next_delta + wanted);
    for (uint32_t i = 0; i < notes.size(); ++i) notes_[branch.value + i] = notes[i];
    for (uint32_t i = 0; i < count; ++i) deltas_[branch.value + i] = steps.deltas[i];
  }
  if (keeps_leaves_) {
    Leaf leaf{{}, node, branch.value, branch.count, branch.flags};
    for (const Key<W>& delta : steps.deltas) leaf.changed |= delta;
    const auto number = leaves_.append(leaf);
    if (!number) return std::nullopt;
    branch.number = *number;
  }
  return branch;
}

template <unsigned W>
std::optional<typename StepMemo<W>::Branch> StepMemo<W>::make_branch(uint32_t above,
                                                                     std::span<const ComponentId> components) {
  const uint32_t number = make_node(above, components);
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
         (keeps_leaves_ && leaves_.scarce()) || memory_bytes() > budget_bytes();
}

template <unsigned W>
void StepMemo<W>::make_room(uint64_t spare_bytes, uint64_t most_budget_bytes) {
  const std::unique_lock lock(lock_);
  if (!crowded()) return;  // another worker was faster
  DCHECK((check_invariants(), true));
  crowded_ = false;
  const bool many = entries() > most_entries_;
  if (exceeds_budget() && budget_bytes() < most_budget_bytes)
    budget_bytes_ = std::min(2 * budget_bytes(), most_budget_bytes);
  if (exceeds_budget() || growth_bytes() > spare_bytes || nodes_.full() || components_.full() || deltas_.full() ||
      leaves_.full()) {
    clear();
  } else {
    if (many) grow_table();
    if (nodes_.scarce()) nodes_.grow();
    if (components_.scarce()) components_.grow();
    if (deltas_.scarce()) deltas_.grow();
    if (keeps_leaves_ && leaves_.scarce()) leaves_.grow();
    fit_notes();
  }
  grow_roots();
}

template <unsigned W>
void StepMemo<W>::drop_leaves() {
  const std::unique_lock lock(lock_);
  keeps_leaves_ = false;
  leaves_.reset(1, 1);
}

template <unsigned W>
void StepMemo<W>::check_invariants() const {
  const auto check_entry = [&](const Entry& entry, uint32_t tag) {
    CHECK(entry.tag == tag && entry.tag < nodes_.used());
    CHECK((entry.key & nodes_[tag].mask) == entry.key);
    const Branch& branch = entry.branch;
    CHECK(branch.is_node() ? branch.value < nodes_.used() : uint64_t{branch.value} + branch.count <= deltas_.used());
    if (branch.is_node()) CHECK(nodes_[branch.value].above == tag);
    if (branch.is_node() || !keeps_leaves_) return;
    CHECK(branch.number < leaves_.used());
    const Leaf& leaf = leaves_[branch.number];
    CHECK(leaf.node == tag && leaf.first == branch.value && leaf.count == branch.count && leaf.flags == branch.flags);
  };
  for (size_t i = 0; i < table_size_; ++i) {
    if (table_[i].tag != kFree) check_entry(table_[i], table_[i].tag);
  }
  for (uint32_t number = 1; number < nodes_.used(); ++number) {
    const Node& node = nodes_[number];
    CHECK(uint64_t{node.first} + node.count <= components_.used());
    CHECK(node.has_mask != node.mask.is_zero());
    CHECK(node.above < number && node.path == (node.mask | nodes_[node.above].path));
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
    if (wanted_roots_[i].load(std::memory_order_relaxed) == 0) continue;
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
  return table + notes + of_array(nodes_) + of_array(components_) + of_array(deltas_) +
         (keeps_leaves_ ? of_array(leaves_) : 0);
}

template <unsigned W>
void StepMemo<W>::fit_notes() {
  if (!keeps_notes_ || notes_capacity_ == deltas_.capacity()) return;
  auto larger = std::make_unique<uint32_t[]>(deltas_.capacity());
  std::copy_n(notes_.get(), std::min(notes_capacity_.load(), deltas_.capacity()), larger.get());
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
  budget_bytes_ = std::max(budget_bytes(), from.budget_bytes());
  roots_.swap(from.roots_);
  components_.reset(from.components_.capacity(), 0);
  static_cast<void>(components_.append(from.components_.all()));
  deltas_.reset(from.deltas_.capacity(), 0);
  for (const Key<V>& delta : from.deltas_.all()) static_cast<void>(deltas_.append(convert(delta)));
  if (keeps_notes_) {
    notes_ = std::move(from.notes_);
    notes_capacity_ = from.notes_capacity_.load();
    fit_notes();
  }
  leaves_.reset(from.leaves_.capacity(), 0);
  for (const typename StepMemo<V>::Leaf& old : from.leaves_.all()) {
    static_cast<void>(leaves_.append(Leaf{convert(old.changed), old.node, old.first, old.count, old.flags}));
  }
  nodes_.reset(from.nodes_.capacity(), 1);
  static_cast<void>(set_table(from.table_size_));
  for (const typename StepMemo<V>::Node& old : from.nodes_.all().subspan(1)) {
    Node node;
    node.above = old.above;
    node.first = old.first;
    node.count = old.count;
    node.replaced = old.replaced;
    set_masks(node);
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
  if (memory_bytes() > budget_bytes()) clear();
}

template class StepMemo<1>;
template class StepMemo<2>;
template class StepMemo<4>;
template class StepMemo<16>;
template void StepMemo<1>::take_over(StepMemo<1>&, const Converter<1, 1>&);
template void StepMemo<2>::take_over(StepMemo<1>&, const Converter<1, 2>&);
template void StepMemo<4>::take_over(StepMemo<1>&, const Converter<1, 4>&);
template void StepMemo<16>::take_over(StepMemo<1>&, const Converter<1, 16>&);
template void StepMemo<2>::take_over(StepMemo<2>&, const Converter<2, 2>&);
template void StepMemo<4>::take_over(StepMemo<2>&, const Converter<2, 4>&);
template void StepMemo<16>::take_over(StepMemo<2>&, const Converter<2, 16>&);
template void StepMemo<4>::take_over(StepMemo<4>&, const Converter<4, 4>&);
template void StepMemo<16>::take_over(StepMemo<4>&, const Converter<4, 16>&);
template void StepMemo<16>::take_over(StepMemo<16>&, const Converter<16, 16>&);

}  // namespace cmc
