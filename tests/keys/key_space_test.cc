#include "checker/keyspace/key_space.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "checker/generator/wrappers/spin_steps.h"
#include "checker/vm/generator.h"
#include "tests/generator/spin_cases.h"
#include "tests/keys/models.h"
#include "tests/keys/steps.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

using WideKey = Key<kMaxKeyWords>;
using Numbers = std::vector<uint32_t>;  // of the contents of all components; trailing zeros are left out

Bytes visible(const Model& model, ByteView state) { return copy(state.subspan(model.hidden_bytes)); }

Numbers unpack_numbers(const KeySpace& space, const WideKey& key) {
  Numbers numbers;
  for (uint32_t c = 0; c < space.layout().size(); ++c) {
    numbers.push_back(space.layout().get(key.data(), static_cast<ComponentId>(c)));
  }
  while (!numbers.empty() && numbers.back() == 0) numbers.pop_back();
  return numbers;
}

// Numbers stay as they are when the layout changes.
WideKey pack(const KeySpace& space, const Numbers& numbers) {
  WideKey key;
  for (size_t c = 0; c < numbers.size(); ++c) {
    const Layout::Field field = space.layout().field(static_cast<ComponentId>(c));
    REQUIRE(numbers[c] >> field.width == 0);
    key[field.word] |= uint64_t{numbers[c]} << field.shift;
  }
  return key;
}

// Walks through a model with states as keys and as vectors side by side.
class Walker {
 public:
  Walker(const Model& model, bool spin_steps) : model_(model), space_(model), trace_(space_.components().pieces()) {
    generator_ = make_vm_generator(model);
    if (spin_steps) generator_ = close_atomic_chains(std::move(generator_), model);
    SuccessorBatch batch;
    generator_->initial(batch);
    state = copy(batch.state(batch.entries.at(0)));
    space_.set_initial(state);
    REQUIRE(space_.layout().bits() == 0);
    check_key(WideKey{}, state);
    note_state(state, {});
  }

  // The successors of the state `from`, whose numbers are known; every one is compared.
  std::vector<Bytes> expand(const Bytes& from) {
    const Numbers numbers = numbers_.at(visible(model_, from));
    WideKey key = pack(space_, numbers);
    check_key(key, from);
    SuccessorBatch all;
    generator_->successors(from, all);
    REQUIRE(space_.valid_end(key.data()) == valid_end(from));
    if (all.blocked) REQUIRE(all.invalid_end == !valid_end(from));
    std::vector<Bytes> successors;
    for (const SuccessorBatch::Entry& entry : all.entries) successors.push_back(copy(all.state(entry)));
    const uint8_t holder = load<uint8_t>(from.data() + model_.atomic_holder_offset());
    // As if everything had been touched, and by what each process touches.
    std::vector<ComponentId> everything;
    for (uint32_t c = 0; c < space_.components().pieces().component_count(kMaxProcesses); ++c) {
      everything.push_back(static_cast<ComponentId>(c));
    }
    for (const Bytes& successor : successors) {
      add(key, numbers, from, successor, everything);
      add(key, numbers, from, successor, KeySpace::kAll);
    }
    std::vector<Bytes> by_process;
    const uint32_t count = load<uint8_t>(from.data() + model_.process_count_offset());
    const auto add_process = [&](uint32_t pid, bool timeout) {
      batch_.clear();
      trace_.clear();
      const bool moves = generator_->process_successors(from, static_cast<uint8_t>(pid), timeout, &trace_, batch_);
      for (const SuccessorBatch::Entry& entry : batch_.entries) {
        by_process.push_back(copy(batch_.state(entry)));
        add(key, numbers, from, by_process.back(), trace_.touched());
      }
      return moves;
    };
    bool moves = holder != kNoProcess && add_process(holder, false);
    for (const bool timeout : {false, true}) {
      if (moves || (timeout && !model_.uses_timeout)) break;
      for (uint32_t pid = count; pid-- > 0;) moves |= add_process(pid, timeout);
    }
    REQUIRE(by_process == successors);
    return successors;
  }

  // Everything that was met so far, in the layout of now.
  void check_all() {
    for (const auto& [content, numbers] : numbers_) {
      Bytes full(model_.hidden_bytes);
      full.insert(full.end(), content.begin(), content.end());
      check_key(pack(space_, numbers), full);
    }
    REQUIRE(space_.largest_state_bytes() == largest_);
  }

  [[nodiscard]] size_t states() const { return numbers_.size(); }
  [[nodiscard]] KeySpace& space() { return space_; }
  [[nodiscard]] uint32_t relayouts() const { return relayouts_; }

  Bytes state;  // the initial one

 private:
  [[nodiscard]] bool valid_end(ByteView from) const {
    uint32_t frame = model_.global_bytes;
    const uint32_t count = load<uint8_t>(from.data() + model_.process_count_offset());
    for (uint32_t pid = 0; pid < count; ++pid) {
      const Proctype& proctype = model_.proctypes[load<ProctypeId>(from.data() + frame + kFrameProctype)];
      if (!proctype.locations[load<LocationId>(from.data() + frame + kFrameLocation)].valid_end) return false;
      frame += proctype.frame_bytes;
    }
    return true;
  }

  void check_key(const WideKey& key, const Bytes& expected) {
    Bytes unpacked;
    space_.unpack(key.data(), unpacked);
    REQUIRE(unpacked.size() == expected.size());
    REQUIRE(visible(model_, unpacked) == visible(model_, expected));
    for (uint32_t b = 0; b < model_.hidden_bytes; ++b) REQUIRE(unpacked[b] == std::byte{0});
    // From the state before, as long as the layout is the same.
    if (changed_.empty() || !(space_.layout() == changed_layout_)) {
      changed_layout_ = space_.layout();
      changed_key_ = key;
      changed_ = unpacked;
    }
    space_.unpack_changes(changed_key_.data(), key.data(), changed_);
    REQUIRE(changed_ == unpacked);
    changed_key_ = key;
    // The contents of single components.
    Bytes control;
    space_.components().control_of(expected, control);
    REQUIRE(copy(space_.control(key.data())) == control);
    const KeySpace::Control read = space_.control_of(space_.control(key.data()));
    REQUIRE(read.process_count == load<uint8_t>(expected.data() + model_.process_count_offset()));
    REQUIRE(read.holder == load<uint8_t>(expected.data() + model_.atomic_holder_offset()));
    const auto globals = space_.components().globals();
    for (size_t i = 0; i < globals.size(); ++i) {
      const ByteView part = ByteView(expected).subspan(globals[i].offset, globals[i].size);
      REQUIRE(copy(space_.content(static_cast<ComponentId>(1 + i), key.data())) == copy(part));
    }
  }

  // Equal states have equal numbers, different ones different numbers.
  void note_state(const Bytes& successor, const Numbers& numbers) {
    largest_ = std::max<uint64_t>(largest_, successor.size());
    const Bytes content = visible(model_, successor);
    const auto [known, is_new] = numbers_.try_emplace(content, numbers);
    REQUIRE(known->second == numbers);
    const auto [same, is_new_too] = states_.try_emplace(numbers, content);
    REQUIRE(same->second == content);
    REQUIRE(is_new == is_new_too);
  }

  void add(WideKey& key, const Numbers& numbers, const Bytes& from, const Bytes& successor,
           const KeySpace::Touched& touched) {
    WideKey delta;
    if (!space_.difference(key.data(), from, successor, touched, delta.data())) {
      REQUIRE(space_.relayout(0));
      ++relayouts_;
      key = pack(space_, numbers);
      check_key(key, from);
      delta = {};
      REQUIRE(space_.difference(key.data(), from, successor, touched, delta.data()));
    }
    const WideKey next = key ^ delta;
    check_key(next, successor);
    note_state(successor, unpack_numbers(space_, next));
  }

  const Model& model_;
  KeySpace space_;
  std::unique_ptr<SuccessorGenerator> generator_;
  TouchTrace trace_;
  SuccessorBatch batch_;
  std::map<Bytes, Numbers> numbers_;
  std::map<Numbers, Bytes> states_;
  uint64_t largest_ = 0;
  uint32_t relayouts_ = 0;
  Layout changed_layout_;  // of the key and the state that were checked last
  WideKey changed_key_;
  Bytes changed_;
};

// Hidden variables are zero in every state that is made from a key, so a walk goes on with zeros there.
Bytes without_hidden(const Model& model, Bytes state) {
  std::fill_n(state.begin(), model.hidden_bytes, std::byte{0});
  return state;
}

void walk_at_random(const Model& model, bool spin_steps, uint64_t seed, size_t runs, size_t steps) {
  Walker walker(model, spin_steps);
  std::mt19937_64 random(seed);
  for (size_t run = 0; run < runs; ++run) {
    Bytes state = without_hidden(model, walker.state);
    for (size_t step = 0; step < steps; ++step) {
      const std::vector<Bytes> successors = walker.expand(state);
      if (successors.empty()) break;
      state = without_hidden(model, successors[random() % successors.size()]);
    }
  }
  walker.check_all();
  REQUIRE(walker.states() > 1);
  REQUIRE(walker.relayouts() > 0);
  REQUIRE(walker.space().relayouts() == walker.relayouts());
}

TEST_CASE("key space: random walks with keys agree with states: everything that comes and goes") {
  for (const SmallModel& small : kSmallModels) {
    const Model model = compile_text(small.text);
    for (const bool spin_steps : {true, false}) {
      INFO(small.name << ", " << (spin_steps ? "spin" : "statement"));
      walk_at_random(model, spin_steps, 1, 15, 60);
    }
  }
}

TEST_CASE("key space: random walks with keys agree with states: small models of dark corners") {
  for (const SpinCase& each : kSpinCases) {
    const Model model = compile_text(each.text);
    INFO(each.name);
    if (each.transitions > 0) walk_at_random(model, false, 2, 4, 30);
  }
}

TEST_CASE("key space: the initial state has key 0 in every layout") {
  const Model model = compile_text(kSmallModels[0].text);
  Walker walker(model, true);
  for (Bytes state = walker.state;;) {
    const std::vector<Bytes> successors = walker.expand(state);
    Bytes unpacked;
    walker.space().unpack(WideKey{}.data(), unpacked);
    REQUIRE(unpacked == walker.state);
    if (successors.empty()) break;
    state = successors.front();
  }
  CHECK(walker.relayouts() >= 3);
  CHECK(walker.space().layout().bits() > 5);
}

// Bits for `contents` numbers and some room.
unsigned bits_for(uint64_t contents, uint32_t spare_percent) {
  if (contents <= 1) return 0;
  return static_cast<unsigned>(std::bit_width(contents + contents * spare_percent / 100 - 1));
}

TEST_CASE("key space: a layout has room for all numbers given out, and for as many again where it is worth it") {
  const Model model = compile_text("byte x, y; active proctype P() { do :: x++ :: y = x * 3 od }");
  Walker walker(model, true);
  KeySpace& space = walker.space();
  Bytes state = walker.state;
  std::mt19937 random(3);
  for (int step = 0; step < 300; ++step) {
    const std::vector<Bytes> successors = walker.expand(state);
    state = successors[random() % successors.size()];
    for (uint32_t c = 0; c < space.layout().size(); ++c) {
      const uint32_t contents = space.contents(static_cast<ComponentId>(c));
      const unsigned width = space.layout().field(static_cast<ComponentId>(c)).width;
      REQUIRE(width >= bits_for(contents, 0));
      REQUIRE(width <= bits_for(contents, 100));
    }
  }
  CHECK(!space.wants_trim(100));
  CHECK(space.wants_trim(1'000'000));
  // With many states, only what has grown since has more room; what was packed before is packed and unpacked as it
  // was (Walker).
  const auto require_room = [&](ComponentId component, unsigned spare_percent) {
    CHECK(space.layout().field(component).width == bits_for(space.contents(component), spare_percent));
  };
  const uint32_t before = space.contents(1);
  while (space.contents(1) == before) {
    const std::vector<Bytes> successors = walker.expand(state);
    state = successors[random() % successors.size()];
  }
  REQUIRE(space.relayout(100'000));
  CHECK(!space.wants_trim(1'000'000));
  require_room(1, 100);
  REQUIRE(space.relayout(110'000));
  for (uint32_t c = 0; c < space.layout().size(); ++c) require_room(static_cast<ComponentId>(c), 0);
  // Where re-layouts follow each other soon, all get room: very soon, or soon where they are costly.
  const auto require_room_for_all = [&] {
    for (uint32_t c = 0; c < space.layout().size(); ++c) {
      const ComponentId component = static_cast<ComponentId>(c);
      require_room(component, space.contents(component) > 1 ? 100 : 0);
    }
  };
  REQUIRE(space.relayout(111'000));
  require_room_for_all();
  space.expect_costly_relayouts();
  REQUIRE(space.relayout(150'000));
  for (uint32_t c = 0; c < space.layout().size(); ++c) require_room(static_cast<ComponentId>(c), 0);
  REQUIRE(space.relayout(160'000));
  require_room_for_all();
  REQUIRE(!walker.expand(state).empty());
  CHECK(space.name(1) == "x");
  CHECK(space.contents(1) > 50);
  CHECK(space.relayouts() < 30);
  CHECK(space.memory_bytes() > 1000);
}

TEST_CASE("key space: components that a state does not have are dropped from what was touched") {
  const Model model =
      compile_text("byte x; proctype A() { byte l[200]; l[x] = 1 } proctype B() { skip } init { run A(); run B() }");
  Walker walker(model, true);
  const StatePieces& pieces = walker.space().components().pieces();
  REQUIRE(pieces.most_frame_pieces == 5);
  Bytes state = walker.expand(walker.state).at(0);
  const std::vector<Bytes> next = walker.expand(state);
  const auto with_both = std::find_if(next.begin(), next.end(), [&](const Bytes& each) {
    return load<uint8_t>(each.data() + model.process_count_offset()) == 3;
  });
  REQUIRE(with_both != next.end());
  Bytes control;
  walker.space().components().control_of(*with_both, control);
  std::vector<ComponentId> touched{kControlComponent,  1,
                                   pieces.frame(0, 0), pieces.frame(0, 1),     // init has one piece
                                   pieces.frame(1, 0), pieces.frame(1, 4),     // A has all
                                   pieces.frame(2, 0), pieces.frame(2, 2),     // B has one
                                   pieces.frame(3, 0), pieces.frame(200, 3)};  // there are three processes
  walker.space().drop_absent(control, touched);
  const std::vector<ComponentId> expected{
      kControlComponent, 1, pieces.frame(0, 0), pieces.frame(1, 0), pieces.frame(1, 4), pieces.frame(2, 0)};
  CHECK(touched == expected);
}

// The initial state of a model with many long local arrays, and the same with changes that no statement would make.
struct WideModel {
  static constexpr uint32_t kProcesses = 100;
  Model model = compile_text("active [100] proctype P() { byte k; byte l[1024]; l[1] = k }");
  KeySpace space{model};
  Bytes initial;

  WideModel() {
    SuccessorBatch batch;
    make_vm_generator(model)->initial(batch);
    initial = copy(batch.state(batch.entries.at(0)));
    space.set_initial(initial);
  }
  // Piece `piece` of process `pid` begins with `value`, piece 0 behind its header.
  Bytes changed(uint32_t pid, uint32_t piece, uint8_t value) const {
    Bytes state = initial;
    const uint32_t frame = model.global_bytes + pid * model.proctypes[0].frame_bytes;
    store(state.data() + frame + space.components().frame(0)[piece].offset +
              (piece == 0 ? kFrameHeaderBytes - kFramePriority : 0),
          value);
    return state;
  }
  uint32_t pieces() const { return static_cast<uint32_t>(space.components().frame(0).size()); }
  // Numbers a content; true if it fits.
  bool note(uint32_t pid, uint32_t piece, uint8_t value) {
    WideKey delta;
    const ComponentId touched[] = {space.components().pieces().frame(pid, piece)};
    return space.difference(WideKey{}.data(), initial, changed(pid, piece, value), touched, delta.data());
  }
};

TEST_CASE("key space: when keys get too wide, the layout stays as it was") {
  WideModel wide;
  wide.space.keep_fields_tight();
  const uint32_t pieces = wide.pieces();
  REQUIRE(pieces == 17);
  uint32_t components = 0;
  bool ok = true;
  // Three contents each: two bits.
  for (uint32_t pid = 0; pid < WideModel::kProcesses && ok; ++pid) {
    for (uint32_t piece = 1; piece < pieces && ok; ++piece) {
      CHECK(!wide.note(pid, piece, 7));
      CHECK(!wide.note(pid, piece, 8));
      ok = wide.space.relayout(0);
      components += ok ? 1 : 0;
    }
  }
  CHECK(!ok);
  CHECK(components == (62 + 15 * 64) / 2);
  CHECK(wide.space.layout().words() == 16);
  CHECK(wide.space.layout().bits() == 62 + 15 * 64);
  CHECK(wide.space.relayouts() == components);
  // What fitted still does.
  CHECK(wide.note(0, 1, 7));
  CHECK(wide.note(3, 5, 8));
  CHECK(!wide.note(99, 16, 8));
  CHECK(!wide.space.relayout(0));
  Bytes unpacked;
  wide.space.unpack(WideKey{}.data(), unpacked);
  CHECK(unpacked == wide.initial);
}

TEST_CASE("key space: keys that may get wider by one step only keep their fields until numbers have room") {
  WideModel wide;
  wide.space.keep_fields_tight();
  for (uint32_t pid = 0; pid < WideModel::kProcesses; ++pid) CHECK(!wide.note(pid, 1, 7));  // a bit each
  const Layout before = wide.space.layout();
  REQUIRE(before.words() == 1);
  REQUIRE(wide.space.relayout(1, 2));
  CHECK(wide.space.layout().words() == 2);
  for (uint32_t pid = 0; pid < WideModel::kProcesses; ++pid) {
    for (uint32_t piece = 2; piece < 5; ++piece) CHECK(!wide.note(pid, piece, 7));
  }
  const Layout narrow = wide.space.layout();
  REQUIRE(wide.space.relayout(1, 4));
  CHECK(wide.space.layout().words() == 4);
  for (uint32_t c = 0; c < narrow.size(); ++c) {
    const auto component = static_cast<ComponentId>(c);
    CHECK(wide.space.layout().field(component) == narrow.field(component));
  }
  CHECK(wide.note(3, 1, 7));
  CHECK(!wide.note(3, 2, 7));
  REQUIRE(wide.space.relayout(1, 16));
  CHECK(wide.space.layout().words() == 16);
  CHECK(wide.note(3, 2, 7));
  CHECK(wide.space.relayouts() == 3);
}

TEST_CASE("key space: a key never gets fewer words, also when what has no room any more would fit into fewer") {
  WideModel wide;
  for (uint32_t pid = 0; pid < 62; ++pid)
    static_cast<void>(wide.note(pid, 1, 7));  // two contents each: one bit, with room two
  REQUIRE(wide.space.relayout(100'000));
  CHECK(wide.space.layout().bits() == 124);
  CHECK(wide.space.layout().words() == 2);
  REQUIRE(wide.space.relayout(110'000));
  CHECK(wide.space.layout().bits() == 62);
  CHECK(wide.space.layout().words() == 2);
  CHECK(wide.note(61, 1, 7));
}

TEST_CASE("key space: room is made for what has grown, as far as keys need no more words for it") {
  WideModel wide;
  const Layout& layout = wide.space.layout();
  for (uint32_t pid = 0; pid < 31; ++pid) static_cast<void>(wide.note(pid, 1, 7));
  REQUIRE(wide.space.relayout(100'000));
  CHECK(layout.bits() == 62);
  CHECK(wide.note(0, 1, 8));
  CHECK(wide.space.make_room());
  CHECK(layout.bits() == 3 + 30);  // one has 3 contents and room for 6
  CHECK(layout.words() == 1);
  for (uint8_t value = 9; value < 9 + 5; ++value) CHECK(wide.note(0, 1, value));
  CHECK(!wide.note(0, 1, 14));
  REQUIRE(wide.space.relayout(110'000));
  for (uint32_t pid = 1; pid < 31; ++pid) static_cast<void>(wide.note(pid, 1, 8));
  REQUIRE(wide.space.relayout(120'000));
  REQUIRE(layout.words() == 2);
  CHECK(wide.space.make_room());  // which nothing needs any more
  CHECK(layout.words() == 2);
  CHECK(!wide.space.make_room());
}

TEST_CASE("key space: no room is made in keys that would need more words for it") {
  WideModel wide;
  for (uint32_t pid = 0; pid < 31; ++pid) static_cast<void>(wide.note(pid, 1, 7));
  REQUIRE(wide.space.relayout(100'000));
  for (uint32_t pid = 0; pid < 31; ++pid) CHECK(wide.note(pid, 1, 8));
  CHECK(!wide.space.make_room());
  CHECK(wide.space.layout().words() == 1);
  CHECK(wide.space.layout().bits() == 62);
  CHECK(wide.space.relayouts() == 1);
  for (uint32_t pid = 0; pid < 31; ++pid) CHECK(wide.note(pid, 1, 9));
}

TEST_CASE("key space: keys get less room, at least half of it, rather than more words") {
  WideModel wide;
  const Layout& layout = wide.space.layout();
  uint32_t noted = 0;
  uint64_t states = 100'000;
  const auto note_more = [&](uint32_t count) {
    for (const uint32_t end = noted + count; noted < end; ++noted)
      static_cast<void>(wide.note(noted / 16, 1 + noted % 16, 7));
    REQUIRE(wide.space.relayout(states += 10'000));
  };
  note_more(40);  // 80 bits would be more than a word has
  CHECK(layout.bits() == 62);
  note_more(0);
  CHECK(layout.bits() == 40);
  REQUIRE(layout.words() == 1);
  note_more(46);  // 40 + 92 bits would be more than two words have
  CHECK(layout.bits() == 62 + 64);
  CHECK(layout.words() == 2);
  note_more(40);  // which take what they want: they have grown among many states
  CHECK(layout.bits() == 40 + 46 + 120);
  CHECK(layout.words() == 4);
}

TEST_CASE("key space: what grows while there are many states gets room for four times as many contents") {
  WideModel wide;
  const Layout& layout = wide.space.layout();
  static_cast<void>(wide.note(0, 1, 7));
  REQUIRE(wide.space.relayout(100'000));
  CHECK(layout.bits() == 2);  // two contents, and room for as many
  for (uint8_t value = 8; value < 8 + 2; ++value) CHECK(wide.note(0, 1, value));
  CHECK(!wide.note(0, 1, 10));
  REQUIRE(wide.space.relayout(150'000));
  CHECK(layout.bits() == 5);
  REQUIRE(wide.space.relayout(200'000));
  CHECK(layout.bits() == 3);
}

TEST_CASE("key space: where keys with room would be too wide, they get no room") {
  WideModel wide;
  for (uint32_t component = 0; component < 62 + 15 * 64; ++component) {
    static_cast<void>(wide.note(component / 16, 1 + component % 16, 7));
  }
  REQUIRE(wide.space.relayout(100'000));
  CHECK(wide.space.layout().bits() == 62 + 15 * 64);
  CHECK(wide.note(63, 14, 7));
  CHECK(!wide.note(63, 15, 7));
  CHECK(!wide.space.relayout(100'000));
}

TEST_CASE("key space: several threads number contents and unpack keys") {
  WideModel wide;
  constexpr uint32_t kThreads = 4;
  constexpr uint32_t kPids = 12;
  const auto in_threads = [](const std::function<void(uint32_t)>& work) {
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
    for (std::thread& thread : threads) thread.join();
  };
  // First all find new contents and components, ...
  std::atomic<uint32_t> fitting = 0;
  in_threads([&](uint32_t thread) {
    std::vector<std::array<uint32_t, 3>> all;
    for (uint32_t pid = 0; pid < kPids; ++pid) {
      for (uint32_t piece = 0; piece < wide.pieces(); ++piece) {
        for (uint32_t value = 1; value <= 6; ++value) all.push_back({pid, piece, value});
      }
    }
    std::mt19937 random(thread % 2);  // two threads go the same way
    std::shuffle(all.begin(), all.end(), random);
    for (const auto& [pid, piece, value] : all) {
      if (wide.note(pid, piece, static_cast<uint8_t>(value))) ++fitting;
    }
  });
  CHECK(fitting == 0);
  REQUIRE(wide.space.relayout(0));
  for (uint32_t pid = 0; pid < kPids; ++pid) {
    for (uint32_t piece = 0; piece < wide.pieces(); ++piece) {
      REQUIRE(wide.space.contents(wide.space.components().pieces().frame(pid, piece)) == 7);
    }
  }
  // ... then there is room for them, and all agree about their numbers.
  std::atomic<uint32_t> wrong = 0;
  std::vector<std::vector<WideKey>> keys(kThreads);
  in_threads([&](uint32_t thread) {
    Bytes unpacked;
    for (uint32_t pid = 0; pid < kPids; ++pid) {
      for (uint32_t piece = 0; piece < wide.pieces(); ++piece) {
        const uint8_t value = static_cast<uint8_t>(1 + (pid + piece) % 6);
        const Bytes state = wide.changed(pid, piece, value);
        const ComponentId touched[] = {wide.space.components().pieces().frame(pid, piece)};
        WideKey key;
        if (!wide.space.difference(WideKey{}.data(), wide.initial, state, touched, key.data())) ++wrong;
        wide.space.unpack(key.data(), unpacked);
        if (unpacked != state) ++wrong;
        keys[thread].push_back(key);
      }
    }
  });
  CHECK(wrong == 0);
  for (uint32_t i = 1; i < kThreads; ++i) CHECK(keys[i] == keys[0]);
}

}  // namespace
}  // namespace cmc::test
