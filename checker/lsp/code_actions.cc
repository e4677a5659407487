#include "checker/lsp/code_actions.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "checker/lsp/features.h"
#include "promela/format/pieces.h"

namespace cmc::lsp {
namespace {

using promela::Piece;
using Kind = Piece::Kind;

struct Token {
  Kind kind;
  std::string_view text;
  size_t begin = 0;  // in the text
  size_t line = 0;
  [[nodiscard]] size_t end() const { return begin + text.size(); }
  [[nodiscard]] bool is_word(std::string_view word) const { return kind == Kind::kWord && text == word; }
  [[nodiscard]] bool is_operator(std::string_view which) const { return kind == Kind::kOperator && text == which; }
};

constexpr size_t kNone = ~size_t{0};
constexpr size_t kFarthest = 10'000;  // tokens between brackets that are looked for

class Actions {
 public:
  Actions(const Document& document, const Range& range)
      : document_(document),
        buffer_(document.buffer()),
        begin_(buffer_.offset_of(range.start)),
        end_(std::max(begin_, buffer_.offset_of(range.end))),
        lines_(range.start.line, range.end.line) {
    promela::PieceReader reader;
    size_t line_start = 0;
    for (size_t number = 0; number < buffer_.line_count(); ++number) {
      const std::string_view line = buffer_.line(number);
      line_start = static_cast<size_t>(line.data() - buffer_.text().data());
      const size_t first = line.find_first_not_of(" \t");
      const bool is_directive = first != std::string_view::npos && line[first] == '#';
      for (const Piece& piece : is_directive ? reader.read_directive(line) : reader.read(line)) {
        if (!is_directive && piece.kind != Kind::kComment && piece.kind != Kind::kEmbedded)
          tokens_.push_back({piece.kind, piece.text, line_start + piece.begin, number});
      }
    }
  }

  Json run() {
    for (const auto& [path, remarks] : document_.remarks()) {
      if (path != document_.path()) continue;
      for (const Remark& remark : remarks) mend(remark);
    }
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].is_word("while")) loop(i);
      if (tokens_[i].is_operator("::")) assignment_as_guard(i);
      if (touches(tokens_[i].begin, tokens_[i].end())) write_out(i);
    }
    missing_elses();
    return std::move(all_);
  }

 private:
  [[nodiscard]] bool touches(size_t begin, size_t end) const { return begin <= end_ && begin_ <= end; }
  [[nodiscard]] bool in_line_of(const Token& token) const {
    return token.line >= lines_.first && token.line <= lines_.second;
  }
  void add(const std::string& title, const char* kind, size_t begin, size_t end, const std::string& text) {
    Json edits = Json::array();
    edits.push_back(
        {{"range", to_json(Range{buffer_.position_at(begin), buffer_.position_at(end)})}, {"newText", text}});
    Json changes = Json::object();
    changes[document_.uri()] = std::move(edits);
    all_.push_back({{"title", title}, {"kind", kind}, {"edit", {{"changes", std::move(changes)}}}});
  }

  // --- what the front end says

  void mend(const Remark& remark) {
    const size_t begin = buffer_.offset_of(remark.range.start);
    const size_t end = buffer_.offset_of(remark.range.end);
    if (!touches(begin, end)) return;
    const std::string_view text = std::string_view(buffer_.text()).substr(begin, end - begin);
    if (!remark.hint.empty()) add(fmt::format("Change to '{}'", remark.hint), "quickfix", begin, end, remark.hint);
    if (text == "=") add("Change to '=='", "quickfix", begin, end, "==");
  }

  // --- what the text looks like

  // The token that closes what the one at `open` opens; kNone: it is not there, or too far away.
  [[nodiscard]] size_t closer(size_t open) const {
    size_t depth = 0;
    for (size_t i = open; i < std::min(tokens_.size(), open + kFarthest); ++i) {
      if (tokens_[i].kind == Kind::kOpen) ++depth;
      if (tokens_[i].kind == Kind::kClose && --depth == 0) return i;
      if (depth == 0) return kNone;
    }
    return kNone;
  }
  [[nodiscard]] std::string between(size_t begin, size_t end) const {
    return buffer_.text().substr(begin, end - begin);
  }
  [[nodiscard]] std::string indentation(const Token& token) const {
    const std::string_view line = buffer_.line(buffer_.position_at(token.begin).line);
    return std::string(line.substr(0, std::min(line.find_first_not_of(" \t"), line.size())));
  }
  static std::string trimmed(const std::string& text) {
    const size_t begin = text.find_first_not_of(" \t\r\n;");
    if (begin == std::string::npos) return "skip";
    return text.substr(begin, text.find_last_not_of(" \t\r\n;") + 1 - begin);
  }

  // while (c) { body }
  void loop(size_t at) {
    if (!in_line_of(tokens_[at]) || at + 1 >= tokens_.size() || tokens_[at + 1].text != "(") return;
    const size_t condition = closer(at + 1);
    if (condition == kNone || condition + 1 >= tokens_.size() || tokens_[condition + 1].text != "{") return;
    const size_t body = closer(condition + 1);
    if (body == kNone) return;
    const std::string indent = indentation(tokens_[at]);
    add("Change to 'do ... od'", "quickfix", tokens_[at].begin, tokens_[body].end(),
        fmt::format("do\n{0}:: {1} ->\n{0}     {2}\n{0}:: else -> break\n{0}od", indent,
                    trimmed(between(tokens_[at + 1].end(), tokens_[condition].begin)),
                    trimmed(between(tokens_[condition + 1].end(), tokens_[body].begin))));
  }

  // :: x = 1 ->
  void assignment_as_guard(size_t at) {
    size_t assignment = kNone;
    for (size_t i = at + 1; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token.is_operator("=")) assignment = i;
      if (token.is_operator("->")) {
        if (assignment != kNone &&
            (touches(tokens_[assignment].begin, tokens_[assignment].end()) || in_line_of(tokens_[at])))
          add("Compare: change '=' to '=='", "quickfix", tokens_[assignment].begin, tokens_[assignment].end(), "==");
        return;
      }
      if (token.kind == Kind::kSemicolon || token.is_operator("::") || token.text == "{" || token.text == "}") return;
    }
  }

  // Each if and do in whose first or last line the range is.
  void missing_elses() {
    struct Choice {
      size_t begin;
      bool has_option = false;
      bool has_else = false;
    };
    std::vector<Choice> open;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token.is_word("if") || token.is_word("do")) open.push_back({i});
      if (open.empty()) continue;
      Choice& choice = open.back();
      if (token.is_operator("::")) choice.has_option = true;
      if (token.is_word("else")) choice.has_else = true;
      if (!token.is_word("fi") && !token.is_word("od")) continue;
      if (choice.has_option && !choice.has_else && (in_line_of(tokens_[choice.begin]) || in_line_of(token)))
        add_else(token, tokens_[choice.begin].is_word("do"));
      open.pop_back();
    }
  }
  void add_else(const Token& end, bool is_loop) {
    const std::string what = is_loop ? ":: else -> break" : ":: else";
    const bool own_line = indentation(end).size() == buffer_.position_at(end.begin).character;
    add(fmt::format("Add '{}'", what), "refactor.rewrite", end.begin, end.begin,
        own_line ? fmt::format("{}\n{}", what, indentation(end)) : what + " ");
  }

  // A use of a macro becomes its text.
  void write_out(size_t at) {
    const Token& name = tokens_[at];
    if (name.kind != Kind::kWord || document_.snapshot() == nullptr || !document_.is_current()) return;
    const std::optional<uint32_t> found = document_.entity_at(buffer_.position_at(name.begin));
    if (!found) return;
    const Entity& entity = document_.snapshot()->names.entities()[*found];
    if (entity.kind != EntityKind::kMacro) return;
    // "#define NAME(a, b) text", in one line.
    const std::string& definition = entity.declaration;
    size_t end = definition.find(entity.name) + entity.name.size();
    if (definition.ends_with('\\') || end > definition.size() || definition.find('#', 1) != std::string::npos) return;
    std::vector<std::string> parameters;
    std::vector<std::string> arguments;
    size_t last = at;
    if (end < definition.size() && definition[end] == '(') {
      const size_t close = definition.find(')', end);
      if (close == std::string::npos || at + 1 >= tokens_.size() || tokens_[at + 1].text != "(") return;
      parameters = split(definition.substr(end + 1, close - end - 1));
      last = closer(at + 1);
      if (last == kNone) return;
      arguments = arguments_of(at + 1, last);
      if (arguments.size() != parameters.size()) return;
      end = close + 1;
    }
    // No parentheses around it, which would mean something else; but `-` and `-1` are no `--`.
    std::string text = substituted(trimmed(without_comment(definition.substr(end))), parameters, arguments);
    const std::string& whole = buffer_.text();
    const size_t behind = tokens_[last].end();
    if (!text.empty() && name.begin > 0 && are_joined(whole[name.begin - 1], text.front())) text.insert(0, " ");
    if (!text.empty() && behind < whole.size() && are_joined(text.back(), whole[behind])) text += ' ';
    add(fmt::format("Write '{}' out", entity.name), "refactor.inline", name.begin, tokens_[last].end(), text);
  }
  // Whether two characters that meet can be one operator.
  static bool are_joined(char left, char right) {
    constexpr std::string_view kParts = "+-*/%<>=!&|^?:.@#";
    return kParts.find(left) != std::string_view::npos && kParts.find(right) != std::string_view::npos;
  }
  static std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= list.size();) {
      const size_t end = std::min(list.find(',', begin), list.size());
      parts.push_back(trimmed(list.substr(begin, end - begin)));
      begin = end + 1;
    }
    return parts;
  }
  [[nodiscard]] std::vector<std::string> arguments_of(size_t open, size_t close) const {
    std::vector<std::string> parts;
    size_t depth = 0;
    size_t begin = tokens_[open].end();
    for (size_t i = open + 1; i <= close; ++i) {
      if (i == close || (depth == 0 && tokens_[i].kind == Kind::kComma)) {
        parts.push_back(trimmed(between(begin, tokens_[i].begin)));
        begin = tokens_[i].end();
      }
      if (tokens_[i].kind == Kind::kOpen) ++depth;
      if (tokens_[i].kind == Kind::kClose && i != close) --depth;
    }
    return parts;
  }
  static std::string without_comment(const std::string& text) {
    return text.substr(0, std::min(text.find("/*"), text.find("//")));
  }
  static std::string substituted(const std::string& text, const std::vector<std::string>& parameters,
                                 const std::vector<std::string>& arguments) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
      size_t end = at;
      while (end < text.size() && is_word_character(text[end])) ++end;
      const std::string word = text.substr(at, end - at);
      const auto found = std::ranges::find(parameters, word);
      if (!word.empty() && found != parameters.end()) {
        result += arguments[static_cast<size_t>(found - parameters.begin())];
      } else {
        result += word;
      }
      if (end < text.size()) result += text[end++];
      at = end;
    }
    return result;
  }

  const Document& document_;
  const TextBuffer& buffer_;
  size_t begin_;
  size_t end_;
  std::pair<size_t, size_t> lines_;  // the first and the last
  std::vector<Token> tokens_;
  Json all_ = Json::array();
};

}  // namespace

Json code_actions(const Document& document, const Range& range) { return Actions(document, range).run(); }

}  // namespace cmc::lsp
