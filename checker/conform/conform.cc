#include "checker/conform/conform.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/check/search.h"
#include "checker/reference/reference.h"
#include "checker/result/replay.h"

namespace cmc::conform {
namespace {

using Outcome = ConformSearch::Outcome;
using Passed = ConformSearch::Passed;

constexpr uint64_t kMostAlternatives = 12;
constexpr uint64_t kLeastEditPairs = 100'000;  // that are looked at for a change of the log, and as many as before

bool same(const EventLog::Event& one, const EventLog::Event& other) {
  return one.file == other.file && one.line == other.line;
}

// Follows events through the log, each stream in its order.
class Reading {
 public:
  explicit Reading(const EventLog& log) : log_(log), cut_(log.streams().size()) {}
  [[nodiscard]] bool take(const EventLog::Event& event) {
    for (size_t i = 0; i < cut_.size(); ++i) {
      const std::vector<EventLog::Event>& all = log_.streams()[i].events;
      if (cut_[i] == all.size() || !same(all[cut_[i]], event) || !log_.is_ready(i, cut_)) continue;
      ++cut_[i];
      return true;
    }
    return false;
  }
  [[nodiscard]] bool is_done() const {
    for (size_t i = 0; i < cut_.size(); ++i) {
      if (cut_[i] < log_.streams()[i].events.size()) return false;
    }
    return true;
  }

 private:
  const EventLog& log_;
  std::vector<uint32_t> cut_;
};

// Whether what is observed of these steps is these events, each once.
bool shows(const EventMap& map, const EventLog& log, ByteView before, const Passed& passed, ByteView after) {
  std::vector<EventLog::Event> left = passed.events;
  for (const Seen& seen : map.seen_in(before, passed.steps, after)) {
    bool is_observed = false;
    const auto fits = [&](const EventLog::Event& event) {
      const EventLog::Class& logged = log.class_of(event);
      return std::ranges::any_of(map.rules(), [&](const Rule& rule) {
        return rule.text.event == logged.event && map.observes(rule, seen, after) &&
               map.fits(rule, seen, after, logged.values);
      });
    };
    for (const Rule& rule : map.rules()) is_observed = is_observed || map.observes(rule, seen, after);
    if (!is_observed) continue;
    const auto found = std::ranges::find_if(left, fits);
    if (found == left.end()) return false;
    left.erase(found);
  }
  return left.empty();
}

// The events of a handshake come in the order of the log.
bool take_all(Reading& reading, std::vector<EventLog::Event> events) {
  while (!events.empty()) {
    const auto next = std::ranges::find_if(events, [&](const EventLog::Event& each) { return reading.take(each); });
    if (next == events.end()) return false;
    events.erase(next);
  }
  return true;
}

}  // namespace

void explain(ConformSearch& search, const EventLog& log, bool changes, ConformReport& report) {
  for (const EventLog::Event& each : search.next_events())
    report.next.push_back({log.place(each), log.class_of(each).text});
  report.wants_end = report.next.empty();
  report.alternatives = search.alternatives(kMostAlternatives, report.all_alternatives);
  report.all_changes = false;
  if (!changes) return;
  report.change = search.nearest_change(std::max(kLeastEditPairs, search.pairs()), report.all_changes);
  if (report.change) report.run = search.run();
}

std::vector<Step> path_of(const std::vector<Passed>& run) {
  std::vector<Step> path;
  for (const Passed& each : run) path.insert(path.end(), each.steps.begin(), each.steps.end());
  return path;
}

std::string fault_of(const EventMap& map, const EventLog& log, SuccessorGenerator& reference,
                     const std::vector<Passed>& run, bool to_end, Coverage* coverage) {
  Reading reading(log);
  size_t at = 0;
  size_t steps = 0;  // of run[at] that were followed
  Bytes before;
  std::string fault;
  const auto on_step = [&](const ReplayEvent& event) {
    if (!fault.empty()) return;
    while (run[at].steps.empty()) ++at;
    if (steps == 0) before.assign(event.before.begin(), event.before.end());
    if (coverage != nullptr) {
      coverage->enter(event.before);
      coverage->mark(event.step);
    }
    if (++steps < run[at].steps.size()) return;
    if (event.after.empty() || !shows(map, log, before, run[at], event.after) || !take_all(reading, run[at].events))
      fault = fmt::format("step {} does not show what was logged", event.index + 1);
    ++at;
    steps = 0;
  };
  const std::vector<Step> path = path_of(run);
  const Result<ReplayEnd> end = replay_path(reference, path, on_step);
  if (!end.ok()) return end.error();
  if (!fault.empty()) return fault;
  if (!reading.is_done()) return "the run does not show all events";
  if (to_end && (!end.value().blocked || end.value().invalid_end)) return "the run does not reach an end";
  return "";
}

ConformReport conform(const Model& model, const EventMap& map, const EventLog& log, SuccessorGenerator& statements,
                      GuardDecider* decider, const ConformOptions& options, Limits& limits) {
  ConformReport report;
  report.events = log.events();
  Behaviour behaviour(model, map, statements, limits);
  std::unique_ptr<Independence> independence;
  if (options.reduces && behaviour.has_start() && Independence::applies(model, map))
    independence = std::make_unique<Independence>(
        map, log, model, [&](const Model& other) { return make_statement_generator({}, other, decider); },
        behaviour.state(0));
  ConformSearch search(behaviour, log, {options.to_end, false, options.most_pairs, options.unreduced_pairs}, limits,
                       independence.get());
  report.outcome = search.explore();
  report.explained = search.most_explained();
  report.pairs = search.pairs();
  if (report.outcome == Outcome::kExplained) {
    report.run = search.run();
    const auto reference = make_reference_generator(model, decider);
    const std::string fault = fault_of(map, log, *reference, report.run, options.to_end);
    if (!fault.empty()) {
      report.outcome = Outcome::kIncomplete;
      report.reason = "the reference interpreter does not confirm the run, a mistake of CMC: " + fault;
    }
  } else if (report.outcome == Outcome::kNotExplained) {
    if (options.explains) explain(search, log, true, report);
  } else {
    report.reason = search.reason();
  }
  report.states = behaviour.states();
  return report;
}

}  // namespace cmc::conform
