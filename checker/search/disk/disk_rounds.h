#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/process_memory.h"
#include "checker/search/disk/disk_checkpoint.h"
#include "checker/search/disk/disk_engine.h"
#include "checker/search/disk/rank_outbox.h"
#include "checker/search/disk/trail_expander.h"
#include "checker/search/engine/checkpoint.h"
#include "checker/search/engine/later_reduction.h"
#include "checker/search/engine/parked.h"
#include "checker/search/engine/rank_checkpoint.h"
#include "checker/search/engine/successors.h"
#include "storage/pages/spill.h"
#include "storage/rounds/round_store.h"

// The engine beyond memory that goes in rounds: visited states and candidates in a RoundStore, whose turns find out
// which candidates are new; those are expanded at once. Safety only: a search for cycles takes DiskCache.
//
// Among ranks (checker/ranks) a state is visited where it belongs: successors that belong elsewhere are sent there,
// and what comes from there is a candidate as any other one. Worker 0 is the talker.

namespace cmc {

template <unsigned W>
class DiskRounds : public DiskEngine<W> {
 public:
  explicit DiskRounds(SearchContext& context)
      : DiskEngine<W>(context),
        store_(plan_.rounds(context.workers, W), word_bits_, hasher_, *plan_.files),
        open_(*plan_.files, fmt::format("{}/open.{}", plan_.options.directory, plan_.options.layout),
              plan_.open_bytes),
        parked_(context.options.pending_guards) {}

  // The interface of relayout.h.
  void start() {
    open_workers();
    if (ranks_ != nullptr && ranks_->owner(0) != ranks_->rank()) return;
    typename Store::Outbox outbox(store_);
    static_cast<void>(check(store_.send(outbox, {{}, {}})) && check(store_.flush(outbox)));
  }
  template <unsigned V>
  [[nodiscard]] bool has_room_for(const DiskRounds<V>&, const Layout&) const {
    return true;
  }
  template <unsigned V>
  void take_over(DiskRounds<V>& from, const Layout& old_layout);
  void save(CheckpointWriter& writer) override;
  // From a checkpoint of rounds, or of a search in RAM, whose states have no paths in a log.
  [[nodiscard]] bool load(const Manifest& manifest);
  End run() {
    crew_.begin();
    crew_.explore(
        context_.workers, [&](uint32_t number) { workers_[number]->run(); }, [&] { return states(); });
    waiting_ = 0;
    return crew_.end();
  }
  [[nodiscard]] bool ready_for_relayout() { return !context_.control.stopped(); }
  void layout_changed();
  [[nodiscard]] bool may_divide() const { return false; }
  [[nodiscard]] uint64_t states() const { return final_totals_ ? final_totals_->states : store_.states(); }
  [[nodiscard]] Remainder left() const { return {open_.size(), store_.candidates(), parked_.size()}; }
  [[nodiscard]] DiskTotals totals() override;

 private:
  template <unsigned V>
  friend class DiskRounds;

  using DiskEngine<W>::context_;
  using DiskEngine<W>::plan_;
  using DiskEngine<W>::crew_;
  using DiskEngine<W>::hasher_;
  using DiskEngine<W>::memo_;
  using DiskEngine<W>::carriers_;
  using DiskEngine<W>::word_bits_;
  using DiskEngine<W>::final_totals_;
  using DiskEngine<W>::lasting_files_;
  using DiskEngine<W>::check;

  using Store = RoundStore<W>;
  using Open = OpenState<W>;
  class Worker;

  void open_workers() {
    for (uint32_t i = 0; i < context_.workers; ++i) workers_.push_back(std::make_unique<Worker>(*this, i));
  }
  [[nodiscard]] uint64_t recent_hits() const {
    uint64_t hits = plan_.recent_hits;
    for (const std::unique_ptr<Worker>& worker : workers_) hits += worker->recent_hits();
    return hits;
  }
  class Ownership;
  void save_states(CheckpointWriter& writer);
  [[nodiscard]] uint32_t own_rank() const { return ranks_ == nullptr ? 0 : ranks_->rank(); }
  [[nodiscard]] bool reads(const Manifest& manifest, const CheckpointFile& file) const;
  [[nodiscard]] Status load_parts(const Manifest& manifest);
  [[nodiscard]] Status load_open(InStream& from, const Manifest& manifest, Ownership& owns);
  void inherit_counters(const Manifest& manifest);
  // States to be expanded, for a worker that has none: new ones of a turn, or open ones. False: it is the end.
  bool take(Worker& worker, std::vector<typename Store::Record>& fresh, std::vector<Open>& open);
  bool take_turn(uint32_t partition, std::vector<typename Store::Record>& fresh);
  void check_limits(const char* phase) {
    keep_in_memory();
    DiskEngine<W>::check_limits(phase);
  }
  // Where memory is scarce, the store takes less of it.
  void keep_in_memory();
  // New states become open ones, which have numbers.
  [[nodiscard]] bool open_all(std::span<const typename Store::Record> fresh, std::vector<Open>& open);
  [[nodiscard]] Result<uint64_t> append_to_trail(const Origin& origin);
  void rest();
  // Among ranks: the same; for worker 0, and the others.
  void rest_among_ranks(Worker& worker);
  void talk(Ranks::Rest rest);
  [[nodiscard]] bool has_work() {
    if (crew_.halted() || (ranks_ != nullptr && ranks_->unread_bytes() > 0)) return true;
    return !must_stand_still() && (store_.has_work() || parked_.some_ready() || some_open());
  }
  // Nothing is expanded: all ranks are to be saved.
  [[nodiscard]] bool must_stand_still() const { return ranks_ != nullptr && ranks_->wants_quiet(); }
  [[nodiscard]] bool has_nothing_left() {
    return !store_.has_work() && store_.candidates() == 0 && parked_.empty() && !some_open();
  }
  [[nodiscard]] uint64_t number_among_ranks(uint64_t number) const {
    return ranks_ == nullptr ? number : ranks_->to_global(number);
  }
  void put_again(std::span<const Open> states) {
    const std::lock_guard lock(open_mutex_);
    for (const Open& open : states) {
      if (!check(open_.push(open))) return;
    }
  }
  // Some of those that were left.
  [[nodiscard]] bool take_open(std::vector<Open>& open) {
    const std::lock_guard lock(open_mutex_);
    for (Open state; open.size() < kOpenAtOnce;) {
      const Result<bool> more = open_.pop(state);
      if (!check(more)) return false;
      if (!more.value()) break;
      open.push_back(state);
    }
    return true;
  }
  [[nodiscard]] uint64_t open_states() {
    const std::lock_guard lock(open_mutex_);
    return open_.size();
  }
  [[nodiscard]] bool some_open() { return open_states() > 0; }
  [[nodiscard]] SearchControl::Usage usage(const char* phase) override;

  static constexpr size_t kOpenAtOnce = 4096;

  Ranks* const ranks_ = context_.options.ranks;  // null: there are none
  Store store_;
  std::atomic<uint64_t> next_shrinking_{0};  // RoundStore::turns()
  std::atomic<uint64_t> next_look_{0};       // RoundStore::taken()
  std::mutex trail_mutex_;
  std::mutex open_mutex_;
  SpillStack<Open> open_;  // what a re-layout left of a turn, or a search in RAM
  ParkedStates<Open> parked_;
  uint32_t waiting_ = 0;  // workers in rest(); under the gate's lock
  std::vector<std::unique_ptr<Worker>> workers_;
};

// Takes turns, expands what is new, and sends the successors.
template <unsigned W>
class DiskRounds<W>::Worker final : public TrailExpander<W> {
 public:
  using typename BatchExpander<W>::State;
  Worker(DiskRounds& search, uint32_t number)
      : TrailExpander<W>(search.context_, search.memo_, search.carriers_, number, search.plan_, search.trail_mutex_),
        search_(search),
        outbox_(search.store_),
        rank_outbox_(search.context_) {}

  void run() {
    while (search_.take(*this, fresh_records_, open_)) {
      if (!expand_all()) break;
      search_.check_limits("searching");
      const bool is_settled = this->context_.own_reduction == SearchContext::OwnReduction::kNone;
      // A rank does not begin anew: what another search has come to, and saved, is settled for all of them.
      if (!is_settled && search_.ranks_ == nullptr) [[unlikely]]
        consider_reduction();
    }
    send_to_ranks();  // they are in this layout
  }
  // Of those that it has not told yet.
  [[nodiscard]] uint64_t recent_hits() const { return recent_hits_; }

  [[nodiscard]] bool is_talker() const { return this->number_ == 0; }
  // Whatever belongs to other ranks.
  void send_to_ranks() { recent_hits_ += rank_outbox_.send_all(); }
  // Of a batch from another rank. False: there is none.
  bool read_from_ranks();

 private:
  using BatchExpander<W>::kBatch;
  using BatchExpander<W>::flags_;
  using BatchExpander<W>::counts_;
  using TrailExpander<W>::fresh_;

  static constexpr uint64_t kBatchesPerCheck = 32;
  static constexpr size_t kPart = 4096;  // successors

  // False: the search was halted. What is not expanded then stays open.
  bool expand_all() {
    uint64_t batches = 0;
    next_fresh_ = 0;
    do {
      for (next_ = 0; next_ < open_.size() && !search_.crew_.halted() && !search_.must_stand_still();) {
        expand_some();
        if (++batches % kBatchesPerCheck == 0) search_.check_limits("searching");
        if (search_.ranks_ != nullptr) meet_ranks(batches);
        search_.crew_.gate().check(Gate::Where::kBoundary);
      }
      search_.put_again(std::span(open_).subspan(next_));
    } while (open_more());
    const bool sent = search_.check(search_.store_.flush(outbox_));
    if (this->context_.workers > 1) search_.crew_.gate().change([] {});
    return sent && !search_.crew_.halted();
  }
  // Of the new states of a turn, which take less memory as long as they are not open.
  [[nodiscard]] bool open_more() {
    open_.clear();
    const auto left = std::span<const typename Store::Record>(fresh_records_).subspan(next_fresh_);
    const auto next = left.first(std::min<size_t>(left.size(), kOpenAtOnce));
    next_fresh_ += next.size();
    return !next.empty() && search_.open_all(next, open_);
  }
  void expand_some() {
    batch_ = std::span<const Open>(open_).subspan(next_, std::min<size_t>(kBatch, open_.size() - next_));
    const auto expanded = this->expand_open(batch_, [](size_t) {});
    send_fresh();
    this->masks_.end(expanded.count);
    this->make_room_in_memo();
    for (size_t i = 0; i < expanded.count && !this->context_.control.stopped(); ++i) deal_with(i);
    next_ += expanded.count;
    if (expanded.cut == BatchExpander<W>::Cut::kTooNarrow) search_.crew_.halt(End::kRelayout);
    search_.crew_.obey();
  }
  // The new states of a turn are as good as chosen at random, if there are enough of them.
  void consider_reduction() {
    const auto states = [&] { return search_.states(); };
    const auto sample = [&] {
      const size_t step = std::max<size_t>(1, fresh_records_.size() / looked_at_of(states()));
      std::vector<uint64_t> words;
      for (size_t i = 0; i < fresh_records_.size(); i += step) {
        const Key<W>& key = fresh_records_[i].key;
        words.insert(words.end(), key.words.begin(), key.words.end());
      }
      return words;
    };
    if (fresh_records_.size() < looked_at_of(states())) return;
    cmc::consider_reduction<W>(this->context_, search_.crew_, this->generator_.reductions(), this->steps_computed(),
                               states, sample);
  }
  void deal_with(size_t i) {
    const Open& open = batch_[i];
    if (this->context_.checker != nullptr) this->check_steps(open.key);
    if (flags_[i].pending != 0) [[unlikely]]
      return search_.parked_.park(flags_[i].pending, open, 2 * sizeof(Open));
    counts_.note_depth(open.depth);
    if (!flags_[i].special) [[likely]]
      return;
    this->report_state(open.key, flags_[i], open.depth, [&] {
      reported_ = search_.number_among_ranks(open.number);
      const bool is_elsewhere = search_.ranks_ != nullptr && search_.plan_.trail != nullptr;
      return is_elsewhere ? std::vector<State>() : this->path_to(open.key, open.number);
    });
    static_cast<void>(search_.check(this->lost_path()));
  }
  void on_part_of_batch() override {
    if (fresh_.size() < kPart) return;
    send_fresh();
    fresh_.clear();
  }
  bool should_stop_batch() override {
    search_.check_limits("searching");
    return search_.crew_.abandoned();
  }
  void send_fresh() {
    recent_hits_ += fresh_.left_out();
    const std::vector<SleepMask>& asleep = this->find_sleepers(batch_);
    const bool logs_paths = search_.plan_.trail != nullptr;
    size_t parent_sent = kBatch;
    for (size_t i = 0; i < fresh_.size(); ++i) {
      const size_t parent_at = fresh_.parent(i);
      const Open& parent = batch_[parent_at];
      DCHECK(parent.depth < UINT32_MAX);
      // Without paths nobody asks which successor of whom it is, and there are fewer bytes to send.
      const Origin origin{logs_paths ? search_.number_among_ranks(parent.number) : 0,
                          logs_paths ? fresh_.number(i) : 0, parent.depth + 1, asleep[i]};
      if (search_.ranks_ != nullptr) {
        if (std::exchange(parent_sent, parent_at) != parent_at) rank_outbox_.set_parent(parent.key);
        if (goes_elsewhere(fresh_[i], origin)) continue;
      }
      if (!search_.check(search_.store_.send(outbox_, {fresh_[i], origin}))) return;
    }
  }
  bool goes_elsewhere(const State& state, const Origin& origin) {
    const uint32_t owner = rank_outbox_.owner(state);
    if (owner == search_.ranks_->rank()) return false;
    if (rank_outbox_.add(owner, state, origin)) {
      recent_hits_ += rank_outbox_.send(owner);
      wait_for_ranks();
    }
    return true;
  }
  // Between batches of states.
  void meet_ranks(uint64_t batches) {
    constexpr uint64_t kBatchesPerTalk = 8;
    constexpr uint64_t kMostUnread = uint64_t{16} << 20;
    if (is_talker() && batches % kBatchesPerTalk == 0) search_.talk(Ranks::Rest::kNone);
    while (search_.ranks_->unread_bytes() > kMostUnread && !search_.crew_.halted() && read_from_ranks()) {
    }
  }
  // As long as much is under way. Whoever waits receives, so that others need not wait for it.
  void wait_for_ranks() {
    constexpr auto kPause = std::chrono::microseconds(100);
    while (search_.ranks_->is_congested() && !search_.crew_.halted()) {
      if (is_talker()) search_.talk(Ranks::Rest::kNone);
      if (!read_from_ranks()) std::this_thread::sleep_for(kPause);
      search_.check_limits("waiting for other ranks");
    }
  }
  // Paths begin at other ranks: the number is told instead.
  PathToState path_of(const std::vector<State>& keys) override {
    if (search_.ranks_ == nullptr) return BatchExpander<W>::path_of(keys);
    PathToState path{{}};
    path.begins_at = reported_;
    return path;
  }

  DiskRounds& search_;
  typename Store::Outbox outbox_;
  RankOutbox<W> rank_outbox_;
  uint64_t reported_ = 0;  // a state, among ranks
  std::vector<typename Store::Record> fresh_records_;
  size_t next_fresh_ = 0;  // of fresh_records_
  std::vector<Open> open_;
  std::span<const Open> batch_;  // of open_
  size_t next_ = 0;              // of open_
  uint64_t recent_hits_ = 0;
};

template <unsigned W>
bool DiskRounds<W>::Worker::read_from_ranks() {
  const auto visit = [&](const uint64_t* words, const Origin& origin) {
    Key<W> key;
    std::copy_n(words, W, key.words.begin());
    return search_.check(search_.store_.send(outbox_, {key, origin}));
  };
  const auto outcome = search_.ranks_->read_next(*this->context_.space, visit,
                                                 [&] { return search_.check(search_.store_.flush(outbox_)); });
  if (outcome == BatchReader::Outcome::kTooNarrow) search_.crew_.halt(End::kRelayout);
  if (outcome && this->context_.workers > 1) search_.crew_.gate().change([] {});
  return outcome.has_value();
}

template <unsigned W>
bool DiskRounds<W>::take(Worker& worker, std::vector<typename Store::Record>& fresh, std::vector<Open>& open) {
  fresh.clear();
  for (open.clear(); !crew_.halted();) {
    if (ranks_ != nullptr && worker.read_from_ranks()) continue;
    if (must_stand_still()) {
      rest_among_ranks(worker);
      continue;
    }
    if (parked_.some_ready()) {
      open = parked_.take(kOpenAtOnce);
      if (!open.empty()) return true;
    }
    if (parked_.full()) {
      if (ranks_ != nullptr && worker.is_talker()) talk(Ranks::Rest::kNone);
      parked_.wait();
      check_limits("waiting for answers");
      continue;
    }
    if (!take_open(open)) return false;
    if (!open.empty()) return true;
    if (const std::optional<uint32_t> partition = store_.claim()) {
      if (ranks_ != nullptr && worker.is_talker()) talk(Ranks::Rest::kNone);
      if (!take_turn(*partition, fresh)) return false;
      if (!fresh.empty()) return true;
      check_limits("searching");
    } else {
      ranks_ == nullptr ? rest() : rest_among_ranks(worker);
    }
  }
  return false;
}

template <unsigned W>
bool DiskRounds<W>::take_turn(uint32_t partition, std::vector<typename Store::Record>& fresh) {
  if (!check(store_.turn(partition, fresh))) return false;
  if (context_.workers > 1 && store_.has_work()) crew_.gate().change([] {});
  return true;
}

template <unsigned W>
void DiskRounds<W>::keep_in_memory() {
  // Of the limit: what is still free then, with the grace.
  constexpr uint64_t kScarce = 16;
  // A look at the size of the process takes as long as a turn of a few candidates, with which it hardly grows.
  constexpr uint64_t kCandidatesForLook = 1024;
  const uint64_t limit = context_.options.memory_limit_bytes;
  // What becomes free comes with the next turn of each partition.
  if (limit == 0 || store_.turns() < next_shrinking_ || store_.taken() < next_look_) return;
  next_look_ = store_.taken() + kCandidatesForLook;
  if (context_.control.spare_bytes(this->usage_of("", 0)) > limit / kScarce) return;
  next_shrinking_ = store_.turns() + store_.partitions();
  if (store_.shrink()) release_freed();
}

template <unsigned W>
bool DiskRounds<W>::open_all(std::span<const typename Store::Record> fresh, std::vector<Open>& open) {
  const std::lock_guard lock(trail_mutex_);
  for (const auto& record : fresh) {
    // The initial state has its number already.
    const bool initial = record.key == Key<W>{};
    const Result<uint64_t> number = initial ? Result<uint64_t>(TrailLog::kRoot) : append_to_trail(record.origin);
    if (!check(number)) return false;
    open.push_back({record.key, number.value(), record.origin.depth, static_cast<SleepMask>(record.origin.asleep)});
  }
  return true;
}

// REQUIRES: trail_mutex_.
template <unsigned W>
Result<uint64_t> DiskRounds<W>::append_to_trail(const Origin& origin) {
  if (ranks_ == nullptr || plan_.trail == nullptr) return plan_.log_step(origin.parent, origin.index);
  if (Ranks::rank_of(origin.parent) == ranks_->rank())
    return plan_.trail->append(Ranks::number_of(origin.parent), origin.index);
  return plan_.trail->append_from_elsewhere(origin.parent + 1, origin.index);
}

// With the other ranks: sends, receives, and takes part in looking for the end, or for a moment of quiet.
template <unsigned W>
void DiskRounds<W>::talk(Ranks::Rest rest) {
  SearchControl& control = context_.control;
  if (control.wants_checkpoint()) ranks_->ask_for_quiet();
  ranks_->poll({rest, control.stopped(), states(), context_.sum(&SearchContext::Counts::transitions)});
  if (const Status status = ranks_->status(); !status.ok()) {
    Reason reason = reason_of_bug(status.error());
    control.stop(reason.kind, std::move(reason.text));
  }
  if (ranks_->stopped_elsewhere()) control.stop_elsewhere();
  crew_.obey();
  if (ranks_->is_quiet()) crew_.halt(End::kCheckpoint);
  if (context_.workers > 1 && ranks_->unread_bytes() > 0) crew_.gate().change([] {});
}

// All workers but the talker wait until there is something to do; it looks for it at the other ranks.
template <unsigned W>
void DiskRounds<W>::rest_among_ranks(Worker& worker) {
  constexpr auto kPause = std::chrono::microseconds(100);
  worker.send_to_ranks();
  if (!worker.is_talker()) {
    return crew_.gate().rest([&] { ++waiting_; },
                             [&] {
                               if (!has_work()) return false;
                               --waiting_;
                               return true;
                             });
  }
  const bool stands_still = must_stand_still();
  bool all_rest = false;
  crew_.gate().change([&] { all_rest = waiting_ + 1 == context_.workers && !has_work(); });
  Ranks::Rest rest = Ranks::Rest::kNone;
  if (all_rest && has_nothing_left()) {
    rest = Ranks::Rest::kDone;
  } else if (all_rest && stands_still) {
    rest = Ranks::Rest::kQuiet;
  }
  talk(rest);
  if (ranks_->all_done()) return crew_.halt(End::kExplored);
  if (has_work()) return;
  if (all_rest && !parked_.empty() && !stands_still) {
    parked_.wait();
  } else {
    std::this_thread::sleep_for(kPause);
  }
  check_limits("waiting for other ranks");
  crew_.gate().check(Gate::Where::kBoundary);
}

// Until there is something to do. The last one that finds nothing sees whether that is the end.
template <unsigned W>
void DiskRounds<W>::rest() {
  bool alone = false;
  crew_.gate().rest([&] { ++waiting_; },
                    [&] {
                      const bool woken = has_work();
                      if (!woken && waiting_ < context_.workers) return false;
                      alone = !woken;
                      --waiting_;
                      return true;
                    });
  if (!alone) return;
  if (parked_.empty()) return crew_.halt(End::kExplored);
  parked_.wait();
  check_limits("waiting for answers");
}

template <unsigned W>
void DiskRounds<W>::layout_changed() {
  ++plan_.options.layout;
  this->end(workers_);
}

template <unsigned W>
template <unsigned V>
void DiskRounds<W>::take_over(DiskRounds<V>& from, const Layout& old_layout) {
  const Converter<V, W> convert(old_layout, context_.space->layout());
  open_workers();
  memo_.take_over(from.memo_, convert);
  const DiskTotals before = from.totals();
  for (uint32_t i = 0; i < workers_.size(); ++i) workers_[i]->take_over_habits(from.habits_[i]);
  context_.control.release_if_scarce();
  store_.inherit(from.store_.counters());
  store_.shrink_like(from.store_);
  const auto receive = [&](const Key<V>& old) -> Status {
    const Status received = store_.receive(convert(old));
    return received.ok() ? this->note_converted(before) : received;
  };
  typename Store::Outbox outbox(store_);
  const auto send = [&](const typename RoundStore<V>::Record& record) {
    return store_.send(outbox, {convert(record.key), record.origin});
  };
  if (!check(from.store_.drain(receive)) || !check(store_.finish_receiving()) ||
      !check(from.store_.drain_candidates(send)) || !check(store_.flush(outbox)))
    return;
  const auto receive_open = [&](const typename DiskRounds<V>::Open& open) {
    return open_.push({convert(open.key), open.number, open.depth, open.asleep});
  };
  if (!check(from.open_.for_each(receive_open))) return;
  from.parked_.take_all(
      [&](const typename DiskRounds<V>::Open& open, uint64_t) { static_cast<void>(check(receive_open(open))); });
}

// Of RoundStore::Counters, in their order.
inline constexpr std::array kRoundCounters = {"turns",    "taken",      "twice", "in_side",
                                              "on_pages", "most_taken", "fresh", "ruled_out"};
static_assert(kRoundCounters.size() == std::tuple_size_v<RoundStore<1>::Counters>);

template <unsigned W>
void DiskRounds<W>::save_states(CheckpointWriter& writer) {
  if (CommonKeys* const common = context_.saved_keys) {
    common->begin(writer, store_.states());
    for (uint32_t i = 0; i < store_.partitions(); ++i) {
      const Status visited = store_.visit(i, [&](const Key<W>& key) { common->add(key.data()); });
      if (!visited.ok()) writer.fail(visited.error());
    }
    return common->end();
  }
  lasting_files_.keep(context_.options.checkpoints->last());
  StatesFiles<W> states(writer, store_.states());
  for (uint32_t i = 0; i < store_.partitions(); ++i) {
    this->save_runs(states, store_, i);
    states.add_sorted(store_.in_memory(i), [&](auto&& visit) { return store_.visit_side(i, visit); });
  }
  states.flush();
}

template <unsigned W>
void DiskRounds<W>::save(CheckpointWriter& writer) {
  CommonKeys* const common = context_.saved_keys;
  Manifest& manifest = writer.manifest();
  manifest.engine = kRoundsEngine;
  manifest.words = common == nullptr ? W : common->words();
  save_states(writer);
  const auto save_its_key = [&](OutStream& to, const Key<W>& key) {
    common == nullptr ? save_key(to, key) : common->save(to, key.data());
  };
  // Open states, with their numbers in the log of paths, then candidates.
  OutStream to = writer.open("open");
  const auto save_open = [&](const Open& open) { save_open_state<W>(to, open, save_its_key); };
  to.number(open_.size() + parked_.size());
  Status saved = open_.for_each([&](const Open& open) {
    save_open(open);
    return Status(Success{});
  });
  if (!saved.ok()) writer.fail(saved.error());
  parked_.visit(save_open);
  to.number(store_.candidates());
  saved = store_.visit_candidates(
      [&](const typename Store::Record& record) { save_candidate<W>(to, record.key, record.origin, save_its_key); });
  if (!saved.ok()) writer.fail(saved.error());
  writer.add(std::move(to));
  if (plan_.trail != nullptr) save_trail(context_, *plan_.trail, writer);
  const typename Store::Counters counters = store_.counters();
  for (size_t i = 0; i < counters.size(); ++i) manifest.counters[kRoundCounters[i]] = counters[i];
  manifest.counters["recent_hits"] = recent_hits();
}

// Whether a state, or candidate, of a checkpoint is this rank's. Those that follow each other are alike.
template <unsigned W>
class DiskRounds<W>::Ownership {
 public:
  explicit Ownership(SearchContext& context) : ranks_(context.options.ranks), hashes_(*context.space) {}

  [[nodiscard]] bool has(const Key<W>& key) {
    if (ranks_ == nullptr) return true;
    hash_ = hashes_.along(hash_, last_, key);
    last_ = key;
    return ranks_->owner(hash_) == ranks_->rank();
  }

 private:
  const Ranks* const ranks_;
  ContentHashes hashes_;
  Key<W> last_{};
  uint64_t hash_ = 0;
};

// Whether this rank has something in a file. As many ranks as have written a checkpoint have each its own files; else
// each looks at all of them.
template <unsigned W>
bool DiskRounds<W>::reads(const Manifest& manifest, const CheckpointFile& file) const {
  return ranks_ == nullptr || manifest.ranks() != ranks_->count() || file.rank == ranks_->rank();
}

template <unsigned W>
bool DiskRounds<W>::load(const Manifest& manifest) {
  if (!manifest.has_paths(trail_counter(own_rank())) || (ranks_ != nullptr && !manifest.is_of_disk()))
    plan_.trail.reset();
  open_workers();
  Status loaded = load_parts(manifest);
  const uint64_t expected = manifest.states;
  if (ranks_ != nullptr) {
    loaded = check_loaded_states(context_, loaded, store_.states(), expected);
  } else if (loaded.ok() && store_.states() != expected) {
    loaded = Error{"states of the checkpoint are missing"};
  }
  if (own_rank() > 0) return check(loaded);
  inherit_counters(manifest);
  return check(loaded);
}

template <unsigned W>
Status DiskRounds<W>::load_parts(const Manifest& manifest) {
  const std::string& directory = context_.saved_in();
  Ownership owns(context_);
  for (const CheckpointFile& file : manifest.files_of("states")) {
    if (!reads(manifest, file)) continue;
    Status received = Success{};
    const Status loaded = load_states<W>(directory, file, [&](const Key<W>& key) {
      if (owns.has(key)) received = store_.receive(key);
      return received.ok();
    });
    if (!loaded.ok()) return loaded;
    if (!received.ok()) return received;
  }
  if (Status finished = store_.finish_receiving(); !finished.ok()) return finished;
  if (plan_.trail != nullptr && manifest.is_of_disk()) {
    if (Status loaded = load_trail(directory, ranks_, manifest, *plan_.trail); !loaded.ok()) return loaded;
  }
  for (const CheckpointFile& file : manifest.files_of("open")) {
    if (!reads(manifest, file)) continue;
    InStream from(directory, file);
    if (Status loaded = load_open(from, manifest, owns); !loaded.ok()) return loaded;
  }
  return Success{};
}

template <unsigned W>
Status DiskRounds<W>::load_open(InStream& from, const Manifest& manifest, Ownership& owns) {
  const auto on_open = [&](const Open& open) { return owns.has(open.key) ? open_.push(open) : Success{}; };
  if (manifest.engine != kRoundsEngine) return load_stacks<W>(from, PathsInRam<W>(plan_, *workers_.front()), on_open);
  typename Store::Outbox outbox(store_);
  const auto on_candidate = [&](const Key<W>& key, const Origin& origin) {
    return owns.has(key) ? store_.send(outbox, {key, origin}) : Success{};
  };
  const Status loaded = load_open_states<W>(from, ranks_, plan_.trail.get(), on_open, on_candidate);
  return loaded.ok() ? store_.flush(outbox) : loaded;
}

// Of a search in RAM: as if each of its states had been a candidate, in one turn, and nothing else.
template <unsigned W>
void DiskRounds<W>::inherit_counters(const Manifest& manifest) {
  const bool in_rounds = manifest.engine == kRoundsEngine;
  const uint64_t created = manifest.transitions - manifest.counter("asleep_steps");
  typename Store::Counters counters{};
  for (size_t i = 0; i < counters.size(); ++i) {
    const std::string name = kRoundCounters[i];
    const bool counts_states = name == "taken" || name == "fresh";
    if (in_rounds || counts_states) counters[i] = in_rounds ? manifest.counter(name) : manifest.states;
  }
  if (!in_rounds) counters.front() = 1;  // turns: nothing may be left for another one
  store_.inherit(counters);
  plan_.recent_hits = in_rounds ? manifest.counter("recent_hits") : created + 1 - manifest.states;
}

template <unsigned W>
SearchControl::Usage DiskRounds<W>::usage(const char* phase) {
  SearchControl::Usage usage = this->usage_of(phase, states());
  if (ranks_ != nullptr) {
    usage.states += ranks_->states_of_others();
    usage.transitions += ranks_->transitions_of_others();
  }
  usage.candidates = store_.candidates();
  usage.lossy_entries = usage.lossy_capacity = store_.in_memory();
  usage.reclaimed = store_.states() - store_.in_memory();
  usage.pages_written = store_.pages_written();
  usage.pages_read = store_.pages_read();
  usage.open_states = open_states() + parked_.size();
  usage.memory_bytes = store_.memory_bytes() + memo_.memory_bytes() + context_.space->memory_bytes() +
                       parked_.bytes() + plan_.file_bytes();
  usage.depth = context_.counts[0].deepest.load(std::memory_order_relaxed);
  return usage;
}

template <unsigned W>
DiskTotals DiskRounds<W>::totals() {
  if (final_totals_) return *final_totals_;
  DiskTotals totals;
  totals.states = states();
  totals.figures = store_.figures(recent_hits());
  totals.undecided = store_.candidates() > 0;
  totals.wait_seconds = plan_.files->wait_seconds();
  return totals;
}

}  // namespace cmc
