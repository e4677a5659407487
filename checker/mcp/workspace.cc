#include "checker/mcp/workspace.h"

#include <deque>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/text.h"
#include "promela/preprocessor/preprocessor.h"

namespace cmc::mcp {
namespace {

using rpc::Failure;
using rpc::Json;

constexpr const char* kTextName = "model.pml";
constexpr size_t kMostDefines = 100;

// In `missing/../link` no link is followed at first, but what is opened is the link.
std::string real_path(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(std::filesystem::weakly_canonical(path, ignored), ignored).string();
}

bool is_below(const std::string& path, const std::string& folder) {
  return path.starts_with(folder) && (folder.ends_with('/') || path[folder.size()] == '/');
}

std::vector<std::string> defines_of(const Json& arguments) {
  std::vector<std::string> options;
  if (!arguments.contains("defines")) return options;
  if (!arguments["defines"].is_array()) throw Failure{rpc::kInvalidParameters, "'defines' is a list"};
  for (const Json& each : arguments["defines"]) options.push_back("-D" + each.get<std::string>());
  if (options.size() > kMostDefines) throw Failure{rpc::kInvalidParameters, "too many defines"};
  return options;
}

}  // namespace

Workspace::Workspace(std::string root) : root_(real_path(root)) {}

bool Workspace::contains(const std::string& path) const { return is_below(real_path(path), root_); }

AskedModel Workspace::model(const Json& arguments, const std::string& folder) const {
  const bool is_text = arguments.contains("text");
  if (is_text == arguments.contains("model"))
    throw Failure{rpc::kInvalidParameters, "give either 'model', a file, or 'text', the text of a model"};
  AskedModel asked;
  asked.preprocessor = defines_of(arguments);
  if (is_text) {
    asked.path = folder + "/" + kTextName;
    std::ofstream out(asked.path, std::ios::binary);
    out << arguments["text"].get<std::string>();
    if (!out.flush()) throw Failure{rpc::kInvalidRequest, "the text cannot be written to a file"};
  } else {
    const std::filesystem::path given = arguments["model"].get<std::string>();
    asked.path = real_path(given.is_absolute() ? given.string() : root_ + "/" + given.string());
    const bool is_whole = given.native().find('\0') == std::string::npos;  // of others the system reads the beginning
    if (!is_whole || !is_below(asked.path, root_))
      throw Failure{rpc::kInvalidParameters,
                    fmt::format("'{}' is not below the folder of this server", given.string())};
  }
  // The model and what it includes: read here before anybody else does.
  promela::Sources sources;
  if (sources.is_file(asked.path) && !sources.is_regular_file(asked.path))
    throw Failure{rpc::kInvalidParameters, fmt::format("'{}' is no regular file", shown(asked.path, folder))};
  const Result<uint32_t> main = sources.load(asked.path);
  if (!main.ok()) throw Failure{rpc::kInvalidParameters, shown(main.error(), folder)};
  promela::Diagnostics diagnostics(sources);
  promela::PreprocessorOptions options;
  for (const std::string& define : asked.preprocessor) options.commands.push_back({false, define.substr(2)});
  std::deque<std::string> arena;
  static_cast<void>(promela::preprocess(sources, main.value(), options, diagnostics, arena));
  for (uint32_t file = 0; file < sources.file_count(); ++file) {
    const std::string& name = sources.name(file);
    if (!name.starts_with('/') || contains(name) || real_path(name) == real_path(asked.path)) continue;
    throw Failure{rpc::kInvalidParameters, "the model includes a file that is not below the folder of this server"};
  }
  return asked;
}

std::string Workspace::shown(std::string text, const std::string& folder) const {
  replace_all(text, folder + "/", "");
  replace_all(text, root_ + "/", "");
  return text;
}

}  // namespace cmc::mcp
