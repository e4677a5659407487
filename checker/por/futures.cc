#include "checker/por/futures.h"

#include <algorithm>

#include "checker/por/futures_reader.h"
#include "ir/effects.h"
#include "ir/scalar.h"

namespace cmc {

namespace {

void mark_written(const VariableReference& reference, std::vector<bool>& written) {
  for (uint32_t i = 0; i < extent(reference); ++i) written[reference.offset + i] = true;
}

// Those of the locations that are `reached` from one from which it is reached itself.
std::vector<bool> returning(const Proctype& proctype, LocationId location, const std::vector<bool>& reached) {
  std::vector<std::vector<LocationId>> sources(reached.size());
  for (size_t i = 1; i < reached.size(); ++i) {
    if (!reached[i]) continue;
    for (const Edge& edge : proctype.locations[i].edges) sources[edge.target].push_back(static_cast<LocationId>(i));
  }
  std::vector<bool> returns(reached.size());
  std::vector<LocationId> open{location};
  returns[location] = true;
  while (!open.empty()) {
    const LocationId to = open.back();
    open.pop_back();
    for (const LocationId from : sources[to]) {
      if (returns[from]) continue;
      returns[from] = true;
      open.push_back(from);
    }
  }
  return returns;
}

bool sees_others(const Expression& expression) {
  return expression.op == Operator::kEnabled || expression.op == Operator::kLocationOf ||
         expression.op == Operator::kRemoteLocation || expression.op == Operator::kRemoteVariable;
}

}  // namespace

Futures::Futures(const Components& components, ByteView initial)
    : components_(components), model_(components.model()), initial_(initial.begin(), initial.end()) {
  assigned_.resize(model_.global_bytes);
  for (const Statement& statement : model_.statements) {
    for_each_written(model_, statement, [&](const VariableReference& reference) {
      if (reference.space == Space::kGlobal) mark_written(reference, assigned_);
    });
  }
  for (const Proctype& proctype : model_.proctypes) {
    std::vector<std::vector<LocalWrite>>& writes = writes_.emplace_back();
    for (const Location& location : proctype.locations) writes.push_back(local_writes(location));
  }
  for (const Expression& expression : model_.expressions) frames_seen_ = frames_seen_ || sees_others(expression);
  for (const Proctype& proctype : model_.proctypes) {
    std::vector<bool>& inside = inside_.emplace_back(proctype.locations.size());
    for (const Location& location : proctype.locations) {
      for (const Edge& edge : location.edges) {
        if (edge.atomic) inside[edge.target] = true;
      }
    }
  }
  for (const Proctype& proctype : model_.proctypes) {
    std::vector<Behind>& behind = behind_.emplace_back(proctype.locations.size());
    std::vector<Behind> at(proctype.locations.size());  // what statements there do by themselves
    for (size_t i = 1; i < at.size(); ++i) {
      if (!inside_[behind_.size() - 1][i]) continue;
      Future found;
      const Frame frame{proctype, kNoProcess, {}, {}, nullptr};
      const Processes nobody;
      Reader(*this, nobody, frame, found).location(proctype.locations[i], true);
      at[i] = {found.uses_channels, found.sees_processes || found.sees_all, found.creates};
    }
    for (bool changed = true; changed;) {  // backwards
      changed = false;
      for (size_t i = 1; i < proctype.locations.size(); ++i) {
        Behind all = behind[i];
        for (const Edge& edge : proctype.locations[i].edges) {
          if (!edge.atomic) continue;
          all.uses_channels |= behind[edge.target].uses_channels || at[edge.target].uses_channels;
          all.sees_processes |= behind[edge.target].sees_processes || at[edge.target].sees_processes;
          all.creates |= behind[edge.target].creates || at[edge.target].creates;
        }
        changed = changed || !(all == behind[i]);
        behind[i] = all;
      }
    }
  }
}

std::vector<Futures::LocalWrite> Futures::local_writes(const Location& location) const {
  std::vector<LocalWrite> writes;
  for (const Edge& edge : location.edges) {
    const Statement& statement = model_.statements[edge.statement];
    for_each_written(model_, statement, [&](const VariableReference& reference) {
      if (reference.space != Space::kLocal) return;
      LocalWrite& write = writes.emplace_back(LocalWrite{reference.offset, extent(reference), false, {}});
      write.is_constant = statement.kind == StatementKind::kAssign && reference.indices.empty() &&
                          model_.expressions[statement.expression].op == Operator::kConstant;
      if (!write.is_constant) return;
      const int32_t value = truncate(reference.type, model_.expressions[statement.expression].value);
      write.constant = {reference.type, value};
    });
  }
  return writes;
}

const char* Futures::obstacle(const Model& model) {
  if (model.uses_priority) return "the model has priorities";
  if (model.uses_last) return "the model uses _last";
  if (model.trace.exists()) return "a trace observes the channels";
  if (std::ranges::count(model.statements, StatementKind::kEmbeddedC, &Statement::kind) > 0)
    return "the model has embedded C code";
  if (reads_hidden_variable(model)) return "the model reads hidden variables";
  const auto creates = [](const Expression& expression) { return expression.op == Operator::kRun; };
  if (model.active.size() < 2 && std::ranges::none_of(model.expressions, creates)) return "there is one process only";
  return nullptr;
}

const Futures::Channel* Futures::Processes::channel_at(ComponentId component) const {
  const auto found = std::ranges::find(channels, component, &Channel::component);
  return found == channels.end() || component == kControlComponent ? nullptr : &*found;
}

Futures::Processes Futures::processes(ByteView control) const {
  Processes processes;
  const StatePieces& pieces = components_.pieces();
  processes.channels.emplace_back();
  for (const ChannelInstance& channel : model_.channels) {
    processes.channels.push_back(
        {pieces.global_component[channel.offset], channel.offset, model_.channel_types[channel.type].capacity});
  }
  uint32_t frame = model_.global_bytes;
  for (uint32_t pid = 0; pid < components_.process_count(control); ++pid) {
    const ProctypeId proctype = static_cast<ProctypeId>(control[Components::kControlProctypes + pid]);
    processes.proctypes.push_back(proctype);
    for (const ChannelInstance& channel : model_.proctypes[proctype].channels) {
      processes.channels.push_back({pieces.frame(pid, pieces.frame_piece[proctype][channel.offset]),
                                    frame + channel.offset, model_.channel_types[channel.type].capacity});
    }
    frame += model_.proctypes[proctype].frame_bytes;
  }
  return processes;
}

const Futures::Ahead& Futures::ahead(ProctypeId number, LocationId location) const {
  const auto [found, is_new] = ahead_.try_emplace({number, location});
  Ahead& ahead = found->second;
  if (!is_new) return ahead;
  const Proctype& proctype = model_.proctypes[number];
  ahead.reached.resize(proctype.locations.size());
  ahead.assigned.resize(proctype.frame_bytes);
  std::vector<bool> varies(proctype.frame_bytes);
  const auto mark = [](const LocalWrite& write, std::vector<bool>& written) {
    std::fill_n(written.begin() + write.offset, write.bytes, true);
  };
  const auto note = [&](const LocalWrite& write) {
    mark(write, ahead.assigned);
    if (write.is_constant) {
      const auto known = ahead.constants.try_emplace(write.offset, write.constant).first;
      if (known->second.value == write.constant.value && known->second.type == write.constant.type) return;
    }
    mark(write, varies);
  };
  std::vector<LocationId> open{location};
  ahead.reached[location] = true;
  while (!open.empty()) {
    const LocationId from = open.back();
    open.pop_back();
    for (const LocalWrite& write : writes_[number][from]) note(write);
    for (const Edge& edge : proctype.locations[from].edges) {
      if (edge.target == 0 || ahead.reached[edge.target]) continue;
      ahead.reached[edge.target] = true;
      open.push_back(edge.target);
    }
  }
  ahead.returns = returning(proctype, location, ahead.reached);
  std::erase_if(ahead.constants, [&](const auto& each) {
    for (uint32_t i = 0; i < each.second.type.bytes; ++i) {
      if (varies[each.first + i]) return true;
    }
    return false;
  });
  return ahead;
}

// Locals that are assigned on the way are not known, but for those that have the value to which alone they may be
// set; and of these it matters only that they have.
Bytes Futures::what_matters(const Processes& processes, uint8_t pid, ByteView content) const {
  const ProctypeId number = processes.proctypes[pid];
  const Components::Range range = components_.frame(number)[0];
  const LocationId at = load<LocationId>(content.data() + kFrameLocation - range.offset);
  const Ahead& ahead = this->ahead(number, at);
  Bytes matters(content.begin(), content.end());
  for (uint32_t i = 0; i < range.size; ++i) {
    if (ahead.assigned[range.offset + i]) matters[i] = std::byte{0};
  }
  for (const auto& [offset, constant] : ahead.constants) {
    if (offset < range.offset || offset + constant.type.bytes > range.offset + range.size) continue;
    const uint32_t begin = offset - range.offset;
    matters.push_back(std::byte{load_scalar(constant.type, content.data() + begin) == constant.value});
  }
  matters.push_back(std::byte{pid});
  return matters;
}

// A local that has the value to which alone it may be set is as good as a constant.
Futures::Prospect Futures::prospect(const Processes& processes, Frame frame, bool of_cycles) const {
  const Ahead& all = ahead(processes.proctypes[frame.pid], frame.location());
  std::vector<bool> varies(frame.proctype.frame_bytes);
  const auto comes_back = [&](LocationId location) { return location != 0 && all.returns[location]; };
  for (size_t i = 1; of_cycles && i < frame.proctype.locations.size(); ++i) {
    if (!comes_back(static_cast<LocationId>(i))) continue;
    for (const Edge& edge : frame.proctype.locations[i].edges) {
      if (!comes_back(edge.target)) continue;
      for_each_written(model_, model_.statements[edge.statement], [&](const VariableReference& reference) {
        if (reference.space == Space::kLocal) mark_written(reference, varies);
      });
    }
  }
  Prospect prospect{std::vector<bool>(all.reached.size()), all.assigned};
  for (const auto& [offset, constant] : all.constants) {
    if (offset < frame.range.offset || offset + constant.type.bytes > frame.range.offset + frame.range.size) continue;
    if (load_scalar(constant.type, frame.content.data() + (offset - frame.range.offset)) != constant.value) continue;
    for (uint32_t i = 0; i < constant.type.bytes; ++i) prospect.unknown[offset + i] = varies[offset + i];
  }
  frame.unknown = &prospect.unknown;
  Future nothing;
  const Reader reader(*this, processes, frame, nothing);
  std::vector<LocationId> open{frame.location()};
  prospect.reached[frame.location()] = true;
  while (!open.empty()) {
    const LocationId from = open.back();
    open.pop_back();
    for (const Edge& edge : frame.proctype.locations[from].edges) {
      if (edge.target == 0 || prospect.reached[edge.target] || reader.is_false(model_.statements[edge.statement]))
        continue;
      prospect.reached[edge.target] = true;
      open.push_back(edge.target);
    }
  }
  return prospect;
}

std::vector<CycleEdge> Futures::cycles(const Processes& processes, Frame frame) const {
  const Prospect prospect = this->prospect(processes, frame, true);
  frame.unknown = &prospect.unknown;
  const std::vector<bool>& returns = ahead(processes.proctypes[frame.pid], frame.location()).returns;
  const auto in_component = [&](LocationId location) {
    return location != 0 && prospect.reached[location] && returns[location];
  };
  std::vector<CycleEdge> edges;
  for (size_t i = 1; i < frame.proctype.locations.size(); ++i) {
    const LocationId source = static_cast<LocationId>(i);
    if (!in_component(source)) continue;
    for (const Edge& edge : frame.proctype.locations[i].edges) {
      if (!in_component(edge.target)) continue;
      const Statement& statement = model_.statements[edge.statement];
      Future used;
      Reader reader(*this, processes, frame, used);
      if (reader.is_false(statement)) continue;
      reader.statement(statement, false, false);
      CycleEdge& cycle = edges.emplace_back();
      cycle.source = source;
      cycle.target = edge.target;
      cycle.shared = used.uses_channels || !(used.uses == AccessSets());
      cycle.creates = used.creates;
      reader.locals(statement, cycle.locals);
      if (!used.uses_channels) continue;
      const bool sends = statement.kind == StatementKind::kSend;
      const bool receives = statement.kind == StatementKind::kReceive && !statement.poll;
      const std::optional<ComponentId> channel = sends || receives ? reader.channel(statement.channel) : std::nullopt;
      const ComponentId known = channel.value_or(kControlComponent);
      if (sends && known != kControlComponent) {
        cycle.sends = known;
      } else if (receives && known != kControlComponent) {
        cycle.receives = known;
      } else if (sends || receives) {
        (sends ? cycle.sends_any : cycle.receives_any) = true;
      } else {
        cycle.sends_any = cycle.receives_any = statement.kind == StatementKind::kAtomicBlock;
      }
    }
  }
  return edges;
}

Future Futures::future(const Processes& processes, uint8_t pid, ByteView content) const {
  const ProctypeId number = processes.proctypes[pid];
  const Proctype& proctype = model_.proctypes[number];
  const StatePieces& pieces = components_.pieces();
  const Components::Range range = components_.frame(number)[0];
  Frame frame{proctype, pid, range, content, nullptr};
  const Prospect prospect = this->prospect(processes, frame, false);
  frame.unknown = &prospect.unknown;
  Future future;
  Reader reader(*this, processes, frame, future);
  for (size_t i = 1; i < proctype.locations.size(); ++i) {
    if (prospect.reached[i]) reader.location(proctype.locations[i], inside_[number][i]);
  }
  for (uint32_t piece = 0; piece < pieces.frame_pieces[number]; ++piece) {
    future.uses[Access::kWrite].add(pieces.frame(pid, piece));
  }
  if (future.ends) {  // then its channels go
    for (const ChannelInstance& channel : proctype.channels) {
      future.destroys.add(pieces.frame(pid, pieces.frame_piece[number][channel.offset]));
      future.uses_channels = true;
    }
  }
  future.cycles = cycles(processes, frame);
  return future;
}

std::optional<ComponentSet> Futures::visible() const {
  ComponentSet visible;
  if (!model_.claim.exists()) return visible;
  Future seen;
  const Proctype& claim = model_.claims[model_.claim.claim];
  Bytes control;
  components_.control_of(initial_, control);
  const Processes everybody = processes(control);
  const Frame frame{claim, kNoProcess, {}, {}, nullptr};
  Reader reader(*this, everybody, frame, seen);
  for (const Location& location : claim.locations) reader.location(location, true);
  if (seen.any_channel || seen.sees_all || seen.sees_processes || seen.creates) return std::nullopt;
  for (const ComponentSet& each : seen.uses.sets) visible.add(each);
  return visible;
}

}  // namespace cmc
