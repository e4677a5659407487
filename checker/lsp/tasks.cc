#include "checker/lsp/tasks.h"

#include <charconv>

#include <fmt/format.h>

#include "base/files/file.h"
#include "checker/lsp/features.h"

namespace cmc::lsp {
namespace {

using rpc::Failure;

// MessageType.
constexpr int kWarning = 2;
constexpr int kInformation = 3;

constexpr size_t kMostMessage = 2000;
constexpr std::string_view kToken = "cmc-task-";

Json token_of(uint64_t number) { return fmt::format("{}{}", kToken, number); }

}  // namespace

void Tasks::initialize(const Json& parameters) {
  const auto can = [&](const char* pointer) {
    const Json::json_pointer at(pointer);
    return parameters.is_object() && parameters.contains(at) && parameters[at] == true;
  };
  shows_progress_ = can("/capabilities/window/workDoneProgress");
  shows_documents_ = can("/capabilities/window/showDocument/support");
  renews_lenses_ = can("/capabilities/workspace/codeLens/refreshSupport");
  lints_ = !can("/initializationOptions/withoutLint");
}

Json Tasks::execute(const std::string& command, const Document& document, const OpenTexts& open,
                    const std::string& property) {
  if (command == "cmc.why") {
    const std::string report = findings_[document.uri()].counterexample(document, property);
    if (report.empty()) throw Failure{kRequestFailed, "no counterexample of this text is known: check it first"};
    show("counterexample", report);
    return report;
  }
  const bool checks = command == "cmc.check";
  if (!checks && command != "cmc.simulate")
    throw Failure{rpc::kInvalidParameters, fmt::format("there is no command '{}'", command)};
  const Task task = checks ? Task::kCheck : Task::kSimulate;
  const Result<uint64_t> number = checks_.start(task, document, open, checks ? property : "");
  if (!number.ok()) throw Failure{kRequestFailed, number.error()};
  if (!shows_progress_) return nullptr;
  TaskNews news;
  news.number = number.value();
  news.task = task;
  client_.request("window/workDoneProgress/create", {{"token", token_of(news.number)}});
  const std::string title = !checks ? "Simulate" : property.empty() ? "Check all properties" : "Check " + property;
  tell_progress(news, {{"kind", "begin"}, {"title", title}, {"cancellable", true}});
  return nullptr;
}

void Tasks::tell_progress(const TaskNews& news, Json value) {
  if (shows_progress_ && news.task != Task::kLint)
    client_.notify("$/progress", {{"token", token_of(news.number)}, {"value", std::move(value)}});
}

void Tasks::cancel(const Json& token) {
  const std::string text = token.is_string() ? token.get<std::string>() : "";
  uint64_t number = 0;
  if (!text.starts_with(kToken)) return;
  std::from_chars(text.data() + kToken.size(), text.data() + text.size(), number);
  checks_.cancel(number);
}

void Tasks::forget(const std::string& uri) {
  findings_.erase(uri);
  to_lint_.erase(uri);
  checks_.forget(uri);
}

bool Tasks::hear(const std::function<const Document*(const std::string&)>& find) {
  bool has_changed = false;
  for (const TaskNews& news : checks_.news()) {
    if (!news.has_ended) {
      tell_progress(news, {{"kind", "report"}, {"message", news.progress}, {"cancellable", true}});
      continue;
    }
    tell_progress(news, {{"kind", "end"}});
    const Document* const document = find(news.uri);
    if (document == nullptr) continue;
    if (news.task == Task::kSimulate) {
      show("simulation", news.output);
    } else if (findings_[news.uri].add(news, *document)) {
      has_changed = true;
      if (renews_lenses_ && news.task == Task::kCheck) client_.request("workspace/codeLens/refresh", nullptr);
    } else if (news.task == Task::kCheck) {
      const bool is_old = news.text != document->subject();
      client_.notify("window/showMessage",
                     {{"type", kWarning},
                      {"message", is_old ? "the text has changed since this check began: what it found is left out"
                                         : news.output.substr(0, kMostMessage)}});
    }
  }
  return has_changed;
}

// In an editor of its own, or in the log of a client that cannot do that.
void Tasks::show(const std::string& name, const std::string& text) {
  if (shown_ == nullptr) {
    Result<RunDirectory> made = RunDirectory::create("", false);
    if (made.ok()) shown_ = std::make_unique<RunDirectory>(std::move(made).value());
  }
  const std::string path = shown_ ? fmt::format("{}/{}-{}.txt", shown_->path(), name, ++shown_count_) : "";
  if (shows_documents_ && !path.empty() && write_file_atomically(path, text).ok()) {
    client_.request("window/showDocument", {{"uri", uri_of(path)}, {"takeFocus", true}});
  } else {
    client_.notify("window/logMessage", {{"type", kInformation}, {"message", text}});
  }
}

std::optional<std::string> Tasks::next_to_lint() {
  if (to_lint_.empty() || checks_.runs(Task::kLint)) return std::nullopt;
  return to_lint_.extract(to_lint_.begin()).value();
}

void Tasks::lint(const Document& document, const OpenTexts& open) {
  // A text that cannot be linted now has no hints: nobody asked for them.
  static_cast<void>(checks_.start(Task::kLint, document, open, "").ok());
}

}  // namespace cmc::lsp
