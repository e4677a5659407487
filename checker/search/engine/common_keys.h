#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "checker/checkpoint/checkpoints.h"
#include "checker/keyspace/key_space.h"

// Each rank has numbers and a layout of its own. A checkpoint of all ranks has one numbering, and one layout, so that
// it is one of a search that was alone.

namespace cmc {

// For a rank's numbers of contents those of rank 0, which learns all contents for it. One for a search.
class CommonNumbers {
 public:
  // The contents that rank 0 has not been told yet.
  void tell(const KeySpace& space, OutStream& to) const;
  // At rank 0: its numbers of what another rank tells.
  static void give(InStream& from, KeySpace& space, OutStream& to);
  // Of what was told.
  void learn(InStream& from);

  // Of rank 0, which never learns: the same number. REQUIRES: else, it was told.
  [[nodiscard]] uint32_t of(ComponentId component, uint32_t number) const {
    return common_.empty() ? number : common_[component][number];
  }

 private:
  [[nodiscard]] uint32_t told(uint32_t component) const {
    return component < common_.size() ? static_cast<uint32_t>(common_[component].size()) : 0;
  }

  std::vector<std::vector<uint32_t>> common_;  // by component and own number
};

// A layout for all numbers that rank 0 knows. Layout::words(): there may be no key that wide.
[[nodiscard]] Layout common_layout(const KeySpace& space);

// Writes keys of a rank's layout into a checkpoint.
class CommonKeys {
 public:
  CommonKeys(const CommonNumbers& numbers, const Layout& own, const Layout& common);
  ~CommonKeys();

  [[nodiscard]] unsigned words() const { return words_; }
  [[nodiscard]] const CommonNumbers& numbers() const { return numbers_; }
  // Visited states, in any order, each once; quickest if those that are alike follow each other.
  void begin(CheckpointWriter& writer, uint64_t total);
  void add(const uint64_t* own);
  void end();
  // Others.
  void save(OutStream& to, const uint64_t* own);

  class Sink;

 private:
  struct Move {
    ComponentId component;
    Layout::Field from;
    Layout::Field to;
  };
  void translate(const uint64_t* own);

  const CommonNumbers& numbers_;
  const unsigned own_words_;
  const unsigned words_;
  std::vector<Move> moves_;
  std::array<uint64_t, kMaxKeyWords> last_{};  // own key
  std::array<uint64_t, kMaxKeyWords> key_{};   // it, translated
  std::unique_ptr<Sink> sink_;
};

}  // namespace cmc
