#include "checker/cli/commands/spin_verifier.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/files/file.h"
#include "checker/check/check.h"
#include "checker/cli/commands.h"
#include "checker/cli/commands/child_check.h"
#include "checker/cli/error_traces.h"
#include "checker/cli/watch.h"
#include "checker/properties/decide.h"
#include "checker/spin/state_tables.h"
#include "checker/spin/trail.h"
#include "checker/spin/verifier_source.h"
#include "checker/spin/verifier_text.h"
#include "ir/product.h"

namespace cmc {
namespace {

// What pan would check of this model.
struct Task {
  const PropertyEntry* claim = nullptr;
  CheckRequest request;
};

bool is_claim(const PropertyEntry& entry) {
  return entry.kind == PropertyKind::kNeverClaim || entry.kind == PropertyKind::kLtl;
}

// The named claim, else the first: those of the text stand in front of formulas, as SPIN numbers them.
Result<const PropertyEntry*> claim_of(const spin::VerifierArguments& verifier,
                                      const std::vector<PropertyEntry>& entries) {
  const PropertyEntry* chosen = nullptr;
  if (verifier.without_claim || verifier.non_progress) return chosen;
  for (const PropertyEntry& entry : entries) {
    if (!is_claim(entry)) continue;
    if (entry.name == verifier.claim) return &entry;
    if (chosen == nullptr || (chosen->kind == PropertyKind::kLtl && entry.kind == PropertyKind::kNeverClaim)) {
      chosen = &entry;
    }
  }
  if (!verifier.claim.empty()) return Error{fmt::format("cannot find claim '{}'", verifier.claim)};
  return chosen;
}

Result<Task> task_of(const spin::VerifierArguments& verifier, const std::vector<PropertyEntry>& entries) {
  Task task;
  CMC_TRY(task.claim, claim_of(verifier, entries));
  const bool claimed = task.claim != nullptr || verifier.non_progress;
  CheckRequest& request = task.request;
  for (const PropertyEntry& entry : entries) {
    const bool safety = entry.kind == PropertyKind::kSafety;
    const bool trace = entry.kind == PropertyKind::kTrace || entry.kind == PropertyKind::kNotrace;
    const bool accept = entry.kind == PropertyKind::kAcceptanceCycle && verifier.acceptance && !claimed;
    const bool progress = entry.kind == PropertyKind::kNonProgressCycle && verifier.non_progress;
    if (!safety && !trace && !accept && !progress && &entry != task.claim) continue;
    request.properties.push_back(full_name(entry, entries));
  }
  request.check_end_states = !claimed && verifier.end_states;
  if (verifier.fair) request.fairness = Fairness::kWeak;
  if (verifier.breadth_first) request.search = SearchOptions::Order::kBreadthFirst;
  if (!verifier.reduces) request.without_reductions();
  request.threads = std::min(verifier.threads, kMaxThreads);
  request.memory_bytes = verifier.memory_megabytes << 20;
  request.time_seconds = 60 * static_cast<double>(verifier.minutes);
  // Without assertions, those that fail are passed over.
  request.max_errors = verifier.assertions ? verifier.stop_at : 0;
  if (verifier.all_trails) request.max_trails = SearchOptions::kEachTrail;
  return task;
}

// SPIN's trail of a counterexample.
Result<std::string> spin_trail(const PropertyResult& property, const FoundError& error, GuardDecider* decider) {
  const Model& product = *property.product;
  return spin::trail_text(product, *make_referee(product, decider), error.path, error.loop_start);
}

// SPIN says where a cycle begins, and otherwise how many steps come before the last one.
uint64_t depth_of(const std::string& trail) {
  uint64_t lines = 0;
  for (size_t at = 0; at < trail.size(); at = trail.find('\n', at) + 1) {
    if (trail[at] == '-') return lines;
    ++lines;
  }
  return lines == 0 ? 0 : lines - 1;
}

// Whether some claim or process has accepting states, so that `spin -run` looks for cycles without being asked.
bool has_accepting_states(const Model& model, const std::vector<PropertyEntry>& entries) {
  const auto accepts = [&](const PropertyEntry& entry) {
    if (!is_claim(entry)) return entry.kind == PropertyKind::kAcceptanceCycle && entry.property != kNoProperty;
    const Result<Model> product = make_product(model, entry);
    return !product.ok() || has_accepting_location(product.value());
  };
  return std::ranges::any_of(entries, accepts);
}

// What `spin -run` adds to the switches that it was given.
void choose_search(spin::VerifierArguments& verifier, const Model& model, const std::vector<PropertyEntry>& entries) {
  if (verifier.all_trails) verifier.stop_at = 0;
  if (verifier.compiled || verifier.acceptance || verifier.non_progress || verifier.safety_only) return;
  const bool cycles = !verifier.breadth_first && !verifier.without_claim && has_accepting_states(model, entries);
  (cycles ? verifier.acceptance : verifier.safety_only) = true;
}

class Verifier {
 public:
  Verifier(const spin::SpinArguments& arguments, Output& output, const std::atomic<bool>& interrupted)
      : arguments_(arguments), verifier_(arguments.verifier), output_(output), interrupted_(interrupted) {}

  int run() {
    const std::optional<LoadedModel> loaded = load_for_spin(arguments_, output_);
    if (!loaded) return 1;
    if (verifier_.prints_tables) return print(spin::state_tables(loaded->model));
    if (verifier_.prints_graphs) return print(spin::state_graphs(loaded->model));
    const std::vector<PropertyEntry> entries = properties_of(loaded->model);
    choose_search(verifier_, loaded->model, entries);
    const Result<Task> task = task_of(verifier_, entries);
    if (!task.ok()) return fail(task.error());
    if (!verifier_.compiled) leave_verifier();
    CheckRequest request = task.value().request;
    request.interrupt = &interrupted_;
    const Options options = quiet_options();
    CheckWatch watch({options, output_, interrupted_});
    const Result<std::unique_ptr<Check>> check = Check::make(*loaded, std::move(request), watch);
    if (!check.ok()) return fail(check.error());
    const CheckOutcome outcome = check.value()->run(false);
    const Status verified = show(*loaded, task.value(), entries, outcome, check.value()->decider());
    return verified.ok() ? 0 : fail(verified.error());
  }

 private:
  int fail(const std::string& message) {
    output_.print(fmt::format("pan: error: {}\n", message));
    return 1;
  }

  [[nodiscard]] static Options quiet_options() {
    Options options;
    options.output.verbosity = Verbosity::kQuiet;
    return options;
  }

  int print(const Result<std::string>& text) {
    if (!text.ok()) return fail(text.error());
    output_.print(text.value());
    return 0;
  }

  // Programs remove the verifier that SPIN leaves, or call it again. That it cannot be written is no error.
  void leave_verifier() const {
    std::error_code error;
    std::filesystem::remove("pan", error);
    if (!write_file_atomically("pan", spin::verifier_script(own_program(), arguments_)).ok()) return;
    std::filesystem::permissions("pan", std::filesystem::perms(0755), error);
  }

  Status show(const LoadedModel& loaded, const Task& task, const std::vector<PropertyEntry>& entries,
              const CheckOutcome& outcome, GuardDecider* decider) {
    Status trails_written = Success{};
    const Report report = make_report(loaded.model, outcome.properties, outcome.run);
    spin::VerifierRun run;
    if (task.claim != nullptr) run.claim = task.claim->name;
    run.claims = static_cast<size_t>(std::ranges::count_if(entries, is_claim));
    run.looks_for_cycles = verifier_.acceptance;
    for (const auto& [property, error] : errors_of(task, outcome)) {
      CMC_TRY(spin::WrittenError written,
              write_error(*property, *error, run.errors.size() + 1, decider, trails_written));
      run.errors.push_back(std::move(written));
    }
    run.error_count = run.errors.size();
    if (verifier_.stop_at == 0 && verifier_.assertions) run.error_count = report.error_count;
    output_.print(spin::verifier_text(report, verifier_, run));
    if (verifier_.compiled) return trails_written;
    output_.print(spin::formulas_text(loaded.model) + spin::claims_text(loaded.model, arguments_.model));
    return trails_written;
  }

  // Those of the claim first; as many as the verifier would have stopped at.
  [[nodiscard]] std::vector<Violation> errors_of(const Task& task, const CheckOutcome& outcome) const {
    std::vector<Violation> errors;
    for (const bool claim : {true, false}) {
      for (const PropertyResult& property : outcome.properties) {
        if ((task.claim != nullptr && property.entry.property == task.claim->property) != claim) continue;
        for (const FoundError& error : property.result.errors) {
          const bool asserts = error.kind == ErrorKind{{}, RuntimeErrorKind::kAssertion};
          if (verifier_.assertions || !asserts) errors.push_back({&property, &error});
        }
      }
    }
    if (verifier_.stop_at > 0 && errors.size() > verifier_.stop_at) errors.resize(verifier_.stop_at);
    return errors;
  }

  // `number`: which error it is, from 1. Trails are written of all, or of the one at which the search stops. The
  // report does without one that cannot be written.
  [[nodiscard]] Result<spin::WrittenError> write_error(const PropertyResult& property, const FoundError& error,
                                                       uint64_t number, GuardDecider* decider,
                                                       Status& trails_written) const {
    spin::WrittenError written = {spin::error_text(property, error), error.depth, ""};
    if (!error.has_path || !(verifier_.all_trails || number == verifier_.stop_at)) return written;
    CMC_TRY(const std::string trail, spin_trail(property, error, decider));
    written.depth = depth_of(trail);
    written.trail_file = fmt::format("{}{}.{}", std::filesystem::path(arguments_.model).filename().string(),
                                     verifier_.all_trails ? std::to_string(number) : "", verifier_.trail_suffix);
    if (Status saved = write_file_atomically(written.trail_file, trail); !saved.ok()) {
      trails_written = std::move(saved);
      written.trail_file.clear();
    }
    return written;
  }

  const spin::SpinArguments& arguments_;
  spin::VerifierArguments verifier_;
  Output& output_;
  const std::atomic<bool>& interrupted_;
};

// An error that SPIN's parser finds is one of syntax; programs look for these words.
std::string error_message(const std::string& message) {
  return message.starts_with("expected ") ? "syntax error\t" + message : message;
}

// The model and a file with a never claim behind it.
std::string text_with_claim(const std::string& model, const std::string& claim_file) {
  std::error_code error;
  return fmt::format("#include \"{}\"\n#include \"{}\"\n", std::filesystem::path(model).filename().string(),
                     std::filesystem::absolute(claim_file, error).string());
}

}  // namespace

Options spin_options(const spin::SpinArguments& arguments) {
  Options options;
  options.model = arguments.model;
  options.reading.escapes_like_java = arguments.escapes_like_java;
  if (!arguments.formula.empty()) options.reading.formulas = {"!(" + arguments.formula + ")"};
  for (const std::string& word : arguments.preprocessor) {
    const Status added = add_macro(options.reading.preprocessor, word.substr(2), word.starts_with("-U"));
    if (!added.ok()) complain(fmt::format("{}: {}", word.substr(0, 2), added.error()));
  }
  return options;
}

std::optional<LoadedModel> load_for_spin(const spin::SpinArguments& arguments, Output& output) {
  const auto tell = [&](const std::string& file, uint32_t line, const std::string& message) {
    output.print(fmt::format("spin: {}:{}, Error: {}\n", file, line, error_message(message)));
  };
  promela::Sources sources;
  Result<uint32_t> file = load_text(arguments.model, sources);
  if (file.ok() && !arguments.claim_file.empty()) {
    file = sources.add(arguments.model, text_with_claim(arguments.model, arguments.claim_file));
  }
  if (!file.ok()) {
    tell(arguments.model, 0, file.error());
    return std::nullopt;
  }
  std::string messages;
  const auto tell_all = [&](const promela::Sources& files, const promela::Diagnostics& diagnostics) {
    for (const promela::Diagnostic& each : diagnostics.all()) {
      const SourcePlace& place = each.location.place;
      if (each.severity == promela::Severity::kError) tell(files.name(place.file), place.line, each.message);
    }
  };
  std::optional<LoadedModel> loaded =
      compile_model(spin_options(arguments).reading, std::move(sources), file.value(), messages, false, tell_all);
  if (arguments.verbose) print_to_stderr(messages);
  return loaded;
}

int run_verifier(const spin::SpinArguments& arguments, Output& output, const std::atomic<bool>& interrupted) {
  return Verifier(arguments, output, interrupted).run();
}

}  // namespace cmc
