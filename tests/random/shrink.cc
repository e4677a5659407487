#include "tests/random/shrink.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <vector>

namespace cmc::random {
namespace {

using Tokens = std::vector<std::string>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Words, strings, operators; a line break is a token, since Promela infers semicolons from it; a directive is one
// token. Comments are dropped.
Tokens split(const std::string& text) {
  static const std::vector<std::string> kOperators = {
      "->", "::", "!!", "??", "++", "--", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", ".."};
  Tokens tokens;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (text[at] == ' ') {
      at = end;
      continue;
    }
    if (text.compare(at, 2, "/*") == 0) {
      const size_t close = text.find("*/", at + 2);
      at = close == std::string::npos ? text.size() : close + 2;
      continue;
    }
    if (text[at] == '#' && (tokens.empty() || tokens.back() == "\n")) {
      while (end < text.size() && (text[end] != '\n' || text[end - 1] == '\\')) ++end;
    } else if (text[at] == '"') {
      while (end < text.size() && text[end] != '"') ++end;
      ++end;
    } else if (is_word(text[at])) {
      while (end < text.size() && is_word(text[end])) ++end;
    } else {
      for (const std::string& op : kOperators) {
        if (text.compare(at, op.size(), op) == 0) end = at + op.size();
      }
    }
    end = std::min(end, text.size());
    tokens.push_back(text.substr(at, end - at));
    at = end;
  }
  return tokens;
}

std::string unite(const Tokens& tokens) {
  std::string text;
  int depth = 0;
  for (const std::string& token : tokens) {
    if (token == "\n") {
      if (text.empty() || text.back() != '\n') text += token;
      continue;
    }
    if (token == "}" || token == "fi" || token == "od") depth = std::max(0, depth - 1);
    if (!text.empty() && text.back() == '\n') {
      text.append(static_cast<size_t>(2 * depth), ' ');
    } else if (!text.empty()) {
      text += ' ';
    }
    if (token == "{" || token == "if" || token == "do") ++depth;
    text += token;
  }
  return text + (text.ends_with('\n') ? "" : "\n");
}

bool opens(const std::string& token) {
  return token == "{" || token == "(" || token == "[" || token == "if" || token == "do";
}
bool closes(const std::string& token) {
  return token == "}" || token == ")" || token == "]" || token == "fi" || token == "od";
}

// For every opening token the index of its closing one, else its own index.
std::vector<size_t> partners(const Tokens& tokens) {
  std::vector<size_t> partner(tokens.size());
  std::vector<size_t> open;
  for (size_t i = 0; i < tokens.size(); ++i) {
    partner[i] = i;
    if (opens(tokens[i])) open.push_back(i);
    if (closes(tokens[i]) && !open.empty()) {
      partner[open.back()] = i;
      open.pop_back();
    }
  }
  return partner;
}

class Shrinker {
 public:
  Shrinker(const std::string& text, const std::function<bool(const std::string&)>& persists, double seconds)
      : tokens_(split(text)),
        persists_(persists),
        deadline_(std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                         std::chrono::duration<double>(seconds))) {}

  std::string run() {
    for (bool changed = true; changed && !late();) {
      changed = delete_items();
      changed = unwrap_groups() || changed;
      changed = replace_groups() || changed;
      if (!changed || tokens_.size() < 150) changed = delete_tokens() || changed;
    }
    return unite(tokens_);
  }

 private:
  bool late() const { return std::chrono::steady_clock::now() > deadline_; }

  bool keep(Tokens candidate) {
    if (late() || candidate == tokens_) return false;
    if (!persists_(unite(candidate))) return false;
    tokens_ = std::move(candidate);
    return true;
  }

  bool keep_without(size_t begin, size_t end) {
    Tokens candidate(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(begin));
    candidate.insert(candidate.end(), tokens_.begin() + static_cast<std::ptrdiff_t>(end), tokens_.end());
    return keep(std::move(candidate));
  }

  // The end of the item that begins at `begin`: behind its separator, and not beyond its bracket.
  size_t item_end(size_t begin, const std::vector<size_t>& partner) const {
    size_t at = begin;
    if (tokens_[at] == "::") ++at;
    const bool option = at > begin;
    for (; at < tokens_.size(); ++at) {
      if (at > begin && closes(tokens_[at])) return at;
      if (option && tokens_[at] == "::") return at;
      if (!option && (tokens_[at] == ";" || tokens_[at] == "->" || tokens_[at] == ",")) return at + 1;
      const bool body = tokens_[at] == "{";
      at = partner[at];
      if (body && !option && at + 1 < tokens_.size() && tokens_[at + 1] != "unless" && tokens_[at + 1] != ";")
        return at + 1;
    }
    return tokens_.size();
  }

  // Whole processes, statements, options, declarations, arguments: large ones first.
  bool delete_items() {
    bool changed = false;
    for (size_t least : {120u, 40u, 12u, 1u}) {
      for (size_t i = 0; i < tokens_.size() && !late(); ++i) {
        const std::vector<size_t> partner = partners(tokens_);
        const bool starts = i == 0 || tokens_[i - 1] == ";" || tokens_[i - 1] == "->" || tokens_[i - 1] == "\n" ||
                            tokens_[i - 1] == "{" || tokens_[i - 1] == "}" || tokens_[i - 1] == "," ||
                            tokens_[i] == "::";
        if (!starts || closes(tokens_[i])) continue;
        const size_t end = item_end(i, partner);
        if (end - i < least) continue;
        while (i < tokens_.size() && keep_without(i, std::min(end, tokens_.size()))) {
          changed = true;
          break;
        }
      }
    }
    return changed;
  }

  // `{ x }` becomes x, `atomic { x }` becomes x, `if :: x fi` becomes x.
  bool unwrap_groups() {
    bool changed = false;
    for (size_t i = 0; i < tokens_.size() && !late(); ++i) {
      const size_t end = partners(tokens_)[i];
      if (end == i) continue;
      Tokens candidate = tokens_;
      candidate.erase(candidate.begin() + static_cast<std::ptrdiff_t>(end));
      size_t from = i;
      size_t to = i + 1;
      while (to < candidate.size() && (candidate[to] == "\n" || candidate[to] == "::")) ++to;
      if (from > 0 && (tokens_[from - 1] == "atomic" || tokens_[from - 1] == "d_step" || tokens_[from - 1] == "!"))
        --from;
      candidate.erase(candidate.begin() + static_cast<std::ptrdiff_t>(from),
                      candidate.begin() + static_cast<std::ptrdiff_t>(to));
      changed = keep(std::move(candidate)) || changed;
    }
    return changed;
  }

  bool replace_groups() {
    bool changed = false;
    for (size_t i = 0; i < tokens_.size() && !late(); ++i) {
      const size_t end = partners(tokens_)[i];
      if (end == i) continue;
      for (const char* with : {"skip", "0", "1"}) {
        if (tokens_[i] == "[" || (tokens_[i] == "(") == (std::string(with) == "skip")) continue;
        Tokens candidate(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(i));
        candidate.emplace_back(with);
        candidate.insert(candidate.end(), tokens_.begin() + static_cast<std::ptrdiff_t>(end) + 1, tokens_.end());
        if (keep(std::move(candidate))) {
          changed = true;
          break;
        }
      }
    }
    return changed;
  }

  bool delete_tokens() {
    bool changed = false;
    for (size_t length : {9u, 6u, 5u, 4u, 3u, 2u, 1u}) {
      for (size_t i = 0; i + length <= tokens_.size() && !late();) {
        if (length == 1 && (tokens_[i] == "\n" || tokens_[i] == ";")) {
          ++i;
        } else if (keep_without(i, i + length)) {
          changed = true;
        } else {
          ++i;
        }
      }
    }
    return changed;
  }

  Tokens tokens_;
  const std::function<bool(const std::string&)>& persists_;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace

std::string shrink(const std::string& text, const std::function<bool(const std::string&)>& persists, double seconds) {
  return Shrinker(text, persists, seconds).run();
}

}  // namespace cmc::random
