#include "checker/result/result.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cmc {

namespace {

constexpr std::array<ReasonKindInfo, 14> kReasonKinds = {{
    {"memory", true},
    {"time", true},
    {"interrupted", true},
    {"limit", true},
    {"store", true},
    {"undecided", false},
    {"embedded-c", true},
    {"hidden", true},
    {"guard", true},
    {"witnesses", true},
    {"solver", true},
    {"atomic", true},
    {"lossy", true},
    {"bug", true},
}};
static_assert(kReasonKinds.size() == static_cast<size_t>(ReasonKind::kBug) + 1);

constexpr const char* kInvalidEndState = "invalid end state";
constexpr const char* kAcceptanceCycle = "acceptance cycle";
constexpr const char* kNonProgressCycle = "non-progress cycle";

}  // namespace

const ReasonKindInfo& info(ReasonKind kind) { return kReasonKinds.at(static_cast<size_t>(kind)); }

Reason reason_of_bug(const std::string& what) {
  return {ReasonKind::kBug,
          what + "; this is a bug of CMC: please report it together with the model and the options"};
}

const char* error_kind_name(const ErrorKind& kind) {
  switch (kind.error_class) {
    case ErrorKind::Class::kInvalidEndState: return kInvalidEndState;
    case ErrorKind::Class::kAcceptanceCycle: return kAcceptanceCycle;
    case ErrorKind::Class::kNonProgressCycle: return kNonProgressCycle;
    case ErrorKind::Class::kRuntimeError: break;
  }
  return runtime_error_name(kind.runtime);
}

std::optional<ErrorKind> parse_error_kind(const std::string& name) {
  for (const ErrorKind& kind :
       {ErrorKind::invalid_end_state(), ErrorKind::acceptance_cycle(), ErrorKind::non_progress_cycle()}) {
    if (name == error_kind_name(kind)) return kind;
  }
  for (int i = 0; i <= static_cast<int>(RuntimeErrorKind::kPendingGuard); ++i) {
    const auto kind = static_cast<RuntimeErrorKind>(i);
    if (!is_reason(kind) && name == runtime_error_name(kind)) return ErrorKind{{}, kind};
  }
  return std::nullopt;
}

void SearchResult::add_reason(Reason reason) {
  const bool known = std::ranges::any_of(
      reasons, [&](const Reason& each) { return each.kind == reason.kind && each.text == reason.text; });
  if (!known) reasons.push_back(std::move(reason));
}

bool SearchResult::all_states() const {
  return all_expanded &&
         std::ranges::none_of(reasons, [](const Reason& reason) { return info(reason.kind).loses_states; });
}

}  // namespace cmc
