#pragma once

#include <atomic>
#include <string>

#include "checker/mcp/walks.h"
#include "checker/mcp/workspace.h"

namespace cmc::mcp {

// The tools that an agent may call. Each runs one command of this program, or walks through a run that is kept here,
// and answers with a bounded part of what it found.
class Tools {
 public:
  // `program`: this program's path. Models are files below `root`.
  Tools(std::string program, std::string root, const std::atomic<bool>& interrupted)
      : program_(std::move(program)),
        workspace_(std::move(root)),
        interrupted_(interrupted),
        walks_(workspace_, interrupted) {}

  // Their names, descriptions and schemas, as `tools/list` has them.
  [[nodiscard]] static rpc::Json list();
  // The result of `tools/call`: content, structuredContent, isError. Throws rpc::Failure: there is no such tool, or
  // its arguments are wrong.
  [[nodiscard]] rpc::Json call(const std::string& name, const rpc::Json& arguments);

 private:
  static void refuse_unknown(const std::string& name, const rpc::Json& arguments);

  std::string program_;
  Workspace workspace_;
  const std::atomic<bool>& interrupted_;
  Walks walks_;
};

}  // namespace cmc::mcp
