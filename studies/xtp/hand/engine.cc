#include "studies/xtp/hand/engine.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace cmc::xtp {

HandEngine::HandEngine(Link& out, Link& in, User& user, const Timer& timer, const EndpointOptions& options)
    : out_(out), in_(in), user_(user), timer_(timer), options_(options), kept_(options.window) {}

std::byte* HandEngine::room() {
  if (status_ != Status::kClosed && !window_open()) return nullptr;
  return kept_[(kept_begin_ + kept_count_) % kept_.size()].payload.data();
}

void HandEngine::send(size_t bytes, bool first) {
  DCHECK(bytes <= kMaxPayloadBytes);
  if (first ? status_ != Status::kClosed : !window_open()) return;  // too late: the connection has gone
  event_ns_ = timer_.now_ns();
  Kept& kept = kept_[(kept_begin_ + kept_count_) % kept_.size()];
  kept.length = static_cast<uint32_t>(bytes);
  ++kept_count_;
  if (first) {
    mine_ = mine_ % 255 + 1;
    status_ = Status::kOpening;
    credit_ = 1;
    emit(PacketType::kFirst, 0, 0, true, &kept);
    next_ = 1;
  } else {
    emit(PacketType::kData, theirs_, next_, kept_count_ == credit_, &kept);
    next_ = (next_ + 1) % kNumbers;
  }
}

bool HandEngine::close() {
  if (!window_open()) return false;
  shut_ = true;
  return true;
}

bool HandEngine::abort() {
  if (!window_open()) return false;
  event_ns_ = timer_.now_ns();
  kept_count_ = 0;
  status_ = Status::kAborting;
  emit_empty(PacketType::kAbort, theirs_, false);
  return true;
}

void HandEngine::emit(PacketType type, uint32_t key, uint32_t sequence, bool status_requested, const Kept* kept) {
  Header header;
  header.type = type;
  header.status_requested = status_requested;
  header.length = kept == nullptr ? 0 : kept->length;
  header.key = key;
  header.sender_key = mine_;
  header.sequence = sequence;
  header.acknowledged = expected_;
  header.credit = options_.window;  // the user takes messages at once
  std::byte* const slot = out_.slot();
  if (kept != nullptr) std::memcpy(slot + kHeaderBytes, kept->payload.data(), kept->length);
  encode(header, {slot, kHeaderBytes + header.length});
  if (options_.observer) options_.observer(true, header);
  out_.send(kHeaderBytes + header.length, event_ns_);
  ++counts_.sent;
}

void HandEngine::close_down() {
  kept_count_ = 0;
  status_ = Status::kClosed;
  theirs_ = next_ = expected_ = credit_ = 0;
  shut_ = false;
  user_.closed();
}

void HandEngine::take_packet(std::span<const std::byte> packet) {
  ++counts_.received;
  const std::optional<Header> header = decode(packet);
  if (options_.observer) options_.observer(false, header);
  if (!header) {
    ++counts_.damaged;
    return;
  }
  const std::span<const std::byte> payload = packet.subspan(kHeaderBytes);
  if (header->type == PacketType::kFirst) {
    take_first(*header, payload);
  } else if (status_ != Status::kClosed && header->key == mine_) {
    take_ours(*header, payload);
  } else if (header->type != PacketType::kGone) {
    emit_empty(PacketType::kGone, header->sender_key, false);
  }
}

void HandEngine::take_first(Header header, std::span<const std::byte> payload) {
  if (status_ != Status::kClosed) {
    if (header.sender_key == theirs_) take_data(header, payload);  // once more
    return;
  }
  if (header.sender_key == last_) {
    emit_empty(PacketType::kGone, header.sender_key, false);
    return;
  }
  mine_ = mine_ % 255 + 1;
  status_ = Status::kOpen;
  theirs_ = last_ = header.sender_key;
  credit_ = header.credit;
  take_data(header, payload);
}

void HandEngine::take_ours(Header header, std::span<const std::byte> payload) {
  if (status_ == Status::kOpening) {
    status_ = Status::kOpen;
    theirs_ = header.sender_key;
  }
  switch (header.type) {
    case PacketType::kGone: close_down(); return;
    case PacketType::kAbort:
      emit_empty(PacketType::kGone, header.sender_key, false);
      close_down();
      return;
    case PacketType::kClose:
      take_acknowledgement(header);
      if (kept_count_ > 0) return;  // not before our data are acknowledged; it will be repeated
      emit_empty(PacketType::kGone, header.sender_key, false);
      close_down();
      return;
    case PacketType::kData:
      take_acknowledgement(header);
      take_data(header, payload);
      return;
    case PacketType::kControl:
      take_acknowledgement(header);
      if (header.status_requested && status_ != Status::kAborting) {
        emit_empty(PacketType::kControl, theirs_, false);
      }
      return;
    case PacketType::kFirst: return;
  }
}

void HandEngine::take_acknowledgement(const Header& header) {
  const uint32_t count = (header.acknowledged + kept_count_ + kNumbers - next_) % kNumbers;
  if (count > kept_count_) return;
  credit_ = std::min(header.credit, options_.window);
  kept_begin_ = (kept_begin_ + count) % static_cast<uint32_t>(kept_.size());
  kept_count_ -= count;
}

void HandEngine::take_data(const Header& header, std::span<const std::byte> payload) {
  if (status_ == Status::kAborting) return;
  bool answer = header.status_requested;
  if (header.sequence == expected_) {
    expected_ = (expected_ + 1) % kNumbers;
    user_.data(payload);
  } else {
    answer = true;
  }
  if (answer) emit_empty(PacketType::kControl, theirs_, false);
}

void HandEngine::repeat() {
  ++counts_.repeated;
  if (kept_count_ > 0) {
    for (uint32_t i = 0; i < kept_count_; ++i) {
      emit(status_ == Status::kOpening ? PacketType::kFirst : PacketType::kData, theirs_,
           (next_ + kNumbers - kept_count_ + i) % kNumbers, i + 1 == kept_count_,
           &kept_[(kept_begin_ + i) % kept_.size()]);
    }
  } else if (status_ == Status::kClosing) {
    emit_empty(PacketType::kClose, theirs_, false);
  } else if (status_ == Status::kAborting) {
    emit_empty(PacketType::kAbort, theirs_, false);
  } else {
    emit_empty(PacketType::kControl, theirs_, true);  // is there credit again?
  }
}

bool HandEngine::waits() const {
  return kept_count_ > 0 || status_ == Status::kClosing || status_ == Status::kAborting ||
         (status_ == Status::kOpen && credit_ == 0);
}

bool HandEngine::work() {
  bool worked = false;
  const uint64_t now = timer_.now_ns();
  for (std::span<const std::byte> packet = in_.front(now); !packet.empty(); packet = in_.front(now)) {
    event_ns_ = now;
    take_packet(packet);
    in_.drop();
    worked = true;
  }
  if (status_ == Status::kOpen && shut_ && kept_count_ == 0) {
    event_ns_ = now;
    status_ = Status::kClosing;
    emit_empty(PacketType::kClose, theirs_, false);
    worked = true;
  }
  if (!worked && now >= deadline_ns()) {
    event_ns_ = now;
    repeat();
    worked = true;
  }
  return worked;
}

uint64_t HandEngine::deadline_ns() const { return waits() ? event_ns_ + options_.timeout_ns : UINT64_MAX; }

}  // namespace cmc::xtp
