#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "checker/check/model_file.h"
#include "checker/check/request.h"
#include "checker/mutate/mutant.h"

namespace cmc::mutate {

enum class Verdict : uint8_t {
  kKilled,       // a property is violated
  kSurvived,     // all hold
  kEqual,        // it does the same: nobody could notice
  kUnreachable,  // all hold; the model never comes to the statement
  kInvalid,      // it does not compile
  kBudget,       // no property was violated within the budget, and not all were decided
  kNotRun,       // the run ended before
};
inline constexpr EnumName<Verdict> kVerdictNames[] = {
    {"killed", Verdict::kKilled},           {"survived", Verdict::kSurvived}, {"equal", Verdict::kEqual},
    {"unreachable", Verdict::kUnreachable}, {"invalid", Verdict::kInvalid},   {"budget", Verdict::kBudget},
    {"not run", Verdict::kNotRun}};

// What became of a mutant.
struct Judgement {
  Verdict verdict = Verdict::kNotRun;
  std::string property;  // that killed it
  std::string message;   // the error; why it is invalid, or not decided; how a survivor differs
  uint32_t line = 0;     // of the error; 0: none
  // Of a mutant that an assertion killed: where that is in the model, and whether nothing else would have.
  SourcePlace assertion;  // line 0: it was none
  bool alone = false;
  uint64_t states = 0;  // of all its searches
  double seconds = 0;
  // Of a survivor: a shortest run that only one of the two has, a step a line. The last step is the difference.
  std::vector<std::string> run;
  bool run_of_model = false;  // it is the model's, which the mutant has lost
};

[[nodiscard]] std::string judgement_json(const Judgement& judgement);  // one line
[[nodiscard]] std::optional<Judgement> parse_judgement(std::string_view json);

// What is known of the model, whose properties hold.
struct Baseline {
  struct Property {
    std::string name;
    std::string full_name;  // as --property takes it
    uint64_t states = 0;
    double seconds = 0;
  };
  std::vector<Property> properties;
  bool undecided = false;             // a limit was reached: some may hold that are not among them
  std::vector<std::string> left_out;  // those that do not hold, or were not decided, each with why
  std::set<SourcePlace> unreached;    // statements that no process comes to, as far as that is known
};

// Judges mutants of one model. What is asked of each is what was asked of the model; it may take 10 times the states
// and 10 times as long, and a second.
class Judge {
 public:
  // `model` lives longer. The request's limit in time is that of each search of the model, and of each of a mutant,
  // too. Error: a property that is asked for by name is not there.
  [[nodiscard]] static Result<Judge> make(const LoadedModel& model, CheckRequest request);

  [[nodiscard]] const Baseline& baseline() const { return baseline_; }
  // Of the longest check that a mutant is allowed.
  [[nodiscard]] double most_seconds() const;
  [[nodiscard]] Judgement judge(const Mutant& mutant) const;

 private:
  Judge(const LoadedModel& model, CheckRequest request) : model_(model), request_(std::move(request)) {}

  Status measure();
  void search_all(const Mutant& mutant, const LoadedModel& loaded, Judgement& judgement) const;
  void look_who_else(const Mutant& mutant, LoadedModel& loaded, Judgement& judgement) const;
  void search(const LoadedModel& mutant, const Baseline::Property& property, Judgement& judgement) const;
  void explain(const Mutant& mutant, const LoadedModel& loaded, Judgement& judgement) const;

  const LoadedModel& model_;
  CheckRequest request_;
  Baseline baseline_;
};

}  // namespace cmc::mutate
