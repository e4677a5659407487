#pragma once

#include <string>
#include <vector>

// The folder that `cmc compile --program` leaves: sources of a program that runs a model, with CMC's library.

namespace cmc::program {

struct SourceFile {
  std::string name;
  std::string text;
  bool is_users = false;  // written once; what is there stays
};

// `model`: plain Promela; `native_code`: its steps in C; `external`: names of its external channels.
[[nodiscard]] std::vector<SourceFile> program_files(const std::string& model, const std::string& native_code,
                                                    const std::vector<std::string>& external);

}  // namespace cmc::program
