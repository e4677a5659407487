#include "checker/lsp/checks.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files/file.h"
#include "base/files/run_directory.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace cmc::lsp {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostRunning = 4;
constexpr size_t kMostBytes = size_t{16} << 20;  // of what a task prints
constexpr size_t kTailBytes = 4096;

// At most so much of a file, its beginning or its end.
std::string part_of(const std::string& path, size_t bytes, bool at_end) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return {};
  const auto size = static_cast<size_t>(std::max<std::streamoff>(0, in.tellg()));
  in.seekg(static_cast<std::streamoff>(at_end && size > bytes ? size - bytes : 0));
  std::string text(std::min(size, bytes), '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(0, in.gcount())));
  return text;
}

// The last whole line of cmc.progress/1 in a few words.
std::string progress_in(const std::string& text) {
  const size_t end = text.rfind('\n');
  if (end == std::string::npos) return {};
  const size_t begin = end == 0 ? 0 : text.rfind('\n', end - 1) + 1;
  const nlohmann::json line = nlohmann::json::parse(text.substr(begin, end - begin), nullptr, false);
  if (!line.is_object() || !line.contains("states") || !line["states"].is_number_unsigned()) return {};
  const std::string property = line.value("property", "");
  return fmt::format("{}{} states", property.empty() ? "" : property + ": ", line["states"].get<uint64_t>());
}

}  // namespace

struct Checks::Running {
  TaskNews news;
  RunDirectory folder;
  Subprocess process;
  std::string model;  // in the folder
  std::string shown;  // the name that it has for the user
  std::string last_progress = {};
};

Checks::Checks(std::string program, const promela::CompileOptions& options) : program_(std::move(program)) {
  for (const auto& command : options.preprocessor.commands)
    reading_.push_back((command.undefine ? "-U" : "-D") + command.text);
  for (const std::string& folder : options.preprocessor.include_directories) reading_.push_back("-I" + folder);
  if (options.escapes_like_java) reading_.emplace_back("-J");
}
Checks::~Checks() = default;

std::vector<std::string> Checks::command(Task task, const std::string& property, const std::string& beside,
                                         const std::string& folder, const std::string& model) const {
  std::vector<std::string> words = {program_};
  switch (task) {
    case Task::kCheck:
      words.insert(words.end(), {"check", "--time=1h", "--progress=json", "--json=" + folder + "/json"});
      break;
    case Task::kLint: words.insert(words.end(), {"lint", "--json=" + folder + "/json"}); break;
    case Task::kSimulate: words.emplace_back("simulate"); break;
  }
  words.emplace_back("--color=never");
  if (!property.empty()) words.push_back("--property=" + property);
  words.push_back("-I" + beside);
  words.insert(words.end(), reading_.begin(), reading_.end());
  words.insert(words.end(), {"--", model});
  return words;
}

Result<uint64_t> Checks::start(Task task, const Document& document, const OpenTexts& open,
                               const std::string& property) {
  if (running_.size() >= kMostRunning) return Error{fmt::format("{} tasks are running already", kMostRunning)};
  CMC_TRY(RunDirectory made, RunDirectory::create("", false));
  const std::string& folder = made.path();
  // The texts as they are in the editor: this one, and those that it includes and that lie below its folder.
  const fs::path path(document.path());
  const fs::path beside = path.parent_path();
  const std::string name = path.filename().empty() ? "model.pml" : path.filename().string();
  const std::string model = folder + "/texts/" + name;
  const auto put = [](const fs::path& file, const std::string& text) {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    return write_file_atomically(file.string(), text);
  };
  if (const Status written = put(model, document.buffer().text()); !written.ok()) return Error{written.error()};
  for (const auto& [other, text] : open) {
    const fs::path relative = fs::path(other).lexically_relative(beside);
    if (relative.empty() || *relative.begin() == ".." || !document.includes(other)) continue;
    if (const Status written = put(folder + "/texts/" + relative.string(), text->text()); !written.ok())
      return Error{written.error()};
  }
  Subprocess::Command start;
  start.arguments = command(task, property, beside.empty() ? "." : beside.string(), folder, model);
  start.output = folder + "/output";
  start.error = folder + "/error";
  start.own_group = true;
  CMC_TRY(Subprocess child, Subprocess::start(start));
  TaskNews news;
  news.number = ++started_;
  news.task = task;
  news.uri = document.uri();
  news.property = property;
  news.text = document.subject();
  running_.push_back(
      std::make_unique<Running>(Running{std::move(news), std::move(made), std::move(child), model, document.path()}));
  return started_;
}

void Checks::cancel(uint64_t number) {
  for (const auto& each : running_) {
    if (each->news.number == number) each->process.send_signal(SIGTERM);
  }
}

void Checks::forget(const std::string& uri) {
  std::erase_if(running_, [&](const auto& each) { return each->news.uri == uri; });
}

bool Checks::runs(Task task) const {
  return std::ranges::any_of(running_, [&](const auto& each) { return each->news.task == task; });
}

std::vector<TaskNews> Checks::news() {
  std::vector<TaskNews> all;
  for (const auto& each : running_) {
    const std::string folder = each->folder.path();
    each->news.has_ended = each->process.wait(0);
    if (each->news.has_ended) {
      const auto shown = [&](std::string text) {  // the file as its user knows it
        replace_all(text, each->model, each->shown);
        return text;
      };
      each->news.output = shown(part_of(folder + "/output", kMostBytes, false));
      if (each->news.output.empty()) each->news.output = shown(part_of(folder + "/error", kMostBytes, false));
      each->news.json = shown(part_of(folder + "/json", kMostBytes, false));
      each->news.progress.clear();
    } else {
      each->news.progress = progress_in(part_of(folder + "/error", kTailBytes, true));
      if (each->news.progress == each->last_progress) continue;
      each->last_progress = each->news.progress;
    }
    all.push_back(each->news);
  }
  std::erase_if(running_, [](const auto& each) { return each->news.has_ended; });
  return all;
}

}  // namespace cmc::lsp
