#include "checker/report/style/style.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cmc {

std::string Palette::paint(Tone tone, std::string_view text) const {
  static constexpr std::array<const char*, 7> kCodes = {"1;32", "1;31", "1;33", "1", "2", "36", "35"};
  if (!enabled_ || text.empty()) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", kCodes[static_cast<size_t>(tone)], text);
}

std::string Palette::paint_process(uint32_t pid, std::string_view text) const {
  static constexpr std::array<const char*, 10> kCodes = {"36", "35", "33", "34", "32", "96", "95", "93", "94", "92"};
  if (!enabled_ || text.empty()) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", kCodes[pid % kCodes.size()], text);
}

std::string format_seconds(double seconds) {
  if (seconds < 1) return fmt::format("{:.3f} s", seconds);
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<uint64_t>(seconds + 0.5);
  if (whole < 7200) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (code < 0x20 || code == 0x7f) {
      result += fmt::format("\\x{:02x}", code);
    } else {
      result += c;
    }
  }
  return result;
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return width;
}

std::vector<std::string> wrapped(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  const auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  while (width > 0 && display_width(text) > width) {
    size_t end = 0;   // of what fits
    size_t best = 0;  // behind the last blank or comma in it
    for (size_t count = 0; end < text.size(); ++end) {
      if (!is_continuation(text[end]) && ++count > width) break;
      if (text[end] == ' ' || text[end] == ',') best = end + 1;
    }
    if (end < text.size() && text[end] == ' ') best = end;
    const size_t cut = best > end / 3 ? best : end;
    lines.emplace_back(text.substr(0, cut));
    while (lines.back().ends_with(' ')) lines.back().pop_back();
    text.remove_prefix(cut);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  if (lines.empty() || !text.empty()) lines.emplace_back(text);
  return lines;
}

namespace {

// Where the character begins that has so many before it.
size_t place_of(std::string_view text, size_t number) {
  size_t at = 0;
  while (at < text.size() && number > 0) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
    --number;
  }
  return at;
}

}  // namespace

std::string replaced(std::string_view text, char character, std::string_view by) {
  std::string result;
  for (const char c : text) {
    if (c == character) {
      result += by;
    } else {
      result += c;
    }
  }
  return result;
}

std::string escaped(std::string_view text, std::span<const Escape> escapes, std::string_view control) {
  std::string result;
  for (const char c : text) {
    const auto found = std::ranges::find(escapes, c, &Escape::character);
    if (found != escapes.end()) {
      result += found->text;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += control;
    } else {
      result += c;
    }
  }
  return result;
}

std::string valid_utf8(std::string_view text) {
  using Json = nlohmann::json;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

std::string shell_quote(std::string_view text) { return '\'' + replaced(text, '\'', "'\\''") + '\''; }

std::string csv_cell(std::string_view text) {
  return text.find_first_of(",\"\n\r") == std::string_view::npos ? std::string(text) : csv_quote(text);
}

std::string csv_quote(std::string_view text) { return '"' + replaced(text, '"', "\"\"") + '"'; }

std::string cut_in_middle(std::string_view text, size_t most) {
  constexpr std::string_view kDots = "\xe2\x80\xa6";
  const size_t width = display_width(text);
  if (width <= most) return std::string(text);
  const size_t kept = std::max<size_t>(most, 1) - 1;
  const size_t behind = (kept + 1) / 2;
  std::string result(text.substr(0, place_of(text, kept - behind)));
  result += kDots;
  result += text.substr(place_of(text, width - behind));
  return result;
}

std::string command_text(std::string_view version, const std::vector<std::string>& arguments) {
  constexpr std::string_view kPlain = "-_=+,.:/@%";
  std::string text = "cmc";
  if (!version.empty()) text += fmt::format(" {}", version);
  for (const std::string& argument : arguments) {
    const bool plain = !argument.empty() && std::ranges::all_of(argument, [&](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             kPlain.find(c) != std::string_view::npos;
    });
    text += ' ' + (plain ? argument : shell_quote(argument));
  }
  return text;
}

std::string pad_right(std::string_view text, size_t width) {
  std::string result(text);
  const size_t have = display_width(text);
  if (have < width) result.append(width - have, ' ');
  return result;
}

}  // namespace cmc
