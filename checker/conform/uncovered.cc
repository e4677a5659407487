#include "checker/conform/uncovered.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "checker/result/edge_walk.h"

namespace cmc::conform {
namespace {

using Json = nlohmann::ordered_json;

struct Origin {
  uint32_t node = 0;
  uint32_t move = 0;
};

Json value_json(const std::string& text) {
  const std::optional<int64_t> number = parse_number<int64_t>(text);
  return number ? Json(*number) : Json(text);
}

// Breadth first through all states; each step that was not taken becomes a run, unless one that was found takes it.
class Explorer {
 public:
  Explorer(const Model& model, Behaviour& behaviour, std::span<const uint8_t> marks)
      : behaviour_(behaviour), walk_(model), statements_(walk_.edges(), kNone) {
    std::map<std::pair<size_t, uint32_t>, uint32_t> numbers;  // by proctype and element: copies are one statement
    for (size_t type = 0; type < model.proctypes.size(); ++type) {
      const std::vector<Location>& locations = model.proctypes[type].locations;
      for (size_t at = 1; at < locations.size(); ++at) {
        for (size_t i = 0; i < locations[at].edges.size(); ++i) {
          const Edge& edge = locations[at].edges[i];
          const uint32_t number = walk_.number(type, static_cast<LocationId>(at), static_cast<uint16_t>(i));
          const Statement& statement = model.statements[edge.statement];
          const bool counts = statement.kind != StatementKind::kSkip && statement.kind != StatementKind::kEndProcess;
          if (!counts) continue;
          const auto [known, is_new] =
              numbers.try_emplace({type, edge.element}, static_cast<uint32_t>(texts_.size()));
          if (is_new) {
            const SourcePlace& place = statement.place.line > 0 ? statement.place : locations[at].place;
            texts_.push_back(fmt::format("{}:{}: {}", model.files[place.file], place.line, statement.text));
            taken_.push_back(false);
          }
          statements_[number] = known->second;
          if (number < marks.size() && marks[number] != 0) taken_[known->second] = true;
        }
      }
    }
  }

  void explore(Uncovered& result, Limits& limits) {
    result.steps = texts_.size();
    result.taken = static_cast<uint64_t>(std::ranges::count(taken_, true));
    uint64_t left = result.steps - result.taken;
    origins_.resize(1);
    std::vector<uint32_t> open{0};  // in the order in which they were found
    std::vector<bool> known{true};
    for (size_t next = 0; next < open.size() && left > 0; ++next) {
      if (limits.reached()) break;
      const Behaviour::Node node = behaviour_.node(open[next]);
      for (uint32_t i = 0; i < node.moves; ++i) {
        const Behaviour::Move move = behaviour_.moves(node)[i];
        if (move.target >= known.size()) {
          known.resize(move.target + 1);
          origins_.resize(move.target + 1);
        }
        if (!known[move.target]) {
          known[move.target] = true;
          origins_[move.target] = {open[next], i};
          open.push_back(move.target);
        }
        if (!is_new(open[next], move)) continue;
        result.runs.push_back(run_to(open[next], i));
        left -= result.runs.back().statements.size();
      }
    }
    result.reason = limits.reason();
    for (const std::string& each : behaviour_.gaps()) result.reason += (result.reason.empty() ? "" : "; ") + each;
    for (size_t i = 0; i < texts_.size(); ++i) {
      if (!taken_[i]) result.unreachable.push_back(texts_[i]);
    }
  }

 private:
  // Of each statement that the move takes.
  template <class Visit>
  void for_each_statement(uint32_t node, const Behaviour::Move& move, Visit visit) {
    const auto visit_edge = [&](uint32_t edge) {
      if (edge != EdgeWalk::kNoEdge && statements_[edge] != kNone) visit(statements_[edge]);
    };
    walk_.enter(behaviour_.state(node));
    walk_.walk(behaviour_.steps(move), [&](const Step& step) {
      visit_edge(walk_.edge_of(step.pid, step.location, step.edge));
      if (step.partner != kNoProcess)
        visit_edge(walk_.edge_of(step.partner, step.partner_location, step.partner_edge));
    });
  }

  bool is_new(uint32_t node, const Behaviour::Move& move) {
    bool found = false;
    for_each_statement(node, move, [&](uint32_t statement) { found = found || !taken_[statement]; });
    return found;
  }

  Uncovered::Run run_to(uint32_t node, uint32_t last) {
    std::vector<Origin> path{{node, last}};
    for (uint32_t at = node; at != 0; at = path.back().node) path.push_back(origins_[at]);
    std::ranges::reverse(path);
    Uncovered::Run run;
    for (const Origin& each : path) {
      const Behaviour::Move move = behaviour_.moves(behaviour_.node(each.node))[each.move];
      for_each_statement(each.node, move, [&](uint32_t statement) {
        if (taken_[statement]) return;
        taken_[statement] = true;
        run.statements.push_back(texts_[statement]);
      });
      for (uint32_t i = 0; i < move.observed; ++i) {
        const LoggedEvent event = behaviour_.event_of(move.first_observed + i);
        Json json = {{"event", event.event}};
        for (const auto& [name, value] : event.fields) json[name] = value_json(value);
        run.log += json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
        run.is_log = run.is_log && event.is_known;
      }
    }
    return run;
  }

  Behaviour& behaviour_;
  EdgeWalk walk_;
  static constexpr uint32_t kNone = 0xffffffff;
  std::vector<uint32_t> statements_;  // by edge; kNone: it does not count
  std::vector<bool> taken_;           // by statement
  std::vector<std::string> texts_;    // likewise
  std::vector<Origin> origins_;       // by node
};

}  // namespace

Uncovered find_uncovered(const Model& model, Behaviour& behaviour, std::span<const uint8_t> marks, Limits& limits) {
  Uncovered result;
  Explorer(model, behaviour, marks).explore(result, limits);
  return result;
}

}  // namespace cmc::conform
