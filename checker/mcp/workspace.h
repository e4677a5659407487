#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "checker/rpc/json_rpc.h"

namespace cmc::mcp {

// A model that a client asks about: a file below the workspace's folder, or a text.
struct AskedModel {
  std::string path;                       // absolute
  std::vector<std::string> preprocessor;  // "-DN=3"
};

// The folder below which files may be read.
class Workspace {
 public:
  explicit Workspace(std::string root);

  // Of a tool's arguments: `model` or `text`, which goes into `folder`, and `defines`. Throws rpc::Failure: neither
  // or both are given, or a file that is asked for or included is not below the root.
  [[nodiscard]] AskedModel model(const rpc::Json& arguments, const std::string& folder) const;
  // The names of files in a text as a client knows them.
  [[nodiscard]] std::string shown(std::string text, const std::string& folder) const;

 private:
  [[nodiscard]] bool contains(const std::string& path) const;
  std::string root_;
};

}  // namespace cmc::mcp
