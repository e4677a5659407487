#include "checker/check/select_properties.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/scratch.h"
#include "promela/text/diagnostic.h"

namespace cmc {

namespace {

std::string unknown_property(const std::string& name, const std::vector<PropertyEntry>& entries) {
  std::vector<std::string_view> names;
  for (const PropertyEntry& entry : entries) names.push_back(entry.name);
  const std::string_view closest = promela::closest_match(name, names);
  return fmt::format("--property: the model has no property '{}'{} (its properties: {})", name,
                     closest.empty() ? "" : fmt::format("; did you mean '{}'?", closest), fmt::join(names, ", "));
}

}  // namespace

Result<std::vector<PropertyEntry>> select_properties(const CheckRequest& request, const Model& model) {
  std::vector<PropertyEntry> entries = properties_of(model);
  for (const std::string& name : request.properties) {
    if (std::ranges::find(entries, name, &PropertyEntry::name) == entries.end()) {
      return Error{unknown_property(name, entries)};
    }
  }
  std::erase_if(entries, [&](const PropertyEntry& entry) {
    if (request.properties.empty()) return !entry.by_default;
    return std::ranges::find(request.properties, entry.name) == request.properties.end();
  });
  return entries;
}

std::string obstacle_to_one_search(std::span<const PropertyEntry> entries, const Model& model,
                                   std::string_view cannot) {
  if (entries.size() > 1)
    return fmt::format("each property has a search of its own here; choose one with --property {}",
                       entries.front().name);
  if (depends_on_hidden(model, false))
    return fmt::format(
        "the model reads hidden variables that another statement may have written, and a search of such a model {}",
        cannot);
  return {};
}

std::string obstacle_to_search_for_safety(std::span<const PropertyEntry> entries, std::string_view can) {
  const PropertyEntry& first = entries.front();
  if (first.kind != PropertyKind::kSafety && first.kind != PropertyKind::kTrace &&
      first.kind != PropertyKind::kNotrace) {
    return fmt::format(
        "only a search for safety, or along a trace, {}, and '{}' is another property; choose one with --property",
        can, first.name);
  }
  return {};
}

}  // namespace cmc
