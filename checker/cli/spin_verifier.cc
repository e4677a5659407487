#include "checker/cli/spin_verifier.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/file.h"
#include "base/run_directory.h"
#include "checker/cli/commands.h"
#include "checker/properties/properties.h"
#include "checker/spin/trail.h"
#include "checker/spin/verifier_text.h"
#include "checker/trace/trail.h"

namespace cmc {
namespace {

using Json = nlohmann::json;

// What pan would check of this model.
struct Task {
  const PropertyEntry* claim = nullptr;
  std::vector<std::string> arguments;
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
  if (!verifier.claim.empty()) return Error{fmt::format("claim '{}' not found", verifier.claim)};
  return chosen;
}

Result<Task> task_of(const spin::VerifierArguments& verifier, const std::vector<PropertyEntry>& entries) {
  const Result<const PropertyEntry*> claim = claim_of(verifier, entries);
  if (!claim.ok()) return Error{claim.error()};
  Task task;
  task.claim = claim.value();
  const auto property = [&](const std::string& name) {
    task.arguments.insert(task.arguments.end(), {"--property", name});
  };
  const bool claimed = task.claim != nullptr || verifier.non_progress;
  property("safety");
  for (const PropertyEntry& entry : entries) {
    const bool trace = entry.kind == PropertyKind::kTrace || entry.kind == PropertyKind::kNotrace;
    const bool accept = entry.kind == PropertyKind::kAcceptanceCycle && verifier.acceptance && !claimed;
    if (trace || accept || &entry == task.claim) property(entry.name);
  }
  if (verifier.non_progress) property("non-progress");
  const auto add = [&](std::initializer_list<std::string> arguments) {
    task.arguments.insert(task.arguments.end(), arguments);
  };
  if (claimed || !verifier.end_states) add({"--no-end-states"});
  if (verifier.fair) add({"--fairness", "weak"});
  if (verifier.breadth_first) add({"--search", "bfs"});
  if (!verifier.reduces) add({"--reductions", "none"});
  if (verifier.threads > 0) add({"--threads", std::to_string(verifier.threads)});
  if (verifier.memory_megabytes > 0) add({"--memory", fmt::format("{}M", verifier.memory_megabytes)});
  if (verifier.minutes > 0) add({"--time", fmt::format("{}m", verifier.minutes)});
  add({"--max-errors", std::to_string(verifier.stop_at)});
  return task;
}

// A file that is gone when the object is.
class TemporaryFile {
 public:
  TemporaryFile() : path_(temporary_folder() + "/cmc-trail-XXXXXX") {
    const int file = mkstemp(path_.data());
    if (file >= 0) close(file);
    ok_ = file >= 0;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (ok_) unlink(path_.c_str());
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool ok_ = false;
};

// SPIN's trail of the counterexample.
Result<std::string> spin_trail(const LoadedModel& loaded, const std::vector<PropertyEntry>& entries,
                               const Trail& trail, GuardDecider* decider) {
  const auto entry = std::ranges::find(entries, trail.error.property, &PropertyEntry::name);
  if (entry == entries.end()) return Error{"the counterexample is of an unknown property"};
  const Result<Model> product = make_product(loaded.model, *entry);
  if (!product.ok()) return Error{product.error()};
  std::vector<Step> path;
  for (const Trail::Entry& each : trail.path) path.push_back(each.step);
  return spin::trail_text(product.value(), *make_referee(product.value(), decider), path, trail.loop_start);
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

class Verifier {
 public:
  Verifier(const spin::SpinArguments& arguments, Output& output, const std::atomic<bool>& interrupted)
      : arguments_(arguments), output_(output), interrupted_(interrupted) {}

  int run() {
    const Options plain = spin_options(arguments_, {});
    const std::optional<LoadedModel> loaded =
        load_model(plain, [&](const std::string& file, uint32_t line, const std::string& message) {
          output_.print(fmt::format("spin: {}:{}, Error: {}\n", file, line, message));
        });
    if (!loaded) return 1;
    const std::vector<PropertyEntry> entries = properties_of(loaded->model);
    const Result<Task> task = task_of(arguments_.verifier, entries);
    if (!task.ok()) return fail(task.error());
    tell_differences(task.value());
    const TemporaryFile trail_file;
    if (!trail_file.ok()) return fail("cannot make a temporary file");
    std::vector<std::string> more = task.value().arguments;
    more.insert(more.end(), {"--json=-", "--trail", trail_file.path()});
    const Options options = spin_options(arguments_, more);
    std::string text;
    Output captured(text);
    const Session session{options, captured, interrupted_};
    static_cast<void>(run_check(session));
    const Json result = Json::parse(text, nullptr, false);
    if (result.is_discarded()) return 1;  // it was said why
    spin::VerifierRun run;
    if (task.value().claim != nullptr) {
      run.claim = task.value().claim->name;
      run.is_formula = task.value().claim->kind == PropertyKind::kLtl;
    }
    if (const Status added = add_errors(session, *loaded, entries, result, trail_file.path(), run); !added.ok()) {
      return fail(added.error());
    }
    output_.print(spin::verifier_text(result, arguments_.verifier, run));
    return 0;
  }

 private:
  static int fail(const std::string& message) {
    complain(message);
    return 1;
  }
  void tell_differences(const Task& task) const {
    const spin::VerifierArguments& verifier = arguments_.verifier;
    if (task.claim != nullptr && !verifier.acceptance) {
      complain(
          fmt::format("without -a, pan looks only for runs that end '{}'; CMC decides all of it", task.claim->name));
    }
    if (!verifier.assertions) complain("-A: assertions are checked nevertheless");
    if (verifier.all_trails) complain("-e: one trail is written, of the first error");
  }
  Status add_errors(const Session& session, const LoadedModel& loaded, const std::vector<PropertyEntry>& entries,
                    const Json& result, const std::string& trail_path, spin::VerifierRun& run) const {
    const Result<std::string> text = read_file(trail_path);
    std::optional<Trail> trail;
    if (text.ok() && !text.value().empty()) {
      Result<Trail> parsed = parse_trail(text.value());
      if (parsed.ok()) trail = std::move(parsed).value();
    }
    for (const Json& error : result.at("errors")) {
      run.errors.push_back({spin::error_text(error), error.at("depth").get<uint64_t>(), ""});
    }
    if (!trail || run.errors.empty()) return Success{};
    const Decider decider = make_decider(session, loaded.model);
    Result<std::string> lines = spin_trail(loaded, entries, *trail, decider.get());
    if (!lines.ok()) return Error{lines.error()};
    // The error that the trail belongs to comes first.
    for (size_t i = 0; i < run.errors.size(); ++i) {
      const Json& error = result.at("errors").at(i);
      if (error.at("message") != trail->error.message || error.at("property") != trail->error.property) continue;
      std::swap(run.errors[0], run.errors[i]);
      break;
    }
    run.errors[0].depth = depth_of(lines.value());
    run.errors[0].trail_file = fmt::format("{}.{}", arguments_.model, arguments_.verifier.trail_suffix);
    return write_file_atomically(run.errors[0].trail_file, lines.value());
  }

  const spin::SpinArguments& arguments_;
  Output& output_;
  const std::atomic<bool>& interrupted_;
};

}  // namespace

Options spin_options(const spin::SpinArguments& arguments, const std::vector<std::string>& more) {
  std::vector<std::string> line = {"check", arguments.model};
  line.insert(line.end(), arguments.preprocessor.begin(), arguments.preprocessor.end());
  if (arguments.escapes_like_java) line.emplace_back("-J");
  line.insert(line.end(), more.begin(), more.end());
  std::variant<Options, Answer> parsed = parse_command_line(line);
  if (auto* const options = std::get_if<Options>(&parsed)) return std::move(*options);
  complain(std::get<Answer>(parsed).text);  // a macro that cannot be defined
  Options options;
  options.model = arguments.model;
  return options;
}

int run_verifier(const spin::SpinArguments& arguments, Output& output, const std::atomic<bool>& interrupted) {
  return Verifier(arguments, output, interrupted).run();
}

}  // namespace cmc
