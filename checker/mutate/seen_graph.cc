#include "checker/mutate/seen_graph.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "ir/state_printer.h"

namespace cmc::mutate {
namespace {

bool same_variables(const std::vector<Variable>& one, const std::vector<Variable>& other) {
  return std::ranges::equal(one, other, [](const Variable& a, const Variable& b) {
    return a.name == b.name && a.type == b.type && a.offset == b.offset && a.hidden == b.hidden &&
           std::ranges::equal(a.dimensions, b.dimensions, [](const auto& x, const auto& y) {
             return x.count == y.count && x.stride == y.stride;
           });
  });
}

bool same_channels(const std::vector<ChannelInstance>& one, const std::vector<ChannelInstance>& other) {
  return std::ranges::equal(one, other, [](const ChannelInstance& a, const ChannelInstance& b) {
    return a.name == b.name && a.type == b.type && a.offset == b.offset;
  });
}

std::string as_key(ByteView bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

uint8_t byte_at(ByteView state, size_t at) { return static_cast<uint8_t>(state[at]); }

LocationId location_at(ByteView frame) { return load<LocationId>(frame.data() + kFrameLocation); }

}  // namespace

bool have_same_layout(const Model& one, const Model& other) {
  const auto same_type = [](const ChannelType& a, const ChannelType& b) {
    return a.capacity == b.capacity && a.fields == b.fields;
  };
  const auto same_process = [](const Proctype& a, const Proctype& b) {
    return a.name == b.name && a.frame_bytes == b.frame_bytes && same_variables(a.variables, b.variables) &&
           same_channels(a.channels, b.channels);
  };
  return one.hidden_bytes == other.hidden_bytes && one.global_bytes == other.global_bytes &&
         same_variables(one.globals, other.globals) && same_channels(one.channels, other.channels) &&
         std::ranges::equal(one.channel_types, other.channel_types, same_type) &&
         std::ranges::equal(one.proctypes, other.proctypes, same_process);
}

SeenGraph::SeenGraph(const Model& model, std::unique_ptr<SuccessorGenerator> generator, Interner& labels,
                     bool by_bytes)
    : model_(model), generator_(std::move(generator)), labels_(labels), by_bytes_(by_bytes) {
  SuccessorBatch batch;
  generator_->initial(batch);
  if (batch.entries.empty()) return;
  const ByteView state = batch.state(batch.entries.front());
  start_label_ = labels_.number(seen_in(state));
  find_or_add(state);
}

uint32_t SeenGraph::find_or_add(ByteView state) {
  const auto [found, is_new] =
      numbers_.try_emplace(as_key(state.subspan(model_.hidden_bytes)), static_cast<uint32_t>(states_.size()));
  if (is_new) {
    states_.emplace_back(state.begin(), state.end());
    nodes_.emplace_back();
  }
  return found->second;
}

// Not where processes are, nor who may go on alone: these only say what can come next.
void SeenGraph::add_bytes(ByteView state, std::string& seen) const {
  seen = as_key(state.subspan(model_.hidden_bytes));
  seen[1] = 0;  // who holds atomicity
  size_t at = model_.global_bytes;
  for (unsigned left = byte_at(state, model_.process_count_offset()); left > 0; --left) {
    seen[at - model_.hidden_bytes + kFrameLocation] = seen[at - model_.hidden_bytes + kFrameLocation + 1] = 0;
    at += model_.proctypes[byte_at(state, at)].frame_bytes;
  }
}

void SeenGraph::add_text(ByteView state, std::string& seen) const {
  const StateImage image = decode_state(model_, state);
  for (const NamedValue& each : image.globals) seen += fmt::format("{}={}\n", each.name, each.value);
  for (const ProcessImage& process : image.processes) {
    seen += fmt::format("{} {}\n", process.proctype, process.priority);
    for (const NamedValue& each : process.locals) seen += fmt::format("{}={}\n", each.name, each.value);
  }
  for (const ChannelImage& each : image.channels)
    seen += fmt::format("{}: {}\n", each.name, fmt::join(each.messages, ";"));
}

std::string SeenGraph::seen_in(ByteView state) const {
  std::string seen;
  if (by_bytes_) {
    add_bytes(state, seen);
  } else {
    add_text(state, seen);
  }
  size_t at = model_.global_bytes;
  for (unsigned left = byte_at(state, model_.process_count_offset()); left > 0; --left) {
    const Proctype& proctype = model_.proctypes[byte_at(state, at)];
    for (const std::string& label : proctype.locations[location_at(state.subspan(at))].labels) seen += label + ",";
    seen += ";";
    at += proctype.frame_bytes;
  }
  return seen;
}

void SeenGraph::expand(uint32_t number) {
  const Bytes state = states_[number];
  batch_.clear();
  generator_->successors(state, batch_);
  Node made;
  made.expanded = true;
  made.blocked = batch_.blocked;
  made.invalid_end = batch_.invalid_end;
  made.steps = batch_.steps;
  const auto add = [&](const auto& move, std::string_view seen, uint32_t target) {
    std::string text;
    for (const Step& each : batch_.path(move)) text += fmt::format("{},{};", each.pid, each.partner);
    made.moves.push_back({labels_.number(text.append(seen)), target, move.path_begin, move.path_count});
  };
  for (const SuccessorBatch::Entry& each : batch_.entries) {
    const ByteView after = batch_.state(each);
    add(each, seen_in(after), find_or_add(after));
  }
  // An error is seen, whether the step is completed or not.
  for (const RuntimeError& each : batch_.errors) {
    if (each.kind != RuntimeErrorKind::kOverflowNote) add(each, runtime_error_name(each.kind), number);
  }
  std::ranges::stable_sort(made.moves, {}, [](const Move& each) { return std::tie(each.label, each.target); });
  const auto looks_like = [](const Move& a, const Move& b) { return a.looks_like(b); };
  made.moves.erase(std::unique(made.moves.begin(), made.moves.end(), looks_like), made.moves.end());
  nodes_[number] = std::move(made);
}

const SeenGraph::Node& SeenGraph::node(uint32_t number) {
  if (!nodes_[number].expanded) expand(number);
  return nodes_[number];
}

std::vector<Step> SeenGraph::steps(uint32_t node, const Move& move) const {
  const auto begin = nodes_[node].steps.begin() + move.first_step;
  return {begin, begin + move.step_count};
}

}  // namespace cmc::mutate
