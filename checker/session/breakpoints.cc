#include "checker/session/breakpoints.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "checker/trace/step_text.h"

namespace cmc::session {
namespace {

// Calls visit(place) for the statement, and for those of its body if it is a d_step.
template <class Visit>
void visit_places(const Model& model, StatementId id, Visit&& visit) {
  const Statement& statement = model.statements[id];
  visit(statement.place);
  for (const DeterministicNode& node : statement.body) {
    for (const DeterministicNode::Alternative& each : node.alternatives)
      visit(model.statements[each.statement].place);
  }
}

}  // namespace

std::optional<uint32_t> line_with_statement(const Model& model, uint32_t file, uint32_t line) {
  std::optional<uint32_t> best;
  const auto visit = [&](const SourcePlace& place) {
    if (place.file == file && place.line >= line && place.line < best.value_or(UINT32_MAX)) best = place.line;
  };
  for (const Proctype& proctype : model.proctypes) {
    std::vector<bool> seen(proctype.locations.size());
    seen[0] = true;  // no location
    for (std::vector<LocationId> open = {proctype.start}; !open.empty();) {
      const LocationId location = open.back();
      open.pop_back();
      if (seen[location]) continue;
      seen[location] = true;
      for (const Edge& edge : proctype.locations[location].edges) {
        visit_places(model, edge.statement, visit);
        open.push_back(edge.target);
      }
    }
  }
  return best;
}

Result<uint32_t> Breakpoints::add(Breakpoint breakpoint) {
  const Model& model = session_.model();
  if (breakpoint.kind == Breakpoint::Kind::kLine) {
    const std::optional<uint32_t> line = line_with_statement(model, breakpoint.file, breakpoint.line);
    if (!line)
      return Error{fmt::format("{} has no statement from line {} on", model.files[breakpoint.file], breakpoint.line)};
    breakpoint.line = *line;
  } else if (breakpoint.kind == Breakpoint::Kind::kStarts) {
    if (std::ranges::find(model.proctypes, breakpoint.text, &Proctype::name) == model.proctypes.end())
      return Error{fmt::format("there is no proctype '{}'", breakpoint.text)};
  } else {
    const Result<Expression> watched = session_.read(breakpoint.text, breakpoint.pid);
    if (!watched.ok()) return Error{watched.error()};
  }
  if (!breakpoint.condition.empty()) {  // it must be one in some type of process
    Status readable = Error{""};
    for (size_t i = 0; i < model.proctypes.size() && !readable.ok(); ++i) {
      const Result<Expression> read = session_.expressions().read(breakpoint.condition, model.proctypes[i].name);
      readable = read.ok() ? Status(Success{}) : Status(Error{read.error()});
    }
    if (!readable.ok()) return Error{readable.error()};
  }
  all_.emplace(++last_, std::move(breakpoint));
  return last_;
}

void Breakpoints::remove_if(const std::function<bool(const Breakpoint&)>& condition) {
  std::erase_if(all_, [&](const auto& each) { return condition(each.second); });
}

std::optional<int32_t> Breakpoints::value(const Breakpoint& breakpoint, ByteView state) {
  const Result<Expression> watched = session_.read(breakpoint.text, breakpoint.pid);
  return watched.ok() ? watched.value().value(state, breakpoint.pid) : std::nullopt;
}

bool Breakpoints::is_there(const Breakpoint& breakpoint, uint8_t pid, LocationId location, uint16_t number) {
  const Model& model = session_.model();
  const Edge* const edge = find_edge(model, session_.state(), pid, location, number);
  if (edge == nullptr) return false;
  bool there = false;
  visit_places(model, edge->statement, [&](const SourcePlace& place) {
    there |= place.file == breakpoint.file && place.line == breakpoint.line;
  });
  if (!there || breakpoint.condition.empty()) return there;
  const Result<Expression> condition = session_.read(breakpoint.condition, pid);
  return condition.ok() && condition.value().value(session_.state(), pid).value_or(0) != 0;
}

bool Breakpoints::is_hit(const Breakpoint& breakpoint) {
  using Kind = Breakpoint::Kind;
  const Choice& choice = *session_.next();
  if (breakpoint.kind == Kind::kLine) {
    const auto there = [&](const Step& step) {
      return is_there(breakpoint, step.pid, step.location, step.edge) ||
             (step.partner != kNoProcess &&
              is_there(breakpoint, step.partner, step.partner_location, step.partner_edge));
    };
    return there(choice.step) || std::ranges::any_of(choice.inside, there);
  }
  if (choice.after.empty()) return false;
  if (breakpoint.kind == Kind::kStarts) {
    const size_t count = session_.model().process_count_offset();
    const uint8_t processes = load<uint8_t>(choice.after.data() + count);
    return processes > load<uint8_t>(session_.state().data() + count) &&
           find_proctype(session_.model(), choice.after, processes - 1)->name == breakpoint.text;
  }
  const std::optional<int32_t> now = value(breakpoint, session_.state());
  const std::optional<int32_t> then = value(breakpoint, choice.after);
  return breakpoint.kind == Kind::kChanges ? now != then : then.value_or(0) != 0 && now.value_or(0) == 0;
}

uint32_t Breakpoints::find(bool behind, bool counts) {
  CHECK(session_.next() != nullptr);
  uint32_t found = 0;
  for (auto& [number, breakpoint] : all_) {
    if ((breakpoint.kind != Breakpoint::Kind::kLine) != behind || !is_hit(breakpoint)) continue;
    const bool is_enough = !counts || ++breakpoint.hits >= breakpoint.hits_needed;
    if (is_enough && found == 0) found = number;
  }
  return found;
}

Stop run(Session& session, Breakpoints& breakpoints, Random& random, const RunOptions& options) {
  using Reason = Stop::Reason;
  for (uint64_t choices = 0; choices < options.most_choices; ++choices) {
    if (options.interrupt != nullptr && options.interrupt->load()) return {Reason::kInterrupted, 0};
    const std::optional<size_t> preferred = session.find_choice(options.prefers);
    if (preferred && session.next() == nullptr) session.plan(*preferred);
    if (!session.plan(random)) return {Reason::kEnd, 0};
    if (choices > 0 || !options.begins_here) {
      if (const uint32_t number = breakpoints.before_next(); number != 0) return {Reason::kBreakpoint, number};
    }
    const uint32_t behind = breakpoints.behind_next();
    session.forward();
    if (options.on_choice) options.on_choice();
    if (behind != 0) return {Reason::kBreakpoint, behind};
    if (options.until && options.until()) return {Reason::kUntil, 0};
    if (session.choices().empty() || (options.stops_at_errors && session.end() == Session::End::kError))
      return {Reason::kEnd, 0};
  }
  return {Reason::kChoices, 0};
}

}  // namespace cmc::session
