#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/mutate/judge.h"
#include "checker/mutate/mutant.h"
#include "checker/report/style/style.h"

namespace cmc::mutate {

// All mutants of a model and what became of them. All views are made of it.
struct MutationReport {
  std::string file;  // as the user wrote it
  std::string sha1;
  std::vector<std::pair<std::string, std::string>> files;  // names and texts; [0] is the model
  std::vector<std::string> arguments;
  Baseline baseline;
  struct Case {
    Mutant mutant;
    Judgement judgement;
  };
  std::vector<Case> cases;  // by number
  size_t all = 0;           // mutants that there are; the cases may be a sample of them
  uint64_t seed = 0;        // of the sample
  double seconds = 0;
  std::string cut;  // why not all cases were run; empty: they were

  [[nodiscard]] const std::string& file_of(const Mutant& mutant) const { return files[mutant.range.file].first; }
  [[nodiscard]] const std::string& text_of(const Mutant& mutant) const { return files[mutant.range.file].second; }
  [[nodiscard]] size_t count(Group group, Verdict verdict) const;
  // Killed, of those that were killed or survived, in percent; none: there are none.
  [[nodiscard]] std::optional<double> score() const;
};

[[nodiscard]] std::string report_text(const MutationReport& report, const Palette& palette);
[[nodiscard]] std::string report_json(const MutationReport& report);  // cmc.mutation/1
// A page that needs nothing else: the source, coloured by survivors.
[[nodiscard]] std::string report_html(const MutationReport& report);
// SARIF 2.1.0 (OASIS, 2020): mutants that survive, and parts of properties that say nothing.
[[nodiscard]] std::string report_sarif(const MutationReport& report);
// One case in full: its diff, what became of it, the run.
[[nodiscard]] std::string case_text(const MutationReport& report, const MutationReport::Case& each,
                                    const Palette& palette);

}  // namespace cmc::mutate
