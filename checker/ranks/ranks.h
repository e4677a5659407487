#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "checker/ranks/batch.h"
#include "checker/ranks/exchange.h"
#include "storage/pages/key_partitions.h"

namespace cmc {

// One of the ranks of a search: whose a state is, candidates on their way to and from the others, when all have
// nothing left to do, and what is told behind that. Each rank has states, contents, layout and memo of its own; they
// agree on nothing but the model.
//
// Whose a state is follows from its contents (ContentHashes), not from numbers: no re-layout moves a state.
//
// The end is found by four counters (Mattern, "Algorithms for distributed termination detection", 1987): rank 0 asks
// all for their batches sent and received, again and again. When the answers of two rounds are the same, all sent
// were received, and all stood still, nothing is under way. The same says when a checkpoint can be written: then all
// stand still, although they have something left to do.
//
// Every message has a number and a CRC-32. One that is missing, doubled or changed is a mistake that stops the search
// (status()), never a count.
//
// The *talker*, one thread at a time, calls what is for it; the other functions are for any thread.
class Ranks {
 public:
  struct Settings {
    size_t batch_candidates = size_t{1} << 16;
    double patience_seconds = 60;                     // for a batch that is under way while nobody does anything
    uint64_t most_backlog_bytes = uint64_t{8} << 20;  // for each other rank; beyond that, who sends waits
    std::string host = {};
    std::string mirror = {};  // of checkpoints: a folder; empty: none
  };
  explicit Ranks(Exchange& exchange) : Ranks(exchange, Settings()) {}
  Ranks(Exchange& exchange, Settings settings);
  ~Ranks();

  [[nodiscard]] uint32_t rank() const { return rank_; }
  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(peers_.size()); }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  // Whose a state with that hash is. 2^16 slots: with 1,000 ranks, one has at most 1.5 % more of them than another.
  [[nodiscard]] uint32_t owner(uint64_t hash) const {
    return static_cast<uint32_t>((KeyPartitions::mix(hash) >> 48) * count() >> 16);
  }

  // A state's number among all ranks: its rank, and its number in the rank's log of paths.
  static constexpr unsigned kNumberBits = 36;
  static constexpr uint32_t kMostRanks = 1U << (48 - kNumberBits);
  [[nodiscard]] uint64_t to_global(uint64_t number) const { return uint64_t{rank_} << kNumberBits | number; }
  [[nodiscard]] static uint32_t rank_of(uint64_t global) { return static_cast<uint32_t>(global >> kNumberBits); }
  [[nodiscard]] static uint64_t number_of(uint64_t global) { return global & ((uint64_t{1} << kNumberBits) - 1); }

  // --- before the search; the talker. Each rank calls one of them once

  // What is searched, and how: the same text at all ranks.
  void set_about(std::string about) { about_ = std::move(about); }
  // Waits for the others. Error: one of them cannot begin, or is about something else.
  [[nodiscard]] Status begin();
  [[nodiscard]] bool has_begun() const { return has_begun_; }
  // Waits, too.
  void refuse();

  // --- all together, while nothing else is under way; the talker

  // Hands a text to rank 0, which makes an answer for each rank of all texts, by rank. Each rank calls it, in the
  // same order of calls; `answer` is called at rank 0 only. A text is empty if its rank has left the search. Error:
  // rank 0 has left, some rank refused to begin, or status() is one.
  using Answer = std::function<std::vector<std::string>(std::vector<std::string> texts)>;
  [[nodiscard]] Result<std::string> together(const std::string& text, const Answer& answer);

  // Each rank hands texts to the next one, the last to the first: `next` makes them, an empty one behind the last;
  // `take` gets those of the rank before. Each calls it.
  [[nodiscard]] Status pass_on(const std::function<std::string()>& next,
                               const std::function<void(const std::string&)>& take);
  // What the next rank has been handed; for who calls pass_on().
  [[nodiscard]] std::set<std::string>& passed_on() { return passed_on_; }

  // --- candidates

  // Sorts them, leaves out what is there twice, and takes them over. Returns how many were sent.
  template <unsigned W>
  size_t send(uint32_t to, const KeySpace& space, std::vector<Candidate<W>>& candidates);
  // Whether there is so much under way to others that a sender had better do something else.
  [[nodiscard]] bool is_congested() const {
    return backlog_bytes_.load(std::memory_order_relaxed) > settings_.most_backlog_bytes * (count() - 1);
  }
  // Of batches that have come: those that nobody reads yet; and those that were not read to their end.
  [[nodiscard]] uint64_t unread_bytes() const { return unread_bytes_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t arrived_bytes() const { return arrived_bytes_.load(std::memory_order_acquire); }
  // Reads the next one of some rank, behind which finish(), if all was visited. None: there is none that no other
  // thread reads. kDamaged: status() is an error from then on.
  [[nodiscard]] std::optional<BatchReader::Outcome> read_next(KeySpace& space, const BatchReader::Visit& visit,
                                                              const std::function<bool()>& finish);

  // --- during the search; the talker

  // What a rank does when nothing that has come is not visited.
  enum class Rest : uint8_t {
    kNone,
    kQuiet,  // it stands still for wants_quiet(), and has something left to do
    kDone,   // it has nothing left to do
  };
  struct Situation {
    Rest rest = Rest::kNone;
    bool stopped = false;  // the others are told
    uint64_t states = 0;
    uint64_t transitions = 0;
  };
  void poll(const Situation& now);
  [[nodiscard]] bool all_done() const { return done_; }
  [[nodiscard]] bool stopped_elsewhere() const { return stopped_elsewhere_; }
  // All ranks are to stand still: any rank may ask for it.
  void ask_for_quiet();
  // Any thread: somebody has asked.
  [[nodiscard]] bool wants_quiet() const {
    return quiets_asked_.load(std::memory_order_relaxed) > quiets_.load(std::memory_order_relaxed);
  }
  // All stand still, nothing is under way, and it stays like that until each calls end_quiet().
  [[nodiscard]] bool is_quiet() const { return quiet_; }
  void end_quiet();
  [[nodiscard]] Status status() const {
    const std::lock_guard lock(status_mutex_);
    return status_;
  }
  // Of the other ranks, as they have told rank 0 lately; any thread.
  [[nodiscard]] uint64_t states_of_others() const { return states_of_others_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t transitions_of_others() const {
    return transitions_of_others_.load(std::memory_order_relaxed);
  }

  // --- behind it, when this rank does not search any more; the talker

  // `stopped`: not because all was done; the others are told. Waits until what was sent is on its way; what comes
  // is not read any more.
  void leave(bool stopped);
  // Of rank 0: what the others have handed in, by rank, the own one empty.
  [[nodiscard]] std::vector<std::string> collect();
  // Of rank 0: what rank `of` answers.
  [[nodiscard]] std::string ask(uint32_t of, uint64_t question);
  // Of rank 0: the others may go. `again`: to begin() another search, so that this one is forgotten.
  void end(bool again = false);
  // Of the others: until rank 0 says that they may go.
  void hand_in(const std::string& result, const std::function<std::string(uint64_t)>& answer);

  // What rank 0 has said to end().
  [[nodiscard]] bool goes_again() const { return goes_again_; }

  struct Traffic {
    uint64_t candidates = 0;  // sent
    uint64_t twice = 0;       // not sent
    uint64_t batches = 0;
    uint64_t bytes = 0;
    uint64_t content_bytes = 0;
  };
  [[nodiscard]] Traffic traffic() const;

  // Of a message: whether it has candidates. For tests that lose some.
  [[nodiscard]] static bool has_candidates(ByteView message);

 private:
  enum class Kind : uint8_t {
    kHello,
    kRefusal,
    kBatch,
    kProbe,
    kAnswer,
    kDone,
    kStop,
    kFigures,
    kResult,
    kQuestion,
    kReply,
    kEnd,
    kSave,
    kQuiet,
    kTogether,
    kLeft,
    kPassedOn
  };
  // What is known of another rank.
  struct Peer {
    std::mutex sending;
    BatchWriter writer;
    std::deque<Bytes> outgoing;
    std::mutex reading;
    BatchReader reader;
    std::mutex arriving;
    std::deque<Bytes> arrived;
    uint64_t next_sent = 0;  // the talker's, as all below
    uint64_t next_received = 0;
    std::optional<std::string> hello;
    bool refuses = false;
    std::string result;
    bool has_result = false;
    std::deque<std::string> texts;   // of together(), whole ones
    std::string text;                // that is not whole yet
    std::deque<std::string> handed;  // of pass_on()
    bool left = false;
    uint64_t states = 0;  // that it has told
    uint64_t transitions = 0;
  };
  // A round of questions of rank 0.
  struct Wave {
    uint64_t number = 0;
    bool under_way = false;
    uint32_t answers = 0;
    Rest rest = Rest::kDone;  // the least
    uint64_t sent = 0;
    uint64_t received = 0;
  };

  void tell(uint32_t to, Kind kind, ByteView payload);
  void tell_all(Kind kind, ByteView payload = {});
  void tell_text(uint32_t to, const std::string& text);
  void post(uint32_t to, Bytes message);
  void hand_over();
  void receive_all();
  void accept(uint32_t from, Bytes message);
  void accept_answer(ByteView payload);
  void answer(const Situation& now);
  void ask_all();
  void judge_wave(const Situation& now);
  void end_wave(double time, bool still);
  [[nodiscard]] const Peer* refusing() const;
  void fail(std::string what);
  void forget();
  template <class Ready>
  void wait_until(Ready&& ready);

  Exchange& exchange_;
  const Settings settings_;
  const uint32_t rank_;
  std::vector<std::unique_ptr<Peer>> peers_;  // by rank; the own one is not used
  std::atomic<uint64_t> sent_{0};             // batches
  std::atomic<uint64_t> received_{0};
  std::atomic<uint64_t> queued_bytes_{0};
  std::atomic<uint64_t> backlog_bytes_{0};
  std::atomic<uint64_t> unread_bytes_{0};
  std::atomic<uint64_t> arrived_bytes_{0};
  std::atomic<uint32_t> next_read_{0};  // peer
  std::atomic<uint64_t> states_of_others_{0};
  std::atomic<uint64_t> transitions_of_others_{0};
  std::atomic<uint64_t> candidates_{0};
  std::atomic<uint64_t> twice_{0};
  std::atomic<uint64_t> bytes_{0};
  mutable std::mutex status_mutex_;
  Status status_ = Success{};
  const SystemClock clock_;
  std::string about_;
  bool has_begun_ = false;
  bool left_ = false;   // leave()
  bool ended_ = false;  // rank 0 has said so
  bool goes_again_ = false;
  bool done_ = false;
  bool stop_told_ = false;
  bool quiet_ = false;
  uint64_t searches_ = 0;  // before this one
  std::atomic<uint64_t> quiets_asked_{0};
  std::atomic<uint64_t> quiets_{0};  // that are over
  std::atomic<bool> stopped_elsewhere_{false};
  std::optional<uint64_t> probed_;  // the wave that is to be answered
  Wave wave_;
  std::optional<Wave> last_wave_;
  double next_wave_ = 0;
  double stalled_since_ = 0;
  double next_figures_ = 0;
  std::set<std::string> passed_on_;
  std::optional<uint64_t> question_;
  std::optional<std::string> reply_;
};

}  // namespace cmc
