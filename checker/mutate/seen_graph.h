#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "checker/generator/generator.h"
#include "ir/model.h"

namespace cmc::mutate {

// Numbers of texts, the same for all graphs that share it.
class Interner {
 public:
  uint32_t number(const std::string& text) {
    return numbers_.try_emplace(text, static_cast<uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::unordered_map<std::string, uint32_t> numbers_;
};

// Whether variables, channels and processes lie at the same places in the states of both.
[[nodiscard]] bool have_same_layout(const Model& one, const Model& other);

// The states of a model, each step labelled with what is seen of it (compare.h). Made as far as it is looked at.
class SeenGraph {
 public:
  struct Move {
    uint32_t label = 0;
    uint32_t target = 0;
    uint32_t first_step = 0;  // of `steps`
    uint32_t step_count = 0;
    [[nodiscard]] bool looks_like(const Move& other) const { return label == other.label && target == other.target; }
  };
  struct Node {
    bool expanded = false;
    bool blocked = false;
    bool invalid_end = false;
    std::vector<Move> moves;  // by label, then target; each pair once
    std::vector<Step> steps;
  };

  // `by_bytes`: the other graph's model has the same layout. All of it lives longer.
  SeenGraph(const Model& model, std::unique_ptr<SuccessorGenerator> generator, Interner& labels, bool by_bytes);

  // False: an initial value cannot be computed.
  [[nodiscard]] bool has_start() const { return !nodes_.empty(); }
  [[nodiscard]] uint32_t start_label() const { return start_label_; }
  // Valid until the next call.
  const Node& node(uint32_t number);
  [[nodiscard]] std::vector<Step> steps(uint32_t node, const Move& move) const;

 private:
  uint32_t find_or_add(ByteView state);
  [[nodiscard]] std::string seen_in(ByteView state) const;
  void add_bytes(ByteView state, std::string& seen) const;
  void add_text(ByteView state, std::string& seen) const;
  void expand(uint32_t number);

  const Model& model_;
  std::unique_ptr<SuccessorGenerator> generator_;
  Interner& labels_;
  const bool by_bytes_;
  std::vector<Node> nodes_;
  std::vector<Bytes> states_;
  std::unordered_map<std::string, uint32_t> numbers_;
  uint32_t start_label_ = 0;
  SuccessorBatch batch_;
};

}  // namespace cmc::mutate
