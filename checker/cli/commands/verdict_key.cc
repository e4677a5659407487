#include "checker/cli/commands/verdict_key.h"

#include <deque>

#include <fmt/format.h>

#include "base/files/file.h"
#include "base/sha1.h"
#include "checker/cli/commands/child_check.h"
#include "checker/report/style/version.h"
#include "promela/preprocessor/preprocessor.h"

namespace cmc {
namespace {

// Everything that the parser sees of the tokens but their places. A length in front of each text, so that no two
// sequences of tokens look the same.
void append(const std::vector<promela::PpToken>& tokens, std::string& text) {
  for (const promela::PpToken& token : tokens) {
    text += fmt::format("{}{}{}{} {}:{}\n", static_cast<int>(token.kind), token.starts_line ? 'l' : '-',
                        token.space_before ? 's' : '-', token.joined ? 'j' : '-', token.text.size(), token.text);
  }
  text += "end\n";
}

// Developers change the program more often than its version.
std::string hash_of_program() {
  const Result<std::string> bytes = read_file(own_program());
  return bytes.ok() ? sha1_hex(bytes.value()) : "";
}

}  // namespace

ReadText read_text(const Options& check) {
  ReadText read;
  promela::Sources sources;
  const Result<uint32_t> main_file = sources.load(check.model);
  if (!main_file.ok()) return read;
  std::vector<uint32_t> formulas;
  for (const std::string& formula : check.reading.formulas) formulas.push_back(sources.add("--ltl", formula));
  promela::Diagnostics diagnostics(sources);
  std::deque<std::string> arena;
  const promela::Preprocessed text =
      promela::preprocess(sources, main_file.value(), formulas, check.reading.preprocessor, diagnostics, arena);
  for (uint32_t file = 0; file < sources.file_count(); ++file) read.files.push_back(sources.name(file));
  if (diagnostics.error_count() > 0) return read;
  std::string all = fmt::format("{}\n", static_cast<int>(text.dialect));
  append(text.main, all);
  for (const std::vector<promela::PpToken>& formula : text.appended) append(formula, all);
  read.hash = sha1_hex(all);
  return read;
}

std::string verdict_key(const std::string& text_hash, const std::vector<std::string>& arguments) {
  static const std::string program = hash_of_program();
  std::string text = fmt::format("cmc.verdict/1\n{}\n{}\n{}\n", kVersion, program, text_hash);
  for (const std::string& argument : arguments) text += fmt::format("{}:{}\n", argument.size(), argument);
  return sha1_hex(text);
}

}  // namespace cmc
