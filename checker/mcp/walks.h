#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>

#include "checker/mcp/workspace.h"

namespace cmc::mcp {

// The tools that walk through runs, each of which has a number by which a client comes back to it. The last few are
// kept, in this process.
class Walks {
 public:
  // `workspace` outlives this object.
  Walks(const Workspace& workspace, const std::atomic<bool>& interrupted);
  Walks(Walks&&) = delete;
  ~Walks();

  // As Tools.
  [[nodiscard]] static rpc::Json list();
  [[nodiscard]] static bool has(const std::string& tool);
  [[nodiscard]] rpc::Json call(const std::string& tool, const rpc::Json& arguments);

 private:
  struct Kept;
  // The one that the arguments name, or a new one.
  Kept& kept_for(const rpc::Json& arguments);
  [[nodiscard]] rpc::Json answer(Kept& kept) const;

  static constexpr size_t kMostKept = 4;
  const Workspace& workspace_;
  const std::atomic<bool>& interrupted_;
  std::deque<std::unique_ptr<Kept>> kept_;
  uint64_t last_ = 0;
};

}  // namespace cmc::mcp
