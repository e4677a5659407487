#include "checker/native/library.h"

#include <cstring>

#include <dlfcn.h>
#include <fmt/format.h>

namespace cmc::native {
namespace {

bool was_made_of(const Source& source, const CmcModel& model) {
  return model.version == CMC_NATIVE_VERSION && std::strcmp(model.source, source.sha1.c_str()) == 0;
}

}  // namespace

Result<std::shared_ptr<const Library>> Library::load(const std::string& path, const Source& source) {
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Error{fmt::format("cannot load native code: {}", ::dlerror())};
  std::shared_ptr<Library> library(new Library(handle));
  const auto entry = reinterpret_cast<CmcEntry>(::dlsym(handle, CMC_NATIVE_ENTRY));
  if (entry == nullptr) return Error{fmt::format("there is no native code in '{}'", path)};
  library->model_ = entry();
  if (!was_made_of(source, *library->model_)) {
    return Error{fmt::format("the native code in '{}' is that of another model", path)};
  }
  return std::shared_ptr<const Library>(std::move(library));
}

Result<std::shared_ptr<const Library>> Library::linked(const CmcModel& model, const Source& source) {
  if (!was_made_of(source, model)) return Error{"the native code is that of another model"};
  std::shared_ptr<Library> library(new Library(nullptr));
  library->model_ = &model;
  return std::shared_ptr<const Library>(std::move(library));
}

Library::~Library() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

}  // namespace cmc::native
