#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "checker/cli/options/options.h"

// The files that a command writes, as the command line names them. A mistake about them is told before anything is
// read or written.

namespace cmc {

struct OutputFile {
  const char* option;
  std::string path;
};

// Without those that are not wanted, or that are standard output.
[[nodiscard]] std::vector<OutputFile> output_files(const Options& options);

// Whether all of them can be written and are different files; changes nothing.
[[nodiscard]] Status check_outputs(const Options& options);

// Whether none of them is among the files that the command reads.
[[nodiscard]] Status check_outputs_against(const Options& options, std::span<const std::string> inputs);

// "bug.trail", "bug-2.trail", "bug-3.trail": of several files that one option asks for, from 1.
[[nodiscard]] std::string numbered_file(const std::string& path, size_t number);

// A pipe, a device, what is open already (/dev/stdout): nothing that an earlier run left.
[[nodiscard]] bool is_special_file(const std::string& path);

// A symbolic link stays. It is no error if there is no such file.
void remove_output(const std::string& path);

}  // namespace cmc
