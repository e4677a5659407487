#include "checker/check/select_properties.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "ir/scratch.h"
#include "promela/text/diagnostic.h"

namespace cmc {

namespace {

std::string unknown_property(const std::string& name, const std::vector<PropertyEntry>& entries) {
  std::vector<std::string> full_names;
  for (const PropertyEntry& entry : entries) full_names.push_back(full_name(entry, entries));
  const std::vector<std::string_view> names(full_names.begin(), full_names.end());
  return fmt::format("--property: the model has no property '{}'{} (its properties: {})", name,
                     promela::did_you_mean(name, names), fmt::join(names, ", "));
}

}  // namespace

Result<std::vector<PropertyEntry>> select_properties(const CheckRequest& request, const Model& model) {
  std::vector<PropertyEntry> entries = properties_of(model);
  const auto is_called = [&](const PropertyEntry& entry, const std::string& name) {
    return entry.name == name || full_name(entry, entries) == name;
  };
  for (const std::string& name : request.properties) {
    if (std::ranges::none_of(entries, [&](const PropertyEntry& entry) { return is_called(entry, name); })) {
      return Error{unknown_property(name, entries)};
    }
  }
  std::vector<PropertyEntry> selected;
  std::ranges::copy_if(entries, std::back_inserter(selected), [&](const PropertyEntry& entry) {
    if (request.properties.empty()) return entry.by_default;
    return std::ranges::any_of(request.properties, [&](const std::string& name) { return is_called(entry, name); });
  });
  return selected;
}

std::string obstacle_to_one_search(std::span<const PropertyEntry> entries, const Model& model,
                                   std::string_view cannot) {
  if (entries.size() > 1) {
    return fmt::format("each property has a search of its own here; choose one with --property {}",
                       full_name(entries.front(), entries));
  }
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
