#include "checker/trace/views/page.h"

#include <fmt/format.h>

#include "checker/report/style/style.h"
#include "checker/trace/views/markup.h"
#include "checker/trace/views/page_files.h"

namespace cmc {
namespace {

// Each {{name}} of the page once, in its order.
class Filler {
 public:
  explicit Filler(std::string_view page) : rest_(page) {}

  void fill(std::string_view name, std::string_view content) {
    const std::string mark = fmt::format("{{{{{}}}}}", name);
    const size_t at = rest_.find(mark);
    text_ += rest_.substr(0, at);
    text_ += content;
    rest_.remove_prefix(at + mark.size());
  }
  std::string take() {
    text_ += rest_;
    return std::move(text_);
  }

 private:
  std::string_view rest_;
  std::string text_;
};

}  // namespace

std::string trace_title(const Trace& trace) {
  uint64_t steps = trace.left_out;
  for (const TraceStep& step : trace.steps) steps += step.of_claim() ? 0 : 1;
  const std::string what = trace.error.kind.empty() ? "simulation" : printable(trace.error.message);
  std::string title = fmt::format("{}, {}", what, plural(steps, "step"));
  if (trace.loop_start > steps) title += ", then the system is blocked";
  if (trace.loop_start > 0 && trace.loop_start <= steps)
    title += fmt::format(", the last {} of them for ever", format_count(steps + 1 - trace.loop_start));
  return title;
}

std::string trace_page(const Model& model, std::span<const Trace* const> traces, const TraceSource& source,
                       std::span<const SourceText> sources) {
  const std::string title = traces.empty() ? "no counterexample" : trace_title(*traces.front());
  Filler page(page_files::kPage);
  page.fill("title", escaped_markup(fmt::format("{}: {}", source.model_file, title)));
  page.fill("style", page_files::kStyle);
  page.fill("data", page_data(model, traces, source, sources));
  page.fill("script", page_files::kScript);
  return page.take();
}

}  // namespace cmc
