#include "checker/check/run_directory.h"

#include <set>
#include <sstream>

#include <fmt/format.h>

#include "base/sha256.h"
#include "base/units.h"
#include "checker/check/rank_runs.h"
#include "checker/check/select_properties.h"
#include "checker/checkpoint/checkpoints.h"
#include "checker/keyspace/components.h"
#include "checker/report/report.h"
#include "checker/report/style/version.h"
#include "ir/dump.h"

namespace cmc {
namespace {

// Component by component, where it is in a state or in a frame.
std::string components_text(const Model& product) {
  const Components components(product);
  std::string text;
  const auto add = [&](std::span<const Components::Range> ranges) {
    for (const Components::Range& range : ranges) text += fmt::format(" {}+{}", range.offset, range.size);
    text += '\n';
  };
  add(components.globals());
  for (ProctypeId proctype = 0; proctype < product.proctypes.size(); ++proctype) add(components.frame(proctype));
  return text;
}

RunFile describe(const SavingRequest& saving, const LoadedModel& loaded, const Model& product) {
  RunFile run;
  run.version = kVersion;
  run.model = loaded.file;
  std::set<std::string> known;
  for (uint32_t file = 0; file < loaded.sources.file_count(); ++file) {
    const std::string& name = loaded.sources.name(file);
    const bool made_anew = name != loaded.file && (name.starts_with('<') || name.starts_with("--"));  // -D, --ltl
    if (!made_anew && known.insert(name).second) run.files.push_back({name, std::string(loaded.sources.text(file))});
  }
  run.arguments = saving.arguments;
  std::ostringstream dumped;
  dump(product, dumped);
  run.model_sha256 = sha256_hex(dumped.str());
  run.components_sha256 = sha256_hex(components_text(product));
  return run;
}

// Why a search for these properties has no checkpoints, or no certificate; empty: it has.
std::string obstacle(const SavingRequest& saving, std::span<const PropertyEntry> entries, const Model& model) {
  std::string why = obstacle_to_one_search(entries, model, "has no checkpoints");
  if (why.empty() && saving.certificate && entries.front().kind != PropertyKind::kSafety)
    why =
        fmt::format("only safety has one, and '{}' is another property; add --property safety", entries.front().name);
  return why;
}

}  // namespace

Status open_run(CheckRequest& request, const LoadedModel& loaded, std::span<const PropertyEntry> entries,
                CheckObserver& observer) {
  SavingRequest& saving = request.saving;
  if (saving.directory.empty()) return Success{};
  if (const std::string why = obstacle(saving, entries, loaded.model); !why.empty())
    return Error{fmt::format("{}: {}", saving.option(), why)};
  CMC_TRY(const Model product, make_product(loaded.model, entries.front()));
  RunFile run = describe(saving, loaded, product);
  if (saving.run == nullptr) {
    Result<std::unique_ptr<Checkpoints>> made = begin_run(request.ranks, saving.directory, std::move(run));
    if (!made.ok()) return Error{fmt::format("{}: {}", saving.option(), made.error())};
    saving.run = std::move(made).value();
  } else if (const RunFile& then = saving.run->run();
             then.model_sha256 != run.model_sha256 || then.components_sha256 != run.components_sha256) {
    return Error{
        fmt::format("'{}' was begun with cmc {}, which understood the model differently than cmc {} does; "
                    "go on with that version",
                    saving.directory, then.version, run.version)};
  }
  saving.run->timing = {saving.every_seconds, saving.every_checks};
  saving.run->on_failure = [&observer](const std::string& why) {
    observer.on_note(Importance::kWarning, "a checkpoint could not be written: " + why);
  };
  saving.run->on_commit = [&observer,
                           certificate = saving.certificate ? saving.directory : ""](const Manifest& manifest) {
    if (manifest.complete && !certificate.empty() && manifest.verdict == verdict_name(Verdict::kHolds))
      observer.on_note(Importance::kNote, fmt::format("`cmc-audit {}` checks the certificate", certificate));
    if (manifest.complete) return;
    observer.on_note(Importance::kNote,
                     fmt::format("checkpoint {}: {}, {}", manifest.epoch, plural(manifest.states, "state"),
                                 plural(manifest.transitions, "transition")));
  };
  return Success{};
}

}  // namespace cmc
