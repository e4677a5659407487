#include "checker/mcp/answers.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace cmc::mcp {

using rpc::Json;

std::string bounded_line(std::string_view line) {
  constexpr size_t kMostBytes = 240;
  std::string text(line.substr(0, kMostBytes));
  if (line.size() > kMostBytes) text += " ...";
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; }, '?');
  return text;
}

Json answer_of(Json found, bool is_error) {
  const std::string text = found.contains("text") ? found["text"].get<std::string>()
                                                  : found.dump(2, ' ', false, Json::error_handler_t::replace);
  std::string note;
  if (found.contains("next_line") && !found["next_line"].is_null())
    note = fmt::format("({} lines; 'from_line': {} shows more)", found["line_count"].get<uint64_t>(),
                       found["next_line"].get<uint64_t>());
  return {{"content", {{{"type", "text"}, {"text", text + note}}}},
          {"structuredContent", std::move(found)},
          {"isError", is_error}};
}

Json model_properties() {
  return {
      {"model", property("string", "a Promela file below the folder of this server")},
      {"text", property("string", "the text of a model, instead of a file")},
      {"defines", {{"type", "array"}, {"items", {{"type", "string"}}}, {"description", "macros, e.g. [\"N=3\"]"}}}};
}

}  // namespace cmc::mcp
