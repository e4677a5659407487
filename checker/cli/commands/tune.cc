#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/files/file_lock.h"
#include "base/sha1.h"
#include "base/subprocess.h"
#include "base/units.h"
#include "checker/cli/commands.h"
#include "checker/cli/commands/child_check.h"
#include "checker/cli/draw.h"
#include "checker/cli/options/tune_grid.h"
#include "checker/cli/signals.h"
#include "checker/report/tune/tune_plots.h"
#include "checker/report/tune/tune_table.h"

namespace cmc {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kClaimInterval{50};
constexpr double kRunGraceSeconds = 10;  // for a run that was interrupted, to report and end

// Goes through the grid, one run after the other. Each run is a process of its own, so that one that crashes or takes
// all memory is a row of the table, and what the process measures of itself is this run's only. Layout of the folder:
//
//   runs/ID.json          the record of a run that has ended (cmc.tune.run/1); what is there is not run again
//   runs/ID.result.json   its result (cmc.result/1)
//   runs/ID.txt           what it printed
//   runs/ID.lock          locked by the process whose run it is; several can work in one folder
//   runs.csv, runs.json   all runs (cmc.tune/1)
//   time.svg, ...         plots
class Tuner {
 public:
  Tuner(const Session& session, std::vector<TuneRun> grid, TuneTable table)
      : session_(session),
        options_(session.options),
        grid_(std::move(grid)),
        table_(std::move(table)),
        folder_(options_.tune.out),
        random_(std::stoul(table_.model_sha1.substr(0, 8), nullptr, 16)) {}

  int run() {
    if (options_.tune.dry_run) return dry_run();
    if (const Status made = make_folder(folder_ / "runs"); !made.ok()) return refuse(made.error());
    for (TuneRun& each : grid_) {
      if (!recall(each)) continue;
      known_seconds_ += each.wall_seconds;
      ++known_runs_;
    }
    const auto known = static_cast<size_t>(std::ranges::count_if(grid_, [&](const TuneRun& r) { return done(r); }));
    say(fmt::format("{}, {} of them done already; results in {}", plural(grid_.size(), "combination"),
                    format_count(known), folder_.string()));
    if (const std::string fixed = fixed_arguments(); !fixed.empty()) say(fmt::format("each with {}", fixed));
    for (std::vector<size_t> round = next_round(); !round.empty() && !session_.interrupted; round = next_round()) {
      if (const Status ended = make(round); !ended.ok()) return refuse(ended.error());
    }
    return report();
  }

 private:
  enum class Claim : uint8_t { kIfFree, kWait };

  // One run of each of these combinations. Other processes may work in the same folder: first what nobody runs; if
  // all are taken, the first when it is free.
  Status make(const std::vector<size_t>& round) {
    const size_t before = known_runs_;
    for (const size_t each : round) {
      if (session_.interrupted) return Success{};
      if (const Status ended = claim_and_execute(grid_[each], Claim::kIfFree); !ended.ok()) return ended;
    }
    const bool all_taken = known_runs_ == before && !done(grid_[round.front()]);
    return all_taken ? claim_and_execute(grid_[round.front()], Claim::kWait) : Status(Success{});
  }

  // A combination belongs to the process that has its file ID.lock locked, until its run has ended.
  Status claim_and_execute(TuneRun& each, Claim claim) {
    const std::string path = file(each, ".lock");
    FileLock lock;
    while (true) {
      const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
      if (descriptor < 0) return system_error("write", path, errno);
      if (lock.take(descriptor) != FileLock::Outcome::kHeldElsewhere) break;
      if (claim == Claim::kIfFree || session_.interrupted) return Success{};
      std::this_thread::sleep_for(kClaimInterval);
    }
    recall(each);  // what others have added
    if (!done(each)) {
      if (const Status ended = execute(each, open_runs()); !ended.ok()) return ended;
    }
    if (session_.interrupted || !done(each)) return Success{};
    // Whoever waits for the lock, or makes the file again, finds the record.
    std::error_code ignored;
    fs::remove(path, ignored);
    return Success{};
  }

  static void say(const std::string& text) { print_to_stderr(fmt::format("cmc tune: {}\n", text)); }

  fs::path file(const TuneRun& each, const char* suffix) const {
    return folder_ / "runs" / (each.id.substr(0, 20) + suffix);
  }
  static bool has_ended(const TuneRun& each) { return !each.verdict.empty() || !each.failure.empty(); }
  // A run that fails is not repeated.
  bool done(const TuneRun& each) const { return open_runs(each) == 0; }

  // How many runs of the combination are still to come, as far as that is known.
  size_t open_runs(const TuneRun& each) const {
    constexpr double kShortSeconds = 10;
    constexpr size_t kRuns = 5;
    if (!each.failure.empty()) return 0;
    if (!has_ended(each)) return std::max<size_t>(1, options_.tune.runs);
    const size_t chosen = each.samples.empty() || each.samples.front().wall_seconds < kShortSeconds ? kRuns : 1;
    const size_t wanted = options_.tune.runs > 0 ? options_.tune.runs : chosen;
    return wanted - std::min(wanted, each.samples.size());
  }
  size_t open_runs() const {
    size_t open = 0;
    for (const TuneRun& each : grid_) open += open_runs(each);
    return open;
  }

  // One run of each combination that lacks some, shuffled, so that what changes slowly on the machine (its heat, what
  // others do) does not favour the first ones. The order is the same in each call for one model.
  std::vector<size_t> next_round() {
    std::vector<size_t> round;
    for (size_t i = 0; i < grid_.size(); ++i) {
      if (!done(grid_[i])) round.push_back(i);
    }
    std::ranges::shuffle(round, random_);
    return round;
  }

  int dry_run() {
    for (TuneRun& each : grid_) {
      const bool known = recall(each) && done(each);
      session_.output.print(fmt::format("cmc check {} {}{}\n", printable(options_.model),
                                        arguments_text(each.arguments), known ? "   # done" : ""));
    }
    return kExitHolds;
  }

  // Takes over what an earlier call has found out. False: nothing.
  bool recall(TuneRun& each) {
    if (!fs::exists(file(each, ".json"))) return false;
    const Result<std::string> text = read_file(file(each, ".json"));
    if (!text.ok()) return false;
    Result<TuneRun> record = parse_tune_run(text.value());
    if (!record.ok() || record.value().id != each.id || !has_ended(record.value())) return false;
    if (options_.tune.retry_failed && !record.value().failure.empty()) return false;
    const std::vector<std::string> values = each.values;
    each = std::move(record).value();
    each.values = values;
    if (each.samples.empty()) each.keep_sample();  // an older record
    return true;
  }

  // One run of the combination; `open`: runs that are still to come, with this one.
  Status execute(TuneRun& each, size_t open) {
    const std::string result = file(each, ".result.json");
    const std::string printed = file(each, ".txt");
    std::error_code ignored;
    fs::remove(result, ignored);
    Subprocess::Command command{{own_program(), "check", options_.model}, printed, printed};
    command.arguments.insert(command.arguments.end(), each.arguments.begin(), each.arguments.end());
    command.arguments.insert(command.arguments.end(),
                             {"--json=" + result, "--shorten", "0", "--progress", "off", "--color", "never"});
    const double start = clock_.wall_seconds();
    CMC_TRY(Subprocess child, Subprocess::start(command));
    const bool killed = wait_for(child, each, open, start);
    if (session_.interrupted) return Success{};

    each.wall_seconds = clock_.wall_seconds() - start;
    each.cpu_seconds = child.end().cpu_seconds;
    each.memory_bytes = child.end().peak_resident_bytes;
    const Result<std::string> text = fs::exists(result) ? read_file(result) : Result<std::string>(Error{""});
    const bool has_result = text.ok() && read_result(text.value(), each);
    if (killed) {
      each.failure = fmt::format("killed after {} (--kill-after)", format_seconds(options_.kill_after_seconds));
    } else if (child.end().signal != 0) {
      each.failure = fmt::format("ended by {}", signal_text(child.end().signal));
    } else if (is_interrupted_exit_code(child.end().exit_code)) {
      return Error{"the run was interrupted from outside; call `cmc tune` again to go on"};
    } else if (!has_result) {
      const Result<std::string> said = read_file(printed);
      const int code = child.end().exit_code;
      each.failure =
          fmt::format("exit code {}: {}", code, said.ok() ? telling_line(said.value(), code == kExitUsage) : "");
    }
    const TuneSample measured = each;
    each.keep_sample();
    known_seconds_ += measured.wall_seconds;
    ++known_runs_;
    const std::string outcome = each.failure.empty() ? each.verdict : each.failure;
    status_line("");
    say(fmt::format("{}: {}, {}, {}{}", name_of(each), printable(outcome), format_seconds(measured.wall_seconds),
                    format_size(measured.memory_bytes), estimate(open_runs())));
    return write_file_atomically(file(each, ".json"), tune_run_json(each));
  }

  // True: it took too long, and was killed. On an interrupt the run is asked to end first.
  bool wait_for(Subprocess& child, const TuneRun& each, size_t open, double start) {
    double asked = 0;
    while (!child.wait(0.25)) {
      const double now = clock_.wall_seconds();
      if (session_.interrupted && asked == 0) {
        asked = now;
        child.send_signal(SIGTERM);
      }
      if (asked > 0 && now - asked > kRunGraceSeconds) child.send_signal(SIGKILL);
      if (options_.kill_after_seconds > 0 && now - start > options_.kill_after_seconds) {
        child.send_signal(SIGKILL);
        while (!child.wait(1)) {
        }
        return true;
      }
      status_line(fmt::format("{} left  {}: {:.0f} s", plural(open, "run"), name_of(each), now - start));
    }
    return false;
  }

  // What differs between the runs; the rest was said once.
  std::string name_of(const TuneRun& each) const {
    const std::string text = combination_text(table_.settings, each);
    return text.empty() ? arguments_text(each.arguments) : text;
  }
  std::string fixed_arguments() const {
    if (std::ranges::none_of(table_.settings, &TuneSetting::is_list)) return "";
    std::vector<TuneSetting> fixed;
    for (const TuneSetting& each : table_.settings) {
      if (!each.is_list()) fixed.push_back(each);
    }
    return fixed.empty() ? "" : arguments_text(grid_runs(fixed, table_.model_sha1).front().arguments);
  }

  // Written over by the next one; only for people.
  void status_line(std::string text) {
    if (!is_terminal(stderr) || options_.output.progress == When::kNever) return;
    const size_t columns = terminal_columns() - 1;
    if (text.size() > columns) text.resize(columns);
    print_to_stderr(fmt::format("\r{}\033[K", text));
  }

  std::string estimate(size_t open) const {
    if (open == 0 || known_runs_ == 0) return "";
    const double seconds = known_seconds_ / static_cast<double>(known_runs_) * static_cast<double>(open);
    return fmt::format("; {} left, about {}", plural(open, "run"), format_seconds(std::max(1.0, seconds)));
  }

  int report() {
    status_line("");
    for (const TuneRun& each : grid_) {
      if (has_ended(each)) table_.runs.push_back(each);
    }
    table_.planned = grid_.size();
    for (const auto& [name, text] :
         {std::pair{"runs.csv", tune_csv(table_)}, std::pair{"runs.json", tune_json(table_)}}) {
      if (const Status written = write_file_atomically(folder_ / name, text); !written.ok())
        return refuse(written.error());
    }
    session_.output.print(tune_text(table_));
    if (session_.interrupted) {
      say(fmt::format("interrupted; {} of {} have results. Run the same command again to do the rest",
                      table_.runs.size(), plural(grid_.size(), "combination")));
      return interrupted_exit_code();
    }
    return draw();
  }

  // A plot is an addition: without gnuplot the figures are there nevertheless.
  int draw() {
    const std::vector<Plot> plots = tune_plots(table_);
    if (plots.empty()) {
      const bool none_complete = best_runs(table_, table_.measure).empty();
      if (grid_.size() > 1)
        say(none_complete ? "no plots: no run is complete" : "no plots: they are drawn for one, two or three lists");
      return kExitHolds;
    }
    const Status drawn = draw_plots(plots, folder_, session_.interrupted);
    if (drawn.ok()) {
      say(fmt::format("drew {} into {} (SVG, PNG, PDF, and the scripts for gnuplot)", plural(plots.size(), "plot"),
                      folder_.string()));
    } else {
      complain(drawn.error());
    }
    return kExitHolds;
  }

  const Session& session_;
  const Options& options_;
  std::vector<TuneRun> grid_;
  TuneTable table_;
  fs::path folder_;
  std::mt19937_64 random_;
  SystemClock clock_;
  double known_seconds_ = 0;
  size_t known_runs_ = 0;
};

}  // namespace

int run_tune(const Session& session) {
  const Options& options = session.options;
  const Result<std::string> text = read_file(options.model);
  if (!text.ok()) return refuse(text.error());
  TuneTable table;
  table.model_file = options.model;
  table.model_sha1 = sha1_hex(text.value());
  table.settings = options.tune.settings;
  table.measure = options.tune.best;
  std::vector<TuneRun> grid = grid_runs(options.tune.settings, table.model_sha1);
  return Tuner(session, std::move(grid), std::move(table)).run();
}

}  // namespace cmc
