// Hand-written successors of models/xtp/flat.pml (checker/plugin/interface.h): the engines and the network. The
// users, and steps in which an engine has to wait in the middle, are left to CMC.
//
//     build/cmc info --plugin-header models/xtp/flat.pml > model.h
//     c++ -std=c++20 -O2 -shared -fPIC -I. -Ichecker/plugin -o flat.so studies/xtp/plugin/flat.cc
//     build/cmc check --generator plugin:flat.so --check-generator models/xtp/flat.pml

#include <cstdint>
#include <cstring>

#include "interface.h"
#include "model.h"

namespace {

constexpr uint32_t kPacketBytes = g_message_sent_0;
constexpr uint32_t kPayloadBytes = l_engine_message_kept;
constexpr uint32_t kPayloadAt = kPacketBytes - kPayloadBytes;  // in a packet, behind the header's eight bytes
constexpr uint32_t kWindow = l_engine_capacity_kept;
constexpr uint32_t kNumbers = kWindow + 1;  // S of the model

// A channel's contents in a state vector.
struct Queue {
  uint8_t* at;
  uint32_t message;
  uint32_t capacity;

  [[nodiscard]] uint32_t length() const {
    uint16_t count = 0;
    std::memcpy(&count, at, sizeof(count));
    return count;
  }
  [[nodiscard]] uint8_t* slot(uint32_t number) const { return at + 2 + number * message; }
  void set_length(uint32_t count) const {
    const auto narrow = static_cast<uint16_t>(count);
    std::memcpy(at, &narrow, sizeof(narrow));
  }
  // REQUIRES: not full.
  void push(const uint8_t* bytes) const {
    const uint32_t count = length();
    std::memcpy(slot(count), bytes, message);
    set_length(count + 1);
  }
  // REQUIRES: not empty.
  void pop() const {
    const uint32_t count = length();
    std::memmove(slot(0), slot(1), message * (count - 1));
    std::memset(slot(count - 1), 0, message);
    set_length(count - 1);
  }
};

Queue request_of(uint8_t* state, uint32_t e) {
  return {state + (e == 0 ? g_contents_request_0 : g_contents_request_1), g_message_request_0, g_capacity_request_0};
}
Queue indication_of(uint8_t* state, uint32_t e) {
  return {state + (e == 0 ? g_contents_indication_0 : g_contents_indication_1), g_message_indication_0,
          g_capacity_indication_0};
}
Queue sent_of(uint8_t* state, uint32_t e) {
  return {state + (e == 0 ? g_contents_sent_0 : g_contents_sent_1), kPacketBytes, g_capacity_sent_0};
}
Queue arrived_of(uint8_t* state, uint32_t e) {
  return {state + (e == 0 ? g_contents_arrived_0 : g_contents_arrived_1), kPacketBytes, g_capacity_arrived_0};
}

// A packet's header, in the order of its fields.
enum Field : uint32_t { kType, kKey, kSenderKey, kStatus, kSequence, kAcknowledged, kCredit, kGood };

// An engine in a state that is being changed. `stuck`: a step cannot be completed at once, or is an error.
class Engine {
 public:
  Engine(uint8_t* state, uint32_t frame)
      : frame_(state + frame),
        e_(frame_[l_engine_e]),
        kept_{frame_ + l_engine_contents_kept, kPayloadBytes, kWindow},
        request_(request_of(state, e_)),
        indication_(indication_of(state, e_)),
        sent_(sent_of(state, e_)),
        arrived_(arrived_of(state, e_)) {}

  [[nodiscard]] bool takes_request() const {
    return status() == m_CLOSED || status() == m_CLOSING || status() == m_ABORTING ||
           (status() == m_OPEN && frame_[l_engine_shut] == 0 && kept_.length() < frame_[l_engine_credit]);
  }
  [[nodiscard]] bool has_request() const { return takes_request() && request_.length() > 0; }
  [[nodiscard]] bool has_packet() const { return arrived_.length() > 0; }
  [[nodiscard]] bool closes() const {
    return status() == m_OPEN && frame_[l_engine_shut] != 0 && kept_.length() == 0;
  }
  [[nodiscard]] bool waits() const {
    return kept_.length() > 0 || status() == m_CLOSING || status() == m_ABORTING ||
           (status() == m_OPEN && frame_[l_engine_credit] == 0);
  }
  [[nodiscard]] bool stuck() const { return stuck_; }

  void take_request() {
    uint8_t message[g_message_request_0];
    std::memcpy(message, request_.slot(0), sizeof(message));
    request_.pop();
    const uint8_t what = message[0];
    const uint8_t* const payload = message + 1;
    if (status() == m_CLOSED && what == m_CONNECT) {
      mine() = static_cast<uint8_t>(mine() % 255 + 1);
      status() = m_OPENING;
      frame_[l_engine_credit] = 1;
      kept_.push(payload);
      emit(m_FIRST, 0, 0, true, payload);
      next() = 1;
    } else if (status() == m_OPEN && what == m_SEND) {
      kept_.push(payload);
      emit(m_DATA, theirs(), next(), kept_.length() == frame_[l_engine_credit], payload);
      next() = static_cast<uint8_t>((next() + 1) % kNumbers);
    } else if (status() == m_OPEN && what == m_SHUT) {
      frame_[l_engine_shut] = 1;
    } else if (status() == m_OPEN && what == m_KILL) {
      clear_kept();
      status() = m_ABORTING;
      emit(m_ABORT, theirs(), next(), false, nullptr);
    }
  }

  void take_packet() {
    uint8_t packet[kPacketBytes];
    std::memcpy(packet, arrived_.slot(0), sizeof(packet));
    arrived_.pop();
    const uint8_t type = packet[kType];
    if (packet[kGood] == 0) return;
    if (type != m_FIRST && status() != m_CLOSED && packet[kKey] == mine()) {
      take_ours(packet);
    } else if (type == m_FIRST && status() != m_CLOSED) {
      if (packet[kSenderKey] == theirs()) take_data(packet);
    } else if (type == m_FIRST && packet[kSenderKey] == frame_[l_engine_last]) {
      emit(m_GONE, packet[kSenderKey], next(), false, nullptr);
    } else if (type == m_FIRST) {
      if (indication_.length() >= kWindow) return;
      mine() = static_cast<uint8_t>(mine() % 255 + 1);
      status() = m_OPEN;
      theirs() = frame_[l_engine_last] = packet[kSenderKey];
      frame_[l_engine_credit] = packet[kCredit];
      take_data(packet);
    } else if (type != m_GONE) {
      emit(m_GONE, packet[kSenderKey], next(), false, nullptr);
    }
  }

  void close() {
    status() = m_CLOSING;
    emit(m_CLOSE, theirs(), next(), false, nullptr);
  }

  void repeat() {
    const uint32_t count = kept_.length();
    for (uint32_t i = 0; i < count; ++i) {
      emit(status() == m_OPENING ? m_FIRST : m_DATA, theirs(), (next() + kNumbers - count + i) % kNumbers,
           i + 1 == count, kept_.slot(i));
    }
    if (count > 0) return;
    if (status() == m_OPEN) {
      emit(m_CNTL, theirs(), next(), true, nullptr);
    } else {
      emit(status() == m_CLOSING ? m_CLOSE : m_ABORT, theirs(), next(), false, nullptr);
    }
  }

 private:
  [[nodiscard]] uint8_t& status() const { return frame_[l_engine_status]; }
  [[nodiscard]] uint8_t& mine() const { return frame_[l_engine_mine]; }
  [[nodiscard]] uint8_t& theirs() const { return frame_[l_engine_theirs]; }
  [[nodiscard]] uint8_t& next() const { return frame_[l_engine_next]; }
  [[nodiscard]] uint8_t& expected() const { return frame_[l_engine_expected]; }

  void emit(uint32_t type, uint32_t key, uint32_t sequence, bool asks, const uint8_t* payload) {
    if (sent_.length() >= sent_.capacity) {
      stuck_ = true;
      return;
    }
    const uint32_t queued = indication_.length();
    uint8_t packet[kPacketBytes] = {};
    packet[kType] = static_cast<uint8_t>(type);
    packet[kKey] = static_cast<uint8_t>(key);
    packet[kSenderKey] = mine();
    packet[kStatus] = asks ? 1 : 0;
    packet[kSequence] = static_cast<uint8_t>(sequence);
    packet[kAcknowledged] = expected();
    packet[kCredit] = static_cast<uint8_t>(queued >= kWindow ? 0 : kWindow - queued);
    packet[kGood] = 1;
    if (payload != nullptr) std::memcpy(packet + kPayloadAt, payload, kPayloadBytes);
    sent_.push(packet);
  }
  void tell(uint32_t what, const uint8_t* payload) {
    if (indication_.length() >= indication_.capacity) {
      stuck_ = true;
      return;
    }
    uint8_t message[g_message_indication_0] = {};
    message[0] = static_cast<uint8_t>(what);
    if (payload != nullptr) std::memcpy(message + 1, payload, kPayloadBytes);
    indication_.push(message);
  }
  void clear_kept() {
    while (kept_.length() > 0) kept_.pop();
  }
  void close_down() {
    clear_kept();
    status() = m_CLOSED;
    theirs() = next() = expected() = 0;
    frame_[l_engine_credit] = frame_[l_engine_shut] = 0;
    tell(m_CLOSED_IN, nullptr);
  }
  void take_acknowledgement(const uint8_t* packet) {
    const uint32_t count = (packet[kAcknowledged] + kept_.length() + kNumbers - next()) % kNumbers;
    if (count > kept_.length()) return;
    frame_[l_engine_credit] = packet[kCredit];
    for (uint32_t i = 0; i < count; ++i) kept_.pop();
  }
  void take_data(const uint8_t* packet) {
    bool answer = packet[kStatus] != 0;
    if (packet[kSequence] == expected() && status() != m_ABORTING) {
      expected() = static_cast<uint8_t>((expected() + 1) % kNumbers);
      tell(m_DATA_IN, packet + kPayloadAt);
    } else {
      answer = true;
    }
    if (answer && status() != m_ABORTING) emit(m_CNTL, theirs(), next(), false, nullptr);
  }
  void take_ours(const uint8_t* packet) {
    const uint8_t type = packet[kType];
    if (status() == m_OPENING) {
      status() = m_OPEN;
      theirs() = packet[kSenderKey];
    }
    if (type == m_GONE) {
      close_down();
    } else if (type == m_ABORT) {
      emit(m_GONE, packet[kSenderKey], next(), false, nullptr);
      close_down();
    } else if (type == m_CLOSE) {
      take_acknowledgement(packet);
      if (kept_.length() > 0) return;
      emit(m_GONE, packet[kSenderKey], next(), false, nullptr);
      close_down();
    } else if (type == m_DATA) {
      take_acknowledgement(packet);
      take_data(packet);
    } else {
      take_acknowledgement(packet);
      if (packet[kStatus] != 0 && status() != m_ABORTING) emit(m_CNTL, theirs(), next(), false, nullptr);
    }
  }

  uint8_t* const frame_;
  const uint32_t e_;
  const Queue kept_;
  const Queue request_;
  const Queue indication_;
  const Queue sent_;
  const Queue arrived_;
  bool stuck_ = false;
};

// Says that all of a frame matters.
void touch_frame(CmcExpansion& x, uint32_t bytes) {
  for (uint32_t at = 0; at < bytes; ++at) x.touch(&x, x.frames[x.pid] + at);
}

int engine_successors(CmcExpansion& x) {
  const uint32_t frame = x.frames[x.pid];
  // Looks only; what changes is a copy.
  Engine now(const_cast<uint8_t*>(x.state), frame);
  const uint32_t e = x.state[frame + l_engine_e];
  touch_frame(x, frame_bytes_engine);
  x.touch(&x, e == 0 ? g_contents_arrived_0 : g_contents_arrived_1);
  if (now.takes_request()) x.touch(&x, e == 0 ? g_contents_request_0 : g_contents_request_1);
  const bool may[] = {now.has_request(), now.has_packet(), now.closes(), x.timeout != 0 && now.waits()};
  int answer = CMC_PLUGIN_BLOCKED;
  for (int i = 0; i < 4; ++i) {
    if (!may[i]) continue;
    if (answer == CMC_PLUGIN_BLOCKED) {
      x.touch(&x, e == 0 ? g_contents_sent_0 : g_contents_sent_1);
      x.touch(&x, e == 0 ? g_contents_indication_0 : g_contents_indication_1);
    }
    answer = CMC_PLUGIN_MOVES;
    Engine then(x.successor(&x), frame);
    switch (i) {
      case 0: then.take_request(); break;
      case 1: then.take_packet(); break;
      case 2: then.close(); break;
      default: then.repeat(); break;
    }
    if (then.stuck()) return CMC_PLUGIN_ASK;
  }
  return answer;
}

int network_successors(CmcExpansion& x) {
  const uint32_t frame = x.frames[x.pid];
  const uint32_t from = x.state[frame + l_network_from];
  touch_frame(x, frame_bytes_network);
  x.touch(&x, from == 0 ? g_contents_sent_0 : g_contents_sent_1);
  auto* const state = const_cast<uint8_t*>(x.state);
  if (sent_of(state, from).length() == 0) return CMC_PLUGIN_BLOCKED;
  x.touch(&x, from == 0 ? g_contents_arrived_1 : g_contents_arrived_0);
  const uint32_t there = arrived_of(state, 1 - from).length();
  uint8_t packet[kPacketBytes];
  std::memcpy(packet, sent_of(state, from).slot(0), kPacketBytes);
  // How many of it arrive, damaged or not, in the order of the model: once, damaged, twice, lost.
  const struct {
    uint32_t count;
    bool damaged;
  } fates[] = {{1, false}, {1, true}, {2, false}, {0, false}};
  for (const auto& fate : fates) {
    if (there + fate.count > g_capacity_arrived_0) continue;
    uint8_t* const next = x.successor(&x);
    sent_of(next, from).pop();
    uint8_t copy[kPacketBytes];
    std::memcpy(copy, packet, kPacketBytes);
    if (fate.damaged) copy[kGood] = 0;
    for (uint32_t i = 0; i < fate.count; ++i) arrived_of(next, 1 - from).push(copy);
  }
  return CMC_PLUGIN_MOVES;
}

int process_successors(CmcExpansion* x) {
  const uint8_t* const frame = x->state + x->frames[x->pid];
  uint16_t location = 0;
  std::memcpy(&location, frame + 2, sizeof(location));
  if (frame[0] == proctype_engine && location == at_engine_end) return engine_successors(*x);
  if (frame[0] == proctype_network && location == at_network_end) return network_successors(*x);
  return CMC_PLUGIN_ASK;
}

constexpr CmcPlugin kPlugin = {CMC_PLUGIN_VERSION, CMC_MODEL_SHA1, process_successors};

}  // namespace

extern "C" const CmcPlugin* cmc_plugin() { return &kPlugin; }
