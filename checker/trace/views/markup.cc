#include "checker/trace/views/markup.h"

#include "checker/report/style/style.h"

namespace cmc {

std::string escaped_markup(std::string_view text) {
  static constexpr Escape kEscapes[] = {
      {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  return escaped(valid_utf8(text), kEscapes, "\xef\xbf\xbd");
}

}  // namespace cmc
