#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

// Values of the model in JSON.

namespace cmc {

// A number; the name of an mtype, of a channel, or "none" is a string.
[[nodiscard]] nlohmann::ordered_json value_of_text(const std::string& text);

// A list of such values.
[[nodiscard]] nlohmann::ordered_json message_value(const std::vector<std::string>& fields);

// Bytes that are no UTF-8 are replaced.
[[nodiscard]] std::string line_of_json(const nlohmann::ordered_json& json);

}  // namespace cmc
