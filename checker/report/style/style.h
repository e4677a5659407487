#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

// How text looks on a terminal: colours that mean something, and numbers and names as people read them.

namespace cmc {

enum class Tone : uint8_t { kGood, kBad, kDoubtful, kStrong, kFaint, kProcess, kPlace };

// Paints text with ANSI colours, or leaves it alone.
class Palette {
 public:
  explicit Palette(bool enabled) : enabled_(enabled) {}
  [[nodiscard]] bool enabled() const { return enabled_; }
  [[nodiscard]] std::string paint(Tone tone, std::string_view text) const;
  // Each process has a colour of its own, as long as they last.
  [[nodiscard]] std::string paint_process(uint32_t pid, std::string_view text) const;

 private:
  bool enabled_;
};

[[nodiscard]] std::string format_seconds(double seconds);  // 0.012 s, 3.4 s, 2 min 5 s, 3 h 12 min

// Replaces control characters, so that a text from a model or a trail cannot drive the terminal.
[[nodiscard]] std::string printable(std::string_view text);

// Fills up with blanks to `width` characters (not bytes: UTF-8 sequences count once).
[[nodiscard]] std::string pad_right(std::string_view text, size_t width);
[[nodiscard]] size_t display_width(std::string_view text);

// Each such character becomes the text `by`.
[[nodiscard]] std::string replaced(std::string_view text, char character, std::string_view by);

// What stands in a format for a character that has a meaning there.
struct Escape {
  char character;
  std::string_view text;
};
// Other control characters become `control`.
[[nodiscard]] std::string escaped(std::string_view text, std::span<const Escape> escapes, std::string_view control);

// Models are written in any encoding: what is no UTF-8 becomes U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

// The text as one word for a shell, whatever it is: in single quotes.
[[nodiscard]] std::string shell_quote(std::string_view text);

// The text as one value of a CSV file (RFC 4180): in quotes if it needs them.
[[nodiscard]] std::string csv_cell(std::string_view text);
// The same, in quotes in any case.
[[nodiscard]] std::string csv_quote(std::string_view text);

// At most `most` characters: "a_long_na...e[0]". What is at the end tells names apart, so the middle goes.
[[nodiscard]] std::string cut_in_middle(std::string_view text, size_t most);

// "cmc 0.2.0 check -DN=3 'a model'": a command line as a shell takes it.
[[nodiscard]] std::string command_text(std::string_view version, const std::vector<std::string>& arguments);

// Lines of at most `width` characters (0: no limit), divided after separators and blanks where there are some.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, size_t width);

}  // namespace cmc
