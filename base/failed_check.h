#pragma once

#include <functional>
#include <string>

namespace cmc {

// Runs `work`. A CHECK (base/check.h) that fails there, in this thread, ends `work` and not the process: what would
// have been printed is returned. Empty: none has failed. For what comes after a search, whose result would be lost.
// What `work` was changing may be half changed.
[[nodiscard]] std::string failed_check_in(const std::function<void()>& work);

}  // namespace cmc
