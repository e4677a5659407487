#include "checker/search/depth_first.h"

namespace cmc {

void DepthFirst::explore() {
  hidden_part_.resize(model().hidden_bytes);
  enter(0, 0);
  while (!path_.empty() && !stopped()) {
    Frame& frame = path_.back();
    if (frame.waiting == 0) {
      depth_ -= frame.cost;
      path_.pop_back();
      continue;
    }
    const Waiting next = take_waiting(frame);
    if (visited(next.id)) {
      note_depth(depth_ + next.cost - 1);  // SPIN goes as deep as the step before the known state
    } else {
      set().replace_hidden(next.id, hidden_part_);
      enter(next.id, next.cost);
    }
  }
}

void DepthFirst::enter(Id id, uint32_t cost) {
  set_visited(id);
  path_.push_back({id, cost, 0});
  depth_ += cost;
  note_depth(depth_);
  if (!may_continue()) return;
  const std::span<const Successor> successors = expand(id);
  uint32_t count = 0;
  for (size_t i = successors.size(); i-- > 0;) {
    const Successor& successor = successors[i];
    if (!successor.is_new && visited(successor.id)) {
      note_depth(depth_ + successor.cost - 1);
      continue;
    }
    waiting_.push_back({successor.id, successor.cost});
    push_hidden(successor);
    ++count;
  }
  path_.back().waiting = count;
}

DepthFirst::Waiting DepthFirst::take_waiting(Frame& frame) {
  --frame.waiting;
  const Waiting next = waiting_.back();
  waiting_.pop_back();
  for (size_t i = hidden_part_.size(); i-- > 0;) {
    hidden_part_[i] = hidden_.back();
    hidden_.pop_back();
  }
  return next;
}

void DepthFirst::push_hidden(const Successor& successor) {
  for (const std::byte byte : successor_bytes(successor).first(hidden_part_.size())) hidden_.push_back(byte);
}

void DepthFirst::set_visited(Id id) {
  while (visited_.size() <= id >> 6) visited_.push_back(0);
  visited_[id >> 6] |= uint64_t{1} << (id & 63);
}

std::vector<DepthFirst::Id> DepthFirst::ancestry() const {
  std::vector<Id> ids;
  ids.reserve(path_.size());
  for (uint64_t i = 0; i < path_.size(); ++i) ids.push_back(path_[i].id);
  return ids;
}

uint64_t DepthFirst::memory_bytes() const {
  return path_.memory_bytes() + waiting_.memory_bytes() + visited_.memory_bytes() + hidden_.memory_bytes();
}

}  // namespace cmc
