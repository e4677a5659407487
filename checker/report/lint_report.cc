#include "checker/report/lint_report.h"

#include <nlohmann/json.hpp>

#include "checker/report/style/version.h"

namespace cmc {
namespace {

using Json = nlohmann::ordered_json;

Json place_json(const Model& model, const SourcePlace& place, const std::string& message) {
  return {{"file", model.files[place.file]}, {"line", place.line}, {"column", place.column}, {"message", message}};
}

}  // namespace

std::string lint_json(const guards::LintResult& result, const Model& model, const std::string& file,
                      const std::string& sha1) {
  Json json;
  json["schema"] = "cmc.lint/1";
  json["version"] = kVersion;
  json["model"] = {{"file", file}, {"hash", sha1}};
  json["questions"] = result.questions;
  json["undecided"] = result.undecided;
  json["findings"] = Json::array();
  for (const guards::Finding& finding : result.findings) {
    Json each = {{"kind", guards::name_of(finding.kind)}};
    each.update(place_json(model, finding.place, finding.message));
    each["notes"] = Json::array();
    for (const guards::Finding::Note& note : finding.notes) {
      each["notes"].push_back(place_json(model, note.place, note.message));
    }
    json["findings"].push_back(std::move(each));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cmc
