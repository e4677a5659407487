#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "solver-bridge/protocol/chaos.h"
#include "solver-bridge/protocol/protocol.h"

namespace cmc::solver {

// Messages on their way to the thread that serves the socket, which is woken through an eventfd. Thread-safe.
class Outbox {
 public:
  Outbox();
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  void put(Bytes message);
  // An event that is worth sending only before the next message that is put: it is dropped then, as is an earlier
  // one.
  void put_until_next(Bytes event);
  void wake();  // the reader, though there is nothing new
  [[nodiscard]] std::vector<Bytes> take_all();
  [[nodiscard]] int event_descriptor() const { return event_; }

 private:
  int event_;
  std::mutex mutex_;
  std::vector<Bytes> messages_;
  Bytes event_before_next_;  // empty: none
};

// Owes exactly one reply to one request: what was not answered at its end is answered with ERROR.
class Reply {
 public:
  Reply(Outbox& outbox, const Header& request);
  ~Reply();
  Reply(Reply&& other) noexcept : outbox_(std::exchange(other.outbox_, nullptr)), header_(other.header_) {}
  Reply& operator=(Reply&&) = delete;
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;

  [[nodiscard]] bool is_open() const { return outbox_ != nullptr; }
  // REQUIRES for both: is_open(). A payload that is too large becomes ERROR.
  void send(ReplyStatus status, ByteView payload, Fault fault = Fault::kNone);
  void send_text(ReplyStatus status, std::string_view text);

 private:
  Outbox* outbox_;
  Header header_;
};

}  // namespace cmc::solver
