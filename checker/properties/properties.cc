#include "checker/properties/properties.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/check.h"
#include "checker/automata/claim.h"
#include "checker/automata/translate.h"
#include "checker/reference/reference.h"
#include "ir/product.h"

namespace cmc {

namespace {

constexpr std::array<const char*, 7> kKindNames = {
    "safety", "never claim", "ltl", "trace", "notrace", "acceptance cycle", "non-progress cycle",
};

// None: it is no entry by itself.
std::optional<PropertyKind> kind_of(Property::Kind kind) {
  switch (kind) {
    case Property::Kind::kNeverClaim: return PropertyKind::kNeverClaim;
    case Property::Kind::kLtl: return PropertyKind::kLtl;
    case Property::Kind::kTrace: return PropertyKind::kTrace;
    case Property::Kind::kNotrace: return PropertyKind::kNotrace;
    case Property::Kind::kAcceptanceCycle:
    case Property::Kind::kNonProgressCycle:
    case Property::Kind::kEmbeddedC: break;
  }
  return std::nullopt;
}

bool has_claim(const PropertyEntry& entry) {
  return entry.kind == PropertyKind::kNeverClaim || entry.kind == PropertyKind::kLtl;
}

PropertyEntry accept_entry(const Model& model) {
  PropertyEntry entry{PropertyKind::kAcceptanceCycle, "accept", {}, kNoProperty, false};
  const auto label = std::ranges::find(model.properties, Property::Kind::kAcceptanceCycle, &Property::kind);
  if (label == model.properties.end()) return entry;
  entry.place = label->place;
  entry.property = static_cast<uint32_t>(label - model.properties.begin());
  return entry;
}

struct Observers {
  uint32_t claim = kNoClaim;
  uint32_t trace = kNoClaim;
};

// Progress labels say what is accepting; SPIN's verifier (-DNP) ignores accept labels, too.
void forget_accept_labels(Model& model) {
  for (Proctype& proctype : model.proctypes) {
    for (Location& location : proctype.locations) location.accepting = false;
  }
}

Property property_of(const Model& model, const PropertyEntry& entry) {
  if (entry.property != kNoProperty) return model.properties[entry.property];
  Property property;
  property.kind = entry.kind == PropertyKind::kNonProgressCycle ? Property::Kind::kNonProgressCycle
                                                                : Property::Kind::kAcceptanceCycle;
  property.name = entry.name;
  return property;
}

// A state from which every word is accepted becomes the claim's end: whoever gets there has violated the formula,
// whatever follows, and no endless run has to be found. The initial state keeps its edge: to the end, as a first
// move.
void end_at_accepted(Proctype& claim, const automata::Automaton& automaton) {
  const auto accepts_all = [&](uint32_t number) {
    const automata::Automaton::State& state = automaton.states[number];
    return state.accepting && state.edges.size() == 1 && state.edges[0].target == number &&
           state.edges[0].label == std::vector{automata::Cube{}};
  };
  for (uint32_t number = 0; number < automaton.states.size(); ++number) {
    if (!accepts_all(number)) continue;
    const auto location = static_cast<LocationId>(number + 1);
    if (number > 0) claim.locations[location].edges.clear();
    claim.locations[location].accepting = false;
    for (Location& each : claim.locations) {
      for (Edge& edge : each.edges) {
        if (edge.target == location) edge.target = claim.end;
      }
    }
  }
}

// Adds the automaton of a property to `model`, and the property to its properties.
Status add_observer(Model& model, Property property, Observers& observers) {
  switch (property.kind) {
    case Property::Kind::kLtl: {
      CMC_TRY(const automata::Automaton violations, automata::automaton_of_violations(model, property.formula));
      property.claim = automata::add_claim(model, violations, property.name, property.place);
      end_at_accepted(model.claims[property.claim], violations);
      break;
    }
    case Property::Kind::kAcceptanceCycle: property.claim = add_true_claim(model); break;
    case Property::Kind::kNonProgressCycle:
      forget_accept_labels(model);
      property.claim = add_non_progress_claim(model);
      break;
    case Property::Kind::kNeverClaim:
    case Property::Kind::kTrace:
    case Property::Kind::kNotrace: break;
    case Property::Kind::kEmbeddedC: CHECK(!"embedded C is no property to be decided");
  }
  const bool is_trace = property.kind == Property::Kind::kTrace || property.kind == Property::Kind::kNotrace;
  (is_trace ? observers.trace : observers.claim) = property.claim;
  model.properties.push_back(std::move(property));
  return Success{};
}

}  // namespace

const char* property_kind_name(PropertyKind kind) { return kKindNames.at(static_cast<size_t>(kind)); }

std::vector<PropertyEntry> properties_of(const Model& model) {
  std::vector<PropertyEntry> entries = {{PropertyKind::kSafety, "safety", {}, kNoProperty, true}};
  for (uint32_t i = 0; i < model.properties.size(); ++i) {
    const Property& property = model.properties[i];
    if (const std::optional<PropertyKind> kind = kind_of(property.kind)) {
      const std::string name = property.name.empty() ? property_kind_name(*kind) : property.name;
      entries.push_back({*kind, name, property.place, i, true});
    }
  }
  PropertyEntry accept = accept_entry(model);
  accept.by_default = accept.property != kNoProperty && std::ranges::none_of(entries, has_claim);
  entries.push_back(std::move(accept));
  entries.push_back({PropertyKind::kNonProgressCycle, "non-progress", {}, kNoProperty, false});
  return entries;
}

std::string full_name(const PropertyEntry& entry, std::span<const PropertyEntry> all) {
  if (std::ranges::count(all, entry.name, &PropertyEntry::name) < 2) return entry.name;
  std::string kind = property_kind_name(entry.kind);
  std::ranges::replace(kind, ' ', '-');
  return fmt::format("{}-{}", kind, entry.name);
}

Result<Model> make_product(const Model& model, const PropertyEntry& entry, const PropertyEntry* trace) {
  Model with_automata = model;
  std::erase_if(with_automata.properties,
                [](const Property& property) { return property.kind != Property::Kind::kEmbeddedC; });
  Observers observers;
  for (const PropertyEntry* each : {&entry, trace}) {
    if (each == nullptr || each->kind == PropertyKind::kSafety) continue;
    if (Status added = add_observer(with_automata, property_of(model, *each), observers); !added.ok()) {
      return Error{added.error()};
    }
  }
  return with_observers(with_automata, observers.claim, observers.trace);
}

std::unique_ptr<SuccessorGenerator> make_referee(const Model& product, GuardDecider* decider) {
  return product.claim.exists() ? make_reference_product(product, decider)
                                : make_reference_generator(product, decider);
}

}  // namespace cmc
