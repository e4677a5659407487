#include "checker/checkpoint/manifest.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_error.h"
#include "base/sha256.h"

namespace cmc {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kManifestFormat = "cmc.checkpoint/1";
constexpr const char* kRunFormat = "cmc.run/1";
constexpr const char* kSeal = ",\"sha256\"";

// A JSON object with the SHA-256 of all before it as its last member.
std::string sealed(const Json& json) {
  std::string text = json.dump();
  text.pop_back();
  return fmt::format("{}{}:\"{}\"}}\n", text, kSeal, sha256_hex(text));
}

Result<Json> unsealed(const std::string& text, const char* format) {
  const size_t seal = text.rfind(kSeal);
  if (seal == std::string::npos) return Error{"it has no checksum"};
  const std::string body = text.substr(0, seal);
  if (text.substr(seal) != fmt::format("{}:\"{}\"}}\n", kSeal, sha256_hex(body)))
    return Error{"its checksum is wrong"};
  Json json = Json::parse(body + "}", nullptr, false);
  if (!json.is_object()) return Error{"it is no JSON"};
  if (const Json found = json.value("format", Json()); found != format)
    return Error{fmt::format("its format is {} instead of \"{}\"", found.dump(), format)};
  return json;
}

}  // namespace

std::vector<CheckpointFile> Manifest::files_of(std::string_view kind) const {
  std::vector<CheckpointFile> found;
  for (const CheckpointFile& file : files) {
    if (file.kind == kind) found.push_back(file);
  }
  return found;
}

std::string manifest_name(uint64_t epoch) { return fmt::format("manifest.{}.json", epoch); }

std::string manifest_text(const Manifest& manifest) {
  Json json = {{"format", kManifestFormat},
               {"epoch", manifest.epoch},
               {"complete", manifest.complete},
               {"engine", manifest.engine},
               {"division", manifest.division},
               {"states", manifest.states},
               {"transitions", manifest.transitions},
               {"initial", 0},
               {"words", manifest.words},
               {"layout", Json::array()},
               {"counters", manifest.counters},
               {"files", Json::array()}};
  if (manifest.complete) json["verdict"] = manifest.verdict;
  for (const Manifest::Field& field : manifest.layout) {
    json["layout"].push_back(
        {{"component", field.component}, {"word", field.word}, {"shift", field.shift}, {"width", field.width}});
  }
  for (const CheckpointFile& file : manifest.files) {
    Json each = {{"name", file.name}, {"kind", file.kind}, {"bytes", file.bytes}, {"sha256", file.sha256}};
    if (file.kind == "states") each["states"] = file.states;
    if (file.rank > 0) each["rank"] = file.rank;
    json["files"].push_back(std::move(each));
  }
  return sealed(json);
}

Result<Manifest> parse_manifest(const std::string& text) {
  CMC_TRY(const Json json, unsealed(text, kManifestFormat));
  Manifest manifest;
  try {
    manifest.epoch = json.at("epoch");
    manifest.complete = json.at("complete");
    manifest.verdict = json.value("verdict", "");
    manifest.engine = json.at("engine");
    manifest.division = json.at("division");
    manifest.states = json.at("states");
    manifest.transitions = json.at("transitions");
    manifest.words = json.at("words");
    for (const Json& field : json.at("layout"))
      manifest.layout.push_back({field.at("component"), field.at("word"), field.at("shift"), field.at("width")});
    json.at("counters").get_to(manifest.counters);
    for (const Json& file : json.at("files")) {
      manifest.files.push_back({file.at("name"), file.at("kind"), file.at("bytes"), file.value("states", uint64_t{0}),
                                file.at("sha256"), file.value("rank", uint32_t{0})});
    }
  } catch (const Json::exception& error) {
    return Error{json_error_text(error.what())};
  }
  return manifest;
}

Result<std::string> run_file_text(const RunFile& run) {
  Json files = Json::array();
  for (const RunFile::Source& file : run.files) files.push_back({{"name", file.name}, {"text", file.text}});
  const Json json = {{"format", kRunFormat},
                     {"cmc", run.version},
                     {"model", {{"name", run.model}, {"files", std::move(files)}}},
                     {"arguments", run.arguments},
                     {"digests", {{"model", run.model_sha256}, {"components", run.components_sha256}}}};
  try {
    return sealed(json);
  } catch (const Json::exception&) {
    return Error{"a checkpoint keeps the model's files in JSON, but one of them, or an option, is no UTF-8"};
  }
}

Result<RunFile> parse_run_file(const std::string& text) {
  CMC_TRY(const Json json, unsealed(text, kRunFormat));
  RunFile run;
  try {
    run.version = json.at("cmc");
    run.model = json.at("model").at("name");
    for (const Json& file : json.at("model").at("files")) run.files.push_back({file.at("name"), file.at("text")});
    json.at("arguments").get_to(run.arguments);
    run.model_sha256 = json.at("digests").at("model");
    run.components_sha256 = json.at("digests").at("components");
  } catch (const Json::exception& error) {
    return Error{json_error_text(error.what())};
  }
  return run;
}

}  // namespace cmc
