#include <algorithm>
#include <filesystem>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/memory_limit.h"
#include "base/sha1.h"
#include "checker/cli/commands.h"
#include "checker/cli/commands/verdict_key.h"
#include "checker/cli/output_files.h"
#include "checker/cli/signals.h"
#include "checker/mutate/child_pool.h"
#include "checker/mutate/mutation_report.h"
#include "checker/mutate/operators.h"
#include "checker/mutate/result_file.h"

namespace cmc {
namespace {

namespace fs = std::filesystem;
using mutate::Group;
using mutate::Judgement;
using mutate::Mutant;
using mutate::MutationReport;

// The first `count` become random ones. By hand, as std::shuffle is another one with each library.
template <class T>
void shuffle(std::vector<T>& all, uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  for (size_t i = 0; i < count; ++i) std::swap(all[i], all[i + random() % (all.size() - i)]);
}

// The mutants that are asked for. Error: there is no such number.
Result<std::vector<Mutant>> chosen(const MutateOptions& options, const std::vector<Mutant>& all) {
  std::vector<Mutant> mutants;
  for (const uint64_t number : options.shown) {
    if (number > all.size()) return Error{fmt::format("there is no mutant {}; there are {}", number, all.size())};
    mutants.push_back(all[number - 1]);
  }
  if (!mutants.empty()) return mutants;
  for (const Mutant& each : all) {
    if (options.faults || info(each.op).group != Group::kFault) mutants.push_back(each);
  }
  if (options.mutants == 0 || options.mutants >= mutants.size()) return mutants;
  shuffle(mutants, options.seed, options.mutants);
  mutants.resize(options.mutants);
  std::ranges::sort(mutants, {}, &Mutant::number);
  return mutants;
}

Status write_mutants(const MutationReport& report, const std::string& folder) {
  if (Status made = make_folder(folder); !made.ok()) return made;
  for (const MutationReport::Case& each : report.cases) {
    const bool is_model = each.mutant.range.file == 0;
    const std::string name = is_model ? ".pml" : "-" + fs::path(report.file_of(each.mutant)).filename().string();
    Status written = write_file_atomically(fmt::format("{}/{}{}", folder, each.mutant.number, name),
                                           mutated_text(report.text_of(each.mutant), each.mutant));
    if (!written.ok()) return written;
  }
  return Success{};
}

std::string list_text(const MutationReport& report) {
  std::string text;
  for (const MutationReport::Case& each : report.cases) {
    text += fmt::format("{:>5}  line {}: {}: {}\n", each.mutant.number, each.mutant.place.line,
                        info(each.mutant.op).name, printable(short_text(report.text_of(each.mutant), each.mutant)));
  }
  return text;
}

// All that decides what becomes of a mutant, beside its number.
std::string results_key(const LoadedModel& loaded, const CheckRequest& request, const MutationReport& report) {
  std::string texts;
  for (const auto& [name, text] : report.files) texts += fmt::format("{}\n{}", text.size(), text);
  std::vector<std::string> words = {name_in(kFairnessNames, request.fairness), request.check_end_states ? "" : "-E",
                                    loaded.request.escapes_like_java ? "-J" : ""};
  for (const auto& [undefine, text] : loaded.request.preprocessor.commands)
    words.push_back((undefine ? "-U" : "-D") + text);
  words.insert(words.end(), loaded.request.formulas.begin(), loaded.request.formulas.end());
  for (const mutate::Baseline::Property& each : report.baseline.properties) words.push_back(each.name);
  return verdict_key(sha1_hex(texts), words);
}

// Takes over what is known from --results. Null: there is no such file.
Result<std::unique_ptr<mutate::ResultFile>> open_results(const std::string& path, const std::string& key,
                                                         MutationReport& report) {
  if (path.empty()) return std::unique_ptr<mutate::ResultFile>();
  Result<std::unique_ptr<mutate::ResultFile>> file = mutate::ResultFile::open(path, key);
  if (!file.ok()) return file;
  for (MutationReport::Case& each : report.cases) {
    const auto known = file.value()->known().find(each.mutant.number);
    if (known != file.value()->known().end()) each.judgement = known->second;
  }
  return file;
}

// Judges all cases that are not judged yet, in children.
void judge_cases(const Session& session, const mutate::Judge& judge, double start, mutate::ResultFile* results,
                 MutationReport& report) {
  constexpr double kGraceSeconds = 20;  // for a comparison, and for a search to end
  const MutateOptions& options = session.options.mutate;
  const SystemClock clock;
  const double limit = session.options.check.time_seconds;
  mutate::ChildWork work;
  work.jobs = options.jobs > 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  work.most_seconds = judge.most_seconds() + kGraceSeconds;
  // In random order, so that those that have run at the end of the time are a sample.
  std::vector<size_t> order;
  for (size_t i = 0; i < report.cases.size(); ++i) {
    if (report.cases[i].judgement.verdict == mutate::Verdict::kNotRun) order.push_back(i);
  }
  shuffle(order, options.seed, order.size());
  work.tasks = order.size();
  const bool shows_progress = is_terminal(stderr);
  size_t ended = 0;
  work.work = [&](size_t task) { return judgement_json(judge.judge(report.cases[order[task]].mutant)); };
  work.on_end = [&](size_t task, const std::optional<std::string>& answer) {
    const std::optional<Judgement> judgement = answer ? mutate::parse_judgement(*answer) : std::nullopt;
    Judgement& result = report.cases[order[task]].judgement;
    if (shows_progress) print_to_stderr(fmt::format("\r{} of {} mutants\033[K", ++ended, order.size()));
    if (judgement) {
      result = *judgement;
    } else {
      result.verdict = mutate::Verdict::kBudget;
      result.message = "its check crashed, took all memory or did not end";
    }
    if (results == nullptr) return;
    if (const Status kept = results->add(report.cases[order[task]].mutant.number, result); !kept.ok())
      report.cut = kept.error();
  };
  work.goes_on = [&] {
    if (session.interrupted) report.cut = "interrupted";
    if (limit > 0 && clock.wall_seconds() - start > limit)
      report.cut = fmt::format("the time limit of {} was reached", format_seconds(limit));
    return report.cut.empty();
  };
  const bool all = mutate::run_in_children(work);
  if (shows_progress) print_to_stderr("\r\033[K");
  if (!all && report.cut.empty()) report.cut = "no more processes can be made";
  report.seconds = clock.wall_seconds() - start;
}

std::string shown_text(const MutationReport& report, const Palette& palette) {
  std::string text;
  for (const MutationReport::Case& each : report.cases)
    text += fmt::format("{}{}", text.empty() ? "" : "\n", case_text(report, each, palette));
  return text;
}

Status write_files(const MutateOptions& options, const MutationReport& report) {
  if (!options.out.empty()) {
    if (Status written = write_mutants(report, options.out); !written.ok()) return written;
  }
  if (!options.html.empty()) {
    if (Status written = write_file_atomically(options.html, report_html(report)); !written.ok()) return written;
  }
  if (options.sarif.empty()) return Success{};
  return write_file_atomically(options.sarif, report_sarif(report));
}

int exit_code(const MutateOptions& options, const MutationReport& report) {
  if (report.cut == "interrupted") return interrupted_exit_code();
  if (!report.cut.empty()) return kExitIncomplete;
  const bool enough = report.score().value_or(0) >= options.at_least_percent;
  return enough || !options.shown.empty() ? kExitHolds : kExitViolated;
}

}  // namespace

int run_mutate(const Session& session) {
  const Options& options = session.options;
  const std::optional<LoadedModel> loaded = load_model(session);
  if (!loaded) return kExitUsage;
  promela::Sources sources;
  std::string messages;
  sources.add(loaded->file, std::string(loaded->sources.text(0)));
  const std::optional<std::vector<Mutant>> all = mutate::make_mutants(loaded->request, sources, messages);
  if (!all) return refuse("the model cannot be read again");
  const Result<std::vector<Mutant>> mutants = chosen(options.mutate, *all);
  if (!mutants.ok()) return refuse(mutants.error());

  MutationReport report;
  report.file = loaded->file;
  report.sha1 = loaded->sha1;
  for (uint32_t file = 0; file < loaded->sources.file_count(); ++file)
    report.files.emplace_back(loaded->sources.name(file), loaded->sources.text(file));
  report.arguments = options.arguments;
  report.all = all->size();
  report.seed = options.mutate.seed;
  for (const Mutant& each : mutants.value()) report.cases.push_back({each, {}});
  const Palette palette(wants_color(options.output.color, stdout));
  if (options.mutate.list) {
    if (const Status written = write_files(options.mutate, report); !written.ok()) return refuse(written.error());
    return print_result(session, list_text(report), report_json(report)) ? kExitHolds : kExitUsage;
  }

  CheckRequest request = options.check;
  request.interrupt = &session.interrupted;
  const uint64_t jobs =
      options.mutate.jobs > 0 ? options.mutate.jobs : std::max(1u, std::thread::hardware_concurrency());
  if (request.memory_bytes == 0) request.memory_bytes = default_memory_budget_bytes() / jobs;
  const double start = SystemClock().wall_seconds();
  const Result<mutate::Judge> judge = mutate::Judge::make(*loaded, request);
  if (!judge.ok()) return session.interrupted ? interrupted_exit_code() : refuse(judge.error());
  report.baseline = judge.value().baseline();
  if (report.baseline.properties.empty()) {
    complain(fmt::format("no property of the model holds, so none can notice a change: {}",
                         fmt::join(report.baseline.left_out, "; ")));
    return report.baseline.undecided ? kExitIncomplete : kExitUsage;
  }
  // Nothing can be said of a property that does not hold itself.
  std::erase_if(report.cases, [&](const MutationReport::Case& each) {
    const std::string& property = each.mutant.property;
    return !property.empty() &&
           std::ranges::find(report.baseline.properties, property, &mutate::Baseline::Property::name) ==
               report.baseline.properties.end();
  });
  const auto results = open_results(options.mutate.results, results_key(*loaded, request, report), report);
  if (!results.ok()) return refuse(results.error());
  judge_cases(session, judge.value(), start, results.value().get(), report);
  if (const Status written = write_files(options.mutate, report); !written.ok()) return refuse(written.error());
  const std::string text = options.mutate.shown.empty() ? report_text(report, palette) : shown_text(report, palette);
  if (!print_result(session, text, report_json(report))) return kExitUsage;
  return exit_code(options.mutate, report);
}

}  // namespace cmc
