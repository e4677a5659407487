#include "checker/report/progress.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "checker/report/style.h"

namespace cmc {
namespace {

constexpr double kRateWindowSeconds = 1;
constexpr double kLineSeconds = 10;

}  // namespace

std::string progress_text(const Progress& progress, double states_per_second, size_t columns,
                          double pages_read_per_second) {
  std::string text;
  if (std::string_view(progress.phase) != StoreProgress().phase) text = fmt::format("{}: ", progress.phase);
  text +=
      fmt::format("{} states, {} states/s, depth {}, {}, {}", format_count(progress.states),
                  format_count(static_cast<uint64_t>(std::llround(states_per_second))), format_count(progress.depth),
                  format_size(progress.memory_bytes), format_seconds(std::floor(progress.elapsed_seconds * 10) / 10));
  if (progress.candidates > 0) text += ", " + plural(progress.candidates, "candidate");
  if (progress.lossy_capacity > 0) {
    text += fmt::format(", cache {:.0f} % full", 100 * static_cast<double>(progress.lossy_entries) /
                                                     static_cast<double>(progress.lossy_capacity));
  }
  if (progress.pages_written > 0) {
    text += fmt::format(", {} written", plural(progress.pages_written, "page"));
    if (progress.pages_read > 0) {
      text += fmt::format(", {} read ({}/s)", format_count(progress.pages_read),
                          format_count(static_cast<uint64_t>(std::llround(pages_read_per_second))));
    }
  }
  if (progress.errors > 0) text += ", " + plural(progress.errors, "error");
  if (text.size() > columns) text.resize(columns);
  return text;
}

void ProgressLine::on_progress(const Progress& progress) {
  update_rate(progress);
  if (terminal_) {
    // One column is left free: some terminals break the line behind the last one.
    const size_t label = std::min(label_.size(), columns_ - 1);
    write(fmt::format("\r{}{}\033[K", label_.substr(0, label),
                      progress_text(progress, rate_, columns_ - 1 - label, page_rate_)));
    visible_ = true;
  } else if (progress.elapsed_seconds - last_line_seconds_ >= kLineSeconds) {
    last_line_seconds_ = progress.elapsed_seconds;
    write(label_ + progress_text(progress, rate_, std::string::npos, page_rate_) + '\n');
  }
}

// Text that cannot be written is dropped.
void ProgressLine::write(std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stream_));
  std::fflush(stream_);
}

void ProgressLine::update_rate(const Progress& progress) {
  // A search that begins again with the disk store counts its states anew.
  if (progress.states < rate_since_states_) rate_since_states_ = 0;
  if (progress.pages_read < rate_since_pages_) rate_since_pages_ = 0;
  const double seconds = progress.elapsed_seconds - rate_since_seconds_;
  const bool first = rate_since_seconds_ == 0;
  if (seconds <= 0 || (!first && seconds < kRateWindowSeconds)) return;
  rate_ = static_cast<double>(progress.states - rate_since_states_) / seconds;
  page_rate_ = static_cast<double>(progress.pages_read - rate_since_pages_) / seconds;
  if (first && seconds < kRateWindowSeconds) return;  // a first guess, until there is a whole window
  rate_since_seconds_ = progress.elapsed_seconds;
  rate_since_states_ = progress.states;
  rate_since_pages_ = progress.pages_read;
}

void ProgressLine::erase() {
  if (!visible_) return;
  write("\r\033[K");
  visible_ = false;
}

}  // namespace cmc
