#include "promela/preprocessor/pp_expression.h"

#include <array>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace cmc::promela {
namespace {

constexpr int kMaxDepth = 500;

struct Value {
  uint64_t bits = 0;
  bool is_unsigned = false;

  [[nodiscard]] int64_t as_signed() const { return static_cast<int64_t>(bits); }
  [[nodiscard]] bool is_true() const { return bits != 0; }
};

Value truth(bool value) { return {value ? 1u : 0u, false}; }

struct BinaryOperator {
  std::string_view text;
  int precedence;  // higher binds tighter
};

constexpr int kCommaPrecedence = 1;
constexpr int kConditionalPrecedence = 2;
constexpr int kOrPrecedence = 3;
constexpr int kAndPrecedence = 4;
constexpr std::array<BinaryOperator, 18> kBinary = {{{"||", kOrPrecedence},
                                                     {"&&", kAndPrecedence},
                                                     {"|", 5},
                                                     {"^", 6},
                                                     {"&", 7},
                                                     {"==", 8},
                                                     {"!=", 8},
                                                     {"<", 9},
                                                     {"<=", 9},
                                                     {">", 9},
                                                     {">=", 9},
                                                     {"<<", 10},
                                                     {">>", 10},
                                                     {"+", 11},
                                                     {"-", 11},
                                                     {"*", 12},
                                                     {"/", 12},
                                                     {"%", 12}}};

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

// Precedence climbing. After the first error every function returns at once with any value.
class Evaluator {
 public:
  Evaluator(const std::vector<CToken>& tokens, Location where, Diagnostics& diagnostics)
      : tokens_(tokens), where_(where), diagnostics_(diagnostics) {}

  bool run() {
    if (tokens_.empty()) {
      fail(where_, "condition without an expression");
      return false;
    }
    const Value value = expression(kCommaPrecedence, true);
    if (!failed_ && position_ < tokens_.size()) {
      const CToken& token = tokens_[position_];
      if (token.is(")")) {
        fail(token.location, "')' without a '(' in a preprocessor expression");
      } else if (token.kind == CToken::Kind::kPunctuator || token.kind == CToken::Kind::kOther) {
        fail(token.location, fmt::format("'{}' is not allowed in a preprocessor expression", token.text));
      } else {
        fail(token.location, fmt::format("missing binary operator before '{}'", token.text));
      }
    }
    return !failed_ && value.is_true();
  }

 private:
  void fail(Location at, std::string message) {
    if (!failed_) diagnostics_.error(at, std::move(message));
    failed_ = true;
  }

  [[nodiscard]] const CToken* peek() const { return position_ < tokens_.size() ? &tokens_[position_] : nullptr; }
  bool accept(std::string_view punctuator) {
    if (failed_ || peek() == nullptr || !peek()->is(punctuator)) return false;
    ++position_;
    return true;
  }

  // `live`: false in the branch of ?:, && or || that C does not evaluate; there a division by 0 is no error.
  Value expression(int precedence, bool live) {
    Value left = unary(live);
    while (!failed_ && peek() != nullptr && peek()->kind == CToken::Kind::kPunctuator) {
      const CToken& token = *peek();
      if (token.text == "," && precedence <= kCommaPrecedence) {
        ++position_;
        left = expression(kCommaPrecedence + 1, live);
      } else if (token.text == "?" && precedence <= kConditionalPrecedence) {
        ++position_;
        left = conditional(left, live);
      } else {
        const BinaryOperator* const binary = find_binary(token.text);
        if (binary == nullptr || binary->precedence < precedence) break;
        ++position_;
        const bool decided = (binary->precedence == kOrPrecedence && left.is_true()) ||
                             (binary->precedence == kAndPrecedence && !left.is_true());
        const Value right = expression(binary->precedence + 1, live && !decided);
        left = apply(token, left, right, live);
      }
    }
    return left;
  }

  Value conditional(Value condition, bool live) {
    if (!enter()) return {};
    Value yes = expression(kCommaPrecedence, live && condition.is_true());
    if (!accept(":")) fail(peek() != nullptr ? peek()->location : where_, "'?' without its ':'");
    Value no = expression(kConditionalPrecedence, live && !condition.is_true());
    yes.is_unsigned = no.is_unsigned = yes.is_unsigned || no.is_unsigned;
    --depth_;
    return condition.is_true() ? yes : no;
  }

  bool enter() {
    if (++depth_ > kMaxDepth)
      fail(peek() != nullptr ? peek()->location : where_, "preprocessor expression nested too deeply");
    return !failed_;
  }

  Value unary(bool live) {
    if (failed_ || !enter()) return {};
    const Value value = unary_operand(live);
    --depth_;
    return value;
  }

  Value unary_operand(bool live) {
    if (accept("+")) return unary(live);
    if (accept("-")) {
      const Value value = unary(live);
      return {0 - value.bits, value.is_unsigned};
    }
    if (accept("~")) {
      const Value value = unary(live);
      return {~value.bits, value.is_unsigned};
    }
    if (accept("!")) return truth(!unary(live).is_true());
    if (accept("(")) {
      const Value value = expression(kCommaPrecedence, live);
      if (!accept(")"))
        fail(peek() != nullptr ? peek()->location : where_, "missing ')' in a preprocessor expression");
      return value;
    }
    return primary();
  }

  Value primary() {
    const CToken* const token = peek();
    if (token == nullptr) {
      fail(where_, "the preprocessor expression ends where an operand is expected");
      return {};
    }
    ++position_;
    switch (token->kind) {
      case CToken::Kind::kNumber: return number(*token);
      case CToken::Kind::kCharacter: return character(*token);
      case CToken::Kind::kIdentifier:
        if (peek() != nullptr && peek()->is("(")) {
          fail(token->location, fmt::format("'{}' is not a function-like macro", token->text));
        }
        return {};
      default: break;
    }
    fail(token->location, fmt::format("'{}' is not an operand of a preprocessor expression", token->text));
    return {};
  }

  Value number(const CToken& token) {
    std::string_view digits = token.text;
    unsigned base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
      base = 16;
    } else if (digits.starts_with("0b") || digits.starts_with("0B")) {
      base = 2;
    } else if (digits.starts_with("0")) {
      base = 8;
    }
    if (base == 16 || base == 2) digits.remove_prefix(2);
    size_t count = 0;
    Value value;
    bool too_large = false;
    while (count < digits.size() && static_cast<unsigned>(digit_value(digits[count])) < base) {
      const uint64_t digit = static_cast<uint64_t>(digit_value(digits[count++]));
      too_large = too_large || value.bits > (std::numeric_limits<uint64_t>::max() - digit) / base;
      value.bits = value.bits * base + digit;
    }
    const std::optional<bool> is_unsigned = suffix(digits.substr(count));
    if (count == 0 || !is_unsigned) {
      fail(token.location, fmt::format("'{}' is not an integer", token.text));
      return {};
    }
    if (too_large) diagnostics_.warning(token.location, "integer constant is too large for 64 bits");
    value.is_unsigned = *is_unsigned || value.as_signed() < 0;
    return value;
  }

  // Of an integer, u and l or ll in any order: whether it has the u; empty if it is none.
  static std::optional<bool> suffix(std::string_view text) {
    constexpr std::array<std::string_view, 5> kSigned = {"", "l", "L", "ll", "LL"};
    const size_t letter = text.find_first_of("uU");
    std::string_view rest = text;
    if (letter == 0) rest.remove_prefix(1);
    if (letter != std::string_view::npos && letter != 0 && letter + 1 == text.size()) rest.remove_suffix(1);
    for (const std::string_view length : kSigned) {
      if (rest == length) return letter != std::string_view::npos;
    }
    return std::nullopt;
  }

  // As gcc: several characters count 256 to the power, in 32 bits; a single one is a signed char.
  Value character(const CToken& token) {
    std::string_view text = token.text;
    if (text.size() < 3 || !text.ends_with('\'')) {
      fail(token.location, "malformed character constant");
      return {};
    }
    text.remove_prefix(1);
    text.remove_suffix(1);
    uint32_t value = 0;
    size_t count = 0;
    for (; !text.empty(); ++count) value = (value << 8) | (next_character(text) & 0xff);
    const int32_t result = count == 1 ? static_cast<int8_t>(value) : static_cast<int32_t>(value);
    return {static_cast<uint64_t>(static_cast<int64_t>(result)), false};
  }

  static uint32_t next_character(std::string_view& text) {
    const char c = text[0];
    text.remove_prefix(1);
    if (c != '\\' || text.empty()) return static_cast<unsigned char>(c);
    const char escape = text[0];
    text.remove_prefix(1);
    uint32_t value = 0;
    if (escape == 'x') {
      for (; !text.empty() && digit_value(text[0]) < 16; text.remove_prefix(1)) {
        value = value * 16 + static_cast<uint32_t>(digit_value(text[0]));
      }
      return value;
    }
    if (digit_value(escape) < 8) {
      value = static_cast<uint32_t>(digit_value(escape));
      for (int i = 0; i < 2 && !text.empty() && digit_value(text[0]) < 8; ++i, text.remove_prefix(1)) {
        value = value * 8 + static_cast<uint32_t>(digit_value(text[0]));
      }
      return value;
    }
    constexpr std::string_view kLetters = "abefnrtvE";
    constexpr std::string_view kValues = "\a\b\x1b\f\n\r\t\v\x1b";
    const size_t known = kLetters.find(escape);
    return static_cast<unsigned char>(known == std::string_view::npos ? escape : kValues[known]);
  }

  static const BinaryOperator* find_binary(std::string_view text) {
    for (const BinaryOperator& candidate : kBinary) {
      if (candidate.text == text) return &candidate;
    }
    return nullptr;
  }

  Value apply(const CToken& token, Value left, Value right, bool live) {
    const std::string_view op = token.text;
    if (op == "||") return truth(left.is_true() || right.is_true());
    if (op == "&&") return truth(left.is_true() && right.is_true());
    if (op == "<<" || op == ">>") return shift(left, right, op == "<<");
    const bool is_unsigned = left.is_unsigned || right.is_unsigned;
    if (op == "==") return truth(left.bits == right.bits);
    if (op == "!=") return truth(left.bits != right.bits);
    if (op == "<") return truth(less(left, right, is_unsigned));
    if (op == ">") return truth(less(right, left, is_unsigned));
    if (op == "<=") return truth(!less(right, left, is_unsigned));
    if (op == ">=") return truth(!less(left, right, is_unsigned));
    switch (op[0]) {
      case '|': return {left.bits | right.bits, is_unsigned};
      case '^': return {left.bits ^ right.bits, is_unsigned};
      case '&': return {left.bits & right.bits, is_unsigned};
      case '+': return {left.bits + right.bits, is_unsigned};
      case '-': return {left.bits - right.bits, is_unsigned};
      case '*': return {left.bits * right.bits, is_unsigned};
      default: return divide(token, left, right, is_unsigned, live);
    }
  }

  static bool less(Value left, Value right, bool is_unsigned) {
    return is_unsigned ? left.bits < right.bits : left.as_signed() < right.as_signed();
  }

  static Value shift(Value left, Value right, bool to_left) {
    uint64_t count = right.bits;
    if (!right.is_unsigned && right.as_signed() < 0) {
      to_left = !to_left;
      count = 0 - count;
    }
    if (to_left) return {count >= 64 ? 0 : left.bits << count, left.is_unsigned};
    if (left.is_unsigned) return {count >= 64 ? 0 : left.bits >> count, true};
    return {static_cast<uint64_t>(left.as_signed() >> (count >= 64 ? 63 : count)), false};
  }

  Value divide(const CToken& token, Value left, Value right, bool is_unsigned, bool live) {
    const bool remainder = token.text == "%";
    if (right.bits == 0) {
      if (live) fail(token.location, "division by zero in a preprocessor expression");
      return {};
    }
    if (is_unsigned) return {remainder ? left.bits % right.bits : left.bits / right.bits, true};
    if (right.as_signed() == -1) return {remainder ? 0 : 0 - left.bits, false};
    const int64_t result = remainder ? left.as_signed() % right.as_signed() : left.as_signed() / right.as_signed();
    return {static_cast<uint64_t>(result), false};
  }

  const std::vector<CToken>& tokens_;
  Location where_;
  Diagnostics& diagnostics_;
  size_t position_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

bool evaluate_condition(const std::vector<CToken>& tokens, Location where, Diagnostics& diagnostics) {
  return Evaluator(tokens, where, diagnostics).run();
}

}  // namespace cmc::promela
