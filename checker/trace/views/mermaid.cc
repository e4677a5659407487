#include <algorithm>

#include <fmt/format.h>

#include "checker/report/style/style.h"
#include "checker/trace/views/lanes.h"

namespace cmc {
namespace {

// What would end a text, begin a comment or be read as HTML is written as a character's number or name.
std::string in_quotes(std::string_view text) {
  static constexpr Escape kEscapes[] = {{';', "#59;"},   {'#', "#35;"}, {'<', "#lt;"},  {'>', "#gt;"},
                                        {'"', "#quot;"}, {'%', "#37;"}, {'{', "#123;"}, {'}', "#125;"}};
  return escaped(valid_utf8(text), kEscapes, " ");
}

std::string id_of(uint32_t pid) { return fmt::format("p{}", pid); }

class Chart {
 public:
  explicit Chart(const Trace& trace) : trace_(trace), lanes_(lanes_of(trace)) {}

  std::string draw() {
    text_ = "sequenceDiagram\n";
    for (const auto& [pid, label] : lanes_) line("participant {} as {}", id_of(pid), in_quotes(label));
    if (trace_.left_out > 0) note_over_all(fmt::format("{} steps are left out", trace_.left_out));
    for (const TraceStep& step : trace_.steps) {
      if (trace_.loop_start > 0 && !in_loop_ && step.number == trace_.loop_start) begin_loop();
      if (is_in_chart(step)) add(step);
    }
    if (in_loop_) text_ += "    end\n";
    if (!trace_.error.message.empty()) note_over_all(trace_.error.message);
    return std::move(text_);
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += "    ";
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }

  void note_over_all(const std::string& content) {
    if (lanes_.empty()) return;
    const std::string last = lanes_.size() > 1 ? "," + id_of(lanes_.rbegin()->first) : "";
    line("Note over {}{}: {}", id_of(lanes_.begin()->first), last, in_quotes(content));
  }

  void begin_loop() {
    in_loop_ = true;
    line("loop for ever");
  }

  void add(const TraceStep& step) {
    const std::string who = id_of(step.text.actor.pid);
    std::string text = fmt::format("{} {}", step.number, step.text.actor.text);
    for (const std::string& change : change_texts(step)) text += ", " + change;
    const bool received = step.message && step.message->kind == TraceMessage::Kind::kReceived;
    if (step.text.partner) {
      line("{}->>{}: {}", who, id_of(step.text.partner->pid), in_quotes(text));
    } else if (received && senders_.contains(step.message->sent_at)) {
      line("{}-){}: {}", id_of(senders_[step.message->sent_at]), who,
           in_quotes(fmt::format("{} (sent at {})", text, step.message->sent_at)));
    } else {
      line("Note over {}: {}", who, in_quotes(text));
    }
    if (step.message && step.message->kind == TraceMessage::Kind::kSent) senders_[step.number] = step.text.actor.pid;
  }

  const Trace& trace_;
  const std::map<uint32_t, std::string> lanes_;
  std::map<uint64_t, uint32_t> senders_;  // by number of the step
  std::string text_;
  bool in_loop_ = false;
};

}  // namespace

std::map<uint32_t, std::string> lanes_of(const Trace& trace) {
  std::map<uint32_t, std::vector<std::string>> names;
  const auto add = [&](uint32_t pid, const std::string& label) {
    std::vector<std::string>& known = names[pid];
    if (std::ranges::find(known, label) == known.end()) known.push_back(label);
  };
  for (const ProcessImage& process : trace.initial.processes) add(process.pid, process_label(process));
  for (const TraceStep& step : trace.steps) {
    for (const ProcessImage& process : step.started) add(process.pid, process_label(process));
  }
  std::map<uint32_t, std::string> lanes;
  for (const auto& [pid, labels] : names) lanes[pid] = fmt::format("{}", fmt::join(labels, " / "));
  return lanes;
}

bool is_in_chart(const TraceStep& step) {
  const bool plain = step.kind == "condition" || step.kind == "assertion" || step.kind == "else" ||
                     step.kind == "jump" || is_local(step);
  return !step.of_claim() && (!step.errors.empty() || !plain || step.text.timeout);
}

std::string mermaid_chart(const Trace& trace) { return Chart(trace).draw(); }

}  // namespace cmc
