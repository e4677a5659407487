#include "promela/syntax/token_stream.h"

#include <algorithm>

#include "base/check.h"

namespace cmc::promela {

namespace {

bool can_end_statement(const Token& token) {
  switch (token.kind) {
    case Tok::kRightBrace:
    case Tok::kRightParen:
    case Tok::kRightBracket:
    case Tok::kName:
    case Tok::kNumber:
    case Tok::kPlusPlus:
    case Tok::kMinusMinus: return true;
    case Tok::kKeyword:
      switch (token.keyword) {
        case Keyword::kOd:
        case Keyword::kFi:
        case Keyword::kElse:
        case Keyword::kBreak:
        case Keyword::kTimeout:
        case Keyword::kSkip:
        case Keyword::kTrue:
        case Keyword::kFalse: return true;
        default: return false;
      }
    default: return false;
  }
}

}  // namespace

TokenStream::TokenStream(std::vector<Token> tokens) { frames_.push_back({std::move(tokens), 0, ""}); }

const Token& TokenStream::current() {
  DCHECK(!frames_.empty() && !frames_.front().tokens.empty());
  while (frames_.size() > 1 && frames_.back().position == frames_.back().tokens.size()) frames_.pop_back();
  Frame& frame = frames_.back();
  return frame.tokens[std::min(frame.position, frame.tokens.size() - 1)];
}

bool TokenStream::semicolon_implied(const Token& upcoming) const {
  if (!in_sequence_ || parentheses_ > 0 || suppress_implied_ || !upcoming.starts_line) return false;
  if (!can_end_statement(last_) || upcoming.kind == Tok::kEnd) return false;
  // `}` on one line and `unless` on the next: SPIN looks at the first letter only.
  return !(last_.kind == Tok::kRightBrace && upcoming.text.starts_with('u'));
}

const Token& TokenStream::peek() {
  const Token& upcoming = current();
  if (!semicolon_implied(upcoming)) return upcoming;
  implied_ = Token{};
  implied_.kind = Tok::kSemicolon;
  implied_.location = last_.location;
  return implied_;
}

Token TokenStream::next() {
  if (peek().kind == Tok::kSemicolon && peek().text.empty()) {
    suppress_implied_ = true;
    last_ = implied_;
    return implied_;
  }
  return next_raw();
}

Token TokenStream::next_raw() {
  last_ = current();
  suppress_implied_ = false;
  if (last_.kind != Tok::kEnd) ++frames_.back().position;
  if (last_.kind == Tok::kLeftParen) ++parentheses_;
  if (last_.kind == Tok::kRightParen && parentheses_ > 0) --parentheses_;
  return last_;
}

void TokenStream::splice(std::vector<Token> body, std::string name) {
  frames_.push_back({std::move(body), 0, std::move(name)});
  suppress_implied_ = true;
}

bool TokenStream::is_expanding(const std::string& name) const {
  return std::any_of(frames_.begin(), frames_.end(),
                     [&](const Frame& frame) { return frame.name == name && frame.position < frame.tokens.size(); });
}

size_t TokenStream::expansion_depth() {
  (void)current();
  return frames_.size() - 1;
}

}  // namespace cmc::promela
