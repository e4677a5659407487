#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "checker/plugin/interface.h"

namespace cmc::plugin {

// A loaded plug-in. Several threads may use it.
class Library {
 public:
  // `model`: the SHA-1 (layout.h) of the model that it has to be of. Error: there is no such file, it is no plug-in,
  // or it is one of another version or model. Whoever can write to the file decides what this process executes.
  [[nodiscard]] static Result<std::shared_ptr<const Library>> load(const std::string& path, const std::string& model);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  int process_successors(CmcExpansion& expansion) const { return plugin_->process_successors(&expansion); }

 private:
  explicit Library(void* handle) : handle_(handle) {}

  void* handle_;
  const CmcPlugin* plugin_ = nullptr;
};

}  // namespace cmc::plugin
