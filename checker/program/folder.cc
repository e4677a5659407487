#include "checker/program/folder.h"

#include <fmt/format.h>

#include "checker/program/file_texts.h"

namespace cmc::program {
namespace {

// As a string literal of C++, line by line: compilers limit the length of one.
std::string literal(const std::string& text) {
  std::string result = "\"";
  for (const char each : text) {
    if (each == '\n') {
      result += "\\n\"\n    \"";
    } else if (each == '"' || each == '\\') {
      result += {'\\', each};
    } else if (static_cast<unsigned char>(each) < ' ' || each == '\x7f') {
      result += fmt::format("\\{:03o}", static_cast<unsigned char>(each));
    } else {
      result += each;
    }
  }
  return result + "\"";
}

std::string model_text_source(const std::string& model, const std::vector<std::string>& external) {
  std::string names;
  for (const std::string& name : external) names += (names.empty() ? "" : ", ") + literal(name);
  return fmt::format(
      "#include \"model_text.h\"\n\n// Made by `cmc compile --program` of model.pml.\n\nstd::string model_text() {{\n"
      "  return {};\n}}\n\nstd::vector<std::string> external_channels() {{ return {{{}}}; }}\n",
      literal(model), names);
}

}  // namespace

std::vector<SourceFile> program_files(const std::string& model, const std::string& native_code,
                                      const std::vector<std::string>& external) {
  return {{"CMakeLists.txt", cmake_text()},
          {"main.cc", main_text()},
          {"model.pml", model},
          {"model.c", native_code},
          {"model_text.h", model_text_header()},
          {"model_text.cc", model_text_source(model, external)},
          {"world.h", world_header(), true},
          {"world.cc", world_text(), true}};
}

}  // namespace cmc::program
