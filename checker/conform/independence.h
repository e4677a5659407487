#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/conform/event_log.h"
#include "checker/generator/generator.h"
#include "checker/generator/touch_trace.h"
#include "checker/keyspace/components.h"
#include "checker/por/futures.h"

namespace cmc::conform {

// Which processes' steps suffice for a pair of a state and a cut: persistent sets (Godefroid, "Partial-order methods
// for the verification of concurrent systems", 1996), made of what checker/por knows of processes.
//
// A group of processes is closed: no step of a process outside, now or later, disturbs the steps that those inside
// have now, nor is logged in a stream in which one of these steps may be logged. If a run goes from here to the end
// of the log, its first step of the group, if there is one, can be taken first; if there is none, any step of the
// group can be taken before, and the run goes on behind it. So the steps of the group suffice, if one of them leads
// to a pair that is new: else all are taken, so that nothing is put off for ever. The events that the group waits for
// must not wait for other streams themselves, which ConformSearch looks at.
//
// Of a process whose steps are surely logged, only those count here that the next events may be: of `q ! x` and `q ?
// y` the one that the log has next. So of nodes that hear of each other by messages one can go on alone, as far as
// the log knows what it needs.
//
// A sequence that holds atomicity is one step here: all that is touched on its ways counts.
class Independence {
 public:
  static constexpr size_t kMostProcesses = 64;

  struct Group {
    uint64_t pids = 0;
    uint64_t logged = 0;  // of them, those that have a step which rules may observe
    uint32_t events = 1;  // at most so many are logged in one sequence
  };

  using MakeGenerator = std::function<std::unique_ptr<SuccessorGenerator>(const Model&)>;

  // All of it lives longer. `initial`: the initial state. `make`: generators of single basic steps.
  Independence(const EventMap& map, const EventLog& log, const Model& model, MakeGenerator make, ByteView initial);

  // Whether anything is known about this model and what rules read of it.
  [[nodiscard]] static bool applies(const Model& model, const EventMap& map);
  // The smallest groups, each once, without those of all processes; none while a process holds atomicity. `cut`: the
  // position in each stream.
  [[nodiscard]] std::vector<Group> groups(ByteView state, std::span<const uint32_t> cut);
  // Whether the process may log into the stream, now or later.
  [[nodiscard]] bool logs_into(size_t stream, size_t pid, ByteView state) const;
  // Whether nobody outside of the group does.
  [[nodiscard]] bool only_these_log_into(size_t stream, uint64_t pids, ByteView state) const;

 private:
  struct Mover {
    Present present;
    const Future* future = nullptr;
    bool logged = false;
    uint32_t events = 0;
    bool known = true;
  };
  struct Loggers {
    std::vector<bool> pids;       // that events name
    std::vector<bool> proctypes;  // any process of which may be meant
  };
  // The model, or one in which a location has lost edges, and what steps it has.
  struct View {
    View(Model changed, const MakeGenerator& make, ByteView initial)
        : model(std::move(changed)), components(model), futures(components, initial), statements(make(model)) {}
    Model model;
    Components components;
    Futures futures;
    std::unique_ptr<SuccessorGenerator> statements;
  };
  void find_loggers();
  [[nodiscard]] View& view(ProctypeId proctype, LocationId at, std::span<const uint32_t> cut, size_t pid,
                           ByteView state);
  [[nodiscard]] bool is_surely_logged(const Rule& rule, const Statement& statement) const;
  [[nodiscard]] Mover look_at(ByteView state, uint8_t pid, const Futures::Processes& processes,
                              std::span<const uint32_t> cut);
  void walk(View& view, ByteView state, uint8_t pid, Mover& mover, std::vector<ComponentId>& touched,
            std::vector<ComponentId>& changed, std::vector<Step>& steps, bool& moves);
  void compare(ByteView before, ByteView after, std::vector<ComponentId>& changed) const;
  [[nodiscard]] bool may_be_logged(const Rule& rule, ProctypeId proctype, LocationId location) const;
  void add_reads(const Rule& rule, ComponentSet& components) const;
  [[nodiscard]] const Future& future_of(const Futures::Processes& processes, uint8_t pid, ByteView frame);
  [[nodiscard]] bool share_a_stream(size_t one, size_t other, ByteView state) const;
  [[nodiscard]] uint64_t row(const std::vector<Mover>& movers, size_t pid, ByteView state) const;

  const EventMap& map_;
  const EventLog& log_;
  const Model& model_;
  const MakeGenerator make_;
  const Bytes initial_;
  View whole_;
  const Components& components_;
  Futures& futures_;
  TouchTrace trace_;
  bool creates_ = false;  // some process is created later
  std::vector<Loggers> loggers_;
  std::map<std::tuple<ProctypeId, LocationId, uint64_t>, std::unique_ptr<View>> views_;  // the last: edges that stay
  std::map<std::pair<ProctypeId, Bytes>, Future> known_futures_;
};

}  // namespace cmc::conform
