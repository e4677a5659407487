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

// Each with its name and how it is written; from these tables follow the enumerations, the lexer and spelling().
#define CMC_PUNCTUATION(X)                                                                                           \
  X(kLeftParen, "("), X(kRightParen, ")"), X(kLeftBracket, "["), X(kRightBracket, "]"), X(kLeftBrace, "{"),          \
      X(kRightBrace, "}"), X(kComma, ","), X(kSemicolon, ";"), X(kArrow, "->"), X(kColon, ":"),                      \
      X(kDoubleColon, "::"), X(kDot, "."), X(kDotDot, ".."), X(kAt, "@"), X(kHash, "#"), X(kDollar, "$"),            \
      X(kAssign, "="), X(kPlusPlus, "++"), X(kMinusMinus, "--"), X(kBang, "!"), X(kBangBang, "!!"),                  \
      X(kQuestion, "?"), X(kQuestionQuestion, "??"), X(kPlus, "+"), X(kMinus, "-"), X(kStar, "*"), X(kSlash, "/"),   \
      X(kPercent, "%"), X(kAmpersand, "&"), X(kPipe, "|"), X(kCaret, "^"), X(kTilde, "~"), X(kAndAnd, "&&"),         \
      X(kOrOr, "||"), X(kLess, "<"), X(kLessEqual, "<="), X(kGreater, ">"), X(kGreaterEqual, ">="), X(kEqual, "=="), \
      X(kNotEqual, "!="), X(kShiftLeft, "<<"), X(kShiftRight, ">>")

#define CMC_KEYWORDS(X)                                                                                              \
  X(kActive, "active"), X(kAssert, "assert"), X(kAtomic, "atomic"), X(kBit, "bit"), X(kBool, "bool"),                \
      X(kBreak, "break"), X(kByte, "byte"), X(kCCode, "c_code"), X(kCDecl, "c_decl"), X(kCExpr, "c_expr"),           \
      X(kCState, "c_state"), X(kCTrack, "c_track"), X(kDProctype, "D_proctype"), X(kDo, "do"), X(kChan, "chan"),     \
      X(kElse, "else"), X(kEmpty, "empty"), X(kEnabled, "enabled"), X(kEval, "eval"), X(kFalse, "false"),            \
      X(kFi, "fi"), X(kFor, "for"), X(kFull, "full"), X(kGetPriority, "get_priority"), X(kGoto, "goto"),             \
      X(kHidden, "hidden"), X(kIf, "if"), X(kIn, "in"), X(kInit, "init"), X(kInline, "inline"), X(kInt, "int"),      \
      X(kLen, "len"), X(kLocal, "local"), X(kLtl, "ltl"), X(kMtype, "mtype"), X(kNempty, "nempty"),                  \
      X(kNever, "never"), X(kNfull, "nfull"), X(kNotrace, "notrace"), X(kNp, "np_"), X(kOd, "od"), X(kOf, "of"),     \
      X(kPcValue, "pc_value"), X(kPid, "pid"), X(kPrintf, "printf"), X(kPrintm, "printm"), X(kPriority, "priority"), \
      X(kProctype, "proctype"), X(kProvided, "provided"), X(kReturn, "return"), X(kRun, "run"), X(kDStep, "d_step"), \
      X(kSelect, "select"), X(kSetPriority, "set_priority"), X(kShort, "short"), X(kSkip, "skip"),                   \
      X(kTimeout, "timeout"), X(kTrace, "trace"), X(kTrue, "true"), X(kShow, "show"), X(kTypedef, "typedef"),        \
      X(kUnless, "unless"), X(kUnsigned, "unsigned"), X(kXr, "xr"), X(kXs, "xs")

#define CMC_NAME(name, text) name
enum class Tok : uint8_t {
  kEnd,
  kName,
  kNumber,   // value; also character constants
  kString,   // text with quotes
  kKeyword,  // keyword
  kUnknown,  // a character that Promela does not have (an error was reported)
  CMC_PUNCTUATION(CMC_NAME)
};
enum class Keyword : uint8_t { CMC_KEYWORDS(CMC_NAME) };
#undef CMC_NAME

struct Token {
  Tok kind = Tok::kEnd;
  Keyword keyword = Keyword::kActive;
  bool starts_line = false;  // for SPIN 6's implied semicolons
  bool space_before = false;
  bool joined = false;    // directly behind the previous token
  int32_t value = 0;      // kNumber
  std::string_view text;  // as written (a number: its digits)
  Location location;
  // Of an inline's argument: the parameter in the inline's body that it stands for; line 0: it is none.
  SourcePlace parameter = {};

  // Where the text that has it reads on: of an argument, in the body of the inline.
  [[nodiscard]] Location written() const { return parameter.line == 0 ? location : Location{parameter, 0}; }
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
