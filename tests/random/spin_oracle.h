#pragma once

#include <cstdint>
#include <optional>
#include <string>

// Asks SPIN: generates its verifier for a model, compiles it with all reductions off and runs it twice, with and
// without the check of invalid end states. tcc compiles a verifier in 20 ms where gcc needs 300; gcc is asked when it
// matters, because tcc's bit fields of more than 31 bits and the like are not beyond doubt.

namespace cmc::random {

struct SpinResult {
  enum class Outcome : uint8_t {
    kCounted,
    kRefused,       // by spin -a
    kNotCompiled,   // by the C compiler
    kTooLarge,      // time or depth limit
    kRuntimeError,  // the verifier stopped at an error other than an assertion or an invalid end state
    kBroken,        // the verifier crashed or said something unknown
  } outcome = Outcome::kBroken;
  std::string text;  // the first message that explains the outcome
  uint64_t states = 0;
  uint64_t transitions = 0;       // as CMC counts them: without entering the initial state
  uint64_t assertion_errors = 0;  // -E: all errors but invalid end states
  uint64_t all_errors = 0;
};

const char* outcome_name(SpinResult::Outcome outcome);

// Of a product with a claim, or of the system alone when it is about accept labels.
struct SpinCycles {
  SpinResult product;  // counts with -E, no errors; transitions of a claim only (np_ is 1 for a verifier without -l)
  bool assertion = false;
  bool claim_end = false;
  std::optional<bool> cycle;  // none: undecided
  std::optional<bool> fair_cycle;
  bool fair_stutter = false;  // the fair cycles are blocked states, no others
};

enum class CycleQuestion : uint8_t {
  kClaim,        // of the claim or formula in the text: pan -a
  kAccept,       // of a text without a claim: pan -a
  kNonProgress,  // of a text without a claim: pan -l
};

class SpinOracle {
 public:
  // `folder` must exist; files in it are overwritten.
  explicit SpinOracle(std::string folder) : folder_(std::move(folder)) {}

  [[nodiscard]] SpinResult ask(const std::string& model, bool use_gcc = false, int cpu_seconds = 2) const;

  [[nodiscard]] SpinCycles ask_cycles(const std::string& model, CycleQuestion question, bool use_gcc = false,
                                      int cpu_seconds = 2) const;

  // A text with the claim that SPIN makes of its formula; empty: SPIN refuses it.
  [[nodiscard]] std::string with_claim_of_formula(const std::string& model) const;

  [[nodiscard]] static bool available();  // spin and a C compiler are installed

 private:
  [[nodiscard]] static std::string expanded(const std::string& model);
  bool generate(const std::string& model, SpinResult& result) const;
  bool compile(const std::string& model, const std::string& defines, bool use_gcc, SpinResult& result) const;
  bool search(const std::string& options, int cpu_seconds, SpinResult& result, uint64_t& errors,
              std::string& output) const;
  // `stutter`: becomes true if all cycles are blocked states.
  [[nodiscard]] std::optional<bool> has_cycle(const std::string& options, int cpu_seconds, SpinResult& result,
                                              bool& stutter) const;
  // Runs a command in the folder; its output goes to a file there. Returns the wait status.
  int run(const std::string& command, int cpu_seconds, std::string& output) const;
  std::string folder_;
};

}  // namespace cmc::random
