#include "checker/check/request.h"

#include <algorithm>
#include <cctype>
#include <thread>

#include <fmt/format.h>

#include "base/memory_limit.h"
#include "checker/checkpoint/checkpoints.h"

namespace cmc {
namespace {

constexpr uint64_t kStoreBytes = uint64_t{1} << 30;  // --memory that the parts of the store are sized for without one

// Turns among ranks are short, and each looks at all partitions (Peterson 4, two ranks: 33 s of CPU time with 4,096
// of them, 10 s with 64 to 512).
constexpr uint32_t kPartitionsOfRank = 256;

}  // namespace

Status add_macro(promela::PreprocessorOptions& options, const std::string& text, bool undefine) {
  const bool named = !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_');
  if (!named) return Error{fmt::format("'{}' does not begin with a name", text)};
  options.commands.push_back({undefine, text});
  return Success{};
}

SearchOptions search_options(const CheckRequest& request) {
  SearchOptions search;
  search.order = request.search;
  search.max_errors = request.max_errors;
  search.max_trails = request.max_trails;
  search.disk_limit_bytes = request.disk_bytes;
  search.memory_limit_bytes = request.memory_bytes > 0 ? request.memory_bytes : default_memory_budget_bytes();
  search.time_limit_seconds = request.time_seconds;
  search.state_limit = request.state_limit;
  search.check_end_states = request.check_end_states;
  search.fairness = request.fairness;
  search.cycles = request.cycles;
  search.threads = request.threads > 0 ? static_cast<uint32_t>(request.threads)
                                       : std::max(1u, std::thread::hardware_concurrency());
  search.memo_bytes = request.memo_bytes;
  search.compact_set = request.compact_set;
  search.store = request.store;
  search.ranks = request.ranks;
  if (search.ranks != nullptr) {
    search.store.from_start = true;
    search.store.beyond = Beyond::kSorted;
    if (!search.store.partitions) search.store.partitions = kPartitionsOfRank;
  }
  // An option about one part of the store does not make the others as large as the machine.
  if (request.store.from_start && request.memory_bytes == 0) search.store.sized_for_bytes = kStoreBytes;
  search.interrupt = request.interrupt;
  search.checkpoints = request.saving.run.get();
  search.resumes = search.checkpoints != nullptr && search.checkpoints->last();
  return search;
}

}  // namespace cmc
