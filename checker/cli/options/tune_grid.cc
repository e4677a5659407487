#include "checker/cli/options/tune_grid.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/sha1.h"
#include "base/text.h"
#include "checker/report/style/version.h"

namespace cmc {
namespace {

constexpr uint64_t kMaxRange = 10000;

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth <= 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string label_of(std::string_view option) {
  const size_t begin = option.find_first_not_of('-');
  return std::string(begin == std::string_view::npos ? option : option.substr(begin));
}

// -DNAME=LIST: the macro's values. A macro with parameters, or without a value, is one setting.
Result<TuneSetting> macro_setting(const std::string& text) {
  const size_t equals = text.find('=');
  TuneSetting setting;
  setting.joined = true;
  if (equals == std::string::npos || text.substr(0, equals).find('(') != std::string::npos) {
    setting.label = text.substr(0, equals);
    setting.option = "-D" + text;
    return setting;
  }
  CMC_TRY(setting.values, expand_list(std::string_view(text).substr(equals + 1)));
  setting.label = text.substr(0, equals);
  setting.option = "-D" + text.substr(0, equals + 1);
  return setting;
}

}  // namespace

std::string long_name(const OptionRow& row) {
  const std::string_view names = row.names;
  return std::string(names.substr(names.rfind(',') + 1));
}

Result<std::vector<std::string>> expand_list(std::string_view text) {
  std::vector<std::string> values;
  for (const std::string& part : split_at_commas(text)) {
    const size_t dots = part.find("..");
    const bool is_range = dots != std::string::npos;
    const auto from = parse_number<uint64_t>(std::string_view(part).substr(0, is_range ? dots : 0));
    const auto to = parse_number<uint64_t>(std::string_view(part).substr(is_range ? dots + 2 : part.size()));
    if (from && to) {
      if (*from > *to || *to - *from >= kMaxRange)
        return Error{fmt::format("'{}' is no range of at most {} values", part, kMaxRange)};
      for (uint64_t value = *from; value <= *to; ++value) values.push_back(std::to_string(value));
    } else {
      values.push_back(part);
    }
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].empty() && values.size() > 1) return Error{fmt::format("a value of the list '{}' is empty", text)};
    if (std::find(values.begin(), values.begin() + static_cast<ptrdiff_t>(i), values[i]) !=
        values.begin() + static_cast<ptrdiff_t>(i)) {
      return Error{fmt::format("'{}' is twice in the list '{}'", values[i], text)};
    }
  }
  return values;
}

bool is_tunable(const OptionRow& row) {
  return applies(row, Command::kCheck) && row.section != std::string_view(kOutputSection);
}

std::string as_argument(const OptionRow& row, const std::string& value) {
  const std::string name = long_name(row);
  if (row.value == nullptr) return name;
  return name + (name.starts_with("--") ? "=" : "") + value;
}

Result<TuneSetting> make_setting(const OptionRow& row, const std::string& value) {
  const std::string name = long_name(row);
  TuneSetting setting;
  if (name == "-D") {
    CMC_TRY(setting, macro_setting(value));
  } else if (name == "-U" || name == "-I") {
    setting = {name, name + value, {}, true};
  } else if (row.value == nullptr) {
    setting = {label_of(name), name, {}, false};
  } else {
    CMC_TRY(std::vector<std::string> values, expand_list(value));
    setting = {label_of(name), name, std::move(values), false};
  }
  const std::string_view section = row.section;
  setting.changes_question = section == kModelSection || section == kPropertySection || name == "--steps";
  setting.is_about_disk = section == kStoreSection || name == "--memory";
  // Each value is tried now, so that a mistake does not show after hours.
  Options scratch;
  if (setting.joined && name == "-D") {
    const std::string head = setting.option.substr(2);
    if (const Status set = row.set(scratch, head + (setting.values.empty() ? "" : setting.values.front())); !set.ok())
      return Error{set.error()};
  } else if (!setting.joined) {
    for (const std::string& each : setting.values) {
      if (const Status set = row.set(scratch, each); !set.ok()) return Error{set.error()};
    }
  }
  return setting;
}

size_t grid_size(const std::vector<TuneSetting>& settings) {
  size_t size = 1;
  for (const TuneSetting& setting : settings) {
    if (!setting.is_list()) continue;
    if (size > kMaxTuneRuns) break;
    size *= setting.values.size();
  }
  return size;
}

std::vector<TuneRun> grid_runs(const std::vector<TuneSetting>& settings, std::string_view model_sha1) {
  const size_t size = grid_size(settings);
  CHECK(size <= kMaxTuneRuns);
  std::vector<TuneRun> runs(size);
  for (size_t number = 0; number < size; ++number) {
    TuneRun& run = runs[number];
    size_t block = size;
    size_t rest = number;
    for (const TuneSetting& setting : settings) {
      if (setting.values.empty()) {
        run.arguments.push_back(setting.option);
        continue;
      }
      block /= setting.values.size();
      const std::string& value = setting.values[rest / block];
      rest %= block;
      if (setting.joined) {
        run.arguments.push_back(setting.option + value);
      } else {
        run.arguments.insert(run.arguments.end(), {setting.option, value});
      }
      if (setting.is_list()) run.values.push_back(value);
    }
    std::string identity = fmt::format("cmc.tune.run/1\n{}\n{}\n", kVersion, model_sha1);
    for (const std::string& argument : run.arguments) identity += argument + '\n';
    run.id = sha1_hex(identity);
  }
  return runs;
}

}  // namespace cmc
