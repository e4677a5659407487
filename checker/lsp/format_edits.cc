#include "checker/lsp/format_edits.h"

#include "checker/lsp/features.h"

namespace cmc::lsp {

Result<Json> format_edits(const Document& document, const OpenTexts& open, const promela::CompileOptions& options,
                          const promela::Layout& layout, const Range& range) {
  const TextBuffer& before = document.buffer();
  promela::Sources sources;
  for (const auto& [path, text] : open) sources.replace(path, text->text());
  const uint32_t main = sources.add(document.path(), before.text());
  promela::Diagnostics diagnostics(sources);
  if (!promela::parses(sources, main, options, diagnostics)) return Error{"the text has errors"};
  const TextBuffer after(promela::formatted(before.text(), layout));
  if (const auto difference = promela::difference(before.text(), after.text(), document.path(), options.preprocessor))
    return Error{"laid out, the text " + *difference};
  Json edits = Json::array();
  for (uint32_t number = range.start.line; number < before.line_count() && number <= range.end.line; ++number) {
    const std::string_view line = before.line(number);
    const std::string_view wanted = after.line(number);
    if (line == wanted) continue;
    edits.push_back({{"range", to_json(Range{{number, 0}, {number, utf16_units(line)}})}, {"newText", wanted}});
  }
  // A last line without an end.
  const auto last = static_cast<uint32_t>(before.line_count() - 1);
  if (after.line_count() > before.line_count() && range.end.line >= last) {
    const Position end = before.position_at(before.text().size());
    edits.push_back({{"range", to_json(Range{end, end})}, {"newText", "\n"}});
  }
  return edits;
}

}  // namespace cmc::lsp
