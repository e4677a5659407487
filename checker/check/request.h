#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "checker/guards/oracle_decider.h"
#include "checker/result/options.h"
#include "checker/shorten/trail_order.h"
#include "ir/model.h"
#include "promela/preprocessor/preprocessor.h"
#include "solver-bridge/pool/pool_options.h"

// What is asked of a check. An option that is left alone has the value of the command line's default.

namespace cmc {

class Checkpoints;
class Ranks;

enum class GeneratorKind : uint8_t { kAuto, kNative, kReference, kVm, kPlugin };
enum class Engine : uint8_t { kFast, kSimple };
enum class StepMode : uint8_t { kSpin, kStatement, kPath };

// But for kPlugin, which names its file: generator_name() (describe.h).
inline constexpr EnumName<GeneratorKind> kGeneratorNames[] = {{"auto", GeneratorKind::kAuto},
                                                              {"native", GeneratorKind::kNative},
                                                              {"reference", GeneratorKind::kReference},
                                                              {"vm", GeneratorKind::kVm}};
inline constexpr EnumName<Engine> kEngineNames[] = {{"fast", Engine::kFast}, {"simple", Engine::kSimple}};
// The first two are also those of graphs.
inline constexpr EnumName<StepMode> kStepModeNames[] = {
    {"spin", StepMode::kSpin}, {"statement", StepMode::kStatement}, {"path", StepMode::kPath}};

// How a model's text is read.
struct ModelRequest {
  promela::PreprocessorOptions preprocessor;
  bool escapes_like_java = false;
  std::vector<std::string> formulas;  // that the text does not state
  Overflow overflow = Overflow::kShown;
  bool validate = false;  // the model that is made: a test of the front end
};

// What -D or -U says in front of the text. Error: it does not begin with a name.
[[nodiscard]] Status add_macro(promela::PreprocessorOptions& options, const std::string& text, bool undefine);

// At the memory limit, a check goes on with the disk.
[[nodiscard]] inline StoreSettings store_by_default() {
  StoreSettings settings;
  settings.enabled = true;
  return settings;
}

inline constexpr uint64_t kMaxThreads = 1024;

// Checkpoints of a search.
struct SavingRequest {
  std::string directory;     // empty: none
  std::string mirror;        // of cmc-mpi: where there is a second copy; empty: nowhere
  bool certificate = false;  // the last one is a certificate, if the model holds
  double every_seconds = 1800;
  uint64_t every_checks = 0;           // Checkpoints::Timing
  std::vector<std::string> arguments;  // options of the command line that decide what is searched, and how
  std::shared_ptr<Checkpoints> run;    // of a search that goes on; else Check::make() begins it

  [[nodiscard]] const char* option() const { return certificate ? "--certificate" : "--checkpoint"; }
};

struct CheckRequest {
  // --- what is decided
  std::vector<std::string> properties;  // names; empty: all that the model states
  Fairness fairness = Fairness::kNone;
  bool check_end_states = true;
  uint64_t max_errors = 1;
  uint64_t max_trails = 16;  // paths kept; SearchOptions::kEachTrail: all
  TrailOrder trail_order = TrailOrder::kFirst;
  std::optional<double> shorten_seconds;  // for shorter counterexamples; none: as long as the search took

  // --- how
  Engine engine = Engine::kFast;
  SearchOptions::Order search = SearchOptions::Order::kAuto;
  CycleAlgorithm cycles = CycleAlgorithm::kAuto;
  StepMode steps = StepMode::kSpin;
  // What was not asked for by name is left off without a word where it does not go.
  bool reductions_given = false;
  bool partial_order = true;
  SearchOptions::Proviso proviso = SearchOptions::Proviso::kSticky;  // of partial_order
  bool merge_steps = true;
  bool reset_dead_variables = true;
  bool symmetry = false;
  GeneratorKind generator = GeneratorKind::kAuto;
  std::string plugin;            // of kPlugin: the file
  double compiler_seconds = 0;   // of kNative; 0: chosen
  bool check_generator = false;  // by the reference interpreter
  uint64_t threads = 0;          // 0: one per processor
  uint64_t memo_bytes = 0;       // 0: chosen
  bool compact_set = false;
  StoreSettings store = store_by_default();
  bool profile = false;
  SavingRequest saving;
  Ranks* ranks = nullptr;  // of a search on several machines, this one among them

  // --- limits
  uint64_t memory_bytes = 0;  // 0: what the machine has room for
  uint64_t disk_bytes = 0;    // 0: what the file system has room for
  double time_seconds = 0;    // 0: no limit
  uint64_t state_limit = 0;   // of each search, about; 0: none
  const std::atomic<bool>* interrupt = nullptr;

  // --- the solver of guards
  guards::DeciderOptions::Solver solver_kind = guards::DeciderOptions::Solver::kWorker;
  solver::PoolOptions solver;
  std::string solver_log;    // a file; empty: none
  std::string solver_cache;  // a file of answers; empty: none

  // As --reductions none.
  void without_reductions() {
    reductions_given = true;
    partial_order = merge_steps = reset_dead_variables = symmetry = false;
  }
  [[nodiscard]] bool interrupted() const { return interrupt != nullptr && interrupt->load(); }
};

// The options of every search of a check.
[[nodiscard]] SearchOptions search_options(const CheckRequest& request);

}  // namespace cmc
