#include "checker/trace/views/page.h"

#include <fmt/format.h>

#include "checker/report/style/style.h"
#include "checker/trace/views/markup.h"
#include "checker/trace/views/page_files.h"

namespace cmc {
std::string filled(std::string_view page,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> parts) {
  std::string text;
  for (const auto& [name, content] : parts) {
    const std::string mark = fmt::format("{{{{{}}}}}", name);
    const size_t at = page.find(mark);
    text += page.substr(0, at);
    text += content;
    page.remove_prefix(at + mark.size());
  }
  return text + std::string(page);
}

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
  return filled(page_files::kPage, {{"title", escaped_markup(fmt::format("{}: {}", source.model_file, title))},
                                    {"style", page_files::kStyle},
                                    {"data", page_data(model, traces, source, sources)},
                                    {"common", page_files::kCommon},
                                    {"script", page_files::kScript}});
}

}  // namespace cmc
