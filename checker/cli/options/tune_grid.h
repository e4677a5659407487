#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checker/cli/options/options.h"
#include "checker/report/tune/tune_table.h"

// From the command line of `cmc tune` to the runs of its grid. It knows no single option: whatever `cmc check` takes,
// and says in the option table, can be given as a list.

namespace cmc {

inline constexpr size_t kMaxTuneRuns = 100000;

// "--threads" of "-j,--threads".
[[nodiscard]] std::string long_name(const OptionRow& row);

// "1M,64M" and "1,4..6": the values between commas (not those inside of parentheses), whole numbers also as ranges.
[[nodiscard]] Result<std::vector<std::string>> expand_list(std::string_view text);

// One option of check as it was given to tune; every value is one that check accepts. `value` is empty for a flag.
[[nodiscard]] Result<TuneSetting> make_setting(const OptionRow& row, const std::string& value);

// Whether tune hands the option on to check. It sets those about output itself.
[[nodiscard]] bool is_tunable(const OptionRow& row);

// One word, as check takes it: "--memo=1M", "-DN=3".
[[nodiscard]] std::string as_argument(const OptionRow& row, const std::string& value);

[[nodiscard]] size_t grid_size(const std::vector<TuneSetting>& settings);

// All combinations, the last list changing fastest: arguments, values and id are set. REQUIRES: grid_size() <=
// kMaxTuneRuns.
[[nodiscard]] std::vector<TuneRun> grid_runs(const std::vector<TuneSetting>& settings, std::string_view model_sha1);

}  // namespace cmc
