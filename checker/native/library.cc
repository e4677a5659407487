#include "checker/native/library.h"

#include <cstring>

#include <dlfcn.h>
#include <fmt/format.h>

namespace cmc::native {

Result<std::shared_ptr<const Library>> Library::load(const std::string& path, const Source& source) {
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Error{fmt::format("cannot load native code: {}", ::dlerror())};
  std::shared_ptr<Library> library(new Library(handle));
  const auto entry = reinterpret_cast<CmcEntry>(::dlsym(handle, CMC_NATIVE_ENTRY));
  if (entry == nullptr) return Error{fmt::format("there is no native code in '{}'", path)};
  library->model_ = entry();
  const CmcModel& model = *library->model_;
  if (model.version != CMC_NATIVE_VERSION || std::strcmp(model.source, source.sha1.c_str()) != 0) {
    return Error{fmt::format("the native code in '{}' is that of another model", path)};
  }
  return std::shared_ptr<const Library>(std::move(library));
}

Library::~Library() { ::dlclose(handle_); }

}  // namespace cmc::native
