// cmc-texts FOLDER: writes manual pages (man1/) and completions into the folder, for `cmake --install`.

#include <cstdio>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "base/files/file.h"
#include "checker/cli/options/texts.h"

namespace {

bool write(const std::string& path, const std::string& text) {
  const cmc::Status written = cmc::write_file_atomically(path, text);
  if (!written.ok()) std::fprintf(stderr, "cmc-texts: %s\n", written.error().c_str());
  return written.ok();
}

bool write_all(const std::string& folder) {
  for (const cmc::CommandRow& command : cmc::command_table()) {
    if (!write(fmt::format("{}/man1/cmc-{}.1", folder, command.name), cmc::man_page(command))) return false;
  }
  return write(folder + "/man1/cmc.1", cmc::man_page()) && write(folder + "/man1/cmc-spin.1", cmc::spin_man_page()) &&
         write(folder + "/cmc.bash", cmc::bash_completion()) && write(folder + "/_cmc", cmc::zsh_completion()) &&
         write(folder + "/cmc.fish", cmc::fish_completion());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("cmc-texts: one argument, the folder to write into\n", stderr);
    return 2;
  }
  std::error_code error;
  std::filesystem::create_directories(std::string(argv[1]) + "/man1", error);
  if (error) std::fprintf(stderr, "cmc-texts: cannot make '%s': %s\n", argv[1], error.message().c_str());
  return !error && write_all(argv[1]) ? 0 : 2;
}
