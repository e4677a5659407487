#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "base/files/descriptor.h"
#include "base/result.h"
#include "checker/native/interface.h"
#include "checker/native/source.h"

namespace cmc::native {

// A model's native code in this process, most often a shared object. It may be used by several threads.
class Library {
 public:
  // Loads a shared object from a copy in memory, so that what is executed is what the caller has read and looked at.
  // Error: it is not whole, or was not made of this source. Most of these objects are refused before any of their
  // code runs; the rest, which have the name of the entry and the source's SHA-1 in them, when it was called.
  // REQUIRES: check_object(object).ok(). Whoever made the object decides what this process executes.
  [[nodiscard]] static Result<std::shared_ptr<const Library>> load(std::string_view object, const Source& source);
  // Code that is part of this program. Error: it was not made of this source.
  [[nodiscard]] static Result<std::shared_ptr<const Library>> linked(const CmcModel& model, const Source& source);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  [[nodiscard]] const CmcModel& model() const { return *model_; }

 private:
  explicit Library(Descriptor file, void* handle) : file_(std::move(file)), handle_(handle) {}

  Descriptor file_;  // of the copy; the loader knows the object by its number, so it stays open as long
  void* handle_;     // null: it is part of the program
  const CmcModel* model_ = nullptr;
};

}  // namespace cmc::native
