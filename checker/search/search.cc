#include "checker/search/search.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "checker/search/breadth_first.h"
#include "checker/search/depth_first.h"

namespace cmc {

namespace {

// How a sentence calls a property of UndecidedProperty::kind. Others are called by their kind.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kPropertyNouns = {{
    {"never claim", "the never claim"},
    {"ltl", "the LTL property"},
    {"trace", "the trace assertion"},
    {"notrace", "the notrace assertion"},
    {"acceptance cycle", "the absence of acceptance cycles through label"},
    {"non-progress cycle", "the absence of non-progress cycles, as asked for by label"},
    {"embedded C", "the effect of embedded C code"},
}};

std::string undecided_sentence(const Model& model, const UndecidedProperty& property) {
  const auto noun = std::find_if(kPropertyNouns.begin(), kPropertyNouns.end(),
                                 [&](const auto& each) { return each.first == property.kind; });
  std::string sentence(noun == kPropertyNouns.end() ? std::string_view(property.kind) : noun->second);
  if (!property.name.empty()) sentence += fmt::format(" '{}'", property.name);
  if (property.place.line > 0 && property.place.file < model.files.size()) {
    sentence += fmt::format(" ({}:{})", model.files[property.place.file], property.place.line);
  }
  return sentence + " is not decided by this version";
}

}  // namespace

SearchResult run_search(SuccessorGenerator& generator, const Model& model, const SearchOptions& options,
                        SearchObserver* observer) {
  if (options.order == SearchOptions::Order::kBreadthFirst) {
    return BreadthFirst(generator, model, options, observer).run();
  }
  return DepthFirst(generator, model, options, observer).run();
}

std::vector<Reason> undecided_reasons(const Model& model) {
  std::vector<Reason> reasons;
  for (const UndecidedProperty& property : model.undecided) {
    const bool embedded_c = property.kind == "embedded C";
    reasons.push_back({embedded_c ? "embedded-c" : "undecided", undecided_sentence(model, property)});
  }
  return reasons;
}

}  // namespace cmc
