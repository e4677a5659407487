#include <algorithm>

#include <fmt/format.h>

#include "checker/trace/trace_printer.h"

// The style that has one column per process. Where the line is too short for that, each process has a lane of a few
// characters, and the text stands behind them.

namespace cmc {
namespace {

constexpr size_t kMostColumnWidth = 44;
constexpr size_t kLeastColumnWidth = 14;
constexpr size_t kNumbersWidth = 5;
constexpr size_t kLaneWidth = 3;
constexpr const char* kMeets = "  =>  ";

std::string numbers(uint64_t first, uint64_t last) {
  return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

}  // namespace

void TracePrinter::name_column(const StepText::Actor& actor) {
  std::string& name = column_names_[actor.pid];
  const std::string label = process_label(actor);
  if (name.find(label) == std::string::npos) name += (name.empty() ? "" : "/") + label;
}

void TracePrinter::add_row(const TraceStep& step) {
  const StepText& text = step.text;
  Row row;
  row.first = row.last = step.number;
  std::string values;
  if (step.message) values = fmt::format("  [{}]", fmt::join(step.message->fields, ","));
  name_column(text.actor);
  if (text.partner) {
    name_column(*text.partner);
    const bool rightwards = text.actor.pid < text.partner->pid;
    row.cells[text.actor.pid] = text.actor.text + (rightwards ? "  >>>" : "  <<<");
    row.cells[text.partner->pid] = (rightwards ? ">>>  " : "<<<  ") + text.partner->text + values;
  } else {
    row.cells[text.actor.pid] = text.actor.text + values;
  }
  row.note = notes_of(step);
  if (!step.remarks.empty()) {
    row.note += fmt::format("{}  {}\n", std::string(kNumbersWidth, ' '),
                            printable(fmt::format("{}", fmt::join(step.remarks, ", "))));
  }
  rows_.push_back(std::move(row));
}

// The widest that fit; none: they do not.
std::map<uint8_t, size_t> TracePrinter::column_widths() const {
  std::map<uint8_t, size_t> widths;
  for (const auto& [pid, name] : column_names_) widths[pid] = name.size();
  for (const Row& row : rows_) {
    for (const auto& [pid, cell] : row.cells)
      widths[pid] = std::max(widths[pid], std::min(display_width(printable(cell)), kMostColumnWidth));
  }
  if (options_.width == 0) return widths;
  for (size_t most = kMostColumnWidth; most >= kLeastColumnWidth; --most) {
    size_t total = kNumbersWidth;
    for (auto& [pid, width] : widths) total += 3 + (width = std::min(width, most));
    if (total <= options_.width) return widths;
  }
  return {};
}

void TracePrinter::print_row(const Row& row, const std::map<uint8_t, size_t>& widths) {
  std::map<uint8_t, std::vector<std::string>> cells;
  size_t height = 1;
  for (const auto& [pid, cell] : row.cells) {
    cells[pid] = wrapped(printable(cell), widths.at(pid));
    height = std::max(height, cells[pid].size());
  }
  for (size_t i = 0; i < height; ++i) {
    std::string line = fmt::format("{:>{}}", i == 0 ? numbers(row.first, row.last) : "", kNumbersWidth);
    for (const auto& [pid, width] : widths) {
      const auto cell = cells.find(pid);
      const bool filled = cell != cells.end() && i < cell->second.size();
      const std::string text = pad_right(filled ? cell->second[i] : "", width);
      line += " | " + (filled ? palette_.paint_process(pid, text) : text);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    sink_(line + '\n');
  }
  sink_(row.note);
}

void TracePrinter::print_rows() {
  if (rows_.empty()) return;
  const std::map<uint8_t, size_t> widths = column_widths();
  if (widths.empty() && !column_names_.empty()) return print_lanes();
  std::string head = fmt::format("{:>{}}", "step", kNumbersWidth);
  std::string rule = std::string(kNumbersWidth, '-');
  for (const auto& [pid, width] : widths) {
    const std::string name = wrapped(printable(column_names_[pid]), width).front();
    head += " | " + palette_.paint_process(pid, pad_right(name, width));
    rule += "-+-" + std::string(width, '-');
  }
  sink_(head + '\n' + rule + '\n');
  for (const Row& row : rows_) {
    if (row.is_mark) {
      sink_(row.note);
    } else {
      print_row(row, widths);
    }
  }
  rows_.clear();
}

// "   12 |     *-->>  " and behind it what happens.
void TracePrinter::print_lanes() {
  std::map<uint8_t, size_t> lanes;
  std::string head = fmt::format("{:>{}} ", "pid", kNumbersWidth);
  for (const auto& [pid, name] : column_names_) {
    const size_t lane = lanes.size();
    lanes[pid] = lane;
    head += palette_.paint_process(pid, pad_right(pid == kNoProcess ? "-" : std::to_string(pid), kLaneWidth));
  }
  sink_(head + '\n');
  const size_t margin = kNumbersWidth + 1 + lanes.size() * kLaneWidth + 1;
  for (const Row& row : rows_) {
    if (row.is_mark) {
      sink_(row.note);
      continue;
    }
    std::string drawn(lanes.size() * kLaneWidth, ' ');
    for (size_t lane = 0; lane < lanes.size(); ++lane) drawn[lane * kLaneWidth] = '.';
    std::string text;
    for (const auto& [pid, cell] : row.cells) {
      drawn[lanes[pid] * kLaneWidth] = '*';
      text += (text.empty() ? "" : kMeets) + column_names_[pid] + "  " + cell;
    }
    if (row.cells.size() == 2) {
      const size_t from = lanes[row.cells.begin()->first] * kLaneWidth;
      const size_t to = lanes[row.cells.rbegin()->first] * kLaneWidth;
      std::fill(drawn.begin() + static_cast<ptrdiff_t>(from) + 1, drawn.begin() + static_cast<ptrdiff_t>(to), '-');
    }
    std::string line = fmt::format("{:>{}} {} ", numbers(row.first, row.last), kNumbersWidth, drawn);
    const size_t rest = options_.width > margin + kLeastColumnWidth ? options_.width - margin : 0;
    for (const std::string& part : wrapped(printable(text), rest)) {
      sink_(line + palette_.paint_process(row.cells.begin()->first, part) + '\n');
      line = std::string(margin, ' ');
    }
    sink_(row.note);
  }
  rows_.clear();
}

}  // namespace cmc
