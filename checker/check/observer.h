#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "checker/properties/properties.h"
#include "checker/result/progress.h"
#include "checker/result/result.h"

namespace cmc {

struct PropertyResult;

// Of something that is told while a check runs.
enum class Importance : uint8_t {
  kDetail,  // for who wants to know everything
  kNote,    // something was not done as it was asked for
  kWarning,
};

// A search that begins.
struct SearchStart {
  std::string label;       // of its property, if there are several; else empty
  bool in_levels = false;  // breadth first
  bool first = false;      // of the check: the one of which there is a log and a profile
};

// Looks on while a check runs. Several threads may call it, one after the other.
class CheckObserver {
 public:
  virtual ~CheckObserver() = default;
  virtual void on_note([[maybe_unused]] Importance importance, [[maybe_unused]] const std::string& text) {}
  // Who looks on while it runs; null: nobody.
  [[nodiscard]] virtual std::unique_ptr<SearchObserver> on_search([[maybe_unused]] const SearchStart& start) {
    return nullptr;
  }
  virtual void on_search_end([[maybe_unused]] const SearchStart& start, [[maybe_unused]] const SearchResult& result) {
  }
  // An error was found and confirmed; for at most so many seconds a shorter counterexample is looked for.
  virtual void on_violation([[maybe_unused]] const std::string& label, [[maybe_unused]] const std::string& title,
                            [[maybe_unused]] double most_seconds) {}
  virtual void on_violation_end() {}
  // Results of a property that will not change any more.
  virtual void on_decided([[maybe_unused]] const PropertyResult& property) {}
  // A plug-in's successors are not those of the model: the process has to end, as other threads are in the middle of
  // the search.
  [[noreturn]] virtual void on_wrong_plugin(const std::string& difference);
};

}  // namespace cmc
