#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "promela/text/diagnostic.h"
#include "promela/text/source.h"

// The C preprocessor as SPIN uses it (`gcc -E -x c`), without a process: #define (object- and function-like, #, ##,
// variadic), #undef, #include, #if/#ifdef/#ifndef/#elif/#else/#endif with `defined`, #error, #warning, #line, #pragma
// and #ident (ignored), comments, line splices, -D, -U and -I. Works on C's preprocessing tokens, so that quirks
// agree: in `1..N` the N is part of a pp-number and is not expanded.

namespace cmc::promela {

// A preprocessing token after macro expansion.
struct PpToken {
  enum class Kind : uint8_t {
    kIdentifier,
    kNumber,       // C's pp-number: 1, 0x1F, 1..N
    kCharacter,    // '...' with quotes
    kString,       // "..." with quotes
    kPunctuation,  // one character; the lexer joins `joined` ones
    kEnd,
  } kind = Kind::kEnd;
  std::string_view text;  // owned by Sources or the preprocessor's result
  Location location;
  bool starts_line = false;  // gcc -E would print it as the first token of an output line
  bool space_before = false;
  bool joined = false;  // follows the previous token with nothing between, neither in the text nor by expansion
};

// Promela/S has solver guards (exists, choose, least). A text is written in it if it, or -D, defines the macro
// PROMELA_S as anything but 0; in plain Promela these words are ordinary names.
enum class Dialect : uint8_t { kPromela, kPromelaS };

struct PreprocessorOptions {
  struct Command {
    bool undefine = false;
    std::string text;  // "NAME", "NAME=VALUE", "NAME(a)=body" as after -D; a name as after -U
  };
  std::vector<Command> commands;
  std::vector<std::string> include_directories;
};

// Preprocesses file `main` of `sources` (includes are loaded into it). Errors go to `diagnostics`. After an error the
// result holds the rest of the text; if an included file cannot be read, only the text before the #include. Limits:
// include depth 64, expansion 10 million tokens, nesting of arguments 1,000. `arena` owns the texts of tokens made by
// # and ##; it must outlive the result. If `dialect` is not null, it is set to the dialect of the text.
[[nodiscard]] std::vector<PpToken> preprocess(Sources& sources, uint32_t main, const PreprocessorOptions& options,
                                              Diagnostics& diagnostics, std::deque<std::string>& arena,
                                              Dialect* dialect = nullptr);

// A text and what is read behind it, with its macros in force: files of `sources`, each with a result of its own.
struct Preprocessed {
  std::vector<PpToken> main;
  std::vector<std::vector<PpToken>> appended;
  Dialect dialect = Dialect::kPromela;  // of the main text
};
[[nodiscard]] Preprocessed preprocess(Sources& sources, uint32_t main, std::span<const uint32_t> appended,
                                      const PreprocessorOptions& options, Diagnostics& diagnostics,
                                      std::deque<std::string>& arena);

}  // namespace cmc::promela
