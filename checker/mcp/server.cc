#include "checker/mcp/server.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/lsp/keyword_help.h"
#include "checker/mcp/tools.h"
#include "checker/report/style/version.h"

namespace cmc::mcp {
namespace {

using rpc::Failure;
using rpc::Json;

constexpr const char* kVersions[] = {"2025-06-18", "2025-03-26", "2024-11-05"};  // of the protocol, the latest first
constexpr const char* kLanguage = "promela:keywords";
constexpr int kNoResource = -32002;

std::string language_page() {
  std::string page = "# Promela's keywords\n\n";
  for (const lsp::Keyword& keyword : lsp::keywords())
    page += fmt::format("- **{}**: {}\n", keyword.word, keyword.help);
  return page;
}

Json initialize(const Json& parameters) {
  const std::string wanted = parameters.value("protocolVersion", std::string());
  const bool is_known = std::ranges::find(kVersions, wanted) != std::end(kVersions);
  return {
      {"protocolVersion", is_known ? wanted : kVersions[0]},
      {"capabilities", {{"tools", Json::object()}, {"resources", Json::object()}}},
      {"serverInfo", {{"name", "cmc"}, {"version", kVersion}}},
      {"instructions",
       "CMC checks Promela models exhaustively. 'check' says what holds; 'why' shows the steps of a counterexample. "
       "\"holds\" is only said after all states were explored; \"incomplete\" has its reasons."}};
}

Json call(Tools& tools, const std::string& method, const Json& parameters, bool is_request) {
  if (method == "initialize") return initialize(parameters);
  if (method == "ping") return Json::object();
  if (method == "tools/list") return {{"tools", Tools::list()}};
  if (method == "tools/call")
    return tools.call(parameters.at("name").get<std::string>(),
                      parameters.contains("arguments") ? parameters["arguments"] : Json::object());
  if (method == "resources/list")
    return {{"resources", {{{"uri", kLanguage}, {"name", "Promela's keywords"}, {"mimeType", "text/markdown"}}}}};
  if (method == "resources/templates/list") return {{"resourceTemplates", Json::array()}};
  if (method == "resources/read") {
    if (parameters.at("uri") != kLanguage) throw Failure{kNoResource, "there is no such resource"};
    return {{"contents", {{{"uri", kLanguage}, {"mimeType", "text/markdown"}, {"text", language_page()}}}}};
  }
  if (!is_request) return nullptr;  // a notification that is not known may be ignored
  throw Failure{rpc::kMethodNotFound, fmt::format("there is no method '{}'", method)};
}

}  // namespace

void serve(int in, int out, const std::string& program, const std::string& root,
           const std::atomic<bool>& interrupted) {
  rpc::Connection client(in, out, rpc::Framing::kLines);
  Tools tools(program, root, interrupted);
  std::string message;
  while (!interrupted && client.is_open()) {
    const rpc::MessageStream::Read read = client.read(message, -1);
    if (read == rpc::MessageStream::Read::kEnd) return;
    if (read == rpc::MessageStream::Read::kNothing || message.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    client.answer(message, [&](const std::string& method, const Json& parameters, bool is_request) {
      return call(tools, method, parameters, is_request);
    });
  }
}

}  // namespace cmc::mcp
