#include "checker/report/progress.h"

#include <cmath>

#include <fmt/format.h>

#include "checker/base/memory_budget.h"
#include "checker/report/style.h"

namespace cmc {
namespace {

constexpr double kRateWindowSeconds = 1;
constexpr double kLineSeconds = 10;

}  // namespace

std::string progress_text(const Progress& progress, double states_per_second, size_t columns) {
  std::string text =
      fmt::format("{} states, {} states/s, depth {}, {}, {}", format_count(progress.states),
                  format_count(static_cast<uint64_t>(std::llround(states_per_second))), format_count(progress.depth),
                  format_size(progress.memory_bytes), format_seconds(std::floor(progress.elapsed_seconds * 10) / 10));
  if (progress.errors > 0) text += ", " + plural(progress.errors, "error");
  if (text.size() > columns) text.resize(columns);
  return text;
}

void ProgressLine::on_progress(const Progress& progress) {
  update_rate(progress);
  if (terminal_) {
    // One column is left free: some terminals break the line behind the last one.
    fmt::print(stream_, "\r{}\033[K", progress_text(progress, rate_, columns_ - 1));
    visible_ = true;
  } else if (progress.elapsed_seconds - last_line_seconds_ >= kLineSeconds) {
    last_line_seconds_ = progress.elapsed_seconds;
    fmt::print(stream_, "{}\n", progress_text(progress, rate_, std::string::npos));
  }
  std::fflush(stream_);
}

void ProgressLine::update_rate(const Progress& progress) {
  const double seconds = progress.elapsed_seconds - rate_since_seconds_;
  const bool first = rate_since_seconds_ == 0;
  if (seconds <= 0 || (!first && seconds < kRateWindowSeconds)) return;
  rate_ = static_cast<double>(progress.states - rate_since_states_) / seconds;
  if (first && seconds < kRateWindowSeconds) return;  // a first guess, until there is a whole window
  rate_since_seconds_ = progress.elapsed_seconds;
  rate_since_states_ = progress.states;
}

void ProgressLine::erase() {
  if (!visible_) return;
  fmt::print(stream_, "\r\033[K");
  std::fflush(stream_);
  visible_ = false;
}

}  // namespace cmc
