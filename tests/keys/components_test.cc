#include "checker/keyspace/components.h"

#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "checker/vm/generator.h"
#include "tests/generator/spin_cases.h"
#include "tests/keys/models.h"
#include "tests/support/compile.h"
#include "tests/support/model_files.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

// The offsets of all elements of a variable.
std::vector<uint32_t> elements_of(const Variable& variable) {
  std::vector<uint32_t> offsets{variable.offset};
  for (const Variable::Dimension& dimension : variable.dimensions) {
    std::vector<uint32_t> next;
    for (const uint32_t offset : offsets) {
      for (uint32_t i = 0; i < dimension.count; ++i) next.push_back(offset + i * dimension.stride);
    }
    offsets = std::move(next);
  }
  return offsets;
}

// Which range each byte belongs to, -1 for none; fails if it belongs to two.
std::vector<int> owners(std::span<const Components::Range> ranges, uint32_t bytes) {
  std::vector<int> owner(bytes, -1);
  for (size_t i = 0; i < ranges.size(); ++i) {
    REQUIRE(ranges[i].size > 0);
    REQUIRE(ranges[i].offset + ranges[i].size <= bytes);
    for (uint32_t b = 0; b < ranges[i].size; ++b) {
      REQUIRE(owner[ranges[i].offset + b] == -1);
      owner[ranges[i].offset + b] = static_cast<int>(i);
    }
  }
  return owner;
}

void check_whole(const std::vector<int>& owner, uint32_t offset, uint32_t size) {
  REQUIRE(offset + size <= owner.size());
  for (uint32_t b = 0; b < size; ++b) REQUIRE(owner[offset + b] == owner[offset]);
}

bool is_exactly(const Components::Range& range, uint32_t offset, uint32_t size) {
  return range.offset == offset && range.size == size;
}

// What every division must be.
void check_division(const Model& model, const Components& components) {
  const StatePieces& pieces = components.pieces();
  const std::vector<int> owner = owners(components.globals(), model.global_bytes);
  REQUIRE(pieces.global_pieces == components.globals().size());
  REQUIRE(pieces.global_component.size() == model.global_bytes);
  const uint32_t first = model.header_offset() + kHeaderBytes;
  for (uint32_t b = 0; b < model.global_bytes; ++b) {
    REQUIRE((owner[b] >= 0) == (b >= first));
    REQUIRE(pieces.global_component[b] == owner[b] + 1);
  }
  for (const Variable& variable : model.globals) {
    for (const uint32_t offset : elements_of(variable)) check_whole(owner, offset, variable.type.bytes);
  }
  uint32_t channels_begin = model.global_bytes;
  for (const ChannelInstance& channel : model.channels) {
    const Components::Range range = components.globals()[static_cast<size_t>(owner[channel.offset])];
    REQUIRE(is_exactly(range, channel.offset, model.channel_types[channel.type].bytes()));
    channels_begin = std::min(channels_begin, channel.offset);
  }
  size_t variable_pieces = 0;
  for (const Components::Range& range : components.globals())
    variable_pieces += range.offset < channels_begin ? 1 : 0;
  REQUIRE(variable_pieces <= Components::kMaxGlobalPieces);

  uint32_t most = 1;
  REQUIRE(pieces.frame_piece.size() == model.proctypes.size());
  REQUIRE(pieces.frame_pieces.size() == model.proctypes.size());
  for (size_t p = 0; p < model.proctypes.size(); ++p) {
    const Proctype& proctype = model.proctypes[p];
    INFO("proctype " << proctype.name);
    const auto ranges = components.frame(static_cast<ProctypeId>(p));
    const std::vector<int> piece = owners(ranges, proctype.frame_bytes);
    REQUIRE(pieces.frame_pieces[p] == ranges.size());
    REQUIRE(pieces.frame_piece[p].size() == proctype.frame_bytes);
    most = std::max(most, static_cast<uint32_t>(ranges.size()));
    REQUIRE(piece[kFrameProctype] == -1);
    REQUIRE(piece[kFramePriority] == 0);
    REQUIRE(piece[kFrameLocation] == 0);
    for (uint32_t b = 1; b < proctype.frame_bytes; ++b) {
      REQUIRE(piece[b] >= 0);
      REQUIRE(pieces.frame_piece[p][b] == piece[b]);
    }
    check_whole(piece, kFrameLocation, sizeof(LocationId));
    for (const Variable& variable : proctype.variables) {
      for (const uint32_t offset : elements_of(variable)) check_whole(piece, offset, variable.type.bytes);
    }
    for (const ChannelInstance& channel : proctype.channels) {
      check_whole(piece, channel.offset, model.channel_types[channel.type].bytes());
      if (proctype.channels.size() > 128) continue;
      const Components::Range range = ranges[static_cast<size_t>(piece[channel.offset])];
      REQUIRE(is_exactly(range, channel.offset, model.channel_types[channel.type].bytes()));
    }
  }
  REQUIRE(pieces.most_frame_pieces == most);
  REQUIRE(pieces.component_count(kMaxProcesses) <= 0x10000);
  // Numbers of different pieces are different.
  std::set<ComponentId> ids{kControlComponent};
  for (uint32_t i = 0; i < pieces.global_pieces; ++i) ids.insert(static_cast<ComponentId>(1 + i));
  for (uint32_t pid = 0; pid < kMaxProcesses; ++pid) {
    for (uint32_t i = 0; i < most; ++i) ids.insert(pieces.frame(pid, i));
  }
  REQUIRE(ids.size() == pieces.component_count(kMaxProcesses));
}

void check_text(const std::string& text) {
  const Model model = compile_text(text);
  check_division(model, Components(model));
}

Bytes initial_state(const Model& model) {
  SuccessorBatch batch;
  make_vm_generator(model)->initial(batch);
  const ByteView state = batch.state(batch.entries.at(0));
  return {state.begin(), state.end()};
}

TEST_CASE("components: every byte behind the header belongs to one component: small models") {
  for (const SmallModel& small : kSmallModels) {
    INFO(small.name);
    check_text(small.text);
  }
  for (const SpinCase& each : kSpinCases) {
    INFO(each.name);
    check_text(each.text);
  }
}

TEST_CASE("components: every byte behind the header belongs to one component: models in files") {
  size_t count = 0;
  for (const ModelRun& run : model_runs()) {
    INFO(run.name());
    const Model model = compile_file(run.file, run.defines);
    check_division(model, Components(model));
    ++count;
  }
  CHECK(count > 150);
}

TEST_CASE("components: globals are divided into scalars, elements and channels") {
  const Model model = compile_text(
      "hidden int h; byte x; short a[3]; chan q = [2] of { byte, int }; bit b; int y; chan r = [0] of { bit };\n"
      "active proctype P() { x = a[1] + y; b = h; q!1,2; r!1 }");
  const Components components(model);
  check_division(model, components);
  CHECK(components.globals().size() == 10);  // x, a[0..2], q, b, y, r; the contents of two channels
  std::set<std::string> names;
  const Bytes state = initial_state(model);
  Bytes control;
  components.control_of(state, control);
  for (uint32_t i = 0; i <= components.globals().size() + 1; ++i) {
    names.insert(components.name(static_cast<ComponentId>(i), control));
  }
  for (const char* name : {"control", "x", "a[0]", "a[1]", "a[2]", "b", "y", "P[0]"}) {
    INFO(name);
    CHECK(names.count(name) == 1);
  }
}

TEST_CASE("components: many globals are put together") {
  std::string text = "byte many[1000]; int more[100]; byte x; active proctype P() { x = many[3] + more[4] }";
  const Model model = compile_text(text);
  const Components components(model);
  check_division(model, components);
  CHECK(components.globals().size() > Components::kMaxGlobalPieces / 2);
  CHECK(components.globals().size() <= Components::kMaxGlobalPieces);
  std::string scalars;
  for (int i = 0; i < 200; ++i) scalars += (i % 2 == 0 ? "byte v" : "int v") + std::to_string(i) + "; ";
  check_text(scalars + "active proctype P() { v1 = v199 }");
}

TEST_CASE("components: a model may have no globals, no locals, no processes") {
  check_text("init { skip }");
  check_text("active proctype P() { skip }");
  check_text("byte x; proctype Q() { x = 1 } active proctype P() { skip }");
  check_text("chan q = [3] of { byte }; init { q!1 }");
  check_text("hidden byte h; init { h = 1 }");
}

TEST_CASE("components: arrays of structures, and structures of arrays, are divided") {
  check_text(
      "typedef T { byte a; int b[3]; bit c }; T t[5]; T u; T v[2]; byte z; init { t[4].b[2] = u.a + v[1].c + z }");
  check_text(
      "typedef I { short s[2]; byte b }; typedef O { I i[3]; byte a[4]; I j }; O o[2]; init { o[1].i[2].s[1] = "
      "o[0].j.b }");
  check_text(
      "typedef I { short s[2]; byte b }; typedef O { I i[3]; byte a[4]; I j }; O single; init { O o[4]; "
      "o[1].i[2].s[1] = o[0].j.b + single.a[2] }");
  check_text("typedef T { byte only[30] }; T t[40]; init { T l[40]; l[39].only[29] = t[39].only[29] }");
  check_text(
      "typedef T { chan c; byte b }; T t[3]; chan x = [1] of { T }; init { chan l[2] = [1] of { T }; t[2].c = x; "
      "l[1]!t[0] }");
  check_text(
      "typedef T { unsigned u : 5; mtype m; pid p }; mtype = { one, two }; T t[3]; init { T l; l.m = one; t[1].u = "
      "l.u }");
}

size_t pieces_of(const std::string& locals, FrameDivision division = {}) {
  const Model model = compile_text("init { " + locals + " l[0] = 1 }");
  const Components components(model, division);
  check_division(model, components);
  return components.frame(0).size();
}

TEST_CASE("components: long arrays of a process are cut into parts") {
  CHECK(pieces_of("byte l[64];") == 1);
  CHECK(pieces_of("byte l[65];") == 3);
  CHECK(pieces_of("byte x; byte l[640];") == 11);
  CHECK(pieces_of("int l[64];") == 5);
  CHECK(pieces_of("byte l[100]; byte x;") == 4);  // what follows is a piece of its own
  CHECK(pieces_of("byte a[100]; byte l[100];") == 5);
  CHECK(pieces_of("byte a[100]; byte x; byte l[100];") == 6);
  CHECK(pieces_of("byte l[60000];") <= 65);
  CHECK(pieces_of("byte l[60000];") > 50);
  CHECK(pieces_of("byte a[6000]; byte b[6000]; byte l[6000];") <= 113);
}

// The bytes of pieces of global variables, in order.
std::vector<uint32_t> global_pieces_of(const std::string& globals) {
  const Model model = compile_text(globals + " init { skip }");
  const Components components(model);
  check_division(model, components);
  std::vector<uint32_t> sizes;
  for (const Components::Range& range : components.globals()) sizes.push_back(range.size);
  return sizes;
}

TEST_CASE("components: scalars beside long global arrays are pieces of their own") {
  const std::vector<uint32_t> sizes = global_pieces_of("byte x; byte a[1500]; byte y; short z; byte b[7];");
  CHECK(sizes.size() > 30);
  CHECK(sizes.front() == 1);
  CHECK(std::vector(sizes.end() - 3, sizes.end()) == std::vector<uint32_t>{1, 2, 7});
  CHECK(global_pieces_of("byte a[40]; byte x, y, z;") == std::vector<uint32_t>(43, 1));
  // With more scalars and arrays than pieces, scalars share them.
  std::string many = "byte a[100];";
  for (int i = 0; i < 60; ++i) many += fmt::format(" byte v{};", i);
  CHECK(global_pieces_of(many).size() > 30);
}

TEST_CASE("components: a fine division cuts local arrays into elements") {
  const FrameDivision fine{true, {}};
  CHECK(pieces_of("byte l[8];", fine) == 1);
  CHECK(pieces_of("byte l[9];", fine) == 10);
  CHECK(pieces_of("byte l[20]; byte x, y;", fine) == 22);
  CHECK(pieces_of("int l[5];", fine) == 6);
  CHECK(pieces_of("byte l[64];", fine) == 65);
  CHECK(pieces_of("byte l[128];", fine) == 65);
  CHECK(pieces_of("byte a[64]; byte l[64];", fine) < 113);
  const Model model = compile_text("init { byte l[20]; l[0] = 1 } active proctype P() { byte a[8] ; a[1] = 1 }");
  CHECK(Components(model).finer(0) == fine);
  CHECK(!Components(model).finer(1));
  CHECK(!Components(model, fine).finer(0));
}

TEST_CASE("components: locals of a proctype are cut into scalars where that is asked for") {
  const FrameDivision apart{false, {0}};
  CHECK(pieces_of("byte x; int y; byte l[8];", apart) == 4);  // with priority and location
  CHECK(pieces_of("byte l[8]; byte x; byte k[65]; bool b;", apart) == 5);
  CHECK(pieces_of("byte l[8]; byte x; byte k[65]; bool b;", {false, {1}}) == 4);
  CHECK(pieces_of("byte x; byte l[9];", {true, {0}}) == 11);
  const Model model = compile_text(
      "init { byte x, l[20]; l[0] = x } active proctype P() { byte y; y++ } active proctype Q() { skip }");
  const Components coarse(model);
  CHECK(coarse.finer(0) == FrameDivision{true, {}});
  CHECK(coarse.finer(1) == FrameDivision{false, {1}});
  CHECK(!coarse.finer(2));
  CHECK(Components(model, {true, {1}}).finer(0) == FrameDivision{true, {0, 1}});
  CHECK(!Components(model, {true, {0, 1}}).finer(1));
}

TEST_CASE("components: contents of another division are told by their length") {
  const Model model = compile_text("short g; active proctype P() { byte x, y; x = y }");
  const Components components(model);
  const auto may_contain = [&](uint32_t component, size_t size) {
    return components.may_contain(component, Bytes(size, std::byte{0}));
  };
  CHECK(may_contain(kControlComponent, 3));
  CHECK(!may_contain(kControlComponent, 1));
  CHECK(!components.may_contain(kControlComponent, Bytes(3, std::byte{1})));  // there is no proctype 1
  CHECK(may_contain(1, 2));
  CHECK(!may_contain(1, 1));
  const uint32_t frame = components.pieces().frame(0, 0);
  CHECK(may_contain(frame, components.frame(0)[0].size));
  CHECK(!may_contain(frame, Components(model, {false, {0}}).frame(0)[0].size));
}

TEST_CASE("components: each channel of a process is a piece") {
  const Model model = compile_text(
      "init { byte x; chan c[3] = [2] of { byte }; chan d = [0] of { int }; byte l[100]; c[x]!1; l[3] = x; d!1 }");
  const Components components(model);
  check_division(model, components);
  CHECK(components.frame(0).size() == 1 + 2 + 4);  // the array is the last variable
  const Model many = compile_text("init { chan c[200] = [1] of { byte }; c[3]!1 }");
  check_division(many, Components(many));
  CHECK(Components(many).frame(0).size() == 1 + 4 + 1);  // the array of their numbers in parts; all contents together
  const Model as_many_as_possible = compile_text("init { chan c[128] = [1] of { byte }; c[3]!1 }");
  check_division(as_many_as_possible, Components(as_many_as_possible));
  CHECK(Components(as_many_as_possible).frame(0).size() == 1 + 2 + 128);
}

TEST_CASE("components: control is the holder, _last and the proctypes") {
  const Model model = compile_text(
      "byte x; proctype A() { skip } proctype B() { int y; y = _last }\n"
      "init { atomic { run B(); run A(); run B() } }");
  const Components components(model);
  Bytes state = initial_state(model);
  Bytes control;
  components.control_of(state, control);
  REQUIRE(control.size() == 3);
  CHECK(components.process_count(control) == 1);
  CHECK(load<uint8_t>(control.data() + Components::kControlHolder) == kNoProcess);
  const std::unique_ptr<SuccessorGenerator> generator = make_vm_generator(model);
  for (int i = 0; i < 3; ++i) {
    SuccessorBatch batch;
    generator->successors(state, batch);
    const ByteView next = batch.state(batch.entries.at(0));
    state.assign(next.begin(), next.end());
  }
  components.control_of(state, control);
  REQUIRE(components.process_count(control) == 4);
  const auto name_of = [&](uint32_t pid) {
    return model.proctypes[load<ProctypeId>(control.data() + Components::kControlProctypes + pid)].name;
  };
  CHECK(name_of(0) == "init");
  CHECK(name_of(1) == "B");
  CHECK(name_of(2) == "A");
  CHECK(name_of(3) == "B");
  CHECK(load<uint8_t>(control.data() + Components::kControlLast) ==
        load<uint8_t>(state.data() + model.last_offset()));
  CHECK(components.name(components.pieces().frame(1, 0), control) == "B[1]");
  CHECK(components.name(components.pieces().frame(9, 0), control) == "process 9");
  CHECK(components.name(kControlComponent, control) == "control");
}

}  // namespace
}  // namespace cmc::test
