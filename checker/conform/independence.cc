#include "checker/conform/independence.h"

#include <algorithm>
#include <bit>
#include <set>

#include "checker/por/conflicts.h"

namespace cmc::conform {
namespace {

uint8_t byte_at(ByteView state, size_t at) { return static_cast<uint8_t>(state[at]); }

ProctypeId proctype_at(const Model& model, ByteView state, size_t pid) {
  size_t at = model.global_bytes;
  for (; pid > 0; --pid) at += model.proctypes[byte_at(state, at)].frame_bytes;
  return byte_at(state, at);
}

bool can_show(RuleText::Kind rule, StatementKind statement) {
  switch (rule) {
    case RuleText::Kind::kAny: return true;
    case RuleText::Kind::kSend: return statement == StatementKind::kSend;
    case RuleText::Kind::kReceive: return statement == StatementKind::kReceive;
    case RuleText::Kind::kAssign: return statement == StatementKind::kAssign;
    case RuleText::Kind::kPrint: return statement == StatementKind::kPrintf;
  }
  return true;
}

template <class T>
void add_new(std::vector<T>& all, const T& one) {
  if (std::ranges::find(all, one) == all.end()) all.push_back(one);
}

}  // namespace

Independence::Independence(const EventMap& map, const EventLog& log, const Model& model, MakeGenerator make,
                           ByteView initial)
    : map_(map),
      log_(log),
      model_(model),
      make_(std::move(make)),
      initial_(initial.begin(), initial.end()),
      whole_(model, make_, initial),
      components_(whole_.components),
      futures_(whole_.futures),
      trace_(components_.pieces()) {
  for (const Expression& each : model.expressions) creates_ = creates_ || each.op == Operator::kRun;
  find_loggers();
}

void Independence::find_loggers() {
  for (const EventLog::Stream& stream : log_.streams()) {
    Loggers& loggers = loggers_.emplace_back();
    loggers.pids.resize(kMaxProcesses);
    loggers.proctypes.resize(model_.proctypes.size());
    std::set<uint32_t> classes;
    for (const EventLog::Event& each : stream.events) classes.insert(each.of_class);
    for (const uint32_t number : classes) {
      const EventLog::Class& logged = log_.class_numbered(number);
      for (const Rule& rule : map_.rules()) {
        if (rule.text.event != logged.event) continue;
        const std::optional<int32_t> pid = map_.pid_named(rule, logged.values);
        if (pid && *pid >= 0 && static_cast<uint32_t>(*pid) < kMaxProcesses) {
          loggers.pids[static_cast<size_t>(*pid)] = true;
        } else if (!pid && rule.proctype >= 0) {
          loggers.proctypes[static_cast<size_t>(rule.proctype)] = true;
        } else if (!pid) {
          loggers.proctypes.assign(loggers.proctypes.size(), true);
        }
      }
    }
  }
}

bool Independence::logs_into(size_t stream, size_t pid, ByteView state) const {
  return loggers_[stream].pids[pid] || loggers_[stream].proctypes[proctype_at(model_, state, pid)];
}

bool Independence::only_these_log_into(size_t stream, uint64_t pids, ByteView state) const {
  const Loggers& loggers = loggers_[stream];
  if (creates_ && std::ranges::find(loggers.proctypes, true) != loggers.proctypes.end()) return false;
  const size_t count = byte_at(state, model_.process_count_offset());
  for (size_t pid = 0; pid < kMaxProcesses; ++pid) {
    const bool inside = pid < count && (pids >> pid & 1) != 0;
    if (!inside && (loggers.pids[pid] || (pid < count && logs_into(stream, pid, state)))) return false;
  }
  return true;
}

bool Independence::share_a_stream(size_t one, size_t other, ByteView state) const {
  for (size_t i = 0; i < loggers_.size(); ++i) {
    if (logs_into(i, one, state) && logs_into(i, other, state)) return true;
  }
  return false;
}

bool Independence::may_be_logged(const Rule& rule, ProctypeId proctype, LocationId at) const {
  const Location& location = model_.proctypes[proctype].locations[at];
  if (rule.proctype >= 0 && rule.proctype != proctype) return false;
  const std::string& label = rule.text.label;
  if (!label.empty() && std::ranges::find(location.labels, label) == location.labels.end()) return false;
  return std::ranges::any_of(location.edges, [&](const Edge& edge) {
    return can_show(rule.text.kind, model_.statements[edge.statement].kind);
  });
}

void Independence::add_reads(const Rule& rule, ComponentSet& components) const {
  for (const Rule::Range& each : rule.reads) {
    for (uint32_t i = 0; i < each.size; ++i) components.add(components_.pieces().global_component[each.offset + i]);
  }
}

bool Independence::applies(const Model& model, const EventMap& map) {
  return Futures::obstacle(model) == nullptr && !map.reads_hidden() &&
         std::ranges::none_of(map.rules(), [](const Rule& each) { return each.reads_more; });
}

void Independence::compare(ByteView before, ByteView after, std::vector<ComponentId>& changed) const {
  const std::span<const Components::Range> globals = components_.globals();
  for (size_t i = 0; i < globals.size(); ++i) {
    const auto [offset, size] = globals[i];
    if (!std::ranges::equal(before.subspan(offset, size), after.subspan(offset, size)))
      add_new(changed, static_cast<ComponentId>(1 + i));
  }
  const uint8_t had = byte_at(before, model_.process_count_offset());
  const uint8_t has = byte_at(after, model_.process_count_offset());
  if (had != has) add_new(changed, kControlComponent);
  size_t at = model_.global_bytes;
  const ByteView longer = had > has ? before : after;
  for (uint32_t pid = 0; pid < std::max(had, has); ++pid) {
    const ProctypeId proctype = byte_at(longer, at);
    const std::span<const Components::Range> pieces = components_.frame(proctype);
    for (uint32_t piece = 0; piece < pieces.size(); ++piece) {
      const auto [offset, size] = pieces[piece];
      const bool same = pid < std::min(had, has) &&
                        std::ranges::equal(before.subspan(at + offset, size), after.subspan(at + offset, size));
      if (!same) add_new(changed, components_.pieces().frame(pid, piece));
    }
    at += model_.proctypes[proctype].frame_bytes;
  }
}

// All that the steps of the process touch and change, through a sequence that holds atomicity.
void Independence::walk(View& view, ByteView state, uint8_t pid, Mover& mover, std::vector<ComponentId>& touched,
                        std::vector<ComponentId>& changed, std::vector<Step>& steps, bool& moves) {
  constexpr size_t kMostStates = 64;
  std::vector<Bytes> found{Bytes(state.begin(), state.end())};
  SuccessorBatch batch;
  for (size_t next = 0; next < found.size(); ++next) {
    const Bytes here = found[next];
    batch.clear();
    trace_.clear();
    const bool can = view.statements->process_successors(here, pid, false, &trace_, batch);
    if (next == 0) moves = can;
    for (const ComponentId each : trace_.touched()) add_new(touched, each);
    size_t frame = model_.global_bytes;
    for (uint8_t i = 0; i < pid; ++i) frame += model_.proctypes[byte_at(here, frame)].frame_bytes;
    const ProctypeId number = byte_at(here, frame);
    const LocationId at = load<LocationId>(here.data() + frame + kFrameLocation);
    bool is_logged = false;
    for (const Rule& rule : map_.rules()) {
      if (!may_be_logged(rule, number, at)) continue;
      is_logged = true;
      for (const Rule::Range& each : rule.reads) {
        for (uint32_t i = 0; i < each.size; ++i)
          add_new(touched, components_.pieces().global_component[each.offset + i]);
      }
    }
    mover.logged = mover.logged || is_logged;
    mover.events += is_logged ? 1 : 0;
    steps.insert(steps.end(), batch.steps.begin(), batch.steps.end());
    if (batch.more || batch.stopped) mover.known = false;
    for (const RuntimeError& each : batch.errors) mover.known = mover.known && !is_reason(each.kind);
    for (const SuccessorBatch::Entry& each : batch.entries) {
      const ByteView after = batch.state(each);
      compare(state, after, changed);
      const uint8_t holder = byte_at(after, model_.atomic_holder_offset());
      if (holder == kNoProcess) continue;
      if (holder != pid || found.size() == kMostStates) {  // handed over in a rendezvous, or long
        mover.known = false;
      } else if (std::ranges::none_of(found, [&](const Bytes& known) { return std::ranges::equal(known, after); })) {
        found.emplace_back(after.begin(), after.end());
      }
    }
  }
}

// Whether each such step of a process that the rule is about is logged, whatever the state.
bool Independence::is_surely_logged(const Rule& rule, const Statement& statement) const {
  if (!can_show(rule.text.kind, statement.kind) || rule.text.kind == RuleText::Kind::kPrint) return false;
  if (statement.poll || std::ranges::any_of(rule.where, [](const Term& each) { return !each.of_log; })) return false;
  if (rule.pid && !rule.pid->of_log) return false;
  const auto logs_any = [](const std::optional<Term>& each) { return !each || each->of_log; };
  if (rule.text.kind == RuleText::Kind::kAny) return true;
  if (!std::ranges::all_of(rule.arguments, logs_any)) return false;
  if (rule.text.kind == RuleText::Kind::kAssign) return !statement.discard_target && logs_any(rule.target);
  if (logs_any(rule.target)) return true;
  const Expression& channel = model_.expressions[statement.channel];
  return channel.op == Operator::kVariable && channel.reference.indices.empty() &&
         channel.reference.space == Space::kGlobal && map_.is_variable(*rule.target, channel.reference.offset);
}

Independence::View& Independence::view(ProctypeId proctype, LocationId at, std::span<const uint32_t> cut, size_t pid,
                                       ByteView state) {
  constexpr size_t kMostViews = 256;
  const std::vector<Edge>& edges = model_.proctypes[proctype].locations[at].edges;
  // (A partner in a handshake may be at the same location.)
  if (edges.size() < 2 || edges.size() > 64 || model_.has_rendezvous) return whole_;
  std::set<std::string_view> next;
  for (size_t i = 0; i < loggers_.size(); ++i) {
    const std::vector<EventLog::Event>& events = log_.streams()[i].events;
    if (cut[i] < events.size() && logs_into(i, pid, state)) next.insert(log_.class_of(events[cut[i]]).event);
  }
  uint64_t kept = 0;
  for (size_t i = 0; i < edges.size(); ++i) {
    const Statement& statement = model_.statements[edges[i].statement];
    if (edges[i].atomic || edges[i].escape != 0 || statement.kind == StatementKind::kElse) return whole_;
    bool is_sure = false;
    bool is_next = false;
    for (const Rule& rule : map_.rules()) {
      if (!may_be_logged(rule, proctype, at) || !can_show(rule.text.kind, statement.kind)) continue;
      is_sure = is_sure || is_surely_logged(rule, statement);
      is_next = is_next || next.contains(rule.text.event);
    }
    if (!is_sure || is_next) kept |= uint64_t{1} << i;
  }
  if (std::popcount(kept) == static_cast<int>(edges.size())) return whole_;
  const auto found = views_.find({proctype, at, kept});
  if (found != views_.end()) return *found->second;
  if (views_.size() == kMostViews) return whole_;
  Model changed = model_;
  std::vector<Edge>& left = changed.proctypes[proctype].locations[at].edges;
  size_t number = 0;
  std::erase_if(left, [&](const Edge&) { return (kept >> number++ & 1) == 0; });
  return *views_.emplace(std::tuple(proctype, at, kept), std::make_unique<View>(std::move(changed), make_, initial_))
              .first->second;
}

Independence::Mover Independence::look_at(ByteView state, uint8_t pid, const Futures::Processes& processes,
                                          std::span<const uint32_t> cut) {
  Mover mover;
  std::vector<ComponentId> touched;
  std::vector<ComponentId> changed;
  std::vector<Step> steps;
  bool moves = false;
  size_t frame = model_.global_bytes;
  for (uint8_t i = 0; i < pid; ++i) frame += model_.proctypes[byte_at(state, frame)].frame_bytes;
  View& seen =
      view(processes.proctypes[pid], load<LocationId>(state.data() + frame + kFrameLocation), cut, pid, state);
  walk(seen, state, pid, mover, touched, changed, steps, moves);
  const Components::Range range = components_.frame(processes.proctypes[pid])[0];
  const ByteView content = state.subspan(frame + range.offset, range.size);
  mover.future = &future_of(processes, pid, content);
  mover.present = seen.futures.present(processes, pid, content, {state, touched, changed, steps, moves});
  return mover;
}

const Future& Independence::future_of(const Futures::Processes& processes, uint8_t pid, ByteView frame) {
  const ProctypeId proctype = processes.proctypes[pid];
  const auto [known, is_new] =
      known_futures_.try_emplace(std::pair(proctype, futures_.what_matters(processes, pid, frame)));
  Future& future = known->second;
  if (!is_new) return future;
  future = futures_.future(processes, pid, frame);
  for (const Rule& rule : map_.rules()) {
    if (rule.proctype >= 0 && rule.proctype != proctype) continue;
    add_reads(rule, future.uses[Access::kRead]);
  }
  return future;
}

uint64_t Independence::row(const std::vector<Mover>& movers, size_t pid, ByteView state) const {
  const Mover& one = movers[pid];
  uint64_t row = 0;
  for (size_t i = 0; i < movers.size(); ++i) {
    if (i == pid) continue;
    const Mover& other = movers[i];
    const bool conflict = disturbance(one.present, *other.future, i > pid).kind != Hindrance::Kind::kNone ||
                          tests_of(*one.future, *other.future) || tests_of(*other.future, *one.future) ||
                          (one.logged && share_a_stream(pid, i, state));
    if (conflict) row |= uint64_t{1} << i;
  }
  for (const uint8_t partner : one.present.partners) row |= uint64_t{1} << partner;
  const size_t youngest = movers.size() - 1;  // nobody ends before it has
  const bool waits = one.present.creates || one.present.waits_to_end || one.present.sees_processes;
  if (waits && youngest != pid && movers[youngest].future->ends) row |= uint64_t{1} << youngest;
  return row;
}

std::vector<Independence::Group> Independence::groups(ByteView state, std::span<const uint32_t> cut) {
  const size_t count = byte_at(state, model_.process_count_offset());
  if (count < 2 || count > kMostProcesses) return {};
  if (byte_at(state, model_.atomic_holder_offset()) != kNoProcess) return {};
  Bytes control;
  components_.control_of(state, control);
  const Futures::Processes processes = futures_.processes(control);
  std::vector<Mover> movers;
  std::vector<uint64_t> rows;
  for (size_t pid = 0; pid < count; ++pid)
    movers.push_back(look_at(state, static_cast<uint8_t>(pid), processes, cut));
  for (size_t pid = 0; pid < count; ++pid) rows.push_back(row(movers, pid, state));
  const uint64_t all = count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
  std::vector<Group> groups;
  for (size_t pid = 0; pid < count; ++pid) {
    Group group{uint64_t{1} << pid, 0, 1};
    bool known = true;
    for (uint64_t open = group.pids; open != 0 && known;) {
      const auto next = static_cast<size_t>(std::countr_zero(open));
      open &= open - 1;
      const uint64_t more = rows[next] & ~group.pids;
      group.pids |= more;
      open |= more;
      known = movers[next].known;
      if (movers[next].logged) group.logged |= uint64_t{1} << next;
      group.events = std::max(group.events, movers[next].events);
    }
    if (known && group.pids != all &&
        std::ranges::none_of(groups, [&](const Group& each) { return each.pids == group.pids; }))
      groups.push_back(group);
  }
  std::ranges::stable_sort(groups, {}, [](const Group& each) { return std::popcount(each.pids); });
  return groups;
}

}  // namespace cmc::conform
