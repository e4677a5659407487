#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "checker/report/logs/log_lines.h"
#include "checker/report/logs/search_log.h"

// Reading a log. A log is a text that somebody may have changed or cut off, so nothing in it is believed.

namespace cmc {
namespace {

using namespace log_lines;  // the forms of all lines

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Reads from the front of a line.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }
  [[nodiscard]] bool at_end() {
    skip_blanks();
    return rest_.empty();
  }
  bool literal(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  // None: no number, one whose groups are not of three digits, or one of more than 64 bits.
  std::optional<uint64_t> number() {
    std::string digits;
    size_t at = digits_from(0, digits);
    if (at == 0) return std::nullopt;
    const char separator = at < rest_.size() ? rest_[at] : '\0';
    while ((separator == '.' || separator == ',') && at + 1 < rest_.size() && rest_[at] == separator &&
           is_digit(rest_[at + 1])) {
      const size_t end = digits_from(at + 1, digits);
      if (end - at != 4) return std::nullopt;
      at = end;
    }
    const std::optional<uint64_t> value = parse_number<uint64_t>(digits);
    if (value) rest_.remove_prefix(at);
    return value;
  }
  // Its value is not wanted.
  bool fraction() {
    std::string ignored;
    size_t at = digits_from(0, ignored);
    if (at == 0) return literal("nan") || literal("-nan") || literal("inf");
    if (at < rest_.size() && rest_[at] == '.') at = digits_from(at + 1, ignored);
    rest_.remove_prefix(at);
    return true;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  size_t digits_from(size_t at, std::string& digits) const {
    while (at < rest_.size() && is_digit(rest_[at])) digits += rest_[at++];
    return at;
  }
  std::string_view rest_;
};

using Numbers = std::array<uint64_t, 5>;

// The numbers of a line that has the form of `pattern`.
std::optional<Numbers> match(std::string_view line, std::string_view pattern) {
  Scanner scanner(line);
  Numbers numbers{};
  size_t count = 0;
  scanner.skip_blanks();
  for (const char c : pattern) {
    if (c == '%') {
      const std::optional<uint64_t> number = scanner.number();
      if (!number) return std::nullopt;
      numbers[count++] = *number;
    } else if (c == '~') {
      if (!scanner.fraction()) return std::nullopt;
    } else if (c == ' ') {
      scanner.skip_blanks();
    } else if (!scanner.literal(std::string_view(&c, 1))) {
      return std::nullopt;
    }
  }
  return scanner.at_end() ? std::optional(numbers) : std::nullopt;
}

std::string expected(std::string_view pattern) {
  std::string text;
  for (const char c : pattern) text += c == '%' ? std::string("N") : c == '~' ? std::string("F") : std::string(1, c);
  return text;
}

// Thrown and caught in this file only.
struct Malformed {
  std::string message;
};

// Goes through the lines of a log once; every read_... looks at the next one that may be meant.
class LogParser {
 public:
  explicit LogParser(std::string_view text) : text_(text) {}

  SearchLog parse() {
    while (next_line() && !is_header()) {
    }
    if (line_.empty()) fail_at_end("'Search complete: ...' or 'Search incomplete (REASON, ...): ...'");
    if (line_.starts_with(kRunning)) {
      log_.running = true;
      log_.reasons.emplace_back(kRunningReason);
      return std::move(log_);
    }
    header();
    SearchStatistics& statistics = log_.statistics;
    while (next_line()) {
      if (line_.starts_with(kOrder) && !statistics.collected) {
        order();
      } else if (line_.starts_with(kCommand) && log_.command.empty()) {
        Scanner command(line_.substr(kCommand.size()));
        command.skip_blanks();
        log_.command = std::string(command.rest());
      } else if (line_.find("single successor") != std::string_view::npos) {
        const bool depth_first = log_.order == UsedOrder::kDepthFirst;
        const Numbers n = numbers(depth_first ? kShape : kShapeInOtherOrders);
        statistics.single_successor = n[0];
        statistics.dead_ends = n[1];
        statistics.dfs_problems = n[2];
        statistics.dfs_problems_real = n[3];
        statistics.collected = true;
      } else if (line_.find("of sleeping processes") != std::string_view::npos) {
        statistics.asleep_steps = numbers(kAsleep)[0];
      } else if (line_.starts_with("Double caching")) {
        store(kCacheLines);
      } else if (line_.starts_with("Sorted rounds")) {
        store(kRoundLines);
      } else if (line_.starts_with("Disk wait:")) {
        wait();
      } else if (line_.starts_with("State size hist")) {
        histogram();
        break;
      } else if (line_.starts_with("Search complete") || line_.starts_with("Search incomplete")) {
        fail("one log only");
      }
    }
    // A log has its shape and its histogram, or neither.
    if (statistics.collected && !histogram_seen_) fail_at_end("State size histogram: N:N, ...");
    if (histogram_seen_ && !statistics.collected) fail_at_end(expected(kShape));
    if (statistics.store) derive(*statistics.store);
    return std::move(log_);
  }

 private:
  // Moves on to the next line that is not blank; false: there is none, and line_ is empty.
  bool next_line() {
    line_ = {};
    while (position_ < text_.size()) {
      const size_t end = std::min(text_.find('\n', position_), text_.size());
      line_ = text_.substr(position_, end - position_);
      position_ = end + 1;
      ++number_;
      while (!line_.empty() && is_blank(line_.front())) line_.remove_prefix(1);
      while (!line_.empty() && is_blank(line_.back())) line_.remove_suffix(1);
      if (!line_.empty()) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_header() const {
    return line_.starts_with(kComplete) || line_.starts_with(kIncomplete) || line_.starts_with(kRunning);
  }
  [[noreturn]] void fail(std::string_view wanted) const {
    throw Malformed{fmt::format("line {}: expected: {}", number_, wanted)};
  }
  [[noreturn]] void fail_at_end(std::string_view wanted) const {
    if (number_ == 0) throw Malformed{"the file is empty"};
    throw Malformed{fmt::format("line {}: the text ends; expected: {}", number_, wanted)};
  }
  Numbers numbers(const char* pattern) const {
    const std::optional<Numbers> found = match(line_, pattern);
    if (!found) fail(expected(pattern));
    return *found;
  }

  void header() {
    std::string_view totals = line_;
    if (line_.starts_with(kComplete)) {
      log_.complete = true;
      totals.remove_prefix(kComplete.size());
    } else {
      const size_t open = line_.find('(');
      const size_t close = line_.find("):");
      if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
        fail("Search incomplete (REASON, ...): ...");
      }
      std::string_view reasons = line_.substr(open + 1, close - open - 1);
      while (!reasons.empty()) {
        const size_t length = std::min(reasons.find(", "), reasons.size());
        log_.reasons.emplace_back(reasons.substr(0, length));
        reasons.remove_prefix(std::min(length + 2, reasons.size()));
      }
      totals.remove_prefix(close + 2);
    }
    const std::optional<Numbers> n = match(totals, kTotals);
    if (!n) fail(expected(kTotals));
    log_.visited = (*n)[0];
    log_.created = (*n)[1];
    log_.seconds = static_cast<double>((*n)[2]);
    if (log_.seconds > kMaxLogSeconds) fail("a shorter time");
    log_.max_state_bytes = (*n)[3];
  }

  void order() {
    Scanner name(line_.substr(kOrder.size()));
    name.skip_blanks();
    const std::optional<UsedOrder> order = value_in(kUsedOrderNames, name.rest());
    if (!order) fail("Search order: dfs, bfs, oldest-first or rounds");
    log_.order = *order;
  }

  // The first of these lines is there. Without an optional one the next is the one to be read.
  void store(std::span<const StoreLine> lines) {
    if (log_.statistics.store) fail("one store only");
    const bool in_rounds = lines.data() == kRoundLines;
    StoreFigures& figures = log_.statistics.store.emplace();
    bool is_there = true;
    for (size_t i = 0; i < lines.size(); ++i) {
      const StoreLine& line = lines[i];
      if (!is_there && !next_line()) fail_at_end(expected(lines[line.is_optional ? i + 1 : i].form));
      is_there = line.is_optional && !match(line_, line.form);
      if (is_there) continue;
      store_line(line, figures);
      if (in_rounds && figures.turns == 0) fail("a turn at least");
      if (figures.revisits > ~figures.seen_in_memory) fail("fewer candidates");
    }
    if (!in_rounds) return;
    figures.cache_failures = figures.lookups;
    figures.revisits += figures.seen_in_memory;
  }
  void store_line(const StoreLine& line, StoreFigures& figures) {
    const Numbers n = numbers(line.form);
    const auto count = static_cast<size_t>(std::ranges::count(std::string_view(line.form), '%'));
    for (size_t i = 0; i < count; ++i) {
      if (n[i] > line.figures[i].max())
        fail(line.form == std::string_view(kPages) ? "a smaller number of partitions" : "a smaller k");
      line.figures[i].set(figures, n[i]);
    }
  }

  void wait() {
    const Numbers n = numbers(kWait);
    SearchStatistics& statistics = log_.statistics;
    if (!statistics.store || statistics.disk_wait_seconds) fail("this line once, after the figures of the store");
    statistics.disk_wait_seconds = static_cast<double>(n[0]) / 1000;
    if (*statistics.disk_wait_seconds > kMaxLogSeconds) fail("a shorter time");
    statistics.explicit_partitions = n[1];
  }

  void histogram() {
    const std::string wanted = "State size histogram: N:N, N:N, ...";
    Scanner scanner(line_);
    if (!scanner.literal(kHistogram)) fail(wanted);
    histogram_seen_ = true;
    bool more = !scanner.at_end();
    while (more) {
      scanner.skip_blanks();
      const std::optional<uint64_t> size = scanner.number();
      if (!size || !scanner.literal(":")) fail(wanted);
      scanner.skip_blanks();
      const std::optional<uint64_t> count = scanner.number();
      if (!count) fail(wanted);
      if (*size > std::numeric_limits<uint32_t>::max()) fail("a smaller state size");
      if (!log_.statistics.state_sizes.emplace(static_cast<uint32_t>(*size), *count).second) fail("each size once");
      more = scanner.literal(",") && !scanner.at_end();
      if (!more && !scanner.at_end()) fail(wanted);
    }
  }

  // Impossible differences are left 0; then an identity is broken.
  void derive(StoreFigures& figures) {
    const auto difference = [](uint64_t whole, uint64_t part) { return whole > part ? whole - part : 0; };
    log_.derived = true;
    if (figures.turns > 0) return;  // the text has them
    figures.lossy_left = difference(figures.lossy_elements, figures.reclaimed);
    figures.reopened = difference(log_.visited, figures.bloom_resolved);
    if (log_.complete) {
      figures.duplicate_candidates = difference(difference(figures.lookups, figures.revisits), figures.reopened);
    }
  }

  std::string_view text_;
  std::string_view line_;
  size_t position_ = 0;
  size_t number_ = 0;
  bool histogram_seen_ = false;
  SearchLog log_;
};

}  // namespace

Result<SearchLog> parse_log(std::string_view text) {
  try {
    return LogParser(text).parse();
  } catch (const Malformed& malformed) {
    return Error{malformed.message};
  }
}

}  // namespace cmc
