#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "checker/check/plan.h"
#include "checker/cli/options/option_effects.h"
#include "checker/cli/options/options.h"
#include "checker/cli/options/tune_grid.h"
#include "checker/cli/profile.h"
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

std::string did_you_mean(std::string_view written, const std::vector<std::string_view>& candidates) {
  const std::string_view closest = promela::closest_match(written, candidates);
  return closest.empty() ? "" : fmt::format("; did you mean '{}'?", closest);
}

Answer unknown_command(const std::string& name) {
  if (name.starts_with('-')) return usage_error("cmc", fmt::format("'{}' must come after a command", name));
  if (name.ends_with(".pml") || name.ends_with(".prom") || name.find('/') != std::string::npos) {
    return usage_error("cmc", fmt::format("'{}' is not a command; to check that model: cmc check {}", name, name));
  }
  std::vector<std::string_view> names = {"help", "spin"};
  for (const CommandRow& command : command_table()) names.push_back(command.name);
  return usage_error("cmc", fmt::format("unknown command '{}'{}", name, did_you_mean(name, names)));
}

Answer help_answer(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) return {kExitHolds, general_help()};
  if (arguments[1] == "spin") return {kExitHolds, spin::spin_help()};
  const CommandRow* command = find_command(arguments[1]);
  return command == nullptr ? unknown_command(arguments[1]) : Answer{kExitHolds, command_help(*command)};
}

// Parses the arguments of one command with CLI11, which splits them into options and values; what they mean is in the
// option table. Options are applied in the order of the command line, because -D and -U depend on it.
class CommandParser {
 public:
  explicit CommandParser(const CommandRow& command) : command_(command), who_(fmt::format("cmc {}", command.name)) {
    app_.allow_extras();
    app_.set_help_flag("-h,--help");
    for (const OptionRow& row : option_table()) {
      if (applies(row) || is_handed_on(row)) add(row);
    }
    if (command.command == Command::kLog || command.command == Command::kTest) {
      app_.add_option("file", files_);
      return;
    }
    if (command.command == Command::kSolver) {
      app_.add_option("action", action_);
      app_.add_option("file", smt2_);
      return;
    }
    app_.add_option("model", model_);
    if (command.command == Command::kReplay) app_.add_option("trail", trail_);
  }

  std::variant<Options, Answer> parse(std::vector<std::string> arguments) {
    std::vector<std::string> given = arguments;
    given.insert(given.begin(), command_.name);
    name_standard_output(arguments);
    try {
      std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
      app_.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
      return Answer{kExitHolds, command_help(command_)};
    } catch (const CLI::ArgumentMismatch&) {
      return usage_error(who_, "the last option needs a value");
    } catch (const CLI::ParseError& error) {
      return usage_error(who_, error.what());
    }
    if (command_.command == Command::kSolver && action_ == "latency") {
      return usage_error(
          who_, "`cmc solver latency` is a program of its own now: cmc-latency (built with -DCMC_STUDIES=ON)");
    }
    if (std::optional<Answer> answer = unknown_argument()) return *answer;
    Options options;
    options.command = command_.command;
    options.arguments = std::move(given);
    if (std::optional<Answer> answer = apply(options)) return *answer;
    if (model_.empty() && dash_dropped_) model_ = kStandardOutput;
    options.model = model_;
    options.files = files_;
    if (command_.command == Command::kLog) {
      if (files_.empty()) return usage_error(who_, "which logs? Name files that `cmc check --log FILE` wrote");
      if (options.to_seconds > 0 && options.to_seconds <= options.from_seconds)
        return usage_error(who_, "--to is not after --from");
      return options;
    }
    if (command_.command == Command::kTest) {
      if (std::optional<Answer> answer = finish_test(options)) return *answer;
      return options;
    }
    if (command_.command == Command::kSolver) {
      if (std::optional<Answer> answer = finish_solver(options)) return *answer;
      return options;
    }
    const bool checks = command_.command == Command::kCheck || command_.command == Command::kProfile;
    if (options.check.generator == GeneratorKind::kPlugin && command_.command != Command::kCheck)
      return usage_error(who_, "--generator plugin is for 'cmc check' only");
    if (checks) {
      if (std::optional<Answer> answer = finish_check(options)) return *answer;
    }
    if (command_.command == Command::kTune) {
      if (std::optional<Answer> answer = finish_tune(options)) return *answer;
    }
    const bool needs_model = command_.command != Command::kAutomaton || options.reading.formulas.empty();
    if (model_.empty() && needs_model)
      return usage_error(who_, "which model? Name a Promela file, or - for standard input");
    if (command_.command == Command::kReplay) {
      options.trail = trail_;
      if (trail_.empty()) return usage_error(who_, "which trail? Name a file that `cmc check --trail FILE` wrote");
    }
    return options;
  }

 private:
  [[nodiscard]] bool applies(const OptionRow& row) const {
    return (row.commands & static_cast<unsigned>(command_.command)) != 0;
  }
  // An option of check that test takes, too; and tune, also as a list.
  [[nodiscard]] bool is_handed_on(const OptionRow& row) const {
    return hands_options_on(command_) && !applies(row) && is_tunable(row);
  }

  // An option with a value that may be left out takes one only behind `=`, so that no model is taken for it. `--json
  // -` is `--json`, too, as it was in version 0.1.0.
  void name_standard_output(std::vector<std::string>& arguments) {
    for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
      const auto same = [&](const auto& entry) { return entry.second->names == arguments[i]; };
      const auto found = std::ranges::find_if(rows_, same);
      if (found == rows_.end() || !has_optional_value(*found->second)) continue;
      if (i + 1 < arguments.size() && arguments[i + 1] == kStandardOutput) {
        arguments.erase(arguments.begin() + static_cast<ptrdiff_t>(i) + 1);
        dash_dropped_ = true;
      }
      arguments[i] += fmt::format("={}", kStandardOutput);
    }
  }

  static bool has_optional_value(const OptionRow& row) { return row.value != nullptr && row.value[0] == '['; }

  void add(const OptionRow& row) {
    // A short name that the command has for an option of its own is that one's: -j of test.
    const bool is_long = is_handed_on(row) && command_.command == Command::kTest;
    const std::string names = is_long ? long_name(row) : row.names;
    CLI::Option* option = row.value == nullptr ? app_.add_flag(names) : app_.add_option(names);
    if (row.value != nullptr) option->type_name(row.value)->expected(1);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
    rows_[option] = &row;
  }

  std::optional<Answer> unknown_argument() const {
    const std::vector<std::string> extras = app_.remaining();
    for (const std::string& extra : extras) {
      if (!extra.starts_with('-') || extra == "-") continue;
      std::vector<std::string_view> names = {"--help"};
      for (const auto& [option, row] : rows_) {
        const std::string_view all = row->names;
        names.push_back(all.substr(std::min(all.find(',') + 1, all.size())));
      }
      const std::string name = extra.substr(0, extra.find('='));
      return usage_error(who_, fmt::format("unknown option '{}'{}", name, did_you_mean(name, names)));
    }
    if (extras.empty()) return std::nullopt;
    std::string hint;
    if (command_.command == Command::kCheck) hint = "; to check several models: cmc test";
    if (writes_json()) hint += "; the file for --json comes after `=`: --json=FILE";
    return usage_error(who_,
                       fmt::format("unexpected argument '{}' (the model is '{}'){}", extras.front(), model_, hint));
  }

  bool writes_json() const {
    return std::ranges::any_of(
        rows_, [](const auto& entry) { return has_optional_value(*entry.second) && entry.first->count() > 0; });
  }

  std::optional<Answer> apply(Options& options) const {
    std::map<const CLI::Option*, size_t> used;
    for (CLI::Option* option : app_.parse_order()) {
      const auto found = rows_.find(option);
      if (found == rows_.end()) continue;
      const OptionRow& row = *found->second;
      const std::string value = row.value == nullptr ? "" : option->results().at(used[option]++);
      const Status outcome = is_handed_on(row) ? hand_on(row, value, options) : row.set(options, value);
      if (!outcome.ok()) return usage_error(who_, fmt::format("{}: {}", row.names, outcome.error()));
    }
    return std::nullopt;
  }

  [[nodiscard]] Status hand_on(const OptionRow& row, const std::string& value, Options& options) const {
    if (command_.command == Command::kTune) return add_setting(row, value, options);
    Options scratch;
    const Status set = row.set(scratch, value);
    if (set.ok()) options.check_arguments.push_back(as_argument(row, value));
    return set;
  }

  static Status add_setting(const OptionRow& row, const std::string& value, Options& options) {
    Result<TuneSetting> setting = make_setting(row, value);
    if (!setting.ok()) return Error{setting.error()};
    const auto same = [&](const TuneSetting& each) { return each.option == setting.value().option; };
    if (std::ranges::any_of(options.settings, same))
      return Error{"it was given before; several values are a list: A,B"};
    options.settings.push_back(std::move(setting).value());
    return Success{};
  }

  std::optional<Answer> finish_check(Options& options) const {
    if (std::optional<Answer> answer = finish_effects(settings_of_check())) return answer;
    options.check.profile = wants_profile(options);
    if (const std::optional<std::string> conflict = conflict_in(options.check, options.overflow))
      return usage_error(who_, *conflict);
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Answer> finish_effects(const std::vector<TuneSetting>& settings) const {
    const Status useful = check_effects(command_.command, settings);
    return useful.ok() ? std::nullopt : std::optional(usage_error(who_, useful.error()));
  }

  // Each option as it was given last, in the order of the table.
  [[nodiscard]] std::vector<TuneSetting> settings_of_check() const {
    std::vector<TuneSetting> settings;
    for (const CLI::Option* const option : app_.get_options()) {
      const auto found = rows_.find(option);
      if (found == rows_.end() || option->count() == 0 || !is_tunable(*found->second)) continue;
      TuneSetting& setting = settings.emplace_back();
      setting.option = long_name(*found->second);
      if (found->second->value != nullptr) setting.values = {option->results().back()};
    }
    return settings;
  }

  std::optional<Answer> finish_test(Options& options) const {
    if (options.files.empty()) options.files.emplace_back(".");
    if (std::ranges::find(options.files, kStandardOutput) != options.files.end())
      return usage_error(who_, "models are read again and again, so they must be files");
    if (options.github && options.json == kStandardOutput)
      return usage_error(who_, "--annotations writes to standard output, too; give --json a file: --json=FILE");
    return std::nullopt;
  }

  std::optional<Answer> finish_tune(Options& options) const {
    if (std::optional<Answer> answer = finish_effects(options.settings)) return answer;
    if (model_ == "-") return usage_error(who_, "the model is read again and again, so it must be a file");
    if (grid_size(options.settings) > kMaxTuneRuns) {
      return usage_error(who_, fmt::format("there are more than {} combinations", kMaxTuneRuns));
    }
    if (options.out.empty()) {
      std::string_view name = std::string_view(model_).substr(model_.rfind('/') + 1);
      if (name.ends_with(".pml")) name.remove_suffix(4);
      options.out = fmt::format("{}.tune", name);
    }
    return std::nullopt;
  }

  std::optional<Answer> finish_solver(Options& options) const {
    static constexpr std::pair<std::string_view, SolverAction> kActions[] = {
        {"ping", SolverAction::kPing}, {"stats", SolverAction::kStats}, {"eval", SolverAction::kEval}};
    const auto* found = std::ranges::find(kActions, action_, &std::pair<std::string_view, SolverAction>::first);
    if (found == std::end(kActions)) {
      return usage_error(who_, action_.empty() ? "what? One of: ping, stats, eval FILE"
                                               : fmt::format("'{}' is not one of: ping, stats, eval FILE", action_));
    }
    options.solver_action = found->second;
    options.smt2 = smt2_;
    const bool wants_file = options.solver_action == SolverAction::kEval;
    if (wants_file && smt2_.empty()) return usage_error(who_, "eval which file? Name one, or - for standard input");
    if (!wants_file && !smt2_.empty()) return usage_error(who_, fmt::format("unexpected argument '{}'", smt2_));
    return std::nullopt;
  }

  const CommandRow& command_;
  std::string who_;
  CLI::App app_;
  std::map<const CLI::Option*, const OptionRow*> rows_;
  std::string model_;
  bool dash_dropped_ = false;  // behind an option: the model, if no other one is named
  std::string trail_;
  std::string action_;
  std::string smt2_;
  std::vector<std::string> files_;
};

}  // namespace

std::variant<Options, Answer> parse_command_line(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return Answer{kExitUsage, general_help()};
  const std::string& first = arguments.front();
  if (first == "-h" || first == "--help" || first == "help") return help_answer(arguments);
  if (first == "--version" || first == "version") return Answer{kExitHolds, fmt::format("cmc {}\n", kVersion)};
  const CommandRow* command = find_command(first);
  if (command == nullptr) return unknown_command(first);
  return CommandParser(*command).parse({arguments.begin() + 1, arguments.end()});
}

}  // namespace cmc
