#include "checker/check/diagnostics_json.h"

#include <nlohmann/json.hpp>

#include "checker/report/style/version.h"

namespace cmc {
namespace {

using Json = nlohmann::ordered_json;
using promela::Diagnostic;
using promela::Expansion;
using promela::Severity;
using promela::Sources;

const char* name_of(Severity severity) {
  return severity == Severity::kError ? "error" : severity == Severity::kWarning ? "warning" : "note";
}

const char* name_of(Expansion::Kind kind) {
  return kind == Expansion::Kind::kMacro ? "macro" : kind == Expansion::Kind::kInline ? "inline" : "include";
}

// Lines and columns from 1, columns in bytes; null: of no place in a file.
void put_place(const Sources& sources, const SourcePlace& place, Json& json) {
  const bool has_place = place.line != 0 && place.file < sources.file_count();
  json["file"] = has_place ? Json(sources.name(place.file)) : Json(nullptr);
  json["line"] = has_place ? Json(place.line) : Json(nullptr);
  json["column"] = has_place ? Json(place.column) : Json(nullptr);
  json["end_column"] = has_place ? Json(promela::end_column(sources, place)) : Json(nullptr);
}

Json to_json(const Sources& sources, const Diagnostic& diagnostic) {
  Json json = {{"severity", name_of(diagnostic.severity)}, {"message", diagnostic.message}};
  put_place(sources, diagnostic.location.place, json);
  const std::string_view hint = promela::suggested_name(diagnostic);
  json["hint"] = hint.empty() ? Json(nullptr) : Json(std::string(hint));
  json["stack"] = Json::array();
  for (promela::ExpansionId id = diagnostic.location.expansion; id != 0; id = sources.expansion(id).parent) {
    const Expansion& expansion = sources.expansion(id);
    Json step = {{"kind", name_of(expansion.kind)}, {"name", expansion.name}};
    put_place(sources, expansion.place, step);
    json["stack"].push_back(std::move(step));
  }
  json["notes"] = Json::array();
  for (const Diagnostic& note : diagnostic.notes) {
    Json each = {{"message", note.message}};
    put_place(sources, note.location.place, each);
    json["notes"].push_back(std::move(each));
  }
  return json;
}

}  // namespace

std::string diagnostics_json(const std::string& model_file, const Sources& sources,
                             const promela::Diagnostics& diagnostics) {
  Json json = {{"schema", "cmc.diagnostics/1"}, {"version", kVersion}, {"model", {{"file", model_file}}}};
  json["error_count"] = diagnostics.error_count();
  json["diagnostics"] = Json::array();
  for (const Diagnostic& each : diagnostics.all()) json["diagnostics"].push_back(to_json(sources, each));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cmc
