#include "checker/trace/step_filter.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "checker/report/style/style.h"

namespace cmc {
namespace {

// "flag" is meant by "flag", "flag[0]", "flag.x", and "flag@12": what follows the name is no letter of it.
bool begins_with_name(std::string_view text, std::string_view name) {
  if (!text.starts_with(name)) return false;
  return text.size() == name.size() || std::string_view("[.@").find(text[name.size()]) != std::string_view::npos;
}

// Also "n" means "user[0].n".
bool means(std::string_view name, std::string_view variable) {
  if (begins_with_name(variable, name)) return true;
  const size_t process_end = variable.find("].");
  return process_end != std::string_view::npos && begins_with_name(variable.substr(process_end + 2), name);
}

bool is_process(const std::string& name, const StepText::Actor& actor) {
  return name == actor.process || name == process_label(actor);
}

// A name without its index and fields.
std::string stem(std::string_view name) {
  return std::string(name.substr(0, std::min(name.find_first_of("[.@"), name.size())));
}

bool is_process_name(const Model& model, const std::string& name) {
  return std::ranges::find(model.proctypes, name, &Proctype::name) != model.proctypes.end();
}

std::set<std::string> known_names(const Model& model) {
  std::set<std::string> names;
  for (const Variable& variable : model.globals) names.insert(stem(variable.name));
  for (const ChannelInstance& channel : model.channels) names.insert(stem(channel.name));
  for (const Proctype& proctype : model.proctypes) {
    names.insert(proctype.name);
    for (const Variable& variable : proctype.variables) names.insert(stem(variable.name));
    for (const ChannelInstance& channel : proctype.channels) names.insert(stem(channel.name));
  }
  for (const Proctype& claim : model.claims) names.insert(claim.name);
  return names;
}

}  // namespace

bool StepFilter::shows(const TraceStep& step) const {
  if (names_.empty() || !step.errors.empty()) return true;
  return std::ranges::any_of(names_, [&](const std::string& name) { return concerns(name, step); });
}

bool StepFilter::concerns(const std::string& name, const TraceStep& step) const {
  if (is_process(name, step.text.actor)) return true;
  if (step.text.partner && is_process(name, *step.text.partner)) return true;
  if (step.message && means(name, step.message->channel)) return true;
  return std::ranges::any_of(step.changes, [&](const TraceChange& change) {
    using Kind = TraceChange::Kind;
    if (change.kind == Kind::kVariable || change.kind == Kind::kChannel) {
      return change.pid == kNoProcess ? begins_with_name(change.name, name) || means(name, change.name)
                                      : means(name, change.name) && name != stem(change.name);
    }
    return name == change.name || name == stem(change.name);
  });
}

Status check_step_filter(const Model& model, const std::vector<std::string>& names) {
  const std::set<std::string> known = known_names(model);
  for (const std::string& name : names) {
    const size_t member = name.find("].");
    const bool is_known =
        known.contains(stem(name)) &&
        (member == std::string::npos || known.contains(stem(std::string_view(name).substr(member + 2))));
    const bool is_field = known.contains(stem(name)) && !is_process_name(model, stem(name));
    if (is_known || is_field) continue;
    return Error{fmt::format("the model has no process, variable or channel '{}'; it has {}", printable(name),
                             fmt::join(known, ", "))};
  }
  return Success{};
}

}  // namespace cmc
