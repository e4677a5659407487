#include "storage/pages/trail_log.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "storage/pages/page.h"

namespace cmc {

namespace {

constexpr size_t kMostStepBytes = 20;

}  // namespace

TrailLog::TrailLog(FileSystem& files, std::string path, size_t chunk_bytes)
    : path_(path), file_(files, std::move(path), std::max(chunk_bytes, kMostStepBytes)) {
  tail_.reserve(file_.chunk_bytes());
}

Result<uint64_t> TrailLog::append(uint64_t parent, uint64_t successor_index) {
  CHECK(parent < next_);
  return append_step({next_ - parent, successor_index});
}

Result<uint64_t> TrailLog::append_place(uint64_t place) {
  CHECK(place > 0);
  return append_step({0, place});
}

Result<uint64_t> TrailLog::append_from_elsewhere(uint64_t place, uint64_t successor_index) {
  const Result<uint64_t> parent = append_place(place);
  return parent.ok() ? append(parent.value(), successor_index) : parent;
}

Result<uint64_t> TrailLog::append_step(const Step& step) {
  if (tail_.size() + kMostStepBytes > file_.chunk_bytes()) {
    Chunk& chunk = chunks_.emplace_back(Chunk{tail_first_, static_cast<uint32_t>(tail_.size())});
    if (Status status = file_.write(chunk.place, tail_); !status.ok()) return Error{status.error()};
    tail_.clear();
    tail_first_ = next_;
  }
  put_varint(tail_, step.back);
  put_varint(tail_, step.index);
  return next_++;
}

Result<TrailLog::Path> TrailLog::path_to(uint64_t number) {
  CHECK(number < next_);
  Path path;
  std::vector<Step> steps;
  Bytes content;
  while (number != kRoot && path.place == 0) {
    Chunk chunk{tail_first_, static_cast<uint32_t>(tail_.size())};
    ByteView view = tail_;
    if (number < tail_first_) {
      const auto behind = std::upper_bound(chunks_.begin(), chunks_.end(), number,
                                           [](uint64_t state, const Chunk& each) { return state < each.first; });
      chunk = *(behind - 1);
      content.resize(chunk.bytes);
      if (Status status = file_.read(chunk.place, content); !status.ok()) return Error{status.error()};
      view = content;
    }
    if (Status status = decode(view, chunk, number, steps); !status.ok()) return Error{status.error()};
    while (number >= chunk.first && path.place == 0) {
      const Step& step = steps[number - chunk.first];
      (step.back == 0 ? path.place : path.indices.emplace_back()) = step.index;
      number -= step.back;
    }
  }
  std::ranges::reverse(path.indices);
  return path;
}

Status TrailLog::visit(uint64_t first, const std::function<void(uint64_t, uint64_t)>& visit) {
  std::vector<Step> steps;
  Bytes content;
  for (size_t i = 0; i <= chunks_.size(); ++i) {
    const bool in_tail = i == chunks_.size();
    const Chunk chunk = in_tail ? Chunk{tail_first_, static_cast<uint32_t>(tail_.size())} : chunks_[i];
    const uint64_t behind = in_tail ? next_ : i + 1 < chunks_.size() ? chunks_[i + 1].first : tail_first_;
    if (behind <= std::max(first, chunk.first)) continue;
    content.resize(chunk.bytes);
    if (!in_tail) {
      if (Status status = file_.read(chunk.place, content); !status.ok()) return status;
    }
    if (Status status = decode(in_tail ? tail_ : content, chunk, behind - 1, steps); !status.ok()) return status;
    for (uint64_t number = std::max(first, chunk.first); number < behind; ++number) {
      const Step& step = steps[number - chunk.first];
      visit(number - step.back, step.index);
    }
  }
  return Success{};
}

Status TrailLog::decode(ByteView content, const Chunk& chunk, uint64_t last, std::vector<Step>& steps) const {
  steps.clear();
  const std::byte* at = content.data();
  const std::byte* const end = at + content.size();
  for (uint64_t number = chunk.first; number <= last; ++number) {
    Step step;
    at = get_varint(at, end, step.back);
    if (at != nullptr) at = get_varint(at, end, step.index);
    if (at == nullptr || step.back > number || (step.back == 0 && step.index == 0)) {
      return Error{fmt::format("'{}' is damaged: there is no way to state {}", path_, number)};
    }
    steps.push_back(step);
  }
  return Success{};
}

uint64_t TrailLog::memory_bytes() const {
  return tail_.capacity() + chunks_.capacity() * sizeof(Chunk) + file_.memory_bytes();
}

}  // namespace cmc
