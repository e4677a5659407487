#include "checker/conform/suggest.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cmc::conform {
namespace {

using Json = nlohmann::ordered_json;

// A rule without names of its fields.
struct Candidate {
  std::vector<std::string> words;  // any of which names of events have: what happens
  std::string thing;               // the channel, variable or label
  std::string name;
  std::string at;     // " at P@label"
  std::string left;   // of the step: " : q !", " : x ="
  size_t fields = 0;  // behind it
  std::string index;  // name of the field in brackets; empty: none
};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string base_name(const std::string& name) { return name.substr(0, name.find('[')); }

std::vector<Candidate> candidates_of(const Model& model) {
  std::vector<Candidate> all;
  std::set<std::string> seen;
  for (const ChannelInstance& channel : model.channels) {
    const std::string name = base_name(channel.name);
    if (!seen.insert(name).second) continue;
    const bool is_array = name != channel.name;
    const std::string written = is_array ? name + "[i]" : name;
    const size_t fields = model.channel_types[channel.type].fields.size();
    const std::string index = is_array ? "i" : "";
    all.push_back(
        {{"send", "sent", "put", "write"}, name, "send_" + name, "", fmt::format(" : {} !", written), fields, index});
    all.push_back({{"receive", "recv", "got", "get", "read"},
                   name,
                   "receive_" + name,
                   "",
                   fmt::format(" : {} ?", written),
                   fields,
                   index});
  }
  for (const Variable& variable : model.globals) {
    if (variable.type.basic == BasicType::kChan || variable.dimensions.size() > 1) continue;
    const bool is_assigned = std::ranges::any_of(model.statements, [&](const Statement& each) {
      return each.kind == StatementKind::kAssign && !each.discard_target && each.target.space == Space::kGlobal &&
             model.globals[each.target.variable].name == variable.name;
    });
    if (!is_assigned) continue;
    const bool is_array = !variable.dimensions.empty();
    const std::string suffix = is_array ? "[i]" + variable.dimensions.front().suffix : "";
    all.push_back({{"set", "assign", "write", "change"},
                   variable.name,
                   "set_" + variable.name,
                   "",
                   fmt::format(" : {}{} =", variable.name, suffix),
                   1,
                   is_array ? "i" : ""});
  }
  for (const Proctype& proctype : model.proctypes) {
    for (const Location& location : proctype.locations) {
      for (const std::string& label : location.labels) {
        const std::string at = proctype.is_init ? "init" : proctype.name;
        if (seen.insert(at + "@" + label).second)
          all.push_back({{""}, label, at + "_" + label, fmt::format(" at {}[pid]@{}", at, label), "", 0, "pid"});
      }
    }
  }
  return all;
}

struct LoggedKind {
  std::string event;
  std::vector<std::string> fields;
};

std::vector<LoggedKind> kinds_in(const std::vector<std::string>& lines) {
  std::vector<LoggedKind> kinds;
  for (const std::string& line : lines) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("event") || !json["event"].is_string()) continue;
    LoggedKind kind{json["event"].get<std::string>(), {}};
    if (std::ranges::find(kinds, kind.event, &LoggedKind::event) != kinds.end()) continue;
    for (const auto& [name, value] : json.items()) {
      const bool is_plain = value.is_number_integer() || value.is_boolean() || value.is_string();
      if (is_plain && name != "event" && name != "clock") kind.fields.push_back(name);
    }
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

// How well an event's name fits; 0: not at all.
int score(const Candidate& candidate, const std::string& event) {
  const std::string name = lower(event);
  const std::string thing = lower(candidate.thing);
  const auto has = [&](const std::string& word) { return name.find(word) != std::string::npos; };
  const bool happens = std::ranges::any_of(candidate.words, has);
  if (name == thing) return candidate.words.front().empty() ? 4 : 2;
  if (has(thing)) return happens ? 3 : 1;
  return 0;
}

std::string rule_text(const Candidate& candidate, const std::string& event, std::vector<std::string> names) {
  std::vector<std::string> fields;
  if (!candidate.index.empty()) {
    const auto node = std::ranges::find(names, "node");
    fields.push_back(candidate.index);
    if (node != names.end()) names.erase(node);
  }
  for (size_t i = 0; i < candidate.fields; ++i)
    fields.push_back(i < names.size() ? names[i] : fmt::format("v{}", i + 1));
  std::string right;
  for (size_t i = candidate.index.empty() ? 0 : 1; i < fields.size(); ++i)
    right += (right.empty() ? " " : ", ") + fields[i];
  return fmt::format("event {}({}){}{}{}\n", event, fmt::join(fields, ", "), candidate.at, candidate.left, right);
}

}  // namespace

std::string suggest_map(const Model& model, const std::vector<std::string>& lines) {
  std::string text = "# A map to begin with: see docs/conformance.md. Behind //@ it can stand in the model.\n";
  std::vector<Candidate> candidates = candidates_of(model);
  const std::vector<LoggedKind> kinds = kinds_in(lines);
  std::set<std::string> used;
  for (const LoggedKind& kind : kinds) {
    const auto best =
        std::ranges::max_element(candidates, {}, [&](const Candidate& each) { return score(each, kind.event); });
    if (best == candidates.end() || score(*best, kind.event) == 0) {
      text += fmt::format("# event {}({}) : which step is it?\n", kind.event, fmt::join(kind.fields, ", "));
    } else {
      text += rule_text(*best, kind.event, kind.fields);
      used.insert(best->name);
    }
  }
  const std::string_view front = kinds.empty() ? "" : "# ";
  for (const Candidate& each : candidates) {
    if (!used.contains(each.name)) text += fmt::format("{}{}", front, rule_text(each, each.name, {}));
  }
  return text;
}

}  // namespace cmc::conform
