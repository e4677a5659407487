#include "checker/properties/decide.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "checker/properties/atom_watcher.h"
#include "checker/properties/warnings.h"
#include "ir/product.h"

namespace cmc {

namespace {

bool is_trace(const PropertyEntry& entry) {
  return entry.kind == PropertyKind::kTrace || entry.kind == PropertyKind::kNotrace;
}

bool is_trace_error(const FoundError& error) {
  return error.kind == ErrorKind{{}, RuntimeErrorKind::kTraceMismatch} ||
         error.kind == ErrorKind{{}, RuntimeErrorKind::kNotraceMatched};
}

// An error ended the search, not a limit: it says nothing about other properties.
bool ended_by_error(const SearchResult& result) {
  return !result.all_expanded && result.error_count > 0 && result.reasons.empty() && !result.interrupted;
}

// What a search for safety and a trace says about one of them. Errors that were counted only are taken for those of
// safety if it has any.
SearchResult part_of(const SearchResult& both, bool trace) {
  SearchResult part = both;
  std::erase_if(part.errors, [&](const FoundError& error) { return is_trace_error(error) != trace; });
  const uint64_t of_others = both.errors.size() - part.errors.size();
  const bool counted_here = !part.errors.empty() && (!trace || of_others == 0);
  part.error_count = counted_here ? both.error_count - of_others : part.errors.size();
  if (part.error_count == 0) part.shortening.reset();
  return part;
}

class Decision {
 public:
  Decision(const Model& model, const SearchOptions& options, const PropertySearch& search)
      : model_(model), options_(options), search_(search) {}

  std::vector<PropertyResult> run(std::span<const PropertyEntry> entries) {
    const auto safety = std::ranges::find(entries, PropertyKind::kSafety, &PropertyEntry::kind);
    const auto trace = std::ranges::find_if(entries, is_trace);
    decides_safety_ = safety != entries.end();
    std::optional<std::pair<PropertyResult, PropertyResult>> both;
    if (safety != entries.end() && trace != entries.end()) both = decide_both(*safety, *trace);
    std::vector<PropertyResult> results;
    for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
      if (both && entry == safety) {
        results.push_back(std::move(both->first));
      } else if (both && entry == trace) {
        results.push_back(std::move(both->second));
      } else {
        results.push_back(decide(*entry));
      }
    }
    return results;
  }

 private:
  std::pair<PropertyResult, PropertyResult> decide_both(const PropertyEntry& safety, const PropertyEntry& trace) {
    PropertyResult both = decide(safety, &trace);
    PropertyResult one{safety, both.fairness, both.product, part_of(both.result, false), both.warnings};
    PropertyResult other{trace, both.fairness, both.product, part_of(both.result, true), {}};
    if (ended_by_error(both.result) && one.result.error_count == 0) one = decide(safety);
    if (ended_by_error(both.result) && other.result.error_count == 0) other = decide(trace);
    return {std::move(one), std::move(other)};
  }

  PropertyResult decide(const PropertyEntry& entry, const PropertyEntry* trace = nullptr) {
    const bool safety = entry.kind == PropertyKind::kSafety;
    PropertyResult decided;
    decided.entry = entry;
    Result<Model> product = make_product(model_, entry, trace);
    if (!product.ok()) {
      decided.product = std::make_shared<const Model>(model_);
      decided.result = not_begun({ReasonKind::kLimit, product.error()});
      return decided;
    }
    decided.product = std::make_shared<const Model>(std::move(product).value());
    SearchOptions options = options_;
    options.check_end_states = safety && options_.check_end_states;
    options.only_observers = !safety;
    options.find_cycles = decided.product->claim.exists() && has_accepting_location(*decided.product);
    options.non_progress = entry.kind == PropertyKind::kNonProgressCycle;
    if (!options.find_cycles) options.fairness = Fairness::kNone;
    decided.fairness = options.fairness;
    std::optional<AtomWatcher> atoms;
    if (entry.kind == PropertyKind::kLtl) {
      options.watcher = &atoms.emplace(*decided.product, decided.product->properties.back().formula);
    }
    decided.result = search(entry, *decided.product, options);
    if (entry.kind == PropertyKind::kLtl) name_violations(decided.result);
    decided.warnings = warnings_of(entry, *decided.product, decided.result);
    if (safety || !decides_safety_) {
      const std::vector<std::string> more = warnings_of_overflows(model_, decided.result);
      decided.warnings.insert(decided.warnings.end(), more.begin(), more.end());
    }
    if (atoms && decided.result.verdict() == Verdict::kHolds) {
      const std::vector<std::string> more = warnings_of_atoms(*decided.product, atoms->never_true());
      decided.warnings.insert(decided.warnings.end(), more.begin(), more.end());
    }
    if (decided.result.process_error && !decides_safety_) {
      decided.warnings.push_back(left_out(*decided.result.process_error));
    }
    return decided;
  }

  SearchResult search(const PropertyEntry& entry, const Model& product, SearchOptions& options) {
    if (options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed)) {
      SearchResult result = not_begun({ReasonKind::kInterrupted, "the run was interrupted before its search began"});
      result.interrupted = true;
      return result;
    }
    if (options_.time_limit_seconds > 0 && wall_seconds_ >= options_.time_limit_seconds) {
      return not_begun(
          {ReasonKind::kTime, fmt::format("the time limit of {:g} seconds was reached before its search began",
                                          options_.time_limit_seconds)});
    }
    options.spent_wall_seconds = options_.spent_wall_seconds + wall_seconds_;
    SearchResult result = search_(entry, product, options);
    result.wall_seconds -= wall_seconds_;
    wall_seconds_ += result.wall_seconds + (result.shortening ? result.shortening->wall_seconds : 0);
    return result;
  }

  // The claim is none that the user wrote.
  static void name_violations(SearchResult& result) {
    for (FoundError& error : result.errors) {
      if (error.kind == ErrorKind{{}, RuntimeErrorKind::kClaimEnd})
        error.message = "the formula is false, whatever follows";
    }
  }

  [[nodiscard]] std::string left_out(const FoundError& error) const {
    const bool placed = error.place.line > 0 && error.place.file < model_.files.size();
    return fmt::format("the processes are in error on the way{}: {}; the property 'safety' is about that",
                       placed ? fmt::format(" ({}:{})", model_.files[error.place.file], error.place.line) : "",
                       error.message);
  }

  static SearchResult not_begun(Reason reason) {
    SearchResult result;
    result.reasons.push_back(std::move(reason));
    return result;
  }

  const Model& model_;
  const SearchOptions& options_;
  const PropertySearch& search_;
  bool decides_safety_ = false;
  double wall_seconds_ = 0;  // of all searches so far, with the shortening of what they found
};

}  // namespace

std::vector<PropertyResult> decide_properties(const Model& model, std::span<const PropertyEntry> entries,
                                              const SearchOptions& options, const PropertySearch& search) {
  CHECK(!entries.empty());
  return Decision(model, options, search).run(entries);
}

Verdict worst_verdict(std::span<const PropertyResult> results) {
  const auto has = [&](Verdict verdict) {
    return std::ranges::any_of(results, [&](const PropertyResult& each) { return each.result.verdict() == verdict; });
  };
  if (has(Verdict::kViolated)) return Verdict::kViolated;
  return has(Verdict::kIncomplete) ? Verdict::kIncomplete : Verdict::kHolds;
}

}  // namespace cmc
