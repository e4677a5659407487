#include "checker/properties/decide.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/units.h"
#include "checker/properties/atom_watcher.h"
#include "checker/properties/formula_check.h"
#include "checker/properties/turns.h"
#include "checker/properties/warnings.h"
#include "ir/print.h"
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
  Decision(const Model& model, const SearchOptions& options, const PropertySearch& search,
           const PropertyObserver& observer)
      : model_(model), options_(options), search_(search), observer_(observer) {}

  std::vector<PropertyResult> run(std::span<const PropertyEntry> entries) {
    const auto safety = std::ranges::find(entries, PropertyKind::kSafety, &PropertyEntry::kind);
    const auto trace = std::ranges::find_if(entries, is_trace);
    decides_safety_ = safety != entries.end();
    const bool both = decides_safety_ && trace != entries.end();
    std::vector<PropertyResult> results(entries.size());
    std::vector<Turns::Job> jobs;
    for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
      PropertyResult& result = results[static_cast<size_t>(entry - entries.begin())];
      if (both && entry == safety) {
        PropertyResult& other = results[static_cast<size_t>(trace - entries.begin())];
        jobs.push_back([this, entry, trace, &result = result, &other = other](Turn& turn) {
          decide_both(*entry, *trace, turn, result, other);
        });
      } else if (!both || entry != trace) {
        jobs.push_back([this, entry, &result = result](Turn& turn) { tell(result = decide(*entry, turn)); });
      }
    }
    const SystemClock system;
    const Clock* const given = options_.clock;
    Turns(given != nullptr ? *given : system, seconds_for_all()).run(jobs);
    return results;
  }

 private:
  // 0: there is no limit.
  [[nodiscard]] double seconds_for_all() const {
    constexpr double kNothing = 1e-9;
    const double limit = options_.time_limit_seconds;
    return limit > 0 ? std::max(kNothing, limit - options_.spent_wall_seconds) : 0;
  }
  void tell(const PropertyResult& result) const {
    if (observer_) observer_(result);
  }

  void decide_both(const PropertyEntry& safety, const PropertyEntry& trace, Turn& turn, PropertyResult& one,
                   PropertyResult& other) {
    const PropertyResult both = decide(safety, turn, &trace);
    one = {safety, both.fairness, both.product, part_of(both.result, false), both.warnings};
    other = {trace, both.fairness, both.product, part_of(both.result, true), {}};
    // An error of one of them, which ended the search, leaves the other open.
    const bool safety_is_open = ended_by_error(both.result) && one.result.error_count == 0;
    const bool trace_is_open = ended_by_error(both.result) && other.result.error_count == 0;
    if (!safety_is_open) tell(one);
    if (!trace_is_open) tell(other);
    if (safety_is_open) tell(one = decide(safety, turn));
    if (trace_is_open) tell(other = decide(trace, turn));
  }

  PropertyResult decide(const PropertyEntry& entry, Turn& turn, const PropertyEntry* trace = nullptr) {
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
    options.turn = &turn;
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
    name_violations(*decided.product, decided.result);
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

  // A search that was set aside begins anew, if there is time for that; otherwise it is what is known.
  SearchResult search(const PropertyEntry& entry, const Model& product, const SearchOptions& options) {
    SearchResult result;
    for (;;) {
      std::optional<Reason> reason = obstacle_to_begin(*options.turn);
      if (reason) {
        result.interrupted = reason->kind == ReasonKind::kInterrupted;
        result.reasons.push_back(std::move(*reason));
        return result;
      }
      result = search_(entry, product, options);
      if (!result.set_aside) return result;
      options.turn->wait();
    }
  }
  [[nodiscard]] std::optional<Reason> obstacle_to_begin(Turn& turn) const {
    if (options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed)) {
      return Reason{ReasonKind::kInterrupted, "the run was interrupted before its search began"};
    }
    if (options_.time_limit_seconds > 0 && turn.seconds_left() <= 0) {
      return Reason{ReasonKind::kTime, fmt::format("the time limit of {} was reached before its search began",
                                                   format_limit(options_.time_limit_seconds))};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string left_out(const FoundError& error) const {
    return fmt::format("the processes are in error on the way{}: {}; the property 'safety' is about that",
                       place_text(model_, error.place, " (", ")"), error.message);
  }

  static SearchResult not_begun(Reason reason) {
    SearchResult result;
    result.reasons.push_back(std::move(reason));
    return result;
  }

  const Model& model_;
  const SearchOptions& options_;
  const PropertySearch& search_;
  const PropertyObserver& observer_;
  bool decides_safety_ = false;
};

}  // namespace

std::vector<PropertyResult> decide_properties(const Model& model, std::span<const PropertyEntry> entries,
                                              const SearchOptions& options, const PropertySearch& search,
                                              const PropertyObserver& observer) {
  CHECK(!entries.empty());
  return Decision(model, options, search, observer).run(entries);
}

Verdict worst_verdict(std::span<const PropertyResult> results) {
  const auto has = [&](Verdict verdict) {
    return std::ranges::any_of(results, [&](const PropertyResult& each) { return each.result.verdict() == verdict; });
  };
  if (has(Verdict::kViolated)) return Verdict::kViolated;
  return has(Verdict::kIncomplete) ? Verdict::kIncomplete : Verdict::kHolds;
}

}  // namespace cmc
