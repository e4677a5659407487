#include "checker/report/trace_printer.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace cmc {
namespace {

constexpr size_t kStatementWidth = 26;
constexpr size_t kMaxColumnWidth = 44;
constexpr size_t kNumberWidth = 5;

// Without its folders: those are in the error's own line.
std::string short_place(const StepText::Actor& actor) {
  if (actor.file.empty()) return "";
  return fmt::format("{}:{}", std::filesystem::path(actor.file).filename().string(), actor.line);
}

std::string message_note(const MessageText& message) {
  switch (message.kind) {
    case MessageText::Kind::kSent: return fmt::format("[{}] -> {}", message.values, message.channel);
    case MessageText::Kind::kReceived: return fmt::format("[{}] <- {}", message.values, message.channel);
    case MessageText::Kind::kRead: return fmt::format("[{}] stays in {}", message.values, message.channel);
    case MessageText::Kind::kHandedOver: return fmt::format("[{}]", message.values);
  }
  return "";
}

std::string cut(const std::string& text, size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 2) + "..";
}

std::string number_of(const TraceStep& step) {
  return step.step.pid == kNoProcess ? "" : std::to_string(step.index + 1);
}

// Every line of a printed text, with a margin.
std::string quoted_output(std::string_view printed) {
  std::string text;
  if (printed.ends_with('\n')) printed.remove_suffix(1);
  while (true) {
    const size_t length = std::min(printed.find('\n'), printed.size());
    text += fmt::format("{} | {}\n", std::string(kNumberWidth, ' '), printable(printed.substr(0, length)));
    if (length == printed.size()) return text;
    printed.remove_prefix(length + 1);
  }
}

}  // namespace

TracePrinter::TracePrinter(const Model& model, TraceOptions options, const Palette& palette, Sink sink)
    : model_(model), options_(options), palette_(palette), sink_(std::move(sink)) {
  for (const Proctype& proctype : model.proctypes) process_width_ = std::max(process_width_, proctype.name.size());
  process_width_ = std::min<size_t>(process_width_ + 5, 24);
  for (const std::string& file : model.files) {
    place_width_ = std::max(place_width_, std::filesystem::path(file).filename().string().size());
  }
  place_width_ = std::min<size_t>(place_width_ + 6, 30);
}

void TracePrinter::step(const TraceStep& step) {
  if (options_.shown_last > 0 && step.index + options_.shown_last < options_.total_steps) {
    if (step.index == 0) {
      sink_(fmt::format("      ... the first {} left out (--trace-limit 0 shows all)\n",
                        plural(options_.total_steps - options_.shown_last, "step")));
    }
    return;
  }
  const StepText text = describe_step(model_, step.before, step.step);
  const StateImage before = decode_state(model_, step.before);
  const StateImage after = step.after.empty() ? before : decode_state(model_, step.after);
  if (options_.style == TraceStyle::kColumns) {
    add_row(step, text, before, after);
  } else {
    print_line(step, text, before, after);
  }
}

void TracePrinter::print_line(const TraceStep& step, const StepText& text, const StateImage& before,
                              const StateImage& after) {
  std::string statement = text.actor.text;
  if (text.partner) {
    statement +=
        fmt::format("  =>  {} {} {}", process_label(*text.partner), short_place(*text.partner), text.partner->text);
  }
  std::vector<std::string> details;
  const std::optional<MessageText> message = message_of_step(model_, step.before, step.step, before, after);
  if (message) details.push_back(message_note(*message));
  if (text.timeout) details.push_back("timeout");
  const std::vector<std::string> changes = describe_changes(before, after, message ? message->channel : "");
  details.insert(details.end(), changes.begin(), changes.end());
  details.insert(details.end(), step.remarks.begin(), step.remarks.end());

  std::string line =
      fmt::format("{:>{}}  {} {} {}", number_of(step), kNumberWidth,
                  palette_.paint(Tone::kProcess, pad_right(printable(process_label(text.actor)), process_width_)),
                  palette_.paint(Tone::kPlace, pad_right(printable(short_place(text.actor)), place_width_)),
                  details.empty() ? printable(statement) : pad_right(printable(statement), kStatementWidth));
  if (!details.empty())
    line += "  " + palette_.paint(Tone::kFaint, printable(fmt::format("{}", fmt::join(details, ", "))));
  sink_(line + '\n');

  if (const auto printed = options_.show_printed ? printed_by_step(model_, step.before, step.step) : std::nullopt) {
    sink_(quoted_output(*printed));
  }
  for (const std::string& truncation : truncations_of_step(model_, step.before, step.step)) {
    sink_(note_line(truncation));
  }
  for (const RuntimeError& error : step.errors) sink_(error_line(error));
  const bool shows_state = options_.style == TraceStyle::kFull && step.step.pid != kNoProcess;
  if (shows_state && !step.after.empty()) sink_(state_text(model_, after, kNumberWidth + 4));
}

void TracePrinter::mark(std::string_view text) {
  const std::string line =
      fmt::format("{}  {}\n", std::string(kNumberWidth, ' '), palette_.paint(Tone::kStrong, printable(text)));
  if (options_.style != TraceStyle::kColumns) return sink_(line);
  Row row;
  row.note = line;
  row.is_mark = true;
  rows_.push_back(std::move(row));
}

std::string TracePrinter::note_line(const std::string& text) const {
  return fmt::format("{} {} {}\n", std::string(kNumberWidth, ' '), palette_.paint(Tone::kDoubtful, "note:"),
                     printable(text));
}

std::string TracePrinter::error_line(const RuntimeError& error) const {
  if (is_reason(error.kind)) return note_line(error.message);
  const std::string label = palette_.paint(Tone::kBad, "error:");
  return fmt::format("{} {} {}\n", std::string(kNumberWidth, ' '), label, printable(error.message));
}

void TracePrinter::add_row(const TraceStep& step, const StepText& text, const StateImage& before,
                           const StateImage& after) {
  Row row;
  row.index = step.index;
  std::string values;
  const std::optional<MessageText> message = message_of_step(model_, step.before, step.step, before, after);
  if (message) values = fmt::format("  [{}]", message->values);
  const auto name_column = [&](const StepText::Actor& actor) {
    std::string& name = column_names_[actor.pid];
    const std::string label = process_label(actor);
    if (name.find(label) == std::string::npos) name += (name.empty() ? "" : "/") + label;
  };
  name_column(text.actor);
  if (text.partner) {
    name_column(*text.partner);
    const bool rightwards = text.actor.pid < text.partner->pid;
    row.cells[text.actor.pid] = text.actor.text + (rightwards ? "  >>>" : "  <<<");
    row.cells[text.partner->pid] = (rightwards ? ">>>  " : "<<<  ") + text.partner->text + values;
  } else {
    row.cells[text.actor.pid] = text.actor.text + values;
  }
  if (options_.show_printed) {
    if (const auto printed = printed_by_step(model_, step.before, step.step)) row.note += quoted_output(*printed);
  }
  for (const std::string& truncation : truncations_of_step(model_, step.before, step.step)) {
    row.note += note_line(truncation);
  }
  if (!step.remarks.empty()) {
    row.note += fmt::format("{}  {}\n", std::string(kNumberWidth, ' '),
                            printable(fmt::format("{}", fmt::join(step.remarks, ", "))));
  }
  for (const RuntimeError& error : step.errors) row.note += error_line(error);
  rows_.push_back(std::move(row));
}

void TracePrinter::print_rows() {
  std::map<uint8_t, size_t> widths;
  for (const auto& [pid, name] : column_names_) widths[pid] = name.size();
  for (const Row& row : rows_) {
    for (const auto& [pid, cell] : row.cells)
      widths[pid] = std::max(widths[pid], std::min(cell.size(), kMaxColumnWidth));
  }
  std::string head = fmt::format("{:>{}}", "step", kNumberWidth);
  std::string rule = std::string(kNumberWidth, '-');
  for (const auto& [pid, name] : column_names_) {
    head += " | " + palette_.paint(Tone::kProcess, pad_right(cut(printable(name), widths[pid]), widths[pid]));
    rule += "-+-" + std::string(widths[pid], '-');
  }
  if (!rows_.empty()) sink_(head + '\n' + rule + '\n');
  for (const Row& row : rows_) {
    if (row.is_mark) {
      sink_(row.note);
      continue;
    }
    std::string line = fmt::format("{:>{}}", row.index + 1, kNumberWidth);
    for (const auto& [pid, name] : column_names_) {
      const auto cell = row.cells.find(pid);
      const std::string text = cell == row.cells.end() ? "" : cut(printable(cell->second), widths[pid]);
      line += " | " + pad_right(text, widths[pid]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    sink_(line + '\n' + row.note);
  }
  rows_.clear();
}

void TracePrinter::flush() { print_rows(); }

void TracePrinter::finish(ByteView final_state, std::string_view heading) {
  flush();
  if (final_state.empty()) return;
  sink_(fmt::format("\n{}\n", palette_.paint(Tone::kStrong, heading)));
  sink_(state_text(model_, decode_state(model_, final_state), 2) + '\n');
}

}  // namespace cmc
