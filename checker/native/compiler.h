#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace cmc::native {

// A C compiler: a program and its first arguments.
struct Compiler {
  std::vector<std::string> words;
  double most_seconds = 120;  // for one source; then it is killed
};

// $CC, divided at blanks, else cc.
[[nodiscard]] Compiler system_compiler();

// What tells objects of this compiler from those of others: its words, where the program is, its size and when it was
// changed, and the machine. Error: there is no such program.
[[nodiscard]] Result<std::string> identity_of(const Compiler& compiler);

// Compiles `source` to the shared object `object`, both files in `folder`, in which the compiler's own files are,
// too. Runs it in a process of its own, without a shell. `should_stop` is asked now and then; true kills it. Error:
// it failed, took too long, was stopped, or left no file.
[[nodiscard]] Status compile(const Compiler& compiler, const std::string& folder, const std::string& source,
                             const std::string& object, const std::function<bool()>& should_stop);

}  // namespace cmc::native
