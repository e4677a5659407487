#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/files/run_directory.h"
#include "base/memory_limit.h"
#include "base/subprocess.h"
#include "checker/check/describe.h"
#include "checker/check/plan.h"
#include "checker/cli/commands.h"
#include "checker/cli/commands/child_check.h"
#include "checker/cli/commands/test_cases.h"
#include "checker/cli/commands/verdict_key.h"
#include "checker/cli/output_files.h"
#include "checker/cli/signals.h"
#include "checker/suite/suite.h"

namespace cmc {
namespace {

namespace fs = std::filesystem;
using suite::Case;
using Claim = suite::Expectation::Claim;

constexpr double kGraceSeconds = 10;  // for checks that were interrupted, to end
constexpr double kPollSeconds = 0.005;

// Runs the open cases of a suite, several at the same time, and prints each as soon as those before it have ended.
// Each check is a process of its own. It writes NUMBER.json and NUMBER.txt (what it printed) into a folder of this
// run's own.
class Tester {
 public:
  Tester(const Session& session, TestCases cases, std::string folder)
      : session_(session),
        options_(session.options),
        checks_(std::move(cases.checks)),
        folder_(std::move(folder)),
        jobs_(options_.test.jobs > 0 ? options_.test.jobs : std::max(1u, std::thread::hardware_concurrency())) {
    suite_.cases = std::move(cases.cases);
    for (size_t i = 0; i < suite_.cases.size(); ++i) add_generator(i);
    keys_.resize(suite_.cases.size());
  }

  // Error: a file of options.* cannot be written, or is one of a model.
  Status begin() {
    std::vector<std::string> read;
    for (size_t i = 0; i < suite_.cases.size(); ++i) {
      const std::vector<std::string> paths = suite_.cases[i].paths();
      read.insert(read.end(), paths.begin(), paths.end());
      if (suite_.cases[i].status != Case::Status::kOpen) continue;
      const ReadText text = read_text(checks_[i]);
      read.insert(read.end(), text.files.begin(), text.files.end());
      const auto claim = suite_.cases[i].expectation->claim;
      const bool is_kept = claim == Claim::kVerdict || claim == Claim::kStates;
      const bool remembers = !options_.test.cache.empty() && !text.hash.empty() && is_kept;
      if (remembers) keys_[i] = verdict_key(text.hash, suite_.cases[i].arguments);
    }
    if (const Status other = check_outputs_against(options_, read); !other.ok()) return other;
    if (!options_.test.cache.empty()) {
      if (Status made = make_folder(options_.test.cache); !made.ok()) return made;
    }
    suite_.running = true;
    return write_files();
  }

  void run() {
    const double start = clock_.wall_seconds();
    size_t next = 0;
    print_ended();
    while (true) {
      while (!session_.interrupted && running_.size() < jobs_ && next < suite_.cases.size()) begin_case(next++);
      if (running_.empty()) break;
      wait_a_moment();
    }
    suite_.seconds = clock_.wall_seconds() - start;
    suite_.interrupted = session_.interrupted;
    suite_.running = false;
  }

  // Writes the files, and prints what has not been printed yet.
  int finish() {
    print_ended();
    const Status written = write_files();
    if (!written.ok()) complain(written.error());
    if (options_.output.json == kStandardOutput) {
      session_.output.print(suite_json(suite_));
    } else {
      for (; printed_ < suite_.cases.size(); ++printed_) print(suite_.cases[printed_]);
      session_.output.print(summary_text(suite_, palette_));
    }
    if (!written.ok()) return kExitUsage;
    if (suite_.interrupted) return interrupted_exit_code();
    if (suite_.count(Case::Status::kFailed) > 0) return kExitViolated;
    return suite_.count(Case::Status::kError) > 0 ? kExitUsage : kExitHolds;
  }

 private:
  void add_generator(size_t number) {
    Case& each = suite_.cases[number];
    if (!each.expectation || each.expectation->claim == Claim::kTeeth || each.expectation->has_logs()) return;
    if (options_.check.generator != GeneratorKind::kAuto) {
      checks_[number].check.generator = options_.check.generator;
      each.arguments.push_back("--generator=" + generator_name(options_.check));
    }
    if (options_.check.check_generator) each.arguments.emplace_back("--check-generator");
  }
  struct Running {
    size_t number;
    std::unique_ptr<Subprocess> child;
    double start;
    bool killed = false;  // for --kill-after
    double asked_at = 0;  // when it was asked to end; 0: it was not
  };

  [[nodiscard]] std::string file(size_t number, const char* suffix) const {
    return fmt::format("{}/{}{}", folder_, number, suffix);
  }
  [[nodiscard]] std::string cache_file(size_t number) const {
    return fmt::format("{}/{}.json", options_.test.cache, keys_[number]);
  }

  void begin_case(size_t number) {
    if (suite_.cases[number].status != Case::Status::kOpen || recall(number)) return print_ended();
    const Case& each = suite_.cases[number];
    const bool has_teeth = each.expectation->claim == Claim::kTeeth;
    const bool has_one_thread = !has_teeth && runs_simple_engine(checks_[number].check);
    const uint64_t threads = has_one_thread ? 1 : std::max<uint64_t>(1, std::thread::hardware_concurrency() / jobs_);
    const uint64_t memory = default_memory_budget_bytes() / jobs_ / (has_teeth ? threads : 1);
    const bool has_logs = each.expectation->has_logs();
    Subprocess::Command command{
        {own_program(), each.expectation->command()}, file(number, ".txt"), file(number, ".txt")};
    std::vector<std::string>& arguments = command.arguments;
    if (memory > 0) arguments.push_back(fmt::format("--memory={}", memory));  // 0: the system does not say
    if (!has_logs) arguments.push_back(fmt::format("--{}={}", has_teeth ? "jobs" : "threads", threads));
    arguments.insert(arguments.end(), each.arguments.begin(), each.arguments.end());
    if (!has_teeth) arguments.emplace_back("--quiet");
    if (!has_teeth && !has_logs) arguments.emplace_back("--progress=off");
    arguments.insert(arguments.end(), {"--json=" + file(number, ".json"), "--color=never"});
    for (const std::string& path : each.paths()) arguments.push_back(path_argument(path));
    Result<Subprocess> started = Subprocess::start(command);
    if (!started.ok()) {
      suite_.cases[number].status = Case::Status::kError;
      suite_.cases[number].messages.push_back(started.error());
      return print_ended();
    }
    running_.push_back({number, std::make_unique<Subprocess>(std::move(started).value()), clock_.wall_seconds()});
  }

  // Takes over what an earlier run found out, if that is what is expected.
  bool recall(size_t number) {
    if (keys_[number].empty() || !fs::exists(cache_file(number))) return false;
    const Result<std::string> text = read_file(cache_file(number));
    if (!text.ok()) return false;
    const std::optional<suite::Outcome> outcome = suite::parse_remembered(text.value(), keys_[number]);
    Case& each = suite_.cases[number];
    if (!outcome || !differences(*each.expectation, *outcome).empty()) return false;
    each.outcome = outcome;
    each.remembered = true;
    each.status = Case::Status::kPassed;
    return true;
  }

  void wait_a_moment() {
    for (size_t i = 0; i < running_.size();) {
      Running& each = running_[i];
      if (each.child->wait(i == 0 ? kPollSeconds : 0)) {
        end_case(each);
        running_.erase(running_.begin() + static_cast<ptrdiff_t>(i));
        print_ended();
        continue;
      }
      const double now = clock_.wall_seconds();
      if (options_.kill_after_seconds > 0 && now - each.start > options_.kill_after_seconds) {
        each.killed = true;
        each.child->send_signal(SIGKILL);
      }
      if (session_.interrupted) interrupt(each, now);
      ++i;
    }
  }

  // Asks the check to end, once, so that it removes its files; later it has to.
  static void interrupt(Running& each, double now) {
    if (each.asked_at == 0) {
      each.asked_at = now;
      each.child->send_signal(SIGTERM);
    } else if (now - each.asked_at > kGraceSeconds) {
      each.child->send_signal(SIGKILL);
    }
  }

  void end_case(const Running& ended) {
    Case& each = suite_.cases[ended.number];
    const Subprocess::End& end = ended.child->end();
    const std::string result = file(ended.number, ".json");
    const std::string printed = file(ended.number, ".txt");
    if (session_.interrupted && (end.signal != 0 || is_interrupted_exit_code(end.exit_code))) return;
    each.seconds = clock_.wall_seconds() - ended.start;
    const Result<std::string> text = fs::exists(result) ? read_file(result) : Result<std::string>(Error{""});
    if (text.ok() && end.signal == 0) each.outcome = suite::parse_result(text.value());
    if (text.ok() && end.exit_code == kExitUsage) each.mistake = suite::parse_mistake(text.value());
    if (ended.killed) {
      fail(each, fmt::format("killed after {} (--kill-after)", format_seconds(options_.kill_after_seconds)));
    } else if (end.signal != 0) {
      fail(each, fmt::format("the check was ended by {}", signal_text(end.signal)));
    } else if (!each.outcome || end.exit_code == Subprocess::kUnknownExitCode || end.exit_code > kExitIncomplete ||
               end.exit_code == kExitUsage) {
      const Result<std::string> said = read_file(printed);
      fail(each, fmt::format("no verdict (exit code {}): {}", end.exit_code,
                             said.ok() ? telling_line(said.value(), end.exit_code == kExitUsage) : said.error()));
    } else {
      judge(each, ended.number);
    }
    std::error_code ignored;
    fs::remove(result, ignored);
    fs::remove(printed, ignored);
  }

  static void fail(Case& each, std::string message) {
    each.status = Case::Status::kError;
    each.outcome.reset();
    each.messages.push_back(std::move(message));
  }

  void judge(Case& each, size_t number) const {
    const suite::Outcome& outcome = *each.outcome;
    each.messages = differences(*each.expectation, outcome);
    each.status = each.messages.empty() ? Case::Status::kPassed : Case::Status::kFailed;
    if (each.status == Case::Status::kFailed && outcome.finding) {
      const suite::Outcome::Finding& finding = *outcome.finding;
      const std::string place = finding.file.empty() ? "" : fmt::format(" at {}:{}", finding.file, finding.line);
      each.messages.push_back(fmt::format("found: {}{}", finding.message, place));
    }
    // Also if it passed: it may have by accident.
    const bool said =
        each.status == Case::Status::kFailed && outcome.finding && outcome.finding->message == outcome.cut;
    if (!outcome.cut.empty() && !said) each.messages.push_back(fmt::format("cut: {}", outcome.cut));
    if (keys_[number].empty() || outcome.verdict == Verdict::kIncomplete) return;
    const Status written = write_file_atomically(cache_file(number), remembered_json(keys_[number], outcome));
    if (!written.ok()) complain(fmt::format("warning: {}", written.error()));
  }

  void print_ended() {
    if (options_.output.json == kStandardOutput) return;
    for (; printed_ < suite_.cases.size(); ++printed_) {
      if (suite_.cases[printed_].status == Case::Status::kOpen) return;
      print(suite_.cases[printed_]);
    }
  }

  void print(const Case& each) {
    const bool wrong = each.status == Case::Status::kFailed || each.status == Case::Status::kError;
    if (wrong || options_.output.verbosity != Verbosity::kQuiet) session_.output.print(case_text(each, palette_));
    if (options_.test.github) session_.output.print(github_annotation(each));
  }

  Status write_files() const {
    using Write = std::pair<const std::string&, std::string (*)(const suite::Suite&)>;
    const std::string json = options_.output.json == kStandardOutput ? "" : options_.output.json;
    for (const auto& [path, make] : {Write{json, suite::suite_json}, Write{options_.test.junit, suite::junit_xml},
                                     Write{options_.test.sarif, suite::sarif_json}}) {
      if (path.empty() || (suite_.running && is_special_file(path))) continue;
      if (Status written = write_file_atomically(path, make(suite_)); !written.ok()) return written;
    }
    return Success{};
  }

  const Session& session_;
  const Options& options_;
  suite::Suite suite_;
  std::vector<Options> checks_;
  std::vector<std::string> keys_;  // by case; empty: the verdict is not remembered
  std::string folder_;
  uint64_t jobs_;
  std::vector<Running> running_;
  size_t printed_ = 0;  // how many cases
  SystemClock clock_;
  Palette palette_{wants_color(options_.output.color, stdout)};
};

int list_cases(const Session& session, TestCases cases) {
  suite::Suite suite;
  suite.cases = std::move(cases.cases);
  std::string text;
  const Palette palette(wants_color(session.options.output.color, stdout));
  for (const Case& each : suite.cases) text += case_text(each, palette);
  if (!print_result(session, text, suite_json(suite))) return kExitUsage;
  return suite.count(Case::Status::kError) > 0 ? kExitUsage : kExitHolds;
}

}  // namespace

int run_test(const Session& session) {
  TestCases cases = collect_cases(session.options.test);
  if (session.options.test.list) return list_cases(session, std::move(cases));
  Result<RunDirectory> folder = RunDirectory::create("", false);
  if (!folder.ok()) return refuse(folder.error());
  const RunDirectory own_folder = std::move(folder).value();
  Tester tester(session, std::move(cases), own_folder.path());
  if (const Status begun = tester.begin(); !begun.ok()) return refuse(begun.error());
  tester.run();
  return tester.finish();
}

}  // namespace cmc
