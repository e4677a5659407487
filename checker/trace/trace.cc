#include "checker/trace/trace.h"

#include <algorithm>

#include <fmt/format.h>

namespace cmc {
namespace {

void describe_start(const TraceStep& step, const TraceChange& change, std::vector<std::string>& texts) {
  texts.push_back(change.name + " starts");
  const auto process = std::ranges::find(step.started, change.pid, &ProcessImage::pid);
  if (process == step.started.end()) return;
  for (const NamedValue& local : process->locals) {
    if (local.value == "0" || local.value == "none" || names_own_channel(*process, local)) continue;
    texts.push_back(fmt::format("{}.{}: {}", change.name, local.name, local.value));
  }
}

void apply_change(const TraceChange& change, StateImage& state) {
  using Kind = TraceChange::Kind;
  switch (change.kind) {
    case Kind::kVariable: {
      auto& values = change.pid == kNoProcess ? state.globals : state.processes.at(change.pid).locals;
      values.at(change.index).value = change.new_value;
      return;
    }
    case Kind::kPriority:
      state.processes.at(change.pid).priority = static_cast<uint32_t>(std::stoul(change.new_value));
      return;
    case Kind::kEnd: {
      const std::string prefix = process_label(state.processes.at(change.pid)) + ".";
      while (!state.channels.empty() && state.channels.back().name.starts_with(prefix)) state.channels.pop_back();
      state.processes.resize(change.pid);
      return;
    }
    case Kind::kChannel: state.channels.at(change.index).messages = change.new_messages; return;
    case Kind::kStart: return;
  }
}

}  // namespace

void apply(const TraceStep& step, StateImage& state) {
  for (const TraceChange& change : step.changes) apply_change(change, state);
  state.processes.insert(state.processes.end(), step.started.begin(), step.started.end());
  for (const ChannelImage& channel : step.opened) {
    state.channels.push_back(channel);
    state.channels.back().id = static_cast<uint32_t>(state.channels.size());
  }
  for (const TraceMove& move : step.moves) {
    if (move.pid >= state.processes.size()) continue;  // it has ended
    state.processes[move.pid].location = move.location;
    state.processes[move.pid].place = move.place;
  }
  state.atomic_holder = step.atomic_holder;
}

std::string process_label(const ProcessImage& process) {
  return fmt::format("{}[{}]", process.proctype, process.pid);
}

std::string contents_text(const std::vector<std::string>& messages) {
  return messages.empty() ? "empty" : fmt::format("[{}]", fmt::join(messages, "] ["));
}

std::vector<std::string> change_texts(const TraceStep& step) {
  using Kind = TraceChange::Kind;
  std::vector<std::string> texts;
  for (const TraceChange& change : step.changes) {
    switch (change.kind) {
      case Kind::kVariable:
      case Kind::kPriority:
        texts.push_back(fmt::format("{}: {} -> {}", change.name, change.old_value, change.new_value));
        break;
      case Kind::kStart: describe_start(step, change, texts); break;
      case Kind::kEnd: texts.push_back(change.name + " ends"); break;
      case Kind::kChannel:
        if (step.message && step.message->channel == change.name) break;
        texts.push_back(fmt::format("{}: {} -> {}", change.name, contents_text(change.old_messages),
                                    contents_text(change.new_messages)));
        break;
    }
  }
  return texts;
}

std::vector<std::string> fields_of(const std::string& message) {
  std::vector<std::string> fields(1);
  for (const char c : message) {
    if (c == ',') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

bool names_own_channel(const ProcessImage& process, const NamedValue& local) {
  return local.value == fmt::format("{}.{}", process_label(process), local.name);
}

bool is_local(const TraceStep& step) {
  const bool shown =
      step.looks_outside || step.of_claim() || step.begins_loop || step.text.timeout || step.printed || step.cut;
  if (shown || !step.notes.empty() || !step.errors.empty() || !step.remarks.empty()) return false;
  return std::ranges::all_of(step.changes, [](const TraceChange& change) {
    return change.kind == TraceChange::Kind::kVariable && change.pid != kNoProcess;
  });
}

}  // namespace cmc
