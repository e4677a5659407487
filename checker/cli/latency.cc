#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "checker/cli/commands.h"
#include "checker/cli/draw.h"
#include "checker/cli/signals.h"
#include "checker/report/latency_plots.h"
#include "checker/report/latency_report.h"
#include "checker/report/style.h"
#include "solver-bridge/latency/peer.h"

namespace cmc {
namespace {

int answer_others(const Session& session) {
  const latency::PeerAddress& own = *session.options.latency_serve;
  const Status served = latency::serve(own, session.interrupted, [&] {
    print_to_stderr(fmt::format("answering at {}:{} (tcp) and :{} (zmq-tcp); Ctrl-C ends it\n", own.host, own.port,
                                own.port + 1));
  });
  if (served.ok()) return kExitHolds;
  complain(served.error());
  return kExitUsage;
}

// The progress line, for people.
void show_progress(const Session& session, size_t done, size_t all) {
  if (!is_terminal(stderr) || session.options.progress == When::kNever) return;
  print_to_stderr(done < all ? fmt::format("\r{} of {} measurements\033[K", done, all) : "\r\033[K");
}

// False: a file cannot be written, which was said.
bool write_files(const Session& session, const latency::Study& study, const std::string& json) {
  const std::filesystem::path folder = session.options.out;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    complain(fmt::format("cannot make '{}': {}", folder.string(), error.message()));
    return false;
  }
  for (const auto& [name, text] :
       {std::pair{"table.csv", latency_table_csv(study)}, std::pair{"points.csv", latency_points_csv(study)},
        std::pair{"latency.json", json}}) {
    if (const Status written = write_file_atomically(folder / name, text); !written.ok()) {
      complain(written.error());
      return false;
    }
  }
  // A plot is an addition: without gnuplot the figures are there nevertheless.
  const std::vector<Plot> plots = latency_plots(study);
  if (plots.empty()) return true;
  const Status drawn = draw_plots(plots, folder, session.interrupted);
  if (!drawn.ok()) complain(drawn.error());
  return true;
}

}  // namespace

int run_latency(const Session& session) {
  const Options& options = session.options;
  if (options.latency_serve) return answer_others(session);
  const latency::Study study = latency::run_study(
      options.latency, session.interrupted, [&](size_t done, size_t all) { show_progress(session, done, all); });
  if (session.interrupted) return interrupted_exit_code();
  const std::string json = latency_json(study, options.latency);
  if (!options.out.empty() && !write_files(session, study, json)) return kExitUsage;
  if (!print_result(session, latency_text(study, options.latency), json)) return kExitUsage;
  return latency_rows(study).empty() ? kExitIncomplete : kExitHolds;
}

}  // namespace cmc
