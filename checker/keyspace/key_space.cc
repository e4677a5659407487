#include "checker/keyspace/key_space.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"
#include "base/hash.h"
#include "ir/product.h"

namespace cmc {

namespace {

// Where the frames of a state are.
struct Frames {
  uint32_t count = 0;
  std::array<uint32_t, kMaxProcesses + 1> offsets;

  Frames(const Components& components, ByteView state)
      : count(load<uint8_t>(state.data() + components.model().process_count_offset())) {
    uint32_t offset = components.model().global_bytes;
    for (uint32_t pid = 0; pid < count; ++pid) {
      offsets[pid] = offset;
      offset += components.frame_bytes(static_cast<ProctypeId>(state[offset + kFrameProctype]));
    }
    offsets[count] = offset;
  }
};

// Calls differs(at) for each offset in begin..end at which the states differ, in ascending order, without those
// before what the last call returned: where to go on.
template <class Differs>
void for_each_difference(ByteView a, ByteView b, uint32_t begin, uint32_t end, Differs&& differs) {
  const auto differences = [&](uint32_t at) { return load<uint64_t>(a.data() + at) ^ load<uint64_t>(b.data() + at); };
  while (begin < end) {
    // Of 8 bytes, or as many as there are. Little-endian: the lowest bits are the first byte's.
    uint64_t different = 0;
    if (begin + 8 <= end) {
      different = differences(begin);
    } else if (end >= 8) {
      different = differences(end - 8) >> 8 * (begin + 8 - end);
    } else {
      for (uint32_t i = end; i-- > begin;) different = different << 8 | static_cast<uint64_t>(a[i] ^ b[i]);
    }
    uint32_t next = begin + 8;
    while (different != 0) {
      const uint32_t behind = differs(begin + static_cast<uint32_t>(std::countr_zero(different)) / 8);
      if (behind >= begin + 8) {
        next = behind;
        break;
      }
      different &= ~uint64_t{0} << 8 * (behind - begin);
    }
    begin = next;
  }
}

bool same(ByteView a, ByteView b) { return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin()); }

}  // namespace

KeySpace::KeySpace(const Model& model, FrameDivision division)
    : components_(model, std::move(division)), tables_(components_.pieces().component_count(kMaxProcesses)) {}

void KeySpace::note_state_bytes(uint64_t bytes) {
  uint64_t largest = largest_state_bytes_.load(std::memory_order_relaxed);
  while (bytes > largest && !largest_state_bytes_.compare_exchange_weak(largest, bytes, std::memory_order_relaxed)) {
  }
}

InternTable& KeySpace::add_table(ComponentId component, bool initial) {
  const std::lock_guard lock(mutex_);
  if (InternTable* table = tables_[component].load(std::memory_order_acquire); table != nullptr) return *table;
  owned_.push_back(std::make_unique<InternTable>());
  InternTable* table = owned_.back().get();
  // A component that appears later was absent in all states before, whose keys have no field for it: number 0.
  if (!initial) static_cast<void>(table->intern({}));
  tables_[component].store(table, std::memory_order_release);
  if (component >= component_count_.load(std::memory_order_relaxed)) {
    component_count_.store(component + 1u, std::memory_order_release);
  }
  return *table;
}

void KeySpace::set_initial(ByteView state) {
  CHECK(component_count() == 0);
  const Frames frames(components_, state);
  Bytes control;
  components_.control_of(state, control);
  static_cast<void>(table_for(kControlComponent, true).intern(control));
  for (size_t i = 0; i < components_.globals().size(); ++i) {
    const Components::Range range = components_.globals()[i];
    static_cast<void>(
        table_for(static_cast<ComponentId>(1 + i), true).intern(state.subspan(range.offset, range.size)));
  }
  for (uint32_t pid = 0; pid < frames.count; ++pid) {
    const ProctypeId proctype = static_cast<ProctypeId>(state[frames.offsets[pid] + kFrameProctype]);
    const auto ranges = components_.frame(proctype);
    for (uint32_t piece = 0; piece < ranges.size(); ++piece) {
      const ByteView content = state.subspan(frames.offsets[pid] + ranges[piece].offset, ranges[piece].size);
      static_cast<void>(table_for(components_.pieces().frame(pid, piece), true).intern(content));
    }
  }
  note_state_bytes(state.size());
  layout_ = Layout(std::vector<uint8_t>(component_count(), 0));
}

void KeySpace::unpack(const uint64_t* words, Bytes& state) const {
  const Model& model = components_.model();
  const ByteView control_content = control(words);
  const uint32_t count = components_.process_count(control_content);
  const auto proctype_of = [&](uint32_t pid) {
    return static_cast<ProctypeId>(control_content[Components::kControlProctypes + pid]);
  };
  state.assign(state_bytes_of(control_content), std::byte{0});
  store(state.data() + model.process_count_offset(), static_cast<uint8_t>(count));
  state[model.atomic_holder_offset()] = control_content[Components::kControlHolder];
  state[model.last_offset()] = control_content[Components::kControlLast];
  const auto copy = [&](ComponentId component, uint32_t to) {
    const ByteView bytes = content(component, words);
    DCHECK(to + bytes.size() <= state.size());
    std::copy(bytes.begin(), bytes.end(), state.begin() + to);
  };
  const auto globals = components_.globals();
  for (size_t i = 0; i < globals.size(); ++i) copy(static_cast<ComponentId>(1 + i), globals[i].offset);
  uint32_t frame = model.global_bytes;
  for (uint32_t pid = 0; pid < count; ++pid) {
    const ProctypeId proctype = proctype_of(pid);
    state[frame + kFrameProctype] = std::byte{proctype};
    const auto ranges = components_.frame(proctype);
    for (uint32_t piece = 0; piece < ranges.size(); ++piece) {
      copy(components_.pieces().frame(pid, piece), frame + ranges[piece].offset);
    }
    frame += model.proctypes[proctype].frame_bytes;
  }
}

void KeySpace::unpack_changes(const uint64_t* former, const uint64_t* words, Bytes& state) const {
  if (layout_.get(former, kControlComponent) != layout_.get(words, kControlComponent)) return unpack(words, state);
  const StatePieces& pieces = components_.pieces();
  uint32_t pid = 0;  // whose frame begins at `frame`
  uint32_t frame = components_.model().global_bytes;
  const auto place_of = [&](ComponentId component) {
    if (component <= pieces.global_pieces) return components_.globals()[component - 1u].offset;
    const uint32_t index = component - 1u - pieces.global_pieces;
    const uint32_t owner = index / pieces.most_frame_pieces;
    if (owner < pid) {
      pid = 0;
      frame = components_.model().global_bytes;
    }
    const auto proctype = [&] { return static_cast<ProctypeId>(state[frame + kFrameProctype]); };
    for (; pid < owner; ++pid) frame += components_.frame_bytes(proctype());
    return frame + components_.frame(proctype())[index % pieces.most_frame_pieces].offset;
  };
  for (unsigned word = 0; word < layout_.words(); ++word) {
    for (uint64_t differing = former[word] ^ words[word]; differing != 0;) {
      const ComponentId component = layout_.owner(word, static_cast<unsigned>(std::countr_zero(differing)));
      differing &= ~layout_.field(component).mask();
      const ByteView bytes = content(component, words);
      std::copy(bytes.begin(), bytes.end(), state.begin() + place_of(component));
    }
  }
}

bool KeySpace::difference(const uint64_t* words, ByteView before, ByteView after, const Touched& touched,
                          uint64_t* delta) {
  const Model& model = components_.model();
  const StatePieces& pieces = components_.pieces();
  const Frames old_frames(components_, before);
  const Frames new_frames(components_, after);
  bool fits = true;
  const auto change = [&](ComponentId component, ByteView content) {
    fits &= this->change(words, component, content, delta);
  };
  const auto piece_of = [&](const Frames& frames, ByteView state, uint32_t pid, uint32_t piece) -> ByteView {
    if (pid >= frames.count) return {};
    const auto ranges = components_.frame(static_cast<ProctypeId>(state[frames.offsets[pid] + kFrameProctype]));
    if (piece >= ranges.size()) return {};
    return state.subspan(frames.offsets[pid] + ranges[piece].offset, ranges[piece].size);
  };
  const auto compare_frame_piece = [&](uint32_t pid, uint32_t piece) {
    const ByteView content = piece_of(new_frames, after, pid, piece);
    if (!same(piece_of(old_frames, before, pid, piece), content)) change(pieces.frame(pid, piece), content);
  };
  // Frames from the first that has another proctype on are compared as wholes.
  uint32_t common = 0;
  while (common < old_frames.count && common < new_frames.count &&
         before[old_frames.offsets[common] + kFrameProctype] == after[new_frames.offsets[common] + kFrameProctype]) {
    ++common;
  }
  const bool frames_differ = common < std::max(old_frames.count, new_frames.count);
  if (frames_differ || !same(before.subspan(model.header_offset(), kHeaderBytes),
                             after.subspan(model.header_offset(), kHeaderBytes))) {
    Bytes content;
    components_.control_of(after, content);
    change(kControlComponent, content);
    note_state_bytes(after.size());
  }
  const auto compare_global = [&](ComponentId component) {
    const Components::Range range = components_.globals()[component - 1u];
    const ByteView content = after.subspan(range.offset, range.size);
    if (!same(before.subspan(range.offset, range.size), content)) change(component, content);
  };
  if (touched) {
    for (const ComponentId component : *touched) {
      if (component == kControlComponent) continue;
      if (component <= pieces.global_pieces) {
        compare_global(component);
        continue;
      }
      const uint32_t index = component - 1u - pieces.global_pieces;
      const uint32_t pid = index / pieces.most_frame_pieces;
      if (pid < common) compare_frame_piece(pid, index % pieces.most_frame_pieces);
    }
  } else {
    for_each_difference(before, after, 0, model.global_bytes, [&](uint32_t at) {
      const ComponentId component = pieces.global_component[at];
      if (component == kControlComponent) return at + 1;
      const Components::Range range = components_.globals()[component - 1u];
      change(component, after.subspan(range.offset, range.size));
      return range.offset + range.size;
    });
    uint32_t pid = 0;
    for_each_difference(before, after, model.global_bytes, old_frames.offsets[common], [&](uint32_t at) {
      while (at >= old_frames.offsets[pid + 1]) ++pid;
      const uint32_t frame = old_frames.offsets[pid];
      const ProctypeId proctype = static_cast<ProctypeId>(before[frame + kFrameProctype]);
      const uint32_t piece = pieces.frame_piece[proctype][at - frame];
      compare_frame_piece(pid, piece);
      const Components::Range range = components_.frame(proctype)[piece];
      return std::max(at + 1, frame + range.offset + range.size);
    });
  }
  for (uint32_t pid = common; pid < std::max(old_frames.count, new_frames.count); ++pid) {
    for (uint32_t piece = 0; piece < pieces.most_frame_pieces; ++piece) compare_frame_piece(pid, piece);
  }
  return fits;
}

bool KeySpace::change(const uint64_t* words, ComponentId component, ByteView content, uint64_t* delta) {
  const uint32_t id = table_for(component, false).intern(content);
  const Layout::Field field = layout_.field(component);
  if (id >> field.width != 0) return false;
  const uint32_t old_id = layout_.get(words, component);
  DCHECK(old_id < contents(component));
  delta[field.word] ^= uint64_t{id ^ old_id} << field.shift;
  return true;
}

KeySpace::Widths KeySpace::widths_for(Room room) const {
  Widths widths(component_count());
  for (uint32_t c = 0; c < widths.size(); ++c) {
    uint64_t count = contents(static_cast<ComponentId>(c));
    const bool has_room = room == Room::kDouble || (room != Room::kNone && has_grown(c));
    if (count > 1 && has_room) count *= room == Room::kAmple ? 4 : 2;
    widths[c] = static_cast<uint8_t>(count <= 1 ? 0 : std::bit_width(count - 1));
  }
  if (room == Room::kDouble) widen_siblings(widths);
  if (room != Room::kNone && processes_appear_) add_processes(widths);
  return widths;
}

void KeySpace::widen_siblings(Widths& widths) const {
  const StatePieces& pieces = components_.pieces();
  const uint32_t first = pieces.frame(0, 0);
  std::vector<uint8_t> widest(pieces.most_frame_pieces);
  const auto of_piece = [&](uint32_t c) -> uint8_t& { return widest[(c - first) % widest.size()]; };
  for (uint32_t c = first; c < widths.size(); ++c) of_piece(c) = std::max(of_piece(c), widths[c]);
  for (uint32_t c = first; c < widths.size(); ++c) {
    if (widths[c] == 0) widths[c] = of_piece(c);
  }
}

bool KeySpace::has_grown(uint32_t component) const {
  return component >= contents_before_.size() ||
         contents(static_cast<ComponentId>(component)) > contents_before_[component];
}

KeySpace::Roomiest KeySpace::roomiest(unsigned words, Room room) const {
  const Widths wanted = widths_for(room);
  Widths tight = widths_for(Room::kNone);
  tight.resize(wanted.size(), 0);
  std::vector<uint32_t> growing;
  for (uint32_t c = 0; c < wanted.size(); ++c) {
    if (wanted[c] > tight[c]) growing.push_back(c);
  }
  const auto is_outgrown = [&](uint32_t c) { return tight[c] > layout_.field(static_cast<ComponentId>(c)).width; };
  if (room == Room::kDouble) {
    const auto outgrown = std::ranges::find_if(growing, is_outgrown);
    const uint32_t at = outgrown == growing.end() ? 0 : *outgrown;
    std::ranges::stable_sort(growing, {}, [&](uint32_t c) { return c < at ? at - c : c - at; });
    std::stable_partition(growing.begin(), growing.end(), [&](uint32_t c) { return has_grown(c); });
  }
  std::stable_partition(growing.begin(), growing.end(), is_outgrown);
  const auto with_room_for = [&](size_t count) {
    Widths widths = tight;
    for (size_t i = 0; i < count; ++i) widths[growing[i]] = wanted[growing[i]];
    return layout_for(widths, layout_.words());
  };
  size_t fit = 0;
  for (size_t most = growing.size(); fit < most;) {
    const size_t middle = (fit + most + 1) / 2;
    if (with_room_for(middle).words() <= words) {
      fit = middle;
    } else {
      most = middle - 1;
    }
  }
  return {with_room_for(fit), 2 * fit >= growing.size()};
}

void KeySpace::add_processes(Widths& widths) const {
  const StatePieces& pieces = components_.pieces();
  const uint32_t each = pieces.most_frame_pieces;
  const uint32_t count = (component_count() - pieces.frame(0, 0) + each - 1) / each;
  const uint32_t more = count / (roomy_ ? kProcessesPerNewOfFew : kProcessesPerNew);
  const uint32_t end = std::min<uint32_t>(count + more, kMaxProcesses);
  widths.resize(pieces.component_count(end), 0);
  for (uint32_t pid = count - more; pid < end; ++pid) {
    for (uint32_t piece = 0; piece < each; ++piece) {
      uint8_t& width = widths[pieces.frame(pid, piece)];
      width = std::max(width, widths[pieces.frame(pid - more, piece)]);
    }
  }
}

uint32_t KeySpace::number_of(ComponentId component, ByteView content) {
  if (component == kControlComponent) note_state_bytes(state_bytes_of(content));
  return table_for(component, false).intern(content);
}

bool KeySpace::restore(uint32_t component, uint32_t number, ByteView content) {
  if (component >= tables_.size() || !components_.may_contain(component, content)) return false;
  if (table_for(static_cast<ComponentId>(component), true).intern(content) != number) return false;
  if (component == kControlComponent) note_state_bytes(state_bytes_of(content));
  return true;
}

void KeySpace::restore(Layout layout, uint64_t states) {
  roomy_ = states < kFewStates;
  states_before_ = states;
  layout_ = layout;  // it may be narrower than the one before, for which there was no room
  set_layout(std::move(layout));
}

bool KeySpace::relayout(uint64_t states, unsigned most_words) {
  Layout next = layout_for(widths_for(Room::kNone), layout_.words());
  if (next.words() > kMaxKeyWords) return false;
  if (next.words() > most_words) {
    layout_ = layout_.in_words(most_words);
    ++relayouts_;
    return true;
  }
  const bool few = states < kFewStates;
  const bool more_processes = component_count() > contents_before_.size();
  processes_appear_ =
      more_processes || (few ? processes_appeared_ : processes_appear_ && states_before_ >= kFewStates);
  processes_appeared_ = more_processes;
  if (tight_) {
    set_layout(std::move(next));
    return true;
  }
  roomy_ = few;
  if (few || states - states_before_ < states_before_ / (costly_ ? kSoon : kVerySoon)) {
    next = roomiest(next.words(), Room::kDouble).layout;
  } else {
    Layout with_room = layout_for(widths_for(Room::kGrowing), next.words());
    Roomiest as_short = roomiest(next.words(), Room::kGrowing);
    next = as_short.half || with_room.words() > most_words ? std::move(as_short.layout) : std::move(with_room);
    // Whoever grows while there are many states goes on, and each re-layout then costs more than the one before. With
    // few, all grow: leader 8 had 102 bits, not 85, and 64 MB, not 37.
    if (states_before_ >= kFewStates) {
      Layout ample = layout_for(widths_for(Room::kAmple), next.words());
      if (ample.words() == next.words()) next = std::move(ample);
    }
  }
  states_before_ = states;
  set_layout(std::move(next));
  return true;
}

bool KeySpace::make_room() {
  if (tight_) return false;
  Layout next = roomiest(layout_.words(), Room::kGrowing).layout;
  if (next.words() > layout_.words() || next == layout_) return false;
  roomy_ = false;
  set_layout(std::move(next));
  return true;
}

void KeySpace::set_layout(Layout next) {
  CHECK(next.words() >= layout_.words() && next.words() <= kMaxKeyWords);
  layout_ = std::move(next);
  contents_before_.clear();
  for (uint32_t c = 0; c < component_count(); ++c) contents_before_.push_back(contents(static_cast<ComponentId>(c)));
  ++relayouts_;
}

bool KeySpace::wants_condensing(const Filling& set) const {
  constexpr uint64_t kFewest = 64;      // keys, in tests
  constexpr uint64_t kEnough = 65'536;  // in a compact set
  // A whole key takes two to ten times the memory of a condensed one.
  constexpr uint64_t kMany = 16;
  constexpr uint64_t kTooMany = 4;
  if (states_condensed_ == 0) {
    if (tight_ || set.is_compact) return set.keys >= (tight_ ? kFewest : kEnough);
    return set.is_scarce && set.is_nearly_full() && set.keys >= kEnough;
  }
  if (condensing_failed_) return false;
  if (set.whole_keys > set.keys / kMany && condensing_fails(set)) return true;
  if (set.keys < states_condensed_ + states_condensed_ / 4) return false;
  const bool soon = set.keys / 3 < states_condensed_;
  return set.whole_keys > set.keys / (soon ? kTooMany : kMany);
}

// As long as there is room for a larger set.
bool KeySpace::condensing_fails(const Filling& set) const {
  return states_condensed_ > 0 && !set.is_scarce && set.bytes_per_key() > bytes_per_key_before_;
}

void KeySpace::condense(std::span<const uint64_t> sample, const Filling& set) {
  condensing_failed_ = condensing_fails(set);
  groups_ = condensing_failed_ ? ContentGroups() : ContentGroups::find(layout_, sample);
  if (states_condensed_ == 0) bytes_per_key_before_ = set.bytes_per_key();
  states_condensed_ = set.keys;
}

// Of states that differ in this frame only, with the contents that it has had: whether keys and contents together
// take less than half of the memory if scalars are components, and keys have room for many more values.
bool KeySpace::scalars_pay(ProctypeId proctype, uint32_t pid, const Components& divided) const {
  constexpr uint32_t kSample = 16'384;
  constexpr uint64_t kBesideContent = 24;  // bytes, in an InternTable
  const auto local_ranges = [&](const Components& components) {
    return components.frame(proctype).first(components.local_pieces(proctype));
  };
  uint64_t whole_bytes = 0;
  uint64_t divided_bytes = 0;
  uint64_t key_bits = layout_.bits();
  std::vector<uint64_t> values;  // hashes of them
  auto part = local_ranges(divided).begin();
  for (uint32_t piece = 0; piece < components_.local_pieces(proctype); ++piece) {
    const Components::Range range = components_.frame(proctype)[piece];
    const ComponentId component = components_.pieces().frame(pid, piece);
    const uint32_t count = contents(component);
    const uint32_t every = std::max(count / kSample, 1u);
    const uint64_t states = (count + every - 1) / every;
    whole_bytes += states * (range.size + kBesideContent);
    for (; part != local_ranges(divided).end() && part->offset < range.offset + range.size; ++part) {
      values.clear();
      for (uint32_t number = 0; number < count; number += every) {
        const ByteView content = numbered(component, number);
        if (content.size() != range.size) continue;  // another proctype had the number of the process
        values.push_back(hash_bytes(content.subspan(part->offset - range.offset, part->size)));
      }
      std::ranges::sort(values);
      const uint64_t different = static_cast<uint64_t>(std::unique(values.begin(), values.end()) - values.begin());
      const uint64_t bits = static_cast<uint64_t>(std::bit_width(different));
      divided_bytes += different * (part->size + kBesideContent) + states * bits / 8;
      key_bits += bits;
    }
  }
  return divided_bytes <= whole_bytes / 2 && key_bits <= kMaxKeyWords * 64 / 2;
}

std::optional<FrameDivision> KeySpace::finer_division(uint64_t states, bool is_scarce) {
  // Elements depend on each other less than scalars do.
  constexpr uint64_t kManyContents = 1024;
  const uint64_t many_of_scalars = is_scarce ? kManyContents : 16'384;
  if (states < kManyContents) return std::nullopt;
  const StatePieces& pieces = components_.pieces();
  for (ProctypeId proctype = 0; proctype < components_.model().proctypes.size(); ++proctype) {
    uint64_t most = 0;
    uint32_t its_process = 0;
    for (uint32_t piece = 0; piece < components_.local_pieces(proctype); ++piece) {
      for (uint32_t pid = 0; pieces.frame(pid, piece) < component_count(); ++pid) {
        if (contents(pieces.frame(pid, piece)) <= most) continue;
        most = contents(pieces.frame(pid, piece));
        its_process = pid;
      }
    }
    if (most < std::max(kManyContents, states / 8)) continue;
    std::optional<FrameDivision> finer = components_.finer(proctype);
    if (!finer) continue;
    const bool divides_scalars = finer->scalars.size() > components_.division().scalars.size();
    if (!divides_scalars) return finer;
    if (most < std::max({many_of_scalars, states / 4, 2 * contents_that_did_not_pay_})) continue;
    if (scalars_pay(proctype, its_process, Components(components_.model(), *finer))) return finer;
    contents_that_did_not_pay_ = most;
  }
  return std::nullopt;
}

void KeySpace::drop_absent(ByteView control, std::vector<ComponentId>& touched) const {
  const StatePieces& pieces = components_.pieces();
  const uint32_t count = components_.process_count(control);
  std::erase_if(touched, [&](ComponentId component) {
    if (component <= pieces.global_pieces) return false;
    const uint32_t index = component - 1u - pieces.global_pieces;
    const uint32_t pid = index / pieces.most_frame_pieces;
    if (pid >= count) return true;
    const ProctypeId proctype = static_cast<ProctypeId>(control[Components::kControlProctypes + pid]);
    return index % pieces.most_frame_pieces >= components_.frame(proctype).size();
  });
}

bool KeySpace::valid_end(const uint64_t* words) const {
  const ByteView types = control(words).subspan(Components::kControlProctypes);
  for (uint32_t pid = 0; pid < types.size(); ++pid) {
    const Proctype& proctype = components_.model().proctypes[static_cast<ProctypeId>(types[pid])];
    const ByteView frame = content(components_.pieces().frame(pid, 0), words);
    const LocationId location = load<LocationId>(frame.data() + (kFrameLocation - kFramePriority));
    if (!proctype.locations[location].valid_end) return false;
  }
  const Model& model = components_.model();
  if (types.empty() || !model.trace.exists() || is_notrace(model)) return true;
  const ByteView frame = content(components_.pieces().global_component[model.trace.offset], words);
  return model.claims[model.trace.claim].locations[load<LocationId>(frame.data() + kFrameLocation)].valid_end;
}

uint64_t KeySpace::state_bytes_of(ByteView control) const {
  uint64_t bytes = components_.model().global_bytes;
  for (const std::byte proctype : control.subspan(Components::kControlProctypes)) {
    bytes += components_.frame_bytes(static_cast<ProctypeId>(proctype));
  }
  return bytes;
}

uint32_t KeySpace::contents(ComponentId component) const {
  const InternTable* const table = tables_[component].load(std::memory_order_acquire);
  return table == nullptr ? 0 : table->size();
}

uint64_t KeySpace::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  uint64_t bytes = tables_.size() * sizeof(tables_[0]);
  for (const std::unique_ptr<InternTable>& table : owned_) bytes += sizeof(InternTable) + table->memory_bytes();
  return bytes;
}

std::string KeySpace::name(ComponentId component) const {
  return components_.name(component, table(kControlComponent).get(0));
}

}  // namespace cmc
