#include "checker/dap/breakpoint_requests.h"

#include <utility>

#include "base/text.h"

namespace cmc::dap {
namespace {

using session::Breakpoint;

uint64_t hits_in(const Json& breakpoint) {
  const std::string text = breakpoint.value("hitCondition", std::string());
  const std::optional<uint64_t> hits = text.empty() ? 1 : parse_number<uint64_t>(text);
  if (!hits) throw Failure{"a hit condition is a number: the breakpoint stops from this hit on"};
  return *hits;
}

void refuse_condition(const Json& breakpoint) {
  if (!breakpoint.value("condition", std::string()).empty())
    throw Failure{"only breakpoints of lines have conditions"};
}

// Adds what `make` makes of each; what it throws is told of this one only.
template <class Make>
Json add_all(Target& target, const Json& list, const Counting& counting, Make&& make) {
  Json answers = Json::array();
  for (const Json& each : list) {
    Result<uint32_t> number = Error{""};
    try {
      Breakpoint breakpoint = make(each);
      breakpoint.hits_needed = hits_in(each);
      number = target.breakpoints().add(std::move(breakpoint));
    } catch (const Failure& failure) {
      number = Error{failure.message};
    }
    Json answer = {{"verified", number.ok()}};
    if (number.ok()) {
      answer["id"] = number.value();
      const Breakpoint& added = target.breakpoints().all().at(number.value());
      if (added.kind == Breakpoint::Kind::kLine) answer["line"] = added.line - 1 + counting.first_line;
    } else {
      answer["message"] = number.error();
    }
    answers.push_back(std::move(answer));
  }
  return {{"breakpoints", std::move(answers)}};
}

void remove_kind(Target& target, Breakpoint::Kind kind) {
  target.breakpoints().remove_if([&](const Breakpoint& each) { return each.kind == kind; });
}

}  // namespace

Json set_line_breakpoints(Target& target, const Json& arguments, const Counting& counting) {
  const std::optional<uint32_t> file = target.find_file(arguments.at("source").value("path", std::string()));
  target.breakpoints().remove_if(
      [&](const Breakpoint& each) { return each.kind == Breakpoint::Kind::kLine && each.file == file; });
  return add_all(target, arguments.value("breakpoints", Json::array()), counting, [&](const Json& each) {
    if (!file) throw Failure{"the model does not consist of this file"};
    Breakpoint breakpoint;
    breakpoint.file = *file;
    breakpoint.line = each.at("line").get<uint32_t>() + 1 - counting.first_line;
    breakpoint.condition = each.value("condition", std::string());
    return breakpoint;
  });
}

Json set_function_breakpoints(Target& target, const Json& arguments) {
  remove_kind(target, Breakpoint::Kind::kStarts);
  return add_all(target, arguments.at("breakpoints"), {}, [](const Json& each) {
    refuse_condition(each);
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::kStarts;
    breakpoint.text = each.at("name").get<std::string>();
    return breakpoint;
  });
}

Json set_data_breakpoints(Target& target, const Json& arguments) {
  remove_kind(target, Breakpoint::Kind::kChanges);
  return add_all(target, arguments.at("breakpoints"), {}, [](const Json& each) {
    refuse_condition(each);
    const WatchedData data = watched_data(each.at("dataId").get<std::string>());
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::kChanges;
    breakpoint.text = data.expression;
    breakpoint.pid = data.pid;
    return breakpoint;
  });
}

}  // namespace cmc::dap
