#include "checker/spin/verifier_source.h"

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "checker/report/style/style.h"

namespace cmc::spin {
namespace {

// Switches that change what a verifier does or says; all others have no effect.
constexpr const char* kFlags[] = {"NOREDUCE", "BFS", "NOCLAIM", "NP", "SAFETY", "BITSTATE", "HC", "COLLAPSE"};
constexpr const char* kNumbers[] = {"MEMLIM", "NCORE", "MA"};

// Where the verifier finds a file from another folder.
std::string absolute(const std::string& file) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(file, error);
  return error ? file : path.string();
}

std::string in_quotes(const std::string& text) {
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

// What comes between the program and the verifier's own arguments.
std::vector<std::string> fixed_arguments(const SpinArguments& arguments) {
  std::vector<std::string> fixed = {"spin"};
  fixed.insert(fixed.end(), arguments.preprocessor.begin(), arguments.preprocessor.end());
  if (arguments.escapes_like_java) fixed.emplace_back("-J");
  if (!arguments.claim_file.empty()) fixed.insert(fixed.end(), {"-N", absolute(arguments.claim_file)});
  if (!arguments.formula.empty()) fixed.insert(fixed.end(), {"-f", arguments.formula});
  fixed.insert(fixed.end(), {"-run", std::string(kCompiledFlag)});
  return fixed;
}

}  // namespace

std::string verifier_script(const std::string& program, const SpinArguments& arguments) {
  std::string line = shell_quote(program);
  for (const std::string& each : fixed_arguments(arguments)) line += " " + shell_quote(each);
  const VerifierArguments& verifier = arguments.verifier;
  if (!verifier.reduces) line += " -DNOREDUCE";
  if (verifier.breadth_first) line += " -DBFS";
  if (verifier.without_claim) line += " -DNOCLAIM";
  if (verifier.safety_only) line += " -DSAFETY";
  if (verifier.non_progress) line += " -DNP";
  return "#!/bin/sh\n# Written by `cmc spin -run`: verifies the model as SPIN's pan does.\nexec " + line +
         " \"$@\" " + shell_quote(absolute(arguments.model)) + "\n";
}

std::string verifier_source(const std::string& program, const SpinArguments& arguments) {
  std::string text =
      "/* Written by `cmc spin -a`. It hands the switches that it is compiled with, and its arguments, to cmc, "
      "which\n"
      "   verifies the model as SPIN's pan does. */\n"
      "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\n"
      "#define TEXT(x) #x\n#define VALUE(x) TEXT(x)\n\n"
      "int main(int argc, char **argv)\n{\n"
      "  static char *fixed[] = {\n";
  text += fmt::format("    {},\n", in_quotes(program));
  for (const std::string& each : fixed_arguments(arguments)) text += fmt::format("    {},\n", in_quotes(each));
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
      "  all[n++] = access({0}, R_OK) == 0 ? {0} : {1};\n"
      "  all[n] = 0;\n"
      "  execv(all[0], all);\n"
      "  perror(all[0]);\n"
      "  return 1;\n"
      "}}\n",
      in_quotes(arguments.model), in_quotes(absolute(arguments.model)));
  return text;
}

}  // namespace cmc::spin
