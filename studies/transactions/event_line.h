#pragma once

#include <string>
#include <string_view>

#include "studies/transactions/transaction_folder.h"

namespace cmc {

// A step as a line of JSON, which `cmc conform` holds against models/transactions/buffered.pml:
// {"event": "plan", "who": "A", "file": "c1", "content": 0, "valid": true}. `content`: a number if it says one,
// "none" if there is no such file. `who`: the transaction, or the process.
[[nodiscard]] std::string event_line(const TransactionEvent& event, std::string_view who);

}  // namespace cmc
