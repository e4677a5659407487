#include "checker/trace/trail.h"

#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_error.h"
#include "checker/report/style/version.h"

namespace cmc {
namespace {

constexpr const char* kSchema = "cmc.trail/1";
constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;

constexpr size_t kLongText = 80;  // a text of more bytes is written once, in a list, and its number at the steps

// The list, in the order in which texts are met.
class LongTexts {
 public:
  nlohmann::ordered_json text_or_number(const std::string& text) {
    if (text.size() <= kLongText) return text;
    const auto [known, is_new] = numbers_.try_emplace(text, all_.size());
    if (is_new) all_.push_back(text);
    return known->second;
  }
  [[nodiscard]] const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
  std::map<std::string, size_t> numbers_;
};

nlohmann::ordered_json actor_json(const StepText::Actor& actor, LocationId location, uint16_t edge,
                                  LongTexts& texts) {
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
  json["text"] = texts.text_or_number(actor.text);
  return json;
}

std::string step_json(const Step& step, const StepText& text, LongTexts& texts) {
  nlohmann::ordered_json json = actor_json(text.actor, step.location, step.edge, texts);
  if (step.timeout) json["timeout"] = true;
  if (step.inside_rendezvous) json["inside_rendezvous"] = true;
  if (step.witness > 0) json["witness"] = step.witness;
  if (text.partner) json["partner"] = actor_json(*text.partner, step.partner_location, step.partner_edge, texts);
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

using ParsedJson = nlohmann::json;

const ParsedJson& field(const ParsedJson& object, const char* name) {
  if (!object.is_object()) throw Malformed{fmt::format("an object with '{}' was expected", name)};
  const auto found = object.find(name);
  if (found == object.end()) throw Malformed{fmt::format("'{}' is missing", name)};
  return *found;
}

template <class T>
T number(const ParsedJson& object, const char* name) {
  const ParsedJson& value = field(object, name);
  if (!value.is_number_unsigned() || value.get<uint64_t>() > std::numeric_limits<T>::max()) {
    throw Malformed{fmt::format("'{}' is not a whole number from 0 to {}", name, std::numeric_limits<T>::max())};
  }
  return value.get<T>();
}

std::string string(const ParsedJson& object, const char* name) {
  const ParsedJson& value = field(object, name);
  if (!value.is_string()) throw Malformed{fmt::format("'{}' is not a string", name)};
  return value.get<std::string>();
}

bool boolean(const ParsedJson& object, const char* name) {
  const ParsedJson& value = field(object, name);
  if (!value.is_boolean()) throw Malformed{fmt::format("'{}' is neither true nor false", name)};
  return value.get<bool>();
}

bool present(const ParsedJson& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && !found->is_null();
}

// A step as it is read. Instead of a long text there is its number in a list that follows.
struct ReadStep {
  Step step;
  StepText text;
  std::optional<size_t> long_text;
  std::optional<size_t> partner_text;
};

StepText::Actor actor_from(const ParsedJson& json, std::optional<size_t>& long_text) {
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

ReadStep step_from(const ParsedJson& json) {
  ReadStep read;
  read.step.location = number<uint16_t>(json, "location");
  read.step.edge = number<uint16_t>(json, "edge");
  read.text.actor = actor_from(json, read.long_text);
  read.step.pid = read.text.actor.pid;
  if (present(json, "timeout")) read.step.timeout = read.text.timeout = boolean(json, "timeout");
  if (present(json, "inside_rendezvous")) read.step.inside_rendezvous = boolean(json, "inside_rendezvous");
  if (present(json, "witness")) read.step.witness = number<uint32_t>(json, "witness");
  if (present(json, "partner")) {
    const ParsedJson& partner = field(json, "partner");
    read.step.partner_location = number<uint16_t>(partner, "location");
    read.step.partner_edge = number<uint16_t>(partner, "edge");
    read.text.partner = actor_from(partner, read.partner_text);
    read.step.partner = read.text.partner->pid;
  }
  return read;
}

std::vector<std::string> strings(const ParsedJson& object, const char* name) {
  const ParsedJson& value = field(object, name);
  std::vector<std::string> result;
  if (!value.is_array()) throw Malformed{fmt::format("'{}' is not a list", name)};
  for (const ParsedJson& element : value) {
    if (!element.is_string()) throw Malformed{fmt::format("'{}' is not a list of strings", name)};
    result.push_back(element.get<std::string>());
  }
  return result;
}

void read_header(const ParsedJson& json, Trail& trail) {
  if (const std::string schema = string(json, "schema"); schema != kSchema) {
    throw Malformed{fmt::format("its schema is '{}'; this program reads '{}'", schema, kSchema)};
  }
  const ParsedJson& model = field(json, "model");
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
  const ParsedJson& error = field(json, "error");
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
  explicit PathCollector(std::vector<ReadStep>& path) : path_(path) {}

  bool operator()(int depth, ParsedJson::parse_event_t event, ParsedJson& parsed) {
    if (event == ParsedJson::parse_event_t::key && depth == 1) in_path_ = parsed == "path";
    const bool ends = event == ParsedJson::parse_event_t::object_end ||
                      event == ParsedJson::parse_event_t::array_end || event == ParsedJson::parse_event_t::value;
    if (!in_path_ || depth != 2 || !ends) return true;
    try {
      path_.push_back(step_from(parsed));
    } catch (const Malformed& malformed) {
      throw Malformed{fmt::format("step {}: {}", path_.size() + 1, malformed.message)};
    }
    return false;
  }

 private:
  std::vector<ReadStep>& path_;
  bool in_path_ = false;
};

// Puts the path together with its long texts.
void add_path(std::vector<ReadStep> path, const std::vector<std::string>& texts, Trail& trail) {
  const auto fill_in = [&](std::optional<size_t> number, std::string& text) {
    if (!number) return;
    if (*number >= texts.size()) throw Malformed{"a step's text is not in 'texts'"};
    text = texts[*number];
  };
  for (ReadStep& read : path) {
    fill_in(read.long_text, read.text.actor.text);
    if (read.text.partner) fill_in(read.partner_text, read.text.partner->text);
    trail.add(read.step, std::move(read.text));
  }
}

}  // namespace

void Trail::add(const Step& step, StepText text) {
  path_.push_back(step);
  texts_.push_back(&*distinct_.insert(std::move(text)).first);
}

std::string trail_json(const Trail& trail) {
  std::string json = header_json(trail).dump(2, ' ', false, kReplace);
  json.resize(json.rfind('\n'));  // before the closing brace
  json += ",\n  \"path\": [";
  LongTexts texts;
  for (size_t i = 0; i < trail.path().size(); ++i) {
    json += i == 0 ? "\n    " : ",\n    ";
    json += step_json(trail.path()[i], trail.text_of(i), texts);
  }
  json += trail.path().empty() ? "]" : "\n  ]";
  if (!texts.all().empty()) json += ",\n  \"texts\": " + nlohmann::json(texts.all()).dump(-1, ' ', false, kReplace);
  return json + "\n}\n";
}

Result<Trail> parse_trail(std::string_view text) {
  Trail trail;
  try {
    std::vector<ReadStep> path;
    const ParsedJson json = ParsedJson::parse(text, PathCollector(path));
    read_header(json, trail);
    if (!field(json, "path").is_array()) throw Malformed{"'path' is not a list"};
    if (trail.loop_start != FoundError::kNoLoop && trail.loop_start > path.size()) {
      throw Malformed{"'loop_start' lies after the end of the path"};
    }
    add_path(std::move(path), present(json, "texts") ? strings(json, "texts") : std::vector<std::string>(), trail);
    return trail;
  } catch (const Malformed& malformed) {
    return Error{fmt::format("this is no trail of CMC: {}", malformed.message)};
  } catch (const ParsedJson::exception& error) {
    return Error{
        fmt::format("this is no trail of CMC: it is not well-formed JSON: {}", json_error_text(error.what()))};
  }
}

}  // namespace cmc
