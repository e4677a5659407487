#pragma once

#include <algorithm>
#include <bit>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/sha256.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/keyspace/components.h"
#include "checker/vm/generator.h"
#include "tests/support/compile.h"

namespace cmc::test {

// A certificate made by a search of its own, to be changed and written: states are lists of the numbers of contents.
struct MadeCertificate {
  using Numbers = std::vector<uint32_t>;  // by component
  using Json = nlohmann::json;

  std::string text;
  std::vector<std::string> arguments;
  unsigned words = 1;
  unsigned spare_bits = 0;  // of each field
  uint64_t files = 1;       // of states
  uint32_t keys_in_block = 4096;
  std::string table;
  std::vector<std::vector<std::string>> contents;  // by component and number
  std::vector<Numbers> states;                     // the initial one first
  uint64_t transitions = 0;

  void write(const std::string& folder) const;
};

// The components' contents in a state vector.
inline std::map<uint32_t, std::string> contents_of(const Components& components, ByteView state) {
  const auto text = [](ByteView bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const Model& model = components.model();
  std::map<uint32_t, std::string> contents;
  Bytes control;
  components.control_of(state, control);
  contents[0] = text(control);
  for (size_t i = 0; i < components.globals().size(); ++i) {
    const Components::Range& range = components.globals()[i];
    contents[static_cast<uint32_t>(1 + i)] = text(state.subspan(range.offset, range.size));
  }
  uint32_t frame = model.global_bytes;
  for (uint32_t pid = 0; pid < components.process_count(control); ++pid) {
    const auto proctype = static_cast<ProctypeId>(control[Components::kControlProctypes + pid]);
    const auto ranges = components.frame(proctype);
    for (uint32_t piece = 0; piece < ranges.size(); ++piece) {
      contents[components.pieces().frame(pid, piece)] =
          text(state.subspan(frame + ranges[piece].offset, ranges[piece].size));
    }
    frame += components.frame_bytes(proctype);
  }
  return contents;
}

inline std::string table_of(const Components& components) {
  const Model& model = components.model();
  std::string text = fmt::format("hidden {} globals {} pieces {}\nglobals", model.hidden_bytes, model.global_bytes,
                                 components.pieces().most_frame_pieces);
  for (const Components::Range& range : components.globals()) text += fmt::format(" {}+{}", range.offset, range.size);
  for (ProctypeId i = 0; i < model.proctypes.size(); ++i) {
    text += fmt::format("\n{} {}", model.proctypes[i].name, model.proctypes[i].frame_bytes);
    for (const Components::Range& range : components.frame(i))
      text += fmt::format(" {}+{}", range.offset, range.size);
  }
  return text + '\n';
}

// Mistakes of an engine, each so many times apart; 0: never.
struct Broken {
  uint64_t loses = 0;    // a new state is taken for one that is known
  uint64_t forgets = 0;  // the last byte that a step changes stays as it was
};

inline MadeCertificate make_certificate(const std::string& text, const std::vector<std::string>& defines = {},
                                        const Broken& engine = {}) {
  MadeCertificate made;
  made.text = text;
  for (const std::string& define : defines) made.arguments.push_back("-D" + define);
  const Model model = compile_text(text, defines);
  const Components components(model);
  made.table = table_of(components);
  const auto generator = close_atomic_chains(make_vm_generator(model), model);
  std::map<Bytes, size_t> known;
  std::vector<Bytes> vectors;
  uint64_t met = 0;
  uint64_t steps = 0;
  const auto meet = [&](Bytes vector) {
    std::fill_n(vector.begin(), model.hidden_bytes, std::byte{0});
    if (!known.emplace(vector, vectors.size()).second) return;
    if (engine.loses == 0 || ++met % engine.loses != 0) vectors.push_back(std::move(vector));
  };
  const auto copy = [](ByteView state) { return Bytes(state.begin(), state.end()); };
  SuccessorBatch batch;
  generator->initial(batch);
  meet(copy(batch.state(batch.entries.front())));
  for (size_t i = 0; i < vectors.size(); ++i) {
    batch.clear();
    const Bytes vector = vectors[i];
    generator->successors(vector, batch);
    made.transitions += batch.entries.size();
    for (const SuccessorBatch::Entry& entry : batch.entries) {
      Bytes next = copy(batch.state(entry));
      const bool forgets = engine.forgets > 0 && ++steps % engine.forgets == 0 && next.size() == vector.size();
      for (size_t at = next.size(); forgets && at-- > 0;) {
        if (next[at] == vector[at]) continue;
        next[at] = vector[at];
        break;
      }
      meet(std::move(next));
    }
  }
  std::vector<std::map<std::string, uint32_t>> numbers;
  std::vector<std::map<uint32_t, std::string>> all;
  for (const Bytes& vector : vectors) {
    all.push_back(contents_of(components, vector));
    const uint32_t last = all.back().rbegin()->first;
    if (numbers.size() <= last) numbers.resize(last + 1);
  }
  made.contents.resize(numbers.size());
  for (const auto& state : all) {
    MadeCertificate::Numbers& key = made.states.emplace_back(numbers.size());
    for (uint32_t component = 0; component < numbers.size(); ++component) {
      const auto found = state.find(component);
      const std::string content = found == state.end() ? "" : found->second;
      const auto next = static_cast<uint32_t>(numbers[component].size());
      const auto [number, is_new] = numbers[component].emplace(content, next);
      if (is_new) made.contents[component].push_back(content);
      key[component] = number->second;
    }
  }
  return made;
}

namespace made {

inline void add_leb128(std::string& text, std::vector<uint64_t> value) {  // the most significant word first
  for (;;) {
    const auto low = static_cast<char>(value.back() & 127);
    for (size_t i = value.size(); i-- > 0;) value[i] = value[i] >> 7 | (i > 0 ? value[i - 1] << 57 : 0);
    const bool last = std::ranges::all_of(value, [](uint64_t word) { return word == 0; });
    text += static_cast<char>(last ? low : low | static_cast<char>(128));
    if (last) return;
  }
}

template <class T>
void add(std::string& text, T value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline std::string sealed(const nlohmann::json& json) {
  std::string text = json.dump();
  text.pop_back();
  return fmt::format("{},\"sha256\":\"{}\"}}\n", text, sha256_hex(text));
}

inline void put(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

inline std::string blocks(const std::vector<std::vector<uint64_t>>& keys, uint32_t keys_in_block) {
  std::string text;
  for (size_t begin = 0; begin < keys.size(); begin += keys_in_block) {
    const size_t end = std::min<size_t>(begin + keys_in_block, keys.size());
    std::string coded;
    for (const uint64_t word : keys[begin]) add(coded, word);
    for (size_t i = begin + 1; i < end; ++i) {
      std::vector<uint64_t> difference(keys[i].size());
      uint64_t borrow = 0;
      for (size_t w = difference.size(); w-- > 0;) {
        difference[w] = keys[i][w] - keys[i - 1][w] - borrow;
        borrow = keys[i][w] < keys[i - 1][w] || (borrow != 0 && keys[i][w] == keys[i - 1][w]) ? 1 : 0;
      }
      add_leb128(coded, difference);
    }
    add(text, static_cast<uint32_t>(end - begin));
    add(text, static_cast<uint32_t>(coded.size()));
    add(text, crc32(std::as_bytes(std::span(coded))));
    text += coded;
  }
  return text;
}

}  // namespace made

inline void MadeCertificate::write(const std::string& folder) const {
  using made::put;
  // Fields of the components one after the other, in one word after the other.
  struct Place {
    unsigned word, shift, width;
  };
  std::vector<Place> places;
  std::vector<unsigned> used(words);
  Json layout = Json::array();
  std::string content_text;
  for (size_t component = 0; component < contents.size(); ++component) {
    for (const std::string& content : contents[component]) {
      made::add_leb128(content_text, {component});
      made::add_leb128(content_text, {content.size()});
      content_text += content;
    }
    const size_t count = std::max<size_t>(contents[component].size(), 1);
    const Place place{static_cast<unsigned>(component % words), used[component % words],
                      static_cast<unsigned>(std::bit_width(count - 1)) + spare_bits};
    places.push_back(place);
    used[place.word] += place.width;
    if (place.width > 0) {
      layout.push_back(
          {{"component", component}, {"word", place.word}, {"shift", place.shift}, {"width", place.width}});
    }
  }
  std::vector<std::vector<std::vector<uint64_t>>> keys(files);  // by file
  for (size_t i = 0; i < states.size(); ++i) {
    std::vector<uint64_t>& key = keys[i % files].emplace_back(words);
    for (size_t component = 0; component < states[i].size(); ++component)
      key[places[component].word] |= uint64_t{states[i][component]} << places[component].shift;
  }
  Json list = Json::array();
  const auto add_file = [&](const std::string& name, const char* kind, const std::string& content) -> Json& {
    put(folder + "/" + name, content);
    list.push_back({{"name", name}, {"bytes", content.size()}, {"sha256", sha256_hex(content)}, {"kind", kind}});
    return list.back();
  };
  add_file("components.1", "components", table);
  add_file("contents.1", "contents", content_text);
  for (size_t file = 0; file < files; ++file) {
    std::ranges::sort(keys[file]);
    add_file(fmt::format("states.1.{}", file), "states", made::blocks(keys[file], keys_in_block))["states"] =
        keys[file].size();
  }
  put(folder + "/run.json",
      made::sealed({{"format", "cmc.run/1"},
                    {"model", {{"name", "m.pml"}, {"files", {{{"name", "m.pml"}, {"text", text}}}}}},
                    {"arguments", arguments}}));
  put(folder + "/manifest.1.json", made::sealed({{"format", "cmc.checkpoint/1"},
                                                 {"complete", true},
                                                 {"verdict", "holds"},
                                                 {"states", states.size()},
                                                 {"transitions", transitions},
                                                 {"words", words},
                                                 {"layout", layout},
                                                 {"files", list}}));
}

}  // namespace cmc::test
