#include "checker/cli/draw.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/files/file.h"
#include "base/subprocess.h"

namespace cmc {
namespace {

constexpr const char* kGnuplot = "gnuplot";
constexpr double kMaxSeconds = 300;  // for one plot

// gnuplot's complaint names the line of the script; its first lines are enough.
std::string first_lines(std::string text) {
  constexpr size_t kMost = 400;
  while (!text.empty() && text.front() == '\n') text.erase(0, 1);
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

Status draw(const Plot& plot, const std::string& folder, const std::atomic<bool>& interrupted) {
  const std::filesystem::path script = std::filesystem::path(folder) / (plot.name + ".gp");
  if (const Status written = write_file_atomically(script, plot_script(plot)); !written.ok()) return written;
  const std::filesystem::path messages = script.string() + ".txt";
  // gnuplot writes into the folder that it runs in.
  CMC_TRY(
      Subprocess gnuplot,
      Subprocess::start(
          {{"/bin/sh", "-c", "cd -- \"$0\" && exec gnuplot \"$1\"", folder, plot.name + ".gp"}, messages, messages}));
  double waited = 0;
  while (!gnuplot.wait(0.2)) {
    waited += 0.2;
    if (interrupted) return Error{"interrupted"};
    if (waited > kMaxSeconds) return Error{fmt::format("gnuplot did not finish {}", script.string())};
  }
  const Result<std::string> said = read_file(messages);
  std::error_code ignored;
  std::filesystem::remove(messages, ignored);
  if (gnuplot.end().exit_code != 0 || gnuplot.end().signal != 0) {
    return Error{
        fmt::format("gnuplot failed on {}: {}", script.string(), said.ok() ? first_lines(said.value()) : "")};
  }
  return Success{};
}

}  // namespace

Status draw_plots(std::span<const Plot> plots, const std::string& folder, const std::atomic<bool>& interrupted) {
  if (!program_exists(kGnuplot)) {
    return Error{"gnuplot is needed to draw plots, and it is not installed (Debian: apt-get install gnuplot-nox)"};
  }
  if (Status made = make_folder(folder); !made.ok()) return made;
  for (const Plot& plot : plots) {
    if (Status drawn = draw(plot, folder, interrupted); !drawn.ok()) return drawn;
  }
  return Success{};
}

}  // namespace cmc
