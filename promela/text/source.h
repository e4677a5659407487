#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ir/expression.h"

// The text of a model: its files, and where every piece of text came from.

namespace cmc::promela {

// How a token got to its place, for the notes under a diagnostic: a chain of expansions, innermost first.
// Id 0 is "written there directly, in the main file".
using ExpansionId = uint32_t;
struct Expansion {
  enum class Kind : uint8_t { kMacro, kInclude, kInline } kind = Kind::kMacro;
  std::string name;   // of the macro or inline; the path for an include
  SourcePlace place;  // what a note points at: the token in the macro's body, the #include line, the inline's call
  ExpansionId parent = 0;
};

// Text with a place: what diagnostics point at. For a token out of a macro, `place` is the outermost use of the
// macro; for a token of a macro's argument, it is where the argument is written. The rest of the way is in
// `expansion`.
struct Location {
  SourcePlace place;
  ExpansionId expansion = 0;
};

inline constexpr size_t kMaxFileBytes = size_t{64} << 20;  // of a model

// Owns file texts; they stay valid and unmoved for its lifetime. Not thread-safe.
class Sources {
 public:
  // From now on load() of that path, or of another way to write it, gives this text instead of the file's: an
  // editor's, whose file need not be there.
  void replace(const std::string& path, std::string text);
  // Reads a file. Errors: cannot be opened or read, is a directory, larger than kMaxFileBytes.
  [[nodiscard]] Result<uint32_t> load(const std::string& path);
  // From now on these are the only files that there are, whatever is on disk.
  void provide(std::string path, std::string text);
  [[nodiscard]] bool is_file(const std::string& path) const;
  // That does not wait for anybody; /dev/null counts.
  [[nodiscard]] bool is_regular_file(const std::string& path) const;
  // Adds a text that is not in a file: -D definitions, tests. Its lines end with LF, CR LF or CR.
  uint32_t add(std::string name, std::string text);

  [[nodiscard]] size_t file_count() const { return files_.size(); }
  [[nodiscard]] const std::string& name(uint32_t file) const { return files_[file].name; }
  // All lines end with LF.
  [[nodiscard]] std::string_view text(uint32_t file) const { return files_[file].text; }
  // Without the newline; empty if there is no such line.
  [[nodiscard]] std::string_view line(uint32_t file, uint32_t line) const;

  ExpansionId add_expansion(Expansion expansion);
  [[nodiscard]] const Expansion& expansion(ExpansionId id) const { return expansions_[id - 1]; }

 private:
  // Null: there is none.
  [[nodiscard]] const std::string* text_instead_of(const std::string& path) const;

  struct File {
    std::string name;
    std::string text;
    std::vector<size_t> line_starts;
  };
  std::deque<File> files_;
  std::deque<Expansion> expansions_;
  std::map<std::string, std::string> texts_;  // instead of files, by path: a normal one, unless they are all there is
  bool has_only_texts_ = false;
};

}  // namespace cmc::promela
