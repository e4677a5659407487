#include "ir/channel_names.h"

#include "ir/effects.h"

namespace cmc {

ChannelNames::ChannelNames(const Model& model) : model_(model), assigned_(model.global_bytes) {
  for (const Statement& statement : model.statements) {
    for_each_written(model, statement, [&](const VariableReference& reference) {
      if (reference.space != Space::kGlobal) return;
      assign(reference);
    });
  }
  for (const Initializer& initializer : model.initializers) {
    if (initializer.channel >= 0 && initializer.target.indices.empty()) {
      channels_[initializer.target.offset] = static_cast<uint32_t>(initializer.channel) + 1;
    } else {
      assign(initializer.target);
    }
  }
}

void ChannelNames::assign(const VariableReference& reference) {
  for (uint32_t i = 0; i < extent(reference); ++i) assigned_[reference.offset + i] = true;
}

std::optional<std::vector<uint32_t>> ChannelNames::of(ExpressionId expression) const {
  const Expression& named = model_.expressions[expression];
  if (named.op != Operator::kVariable || named.reference.space != Space::kGlobal) return std::nullopt;
  std::vector<uint32_t> ids;
  for (uint32_t at = named.reference.offset; at < named.reference.offset + extent(named.reference); ++at) {
    if (assigned_[at]) return std::nullopt;
    const auto channel = channels_.find(at);
    if (channel != channels_.end()) ids.push_back(channel->second);
  }
  return ids;
}

}  // namespace cmc
