#include "checker/cli/options/option_effects.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include <fmt/format.h>

#include "checker/cli/options/tune_grid.h"

namespace cmc {
namespace {

// The options of all runs of a grid; a check is a grid of one run.
class GivenOptions {
 public:
  GivenOptions(Command command, const std::vector<TuneSetting>& settings) : command_(command), settings_(settings) {}

  [[nodiscard]] Command command() const { return command_; }
  [[nodiscard]] const TuneSetting* find(std::string_view option) const {
    const auto found = std::ranges::find(settings_, option, &TuneSetting::option);
    return found == settings_.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool has(std::string_view option) const { return find(option) != nullptr; }
  // Whether some run has that value.
  [[nodiscard]] bool has(std::string_view option, std::string_view value) const {
    const TuneSetting* const setting = find(option);
    return setting != nullptr && std::ranges::find(setting->values, value) != setting->values.end();
  }
  // Whether all runs have that value.
  [[nodiscard]] bool always(std::string_view option, std::string_view value) const {
    const TuneSetting* const setting = find(option);
    return setting != nullptr && setting->values == std::vector<std::string>{std::string(value)};
  }
  [[nodiscard]] bool simple() const { return always("--engine", "simple") || always("--generator", "reference"); }
  [[nodiscard]] bool store_from_start() const { return std::ranges::any_of(settings_, is_part_of_store); }

  static bool is_about_store(const TuneSetting& setting) {
    const auto names_it = [&](const OptionRow& row) { return is_tunable(row) && long_name(row) == setting.option; };
    const auto row = std::ranges::find_if(option_table(), names_it);
    return row != option_table().end() && row->section == std::string_view(kStoreSection);
  }
  // --store, --no-store and --keep are about all of it.
  static bool is_part_of_store(const TuneSetting& setting) {
    const std::string_view option = setting.option;
    return is_about_store(setting) && option != "--store" && option != "--no-store" && option != "--keep";
  }

 private:
  Command command_;
  const std::vector<TuneSetting>& settings_;
};

bool is_any_of(const TuneSetting& setting, std::initializer_list<std::string_view> options) {
  return std::ranges::find(options, setting.option) != options.end();
}
bool needs_store(const TuneSetting& setting) {
  return GivenOptions::is_about_store(setting) && setting.option != "--no-store";
}

// The options that it names are without effect where it applies.
struct Rule {
  bool (*names)(const TuneSetting& setting);
  bool (*applies)(const GivenOptions& given);
  const char* why;
};

constexpr Rule kRules[] = {
    {[](const TuneSetting& each) { return is_any_of(each, {"--trail-order"}); },
     [](const GivenOptions& given) {
       const bool finds_all = given.always("--max-errors", "0") && !given.has("--shorten");
       return finds_all || given.always("--shorten", "0") || given.command() == Command::kTune;
     },
     "without --shorten nothing looks for another counterexample"},
    {[](const TuneSetting& each) { return is_any_of(each, {"--shorten"}); },
     [](const GivenOptions& given) { return given.command() == Command::kTune; },
     "tune does not look for shorter counterexamples"},
    {[](const TuneSetting& each) { return is_any_of(each, {"--zlib-level"}); },
     [](const GivenOptions& given) { return !given.has("--page-codec", "zlib"); },
     "only --page-codec zlib compresses so"},
    {[](const TuneSetting& each) { return is_any_of(each, {"--compiler-time"}); },
     [](const GivenOptions& given) {
       return given.has("--generator") && !given.has("--generator", "native") && !given.has("--generator", "auto");
     },
     "only --generator native or auto compiles"},
    // --threads 1 says how it is.
    {[](const TuneSetting& each) {
       return is_any_of(each, {"--memo", "--key-set"}) ||
              (is_any_of(each, {"--threads"}) && each.values != std::vector<std::string>{"1"});
     },
     [](const GivenOptions& given) { return given.simple(); },
     "the simple engine has one thread, and remembers nothing"},
    {needs_store, [](const GivenOptions& given) { return given.always("--engine", "simple"); },
     "--engine simple keeps all states in RAM"},
    {needs_store, [](const GivenOptions& given) { return given.always("--generator", "reference"); },
     "--generator reference keeps all states in RAM"},
    {[](const TuneSetting& each) { return is_any_of(each, {"--no-store"}); },
     [](const GivenOptions& given) { return given.store_from_start(); },
     "an option about a part of the disk store enables it from the start"},
    {[](const TuneSetting& each) {
       return is_any_of(each, {"--store", "--keep"});
     },
     [](const GivenOptions& given) { return given.has("--no-store"); }, "--no-store keeps all states in RAM"},
};

}  // namespace

Status check_effects(Command command, const std::vector<TuneSetting>& settings) {
  const GivenOptions given(command, settings);
  for (const TuneSetting& setting : settings) {
    const auto says_no = [&](const Rule& rule) { return rule.names(setting) && rule.applies(given); };
    const auto* const rule = std::ranges::find_if(kRules, says_no);
    if (rule != std::end(kRules))
      return Error{fmt::format("{} has no effect here: {}; leave it out", setting.option, rule->why)};
  }
  return Success{};
}

}  // namespace cmc
