#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/files/file.h"
#include "base/memory_limit.h"
#include "checker/check/search.h"
#include "checker/cli/check.h"
#include "checker/cli/commands.h"
#include "checker/cli/error_traces.h"
#include "checker/cli/signals.h"
#include "checker/conform/report.h"
#include "checker/conform/suggest.h"
#include "checker/conform/uncovered.h"
#include "checker/reference/reference.h"

namespace cmc {
namespace {

using conform::ConformReport;
using conform::ConformSearch;
using conform::EventMap;
using conform::LogReader;
using Outcome = ConformReport::Outcome;

// A file that is read line by line, whatever its length.
class Lines {
 public:
  static constexpr size_t kMostBytes = size_t{1} << 24;  // of a line

  [[nodiscard]] static Result<Lines> open(const std::string& path) {
    Lines lines;
    lines.path_ = path;
    lines.file_.reset(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
    if (lines.file_ == nullptr) return system_error("open", path, errno);
    return lines;
  }
  // Whether all that was asked for could be read.
  [[nodiscard]] const Status& status() const { return status_; }
  // Empty line ends are kept apart: false: there is no whole line now. `last`: what has no line end is one, too.
  [[nodiscard]] bool next(std::string& line, bool last) {
    while (true) {
      const int c = std::getc(file_.get());
      if (c == EOF) {
        if (std::ferror(file_.get()) != 0) status_ = system_error("read", path_, errno);
        struct stat now {};
        if (::fstat(fileno(file_.get()), &now) == 0 && S_ISREG(now.st_mode) && now.st_size < std::ftell(file_.get()))
          status_ = Error{fmt::format("'{}' has become shorter while it was read", path_)};
        std::clearerr(file_.get());
        if (!last || part_.empty()) return false;
        break;
      }
      if (c == '\n' || part_.size() == kMostBytes) break;
      part_ += static_cast<char>(c);
    }
    line.swap(part_);
    part_.clear();
    return true;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdin) std::fclose(file);
    }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::string path_;
  std::string part_;
  Status status_ = Success{};
};

Result<EventMap> read_map(const LoadedModel& loaded, const std::string& file) {
  std::string text;
  if (!file.empty()) {
    CMC_TRY(text, read_file(file));
  }
  CMC_TRY(conform::MapText map, file.empty() ? conform::parse_map(loaded.file, loaded.sources.text(0), true)
                                             : conform::parse_map(file, text, false));
  if (map.rules.empty()) {
    return Error{fmt::format("no map: {} has no event; `cmc conform --suggest {}` prints one to begin with",
                             file.empty() ? "the model" : file, loaded.file)};
  }
  return EventMap::make(loaded, std::move(map));
}

Status read_log(const std::string& path, LogReader& reader) {
  CMC_TRY(Lines open, Lines::open(path));
  if (const Status begun = reader.begin(path); !begun.ok()) return begun;
  for (std::string line; open.next(line, true);) {
    if (const Status added = reader.add(line); !added.ok()) return added;
  }
  if (!reader.has_clocks() && reader.log().events() == 0)
    complain(fmt::format("warning: no line of {} is an event of the map", path));
  return open.status();
}

// What a command has in hand.
struct Held {
  const Session& session;
  const LoadedModel& loaded;
  const EventMap& map;
  SuccessorGenerator& statements;
  GuardDecider* decider;
  Limits& limits;
  Palette palette;

  [[nodiscard]] conform::ReportOptions report_options() const {
    const Options& options = session.options;
    conform::ReportOptions report;
    report.trace = trace_options(options, false);
    report.shows_run = options.output.verbosity != Verbosity::kQuiet;
    report.most_steps = options.shown.limit.value_or(report.most_steps);
    return report;
  }
};

int exit_code(const std::vector<ConformReport>& reports) {
  int code = kExitHolds;
  for (const ConformReport& each : reports) {
    if (each.outcome == Outcome::kNotExplained) return kExitViolated;
    if (each.outcome == Outcome::kIncomplete) code = kExitIncomplete;
  }
  return code;
}

Status write_uncovered(const Held& held, const conform::Uncovered& uncovered, std::string& text) {
  const std::string& folder = held.session.options.conform.uncovered;
  if (Status made = make_folder(folder); !made.ok()) return made;
  text += fmt::format("\nthe logs take {} of {} of the model\n", format_count(uncovered.taken),
                      plural(uncovered.steps, "step"));
  size_t number = 0;
  std::string last;
  for (const conform::Uncovered::Run& run : uncovered.runs) {
    const std::string file = fmt::format("{}/{}.jsonl", folder, ++number);
    const bool is_written = run.is_log && !run.log.empty();
    if (is_written) {
      last = file;
      if (Status written = write_file_atomically(file, run.log); !written.ok()) return written;
    }
    text += is_written        ? fmt::format("{}: a run that takes\n", file)
            : run.log.empty() ? "a run without events takes\n"
                              : "a run one of whose events has values that were not found takes\n";
    for (const std::string& each : run.statements) text += fmt::format("  {}\n", printable(each));
  }
  if (!last.empty()) {
    const std::filesystem::path beside = std::filesystem::path(held.loaded.file).parent_path();
    std::error_code ignored;
    text += fmt::format(
        "lines like this one in the model's text let `cmc test` ask for these runs:\n  // expect: explained {}\n",
        printable(std::filesystem::relative(last, beside.empty() ? "." : beside, ignored).string()));
  }
  if (uncovered.unreachable.empty()) return Success{};
  text += uncovered.reason.empty() ? "no run takes\n"
                                   : fmt::format("no run was found ({}) that takes\n", uncovered.reason);
  for (const std::string& each : uncovered.unreachable) text += fmt::format("  {}\n", printable(each));
  return Success{};
}

int hold_logs(const Held& held) {
  const Options& options = held.session.options;
  std::vector<std::vector<std::string>> groups = {options.conform.logs};
  if (options.conform.each) {
    groups.clear();
    for (const std::string& each : options.conform.logs) groups.push_back({each});
  }
  std::vector<ConformReport> reports;
  std::string text;
  Coverage coverage(held.loaded.model);
  const auto reference = make_reference_generator(held.loaded.model, held.decider);
  for (const std::vector<std::string>& files : groups) {
    LogReader reader(held.loaded.model, held.map);
    for (const std::string& file : files) {
      if (const Status read = read_log(file, reader); !read.ok()) return refuse(read.error());
    }
    if (const Status finished = reader.finish(); !finished.ok()) return refuse(finished.error());
    conform::ConformOptions asked;
    asked.to_end = options.conform.to_end;
    asked.most_pairs = options.conform.most_pairs;
    asked.reduces = options.check.partial_order;
    if (options.check.reductions_given) asked.unreduced_pairs = 0;
    ConformReport report = conform::conform(held.loaded.model, held.map, reader.log(), held.statements, held.decider,
                                            asked, held.limits);
    report.files = files;
    if (options.output.json != kStandardOutput)
      text +=
          report_text(held.loaded.model, report, reader.log(), held.statements, held.report_options(), held.palette);
    if (!options.conform.uncovered.empty() && report.outcome == Outcome::kExplained) {
      static_cast<void>(conform::fault_of(held.map, reader.log(), *reference, report.run, false, &coverage));
    }
    reports.push_back(std::move(report));
  }
  if (!options.conform.uncovered.empty()) {
    conform::Behaviour behaviour(held.loaded.model, held.map, held.statements, held.limits);
    const conform::Uncovered uncovered =
        conform::find_uncovered(held.loaded.model, behaviour, coverage.marks(), held.limits);
    if (const Status written = write_uncovered(held, uncovered, text); !written.ok()) return refuse(written.error());
  }
  const std::string json = report_json(held.loaded, reports, options.arguments, held.limits.elapsed_seconds());
  if (!print_result(held.session, text, json)) return kExitUsage;
  return held.session.interrupted ? interrupted_exit_code() : exit_code(reports);
}

int follow_log(const Held& held) {
  constexpr std::chrono::milliseconds kPause(50);
  constexpr size_t kMostLines = 4096;  // that are read before they are held against the model
  const Options& options = held.session.options;
  const std::string& path = options.conform.logs.front();
  Result<Lines> opened = Lines::open(path);
  if (!opened.ok()) return refuse(opened.error());
  Lines lines = std::move(opened).value();
  LogReader reader(held.loaded.model, held.map);
  if (const Status begun = reader.begin(path); !begun.ok()) return refuse(begun.error());
  conform::Behaviour behaviour(held.loaded.model, held.map, held.statements, held.limits);
  ConformSearch search(behaviour, reader.log(), {false, true, options.conform.most_pairs}, held.limits);
  ConformReport report;
  report.files = {path};
  report.outcome = search.explore();
  std::string line;
  while (report.outcome == Outcome::kExplained) {
    size_t read = 0;
    for (; read < kMostLines && lines.next(line, path == "-"); ++read) {
      if (const Status added = reader.add(line); !added.ok()) return refuse(added.error());
      if (reader.has_clocks())
        return refuse("--follow reads a log whose lines are in their order, and events of this one have clocks");
    }
    if (!lines.status().ok()) return refuse(lines.status().error());
    report.outcome = search.explore();
    if (read > 0) continue;
    if (path == "-" || held.limits.reached()) break;
    std::this_thread::sleep_for(kPause);
  }
  report.events = reader.log().events();
  report.explained = search.most_explained();
  report.states = behaviour.states();
  report.pairs = search.pairs();
  report.reason = search.reason();
  if (report.outcome == Outcome::kNotExplained) conform::explain(search, reader.log(), false, report);
  conform::ReportOptions shown = held.report_options();
  shown.shows_run = false;
  const std::string text = report_text(held.loaded.model, report, reader.log(), held.statements, shown, held.palette);
  const std::vector<ConformReport> reports = {report};
  const std::string json = report_json(held.loaded, reports, options.arguments, held.limits.elapsed_seconds());
  if (!print_result(held.session, text, json)) return kExitUsage;
  return held.session.interrupted ? interrupted_exit_code() : exit_code(reports);
}

int suggest(const Session& session, const LoadedModel& loaded) {
  std::vector<std::string> all;
  for (const std::string& file : session.options.conform.logs) {
    Result<Lines> lines = Lines::open(file);
    if (!lines.ok()) return refuse(lines.error());
    Lines open = std::move(lines).value();
    std::string line;
    while (open.next(line, true)) all.push_back(line);
    if (!open.status().ok()) return refuse(open.status().error());
  }
  session.output.print(conform::suggest_map(loaded.model, all));
  return kExitHolds;
}

}  // namespace

int run_conform(const Session& session) {
  const Options& options = session.options;
  const std::optional<LoadedModel> loaded = load_model(session);
  if (!loaded) return kExitUsage;
  if (options.conform.suggest) return suggest(session, *loaded);
  const Result<EventMap> map = read_map(*loaded, options.conform.map);
  if (!map.ok()) return refuse(map.error());
  const std::optional<Decider> decider = decider_for(session, loaded->model);
  if (!decider) return kExitUsage;
  const auto statements = make_statement_generator(options.check, loaded->model, decider->get());
  const uint64_t memory = options.check.memory_bytes > 0 ? options.check.memory_bytes : default_memory_budget_bytes();
  Limits limits({memory, options.check.time_seconds, &session.interrupted});
  const Held held{session,
                  *loaded,
                  map.value(),
                  *statements,
                  decider->get(),
                  limits,
                  Palette(wants_color(options.output.color, stdout))};
  return options.conform.follow ? follow_log(held) : hold_logs(held);
}

}  // namespace cmc
