#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/limits.h"
#include "checker/conform/event_log.h"
#include "checker/conform/event_map.h"
#include "checker/generator/generator.h"
#include "storage/sets/intern_table.h"

namespace cmc::conform {

// The states of a model, each with its steps and what rules observe of them. It is made as far as it is looked at,
// and each step is compared with an event of a class at most once while there is room to remember that.
class Behaviour {
 public:
  // A process's part of a step that rules observe: an event of one of them is logged for it.
  struct Observed {
    Seen seen;
    std::vector<uint32_t> rules;
    uint32_t after = 0;  // number of the state
  };
  struct Move {
    uint32_t target = 0;
    uint32_t first_step = 0;
    uint32_t first_observed = 0;  // number of an Observed
    uint16_t steps = 0;
    uint16_t observed = 0;
  };
  struct Node {
    bool expanded = false;
    bool blocked = false;
    bool invalid_end = false;
    uint32_t first_move = 0;
    uint32_t moves = 0;
  };

  // `statements` hands out single basic steps. All of it lives longer.
  Behaviour(const Model& model, const EventMap& map, SuccessorGenerator& statements, Limits& limits);

  // The initial state is number 0. False: an initial value cannot be computed.
  [[nodiscard]] bool has_start() const { return states_.size() > 0; }
  [[nodiscard]] uint64_t states() const { return states_.size(); }
  // Why some steps are not there: embedded C code, guards that nobody decided, a limit.
  [[nodiscard]] const std::set<std::string>& gaps() const { return gaps_; }

  // Valid until the next call.
  const Node& node(uint32_t number);
  [[nodiscard]] std::span<const Move> moves(const Node& node) const {
    return std::span(moves_).subspan(node.first_move, node.moves);
  }
  [[nodiscard]] std::span<const Step> steps(const Move& move) const {
    return std::span(steps_).subspan(move.first_step, move.steps);
  }
  [[nodiscard]] const Observed& observed(uint32_t number) const { return observed_[number]; }
  [[nodiscard]] ByteView state(uint32_t number) const { return states_.get(number); }
  // Whether the event is what the process's part of the step is logged as.
  [[nodiscard]] bool is_event(uint32_t observed, const EventLog& log, uint32_t of_class);
  // As the first of its rules has it.
  [[nodiscard]] LoggedEvent event_of(uint32_t observed) const;

 private:
  void expand(uint32_t number);
  [[nodiscard]] uint32_t number_of(ByteView state);

  const Model& model_;
  const EventMap& map_;
  SuccessorGenerator& statements_;
  Limits& limits_;
  InternTable states_;  // without hidden variables that nobody reads
  Bytes hidden_;
  bool keeps_hidden_ = false;
  std::vector<Node> nodes_;
  std::vector<Move> moves_;
  std::vector<Step> steps_;
  std::vector<Observed> observed_;
  std::set<std::string> gaps_;
  SuccessorBatch batch_;
  std::function<bool()> should_stop_;
  static constexpr size_t kMostRemembered = size_t{1} << 20;
  std::unordered_map<uint64_t, bool> remembered_;
};

}  // namespace cmc::conform
