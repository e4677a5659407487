#include "base/child.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <utility>

#include "base/clock.h"
#include "base/subprocess.h"

namespace cmc {
namespace {

constexpr size_t kMostBytes = size_t{32} << 20;
constexpr double kPollSeconds = 0.1;
constexpr double kGraceSeconds = 5;

std::string beginning_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(kMostBytes, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(0, in.gcount())));
  return text;
}

}  // namespace

Result<ChildOutput> run_child(const std::vector<std::string>& command, const std::string& folder, double seconds,
                              const std::atomic<bool>& interrupted) {
  Subprocess::Command start;
  start.arguments = command;
  start.output = folder + "/output";
  start.error = folder + "/error";
  start.own_group = true;
  CMC_TRY(Subprocess process, Subprocess::start(start));
  ChildOutput result;
  const double begun = SystemClock().wall_seconds();
  bool has_ended = false;
  const auto wait_until = [&](double end) {
    while (!has_ended && SystemClock().wall_seconds() < end) {
      has_ended = process.wait(kPollSeconds);
      if (interrupted) return;
    }
  };
  wait_until(begun + seconds);
  if (!has_ended) {
    result.late = true;
    process.send_signal(SIGTERM);  // a check then tells what it has
    wait_until(SystemClock().wall_seconds() + kGraceSeconds);
  }
  if (!has_ended) {
    process.send_signal(SIGKILL);
    while (!process.wait(kPollSeconds)) {
    }
  }
  result.exit_code = process.end().exit_code;
  result.signal = process.end().signal;
  result.output = beginning_of(start.output);
  result.error = beginning_of(start.error);
  return result;
}

}  // namespace cmc
