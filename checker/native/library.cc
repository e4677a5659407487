#include "checker/native/library.h"

#include <cerrno>
#include <cstring>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>

namespace cmc::native {
namespace {

bool was_made_of(const Source& source, const CmcModel& model) {
  return model.version == CMC_NATIVE_VERSION && std::strcmp(model.source, source.sha1.c_str()) == 0;
}

Error no_code() { return Error{"there is no native code in the shared object"}; }

Error other_model() { return Error{"the native code is that of another model"}; }

bool has_text(std::string_view object, std::string_view text) { return object.find(text) != std::string_view::npos; }

Result<Descriptor> copy_to_memory(std::string_view object) {
  Descriptor file(::memfd_create("cmc-native", MFD_CLOEXEC));
  const int code = file.valid() ? write_all(file.number(), object) : errno;
  if (code != 0) return Error{fmt::format("cannot load native code: {}", std::strerror(code))};
  return file;
}

}  // namespace

Result<std::shared_ptr<const Library>> Library::load(std::string_view object, const Source& source) {
  if (!has_text(object, CMC_NATIVE_ENTRY)) return no_code();
  if (!has_text(object, source.sha1)) return other_model();
  CMC_TRY(Descriptor file, copy_to_memory(object));
  void* const handle = ::dlopen(path_of_descriptor(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Error{fmt::format("cannot load native code: {}", ::dlerror())};
  std::shared_ptr<Library> library(new Library(std::move(file), handle));
  const auto entry = reinterpret_cast<CmcEntry>(::dlsym(handle, CMC_NATIVE_ENTRY));
  if (entry == nullptr) return no_code();
  library->model_ = entry();
  if (!was_made_of(source, *library->model_)) return other_model();
  return std::shared_ptr<const Library>(std::move(library));
}

Result<std::shared_ptr<const Library>> Library::linked(const CmcModel& model, const Source& source) {
  if (!was_made_of(source, model)) return other_model();
  std::shared_ptr<Library> library(new Library(Descriptor(), nullptr));
  library->model_ = &model;
  return std::shared_ptr<const Library>(std::move(library));
}

Library::~Library() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

}  // namespace cmc::native
