#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "checker/search/simple_search.h"

namespace cmc {

// "1,234,567 states, 812,000 states/s, depth 4,711, 120.3 MB, 3 s", cut to `columns` characters. With a store in
// front of it the phase, if it is another one than searching, and behind it candidates, how full the lossy table is,
// and pages.
[[nodiscard]] std::string progress_text(const Progress& progress, double states_per_second, size_t columns,
                                        double pages_read_per_second = 0);

// Shows where a search is: on a terminal one line that is written over and erased at the end, elsewhere a line every
// ten seconds.
class ProgressLine final : public SearchObserver {
 public:
  // `label`, unless empty, stands in front: "ltl_0: ".
  ProgressLine(std::FILE* stream, bool terminal, size_t columns, const std::string& label = "")
      : stream_(stream), terminal_(terminal), columns_(columns), label_(label.empty() ? "" : label + ": ") {}
  ~ProgressLine() override { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void on_progress(const Progress& progress) override;
  void erase();

 private:
  void update_rate(const Progress& progress);
  void write(std::string_view text);

  std::FILE* stream_;
  bool terminal_;
  size_t columns_;
  std::string label_;
  bool visible_ = false;
  double last_line_seconds_ = 0;
  double rate_ = 0;       // states per second, over about the last second
  double page_rate_ = 0;  // pages read, the same
  double rate_since_seconds_ = 0;
  uint64_t rate_since_states_ = 0;
  uint64_t rate_since_pages_ = 0;
};

}  // namespace cmc
