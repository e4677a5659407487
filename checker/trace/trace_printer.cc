#include "checker/trace/trace_printer.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/trace/places.h"

namespace cmc {
namespace {

constexpr size_t kStatementWidth = 26;
constexpr size_t kNumberWidth = 5;
constexpr size_t kLeastFolded = 3;
constexpr size_t kShownLines = 20;  // of an explanation

// Without its folders: those are in the error's own line.
std::string short_place(const StepText::Actor& actor) {
  return actor.file.empty() ? "" : fmt::format("{}:{}", file_name(actor.file), actor.line);
}

std::string message_note(const TraceMessage& message) {
  const std::string values = fmt::format("[{}]", fmt::join(message.fields, ","));
  switch (message.kind) {
    case TraceMessage::Kind::kSent: return fmt::format("{} -> {}", values, message.channel);
    case TraceMessage::Kind::kReceived: return fmt::format("{} <- {}", values, message.channel);
    case TraceMessage::Kind::kRead: return fmt::format("{} stays in {}", values, message.channel);
    case TraceMessage::Kind::kHandedOver: return values;
  }
  return values;
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

// "NAME.pml:12-15"
std::string places_of(const std::vector<TraceStep>& steps) {
  const StepText::Actor& first = steps.front().text.actor;
  uint32_t low = first.line;
  uint32_t high = first.line;
  for (const TraceStep& step : steps) {
    if (step.text.actor.file != first.file) return short_place(first);
    low = std::min(low, step.text.actor.line);
    high = std::max(high, step.text.actor.line);
  }
  return low == high ? short_place(first) : fmt::format("{}:{}-{}", file_name(first.file), low, high);
}

// What all the steps changed together.
std::vector<std::string> total_changes(const std::vector<TraceStep>& steps) {
  std::vector<TraceChange> total;
  for (const TraceStep& step : steps) {
    for (const TraceChange& change : step.changes) {
      const auto known = std::ranges::find(total, change.name, &TraceChange::name);
      if (known == total.end()) {
        total.push_back(change);
      } else {
        known->new_value = change.new_value;
      }
    }
  }
  std::vector<std::string> texts;
  for (const TraceChange& change : total) {
    if (change.old_value == change.new_value) continue;
    texts.push_back(fmt::format("{}: {} -> {}", change.name, change.old_value, change.new_value));
  }
  return texts;
}

}  // namespace

TracePrinter::TracePrinter(const Model& model, TraceOptions options, const Palette& palette, Sink sink)
    : model_(model), options_(std::move(options)), palette_(palette), sink_(std::move(sink)), filter_(options_.only) {
  for (const Proctype& proctype : model.proctypes) process_width_ = std::max(process_width_, proctype.name.size());
  process_width_ = std::min<size_t>(process_width_ + 5, 24);
  for (const std::string& file : model.files) {
    place_width_ = std::max(place_width_, file_name(file).size());
  }
  place_width_ = std::min<size_t>(place_width_ + 6, 30);
}

void TracePrinter::start(const StateImage& state, uint64_t left_out) {
  if (options_.style == TraceStyle::kFull) state_ = state;
  if (left_out == 0) return;
  sink_(fmt::format("      ... the first {} left out (--trace-limit 0 shows all)\n", plural(left_out, "step")));
}

void TracePrinter::step(const TraceStep& step, bool shown) {
  if (options_.style == TraceStyle::kFull) apply(step, state_);
  if (!shown) return;
  if (!filter_.shows(step)) {
    release();
    ++skipped_;
    return;
  }
  show_skipped();
  const bool folds = options_.fold && options_.style != TraceStyle::kFull && is_local(step);
  if (!folds || (!folded_.empty() && folded_.back().text.actor.pid != step.text.actor.pid)) release();
  if (folds) {
    folded_.push_back(step);
  } else {
    show(step);
  }
}

void TracePrinter::show(const TraceStep& step) {
  if (options_.style == TraceStyle::kColumns) {
    add_row(step);
  } else {
    print_line(step);
  }
}

// What was held back.
void TracePrinter::release() {
  if (folded_.size() >= kLeastFolded) {
    show_folded();
  } else {
    for (const TraceStep& step : folded_) show(step);
  }
  folded_.clear();
}

void TracePrinter::show_folded() {
  const StepText::Actor& actor = folded_.front().text.actor;
  const uint64_t first = folded_.front().number;
  const uint64_t last = folded_.back().number;
  const std::string text = fmt::format("... {} local steps", folded_.size());
  if (options_.style == TraceStyle::kColumns) {
    name_column(actor);
    rows_.push_back({first, last, {{actor.pid, text}}, "", false});
  } else {
    sink_(line(fmt::format("{}-{}", first, last), actor, places_of(folded_), text, total_changes(folded_)));
  }
}

void TracePrinter::show_skipped() {
  if (skipped_ == 0) return;
  const std::string text = fmt::format("... {} with nothing of --only", plural(skipped_, "step"));
  skipped_ = 0;
  mark(text);
}

std::string TracePrinter::line(const std::string& number, const StepText::Actor& actor, const std::string& place,
                               const std::string& statement, const std::vector<std::string>& details) const {
  const std::string label = pad_right(printable(process_label(actor)), process_width_);
  std::string text = fmt::format(
      "{:>{}}  {} {} {}", number, kNumberWidth,
      actor.pid == kNoProcess ? palette_.paint(Tone::kProcess, label) : palette_.paint_process(actor.pid, label),
      palette_.paint(Tone::kPlace, pad_right(printable(place), place_width_)),
      details.empty() ? printable(statement) : pad_right(printable(statement), kStatementWidth));
  if (!details.empty())
    text += "  " + palette_.paint(Tone::kFaint, printable(fmt::format("{}", fmt::join(details, ", "))));
  return text + '\n';
}

void TracePrinter::print_line(const TraceStep& step) {
  const StepText& text = step.text;
  std::string statement = text.actor.text;
  if (text.partner) {
    statement +=
        fmt::format("  =>  {} {} {}", process_label(*text.partner), short_place(*text.partner), text.partner->text);
  }
  std::vector<std::string> details;
  if (step.message) details.push_back(message_note(*step.message));
  if (text.timeout) details.push_back("timeout");
  const std::vector<std::string> changes = change_texts(step);
  details.insert(details.end(), changes.begin(), changes.end());
  details.insert(details.end(), step.remarks.begin(), step.remarks.end());
  sink_(line(step.of_claim() ? "" : std::to_string(step.number), text.actor, short_place(text.actor), statement,
             details));
  sink_(notes_of(step));
  const bool shows_state = options_.style == TraceStyle::kFull && !step.of_claim() && !step.cut;
  if (shows_state) sink_(state_text(model_, state_, kNumberWidth + 4, options_.width));
}

// Printed text, notes and errors, a line each.
std::string TracePrinter::notes_of(const TraceStep& step) const {
  std::string text;
  const auto add = [&](Tone tone, const char* label, const std::string& content) {
    text +=
        fmt::format("{} {} {}\n", std::string(kNumberWidth, ' '), palette_.paint(tone, label), printable(content));
  };
  if (options_.show_printed && step.printed) text += quoted_output(*step.printed);
  for (const std::string& note : step.notes) add(Tone::kDoubtful, "note:", note);
  for (const RuntimeError& error : step.errors) {
    const bool reason = is_reason(error.kind);
    add(reason ? Tone::kDoubtful : Tone::kBad, reason ? "note:" : "error:", error.message);
  }
  return text;
}

void TracePrinter::mark(std::string_view text) {
  release();
  const std::string written =
      fmt::format("{}  {}\n", std::string(kNumberWidth, ' '), palette_.paint(Tone::kStrong, printable(text)));
  if (options_.style != TraceStyle::kColumns) return sink_(written);
  Row row;
  row.note = written;
  row.is_mark = true;
  rows_.push_back(std::move(row));
}

void TracePrinter::flush() {
  release();
  show_skipped();
  print_rows();
}

void TracePrinter::finish(const StateImage& final_state, std::string_view heading) {
  flush();
  sink_(fmt::format("\n{}\n", palette_.paint(Tone::kStrong, heading)));
  sink_(state_text(model_, final_state, 2, options_.width) + '\n');
}

void TracePrinter::explain(const Explanation& explanation) {
  if (explanation.lines.empty()) return;
  sink_(palette_.paint(Tone::kStrong, "why:") + '\n');
  const size_t shown = std::min(explanation.lines.size(), kShownLines);
  for (size_t i = 0; i < shown; ++i) {
    std::string margin = "  ";
    const size_t width = options_.width > 40 ? options_.width - 4 : options_.width;
    for (const std::string& part : wrapped(printable(explanation.lines[i]), width)) {
      sink_(margin + part + '\n');
      margin = "    ";
    }
  }
  if (shown < explanation.lines.size()) sink_(fmt::format("  ... and {} more\n", explanation.lines.size() - shown));
  sink_("\n");
}

}  // namespace cmc
