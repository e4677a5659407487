#pragma once

#include <string>

namespace cmc::program {

// The texts of the files in checker/program/files. CMake makes the file that defines them.
[[nodiscard]] std::string cmake_text();
[[nodiscard]] std::string main_text();
[[nodiscard]] std::string model_text_header();
[[nodiscard]] std::string world_header();
[[nodiscard]] std::string world_text();

}  // namespace cmc::program
