#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "promela/text/source.h"

// Errors and warnings about a model, printed as clang does: file:line:column: error: text, the source line, a caret,
// then notes for the macro, inline and include stack.

namespace cmc::promela {

enum class Severity : uint8_t { kError, kWarning, kNote };

struct Diagnostic {
  Severity severity = Severity::kError;
  Location location;
  std::string message;
  std::vector<Diagnostic> notes;  // further notes, e.g. "declared here"
};

// Collects diagnostics. After kMaxErrors errors (100 warnings) further ones are counted only; parsers should then
// stop.
class Diagnostics {
 public:
  static constexpr size_t kMaxErrors = 20;

  explicit Diagnostics(const Sources& sources) : sources_(sources) {}

  void error(Location location, std::string message);
  void warning(Location location, std::string message);
  // Something worth knowing that is nobody's mistake. It is not counted.
  void remark(Location location, std::string message);
  // Attaches a note to the latest error, warning or remark.
  void note(Location location, std::string message);

  // For the end of an error about an unknown name: "; did you mean 'match'?" with the closest match, or nothing. Also
  // nothing when there are too many errors: nobody will see it, and it takes long to find.
  [[nodiscard]] std::string suggestion(std::string_view name, const std::vector<std::string_view>& candidates) const;

  [[nodiscard]] size_t error_count() const { return error_count_; }
  [[nodiscard]] bool too_many_errors() const { return error_count_ >= kMaxErrors; }
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }

  // All diagnostics and a closing "2 errors generated." line as text; with ANSI colours if `color`.
  [[nodiscard]] std::string render(bool color) const;

 private:
  const Sources& sources_;
  std::vector<Diagnostic> all_;
  size_t error_count_ = 0;
  size_t warning_count_ = 0;
  size_t remark_count_ = 0;
  bool latest_is_kept_ = false;
};

// Behind the last column of the word at a place, or of the one character that is there; in bytes, from 1.
[[nodiscard]] uint32_t end_column(const Sources& sources, const SourcePlace& place);
// The name that a diagnostic asks "did you mean ...?" for; empty: it asks for none. Valid as long as the diagnostic.
[[nodiscard]] std::string_view suggested_name(const Diagnostic& diagnostic);

// The candidate with the smallest edit distance to `name` if it is close enough to be a typing error, else empty.
[[nodiscard]] std::string_view closest_match(std::string_view name, const std::vector<std::string_view>& candidates);
// "; did you mean 'match'?" with that candidate, or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace cmc::promela
