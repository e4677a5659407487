#include "checker/report/progress.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "checker/report/style/style.h"

namespace cmc {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kRateWindowSeconds = 1;
constexpr double kLineSeconds = 10;
constexpr double kJsonSeconds = 1;

uint64_t rounded(double value) { return static_cast<uint64_t>(std::llround(value)); }

bool is_searching(const Progress& progress) { return std::string_view(progress.phase) == StoreProgress().phase; }

// "950", "1.9M": two digits, for what is not known better.
std::string rough_count(uint64_t value) {
  constexpr std::string_view kUnits = "kMGT";
  double amount = static_cast<double>(value);
  size_t unit = 0;
  for (; amount >= 999.5 && unit < kUnits.size(); ++unit) amount /= 1000;
  if (unit == 0) return std::to_string(value);
  return fmt::format("{:.{}f}{}", amount, amount < 9.95 ? 1 : 0, kUnits[unit - 1]);
}

std::string total_text(const Pulse& pulse) {
  if (!pulse.total) return "total unknown";
  const std::string low = rough_count(pulse.total->low);
  const std::string high = rough_count(pulse.total->high);
  std::string text = low == high ? fmt::format("of about {}", low) : fmt::format("of {} to {}", low, high);
  if (pulse.seconds_left)
    text += fmt::format(", {} to {} left", format_seconds(pulse.seconds_left->low),
                        format_seconds(pulse.seconds_left->high));
  return text;
}

std::string disk_text(const Progress& progress, const Pulse& pulse) {
  const std::string expected =
      pulse.disk ? fmt::format("{} to {} at the end", format_size(pulse.disk->low), format_size(pulse.disk->high))
                 : "at the end unknown";
  return fmt::format("{} on disk ({})", format_size(progress.disk_bytes), expected);
}

void write_line(std::FILE* stream, std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stream));  // text that cannot be written is dropped
  std::fflush(stream);
}

}  // namespace

const Pulse& PulseMeter::update(const Progress& progress) {
  update_rates(progress);
  estimator_.add(progress);
  pulse_.total = estimator_.estimate();
  pulse_.seconds_left.reset();
  if (pulse_.total && pulse_.states_per_second > 0) {
    const auto seconds = [&](uint64_t states) {
      return static_cast<double>(states - std::min(states, progress.states)) / pulse_.states_per_second;
    };
    pulse_.seconds_left = {seconds(pulse_.total->low), seconds(pulse_.total->high)};
  }
  pulse_.disk.reset();
  if (pulse_.total && progress.disk_bytes > 0 && progress.states > 0) {
    const auto bytes = [&](uint64_t states) {
      const double of_state = static_cast<double>(progress.disk_bytes) / static_cast<double>(progress.states);
      return std::max(progress.disk_bytes, rounded(of_state * static_cast<double>(states)));
    };
    pulse_.disk = {bytes(pulse_.total->low), bytes(pulse_.total->high)};
  }
  return pulse_;
}

void PulseMeter::update_rates(const Progress& progress) {
  // A search that begins again with the disk store counts its states anew.
  if (progress.states < since_states_) since_states_ = 0;
  if (progress.pages_read < since_pages_) since_pages_ = 0;
  const double seconds = progress.elapsed_seconds - since_seconds_;
  const bool first = since_seconds_ == 0;
  if (seconds <= 0 || (!first && seconds < kRateWindowSeconds)) return;
  pulse_.states_per_second = static_cast<double>(progress.states - since_states_) / seconds;
  pulse_.pages_read_per_second = static_cast<double>(progress.pages_read - since_pages_) / seconds;
  if (first && seconds < kRateWindowSeconds) return;  // a first guess, until there is a whole window
  since_seconds_ = progress.elapsed_seconds;
  since_states_ = progress.states;
  since_pages_ = progress.pages_read;
}

std::string progress_text(const Progress& progress, const Pulse& pulse, size_t columns) {
  std::string text;
  if (!is_searching(progress)) text = fmt::format("{}: ", progress.phase);
  text +=
      fmt::format("{} states ({}), {} open, {} states/s, depth {}, {}, {}", format_count(progress.states),
                  total_text(pulse), format_count(progress.open_states),
                  format_count(rounded(pulse.states_per_second)), format_count(progress.depth),
                  format_size(progress.memory_bytes), format_seconds(std::floor(progress.elapsed_seconds * 10) / 10));
  if (progress.disk_bytes > 0) text += ", " + disk_text(progress, pulse);
  if (progress.candidates > 0) text += ", " + plural(progress.candidates, "candidate");
  if (progress.lossy_capacity > 0) {
    text += fmt::format(", cache {:.0f} % full", 100 * static_cast<double>(progress.lossy_entries) /
                                                     static_cast<double>(progress.lossy_capacity));
  }
  if (progress.pages_written > 0) {
    text += fmt::format(", {} written", plural(progress.pages_written, "page"));
    if (progress.pages_read > 0) {
      text += fmt::format(", {} read ({}/s)", format_count(progress.pages_read),
                          format_count(rounded(pulse.pages_read_per_second)));
    }
  }
  if (progress.errors > 0) text += ", " + plural(progress.errors, "error");
  if (text.size() > columns) text.resize(columns);
  return text;
}

std::string progress_json(const Progress& progress, const Pulse& pulse, const std::string& label) {
  Json json;
  json["schema"] = "cmc.progress/1";
  json["event"] = "progress";
  json["property"] = label;
  json["phase"] = progress.phase;
  json["elapsed_seconds"] = progress.elapsed_seconds;
  json["states"] = progress.states;
  json["open_states"] = progress.open_states;
  json["states_matched"] = progress.matched;
  json["transitions"] = progress.transitions;
  json["depth"] = progress.depth;
  json["errors"] = progress.errors;
  json["memory_bytes"] = progress.memory_bytes;
  json["disk_bytes"] = progress.disk_bytes;
  json["states_per_second"] = rounded(pulse.states_per_second);
  json["estimate"] = nullptr;
  if (const std::optional<StateEstimate>& total = pulse.total) {
    json["estimate"] = {{"states", total->states}, {"low", total->low}, {"high", total->high}};
  }
  json["seconds_left"] = nullptr;
  if (pulse.seconds_left)
    json["seconds_left"] = {{"low", pulse.seconds_left->low}, {"high", pulse.seconds_left->high}};
  json["disk_estimate"] = nullptr;
  if (pulse.disk) json["disk_estimate"] = {{"low", pulse.disk->low}, {"high", pulse.disk->high}};
  json["store"] = nullptr;
  if (progress.lossy_capacity > 0) {
    json["store"] = {{"candidates", progress.candidates},         {"lossy_entries", progress.lossy_entries},
                     {"lossy_capacity", progress.lossy_capacity}, {"reclaimed", progress.reclaimed},
                     {"pages_written", progress.pages_written},   {"pages_read", progress.pages_read}};
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string progress_report(const Progress& progress, const Pulse& pulse, const std::string& label) {
  std::string text = fmt::format("report so far{}: {} for {}\n", label.empty() ? "" : " (" + printable(label) + ")",
                                 progress.phase, format_seconds(progress.elapsed_seconds));
  const auto line = [&](const std::string& figure, const std::string& what) {
    text += fmt::format("{:>16}  {}\n", figure, what);
  };
  line(format_count(progress.states), fmt::format("states stored ({})", total_text(pulse)));
  line(format_count(progress.open_states), "of them open: their successors are still to be found");
  line(format_count(progress.matched), "states matched");
  line(format_count(progress.transitions), "transitions");
  line(format_count(progress.depth), "depth of the state that is expanded now");
  line(format_count(rounded(pulse.states_per_second)), "states a second");
  line(format_size(progress.memory_bytes), "memory");
  if (progress.disk_bytes > 0) text += fmt::format("{:>16}  {}\n", "", disk_text(progress, pulse));
  if (progress.lossy_capacity > 0) {
    line(format_count(progress.candidates), "candidates that wait for a look-up on disk");
    line(format_count(progress.pages_written), "pages written");
    line(format_count(progress.pages_read), "pages read");
  }
  line(format_count(progress.errors), progress.errors == 1 ? "error found" : "errors found");
  return text;
}

void ProgressLine::on_progress(const Progress& progress) {
  const Pulse& pulse = meter_.update(progress);
  if (terminal_) {
    // One column is left free: some terminals break the line behind the last one.
    const size_t label = std::min(label_.size(), columns_ - 1);
    show(progress_text(progress, pulse, columns_ - 1 - label));
  } else if (progress.elapsed_seconds - last_line_seconds_ >= kLineSeconds) {
    last_line_seconds_ = progress.elapsed_seconds;
    write(label_ + progress_text(progress, pulse, std::string::npos) + '\n');
  }
}

void ProgressLine::show(std::string_view text) {
  if (!terminal_) return;
  const std::string whole = label_ + std::string(text);
  write(fmt::format("\r{}\033[K", whole.substr(0, columns_ - 1)));
  visible_ = true;
}

void ProgressLine::write(std::string_view text) { write_line(stream_, text); }

void ProgressLine::erase() {
  if (!visible_) return;
  write("\r\033[K");
  visible_ = false;
}

void ProgressLines::on_progress(const Progress& progress) {
  const Pulse& pulse = meter_.update(progress);
  if (last_seconds_ && progress.elapsed_seconds - *last_seconds_ < kJsonSeconds) return;
  last_seconds_ = progress.elapsed_seconds;
  write_line(stream_, progress_json(progress, pulse, label_));
}

void ProgressLines::on_restart(uint64_t states) {
  const Json json = {
      {"schema", "cmc.progress/1"}, {"event", "restart"}, {"property", label_}, {"states_before", states}};
  write_line(stream_, json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace cmc
