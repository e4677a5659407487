#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "checker/report/report.h"
#include "checker/report/style/version.h"
#include "checker/report/trail_order.h"

namespace cmc {
namespace {

constexpr const char* kMoreSwitches = "switches";  // Shortening::cut: fewer may be possible

class TextReport {
 public:
  TextReport(const Report& report, Verbosity verbosity, const Palette& palette)
      : report_(report), named_(names_properties(report)), verbosity_(verbosity), palette_(palette) {}

  std::string render() {
    if (verbosity_ == Verbosity::kVerbose) run();
    errors();
    reasons();
    warnings();
    if (verbosity_ != Verbosity::kQuiet) shortenings();
    if (verbosity_ != Verbosity::kQuiet) {
      if (!text_.empty() && !text_.ends_with("\n\n")) line("");
      counts();
      hindrances();
      store();
      keys();
      guards();
      endless_atomic();
      // Of a search that was cut the list would say little.
      if (report_.exhaustive || verbosity_ == Verbosity::kVerbose) unreached();
      if (report_.properties.size() > 1) properties();
    }
    verdict();
    return std::move(text_);
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }

  void run() {
    line("cmc {}: {} (sha1 {})", kVersion, printable(report_.run.model_file), report_.run.model_sha1);
    for (const RunDescription::Option& option : report_.run.options)
      line("  {:<20}{}", option.name, text_of(option.value));
    line("");
  }

  static std::string text_of(const RunDescription::Value& value) {
    struct Visitor {
      std::string operator()(bool flag) const { return flag ? "yes" : "no"; }
      std::string operator()(uint64_t number) const { return std::to_string(number); }
      std::string operator()(double number) const { return fmt::format("{:g}", number); }
      std::string operator()(const std::string& text) const { return printable(text); }
      std::string operator()(const std::vector<std::string>& list) const {
        return list.empty() ? "-" : printable(fmt::format("{}", fmt::join(list, " ")));
      }
    };
    return std::visit(Visitor{}, value);
  }

  void errors() {
    for (const Report::ErrorGroup& group : report_.groups) {
      const Report::ErrorEntry& error = group.first;
      const std::string place = error.file.empty() ? "" : fmt::format("{}:{}: ", printable(error.file), error.line);
      const std::string often = group.count == 1 ? "" : fmt::format("found {} times, ", format_count(group.count));
      const std::string property = named_ ? error.property + ": " : "";
      const std::string steps = error.depth_known ? "after " + plural(error.depth, "step") : "no counterexample";
      line("{}{} {} ({}{})", palette_.paint(Tone::kStrong, place), palette_.paint(Tone::kBad, "error:"),
           palette_.paint(Tone::kStrong, printable(property + error.message)), often, steps);
    }
    if (report_.error_count > report_.errors.size()) {
      line("{} more, not listed", plural(report_.error_count - report_.errors.size(), "error"));
    }
  }

  // What was done about the length of the counterexamples.
  void shortenings() {
    for (const Report::PropertyRow& row : report_.properties) {
      if (!row.shortening || !row.counterexample) continue;
      const Shortening& done = *row.shortening;
      const std::string which = named_ ? printable(fmt::format("counterexample of {}", row.name)) : "counterexample";
      const std::string steps = plural(done.steps_after, "step");
      std::string least = row.fairness == Fairness::kNone ? "the shortest possible" : "the same in every run";
      if (is_ordered_by_switches(report_.run) && row.counterexample)
        least += switches_text(done, row.counterexample->switches);
      const std::string before =
          done.steps_before == done.steps_after
              ? ""
              : fmt::format("; the search had found one of {}", format_count(done.steps_before));
      line("{}: {}, {}{} ({}, {})", which, steps,
           done.cut.empty() || done.cut == kMoreSwitches
               ? least
               : fmt::format("a shorter one may exist ({})", end_of_shortening(done.cut)),
           before, plural(done.states, "state"), format_seconds(done.wall_seconds));
    }
  }
  static std::string switches_text(const Shortening& done, uint64_t switches) {
    const std::string few = done.cut == kMoreSwitches ? "fewer may be possible" : "the fewest possible";
    return fmt::format(", with {} switch{} between processes, {}", format_count(switches), switches == 1 ? "" : "es",
                       few);
  }
  static const char* end_of_shortening(const std::string& cut) {
    if (cut == "time") return "the time for shortening ran out, see --shorten";
    if (cut == "memory") return "the memory for shortening was full";
    if (cut == "interrupt") return "shortening was interrupted";
    if (cut == "gaps") return "some steps of the model are not known";
    return "shortening did not meet the error again";
  }

  void reasons() {
    const char* label = report_.verdict == Verdict::kIncomplete ? "incomplete:" : "note:";
    for (const Reason& reason : report_.reasons) {
      line("{} {}", palette_.paint(Tone::kDoubtful, label), printable(reason.text));
    }
  }

  void warnings() {
    for (const Report::PropertyRow& row : report_.properties) {
      for (const std::string& warning : row.warnings) {
        line("{} {}", palette_.paint(Tone::kDoubtful, "warning:"),
             printable(named_ ? fmt::format("{}: {}", row.name, warning) : warning));
      }
    }
  }

  void counts() {
    const std::string size = format_size(report_.state_bytes_max);
    const std::string& reductions = report_.run.reductions;
    line("{:>16}  {} stored (steps: {}{})", format_count(report_.states_stored), noun(report_.states_stored, "state"),
         report_.run.steps, reductions.empty() ? "" : "; reductions: " + reductions);
    line("{:>16}  {} matched", format_count(report_.states_matched), noun(report_.states_matched, "state"));
    if (report_.keys && report_.keys->reduces) {
      line("{:>16}  {} left out in {} by partial-order reduction", format_count(report_.keys->left_out_steps),
           noun(report_.keys->left_out_steps, "step"), plural(report_.keys->reduced_states, "state"));
    }
    if (report_.keys && report_.keys->alike) symmetry(*report_.keys->alike);
    line("{:>16}  {}", format_count(report_.transitions), noun(report_.transitions, "transition"));
    line("{:>16}  {}", format_count(report_.depth_reached),
         report_.order == UsedOrder::kBreadthFirst ? "levels" : "longest path followed, in steps of the search");
    line("{:>16}  {}", order_text(), report_.states_before_store > 0 ? "order with the disk store" : "order");
    line("{:>16}  largest state", size);
    line("{:>16}  peak memory{}", format_size(report_.memory_peak_bytes),
         report_.ranks.empty() ? "" : " of one rank");
    line("{:>16}  CPU time ({} wall)", format_seconds(report_.cpu_seconds), format_seconds(report_.wall_seconds));
    ranks();
    line("");
  }

  // What several machines did, and what they told each other.
  void ranks() {
    if (report_.ranks.empty()) return;
    uint64_t bytes = 0;
    for (const RankFigures& rank : report_.ranks) bytes += rank.bytes_sent;
    line("{:>16}  {}; {} between them ({:.2f} bytes a transition)", report_.ranks.size(),
         noun(report_.ranks.size(), "rank"), format_size(bytes),
         static_cast<double>(bytes) / static_cast<double>(std::max<uint64_t>(1, report_.transitions)));
    if (verbosity_ != Verbosity::kVerbose) return;
    for (size_t i = 0; i < report_.ranks.size(); ++i) {
      const RankFigures& rank = report_.ranks[i];
      line("{:>16}  states of rank {} on {}, {}, {}; {} sent, {} twice in a batch, {} in {} batches, {} of contents",
           format_count(rank.states), i, printable(rank.host), plural(rank.transitions, "transition"),
           format_size(rank.memory_peak_bytes), plural(rank.candidates_sent, "candidate"),
           format_count(rank.candidates_twice), format_size(rank.bytes_sent), format_count(rank.batches_sent),
           format_size(rank.content_bytes_sent));
    }
  }

  // What follows a number in a column of its own.
  static std::string noun(uint64_t count, std::string_view word) {
    return fmt::format("{}{}", word, count == 1 ? "" : "s");
  }

  // "9  interchangeable processes (5 reader, 4 writer)", or why there are none.
  void symmetry(const std::vector<KeyFigures::Alike>& alike) {
    uint64_t processes = 0;
    std::string groups;
    std::string others;
    for (const KeyFigures::Alike& each : alike) {
      std::string& text = each.told_apart.empty() ? groups : others;
      if (!text.empty()) text += ", ";
      if (each.told_apart.empty()) {
        processes += each.processes;
        text += fmt::format("{} {}", each.processes, each.proctype);
      } else {
        text += fmt::format("{} {}", each.proctype, each.told_apart);
      }
    }
    const std::string& text = processes > 0 ? groups : others;
    line("{:>16}  interchangeable {} ({})", processes, processes == 1 ? "process" : "processes",
         printable(text.empty() ? "no proctype has two" : text));
  }

  [[nodiscard]] const char* order_text() const {
    switch (report_.order) {
      case UsedOrder::kDepthFirst: return "depth first";
      case UsedOrder::kBreadthFirst: return "breadth first";
      case UsedOrder::kRounds: return "in sorted rounds";
      case UsedOrder::kOldestFirst: break;
    }
    return "oldest first";
  }

  // Where partial-order reduction could leave out less than a user may have hoped for.
  void hindrances() {
    constexpr uint64_t kMany = 1000;
    if (report_.hindrances.empty() || (report_.states_stored < kMany && verbosity_ != Verbosity::kVerbose)) return;
    line("why partial-order reduction could not reduce more (most frequent first):");
    constexpr size_t kMost = 3;
    for (const Report::Hindrance& each :
         std::span(report_.hindrances).first(std::min(kMost, report_.hindrances.size())))
      line("{:>16}  {}:{} ({}): {}", format_count(each.count), printable(each.file), each.line,
           printable(each.proctype), printable(each.text));
    line("");
  }

  // How a search beyond memory went.
  void store() {
    if (!report_.statistics.store || verbosity_ == Verbosity::kQuiet) return;
    const StoreFigures& store = *report_.statistics.store;
    if (report_.states_before_store > 0) {
      line("{:>16}  states found before memory was full, and the disk was used",
           format_count(report_.states_before_store));
    }
    line("{:>16}  states on disk{}; at most {} at a time, {} written in all", format_count(store.stored_states),
         store.stored_states == 0
             ? ""
             : fmt::format(", {} ({:.1f} bytes each)", format_size(store.disk_bytes),
                           static_cast<double>(store.disk_bytes) / static_cast<double>(store.stored_states)),
         format_size(store.disk_bytes_peak), format_size(store.bytes_written));
    const uint64_t lookups = store.lookups - std::min(store.lookups, store.ruled_out);
    line("{:>16}  decided without the disk ({} looked up on disk, {} of them seen before)",
         fmt::format("{:.2f} %", 100.0 - 100.0 * static_cast<double>(lookups) /
                                             static_cast<double>(std::max<uint64_t>(1, report_.transitions))),
         format_count(lookups), format_count(store.revisits));
    if (report_.statistics.disk_wait_seconds) {
      line("{:>16}  waited for the disk, of all threads", format_seconds(*report_.statistics.disk_wait_seconds));
    }
    if (report_.order == UsedOrder::kRounds) {
      line("{:>16}  states in RAM, not merged with those on disk yet", format_count(store.lossy_left));
    } else {
      line("{:>16}  Bloom filter, {}{}", format_size(store.bloom_bits / 8),
           plural(store.bloom_hashes, "hash function"),
           store.bloom_freed_bytes > 0 ? "; it became full and gave its memory back" : "");
      line("{:>16}  states in the lossy cache, which has room for {}", format_count(store.lossy_left),
           format_count(store.lossy_capacity));
    }
    line("{:>16}  {} on disk, each with at most {}", store.partitions, noun(store.partitions, "partition"),
         plural(store.lookup_buffer, "candidate"));
    line("");
  }

  // How the fast engine represents states: which component takes how many bits of a key, and how often it computed.
  void keys() {
    if (!report_.keys || verbosity_ != Verbosity::kVerbose) return;
    const KeyFigures& keys = *report_.keys;
    line("{:>16}  bits in a key of {} x 64 ({} re-layouts)", keys.key_bits, keys.key_words, keys.relayouts);
    line("{:>16}  set of keys ({:.1f} bytes a state{})", format_size(keys.set_bytes),
         static_cast<double>(keys.set_bytes) / static_cast<double>(std::max<uint64_t>(1, report_.states_stored)),
         keys.set_bits == 0 || keys.set_bits == keys.key_bits ? "" : fmt::format(", of {} bits", keys.set_bits));
    line("{:>16}  contents of components", format_size(keys.component_bytes));
    line("{:>16}  memoised steps (cleared {} for lack of room)", format_size(keys.memo_bytes),
         keys.memo_clears == 1 ? "once" : fmt::format("{} times", keys.memo_clears));
    line("{:>16}  steps looked up, {} of them computed ({:.2f} % known)", format_count(keys.memo_lookups),
         format_count(keys.memo_misses),
         100.0 - 100.0 * static_cast<double>(keys.memo_misses) /
                     static_cast<double>(std::max<uint64_t>(1, keys.memo_lookups)));
    if (keys.carried_steps > 0) {
      line("{:>16}  steps carried from a state to its successors, not looked up ({:.1f} %)",
           format_count(keys.carried_steps),
           100.0 * static_cast<double>(keys.carried_steps) /
               static_cast<double>(keys.carried_steps + keys.memo_lookups));
    }
    if (keys.asleep_steps > 0) {
      line("{:>16}  transitions of sleeping processes, counted without a look at where they lead ({:.1f} %)",
           format_count(keys.asleep_steps),
           100.0 * static_cast<double>(keys.asleep_steps) /
               static_cast<double>(std::max<uint64_t>(1, report_.transitions)));
    }
    if (keys.carrying_given_up)
      line("{:>16}  steps are carried any more: too few processes sleep, or too many steps are new", "no");
    line("{:>16}  {}", keys.threads, noun(keys.threads, "thread"));
    line("");
    line("{:>16}  {:>5}  component", "contents", "bits");
    size_t constant = 0;
    for (const KeyFigures::Component& component : keys.components) {
      if (component.contents == 1) ++constant;
      if (component.contents > 1)
        line("{:>16}  {:>5}  {}", format_count(component.contents), component.bits, printable(component.name));
    }
    if (constant > 0) line("{:>16}  {:>5}  {} that never changed", 1, 0, plural(constant, "component"));
    line("");
  }

  // Which guards took the solver's time, and on which answers the verdict rests.
  void guards() {
    constexpr size_t kMost = 5;
    const size_t shown =
        verbosity_ == Verbosity::kVerbose ? report_.guards.size() : std::min(kMost, report_.guards.size());
    for (size_t i = 0; i < shown; ++i) {
      const Report::Guard& guard = report_.guards[i];
      std::string details = fmt::format("mean {}, longest {}", format_seconds(guard.mean_seconds()),
                                        format_seconds(guard.slowest_seconds));
      if (guard.from_cache > 0) details += fmt::format(", {} from the cache", format_count(guard.from_cache));
      if (guard.undecided > 0) details += fmt::format(", {} undecided", format_count(guard.undecided));
      line("{:>16}  for {} ({}) at {}:{}: {}", format_seconds(guard.seconds), plural(guard.questions, "question"),
           details, printable(guard.file), guard.line, printable(guard.text));
    }
    if (shown < report_.guards.size())
      line("{:>16}  ({}, which took less time each)", "", plural(report_.guards.size() - shown, "more guard"));
    const guards::SolverFigures& solver = report_.run.solver;
    if (solver.excluding > 0) {
      line("{:>16}  answers of the solver exclude values ({} exclude all values): the verdict rests on them",
           format_count(solver.excluding), format_count(solver.unsat));
      line("{:>16}  of these answers were checked by trying all values; {} are of an earlier run",
           format_count(solver.audited), format_count(solver.from_cache));
    }
    if (solver.workers_died > 0) {
      line("{:>16}  died, {} asked again", plural(solver.workers_died, "solver worker"),
           solver.asked_again == 1 ? "1 question was" : plural(solver.asked_again, "question") + " were");
    }
    if (solver.refuted > 0) {
      line("{:>16}  wrong, found by a check and not used", plural(solver.refuted, "answer"));
    }
    if (shown > 0) line("");
  }

  void endless_atomic() {
    const Report::EndlessAtomic& endless = report_.endless_atomic;
    if (endless.states == 0) return;
    const std::string place =
        endless.file.empty() ? "" : fmt::format(", at {}:{}", printable(endless.file), endless.line);
    line("{} an atomic sequence can go on for ever{} (begun in {}): CMC followed and checked its steps until",
         palette_.paint(Tone::kDoubtful, "note:"), place, plural(endless.states, "state"));
    line("      its states recurred; SPIN's verifier repeats them up to its depth limit");
    line("");
  }

  void unreached() {
    bool all_reached = true;
    for (const Report::Coverage& coverage : report_.coverage) {
      if (coverage.unreached_states == 0) continue;
      all_reached = false;
      if (coverage.is_init) {
        line("unreached in init");
      } else {
        line("unreached in proctype {}", printable(coverage.proctype));
      }
      for (const Report::UnreachedLocation& location : coverage.unreached) {
        line("\t{}:{}, state {}, \"{}\"", printable(location.file), location.line, location.state,
             printable(location.text));
      }
      line("\t({} of {} states)", coverage.unreached_states, coverage.states);
    }
    if (all_reached) line("every statement was reached");
    line("");
  }

  // One line for each property.
  void properties() {
    const std::vector<std::string> heads = {"property", "kind", "place",         "verdict",
                                            "states",   "time", "counterexample"};
    constexpr size_t kFirstNumber = 4;
    constexpr size_t kAfterNumbers = 6;
    constexpr size_t kVerdict = 3;
    std::vector<std::vector<std::string>> rows = {heads};
    for (const Report::PropertyRow& row : report_.properties) rows.push_back(cells(row));
    std::vector<size_t> widths(heads.size(), 0);
    for (const auto& row : rows) {
      for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    for (size_t number = 0; number < rows.size(); ++number) {
      std::string text;
      for (size_t i = 0; i < heads.size(); ++i) {
        const std::string& cell = rows[number][i];
        const std::string blanks(widths[i] - cell.size(), ' ');
        const bool is_number = i >= kFirstNumber && i < kAfterNumbers;
        const std::string painted = number > 0 && i == kVerdict
                                        ? palette_.paint(tone_of(report_.properties[number - 1].verdict), cell)
                                        : cell;
        text += (i == 0 ? "" : "  ") + (is_number ? blanks + painted : painted + blanks);
      }
      text.erase(text.find_last_not_of(' ') + 1);
      line("{}", text);
    }
    line("");
  }

  static std::vector<std::string> cells(const Report::PropertyRow& row) {
    std::string counterexample;
    if (row.counterexample) {
      counterexample = plural(row.counterexample->steps, "step");
      if (row.counterexample->has_loop) {
        counterexample += row.counterexample->loop_steps == 0
                              ? ", then blocked"
                              : fmt::format(", loop of {}", format_count(row.counterexample->loop_steps));
      }
    }
    const std::string kind = row.fairness == Fairness::kNone
                                 ? row.kind
                                 : fmt::format("{}, {} fairness", row.kind, name_in(kFairnessNames, row.fairness));
    return {printable(row.name),
            kind,
            row.file.empty() ? "" : printable(fmt::format("{}:{}", row.file, row.line)),
            verdict_name(row.verdict),
            format_count(row.states_stored),
            format_seconds(row.wall_seconds),
            counterexample};
  }

  static Tone tone_of(Verdict verdict) {
    switch (verdict) {
      case Verdict::kHolds: return Tone::kGood;
      case Verdict::kViolated: return Tone::kBad;
      case Verdict::kIncomplete: break;
    }
    return Tone::kDoubtful;
  }

  void verdict() {
    line("verdict: {} ({})", palette_.paint(tone_of(report_.verdict), verdict_name(report_.verdict)),
         named_ ? explanation() : explanation_of_safety());
  }

  [[nodiscard]] std::string explanation_of_safety() const {
    switch (report_.verdict) {
      case Verdict::kHolds:
        return report_.all_states() ? "no reachable state is in error"
                                    : "no reachable state is in error; the search was reduced";
      case Verdict::kViolated: return "the model can reach an error";
      case Verdict::kIncomplete: break;
    }
    return "no error was found, but that proves nothing";
  }

  [[nodiscard]] std::string explanation() const {
    switch (report_.verdict) {
      case Verdict::kHolds:
        return report_.properties.size() == 1
                   ? "no run violates the property"
                   : fmt::format("no run violates any of the {} properties", report_.properties.size());
      case Verdict::kViolated: return named(Verdict::kViolated);
      case Verdict::kIncomplete: break;
    }
    return named(Verdict::kIncomplete) + " not decided; no error was found, but that proves nothing";
  }

  // "property p", "properties p, q": those with this verdict.
  [[nodiscard]] std::string named(Verdict verdict) const {
    std::vector<std::string> names;
    for (const Report::PropertyRow& row : report_.properties) {
      if (row.verdict == verdict) names.push_back(printable(row.name));
    }
    return fmt::format("{} {}", names.size() == 1 ? "property" : "properties", fmt::join(names, ", "));
  }

  const Report& report_;
  const bool named_;
  Verbosity verbosity_;
  const Palette& palette_;
  std::string text_;
};

}  // namespace

std::string report_text(const Report& report, Verbosity verbosity, const Palette& palette) {
  return TextReport(report, verbosity, palette).render();
}

}  // namespace cmc
