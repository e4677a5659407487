#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "checker/check/decider.h"
#include "checker/check/model_file.h"
#include "checker/check/observer.h"
#include "checker/check/request.h"
#include "checker/check/search.h"
#include "checker/plugin/library.h"
#include "checker/properties/decide.h"
#include "checker/report/logs/search_log.h"
#include "checker/report/report.h"
#include "checker/shorten/effort.h"
#include "checker/trace/trail.h"

namespace cmc {

// What a check found out. Every path in it was replayed by the reference interpreter.
struct CheckOutcome {
  std::vector<PropertyResult> properties;  // in the order of Check::entries()
  SearchLog log;                           // of the first search
  RunDescription run;                      // without what only the caller knows: arguments, begun, trail_files
};

// One check of one model: the service that the command line, SPIN's command line and the library stand on. It prints
// nothing and writes no file but those of its store, its solver and its native code.
class Check {
 public:
  // `loaded` and `observer` live longer. Error: what is asked for cannot be had, such as a property that the model
  // does not have; for the user.
  [[nodiscard]] static Result<std::unique_ptr<Check>> make(const LoadedModel& loaded, CheckRequest request,
                                                           CheckObserver& observer);
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;

  [[nodiscard]] const std::vector<PropertyEntry>& entries() const { return entries_; }
  [[nodiscard]] const CheckRequest& request() const { return request_; }
  [[nodiscard]] GuardDecider* decider() const { return decider_.get(); }
  // Limits as the searches have them.
  [[nodiscard]] const SearchOptions& limits() const { return search_; }

  // Searches for all properties. `keeps_log`: the outcome's log is to be written, so its arithmetic is checked.
  // `spent_seconds`: of the time limit, before. To be called once.
  [[nodiscard]] CheckOutcome run(bool keeps_log, double spent_seconds = 0);

  // To be called when the results are where the user wants them: from here on `cmc resume` only says that the search
  // is over. Error: that could not be saved.
  [[nodiscard]] Status close();

  // A counterexample as a file; `property` is of this check's outcome. Error: it does not replay, although it did.
  [[nodiscard]] Result<Trail> make_trail(const PropertyResult& property, const FoundError& error) const;

 private:
  Check(const LoadedModel& loaded, CheckRequest request, CheckObserver& observer);

  SearchResult search(const Model& product, SearchOptions options, const SearchStart& start);
  void finish_errors(const Model& product, const SearchOptions& options, const std::string& label,
                     SearchResult& result);
  void restore_paths(const Model& product, SearchResult& result) const;
  void confirm_paths(const Model& product, Fairness fairness, SearchResult& result) const;
  void shorten(const Model& product, const SearchOptions& options, const std::string& label,
               const std::function<void()>& restore, SearchResult& result);
  [[nodiscard]] Budget budget_to_shorten(const SearchOptions& options, const SearchResult& result) const;
  [[nodiscard]] RunDescription describe_run(const std::vector<PropertyResult>& results) const;

  const LoadedModel& loaded_;
  const CheckRequest request_;
  CheckObserver& observer_;
  SearchOptions search_;
  std::vector<PropertyEntry> entries_;
  std::shared_ptr<const plugin::Library> plugin_;
  Decider decider_;
  bool keeps_log_ = false;
  std::optional<SearchLog> log_;
};

}  // namespace cmc
