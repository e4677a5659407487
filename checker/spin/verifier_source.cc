#include "checker/spin/verifier_source.h"

#include <fmt/format.h>

namespace cmc::spin {
namespace {

// Switches that change what a verifier does or says; all others have no effect.
constexpr const char* kFlags[] = {"NOREDUCE", "BFS", "NOCLAIM", "NP", "SAFETY", "BITSTATE", "HC", "COLLAPSE"};
constexpr const char* kNumbers[] = {"MEMLIM", "NCORE", "MA"};

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == '?') {
      result += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace

std::string verifier_source(const std::string& program, const SpinArguments& arguments) {
  std::string text =
      "/* Written by `cmc spin -a`. It hands the switches that it is compiled with, and its arguments, to cmc, "
      "which\n"
      "   verifies the model as SPIN's pan does. */\n"
      "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\n"
      "#define TEXT(x) #x\n#define VALUE(x) TEXT(x)\n\n"
      "int main(int argc, char **argv)\n{\n"
      "  static char *fixed[] = {\n";
  text += fmt::format("    {}, \"spin\",\n", quoted(program));
  for (const std::string& each : arguments.preprocessor) text += fmt::format("    {},\n", quoted(each));
  if (arguments.escapes_like_java) text += "    \"-J\",\n";
  text += "    \"-run\",\n";
  for (const char* const flag : kFlags) text += fmt::format("#ifdef {0}\n    \"-D{0}\",\n#endif\n", flag);
  for (const char* const number : kNumbers) {
    text += fmt::format("#ifdef {0}\n    \"-D{0}=\" VALUE({0}),\n#endif\n", number);
  }
  text += fmt::format(
      "  }};\n"
      "  const int count = sizeof fixed / sizeof fixed[0];\n"
      "  char **all = malloc((count + argc + 2) * sizeof *all);\n"
      "  int i, n = 0;\n"
      "  if (!all) return 1;\n"
      "  for (i = 0; i < count; i++) all[n++] = fixed[i];\n"
      "  for (i = 1; i < argc; i++) all[n++] = argv[i];\n"
      "  all[n++] = {};\n"
      "  all[n] = 0;\n"
      "  execv(all[0], all);\n"
      "  perror(all[0]);\n"
      "  return 1;\n"
      "}}\n",
      quoted(arguments.model));
  return text;
}

}  // namespace cmc::spin
