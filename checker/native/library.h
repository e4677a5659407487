#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "checker/native/interface.h"
#include "checker/native/source.h"

namespace cmc::native {

// A model's native code in this process, most often a shared object. It may be used by several threads.
class Library {
 public:
  // Loads the object in this file. Error: it is none, it is damaged, or it was not made of this source. Whoever can
  // write to the file decides what this process executes.
  [[nodiscard]] static Result<std::shared_ptr<const Library>> load(const std::string& path, const Source& source);
  // Code that is part of this program. Error: it was not made of this source.
  [[nodiscard]] static Result<std::shared_ptr<const Library>> linked(const CmcModel& model, const Source& source);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  [[nodiscard]] const CmcModel& model() const { return *model_; }

 private:
  explicit Library(void* handle) : handle_(handle) {}

  void* handle_;  // null: it is part of the program
  const CmcModel* model_ = nullptr;
};

}  // namespace cmc::native
