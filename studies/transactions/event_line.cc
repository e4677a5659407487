#include "studies/transactions/event_line.h"

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace cmc {
namespace {

using Json = nlohmann::ordered_json;

Json content_json(const FileContent& content) {
  if (!content) return "none";
  const std::optional<int> number = parse_number<int>(*content);
  return number ? Json(*number) : Json(*content);
}

}  // namespace

std::string event_line(const TransactionEvent& event, std::string_view who) {
  Json line = {{"event", step_name(event.step)}, {"who", who}};
  if (!event.file.empty()) {
    line["file"] = event.file;
    line["content"] = content_json(event.content);
  }
  if (event.step == TransactionStep::kPlan || event.step == TransactionStep::kValidate) line["valid"] = event.valid;
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cmc
