#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "checker/report/profile/profile_report.h"

namespace cmc {
namespace {

constexpr size_t kBarWidth = 12;
constexpr size_t kTextWidth = 48;

// At most six characters: "12,345", "1.23M".
std::string short_count(uint64_t count) {
  if (count < 100'000) return format_count(count);
  double value = static_cast<double>(count);
  const char* unit = "";
  for (const char* next : {"k", "M", "G", "T"}) {
    if (value < 999.5) break;
    value /= 1000;
    unit = next;
  }
  return fmt::format("{:.{}f}{}", value, value < 10 ? 2 : value < 100 ? 1 : 0, unit);
}

std::string short_time(double nanoseconds) {
  if (nanoseconds <= 0) return "";
  if (nanoseconds < 9995) return fmt::format("{:.0f} ns", nanoseconds);
  if (nanoseconds < 9.995e6) return fmt::format("{:.0f} us", nanoseconds / 1e3);
  return fmt::format("{:.0f} ms", nanoseconds / 1e6);
}

// In eighths of a character.
std::string bar(double share) {
  static constexpr const char* kPart[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * kBarWidth * 8));
  std::string drawn;
  for (size_t i = 0; i < eighths / 8; ++i) drawn += "█";
  return pad_right(drawn + kPart[eighths % 8], kBarWidth);
}

std::string shortened(std::string_view text, size_t most) {
  std::string plain = printable(text);
  if (display_width(plain) <= most) return plain;
  size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(plain[end]) & 0xc0) == 0x80) --end;
  return plain.substr(0, end) + "...";
}

std::string base_name(const std::string& file) { return file.substr(file.rfind('/') + 1); }

class ProfileTable {
 public:
  ProfileTable(const ProfileReport& report, uint64_t lines, const Palette& palette)
      : report_(report),
        lines_(lines == 0 ? SIZE_MAX : lines),
        palette_(palette),
        total_(report.profile.cost.total()) {}

  std::string text() {
    add_title();
    add_parts();
    add_statements();
    add_processes();
    add_components();
    add_remarks();
    return std::move(text_);
  }

 private:
  [[nodiscard]] double share(double seconds) const { return total_ > 0 ? seconds / total_ : 0; }
  [[nodiscard]] bool shows(const ProfileCount& column) const {
    return report_.profile.knows_first_reached || column.value != &Profile::Counts::first_reached;
  }

  void add_title() {
    text_ += palette_.paint(Tone::kStrong, fmt::format("profile of {}", printable(report_.model_file)));
    text_ += fmt::format(" ({}): {} states, {} transitions, {} of CPU time, {}\n", printable(report_.property),
                         format_count(report_.states_stored), format_count(report_.transitions),
                         format_seconds(report_.cpu_seconds), plural(report_.threads, "thread"));
    text_ += fmt::format("(steps: {}; reductions: {})\n\n", report_.steps,
                         report_.reductions.empty() ? "none" : report_.reductions);
  }

  void add_parts() {
    for (const ProfileCost& part : kProfileCosts) {
      const double its = share(report_.profile.cost.*part.seconds);
      std::string name = part.name;
      std::ranges::replace(name, '_', '-');
      text_ += fmt::format("{:>6.1f} %  {}  {:<10} {}\n", 100 * its, palette_.paint(Tone::kProcess, bar(its)), name,
                           palette_.paint(Tone::kFaint, part.meaning));
    }
  }

  void add_heading(const char* last) {
    std::string line = fmt::format("\n{:>8}  {:<{}}", "cost", "", kBarWidth);
    for (const ProfileCount& column : kProfileCounts) {
      if (shows(column)) line += fmt::format(" {:>{}}", column.heading, width(column));
    }
    text_ += palette_.paint(Tone::kStrong, line + last) + '\n';
  }
  static size_t width(const ProfileCount& column) {
    return std::max<size_t>(8, std::string_view(column.heading).size());
  }

  void add_counts(const Profile::Counts& counts, const Profile::Cost& cost) {
    const double its = share(cost.total());
    text_ += fmt::format("{:>6.1f} %  {}", 100 * its, palette_.paint(Tone::kProcess, bar(its)));
    for (const ProfileCount& column : kProfileCounts) {
      if (shows(column)) text_ += fmt::format(" {:>{}}", short_count(counts.*column.value), width(column));
    }
  }

  void add_statements() {
    add_heading("    select   execute  changed  statement");
    const size_t shown = std::min<size_t>(lines_, report_.statements.size());
    for (size_t i = 0; i < shown; ++i) {
      const ProfileReport::Statement& row = report_.statements[i];
      add_counts(row, row.cost);
      text_ += fmt::format(" {:>9} {:>9} {:>6.1f} B", short_time(row.selection_nanoseconds),
                           short_time(row.execution_nanoseconds), row.changed_bytes);
      const std::string place = row.file.empty() ? "" : fmt::format("{}:{}", base_name(row.file), row.line);
      text_ += fmt::format("  {} {}  {}\n", palette_.paint(Tone::kPlace, printable(place)),
                           palette_.paint(Tone::kProcess, printable(row.proctype)), shortened(row.text, kTextWidth));
    }
    if (shown == report_.statements.size()) return;
    double rest = 0;
    for (size_t i = shown; i < report_.statements.size(); ++i) rest += report_.statements[i].cost.total();
    text_ += fmt::format("{:>6.1f} %  in {} more (--lines 0 shows all)\n", 100 * share(rest),
                         plural(report_.statements.size() - shown, "statement"));
  }

  void add_processes() {
    add_heading("  process type");
    for (const ProfileReport::Process& row : report_.processes) {
      add_counts(row, row.cost);
      text_ += fmt::format("  {}\n", printable(row.proctype));
    }
    add_counts(report_.profile.counts, report_.profile.cost);
    text_ += "  all\n";
  }

  void add_components() {
    text_ += palette_.paint(Tone::kStrong, "\n        contents   bits  component") + '\n';
    size_t shown = 0;
    uint64_t constant = 0;
    uint64_t more = 0;
    for (const KeyFigures::Component& component : report_.components) {
      if (component.contents <= 1) {
        ++constant;
      } else if (shown < lines_) {
        ++shown;
        text_ += fmt::format("{:>16} {:>6}  {}\n", format_count(component.contents), component.bits,
                             printable(component.name));
      } else {
        ++more;
      }
    }
    if (more > 0) text_ += fmt::format("{:>24} {} more\n", "", format_count(more));
    if (constant > 0)
      text_ += fmt::format("{:>16} {:>6}  {} that never changed\n", 1, 0, plural(constant, "component"));
  }

  void add_remarks() {
    const Profile& profile = report_.profile;
    const double known = profile.asked == 0 ? 0
                                            : 100 - 100 * static_cast<double>(profile.computations) /
                                                        static_cast<double>(profile.asked);
    text_ += fmt::format("\n{} steps of processes looked up, {} computed ({:.2f} % known); {} statements timed\n",
                         format_count(profile.asked), format_count(profile.computations), std::max(known, 0.0),
                         format_count(profile.samples));
    text_ += fmt::format("a reading of the clock took {:.0f} ns, which was subtracted", profile.clock_nanoseconds);
    if (profile.interruptions > 0) {
      text_ += fmt::format("; {} ({}) were left out", plural(profile.interruptions, "interruption"),
                           format_seconds(profile.interrupted_seconds));
    }
    text_ += "\nwithout a profile the search is faster\n";
    if (!profile.knows_first_reached) {
      text_ += "with the disk store, it is not known which step reached a state first\n";
    }
    text_ += '\n';
  }

  const ProfileReport& report_;
  const size_t lines_;
  const Palette& palette_;
  const double total_;
  std::string text_;
};

}  // namespace

std::string profile_text(const ProfileReport& report, uint64_t lines, const Palette& palette) {
  return ProfileTable(report, lines, palette).text();
}

}  // namespace cmc
