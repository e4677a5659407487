#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "promela/preprocessor/preprocessor.h"
#include "promela/text/diagnostic.h"
#include "promela/text/source.h"

// Promela's tokens. Words that depend on declarations (mtype constants, type, proctype and inline names) are plain
// kName here; the parser tells them apart.

namespace cmc::promela {

enum class Tok : uint8_t {
  kEnd,
  kName,
  kNumber,   // value; also character constants
  kString,   // text with quotes
  kKeyword,  // keyword
  // punctuation
  kLeftParen,
  kRightParen,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kComma,
  kSemicolon,
  kArrow,
  kColon,
  kDoubleColon,
  kDot,
  kDotDot,
  kAt,
  kHash,
  kDollar,
  kAssign,
  kPlusPlus,
  kMinusMinus,
  kBang,
  kBangBang,
  kQuestion,
  kQuestionQuestion,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
  kAmpersand,
  kPipe,
  kCaret,
  kTilde,
  kAndAnd,
  kOrOr,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kShiftLeft,
  kShiftRight,
  kUnknown,  // a character that Promela does not have (an error was reported)
};

enum class Keyword : uint8_t {
  kActive,
  kAssert,
  kAtomic,
  kBit,
  kBool,
  kBreak,
  kByte,
  kCCode,
  kCDecl,
  kCExpr,
  kCState,
  kCTrack,
  kDProctype,
  kDo,
  kChan,
  kElse,
  kEmpty,
  kEnabled,
  kEval,
  kFalse,
  kFi,
  kFor,
  kFull,
  kGetPriority,
  kGoto,
  kHidden,
  kIf,
  kIn,
  kInit,
  kInline,
  kInt,
  kLen,
  kLocal,
  kLtl,
  kMtype,
  kNempty,
  kNever,
  kNfull,
  kNotrace,
  kNp,
  kOd,
  kOf,
  kPcValue,
  kPid,
  kPrintf,
  kPrintm,
  kPriority,
  kProctype,
  kProvided,
  kReturn,
  kRun,
  kDStep,
  kSelect,
  kSetPriority,
  kShort,
  kSkip,
  kTimeout,
  kTrace,
  kTrue,
  kShow,
  kTypedef,
  kUnless,
  kUnsigned,
  kXr,
  kXs,
};

struct Token {
  Tok kind = Tok::kEnd;
  Keyword keyword = Keyword::kActive;
  bool starts_line = false;  // for SPIN 6's implied semicolons
  bool space_before = false;
  bool joined = false;    // directly behind the previous token
  int32_t value = 0;      // kNumber
  std::string_view text;  // as written (a number: its digits)
  Location location;
};

// Turns preprocessing tokens into Promela's: joins punctuation greedily (`!!`, `->`, `..`; as in SPIN's lexer `-->`
// is an arrow, `!!=` is `!=`), splits C's pp-numbers
// (`1..N`), resolves character constants and keywords. Numbers are decimal, as SPIN reads them: `0x1F` is 0 followed
// by the name x1F; a value beyond 32 bits is reported as a warning and wraps like SPIN's (int)strtol. Ends with one
// kEnd token.
[[nodiscard]] std::vector<Token> tokenize(const std::vector<PpToken>& input, Diagnostics& diagnostics,
                                          std::deque<std::string>& arena);

[[nodiscard]] std::string_view spelling(Keyword keyword);
[[nodiscard]] std::string_view spelling(Tok kind);  // of punctuation; a description otherwise

}  // namespace cmc::promela
