#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "promela/text/source.h"

// The preprocessor's internal data: C's preprocessing tokens and macros.

namespace cmc::promela {

struct CToken {
  enum class Kind : uint8_t {
    kIdentifier,
    kNumber,
    kCharacter,   // with quotes; without the closing one if it is missing
    kString,      // likewise
    kPunctuator,  // C's longest: `->`, `<<=`, `...`
    kOther,       // a character that C does not know
    kPadding,     // no text: marks where gcc considers a space to keep tokens apart
    kEnd,         // of the line in a directive, of an argument, of the text
  };
  // Padding: the whitespace before which token decides about the space; kNone: that before the next token.
  enum class Space : uint8_t { kNone, kNo, kYes };

  Kind kind = Kind::kEnd;
  Space padding = Space::kNone;
  bool space_before = false;
  bool starts_line = false;  // in its file
  bool no_expand = false;    // the name of a macro found inside its own expansion: never expanded again
  bool paste_left = false;   // ## follows
  bool stringify = false;    // a parameter with # before
  uint32_t parameter = 0;    // in a macro's body: number of the parameter, from 1; 0: none
  uint32_t line = 0;         // as #line counts; of the outermost macro's use. Decides where gcc -E breaks lines
  std::string_view text;
  Location location;

  [[nodiscard]] bool is(std::string_view punctuator) const { return kind == Kind::kPunctuator && text == punctuator; }
  [[nodiscard]] bool is_name(std::string_view name) const { return kind == Kind::kIdentifier && text == name; }
};

struct Macro {
  enum class Builtin : uint8_t { kNone, kLine, kFile, kBaseFile, kCounter, kIncludeLevel };

  std::string_view name;
  Location location;
  Builtin builtin = Builtin::kNone;
  bool function_like = false;
  bool variadic = false;
  bool disabled = false;  // being expanded
  std::vector<std::string_view> parameters;
  std::vector<CToken> body;
};

}  // namespace cmc::promela
