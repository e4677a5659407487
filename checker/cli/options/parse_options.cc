#include <algorithm>

#include <fmt/format.h>

#include "checker/check/plan.h"
#include "checker/cli/options/option_effects.h"
#include "checker/cli/options/options.h"
#include "checker/cli/options/split_words.h"
#include "checker/cli/options/tune_grid.h"
#include "checker/report/style/version.h"
#include "checker/spin/arguments.h"
#include "promela/text/diagnostic.h"

namespace cmc {
namespace {

const CommandRow* find_command(std::string_view name) {
  for (const CommandRow& command : command_table()) {
    if (name == command.name) return &command;
  }
  return nullptr;
}

Answer usage_error(std::string_view who, std::string_view message) {
  return {kExitUsage, fmt::format("{}: {}\n(`{} --help` says more)\n", who, message, who)};
}

Answer unknown_command(const std::string& name) {
  if (name.starts_with('-')) {
    const bool of_spin = !name.starts_with("--");
    return usage_error("cmc", fmt::format("'{}' must come after a command{}", name,
                                          of_spin ? fmt::format("; as in SPIN: cmc spin {} ...", name) : ""));
  }
  if (name.ends_with(".pml") || name.ends_with(".prom") || name.find('/') != std::string::npos) {
    return usage_error("cmc", fmt::format("'{}' is not a command; to check that model: cmc check {}", name, name));
  }
  std::vector<std::string_view> names = {"help", "spin"};
  for (const CommandRow& command : command_table()) names.push_back(command.name);
  return usage_error("cmc", fmt::format("unknown command '{}'{}", name, promela::did_you_mean(name, names)));
}

Answer help_answer(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2 || arguments[1] == "help") return {kExitHolds, general_help()};
  if (arguments[1] == "spin") return {kExitHolds, spin::spin_help()};
  const CommandRow* command = find_command(arguments[1]);
  return command == nullptr ? unknown_command(arguments[1]) : Answer{kExitHolds, command_help(*command)};
}

// What the words of one command mean; that is in the option table. Options are applied in the order of the words.
class CommandParser {
 public:
  CommandParser(const CommandRow& command, const std::vector<std::string>& words)
      : command_(command), line_(split_words(command, words)) {
    options_.command = command.command;
    options_.arguments = words;
    options_.arguments.insert(options_.arguments.begin(), command.name);
  }

  [[nodiscard]] bool asks_for_help() const { return line_.help; }

  Result<Options> parse() {
    for (Status (CommandParser::*const step)() :
         {&CommandParser::check_words, &CommandParser::apply, &CommandParser::finish}) {
      if (const Status done = (this->*step)(); !done.ok()) return Error{done.error()};
    }
    return std::move(options_);
  }

 private:
  [[nodiscard]] std::string name(size_t number) const {
    return number < line_.names.size() ? line_.names[number] : std::string();
  }

  Status check_words() {
    if (command_.command == Command::kSolver && name(0) == "latency")
      return Error{"`cmc solver latency` is a program of its own now: cmc-latency (built with -DCMC_STUDIES=ON)"};
    if (!line_.mistake.empty()) return Error{line_.mistake};
    const std::string_view arguments = command_.arguments;
    const auto most_names = static_cast<size_t>(std::ranges::count(arguments, ' ')) + (arguments.empty() ? 0 : 1);
    if (arguments.find("...") != std::string_view::npos || line_.names.size() <= most_names) return Success{};
    return Error{unexpected_name(line_.names[most_names])};
  }

  [[nodiscard]] std::string unexpected_name(const std::string& unexpected) const {
    std::string text = fmt::format("unexpected argument '{}'", unexpected);
    if (std::string_view(command_.arguments).find("MODEL") != std::string_view::npos)
      text += fmt::format(" (the model is '{}')", name(0));
    if (command_.command == Command::kCheck) text += "; to check several models: cmc test";
    const auto writes_json = [](const GivenOption& given) { return has_optional_value(*given.row); };
    if (std::ranges::any_of(line_.options, writes_json)) text += "; the file for --json comes after `=`: --json=FILE";
    return text;
  }

  Status apply() {
    for (const GivenOption& given : line_.options) {
      const OptionRow& row = *given.row;
      const Status set = applies(row, command_.command)         ? row.set(options_, given.value)
                         : command_.command == Command::kTune   ? add_setting(given)
                         : command_.command == Command::kResume ? note_fixed(given)
                                                                : hand_on(given);
      if (!set.ok()) return Error{fmt::format("{}: {}", row.names, set.error())};
    }
    return Success{};
  }

  Status hand_on(const GivenOption& given) {
    Options scratch;
    const Status set = given.row->set(scratch, given.value);
    if (set.ok()) options_.test.check_arguments.push_back(as_argument(*given.row, given.value));
    return set;
  }

  Status note_fixed(const GivenOption& given) {
    options_.resume.fixed.push_back(as_argument(*given.row, given.value));
    return Success{};
  }

  Status add_setting(const GivenOption& given) {
    std::vector<TuneSetting>& settings = options_.tune.settings;
    CMC_TRY(TuneSetting setting, make_setting(*given.row, given.value));
    if (std::ranges::find(settings, setting.option, &TuneSetting::option) != settings.end())
      return Error{"it was given before; several values are a list: A,B"};
    settings.push_back(std::move(setting));
    return Success{};
  }

  Status finish() {
    const bool checks = command_.command == Command::kCheck || command_.command == Command::kTest;
    if (options_.check.generator == GeneratorKind::kPlugin && !checks)
      return Error{"--generator plugin is for 'cmc check' only"};
    switch (command_.command) {
      case Command::kLog: return finish_log();
      case Command::kTest: return finish_test();
      case Command::kFmt: return finish_fmt();
      case Command::kSolver: return finish_solver();
      case Command::kDap:
      case Command::kLsp:
      case Command::kMcp: return Success{};
      case Command::kCheck:
      case Command::kProfile: return finish_check();
      case Command::kTune: return finish_tune();
      case Command::kResume: return finish_resume();
      case Command::kExplore:
        options_.files.trail = name(1);
        if (!name(1).empty() && !(options_.check.properties.empty() && options_.reading.formulas.empty()))
          return Error{"the run at first is TRAIL, or a counterexample; leave one of them out"};
        return finish_model();
      case Command::kConform:
        if (const Status model = finish_model(); !model.ok()) return model;
        return finish_conform();
      case Command::kReplay:
        options_.files.trail = name(1);
        if (const Status model = finish_model(); !model.ok()) return model;
        if (name(1).empty()) return Error{"which trail? Name a file that `cmc check --trail FILE` wrote"};
        return Success{};
      default: return finish_model();
    }
  }

  // Of a command that reads a model.
  Status finish_model() {
    options_.model = line_.names.empty() && line_.dash ? kStandardOutput : name(0);
    const bool needs_model = command_.command != Command::kAutomaton || options_.reading.formulas.empty();
    if (options_.model.empty() && needs_model) {
      const bool reads_again = command_.command == Command::kExplore;
      return Error{fmt::format("which model? Name a Promela file{}", reads_again ? "" : ", or - for standard input")};
    }
    return Success{};
  }

  Status finish_check() {
    if (const Status useful = check_effects(command_.command, settings_of_check()); !useful.ok()) return useful;
    options_.check.profile = command_.command == Command::kProfile || options_.profile.any();
    options_.check.saving.arguments = arguments_to_keep();
    if (const std::optional<std::string> conflict = conflict_in(options_.check, options_.overflow))
      return Error{*conflict};
    if (options_.check.saving.certificate) options_.check.without_reductions();
    return finish_model();
  }

  // A run keeps what decides what is searched, and how; a limit in time is each process's own.
  [[nodiscard]] std::vector<std::string> arguments_to_keep() const {
    std::vector<std::string> words;
    for (const GivenOption& given : line_.options) {
      const std::string option = long_name(*given.row);
      if ((is_tunable(*given.row) && option != "--time") || option == "--checkpoint-every")
        words.push_back(as_argument(*given.row, given.value));
    }
    if (options_.check.saving.certificate && !options_.check.reductions_given) words.push_back("--reductions=none");
    return words;
  }

  Status finish_resume() {
    if (name(0).empty()) return Error{"which run? Name a folder that `cmc check --checkpoint FOLDER` made"};
    options_.resume.directory = name(0);
    for (const GivenOption& given : line_.options) {
      if (applies(*given.row, Command::kResume))
        options_.resume.given.push_back(as_argument(*given.row, given.value));
    }
    return Success{};
  }

  // Each option as it was given last, in the order of the table.
  [[nodiscard]] std::vector<TuneSetting> settings_of_check() const {
    std::vector<TuneSetting> settings;
    for (const OptionRow& row : option_table()) {
      const auto of_row = [&](const GivenOption& given) { return given.row == &row; };
      const auto last = std::find_if(line_.options.rbegin(), line_.options.rend(), of_row);
      if (last == line_.options.rend() || !is_tunable(row)) continue;
      TuneSetting& setting = settings.emplace_back();
      setting.option = long_name(row);
      if (row.value != nullptr) setting.values = {last->value};
    }
    return settings;
  }

  Status finish_log() {
    LogOptions& log = options_.log;
    log.files = line_.names;
    if (log.files.empty()) return Error{"which logs? Name files that `cmc check --log FILE` wrote"};
    if (log.to_seconds > 0 && log.to_seconds <= log.from_seconds) return Error{"--to is not after --from"};
    return Success{};
  }

  Status finish_fmt() {
    std::vector<std::string>& files = options_.fmt.files;
    files = line_.names;
    if (line_.dash) files.emplace_back(kStandardOutput);
    if (files.empty()) return Error{"which files? Name Promela files, or - for standard input"};
    if (line_.dash && files.size() > 1)
      return Error{"- is printed to standard output, so it goes with no other file"};
    return Success{};
  }

  Status finish_conform() {
    ConformOptions& conform = options_.conform;
    if (line_.names.size() > 1) conform.logs.assign(line_.names.begin() + 1, line_.names.end());
    if (conform.logs.empty() && !conform.suggest) return Error{"which logs? Name files, or - for standard input"};
    const auto dashes = std::ranges::count(line_.names, kStandardOutput);
    if (dashes > 1) return Error{"standard input can be read once only"};
    if (!conform.follow) return Success{};
    if (conform.logs.size() > 1) return Error{"--follow reads one log"};
    if (conform.to_end || !conform.uncovered.empty())
      return Error{"--follow forgets what it has read, so it goes with neither --end nor --uncovered"};
    return Success{};
  }

  Status finish_test() {
    TestOptions& test = options_.test;
    test.paths = line_.names;
    if (test.paths.empty()) test.paths.emplace_back(".");
    if (std::ranges::find(test.paths, kStandardOutput) != test.paths.end())
      return Error{"models are read again and again, so they must be files"};
    if (test.github && options_.output.json == kStandardOutput)
      return Error{"--annotations writes to standard output, too; give --json a file: --json=FILE"};
    return Success{};
  }

  Status finish_tune() {
    TuneOptions& tune = options_.tune;
    if (const Status useful = check_effects(command_.command, tune.settings); !useful.ok()) return useful;
    if (name(0) == "-") return Error{"the model is read again and again, so it must be a file"};
    if (grid_size(tune.settings) > kMaxTuneRuns)
      return Error{fmt::format("there are more than {} combinations", kMaxTuneRuns)};
    if (tune.out.empty()) {
      std::string model = name(0).substr(name(0).rfind('/') + 1);
      if (model.ends_with(".pml")) model.resize(model.size() - 4);
      tune.out = model + ".tune";
    }
    return finish_model();
  }

  Status finish_solver() {
    static constexpr EnumName<SolverAction> kActions[] = {
        {"ping", SolverAction::kPing}, {"stats", SolverAction::kStats}, {"eval", SolverAction::kEval}};
    if (name(0).empty()) return Error{"what? One of: ping, stats, eval FILE"};
    const std::optional<SolverAction> action = value_in(kActions, name(0));
    if (!action) return Error{fmt::format("'{}' is not one of: ping, stats, eval FILE", name(0))};
    options_.solver = {*action, name(1)};
    const bool wants_file = *action == SolverAction::kEval;
    if (wants_file && name(1).empty()) return Error{"eval which file? Name one, or - for standard input"};
    if (!wants_file && !name(1).empty()) return Error{unexpected_name(name(1))};
    return Success{};
  }

  const CommandRow& command_;
  CommandLine line_;
  Options options_;
};

}  // namespace

std::variant<Options, Answer> parse_command_line(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return Answer{kExitUsage, general_help()};
  const std::string& first = arguments.front();
  if (first == "-h" || first == "--help" || first == "help") return help_answer(arguments);
  if (first == "--version" || first == "version") return Answer{kExitHolds, fmt::format("cmc {}\n", kVersion)};
  const CommandRow* command = find_command(first);
  if (command == nullptr) return unknown_command(first);
  CommandParser parser(*command, {arguments.begin() + 1, arguments.end()});
  if (parser.asks_for_help()) return Answer{kExitHolds, command_help(*command)};
  Result<Options> options = parser.parse();
  if (!options.ok()) return usage_error(fmt::format("cmc {}", command->name), options.error());
  return std::move(options).value();
}

}  // namespace cmc
