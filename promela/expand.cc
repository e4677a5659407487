#include "promela/expand.h"

#include <deque>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "promela/syntax/parser.h"
#include "promela/syntax/token.h"

namespace cmc::promela {

namespace {

using Tokens = std::span<const Token>;

// The syntax is right (see REQUIRES), so what is looked for is there.
class Expander {
 public:
  Expander(std::vector<Token> tokens, Dialect dialect, Sources& sources, Diagnostics& diagnostics)
      : tokens_(std::move(tokens)), dialect_(dialect), sources_(sources), diagnostics_(diagnostics) {}

  std::string run() {
    while (peek().kind != Tok::kEnd) {
      if (at_word("exists")) {
        print(peek(), exists());
      } else if (at_word("choose") || at_word("least")) {
        print(peek(), choose());
      } else {
        note_braces(peek());
        print(peek(), text(peek()));
        ++at_;
      }
    }
    return std::move(out_) + "\n";
  }

 private:
  struct Target {
    Tokens variable;
    int32_t low = 0;
    int32_t high = 0;
  };

  const Token& peek() const { return tokens_[at_]; }
  bool at_word(std::string_view word) const {
    return dialect_ == Dialect::kPromelaS && peek().kind == Tok::kName && peek().text == word &&
           tokens_[at_ + 1].kind == Tok::kLeftParen;
  }
  static std::string_view text(const Token& token) { return token.text.empty() ? spelling(token.kind) : token.text; }
  void print(const Token& place, std::string_view words) {
    if (!out_.empty()) out_ += place.starts_line ? "\n" : place.space_before ? " " : "";
    out_ += words;
  }
  void note_braces(const Token& token) {
    if (token.kind == Tok::kKeyword && token.keyword == Keyword::kDStep) opens_d_step_ = true;
    if (token.kind == Tok::kLeftBrace) blocks_.push_back(std::exchange(opens_d_step_, false));
    if (token.kind == Tok::kRightBrace && !blocks_.empty()) blocks_.pop_back();
  }
  bool in_d_step() const {
    for (const bool is_d_step : blocks_) {
      if (is_d_step) return true;
    }
    return false;
  }

  // Goes on behind the next token of this kind that is in no further parentheses; what is before it.
  Tokens until(Tok kind, Tok other) {
    const size_t begin = at_;
    int nested = 0;
    for (; nested > 0 || (peek().kind != kind && peek().kind != other); ++at_) {
      if (peek().kind == Tok::kLeftParen || peek().kind == Tok::kLeftBracket) ++nested;
      if (peek().kind == Tok::kRightParen || peek().kind == Tok::kRightBracket) --nested;
    }
    return Tokens(tokens_).subspan(begin, at_++ - begin);
  }

  int32_t constant(Tokens words) {
    std::vector<Token> alone(words.begin(), words.end());
    alone.emplace_back().location = words.back().location;  // the end
    const std::optional<int32_t> value = Parser(std::move(alone), sources_, diagnostics_).parse_single_constant();
    if (!value) diagnostics_.note(words.front().location, "only constant ranges and numbers can be written down");
    return value.value_or(0);
  }

  // From behind the word on.
  std::vector<Target> targets() {
    ++at_;
    std::vector<Target> targets;
    do {
      Target& target = targets.emplace_back();
      target.variable = until(Tok::kColon, Tok::kColon);
      target.low = constant(until(Tok::kDotDot, Tok::kDotDot));
      target.high = constant(until(Tok::kComma, Tok::kRightParen));
    } while (tokens_[at_ - 1].kind == Tok::kComma);
    return targets;
  }

  Tokens condition() {
    ++at_;
    return until(Tok::kRightParen, Tok::kRightParen);
  }

  using Tuple = std::vector<int32_t>;

  std::vector<Tuple> tuples(const std::vector<Target>& targets, uint64_t most, const Token& word) {
    uint64_t count = 1;
    for (const Target& target : targets) {
      const int64_t values = std::max<int64_t>(0, int64_t{target.high} - target.low + 1);
      count = std::min(most + 1, count * std::min(most + 1, static_cast<uint64_t>(values)));
    }
    if (count > most) {
      diagnostics_.error(word.location, fmt::format("more than {} tuples are too many to write down", most));
      return {};
    }
    std::vector<Tuple> all(1);
    for (const Target& target : targets) {
      std::vector<Tuple> longer;
      for (const Tuple& tuple : all) {
        for (int64_t value = target.low; value <= target.high; ++value) {
          longer.push_back(tuple);
          longer.back().push_back(static_cast<int32_t>(value));
        }
      }
      all = std::move(longer);
    }
    return all;
  }

  bool occurs(Tokens words, size_t at, Tokens variable) const {
    if (words.size() - at < variable.size() || (at > 0 && words[at - 1].kind == Tok::kDot)) return false;
    for (size_t i = 0; i < variable.size(); ++i) {
      if (words[at + i].kind != variable[i].kind || text(words[at + i]) != text(variable[i])) return false;
    }
    const size_t behind = at + variable.size();
    return behind == words.size() || (words[behind].kind != Tok::kDot && words[behind].kind != Tok::kLeftBracket);
  }

  std::string substitute(Tokens words, const std::vector<Target>& targets, const Tuple& tuple) const {
    std::string result;
    for (size_t at = 0; at < words.size();) {
      if (!result.empty() && (words[at].space_before || words[at].starts_line)) result += ' ';
      size_t i = 0;
      while (i < targets.size() && !occurs(words, at, targets[i].variable)) ++i;
      if (i == targets.size()) {
        result += text(words[at++]);
      } else {
        result += fmt::format("({})", tuple[i]);
        at += targets[i].variable.size();
      }
    }
    return result;
  }

  // For an empty range. What the condition mentions stays mentioned: `_last` makes a state larger, say.
  std::string never(Tokens where, const std::vector<Target>& what) const {
    Tuple lowest;
    for (const Target& target : what) lowest.push_back(target.low);
    return fmt::format("(0 && ({}))", substitute(where, what, lowest));
  }

  std::string exists() {
    const Token word = tokens_[at_++];
    const std::vector<Target> what = targets();
    const Tokens where = condition();
    std::string result;
    for (const Tuple& tuple : tuples(what, kMaxTuples, word)) {
      result += fmt::format("{}({})", result.empty() ? "" : " || ", substitute(where, what, tuple));
    }
    return result.empty() ? never(where, what) : "(" + result + ")";
  }

  std::string choose() {
    const Token word = tokens_[at_++];
    const std::vector<Target> what = targets();
    ++at_;  // where
    const Tokens where = condition();
    int64_t most = word.text == "least" ? 1 : 0;
    if (most == 0 && peek().kind == Tok::kName && peek().text == "max") {
      const bool parenthesised = tokens_[at_ + 1].kind == Tok::kLeftParen;
      const size_t begin = ++at_;
      if (parenthesised) {
        ++at_;
        (void)until(Tok::kRightParen, Tok::kRightParen);
      } else {
        ++at_;
      }
      most = constant(Tokens(tokens_).subspan(begin, at_ - begin));
    }
    std::string options;
    std::string before;  // how many witnesses there are before this one
    for (const Tuple& tuple : tuples(what, most > 0 ? kMaxCounted : kMaxTuples, word)) {
      const std::string is_witness = substitute(where, what, tuple);
      std::string guard = fmt::format("({})", is_witness);
      if (!before.empty()) guard = fmt::format("({} && {} < {})", guard, before, most);
      if (most > 0) before += fmt::format("{}(({}) != 0)", before.empty() ? "" : " + ", is_witness);
      std::string step = guard + " -> ";
      for (size_t i = 0; i < what.size(); ++i) {
        step += fmt::format("{}{} = {}", i == 0 ? "" : "; ", substitute(what[i].variable, {}, {}), tuple[i]);
      }
      options += in_d_step() ? fmt::format("\n:: {}", step) : fmt::format("\n:: d_step {{ {} }}", step);
    }
    return options.empty() ? never(where, what) : "if" + options + "\nfi";
  }

  const std::vector<Token> tokens_;
  const Dialect dialect_;
  Sources& sources_;
  Diagnostics& diagnostics_;
  size_t at_ = 0;
  std::string out_;
  std::vector<bool> blocks_;  // open braces: of a d_step?
  bool opens_d_step_ = false;
};

}  // namespace

std::optional<std::string> expand(Sources& sources, uint32_t main_file, const PreprocessorOptions& options,
                                  Diagnostics& diagnostics, PlainText plain) {
  std::deque<std::string> arena;
  Dialect dialect = Dialect::kPromela;
  const std::vector<PpToken> words = preprocess(sources, main_file, options, diagnostics, arena, &dialect);
  if (dialect == Dialect::kPromela && plain == PlainText::kError) {
    diagnostics.error({{main_file, 1, 1}, 0}, "this text is plain Promela already: it does not define PROMELA_S");
    return std::nullopt;
  }
  std::string text = Expander(tokenize(words, diagnostics, arena), dialect, sources, diagnostics).run();
  if (diagnostics.error_count() > 0) return std::nullopt;
  return text;
}

}  // namespace cmc::promela
