#include "checker/plugin/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace cmc::plugin {

Result<std::shared_ptr<const Library>> Library::load(const std::string& path, const std::string& model) {
  // A name without a slash would be looked for in the system's folders.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Error{fmt::format("cannot load the plug-in: {}", dlerror())};
  std::shared_ptr<Library> library(new Library(handle));
  using Entry = const CmcPlugin* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, CMC_PLUGIN_ENTRY));
  if (entry == nullptr) return Error{fmt::format("{} is no plug-in: it has no function {}", path, CMC_PLUGIN_ENTRY)};
  library->plugin_ = entry();
  if (library->plugin_ == nullptr || library->plugin_->version != CMC_PLUGIN_VERSION) {
    return Error{fmt::format("{} was made for another version of CMC; compile it again", path)};
  }
  if (library->plugin_->process_successors == nullptr || library->plugin_->model == nullptr) {
    return Error{fmt::format("{} is no plug-in: its table is not filled in", path)};
  }
  if (library->plugin_->model != model) {
    return Error{
        fmt::format("{} is a plug-in of another model, or of other -D options: its model is {}, this one {}; "
                    "make the header again with 'cmc info --plugin-header' and the same options",
                    path, library->plugin_->model, model)};
  }
  return std::shared_ptr<const Library>(std::move(library));
}

Library::~Library() { dlclose(handle_); }

}  // namespace cmc::plugin
