// cmc-latency: what a round trip takes on each channel between two parties; see README.md.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/files/file.h"
#include "checker/cli/draw.h"
#include "checker/cli/output.h"
#include "checker/cli/signals.h"
#include "studies/latency/latency_options.h"
#include "studies/latency/latency_plots.h"
#include "studies/latency/latency_report.h"
#include "studies/latency/peer.h"

namespace {

using namespace cmc;
using latency::ProgramOptions;

void say(std::string_view message) { print_to_stderr(fmt::format("cmc-latency: {}\n", message)); }

int answer_others(const latency::PeerAddress& own, const std::atomic<bool>& interrupted) {
  const Status served = latency::serve(own, interrupted, [&] {
    print_to_stderr(fmt::format("answering at {}:{} (tcp) and :{} (zmq-tcp); Ctrl-C ends it\n", own.host, own.port,
                                own.port + 1));
  });
  if (served.ok()) return kExitHolds;
  say(served.error());
  return kExitUsage;
}

// The progress line, for people.
void show_progress(When when, size_t done, size_t all) {
  if (when == When::kNever || (when == When::kAuto && !is_terminal(stderr))) return;
  print_to_stderr(done < all ? fmt::format("\r{} of {} measurements\033[K", done, all) : "\r\033[K");
}

Status write_files(const std::filesystem::path& folder, const latency::Study& study, const std::string& json) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{fmt::format("cannot make '{}': {}", folder.string(), error.message())};
  for (const auto& [name, text] :
       {std::pair{"table.csv", latency_table_csv(study)}, std::pair{"points.csv", latency_points_csv(study)},
        std::pair{"latency.json", json}}) {
    if (Status written = write_file_atomically(folder / name, text); !written.ok()) return written;
  }
  return Success{};
}

// A plot is an addition: without gnuplot the figures are there nevertheless.
void draw(const std::string& folder, const latency::Study& study, const std::atomic<bool>& interrupted) {
  const std::vector<Plot> plots = latency_plots(study);
  if (plots.empty()) return;
  if (const Status drawn = draw_plots(plots, folder, interrupted); !drawn.ok()) say(drawn.error());
}

int measure(const ProgramOptions& options, Output& output, const std::atomic<bool>& interrupted) {
  const bool has_json_file = !options.json.empty() && options.json != kStandardOutput;
  if (has_json_file) {
    if (const Status writable = check_writable(options.json); !writable.ok()) {
      say(writable.error());
      return kExitUsage;
    }
  }
  const latency::Study study = latency::run_study(
      options.study, interrupted, [&](size_t done, size_t all) { show_progress(options.progress, done, all); });
  if (interrupted) return interrupted_exit_code();
  const std::string json = latency_json(study, options.study);
  Status written = Success{};
  if (!options.out.empty()) written = write_files(options.out, study, json);
  if (written.ok() && !options.out.empty()) draw(options.out, study, interrupted);
  if (written.ok() && has_json_file) written = write_file_atomically(options.json, json);
  if (!written.ok()) {
    say(written.error());
    return kExitUsage;
  }
  output.print(options.json == kStandardOutput ? json : latency_text(study, options.study));
  return latency_rows(study).empty() ? kExitIncomplete : kExitHolds;
}

int run(const std::vector<std::string>& arguments) {
  reserve_standard_files();
  const std::atomic<bool>& interrupted = catch_signals();
  const std::variant<ProgramOptions, Answer> parsed = latency::parse_program_options(arguments);
  Output output;
  int exit_code = kExitHolds;
  if (const auto* answer = std::get_if<Answer>(&parsed)) {
    exit_code = answer->exit_code;
    exit_code == kExitHolds ? output.print(answer->text) : print_to_stderr(answer->text);
  } else {
    const ProgramOptions& options = std::get<ProgramOptions>(parsed);
    exit_code = options.serve ? answer_others(*options.serve, interrupted) : measure(options, output, interrupted);
  }
  const Status finished = output.finish();
  if (finished.ok()) return exit_code;
  say(finished.error());
  return kExitUsage;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + std::min(argc, 1), argv + argc});
  } catch (const std::bad_alloc&) {
    say("incomplete: there is no more memory");
    return kExitIncomplete;
  } catch (const std::exception& error) {
    say(std::string("internal error: ") + error.what());
    return kExitInternal;
  }
}
