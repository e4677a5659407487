#include "checker/explore/server.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "checker/explore/access.h"
#include "checker/explore/explorer.h"
#include "checker/explore/exports.h"
#include "checker/explore/http_server.h"
#include "checker/explore/page_files.h"
#include "checker/report/style/style.h"
#include "checker/trace/views/page.h"
#include "checker/trace/views/page_files.h"

namespace cmc::explore {
namespace {

constexpr int kIdleMilliseconds = 200;
constexpr double kLastSeconds = 2;  // for the last answers to leave

Json model_data(const session::Walk& walk) {
  Json data = {{"file", walk.loaded().file}, {"sources", Json::array()}, {"properties", Json::array()}};
  for (const SourceText& each : source_texts(walk.loaded()))
    data["sources"].push_back({{"name", each.name}, {"text", each.text}});
  for (const PropertyEntry& each : properties_of(walk.model())) data["properties"].push_back(each.name);
  return data;
}

class Service {
 public:
  Service(session::Walk& walk, const ServerOptions& options, HttpServer& http, Access access)
      : walk_(walk), options_(options), http_(http), access_(std::move(access)), explorer_(walk, options.program) {}

  [[nodiscard]] Status load(const std::string& trail) { return explorer_.load(trail); }

  void run(const std::atomic<bool>& interrupted) {
    while (!interrupted && !explorer_.has_ended() && !is_left()) {
      http_.serve(explorer_.is_busy() ? 0 : kIdleMilliseconds,
                  [this](HttpServer::Id id, const Request& request) { handle(id, request); });
      if (!explorer_.is_busy()) continue;
      if (!http_.waits(asker_)) explorer_.cancel();
      if (const std::optional<Json> answer = explorer_.go_on()) answer_with(asker_, *answer);
    }
    const double end = SystemClock().wall_seconds() + kLastSeconds;
    while (http_.is_writing() && SystemClock().wall_seconds() < end)
      http_.serve(kIdleMilliseconds, [](HttpServer::Id, const Request&) {});
  }

 private:
  // Whether there was a page, and there has been none for a while.
  bool is_left() {
    const double now = SystemClock().wall_seconds();
    if (http_.streams() > 0) last_seen_ = now;
    return last_seen_ && now - *last_seen_ > options_.closed_seconds;
  }

  void handle(HttpServer::Id id, const Request& request) {
    std::string path;
    if (const int status = access_.check(request, path); status != 0) {
      http_.respond(id, {status, "text/plain", "refused: this is not the address that cmc explore has printed\n"});
    } else if (request.method == "POST" && path == "do") {
      act(id, request.body);
    } else if (request.method == "GET" && path.empty()) {
      http_.respond(id, page());
    } else if (request.method == "GET" && path == "here") {
      http_.stream(id);
    } else if (request.method == "GET" && !explorer_.is_busy() && save(id, path)) {
      return;
    } else {
      http_.respond(id, {404, "text/plain", "there is no such page\n"});
    }
  }

  void act(HttpServer::Id id, const std::string& body) {
    const Json message = Json::parse(body, nullptr, false);
    if (message.is_object() && message.value("do", Json()) == "cancel") {
      explorer_.cancel();
      answer_with(id, {{"cancelled", explorer_.is_busy()}});
      return;
    }
    const bool was_busy = explorer_.is_busy();
    const std::optional<Json> answer = explorer_.act(message);
    if (answer) {
      answer_with(id, *answer);
    } else if (!was_busy) {
      asker_ = id;
    }
  }

  void answer_with(HttpServer::Id id, const Json& answer) {
    http_.respond(id, {200, "application/json", answer.dump(-1, ' ', false, Json::error_handler_t::replace)});
  }

  bool save(HttpServer::Id id, const std::string& name) {
    const std::optional<Result<Export>> made = export_run(walk_, name);
    if (!made) return false;
    if (!made->ok()) {
      http_.respond(id, {200, "text/plain; charset=utf-8", made->error() + "\n"});
      return true;
    }
    const Export& file = made->value();
    http_.respond(
        id, {200, file.type, file.text, {{"Content-Disposition", "attachment; filename=\"" + file.name + '"'}}});
    return true;
  }

  Response page() {
    std::string data = model_data(walk_).dump(-1, ' ', false, Json::error_handler_t::replace);
    data = replaced(data, '<', "\\u003c");
    Response response;
    response.type = "text/html; charset=utf-8";
    response.body = filled(kPage, {{"style", page_files::kStyle},
                                   {"more_style", kStyle},
                                   {"data", data},
                                   {"common", page_files::kCommon},
                                   {"script", kScript}});
    response.headers = {
        {"Content-Security-Policy",
         "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; connect-src "
         "'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"}};
    return response;
  }

  session::Walk& walk_;
  const ServerOptions& options_;
  HttpServer& http_;
  Access access_;
  Explorer explorer_;
  HttpServer::Id asker_ = 0;  // who waits for what is on its way
  std::optional<double> last_seen_;
};

}  // namespace

Status serve(session::Walk& walk, const ServerOptions& options,
             const std::function<void(const std::string& address)>& ready, const std::atomic<bool>& interrupted) {
  CMC_TRY(HttpServer http, HttpServer::listen(options.port));
  CMC_TRY(const Access access, Access::make(http.port()));
  Service service(walk, options, http, access);
  if (!options.trail.empty()) {
    if (const Status fits = service.load(options.trail); !fits.ok())
      return Error{fmt::format("{}: {}", options.origin, fits.error())};
  }
  ready(access.address());
  service.run(interrupted);
  return Success{};
}

}  // namespace cmc::explore
