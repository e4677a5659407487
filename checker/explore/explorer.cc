#include "checker/explore/explorer.h"

#include <algorithm>

#include "base/clock.h"
#include "checker/explore/message.h"
#include "checker/report/style/style.h"

namespace cmc::explore {
namespace {

constexpr double kSliceSeconds = 0.02;
constexpr size_t kMostNodes = 60;
constexpr uint32_t kMostDepth = 4;
constexpr uint64_t kMostRows = 400;

}  // namespace

struct Explorer::Action {
  const char* name;
  std::string (Explorer::*act)(const Json& message);
};

const Explorer::Action Explorer::kActions[] = {
    {"view", &Explorer::view},
    {"forward", &Explorer::forward},
    {"back", &Explorer::back},
    {"goto", &Explorer::go_to},
    {"choose", &Explorer::choose},
    {"take", &Explorer::take},
    {"random", &Explorer::random},
    {"run", &Explorer::run},
    {"reverse", &Explorer::reverse},
    {"find", &Explorer::find},
    {"counterexample", &Explorer::counterexample},
    {"command", &Explorer::command},
    {"toggle", &Explorer::toggle},
    {"delete", &Explorer::remove},
    {"show", &Explorer::show},
    {"hide", &Explorer::hide},
    {"compare", &Explorer::compare},
    {"end", &Explorer::end},
};

Status Explorer::load(const std::string& trail) {
  ++revision_;
  compared_.reset();
  return run().load(trail);
}

std::optional<Json> Explorer::act(const Json& message) {
  try {
    const std::string name = message.is_object() ? text_in(message, "do") : "";
    if (name == "rows") {
      const uint64_t first = number_in(message, "from", 1);
      const uint64_t count = std::min(number_in(message, "count", kMostRows), kMostRows);
      return Json{{"rows", is_busy() ? Json::array() : rows_view(run(), first, count)}, {"revision", revision_}};
    }
    const auto* const action =
        std::ranges::find(kActions, name, [](const Action& each) { return std::string_view(each.name); });
    if (action == std::end(kActions)) return Json{{"said", "there is no such action"}};
    if (is_busy()) return Json{{"said", "something else is on its way; Esc cancels it"}, {"busy", true}};
    around_ = std::min(number_in(message, "around", 0), kMostRows / 2);
    graph_depth_ = static_cast<uint32_t>(std::min<uint64_t>(number_in(message, "graph", 0), kMostDepth));
    const std::string said = (this->*action->act)(message);
    return is_busy() ? go_on() : answer(said);
  } catch (const Refused& refused) {
    return answer(refused.why);
  }
}

std::optional<Json> Explorer::go_on() {
  const double end = SystemClock().wall_seconds() + kSliceSeconds;
  std::optional<std::string> said;
  do {
    said = (*job_)();
  } while (!said && SystemClock().wall_seconds() < end);
  if (!said) return std::nullopt;
  job_.reset();
  ++revision_;
  return answer(*said);
}

Json Explorer::answer(const std::string& said) {
  Json view = position_view(run());
  view["said"] = said;
  view["revision"] = revision_;
  view["breakpoints"] = breakpoints_view();
  view["shown"] = shown_view();
  if (compared_) view["compared"] = compared_->position;
  if (!run().state().empty()) {
    const ByteView before = run().position() > 0 ? run().state_before() : run().state();
    const ByteView other = compared_ ? ByteView(compared_->state) : before;
    view["state"] = state_view(decode_state(walk_.model(), run().state()), decode_state(walk_.model(), other));
  }
  if (graph_depth_ > 0) view["graph"] = neighbourhood_view(run(), graph_depth_, kMostNodes);
  if (around_ > 0) {
    const uint64_t first = run().position() - std::min(run().position(), around_);
    view["rows"] = rows_view(run(), first, 2 * around_ + 1);
  }
  return view;
}

Json Explorer::shown_view() {
  Json list = Json::array();
  for (const Shown& each : shown_) {
    const Result<session::Expression> read = run().read(each.text, each.pid);
    const std::string value =
        read.ok() ? read.value().text(run().state(), each.pid).value_or("not here") : printable(read.error());
    list.push_back({{"text", each.text}, {"pid", each.pid}, {"value", value}, {"ok", read.ok()}});
  }
  return list;
}

Json Explorer::breakpoints_view() const {
  Json list = Json::array();
  for (const auto& [number, each] : walk_.breakpoints().all()) {
    Json view = {{"number", number}, {"text", session::breakpoint_text(walk_.model(), each)}, {"hits", each.hits}};
    if (each.kind == session::Breakpoint::Kind::kLine) {
      view["file"] = each.file;
      view["line"] = each.line;
    }
    list.push_back(std::move(view));
  }
  return list;
}

}  // namespace cmc::explore
