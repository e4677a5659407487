#include "studies/xtp/generated/endpoint.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "base/check.h"

namespace cmc::xtp {
namespace {

// Fields of packets (Header, then Payload in models/xtp/packets.inc).
enum PacketField : size_t { kType, kKey, kSenderKey, kStatus, kSequence, kAcknowledged, kCredit, kGood, kPayload };
// Of requests and indications: what, then Payload.
constexpr size_t kUserPayload = 1;

constexpr const char* kTypeNames[] = {"FIRST", "DATA", "CNTL", "CLOSE", "ABORT", "GONE"};

void check(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.error());
}

}  // namespace

int32_t GeneratedEndpoint::Layout::get(std::span<const std::byte> message, size_t field) const {
  const std::byte* const at = message.data() + offsets[field];
  return bytes[field] == 1 ? load<uint8_t>(at) : load<int16_t>(at);
}

void GeneratedEndpoint::Layout::set(std::span<std::byte> message, size_t field, int32_t value) const {
  std::byte* const at = message.data() + offsets[field];
  if (bytes[field] == 1) {
    store(at, static_cast<uint8_t>(value));
  } else {
    store(at, static_cast<int16_t>(value));
  }
}

GeneratedEndpoint::GeneratedEndpoint(std::shared_ptr<const Program> program, Link& out, Link& in, User& user,
                                     const Timer& timer, const EndpointOptions& options)
    : program_(std::move(program)),
      runner_(program_->model(), program_->make_generator()),
      out_(out),
      in_(in),
      user_(user),
      timer_(timer),
      options_(options),
      requests_(layout_of(program_->channels().request)),
      indications_(layout_of(program_->channels().indication)),
      packets_(layout_of(program_->channels().sent)),
      data_in_(program_->constant("DATA_IN")) {
  for (size_t i = 0; i < types_.size(); ++i) types_[i] = program_->constant(kTypeNames[i]);
  check(runner_.start());
}

GeneratedEndpoint::Layout GeneratedEndpoint::layout_of(uint32_t channel) const {
  const ChannelType& type = runner_.type_of(channel);
  Layout layout;
  layout.offsets = type.field_offsets;
  for (const ScalarType& field : type.fields) layout.bytes.push_back(field.bytes);
  return layout;
}

std::byte* GeneratedEndpoint::room() {
  return runner_.full(program_->channels().request) ? nullptr : message_.data();
}

void GeneratedEndpoint::send(size_t bytes, bool first) {
  const std::span<std::byte> message = runner_.push(program_->channels().request);
  requests_.set(message, 0, program_->constant(first ? "CONNECT" : "SEND"));
  write_payload(message, requests_, kUserPayload, std::span(message_).first(bytes), outgoing_);
  event_ns_ = timer_.now_ns();
  idle_ = false;
}

bool GeneratedEndpoint::request(const char* what) {
  if (runner_.full(program_->channels().request)) return false;
  requests_.set(runner_.push(program_->channels().request), 0, program_->constant(what));
  idle_ = false;
  return true;
}

// `field`: of the payload's length; its bytes, or its number, are behind it.
void GeneratedEndpoint::write_payload(std::span<std::byte> message, const Layout& layout, size_t field,
                                      std::span<const std::byte> payload, Pool& pool) {
  layout.set(message, field, static_cast<int32_t>(payload.size()));
  std::byte* to = message.data() + layout.offsets[field + 1];
  if (handles()) {
    const size_t number = pool.take();
    layout.set(message, field + 1, static_cast<int32_t>(number));
    to = pool.at(number);
  }
  std::memcpy(to, payload.data(), payload.size());
}

std::span<const std::byte> GeneratedEndpoint::payload_of(std::span<const std::byte> message, const Layout& layout,
                                                         size_t field, Pool& pool) {
  const size_t length = static_cast<size_t>(layout.get(message, field));
  const std::byte* from = message.data() + layout.offsets[field + 1];
  if (handles()) from = pool.at(static_cast<size_t>(layout.get(message, field + 1)));
  return {from, length};
}

bool GeneratedEndpoint::receive(uint64_t now_ns) {
  bool worked = false;
  while (!runner_.full(program_->channels().arrived)) {
    const std::span<const std::byte> packet = in_.front(now_ns);
    if (packet.empty()) break;
    take_packet(packet);
    in_.drop();
    worked = true;
  }
  return worked;
}

void GeneratedEndpoint::take_packet(std::span<const std::byte> packet) {
  ++counts_.received;
  const std::optional<Header> header = decode(packet);
  if (options_.observer) options_.observer(false, header);
  const uint32_t limit = handles() ? kMaxPayloadBytes : program_->options().limit_bytes;
  if (!header || header->length > limit) {
    ++counts_.damaged;
    return;
  }
  const std::span<std::byte> message = runner_.push(program_->channels().arrived);
  packets_.set(message, kType, types_[static_cast<size_t>(header->type) - 1]);
  packets_.set(message, kKey, static_cast<int32_t>(header->key));
  packets_.set(message, kSenderKey, static_cast<int32_t>(header->sender_key));
  packets_.set(message, kStatus, header->status_requested ? 1 : 0);
  packets_.set(message, kSequence, static_cast<int32_t>(header->sequence));
  packets_.set(message, kAcknowledged, static_cast<int32_t>(header->acknowledged));
  packets_.set(message, kCredit, static_cast<int32_t>(std::min(header->credit, program_->options().window)));
  packets_.set(message, kGood, 1);
  write_payload(message, packets_, kPayload, packet.subspan(kHeaderBytes), incoming_);
}

bool GeneratedEndpoint::send_packets(uint64_t now_ns) {
  const uint32_t channel = program_->channels().sent;
  bool worked = false;
  for (; runner_.length(channel) > 0; runner_.pop(channel)) {
    const std::span<const std::byte> message = runner_.front(channel);
    const std::span<const std::byte> payload = payload_of(message, packets_, kPayload, outgoing_);
    Header header;
    for (size_t i = 0; i < types_.size(); ++i) {
      if (packets_.get(message, kType) == types_[i]) header.type = static_cast<PacketType>(i + 1);
    }
    header.key = static_cast<uint32_t>(packets_.get(message, kKey));
    header.sender_key = static_cast<uint32_t>(packets_.get(message, kSenderKey));
    header.status_requested = packets_.get(message, kStatus) != 0;
    header.sequence = static_cast<uint32_t>(packets_.get(message, kSequence));
    header.acknowledged = static_cast<uint32_t>(packets_.get(message, kAcknowledged));
    header.credit = static_cast<uint32_t>(packets_.get(message, kCredit));
    header.length = static_cast<uint32_t>(payload.size());
    std::byte* const slot = out_.slot();
    std::memcpy(slot + kHeaderBytes, payload.data(), payload.size());
    encode(header, {slot, kHeaderBytes + payload.size()});
    if (options_.observer) options_.observer(true, header);
    out_.send(kHeaderBytes + payload.size(), now_ns);
    ++counts_.sent;
    worked = true;
  }
  return worked;
}

bool GeneratedEndpoint::tell_user() {
  const uint32_t channel = program_->channels().indication;
  bool worked = false;
  for (; runner_.length(channel) > 0; runner_.pop(channel)) {
    const std::span<const std::byte> message = runner_.front(channel);
    if (indications_.get(message, 0) == data_in_) {
      user_.data(payload_of(message, indications_, kUserPayload, incoming_));
    } else {
      user_.closed();
    }
    worked = true;
  }
  return worked;
}

bool GeneratedEndpoint::run(bool timeout) {
  const Result<uint64_t> steps = runner_.run(timeout);
  if (!steps.ok()) throw std::runtime_error(steps.error());
  return steps.value() > 0;
}

bool GeneratedEndpoint::work() {
  const uint64_t now = timer_.now_ns();
  bool worked = false;
  for (bool again = true; again;) {
    again = receive(now);
    again = run(false) || again;
    again = send_packets(now) || again;
    again = tell_user() || again;
    worked = worked || again;
  }
  if (worked) {
    event_ns_ = now;
    idle_ = false;
  } else if (now >= deadline_ns()) {
    event_ns_ = now;
    idle_ = !run(true);
    if (!idle_) ++counts_.repeated;
    send_packets(now);
    worked = !idle_;
  }
  return worked;
}

uint64_t GeneratedEndpoint::deadline_ns() const { return idle_ ? UINT64_MAX : event_ns_ + options_.timeout_ns; }

}  // namespace cmc::xtp
