#pragma once

#include <span>
#include <vector>

#include "checker/generator/machine.h"

namespace cmc {

class ChannelNames;

// The model's Edge without the parts that only messages to people need.
struct FastEdge {
  StatementId statement = 0;
  LocationId target = 0;
  LocationId escape = 0;
  uint16_t number = 0;  // in its location
  StatementKind kind = StatementKind::kSkip;
  bool atomic = false;
  bool changes_data = false;  // there is something to execute
  bool poll = false;
  bool event = false;  // the trace may move with it
  uint32_t body = 0;   // of a d_step: its first alternative in EdgeTable::body

  [[nodiscard]] bool receives() const { return kind == StatementKind::kReceive && !poll; }
};

// One alternative of a d_step's body.
struct BodyEdge {
  static constexpr uint32_t kDone = 0xffffffff;
  static constexpr uint32_t kBlocks = 0xfffffffe;  // a node without alternatives

  StatementId statement = 0;
  uint32_t next = 0;     // begin of the next node in EdgeTable::body, kDone or kBlocks
  bool control = false;  // skip or else: nothing to test or to execute
  bool send = false;
  bool choose = false;
  bool event = false;
  bool last = false;  // of its node
};

struct FastProctype {
  std::vector<uint32_t> first_edges;  // by location; one more at the end
  ExpressionId provided = kNoExpression;
  bool deterministic = false;
  // Some edge may take a message in a rendezvous, or report an error when one is tried: from any channel, or from
  // those whose id is set.
  bool receives_from_any = false;
  std::vector<bool> receives_from;
};

// What a Stepper prepares from its model once.
struct EdgeTable {
  explicit EdgeTable(const Model& model);

  [[nodiscard]] const FastProctype& proctype_of(const View& view) const {
    return proctypes[load<uint8_t>(view.frame + kFrameProctype)];
  }
  // At the location of the view's process, or of the claim.
  [[nodiscard]] std::span<const FastEdge> edges_of(const View& view) const {
    return edges_of(proctype_of(view), view);
  }
  [[nodiscard]] std::span<const FastEdge> edges_of(const FastProctype& type, const View& view) const {
    const LocationId location = load<LocationId>(view.frame + kFrameLocation);
    DCHECK(location + 1u < type.first_edges.size());
    const uint32_t begin = type.first_edges[location];
    return {edges.data() + begin, type.first_edges[location + 1u] - begin};
  }
  [[nodiscard]] uint32_t number_of(const FastEdge& edge) const { return static_cast<uint32_t>(&edge - edges.data()); }

  std::vector<FastEdge> edges;
  std::vector<FastProctype> proctypes;  // the claim that runs is the last one
  std::vector<BodyEdge> body;
  bool has_provided = false;
  bool asks_others = false;  // enabled() is asked, whose answer depends on the edges before, as SPIN's does

 private:
  void add(const Model& model, const ChannelNames& names, const Proctype& proctype);
  uint32_t add_body(const Model& model, const Statement& block);
};

}  // namespace cmc
