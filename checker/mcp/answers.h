#pragma once

#include <string>
#include <string_view>

#include "checker/rpc/json_rpc.h"

// What the answers of all tools have in common: their bounds, and their frame.

namespace cmc::mcp {

inline constexpr size_t kMostItems = 10;  // of a list

// The first items of a list, each made by `make`; how many there are is told beside it.
template <class List, class Make>
[[nodiscard]] rpc::Json first_of(const List& list, Make&& make) {
  rpc::Json items = rpc::Json::array();
  for (const auto& each : list) {
    if (items.size() == kMostItems) break;
    items.push_back(make(each));
  }
  return items;
}

// At most 240 bytes of a line, without control characters.
[[nodiscard]] std::string bounded_line(std::string_view line);

// The result of a tool: the content for a model, and the same as data. Its member "text", if there is one, is shown
// as it is.
[[nodiscard]] rpc::Json answer_of(rpc::Json found, bool is_error);

// One of a schema's.
[[nodiscard]] inline rpc::Json property(const char* type, const char* description) {
  return {{"type", type}, {"description", description}};
}

// What tells which model is meant.
[[nodiscard]] rpc::Json model_properties();

}  // namespace cmc::mcp
