#include "promela/format/format.h"

#include <algorithm>
#include <span>
#include <vector>

#include "promela/format/pieces.h"

namespace cmc::promela {
namespace {

using PieceKind = Piece::Kind;

constexpr uint32_t kTabStop = 8;     // of tabs in texts that are indented with spaces
constexpr uint32_t kOptionBody = 3;  // behind ":: "
constexpr int kMostRounds = 4;       // until a text is its own result
constexpr std::string_view kBlanks = " \t\f\v";

// Operators that have spaces around them. What is not here is written as its author likes it: c!x, i+1, x<y.
constexpr std::string_view kSpaced[] = {"<->", "->", "==", "!=", "<=", ">=", "&&", "||", "::", "="};
// A line that ends or begins with one of them goes on.
constexpr std::string_view kJoining[] = {"&&", "||", "==", "!=", "<=", ">=", "<",  ">",   "+", "*",  "/",
                                         "%",  "=",  "&",  "|",  "^",  "<<", ">>", "<->", "?", "??", "->"};

bool is_one_of(const Piece& piece, std::span<const std::string_view> operators) {
  return piece.kind == PieceKind::kOperator && std::ranges::find(operators, piece.text) != operators.end();
}

// "!", "<>!": what stands in front of an operand.
bool are_prefixes(std::string_view operators) {
  while (!operators.empty()) {
    const size_t length = operators.starts_with("<>") ? 2 : 1;
    if (length == 1 && std::string_view("!-~").find(operators[0]) == std::string_view::npos) return false;
    operators.remove_prefix(length);
  }
  return true;
}

// "==-" is "==" before something with a sign.
std::vector<Piece> split_operators(const std::vector<Piece>& pieces) {
  std::vector<Piece> split;
  for (const Piece& piece : pieces) {
    split.push_back(piece);
    if (piece.kind != PieceKind::kOperator) continue;
    for (const std::string_view each : kSpaced) {
      if (!piece.text.starts_with(each) || piece.text.size() == each.size()) continue;
      const std::string_view rest = piece.text.substr(each.size());
      if (!are_prefixes(rest)) continue;
      split.back().text = each;
      split.push_back({PieceKind::kOperator, piece.begin + each.size(), rest});
      break;
    }
  }
  return split;
}

bool is_operand_end(const Piece& piece) {
  return piece.kind == PieceKind::kWord || piece.kind == PieceKind::kClose || piece.kind == PieceKind::kQuoted;
}

// Between two pieces that stand side by side.
bool wants_space(const Piece& left, const Piece& right) {
  if (right.kind == PieceKind::kComment) return true;
  if (left.kind == PieceKind::kEmbedded || right.kind == PieceKind::kEmbedded) return false;
  if (right.kind == PieceKind::kComma || right.kind == PieceKind::kSemicolon) return false;
  if (left.kind == PieceKind::kComma) return right.kind != PieceKind::kClose;
  if (left.kind == PieceKind::kSemicolon) return right.kind != PieceKind::kClose || right.text == "}";
  if (is_one_of(left, kSpaced)) return right.kind != PieceKind::kClose;
  if (is_one_of(right, kSpaced)) return is_operand_end(left);
  if (right.is(PieceKind::kOpen, "{")) return is_operand_end(left);
  return left.kind == PieceKind::kClose && right.kind == PieceKind::kWord;
}

bool is_only_comment(const std::vector<Piece>& pieces) {
  return std::ranges::all_of(pieces, [](const Piece& piece) { return piece.kind == PieceKind::kComment; });
}

// "again:", with or without a statement behind it.
bool is_label(const std::vector<Piece>& pieces) {
  return pieces.size() > 1 && pieces[0].kind == PieceKind::kWord && pieces[1].is(PieceKind::kOperator, ":");
}

// A line that begins with it goes on with the statement of the line above.
bool joins(const Piece& first) {
  return is_one_of(first, kJoining) || first.is(PieceKind::kWord, "where") ||
         first.is(PieceKind::kWord, "provided") || first.is(PieceKind::kWord, "priority");
}

// What closes the frame that the piece closes; of a word that closes nothing, 0.
char closer_of(const Piece& piece) {
  if (piece.kind == PieceKind::kClose) return piece.text[0];
  if (piece.is(PieceKind::kWord, "od")) return 'd';
  if (piece.is(PieceKind::kWord, "fi")) return 'i';
  return '\0';
}

char closer_for(const Piece& opener) {
  if (opener.kind == PieceKind::kOpen) return opener.text == "(" ? ')' : opener.text == "[" ? ']' : '}';
  if (opener.is(PieceKind::kWord, "do")) return 'd';
  if (opener.is(PieceKind::kWord, "if")) return 'i';
  return '\0';
}

constexpr size_t kNoLine = ~size_t{0};

struct Line {
  std::string_view text;  // without its end
  std::string_view end;
  std::vector<Piece> pieces = {};
  bool verbatim = false;
  uint32_t old_column = 0;  // of its first piece
  uint32_t column = 0;
  uint32_t old_comment = 0;  // of the comment behind it; 0: there is none
  uint32_t comment = 0;
  size_t follows = kNoLine;  // the line that began the comment, or the C, in which it begins
};

// What is around a place. A list whose nodes are never changed, so that each branch of an #if begins with the same
// one.
struct Frame {
  enum class What : uint8_t {
    kBlock,   // { }: statements
    kChoice,  // do od, if fi
    kList,    // ( ), [ ], { } of values: lines move with the one that opened it
  } what = What::kBlock;
  char closer = '\0';
  size_t line = 0;          // that opened it
  uint32_t base = 0;        // column of what closes it
  uint32_t options = 0;     // column of ::
  uint32_t body = 0;        // column of statements in it
  size_t option = kNoLine;  // the line of the :: before
  size_t outer = 0;
};

class Formatter {
 public:
  Formatter(std::string_view text, const Layout& layout) : layout_(layout), frames_(1) {
    while (!text.empty()) {
      const size_t end = std::min(text.find_first_of("\r\n"), text.size());
      const size_t next = std::min(end + (text.substr(end).starts_with("\r\n") ? 2 : 1), text.size());
      lines_.push_back({text.substr(0, end), text.substr(end, next - end)});
      text.remove_prefix(next);
    }
  }

  std::string run() {
    for (at_ = 0; at_ < lines_.size(); ++at_) lay_out(lines_[at_]);
    for (const size_t comment : pending_) lines_[comment].column = frame().body;
    std::string text;
    for (Line& line : lines_) {
      if (line.follows != kNoLine) follow(line);
      text += line.verbatim ? std::string(line.text) : written(line);
      text += line.end;
    }
    if (!text.empty() && lines_.back().end.empty()) text += lines_.size() > 1 ? lines_.front().end : "\n";
    return text;
  }

 private:
  // --- lines

  void lay_out(Line& line) {
    const bool in_comment = reader_.in_comment();
    const bool in_embedded = reader_.in_embedded();
    const size_t first = std::min(line.text.find_first_not_of(kBlanks), line.text.size());
    const bool continues = goes_on_;
    goes_on_ = line.text.ends_with('\\');
    in_directive_ = continues ? in_directive_ : !in_comment && line.text.substr(first).starts_with('#');
    line.verbatim = continues || goes_on_ || in_directive_;
    line.pieces = in_directive_ ? reader_.read_directive(line.text) : split_operators(reader_.read(line.text));
    line.old_column = line.column = columns(line.text.substr(0, first));
    if (in_directive_) {
      if (!goes_on_) line.text = line.text.substr(0, line.text.find_last_not_of(kBlanks) + 1);
      if (!continues) branch(line);
    } else if (line.verbatim) {
      walk(line, 0);
    } else if (line.pieces.empty()) {
      return;
    } else if (in_comment || line.pieces[0].kind == PieceKind::kEmbedded) {
      line.follows = run_;
      walk(line, 0);
    } else if (is_only_comment(line.pieces)) {
      place_comment(line);
    } else {
      place(line);
    }
    if (!in_comment && !in_embedded) run_ = at_;
  }

  // Each branch of an #if begins inside of what the #if is in.
  void branch(const Line& line) {
    const std::string_view name = line.pieces.size() > 1 ? line.pieces[1].text : std::string_view();
    if (name.starts_with("if")) {
      branches_.push_back(top_);
    } else if (!branches_.empty() && name.starts_with("el")) {
      top_ = branches_.back();
    } else if (!branches_.empty() && name == "endif") {
      branches_.pop_back();
    }
  }

  void place(Line& line) {
    const uint32_t body = frame().body;
    const size_t closers = close_leading(line);
    const bool ends_something = closers > 0 || line.pieces[0].is(PieceKind::kOperator, "::");
    for (const size_t comment : pending_) {
      const bool belongs_inside = ends_something && lines_[comment].old_column > line.old_column;
      lines_[comment].column = belongs_inside ? body : line.column;
    }
    pending_.clear();
    walk(line, closers);
    if (line.pieces.back().kind != PieceKind::kComment || line.pieces.size() == 1) return;
    line.old_comment = columns(line.text.substr(0, line.pieces.back().begin));
    const std::string text = written(line);
    line.comment = columns(std::string_view(text).substr(0, text.size() - line.pieces.back().text.size()));
  }

  // A comment stands below the one in the line above, or with the line that comes.
  void place_comment(Line& line) {
    const Line& above = lines_[at_ == 0 ? 0 : at_ - 1];
    if (above.old_comment != 0 && above.old_comment == line.old_column) {
      line.column = above.comment;
      line.old_comment = line.old_column;
      line.comment = line.column;
    } else if (frame().what == Frame::What::kList) {
      line.column = with(frame().line, line, layout_.indent);
    } else {
      pending_.push_back(at_);
    }
  }

  // Finds the column of a line of code; returns how many of its pieces close something first.
  size_t close_leading(Line& line) {
    size_t closers = 0;
    Frame closed;
    while (closers < line.pieces.size() && top_ != 0 && closer_of(line.pieces[closers]) == frame().closer) {
      if (closers++ == 0) closed = frame();
      top_ = frame().outer;
    }
    const Piece& first = line.pieces[0];
    if (closers > 0 && closed.what == Frame::What::kList) {
      line.column = closed.closer == '}' ? lines_[closed.line].column : with(closed.line, line, 0);
    } else if (closers > 0) {
      line.column = closed.base;
      statement_ = at_;
    } else if (frame().what == Frame::What::kList) {
      line.column = with(frame().line, line, layout_.indent);
    } else if (first.is(PieceKind::kOperator, "::")) {
      line.column = frame().what == Frame::What::kChoice ? frame().options : frame().body;
      statement_ = at_;
    } else if (statement_ != kNoLine && (is_joined_ || joins(first))) {
      const bool behind_option = lines_[statement_].pieces.front().is(PieceKind::kOperator, "::");
      line.column = with(statement_, line, behind_option ? std::max(layout_.indent, kOptionBody) : layout_.indent);
    } else {
      line.column = is_label(line.pieces) && line.old_column == 0 ? 0 : frame().body;
      statement_ = at_;
    }
    return closers;
  }

  // --- columns

  [[nodiscard]] uint32_t columns(std::string_view text) const {
    const uint32_t stop = layout_.tabs ? layout_.indent : kTabStop;
    uint32_t column = 0;
    for (const char c : text) column = c == '\t' ? (column / stop + 1) * stop : column + 1;
    return column;
  }
  [[nodiscard]] static uint32_t moved(uint32_t column, uint32_t from, uint32_t to) {
    return column + to < from ? 0 : column + to - from;
  }
  // Of a line that moves with another one; if it was not inside of it, it gets so far inside.
  [[nodiscard]] uint32_t with(size_t other, const Line& line, uint32_t inside) const {
    const Line& anchor = lines_[other];
    return line.old_column > anchor.old_column ? moved(line.old_column, anchor.old_column, anchor.column)
                                               : anchor.column + inside;
  }
  void follow(Line& line) const {
    const Line& first = lines_[line.follows];
    const bool behind = first.old_comment != 0 && first.pieces.back().kind == PieceKind::kComment;
    line.column = behind ? moved(line.old_column, first.old_comment, first.comment)
                         : moved(line.old_column, first.old_column, first.column);
  }

  // The first `count` pieces.
  [[nodiscard]] std::string written(const Line& line, size_t count = kNoLine) const {
    if (line.pieces.empty()) return {};
    std::string text = layout_.tabs ? std::string(line.column / layout_.indent, '\t') +
                                          std::string(line.column % layout_.indent, ' ')
                                    : std::string(line.column, ' ');
    for (size_t i = 0; i < std::min(count, line.pieces.size()); ++i) {
      const Piece& piece = line.pieces[i];
      if (i > 0) {
        const Piece& left = line.pieces[i - 1];
        const size_t end = left.begin + left.text.size();
        const bool hangs = piece.kind == PieceKind::kComma || piece.kind == PieceKind::kSemicolon;
        if (piece.begin == end) {
          if (wants_space(left, piece)) text += ' ';
        } else if (!hangs || !is_operand_end(left)) {
          text += line.text.substr(end, piece.begin - end);
        }
      }
      text += piece.text;
    }
    text.resize(text.find_last_not_of(kBlanks) + 1);
    return text;
  }

  // --- what is around a place

  [[nodiscard]] const Frame& frame() const { return frames_[top_]; }
  void push(const Frame& next) {
    frames_.push_back(next);
    top_ = frames_.size() - 1;
  }

  // What the pieces from this one on open and close.
  void walk(const Line& line, size_t from) {
    const Piece* last = nullptr;
    for (size_t i = from; i < line.pieces.size(); ++i) {
      const Piece& piece = line.pieces[i];
      if (piece.kind == PieceKind::kComment || piece.kind == PieceKind::kEmbedded) continue;
      if (closer_of(piece) != '\0') close(closer_of(piece));
      if (closer_for(piece) != '\0') open(line, i, last);
      if (piece.is(PieceKind::kOperator, "::") && frame().what == Frame::What::kChoice) {
        Frame next = frame();
        if (next.line == at_ && next.option == kNoLine)  // do :: ...
          next.options = columns(written(line, i + 1)) - static_cast<uint32_t>(piece.text.size());
        next.option = at_;
        next.body = next.options + std::max(layout_.indent, kOptionBody);
        push(next);
      }
      last = &piece;
    }
    if (last == nullptr) return;
    is_joined_ = last->kind == PieceKind::kComma || (is_one_of(*last, kJoining) && last->text != "->");
    // What stands behind a guard in a line of its own is further inside.
    if (last->is(PieceKind::kOperator, "->") && frame().option == at_ && layout_.indent < kOptionBody &&
        !layout_.tabs) {
      Frame next = frame();
      next.body += layout_.indent;
      push(next);
    }
  }

  // What was opened since then and not closed was closed by a macro.
  void close(char closer) {
    size_t frame = top_;
    while (frame != 0 && frames_[frame].closer != closer) frame = frames_[frame].outer;
    if (frame != 0) top_ = frames_[frame].outer;
  }

  void open(const Line& line, size_t number, const Piece* before) {
    const Piece& piece = line.pieces[number];
    Frame next;
    next.closer = closer_for(piece);
    next.line = at_;
    next.outer = top_;
    const bool is_list = piece.text == "(" || piece.text == "[" ||
                         (piece.text == "{" && before != nullptr &&
                          (before->is(PieceKind::kOperator, "=") || before->is(PieceKind::kWord, "of") ||
                           before->is(PieceKind::kWord, "mtype")));
    const Frame& around = frame();
    const bool is_block = piece.text == "{";
    if (number > 0 && around.line == at_ && around.what == Frame::What::kBlock && top_ != 0) {
      next.base = is_block ? around.base : around.body;  // init { atomic {
    } else if (number > 0 && (around.option == at_ || (is_label(line.pieces) && around.what != Frame::What::kList))) {
      next.base = around.body;  // :: guard -> if, again: do
    } else {
      next.base = line.column;
    }
    next.what = is_list ? Frame::What::kList : is_block ? Frame::What::kBlock : Frame::What::kChoice;
    next.options = next.base;
    next.body = is_block ? next.base + layout_.indent : next.base;
    push(next);
  }

  const Layout& layout_;
  std::vector<Line> lines_;
  PieceReader reader_;
  std::vector<Frame> frames_;     // the first is around everything
  size_t top_ = 0;                // the innermost
  std::vector<size_t> branches_;  // what each #if is in
  std::vector<size_t> pending_;   // lines with comments only, above the line that they stand with
  size_t at_ = 0;
  size_t statement_ = kNoLine;  // the line in which the latest statement begins
  size_t run_ = 0;              // the latest line that begins in no comment and no C
  bool is_joined_ = false;      // the statement goes on
  bool goes_on_ = false;        // the line ends with a backslash
  bool in_directive_ = false;
};

}  // namespace

std::string formatted(std::string_view text, const Layout& layout) {
  std::string before(text);
  for (int round = 0; round < kMostRounds; ++round) {
    std::string after = Formatter(before, layout).run();
    if (after == before) return after;
    before = std::move(after);
  }
  return Formatter(before, layout).run() == before ? before : std::string(text);
}

}  // namespace cmc::promela
