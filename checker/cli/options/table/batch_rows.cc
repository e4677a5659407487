#include <fmt/format.h>

#include "checker/cli/options/table/option_values.h"
#include "checker/cli/options/table/rows.h"

// `tune`, `test` and `mutate`, which run many checks, and `conform`.

namespace cmc::rows {
namespace {

constexpr uint64_t kMaxJobs = 1024;

constexpr OptionRow kBatchRows[] = {
    {kTune, kTuneSection, "--out", "FOLDER",
     "keep the results there (default: MODEL.tune); runs whose results are in the folder are not repeated",
     [](Options& o, const std::string& v) { return file_name(v, o.tune.out); }},
    {kTune, kTuneSection, "--best", "MEASURE",
     "what the best run has least of: time (default; by the clock), cpu (seconds of all threads), memory (at the "
     "peak), disk (bytes of pages at the peak), pages (read and written)",
     [](Options& o, const std::string& v) { return choose(v, kTuneMeasureNames, o.tune.best); }},
    {kTune, kTuneSection, "--runs", "N",
     "run each combination N times, 1 to 100, in shuffled order, and take the medians (default: 5 if the first run "
     "takes less than 10 s, otherwise 1)",
     [](Options& o, const std::string& v) {
       return whole_number(v, o.tune.runs, 1, 100, "a combination runs 1 to 100 times");
     }},
    {kTest, kCasesSection, "--slow", "HOW", "cases that are marked `slow`: skip (default), too, only",
     [](Options& o, const std::string& v) {
       static constexpr EnumName<SlowCases> kHow[] = {
           {"skip", SlowCases::kSkip}, {"too", SlowCases::kToo}, {"only", SlowCases::kOnly}};
       return choose(v, kHow, o.test.slow);
     }},
    {kTest, kCasesSection, "--list", nullptr, "only list the cases",
     [](Options& o, const std::string&) { return turn_on(o.test.list); }},
    {kTest, kCasesSection, "-j,--jobs", "N",
     "how many checks run at the same time (default: one per processor); the processors' threads and 80% of the "
     "memory are divided among them",
     [](Options& o, const std::string& v) {
       return whole_number(v, o.test.jobs, 1, kMaxJobs, fmt::format("the number of jobs is 1 to {}", kMaxJobs));
     }},
    {kMutate, kMutantSection, "--mutants", "N", "a random sample of N mutants (default: all)",
     [](Options& o, const std::string& v) {
       return whole_number(v, o.mutate.mutants, 1, UINT32_MAX, "a sample has at least 1 mutant");
     }},
    {kMutate, kMutantSection, "--seed", "N", "of the sample; the same seed gives the same one (default: 1)",
     [](Options& o, const std::string& v) { return whole_number(v, o.mutate.seed); }},
    {kMutate, kMutantSection, "--faults", nullptr, "also mutants in which a message is lost, or sent twice",
     [](Options& o, const std::string&) { return turn_on(o.mutate.faults); }},
    {kMutate, kMutantSection, "--list", nullptr, "only list the mutants",
     [](Options& o, const std::string&) { return turn_on(o.mutate.list); }},
    {kMutate, kMutantSection, "--show", "N",
     "only mutant number N: its change, what became of it, and, if it survives, a run that only it or only the model "
     "has; repeatable",
     [](Options& o, const std::string& v) {
       return whole_number(v, o.mutate.shown.emplace_back(), 1, UINT32_MAX, "mutants are numbered from 1");
     }},
    {kMutate, kMutantSection, "-j,--jobs", "N",
     "how many mutants are checked at the same time (default: one per processor)",
     [](Options& o, const std::string& v) {
       return whole_number(v, o.mutate.jobs, 1, kMaxJobs, fmt::format("the number of jobs is 1 to {}", kMaxJobs));
     }},
    {kMutate, kMutantSection, "--at-least", "PERCENT",
     "exit with code 1 if fewer of the mutants that are killed or survive are killed: 80%",
     [](Options& o, const std::string& v) { return percentage(v, o.mutate.at_least_percent); }},
    {kConform, kConformSection, "--map", "FILE",
     "what events of the log are in the model (default: the lines of the model that begin with //@)",
     [](Options& o, const std::string& v) { return file_name(v, o.conform.map); }},
    {kConform, kConformSection, "--end", nullptr, "the run has to end at a valid end behind the last event",
     [](Options& o, const std::string&) { return turn_on(o.conform.to_end); }},
    {kConform, kConformSection, "--each", nullptr,
     "each log is of a run of its own; otherwise several logs without clocks are those of the parts of one run",
     [](Options& o, const std::string&) { return turn_on(o.conform.each); }},
    {kConform, kConformSection, "--follow", nullptr,
     "go on reading the log as it grows, and say at once when it leaves the model",
     [](Options& o, const std::string&) { return turn_on(o.conform.follow); }},
    {kConform, kConformSection, "--suggest", nullptr,
     "print a map to begin with, and hold nothing against anything: what can be observed of the model, with the "
     "names "
     "of the log where they fit",
     [](Options& o, const std::string&) { return turn_on(o.conform.suggest); }},
    {kConform, kConformSection, "--uncovered", "FOLDER",
     "write logs of runs that take those steps of the model which no log has taken",
     [](Options& o, const std::string& v) { return file_name(v, o.conform.uncovered); }},
    {kConform, kLimitSection, "--states", "N",
     "look at N pairs of a state and a place in the log at most (default: all)",
     [](Options& o, const std::string& v) {
       return whole_number(v, o.conform.most_pairs, 1, UINT32_MAX - 1, "at least 1 state is looked at");
     }},
    {kTest, kCasesSection, "--cache", "FOLDER",
     "remember verdicts there, and do not check a case again while its preprocessed text, its options and this cmc "
     "are the same. A case with another verdict than expected is always checked again",
     [](Options& o, const std::string& v) { return file_name(v, o.test.cache); }},
    {kTune | kTest, kTuneSection, "--kill-after", "TIME",
     "kill a run that takes longer: 90, 15m, 2h (default: never)",
     [](Options& o, const std::string& v) { return duration(v, o.kill_after_seconds); }},
    {kTune, kTuneSection, "--retry-failed", nullptr, "repeat the runs that failed or were incomplete",
     [](Options& o, const std::string&) { return turn_on(o.tune.retry_failed); }},
    {kTune, kTuneSection, "--dry-run", nullptr, "only print the commands, and which of them are done",
     [](Options& o, const std::string&) { return turn_on(o.tune.dry_run); }},
};

constexpr OptionRow kBatchResultRows[] = {
    {kTest, kOutputSection, "--json", "[FILE]",
     "write all cases as JSON (cmc.test/1) to FILE; without =FILE: to standard output, instead of the table",
     [](Options& o, const std::string& v) { return json_file(v, o.output.json); }},
    {kMutate, kOutputSection, "--json", "[FILE]",
     "write all mutants as JSON (cmc.mutation/1) to FILE; without =FILE: to standard output, instead of the text",
     [](Options& o, const std::string& v) { return json_file(v, o.output.json); }},
    {kConform, kOutputSection, "--json", "[FILE]",
     "write the answers as JSON (cmc.conformance/1) to FILE; without =FILE: to standard output, instead of the text",
     [](Options& o, const std::string& v) { return json_file(v, o.output.json); }},
    {kMutate, kOutputSection, "--sarif", "FILE",
     "write the survivors and what says nothing as SARIF 2.1.0, for code scanning",
     [](Options& o, const std::string& v) { return file_name(v, o.mutate.sarif); }},
    {kMutate, kOutputSection, "--html", "FILE", "write the source, coloured by survivors, as a page for a browser",
     [](Options& o, const std::string& v) { return file_name(v, o.mutate.html); }},
    {kMutate, kMutantSection, "--results", "FILE",
     "keep there what became of each mutant, as soon as it is known, and do not check again what is there: so a run "
     "that was stopped or killed goes on",
     [](Options& o, const std::string& v) { return file_name(v, o.mutate.results); }},
    {kMutate, kOutputSection, "--out", "FOLDER", "write each mutant as a model, FOLDER/NUMBER.pml",
     [](Options& o, const std::string& v) { return file_name(v, o.mutate.out); }},
    {kTest, kOutputSection, "--junit", "FILE", "write the cases as JUnit's XML, for CI servers",
     [](Options& o, const std::string& v) { return file_name(v, o.test.junit); }},
    {kTest, kOutputSection, "--sarif", "FILE", "write the cases that fail as SARIF 2.1.0, for code scanning",
     [](Options& o, const std::string& v) { return file_name(v, o.test.sarif); }},
    {kTest, kOutputSection, "--annotations", "SERVICE",
     "mark the lines of errors in the models, for a hosted CI; SERVICE is github",
     [](Options& o, const std::string& v) {
       static constexpr EnumName<bool> kServices[] = {{"github", true}};
       return choose(v, kServices, o.test.github);
     }},
};

}  // namespace

std::span<const OptionRow> batch_rows() { return kBatchRows; }
std::span<const OptionRow> batch_result_rows() { return kBatchResultRows; }

}  // namespace cmc::rows
