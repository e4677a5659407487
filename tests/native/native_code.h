#pragma once

#include <memory>
#include <string>

#include "checker/native/library.h"
#include "ir/model.h"

namespace cmc::test {

// The native code of a model, compiled with tcc if there is one (it takes some milliseconds), else with $CC or cc.
// Null: there is no C compiler. The test fails if the compiler does.
[[nodiscard]] std::shared_ptr<const native::Library> native_code(const Model& model);

// The same with the system's compiler and what it optimises.
[[nodiscard]] std::shared_ptr<const native::Library> optimized_native_code(const Model& model);

}  // namespace cmc::test
