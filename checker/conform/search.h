#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/limits.h"
#include "checker/conform/behaviour.h"
#include "checker/conform/event_log.h"
#include "checker/conform/independence.h"
#include "storage/sets/intern_table.h"

namespace cmc::conform {

// How far a log is explained: a position in each stream, and behind them an edit (below).
using Cut = std::vector<uint32_t>;

// Looks for a run of the model that passes through the log: reachability of pairs of a state and a cut. The pairs
// that are furthest in the log come first, so a log that is explained is mostly explained without a look at the rest;
// "not explained" is said when no pair is left.
class ConformSearch {
 public:
  struct Options {
    bool to_end = false;      // the model must be at a valid end behind the last event
    bool forgets = false;     // what came before, event by event: for one stream that grows; there is no run()
    uint64_t most_pairs = 0;  // 0: no limit
    uint64_t unreduced_pairs = 4096;  // so many are looked at before steps are left out (independence.h)
  };
  enum class Outcome : uint8_t { kExplained, kNotExplained, kIncomplete };

  // All of it lives longer. More events may come at the ends of streams before another explore().
  // `independence` may be null: then nothing is left out.
  ConformSearch(Behaviour& behaviour, const EventLog& log, Options options, Limits& limits,
                Independence* independence = nullptr);

  [[nodiscard]] Outcome explore();
  [[nodiscard]] uint64_t pairs() const { return pairs_.size() + forgotten_; }
  // Why it is incomplete.
  [[nodiscard]] std::string reason() const;

  // --- of kExplained
  struct Passed {  // a step of the run with the events that it is logged as
    std::vector<Step> steps;
    std::vector<EventLog::Event> events;
    std::string change;  // of nearest_change(): what is changed here
  };
  [[nodiscard]] std::vector<Passed> run() const;

  // --- of kNotExplained: what is known of the cut with most events that some run explains
  [[nodiscard]] uint64_t most_explained() const { return furthest_level_; }
  [[nodiscard]] Cut furthest_cut() const;
  // The events that come next in the streams there.
  [[nodiscard]] std::vector<EventLog::Event> next_events() const;
  // What the model could have done there, at most so many texts; `all`: whether each state was looked at.
  [[nodiscard]] std::vector<std::string> alternatives(size_t most, bool& all);

  // The change of one event that lets the whole log pass: dropped, added, exchanged, or two swapped; of several one
  // near the furthest cut. None: there is none, or (`all` is false) no such was found. Afterwards run() is about it.
  [[nodiscard]] std::optional<std::string> nearest_change(uint64_t most_pairs, bool& all);

 private:
  // The last element of a cut. kSwapped + stream: of that stream the event behind the next one has come already.
  enum Edit : uint32_t { kNone = 0, kDone = 1, kSwapped = 2 };
  static constexpr uint32_t kNoPair = 0xffffffff;
  static constexpr uint32_t kNoMove = 0xffffffff;
  struct Pair {
    uint32_t node = 0;
    uint32_t cut = 0;
    uint32_t parent = kNoPair;
    uint32_t move = kNoMove;  // of the parent's node; kNoMove: an event of the log is dropped
  };

  void add(uint32_t node, const Cut& cut, uint32_t parent, uint32_t move);
  void expand(uint32_t number, bool edits);
  void drop_events(uint32_t number);
  void take_move(uint32_t number, uint32_t move, const Cut& cut, bool edits);
  enum class Left : uint8_t { kNothing, kSome, kDead };
  [[nodiscard]] Left leave_out(uint32_t number, const Cut& cut);
  [[nodiscard]] bool waits_for_others(const Independence::Group& group, uint32_t node, const Cut& cut) const;
  [[nodiscard]] std::optional<size_t> dead_stream(const Independence::Group& group, uint32_t node, const Cut& cut);
  [[nodiscard]] const std::vector<Independence::Group>& groups(uint32_t node, const Cut& cut);
  void take(uint32_t number, uint32_t move, const Cut& cut, std::span<const uint32_t> parts, bool edits);
  [[nodiscard]] bool is_goal(const Pair& pair);
  [[nodiscard]] Outcome run_open(bool edits);
  [[nodiscard]] Cut cut_of(uint32_t number) const;
  [[nodiscard]] uint64_t level_of(const Cut& cut) const;
  [[nodiscard]] bool is_full(const Cut& cut) const;
  void grow();
  void forget_below();
  [[nodiscard]] std::vector<EventLog::Event> events_between(const Cut& from, const Cut& to) const;
  [[nodiscard]] std::string change_between(const Pair& pair, const Cut& from, const Cut& to) const;

  Behaviour& behaviour_;
  const EventLog& log_;
  const Options options_;
  Limits& limits_;
  Independence* const independence_;
  std::unordered_map<uint64_t, std::vector<Independence::Group>> groups_;  // by node and class of the next event
  std::vector<Independence::Group> scratch_;
  std::unique_ptr<InternTable> cuts_ = std::make_unique<InternTable>();
  std::vector<Pair> pairs_;
  std::vector<uint32_t> slots_;  // numbers of pairs by hash, or kNoPair
  struct Queue {
    std::vector<uint32_t> pairs;
    size_t next = 0;
  };
  std::map<uint64_t, Queue> open_;  // by events explained
  uint64_t forgotten_ = 0;
  uint64_t furthest_level_ = 0;
  uint32_t furthest_ = kNoPair;
  struct Dead {  // a pair with most events of which a stream cannot go on, whatever the others do
    uint32_t pair = kNoPair;
    uint64_t level = 0;
    size_t stream = 0;
  };
  Dead dead_;
  uint32_t goal_ = kNoPair;
  uint64_t most_pairs_ = 0;
  std::string limit_;
};

}  // namespace cmc::conform
