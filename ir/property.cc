#include "ir/property.h"

#include <array>

#include "base/check.h"

namespace cmc {

namespace {

// In the order of Property::Kind.
constexpr std::array<PropertyKindInfo, 7> kKinds = {{
    {"never claim", "the never claim"},
    {"ltl", "the LTL property"},
    {"trace", "the trace assertion"},
    {"notrace", "the notrace assertion"},
    {"acceptance cycle", "the absence of acceptance cycles through label"},
    {"non-progress cycle", "the absence of non-progress cycles, as asked for by label"},
    {"embedded C", "the effect of embedded C code"},
}};

}  // namespace

const PropertyKindInfo& info(Property::Kind kind) {
  CHECK(static_cast<size_t>(kind) < kKinds.size());
  return kKinds[static_cast<size_t>(kind)];
}

}  // namespace cmc
