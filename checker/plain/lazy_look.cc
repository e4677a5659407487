#include "checker/plain/lazy_look.h"

#include <algorithm>
#include <span>
#include <vector>

#include "checker/generator/state_index.h"
#include "checker/result/control.h"
#include "ir/model.h"
#include "storage/sets/state_set.h"

namespace cmc {

class LazyLook::Dive {
 public:
  Dive(std::unique_ptr<SuccessorGenerator> statements, const Model& model, const SearchOptions& options)
      : generator_(std::move(statements)),
        model_(model),
        options_(options),
        most_bytes_(most_bytes(options)),
        set_(model.hidden_bytes) {
    prepare_index(model, index_);
    batch_.limits.should_stop = &takes_long_;
    generator_->initial(batch_);
    if (batch_.entries.empty() || !batch_.errors.empty()) return;
    enter(batch_.state(batch_.entries.front()), {});
  }

  bool go_on(uint64_t calls, bool to_the_end) {
    for (calls_ += calls; calls_ > 0 && may_go_on(to_the_end);) {
      Frame& frame = path_.back();
      if (frame.waiting > 0) {
        take_waiting(frame);
      } else if (frame.next_pid > 0) {
        ask_next(frame);
      } else if (!frame.moved) {
        ask_all(frame);
      } else {
        leave(frame);
      }
    }
    return may_go_on(to_the_end);
  }
  [[nodiscard]] const std::optional<FoundError>& error() const { return error_; }

 private:
  struct Frame {  // a state on the path
    StateSet::Id id = 0;
    uint32_t next_pid = 0;  // the processes below have not been asked
    uint32_t steps = 0;     // that lead to it
    uint32_t waiting = 0;   // successors on top of waiting_
    bool moved = false;     // some process can move
    bool led_on = false;    // to a new state
  };
  struct Waiting {
    Bytes state;
    std::vector<Step> steps;
  };

  [[nodiscard]] bool may_go_on(bool to_the_end) const {
    return !error_ && !path_.empty() && (to_the_end || (is_diving() && set_.memory_bytes() < most_bytes_));
  }
  static uint64_t most_bytes(const SearchOptions& options) {
    constexpr uint64_t kMost = uint64_t{64} << 20;
    constexpr uint64_t kShare = 32;  // of what the search may have
    const uint64_t limit = options.memory_limit_bytes;
    return limit == 0 ? kMost : std::min(kMost, limit / kShare);
  }
  // It pays to be here as long as few states lead nowhere.
  [[nodiscard]] bool is_diving() const {
    constexpr uint64_t kFew = 4;
    constexpr uint64_t kStatesPerDeadEnd = 64;
    return dead_ends_ <= kFew || dead_ends_ * kStatesPerDeadEnd <= set_.size();
  }

  void enter(ByteView state, std::span<const Step> steps) {
    const StateSet::Inserted inserted = set_.insert(state);
    if (!inserted.is_new) return;
    if (!path_.empty()) path_.back().led_on = true;
    steps_.insert(steps_.end(), steps.begin(), steps.end());
    build_index(model_, state.data(), index_);
    // What a holder of atomicity can do depends on whether it can move: that is asked of all.
    const bool held = static_cast<uint8_t>(state[model_.atomic_holder_offset()]) != kNoProcess;
    path_.push_back(
        {inserted.id, held ? 0 : index_.process_count, static_cast<uint32_t>(steps.size()), 0, false, false});
  }
  void leave(const Frame& frame) {
    if (!frame.led_on) ++dead_ends_;
    steps_.resize(steps_.size() - frame.steps);
    path_.pop_back();
  }
  void take_waiting(Frame& frame) {
    --frame.waiting;
    const Waiting next = std::move(waiting_.back());
    waiting_.pop_back();
    enter(next.state, next.steps);
  }

  void ask_next(Frame& frame) {
    --calls_;
    batch_.clear();
    const uint8_t pid = static_cast<uint8_t>(--frame.next_pid);
    frame.moved |= generator_->process_successors(set_.get(frame.id), pid, false, nullptr, batch_);
    take(frame);
  }
  // Nobody can move, or a process holds atomicity.
  void ask_all(Frame& frame) {
    --calls_;
    batch_.clear();
    frame.moved = true;
    generator_->successors(set_.get(frame.id), batch_);
    take(frame);
  }
  void take(Frame& frame) {
    if (batch_.stopped) return path_.clear();
    if (const auto error = std::ranges::find_if(batch_.errors, is_error); error != batch_.errors.end()) {
      report({{}, error->kind}, error->message, error->place,
             std::span(batch_.steps).subspan(error->path_begin, error->path_count));
    } else if (batch_.invalid_end && options_.check_end_states) {
      report(ErrorKind::invalid_end_state(), kInvalidEndMessage, {}, {});
    }
    for (size_t i = batch_.entries.size(); i-- > 0;) {
      const SuccessorBatch::Entry& entry = batch_.entries[i];
      const ByteView state = batch_.state(entry);
      const auto steps = std::span(batch_.steps).subspan(entry.path_begin, entry.path_count);
      waiting_.push_back({Bytes(state.begin(), state.end()), {steps.begin(), steps.end()}});
      ++frame.waiting;
    }
  }
  static bool is_error(const RuntimeError& error) {
    return !is_reason(error.kind) && error.kind != RuntimeErrorKind::kOverflowNote;
  }
  void report(ErrorKind kind, const std::string& message, SourcePlace place, std::span<const Step> last) {
    if (error_) return;
    error_.emplace();
    error_->kind = kind;
    error_->message = message;
    error_->place = place;
    error_->path = steps_;
    error_->path.insert(error_->path.end(), last.begin(), last.end());
    for (const Step& step : error_->path) error_->depth += step.partner == kNoProcess ? 1 : 2;
    error_->has_path = true;
  }

  std::unique_ptr<SuccessorGenerator> generator_;
  const Model& model_;
  const SearchOptions& options_;
  const uint64_t most_bytes_;  // of set_
  StateSet set_;
  StateIndex index_;
  const std::function<bool()> takes_long_ = [] { return true; };  // what one step takes
  SuccessorBatch batch_;
  std::vector<Frame> path_;
  std::vector<Step> steps_;  // of the path
  std::vector<Waiting> waiting_;
  uint64_t calls_ = 0;  // left
  uint64_t dead_ends_ = 0;
  std::optional<FoundError> error_;
};

LazyLook::LazyLook(std::unique_ptr<SuccessorGenerator> statements, const Model& model, const SearchOptions& options)
    : dive_(std::make_unique<Dive>(std::move(statements), model, options)) {}
LazyLook::~LazyLook() = default;
bool LazyLook::go_on(uint64_t calls, bool to_the_end) { return dive_->go_on(calls, to_the_end); }
const std::optional<FoundError>& LazyLook::error() const { return dive_->error(); }

bool LookingTurn::has_enough(uint64_t states) {
  if (states >= next_at_ && next_at_ <= kLastAt) {
    if (look_ == nullptr) look_ = make_look_();
    const bool goes_on = look_->go_on(kCallsPerState * next_at_);
    next_at_ = goes_on ? next_at_ * kGrowth : kLastAt + 1;
    if (!goes_on && !look_->error()) look_.reset();
  }
  return (look_ != nullptr && look_->error()) || PartOfTurn::has_enough(states);
}

void LookingTurn::add_to(SearchResult& result) const {
  if (look_ == nullptr || !look_->error() || result.error_count > 0) return;
  std::erase_if(result.reasons, [](const Reason& reason) { return reason.kind == ReasonKind::kLimit; });
  result.errors = {*look_->error()};
  result.error_count = 1;
}

}  // namespace cmc
