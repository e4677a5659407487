#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "checker/session/walk.h"

namespace cmc::explore {

struct Export {
  std::string type;  // "text/html; charset=utf-8"
  std::string name;  // of the file
  std::string text;
};

// The run up to where it is, as "run.trail" (CMC's), "run.spin.trail", "run.html" or "run.mmd". None: there is no
// such export. Error: it cannot be made.
[[nodiscard]] std::optional<Result<Export>> export_run(session::Walk& walk, const std::string& name);

}  // namespace cmc::explore
