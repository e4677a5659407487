#include "checker/ranks/ranks.h"

#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/units.h"
#include "storage/pages/page.h"

namespace cmc {
namespace {

// In front of a message: CRC-32 of all behind it, kind, number of the message between these two.
constexpr size_t kKindAt = 4;
constexpr size_t kNumberAt = 5;
constexpr size_t kEnvelopeBytes = 13;

constexpr double kWaveSeconds = 0.001;   // between a round of questions that was in vain and the next one
constexpr double kFiguresSeconds = 0.2;  // rank 0 is told how far the others are

constexpr size_t kPieceBytes = size_t{16} << 20;  // of a text: messages have a largest size

Bytes message_of(uint8_t kind, ByteView payload) {
  Bytes message(kEnvelopeBytes);
  message[kKindAt] = static_cast<std::byte>(kind);
  message.insert(message.end(), payload.begin(), payload.end());
  return message;
}

ByteView payload_of(ByteView message) { return message.subspan(kEnvelopeBytes); }

ByteView bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string text_of(ByteView bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

Bytes numbers(std::initializer_list<uint64_t> values) {
  Bytes bytes;
  for (const uint64_t value : values) put_varint(bytes, value);
  return bytes;
}

// Of a message whose CRC is right.
template <size_t N>
std::array<uint64_t, N> numbers_of(ByteView payload) {
  std::array<uint64_t, N> values{};
  const std::byte* at = payload.data();
  for (uint64_t& value : values) {
    if (at != nullptr) at = get_varint(at, payload.data() + payload.size(), value);
  }
  return values;
}

}  // namespace

Ranks::Ranks(Exchange& exchange, Settings settings)
    : exchange_(exchange), settings_(std::move(settings)), rank_(exchange.rank()) {
  CHECK(exchange.ranks() > 0 && exchange.ranks() <= kMostRanks && rank_ < exchange.ranks());
  for (uint32_t i = 0; i < exchange.ranks(); ++i) peers_.push_back(std::make_unique<Peer>());
}

Ranks::~Ranks() = default;

// --- messages

void Ranks::tell(uint32_t to, Kind kind, ByteView payload) {
  post(to, message_of(static_cast<uint8_t>(kind), payload));
}

void Ranks::tell_all(Kind kind, ByteView payload) {
  for (uint32_t i = 0; i < count(); ++i) {
    if (i != rank_) tell(i, kind, payload);
  }
}

// In pieces, behind a byte that says whether it is the last one.
void Ranks::tell_text(uint32_t to, const std::string& text) {
  size_t at = 0;
  do {
    const size_t count = std::min(kPieceBytes, text.size() - at);
    Bytes piece(1, static_cast<std::byte>(at + count == text.size()));
    const ByteView bytes = bytes_of(text).subspan(at, count);
    piece.insert(piece.end(), bytes.begin(), bytes.end());
    tell(to, Kind::kTogether, piece);
    at += count;
  } while (at < text.size());
}

void Ranks::post(uint32_t to, Bytes message) {
  store(message.data() + kNumberAt, peers_[to]->next_sent++);
  store(message.data(), crc32(ByteView(message).subspan(kKindAt)));
  bytes_ += message.size();
  exchange_.send(to, std::move(message));
}

void Ranks::hand_over() {
  for (uint32_t i = 0; i < count(); ++i) {
    Peer& peer = *peers_[i];
    for (;;) {
      std::unique_lock lock(peer.sending);
      if (peer.outgoing.empty()) break;
      Bytes message = std::move(peer.outgoing.front());
      peer.outgoing.pop_front();
      lock.unlock();
      queued_bytes_ -= message.size();
      post(i, std::move(message));
    }
  }
  backlog_bytes_ = queued_bytes_ + exchange_.unsent_bytes();
}

void Ranks::receive_all() {
  while (std::optional<Exchange::Message> message = exchange_.receive())
    accept(message->from, std::move(message->bytes));
}

void Ranks::fail(std::string what) {
  if (left_) internal_error(what);  // others may wait for what is lost
  const std::lock_guard lock(status_mutex_);
  if (status_.ok()) status_ = Error{std::move(what)};
}

void Ranks::accept(uint32_t from, Bytes message) {
  Peer& peer = *peers_[from];
  if (message.size() < kEnvelopeBytes ||
      load<uint32_t>(message.data()) != crc32(ByteView(message).subspan(kKindAt))) {
    ++peer.next_received;
    return fail(fmt::format("a message from rank {} to rank {} is damaged", from, rank_));
  }
  // From then on, all that matters is that everybody stops.
  const auto number = load<uint64_t>(message.data() + kNumberAt);
  if (number != peer.next_received) {
    fail(fmt::format("message {} from rank {} to rank {} came instead of {}", number, from, rank_,
                     peer.next_received));
  }
  peer.next_received = number + 1;
  const ByteView payload = payload_of(message);
  switch (static_cast<Kind>(message[kKindAt])) {
    case Kind::kHello: peer.hello = text_of(payload); return;
    case Kind::kRefusal: peer.refuses = true; return;
    case Kind::kBatch: {
      if (left_) return;
      const std::lock_guard lock(peer.arriving);
      arrived_bytes_ += message.size();
      unread_bytes_ += message.size();
      peer.arrived.push_back(std::move(message));
      return;
    }
    case Kind::kProbe: probed_ = numbers_of<1>(payload)[0]; return;
    case Kind::kAnswer: return accept_answer(payload);
    case Kind::kDone: done_ = true; return;
    case Kind::kStop:
      if (numbers_of<1>(payload)[0] == searches_) stopped_elsewhere_ = true;
      return;
    case Kind::kFigures: {
      const auto [states, transitions] = numbers_of<2>(payload);
      states_of_others_ += states - std::exchange(peer.states, states);
      transitions_of_others_ += transitions - std::exchange(peer.transitions, transitions);
      return;
    }
    case Kind::kResult:
      peer.result = text_of(payload);
      peer.has_result = true;
      return;
    case Kind::kQuestion: question_ = numbers_of<1>(payload)[0]; return;
    case Kind::kReply: reply_ = text_of(payload); return;
    case Kind::kSave: {
      const auto [search, quiets] = numbers_of<2>(payload);
      if (search == searches_) quiets_asked_ = std::max(quiets_asked_.load(), quiets + 1);
      return;
    }
    case Kind::kQuiet: quiet_ = true; return;
    case Kind::kTogether:
      if (payload.empty()) break;
      peer.text += text_of(payload.subspan(1));
      if (payload[0] != std::byte{0}) peer.texts.push_back(std::exchange(peer.text, {}));
      return;
    case Kind::kLeft: peer.left = true; return;
    case Kind::kPassedOn: peer.handed.push_back(text_of(payload)); return;
    case Kind::kEnd:
      goes_again_ = numbers_of<1>(payload)[0] != 0;
      ended_ = true;
      return;
  }
  fail(fmt::format("a message from rank {} to rank {} is of no kind", from, rank_));
}

template <class Ready>
void Ranks::wait_until(Ready&& ready) {
  for (;;) {
    hand_over();
    receive_all();
    if (ready()) return;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

// --- before the search

Status Ranks::begin() {
  has_begun_ = true;
  tell_all(Kind::kHello, bytes_of(about_));
  peers_[rank_]->hello = about_;
  wait_until(
      [&] { return std::ranges::all_of(peers_, [](const auto& peer) { return peer->hello || peer->refuses; }); });
  for (uint32_t i = 0; i < count(); ++i) {
    if (peers_[i]->refuses) return Error{fmt::format("rank {} cannot begin", i)};
    if (*peers_[i]->hello != about_) {
      return Error{
          fmt::format("rank {} has another model, other options or another version of CMC than rank {}", i, rank_)};
    }
  }
  for (const auto& peer : peers_) peer->hello.reset();
  return Success{};
}

void Ranks::refuse() {
  tell_all(Kind::kRefusal);
  peers_[rank_]->refuses = true;
  wait_until([&] {
    return std::ranges::all_of(peers_, [](const auto& peer) { return peer->hello || peer->refuses; }) &&
           exchange_.unsent_bytes() == 0;
  });
}

// --- all together

// Some peer that refuses; null: none.
const Ranks::Peer* Ranks::refusing() const {
  const auto found = std::ranges::find_if(peers_, [](const auto& peer) { return peer->refuses; });
  return found == peers_.end() ? nullptr : found->get();
}

Result<std::string> Ranks::together(const std::string& text, const Answer& answer) {
  const Error gone{"another rank has left the search, or cannot be understood"};
  Peer& root = *peers_[0];
  if (rank_ != 0) {
    tell_text(0, text);
    wait_until([&] { return !root.texts.empty() || root.left || refusing() != nullptr || !status().ok(); });
    if (root.texts.empty()) return gone;
    std::string own = std::move(root.texts.front());
    root.texts.pop_front();
    return own;
  }
  wait_until([&] {
    return refusing() != nullptr || !status().ok() || std::ranges::all_of(peers_, [&](const auto& peer) {
             return peer == peers_.front() || !peer->texts.empty() || peer->left;
           });
  });
  if (refusing() != nullptr || !status().ok()) return gone;
  std::vector<std::string> texts{text};
  for (uint32_t i = 1; i < count(); ++i) {
    std::deque<std::string>& its = peers_[i]->texts;
    texts.push_back(its.empty() ? std::string() : std::move(its.front()));
    if (!its.empty()) its.pop_front();
  }
  std::vector<std::string> answers = answer(std::move(texts));
  for (uint32_t i = 1; i < count(); ++i) tell_text(i, answers[i]);
  return std::move(answers[0]);
}

Status Ranks::pass_on(const std::function<std::string()>& next, const std::function<void(const std::string&)>& take) {
  constexpr uint64_t kMostUnderWay = uint64_t{64} << 20;
  const uint32_t to = (rank_ + 1) % count();
  Peer& before = *peers_[(rank_ + count() - 1) % count()];
  std::deque<std::string>& handed = before.handed;
  bool all_sent = false;
  bool all_taken = false;
  const auto send_some = [&] {
    if (all_sent || exchange_.unsent_bytes() > kMostUnderWay) return;
    std::string text = next();
    all_sent = text.empty();
    to == rank_ ? handed.push_back(std::move(text)) : tell(to, Kind::kPassedOn, bytes_of(text));
  };
  while (!all_sent || !all_taken) {
    send_some();
    receive_all();
    const bool waits = handed.empty() && (all_sent || exchange_.unsent_bytes() > kMostUnderWay);
    for (; !handed.empty() && !all_taken; handed.pop_front()) {
      all_taken = handed.front().empty();
      if (!all_taken) take(handed.front());
    }
    if (!status().ok() || (before.left && !all_taken)) return Error{"another rank has left, or cannot be understood"};
    if (waits) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return Success{};
}

// --- candidates

template <unsigned W>
size_t Ranks::send(uint32_t to, const KeySpace& space, std::vector<Candidate<W>>& candidates) {
  Peer& peer = *peers_[to];
  const size_t before = candidates.size();
  const std::lock_guard lock(peer.sending);
  Bytes message = message_of(static_cast<uint8_t>(Kind::kBatch), {});
  peer.writer.write(space, candidates, message);
  candidates_ += candidates.size();
  twice_ += before - candidates.size();
  queued_bytes_ += message.size();
  backlog_bytes_ += message.size();
  ++sent_;
  peer.outgoing.push_back(std::move(message));
  const size_t count_sent = candidates.size();
  candidates.clear();
  return count_sent;
}

template size_t Ranks::send(uint32_t, const KeySpace&, std::vector<Candidate<1>>&);
template size_t Ranks::send(uint32_t, const KeySpace&, std::vector<Candidate<2>>&);
template size_t Ranks::send(uint32_t, const KeySpace&, std::vector<Candidate<4>>&);
template size_t Ranks::send(uint32_t, const KeySpace&, std::vector<Candidate<16>>&);

std::optional<BatchReader::Outcome> Ranks::read_next(KeySpace& space, const BatchReader::Visit& visit,
                                                     const std::function<bool()>& finish) {
  using Outcome = BatchReader::Outcome;
  const uint32_t first = next_read_.fetch_add(1, std::memory_order_relaxed);
  for (uint32_t i = 0; i < count(); ++i) {
    const uint32_t from = (first + i) % count();
    Peer& peer = *peers_[from];
    const std::unique_lock reading(peer.reading, std::try_to_lock);
    if (!reading.owns_lock()) continue;
    std::unique_lock arriving(peer.arriving);
    if (peer.arrived.empty()) continue;
    Bytes message = std::move(peer.arrived.front());
    peer.arrived.pop_front();
    arriving.unlock();
    unread_bytes_ -= message.size();
    const Outcome outcome = peer.reader.read(payload_of(message), space, visit);
    if (outcome == Outcome::kTooNarrow) {
      unread_bytes_ += message.size();
      arriving.lock();
      peer.arrived.push_front(std::move(message));
      return outcome;
    }
    if (outcome == Outcome::kDamaged)
      fail(fmt::format("a batch from rank {} to rank {} makes no sense", from, rank_));
    if (outcome != Outcome::kRead || !finish()) return outcome == Outcome::kRead ? Outcome::kStopped : outcome;
    ++received_;
    arrived_bytes_.fetch_sub(message.size(), std::memory_order_release);
    return outcome;
  }
  return std::nullopt;
}

// --- during the search

void Ranks::poll(const Situation& now) {
  if (now.stopped && !stop_told_) {
    stop_told_ = true;
    tell_all(Kind::kStop, numbers({searches_}));
  }
  hand_over();
  receive_all();
  const double time = clock_.wall_seconds();
  if (rank_ != 0 && time >= next_figures_) {
    next_figures_ = time + kFiguresSeconds;
    tell(0, Kind::kFigures, numbers({now.states, now.transitions}));
  }
  Situation after = now;
  if (arrived_bytes() > 0) after.rest = Rest::kNone;
  if (probed_) answer(after);
  if (rank_ != 0) return;
  if (!wave_.under_way) {
    if (after.rest != Rest::kNone && time >= next_wave_ && !quiet_) ask_all();
  } else if (wave_.answers == count() - 1) {
    judge_wave(after);
  }
}

void Ranks::answer(const Situation& now) {
  tell(0, Kind::kAnswer, numbers({*probed_, static_cast<uint64_t>(now.rest), sent_, received_}));
  probed_.reset();
}

void Ranks::ask_all() {
  wave_ = {wave_.number + 1, true, 0, Rest::kDone, 0, 0};
  tell_all(Kind::kProbe, numbers({wave_.number}));
}

void Ranks::accept_answer(ByteView payload) {
  const auto [number, rest, sent, received] = numbers_of<4>(payload);
  if (number != wave_.number) return fail("an answer about the end is of another round");
  ++wave_.answers;
  wave_.rest = std::min(wave_.rest, static_cast<Rest>(rest));
  wave_.sent += sent;
  wave_.received += received;
}

void Ranks::judge_wave(const Situation& now) {
  wave_.under_way = false;
  wave_.rest = std::min(wave_.rest, now.rest);
  wave_.sent += sent_;
  wave_.received += received_;
  const bool still = wave_.rest != Rest::kNone && last_wave_ && last_wave_->rest != Rest::kNone &&
                     last_wave_->sent == wave_.sent && last_wave_->received == wave_.received;
  const bool all_received = still && wave_.sent == wave_.received;
  last_wave_ = wave_;
  if (all_received && wave_.rest == Rest::kDone) {
    done_ = true;
    return tell_all(Kind::kDone);
  }
  if (all_received && wants_quiet()) {
    quiet_ = true;
    return tell_all(Kind::kQuiet);
  }
  end_wave(clock_.wall_seconds(), still);
}

// It was in vain.
void Ranks::end_wave(double time, bool still) {
  if (!still) stalled_since_ = time;
  if (time - stalled_since_ > settings_.patience_seconds) {
    fail(fmt::format("{} batches were sent and {} received, and nothing moves any more", format_count(wave_.sent),
                     format_count(wave_.received)));
  }
  if (wave_.rest == Rest::kNone || wave_.sent != wave_.received) next_wave_ = time + kWaveSeconds;
}

void Ranks::ask_for_quiet() {
  if (wants_quiet()) return;
  quiets_asked_ = quiets_ + 1;
  tell_all(Kind::kSave, numbers({searches_, quiets_}));
}

void Ranks::end_quiet() {
  quiet_ = false;
  ++quiets_;
  last_wave_.reset();
}

// --- behind it

void Ranks::leave(bool stopped) {
  left_ = true;
  if (stopped && !stop_told_) {
    stop_told_ = true;
    tell_all(Kind::kStop, numbers({searches_}));
  }
  // Who waits for something of this rank waits no longer.
  for (const uint32_t each : std::set<uint32_t>{0, (rank_ + 1) % count()}) {
    if (each != rank_ && rank_ != 0) tell(each, Kind::kLeft, {});
  }
  if (rank_ == 0) tell_all(Kind::kLeft);
  wait_until([&] { return exchange_.unsent_bytes() == 0; });
}

std::vector<std::string> Ranks::collect() {
  wait_until([&] {
    for (uint32_t i = 0; i < count(); ++i) {
      if (i != rank_ && !peers_[i]->has_result) return false;
    }
    return true;
  });
  std::vector<std::string> results;
  for (const auto& peer : peers_) results.push_back(std::move(peer->result));
  return results;
}

std::string Ranks::ask(uint32_t of, uint64_t question) {
  reply_.reset();
  tell(of, Kind::kQuestion, numbers({question}));
  wait_until([&] { return reply_.has_value(); });
  return std::move(*reply_);
}

void Ranks::end(bool again) {
  goes_again_ = again;
  tell_all(Kind::kEnd, numbers({again ? 1U : 0U}));
  wait_until([&] { return exchange_.unsent_bytes() == 0; });
  if (again) forget();
}

void Ranks::hand_in(const std::string& result, const std::function<std::string(uint64_t)>& answer) {
  tell(0, Kind::kResult, bytes_of(result));
  wait_until([&] {
    if (question_) tell(0, Kind::kReply, bytes_of(answer(*std::exchange(question_, std::nullopt))));
    return ended_ && exchange_.unsent_bytes() == 0;
  });
  if (goes_again_) forget();
}

// All but messages' numbers, and hellos: another rank may have begun to say that it begins again.
void Ranks::forget() {
  for (const auto& peer : peers_) {
    peer->writer = {};
    peer->reader = {};
    peer->outgoing.clear();
    peer->arrived.clear();
    peer->result.clear();
    peer->has_result = false;
    peer->states = peer->transitions = 0;
    peer->texts.clear();
    peer->text.clear();
    peer->handed.clear();
    peer->left = false;
  }
  for (auto* const count : {&sent_, &received_, &queued_bytes_, &backlog_bytes_, &unread_bytes_, &arrived_bytes_,
                            &states_of_others_, &transitions_of_others_})
    *count = 0;
  left_ = ended_ = done_ = stop_told_ = quiet_ = false;
  ++searches_;
  quiets_asked_ = quiets_.load();
  stopped_elsewhere_ = false;
  probed_.reset();
  wave_ = {};
  last_wave_.reset();
}

Ranks::Traffic Ranks::traffic() const {
  Traffic traffic{candidates_, twice_, sent_, bytes_, 0};
  for (const auto& peer : peers_) traffic.content_bytes += peer->writer.content_bytes();
  return traffic;
}

bool Ranks::has_candidates(ByteView message) {
  return message.size() > kKindAt && message[kKindAt] == static_cast<std::byte>(Kind::kBatch);
}

}  // namespace cmc
