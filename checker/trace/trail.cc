#include "checker/trace/trail.h"

#include <limits>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "checker/report/style/version.h"

namespace cmc {
namespace {

constexpr const char* kSchema = "cmc.trail/1";
constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;

nlohmann::ordered_json actor_json(const StepText::Actor& actor, LocationId location, uint16_t edge,
                                  const std::optional<size_t>& long_text) {
  nlohmann::ordered_json json;
  if (actor.pid == kNoProcess) {
    json["claim"] = true;
  } else {
    json["pid"] = actor.pid;
  }
  json["process"] = actor.process;
  json["location"] = location;
  json["edge"] = edge;
  if (!actor.file.empty()) {
    json["file"] = actor.file;
    json["line"] = actor.line;
  }
  if (long_text) {
    json["text"] = *long_text;
  } else {
    json["text"] = actor.text;
  }
  return json;
}

std::string entry_json(const Trail::Entry& entry) {
  const Step& step = entry.step;
  nlohmann::ordered_json json = actor_json(entry.text.actor, step.location, step.edge, entry.long_text);
  if (step.timeout) json["timeout"] = true;
  if (step.inside_rendezvous) json["inside_rendezvous"] = true;
  if (step.witness > 0) json["witness"] = step.witness;
  if (entry.text.partner) {
    json["partner"] = actor_json(*entry.text.partner, step.partner_location, step.partner_edge, entry.partner_text);
  }
  return json.dump(-1, ' ', false, kReplace);
}

nlohmann::ordered_json header_json(const Trail& trail) {
  nlohmann::ordered_json json;
  json["schema"] = kSchema;
  json["version"] = kVersion;
  json["model"] = {{"file", trail.model_file}, {"hash", trail.model_sha1}};
  json["preprocessor"] = trail.preprocessor;
  json["escapes_like_java"] = trail.escapes_like_java;
  if (!trail.formulas.empty()) json["formulas"] = trail.formulas;
  json["steps"] = trail.steps;
  json["property"] = trail.error.property;
  json["fairness"] = name_in(kFairnessNames, trail.fairness);
  nlohmann::ordered_json& error = json["error"];
  error["kind"] = trail.error.kind;
  error["message"] = trail.error.message;
  if (!trail.error.file.empty()) {
    error["file"] = trail.error.file;
    error["line"] = trail.error.line;
  }
  error["depth"] = trail.error.depth;
  if (trail.loop_start != FoundError::kNoLoop) json["loop_start"] = trail.loop_start;
  return json;
}

// Thrown and caught in this file only: reading a field deep inside an object has no other short way out.
struct Malformed {
  std::string message;
};

using Json = nlohmann::json;

const Json& field(const Json& object, const char* name) {
  if (!object.is_object()) throw Malformed{fmt::format("an object with '{}' was expected", name)};
  const auto found = object.find(name);
  if (found == object.end()) throw Malformed{fmt::format("'{}' is missing", name)};
  return *found;
}

template <class T>
T number(const Json& object, const char* name) {
  const Json& value = field(object, name);
  if (!value.is_number_unsigned() || value.get<uint64_t>() > std::numeric_limits<T>::max()) {
    throw Malformed{fmt::format("'{}' is not a whole number from 0 to {}", name, std::numeric_limits<T>::max())};
  }
  return value.get<T>();
}

std::string string(const Json& object, const char* name) {
  const Json& value = field(object, name);
  if (!value.is_string()) throw Malformed{fmt::format("'{}' is not a string", name)};
  return value.get<std::string>();
}

bool boolean(const Json& object, const char* name) {
  const Json& value = field(object, name);
  if (!value.is_boolean()) throw Malformed{fmt::format("'{}' is neither true nor false", name)};
  return value.get<bool>();
}

bool present(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && !found->is_null();
}

// `long_text`: the number of the text, if there is one instead.
StepText::Actor actor_from(const Json& json, std::optional<size_t>& long_text) {
  StepText::Actor actor;
  if (!present(json, "claim") || !boolean(json, "claim")) {
    actor.pid = number<uint8_t>(json, "pid");
    if (actor.pid == kNoProcess) throw Malformed{"'pid' is not a process: they are numbered from 0 to 254"};
  }
  if (present(json, "process")) actor.process = string(json, "process");
  if (present(json, "file")) actor.file = string(json, "file");
  if (present(json, "line")) actor.line = number<uint32_t>(json, "line");
  if (present(json, "text")) {
    if (field(json, "text").is_number()) {
      long_text = number<size_t>(json, "text");
    } else {
      actor.text = string(json, "text");
    }
  }
  return actor;
}

Trail::Entry entry_from(const Json& json) {
  Trail::Entry entry;
  entry.step.location = number<uint16_t>(json, "location");
  entry.step.edge = number<uint16_t>(json, "edge");
  entry.text.actor = actor_from(json, entry.long_text);
  entry.step.pid = entry.text.actor.pid;
  if (present(json, "timeout")) entry.step.timeout = entry.text.timeout = boolean(json, "timeout");
  if (present(json, "inside_rendezvous")) entry.step.inside_rendezvous = boolean(json, "inside_rendezvous");
  if (present(json, "witness")) entry.step.witness = number<uint32_t>(json, "witness");
  if (present(json, "partner")) {
    const Json& partner = field(json, "partner");
    entry.step.partner_location = number<uint16_t>(partner, "location");
    entry.step.partner_edge = number<uint16_t>(partner, "edge");
    entry.text.partner = actor_from(partner, entry.partner_text);
    entry.step.partner = entry.text.partner->pid;
  }
  return entry;
}

std::vector<std::string> strings(const Json& object, const char* name) {
  const Json& value = field(object, name);
  std::vector<std::string> result;
  if (!value.is_array()) throw Malformed{fmt::format("'{}' is not a list", name)};
  for (const Json& element : value) {
    if (!element.is_string()) throw Malformed{fmt::format("'{}' is not a list of strings", name)};
    result.push_back(element.get<std::string>());
  }
  return result;
}

void read_header(const Json& json, Trail& trail) {
  if (const std::string schema = string(json, "schema"); schema != kSchema) {
    throw Malformed{fmt::format("its schema is '{}'; this program reads '{}'", schema, kSchema)};
  }
  const Json& model = field(json, "model");
  trail.model_file = string(model, "file");
  trail.model_sha1 = string(model, "hash");
  trail.preprocessor = strings(json, "preprocessor");
  trail.escapes_like_java = boolean(json, "escapes_like_java");
  if (present(json, "formulas")) trail.formulas = strings(json, "formulas");
  trail.steps = string(json, "steps");
  if (present(json, "fairness")) {
    const std::optional<Fairness> fairness = value_in(kFairnessNames, string(json, "fairness"));
    if (!fairness) throw Malformed{"'fairness' is neither none nor weak"};
    trail.fairness = *fairness;
  }
  if (present(json, "loop_start")) trail.loop_start = number<size_t>(json, "loop_start");
  const Json& error = field(json, "error");
  trail.error.kind = string(error, "kind");
  trail.error.message = string(error, "message");
  if (present(error, "file")) trail.error.file = string(error, "file");
  if (present(error, "line")) trail.error.line = number<uint32_t>(error, "line");
  trail.error.depth = number<uint64_t>(error, "depth");
  trail.error.property = present(json, "property") ? string(json, "property") : "safety";
}

// Takes the elements of "path" out of the document while it is parsed, so that a long trail is never a huge tree.
class PathCollector {
 public:
  explicit PathCollector(std::vector<Trail::Entry>& path) : path_(path) {}

  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1) in_path_ = parsed == "path";
    const bool ends = event == Json::parse_event_t::object_end || event == Json::parse_event_t::array_end ||
                      event == Json::parse_event_t::value;
    if (!in_path_ || depth != 2 || !ends) return true;
    try {
      path_.push_back(entry_from(parsed));
    } catch (const Malformed& malformed) {
      throw Malformed{fmt::format("step {}: {}", path_.size() + 1, malformed.message)};
    }
    return false;
  }

 private:
  std::vector<Trail::Entry>& path_;
  bool in_path_ = false;
};

}  // namespace

void Trail::add(const Step& step, StepText text) {
  Entry& entry = path.emplace_back();
  entry.step = step;
  entry.long_text = keep_if_long(text.actor.text);
  if (text.partner) entry.partner_text = keep_if_long(text.partner->text);
  entry.text = std::move(text);
}

std::optional<size_t> Trail::keep_if_long(std::string& text) {
  if (text.size() <= kLongText) return std::nullopt;
  const auto [known, is_new] = numbers_.try_emplace(text, texts.size());
  if (is_new) texts.push_back(text);
  std::string().swap(text);
  return known->second;
}

std::string trail_json(const Trail& trail) {
  std::string json = header_json(trail).dump(2, ' ', false, kReplace);
  json.resize(json.rfind('\n'));  // before the closing brace
  json += ",\n  \"path\": [";
  for (size_t i = 0; i < trail.path.size(); ++i) {
    json += i == 0 ? "\n    " : ",\n    ";
    json += entry_json(trail.path[i]);
  }
  json += trail.path.empty() ? "]" : "\n  ]";
  if (!trail.texts.empty()) json += ",\n  \"texts\": " + nlohmann::json(trail.texts).dump(-1, ' ', false, kReplace);
  return json + "\n}\n";
}

Result<Trail> parse_trail(std::string_view text) {
  Trail trail;
  try {
    const Json json = Json::parse(text, PathCollector(trail.path));
    read_header(json, trail);
    if (!field(json, "path").is_array()) throw Malformed{"'path' is not a list"};
    if (trail.loop_start != FoundError::kNoLoop && trail.loop_start > trail.path.size()) {
      throw Malformed{"'loop_start' lies after the end of the path"};
    }
    if (present(json, "texts")) trail.texts = strings(json, "texts");
    const auto is_known = [&](const std::optional<size_t>& number) {
      return !number || *number < trail.texts.size();
    };
    for (const Trail::Entry& entry : trail.path) {
      if (!is_known(entry.long_text) || !is_known(entry.partner_text))
        throw Malformed{"a step's text is not in 'texts'"};
    }
    return trail;
  } catch (const Malformed& malformed) {
    return Error{fmt::format("this is no trail of CMC: {}", malformed.message)};
  } catch (const Json::exception& error) {
    return Error{fmt::format("this is no trail of CMC: it is not well-formed JSON: {}", error.what())};
  }
}

}  // namespace cmc
