#include "checker/report/explanation_json.h"

#include <nlohmann/json.hpp>

namespace cmc {

nlohmann::ordered_json explanation_json(const Explanation& explanation) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["explanation"] = explanation.lines;
  json["processes"] = Json::array();
  for (const ExplainedProcess& process : explanation.processes) {
    Json entry;
    entry["process"] = process.process;
    entry["pid"] = process.pid;
    entry["file"] = process.file.empty() ? Json(nullptr) : Json(process.file);
    entry["line"] = process.file.empty() ? Json(nullptr) : Json(process.line);
    entry["since"] = process.since;
    entry["waits_for"] = process.waits;
    json["processes"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace cmc
