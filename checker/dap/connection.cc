#include "checker/dap/connection.h"

#include <utility>

namespace cmc::dap {

void Connection::answer(const std::string& text, const std::function<Json(const std::string&, const Json&)>& call) {
  const Json message = Json::parse(text, nullptr, false);
  const bool is_request = message.is_object() && message.value("type", Json()) == "request" &&
                          message.value("seq", Json()).is_number_integer() &&
                          message.value("command", Json()).is_string();
  if (!is_request) return output("important", "a message was ignored: it is no request\n");
  const auto command = message["command"].get<std::string>();
  Json response = {{"type", "response"}, {"request_seq", message["seq"]}, {"command", command}, {"success", false}};
  const auto refuse = [&](const std::string& why) {
    response["message"] = why;
    response["body"] = {
        {"error", {{"id", 1}, {"format", "{why}"}, {"variables", {{"why", why}}}, {"showUser", true}}}};
  };
  try {
    const Json arguments = message.value("arguments", Json());
    response["body"] = call(command, arguments.is_null() ? Json::object() : arguments);
    response["success"] = true;
  } catch (const Failure& failure) {
    refuse(failure.message);
  } catch (const Json::exception&) {
    refuse("the arguments are not those of this request");
  }
  send(std::move(response));
}

void Connection::event(const std::string& name, Json body) {
  send({{"type", "event"}, {"event", name}, {"body", std::move(body)}});
}

void Connection::output(const std::string& category, const std::string& text) {
  event("output", {{"category", category}, {"output", text}});
}

void Connection::send(Json message) {
  message["seq"] = ++sent_;
  if (!stream_.write(message.dump(-1, ' ', false, Json::error_handler_t::replace))) is_open_ = false;
}

}  // namespace cmc::dap
