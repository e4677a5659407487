#include <algorithm>

#include <fmt/format.h>

#include "checker/report/style/style.h"
#include "checker/trace/views/lanes.h"
#include "checker/trace/views/markup.h"
#include "checker/trace/views/page.h"
#include "checker/trace/views/process_colour.h"

namespace cmc {
namespace {

constexpr int kRow = 26;
constexpr int kHead = 48;
constexpr int kNumbers = 52;
constexpr int kEdge = 7;
constexpr int kLine = 17;  // of the caption
constexpr int kLeastChanges = 160;
constexpr int kCharacter = 7;  // width of one
constexpr size_t kMostCharacters = 30;

constexpr const char* kStyle =
    "<style>\n"
    "svg{background:#fff;font:12px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}\n"
    "text{fill:#1c2430}.n,.c{fill:#7b8698;font-size:11px}.h{font-weight:600;font-size:12.5px}\n"
    ".b{fill-opacity:.10;stroke-opacity:.45}.e{fill:#c8281e}.l{stroke:#2563eb}\n"
    "@media(prefers-color-scheme:dark){svg{background:#171c25}text{fill:#e4e8ef}.n,.c{fill:#98a3b5}"
    ".b{fill-opacity:.22}.e{fill:#ff8078}}\n"
    "</style>\n";

class Drawing {
 public:
  explicit Drawing(const Trace& trace) : trace_(trace) {
    size_t lane = 0;
    size_t longest = 10;
    for (const auto& [pid, label] : lanes_of(trace)) {
      lanes_[pid] = lane++;
      labels_.push_back(label);
      longest = std::max(longest, display_width(label));
    }
    for (const TraceStep& step : trace.steps) {
      if (is_in_chart(step)) longest = std::max(longest, display_width(step.text.actor.text));
    }
    characters_ = std::min(longest, kMostCharacters);
    lane_width_ = static_cast<int>(characters_) * kCharacter + 30;
    changes_at_ = kNumbers + static_cast<int>(lanes_.size()) * lane_width_ + 8;
  }

  std::string draw() {
    for (const TraceStep& step : trace_.steps) {
      if (trace_.loop_start > 0 && step.number == trace_.loop_start) mark_loop();
      if (is_in_chart(step)) add(step);
    }
    const int width = changes_at_ + std::max(kLeastChanges, static_cast<int>(longest_change_) * kCharacter) + 16;
    const std::vector<std::string> caption =
        wrapped(printable(trace_title(trace_)), static_cast<size_t>((width - kNumbers - 16) / kCharacter));
    const int bottom = kHead + rows_ * kRow + 4;
    const int height = bottom + static_cast<int>(caption.size()) * kLine + 24;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
        "<title>{2}</title>\n{3}",
        width, height, escaped_markup(trace_title(trace_)), kStyle);
    for (const auto& [pid, lane] : lanes_) svg += head(pid, lane, bottom);
    svg += arrows_ + boxes_;
    for (size_t i = 0; i < caption.size(); ++i) {
      svg += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", trace_.error.kind.empty() ? "c" : "e",
                         kNumbers, bottom + 24 + static_cast<int>(i) * kLine, escaped_markup(caption[i]));
    }
    return svg + "</svg>\n";
  }

 private:
  [[nodiscard]] int left(uint32_t pid) const { return kNumbers + static_cast<int>(lanes_.at(pid)) * lane_width_; }
  [[nodiscard]] int top(int row) const { return kHead + row * kRow; }

  [[nodiscard]] std::string head(uint32_t pid, size_t lane, int bottom) const {
    const int middle = left(pid) + lane_width_ / 2;
    return fmt::format(
        "<line x1=\"{0}\" x2=\"{0}\" y1=\"34\" y2=\"{1}\" stroke=\"{2}\" stroke-opacity=\".35\" "
        "stroke-dasharray=\"3 3\"/>\n<text class=\"h\" x=\"{0}\" y=\"24\" text-anchor=\"middle\">{3}</text>\n",
        middle, bottom, process_colour(pid), escaped_markup(cut_in_middle(labels_[lane], characters_)));
  }

  void mark_loop() {
    boxes_ += fmt::format(
        "<line class=\"l\" x1=\"6\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>\n<text class=\"n\" x=\"6\" "
        "y=\"{}\">loop</text>\n",
        changes_at_, top(rows_), top(rows_), top(rows_) - 2);
  }

  void box(uint32_t pid, const std::string& text) {
    boxes_ += fmt::format(
        "<rect class=\"b\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\" fill=\"{}\" stroke=\"{}\"/>"
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\"><title>{}</title>{}</text>\n",
        left(pid) + kEdge, top(rows_) + 3, lane_width_ - 2 * kEdge, kRow - 6, process_colour(pid),
        process_colour(pid), left(pid) + lane_width_ / 2, top(rows_) + 17, escaped_markup(text),
        escaped_markup(cut_in_middle(text, characters_)));
  }

  void add(const TraceStep& step) {
    const uint32_t pid = step.text.actor.pid;
    boxes_ += fmt::format("<text class=\"n\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", kNumbers - 8,
                          top(rows_) + 17, step.number);
    box(pid, step.text.actor.text);
    if (step.text.partner) {
      box(step.text.partner->pid, step.text.partner->text);
      arrow(pid, rows_, step.text.partner->pid, rows_);
    }
    if (step.message && step.message->kind == TraceMessage::Kind::kSent) sent_[step.number] = {pid, rows_};
    if (step.message && step.message->kind == TraceMessage::Kind::kReceived) {
      const auto send = sent_.find(step.message->sent_at);
      if (send != sent_.end()) arrow(send->second.first, send->second.second, pid, rows_);
    }
    std::vector<std::string> texts = change_texts(step);
    if (step.message) texts.insert(texts.begin(), fmt::format("[{}]", fmt::join(step.message->fields, ",")));
    for (const RuntimeError& error : step.errors) texts.push_back(error.message);
    const std::string changes = cut_in_middle(fmt::format("{}", fmt::join(texts, ", ")), 2 * kMostCharacters);
    longest_change_ = std::max(longest_change_, display_width(changes));
    boxes_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", step.errors.empty() ? "c" : "e",
                          changes_at_, top(rows_) + 17, escaped_markup(changes));
    ++rows_;
  }

  void arrow(uint32_t from, int from_row, uint32_t to, int to_row) {
    const bool right = lanes_.at(to) > lanes_.at(from) || from == to;
    const int x1 = left(from) + (right ? lane_width_ - kEdge : kEdge);
    const int x2 = left(to) + (right && from != to ? kEdge : lane_width_ - kEdge);
    const int tip = right && from != to ? -1 : 1;
    const int y1 = top(from_row) + kRow / 2;
    const int y2 = top(to_row) + kRow / 2;
    arrows_ += fmt::format(
        "<path d=\"M{} {}L{} {}\" stroke=\"{}\" stroke-width=\"1.5\" stroke-opacity=\".75\"/>"
        "<path d=\"M{} {}l{} -4v8z\" fill=\"{}\"/>\n",
        x1, y1, x2 + tip * 5, y2, process_colour(from), x2, y2, tip * 7, process_colour(from));
  }

  const Trace& trace_;
  std::map<uint32_t, size_t> lanes_;
  std::vector<std::string> labels_;
  size_t characters_ = 0;
  int lane_width_ = 0;
  int changes_at_ = 0;
  size_t longest_change_ = 0;
  int rows_ = 0;
  std::map<uint64_t, std::pair<uint32_t, int>> sent_;  // by number of the step: by whom, in which row
  std::string arrows_;
  std::string boxes_;
};

}  // namespace

std::string svg_chart(const Trace& trace) { return Drawing(trace).draw(); }

}  // namespace cmc
