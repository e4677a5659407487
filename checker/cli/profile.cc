#include "checker/cli/profile.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/files/file.h"
#include "checker/cli/draw.h"
#include "checker/report/profile/profile_report.h"

namespace cmc {
namespace {

// Why there is no profile although it was asked for.
std::string missing_profile(const PropertyResult& first) {
  if (first.result.keys) {
    return fmt::format(
        "there is no profile: '{}' is about endless runs, and a search for cycles is not profiled; "
        "choose a property that needs none, as --property safety",
        first.entry.name);
  }
  return "there is no profile: it is made by the fast engine, which did not search this model";
}

}  // namespace

Result<std::string> write_profile(const Session& session, const std::vector<PropertyResult>& results,
                                  const RunDescription& run) {
  const Options& options = session.options;
  const auto found =
      std::ranges::find_if(results, [](const PropertyResult& each) { return each.result.profile.has_value(); });
  if (found == results.end() && results.front().result.interrupted) return std::string();
  if (found == results.end()) return Error{missing_profile(results.front())};
  const ProfileReport report = make_profile_report(*found, run);
  Status written = Success{};
  const auto write = [&](const std::string& path, const auto& text_of) {
    if (written.ok() && !path.empty()) written = write_file_atomically(path, text_of(report));
  };
  write(options.profile.json, profile_json);
  write(options.profile.csv, profile_csv);
  write(options.profile.trace, profile_trace);
  if (written.ok() && !options.profile.plot.empty()) {
    const Plot plot = profile_plot(report);
    written = draw_plots(std::span(&plot, 1), options.profile.plot, session.interrupted);
  }
  if (!written.ok()) return Error{written.error()};
  if (options.command != Command::kProfile || options.output.verbosity == Verbosity::kQuiet) return std::string();
  return profile_text(report, options.profile.lines, Palette(wants_color(options.output.color, stdout)));
}

}  // namespace cmc
