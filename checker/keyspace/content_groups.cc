#include "checker/keyspace/content_groups.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace cmc {

namespace {

// None: the fields of these components are not one behind the other, or too wide.
std::optional<KeyGroup> group_of(const Layout& layout, std::span<const ComponentId> components) {
  std::vector<Layout::Field> fields;
  for (const ComponentId component : components) {
    if (layout.field(component).width > 0) fields.push_back(layout.field(component));
  }
  if (fields.empty()) return std::nullopt;
  std::ranges::sort(fields, {}, &Layout::Field::shift);
  KeyGroup group{fields.front().word, fields.front().shift, 0, 0};
  for (const Layout::Field& field : fields) {
    if (field.word != group.word || field.shift != group.shift + group.bits) return std::nullopt;
    group.bits = static_cast<uint8_t>(group.bits + field.width);
  }
  if (group.bits > KeyGroup::kMostTableBits) return std::nullopt;
  return group;
}

}  // namespace

ContentGroups ContentGroups::find(const Layout& layout, std::span<const uint64_t> sample) {
  std::vector<KeyField> fields;
  for (uint32_t c = 0; c < layout.size(); ++c) {
    const Layout::Field field = layout.field(static_cast<ComponentId>(c));
    fields.push_back({field.word, field.shift, field.width});
  }
  ContentGroups groups;
  for (const FieldGroup& group : find_groups(sample, layout.words(), fields)) {
    groups.components.emplace_back(group.fields.begin(), group.fields.end());
    groups.values.push_back(group.values);
  }
  return groups;
}

std::vector<KeyGroup> ContentGroups::bits(const Layout& layout) const {
  std::vector<uint64_t> rest;
  for (unsigned word = 0; word < layout.words(); ++word) {
    const unsigned used = layout.word_bits(word);
    rest.push_back(used == 0 ? 0 : ~uint64_t{0} >> (64 - used));
  }
  std::vector<KeyGroup> groups;
  for (size_t i = 0; i < components.size(); ++i) {
    std::optional<KeyGroup> group = group_of(layout, components[i]);
    if (!group) continue;
    group->values = values[i];
    groups.push_back(*group);
    rest[group->word] &= ~((~uint64_t{0} >> (64 - group->bits)) << group->shift);
  }
  for (unsigned word = 0; word < layout.words(); ++word) {
    while (rest[word] != 0) {
      const auto shift = static_cast<unsigned>(std::countr_zero(rest[word]));
      const auto bits = static_cast<unsigned>(std::countr_one(rest[word] >> shift));
      groups.push_back({static_cast<uint8_t>(word), static_cast<uint8_t>(shift), static_cast<uint8_t>(bits), 0});
      rest[word] &= ~((~uint64_t{0} >> (64 - bits)) << shift);
    }
  }
  return groups;
}

}  // namespace cmc
