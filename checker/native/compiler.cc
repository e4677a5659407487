#include "checker/native/compiler.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/subprocess.h"

namespace cmc::native {

namespace {

namespace fs = std::filesystem;

constexpr double kSecondsBetweenQuestions = 0.02;
constexpr uintmax_t kMostObjectBytes = uintmax_t{256} << 20;

// Where the program is that would be started under this name; empty: nowhere.
std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + '/' + name;
    if (program_exists(candidate)) return candidate;
  }
  return "";
}

// The first line that the compiler wrote, if it wrote one.
std::string first_line(const std::string& file) {
  const Result<std::string> text = read_file(file);
  if (!text.ok()) return "";
  constexpr size_t kLongest = 300;
  std::string line = text.value().substr(0, std::min(text.value().find('\n'), kLongest));
  for (char& c : line) c = c < ' ' || c > '~' ? '?' : c;
  return line;
}

}  // namespace

Compiler system_compiler() {
  const char* const wanted = std::getenv("CC");
  std::istringstream text(wanted == nullptr ? "" : wanted);
  Compiler compiler;
  for (std::string word; text >> word;) compiler.words.push_back(word);
  if (compiler.words.empty()) compiler.words = {"cc"};
  return compiler;
}

Result<std::string> identity_of(const Compiler& compiler) {
  std::error_code error;
  const std::string path = find_program(compiler.words.front());
  const fs::path program = path.empty() ? fs::path() : fs::canonical(path, error);
  struct stat status {};
  if (path.empty() || error || ::stat(program.c_str(), &status) != 0) {
    return Error{fmt::format("there is no C compiler '{}'", compiler.words.front())};
  }
  utsname machine{};
  ::uname(&machine);
  std::string text = fmt::format("{} {} {}.{} {}", program.string(), status.st_size, status.st_mtim.tv_sec,
                                 status.st_mtim.tv_nsec, machine.machine);
  for (const std::string& word : compiler.words) text += ' ' + word;
  return text;
}

Status compile(const Compiler& compiler, const std::string& folder, const std::string& source,
               const std::string& object, const std::function<bool()>& should_stop) {
  const std::string messages = folder + "/messages";
  Subprocess::Command command;
  command.arguments = compiler.words;
  for (const char* option : {"-O1", "-fPIC", "-shared", "-w", "-o"}) command.arguments.emplace_back(option);
  command.arguments.push_back(object);
  command.arguments.push_back(source);
  command.output = command.error = messages;
  command.environment = {"TMPDIR=" + folder};
  command.own_group = true;
  const SystemClock clock;
  const double begin = clock.wall_seconds();
  CMC_TRY(Subprocess process, Subprocess::start(command));
  const std::string& name = compiler.words.front();
  while (!process.wait(kSecondsBetweenQuestions)) {
    if (should_stop()) return Error{fmt::format("'{}' was stopped", name)};
    if (clock.wall_seconds() - begin > compiler.most_seconds) {
      return Error{fmt::format("'{}' took longer than {:.0f} s", name, compiler.most_seconds)};
    }
  }
  if (process.end().signal != 0) return Error{fmt::format("'{}' died: {}", name, signal_text(process.end().signal))};
  if (process.end().exit_code != 0) {
    return Error{
        fmt::format("'{}' failed with exit code {}: {}", name, process.end().exit_code, first_line(messages))};
  }
  std::error_code error;
  if (!fs::is_regular_file(object, error)) return Error{fmt::format("'{}' made no file", name)};
  if (fs::file_size(object, error) > kMostObjectBytes) return Error{fmt::format("'{}' made too large a file", name)};
  fs::remove(messages, error);
  return Success{};
}

}  // namespace cmc::native
