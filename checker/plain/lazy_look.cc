#include "checker/plain/lazy_look.h"

#include <algorithm>
#include <span>
#include <vector>

#include "checker/generator/half_way.h"
#include "checker/generator/state_index.h"
#include "checker/generator/wrappers/byte_stack.h"
#include "checker/generator/wrappers/path_steps.h"
#include "checker/result/control.h"
#include "ir/model.h"
#include "storage/sets/state_set.h"

namespace cmc {

class LazyLook::Dive {
 public:
  Dive(std::unique_ptr<SuccessorGenerator> statements, const Model& model, const SearchOptions& options)
      : generator_(std::move(statements)),
        model_(model),
        checks_end_states_(options.check_end_states),
        only_observers_(options.only_observers),
        most_bytes_(most_bytes(options)),
        local_(local_locations(model)),
        set_(model.hidden_bytes) {
    prepare_index(model, index_);
    batch_.limits.should_stop = &takes_long_;
    generator_->initial(batch_);
    if (batch_.entries.empty() || !batch_.errors.empty()) return;
    const ByteView initial = batch_.state(batch_.entries.front());
    state_.assign(initial.begin(), initial.end());
    enter(0);
  }

  bool go_on(uint64_t calls, bool to_the_end) {
    for (allowed_ += calls; asked_ < allowed_ && may_go_on(to_the_end);) {
      Frame& frame = path_.back();
      if (frame.waiting > 0) {
        take_waiting(frame);
      } else if (frame.next_pid > 0 && !(frame.local && frame.led_on)) {
        ask_next(frame);
      } else if (!frame.moved) {
        ask_all(set_.get(frame.id));
        frame.moved = true;
        take(frame);
      } else {
        leave(frame);
      }
    }
    return may_go_on(to_the_end);
  }
  [[nodiscard]] bool is_diving() const {
    constexpr uint64_t kFew = 4;
    constexpr uint64_t kStatesPerDeadEnd = 64;
    return dead_ends_ <= kFew || dead_ends_ * kStatesPerDeadEnd <= set_.size();
  }
  [[nodiscard]] const std::optional<FoundError>& error() const { return error_; }

 private:
  struct Frame {  // a state on the path
    StateSet::Id id = 0;
    uint32_t next_pid = 0;  // the processes below have not been asked
    uint32_t steps = 0;     // that lead to it, from the state below
    uint32_t waiting = 0;   // successors on top of waiting_
    bool held = false;      // inside an atomic sequence
    bool moved = false;     // some process can move
    bool led_on = false;    // to a new state
    bool local = false;     // the process that was asked last takes local steps only (path_steps.h)
  };

  [[nodiscard]] bool may_go_on(bool to_the_end) const {
    return !error_ && !path_.empty() && set_.memory_bytes() < most_bytes_ && (to_the_end || is_diving());
  }
  static uint64_t most_bytes(const SearchOptions& options) {
    constexpr uint64_t kMost = uint64_t{64} << 20;
    constexpr uint64_t kShare = 32;  // of what the search may have
    const uint64_t limit = options.memory_limit_bytes;
    return limit == 0 ? kMost : std::min(kMost, limit / kShare);
  }

  // Enters state_, to which so many steps lead, the last of steps_, from the top of the path. As long as a process
  // holds atomicity and has no choice it is followed, and nothing is remembered.
  void enter(uint32_t steps) {
    bool held = is_held(state_);
    for (uint32_t passed = 0; held; held = is_held(state_)) {
      ask_all(state_);
      if (batch_.entries.size() != 1 || !batch_.errors.empty() || ++passed == kMostPassed) break;
      const SuccessorBatch::Entry& only = batch_.entries.front();
      steps_.insert(steps_.end(), batch_.steps.begin() + only.path_begin, batch_.steps.end());
      steps += only.path_count;
      const ByteView next = batch_.state(only);
      state_.assign(next.begin(), next.end());
    }
    const StateSet::Inserted inserted = set_.insert(state_);
    if (!inserted.is_new) return steps_.resize(steps_.size() - steps);
    if (!held && !path_.empty()) path_.back().led_on = true;
    build_index(model_, state_.data(), index_);
    path_.push_back({inserted.id, held ? 0 : index_.process_count, steps, 0, held, held, false, false});
    if (held) take(path_.back());
  }
  [[nodiscard]] bool is_held(ByteView state) const {
    return load<uint8_t>(state.data() + model_.atomic_holder_offset()) != kNoProcess;
  }
  // A choice inside an atomic sequence led on if something behind the sequence is new.
  void leave(const Frame& frame) {
    if (!frame.held) {
      dead_ends_ += frame.led_on ? 0 : 1;
    } else if (path_.size() > 1) {
      path_[path_.size() - 2].led_on |= frame.led_on;
    }
    steps_.resize(steps_.size() - frame.steps);
    path_.pop_back();
  }
  void take_waiting(Frame& frame) {
    --frame.waiting;
    const ByteView next = waiting_.top();
    state_.assign(next.begin(), next.end());
    waiting_.shrink(waiting_.size() - 1);
    const uint32_t steps = waiting_counts_.back();
    waiting_counts_.pop_back();
    steps_.insert(steps_.end(), waiting_steps_.end() - steps, waiting_steps_.end());
    waiting_steps_.resize(waiting_steps_.size() - steps);
    enter(steps);
  }

  // What is local to a process it does before the others do anything, unless that leads to nothing new.
  void ask_next(Frame& frame) {
    ++asked_;
    batch_.clear();
    const uint8_t pid = static_cast<uint8_t>(--frame.next_pid);
    const ByteView state = set_.get(frame.id);
    const bool moves = generator_->process_successors(state, pid, false, nullptr, batch_);
    frame.moved |= moves;
    frame.local = moves && is_local(frame_of(model_, state, pid));
    take(frame);
  }
  [[nodiscard]] bool is_local(const std::byte* frame) const {
    return local_[load<ProctypeId>(frame + kFrameProctype)][load<LocationId>(frame + kFrameLocation)];
  }
  // Nobody can move, or a process holds atomicity: what it can do depends on whether it can move.
  void ask_all(ByteView state) {
    ++asked_;
    batch_.clear();
    generator_->successors(state, batch_);
  }
  void take(Frame& frame) {
    if (batch_.stopped) return path_.clear();
    const auto counts = [&](const RuntimeError& each) { return is_error(each); };
    if (const auto error = std::ranges::find_if(batch_.errors, counts); error != batch_.errors.end()) {
      report({{}, error->kind}, error->message, error->place, batch_.path(*error));
    } else if (batch_.invalid_end && checks_end_states_) {
      report(ErrorKind::invalid_end_state(), kInvalidEndMessage, {}, {});
    }
    for (size_t i = batch_.entries.size(); i-- > 0;) {
      const SuccessorBatch::Entry& entry = batch_.entries[i];
      const auto steps = batch_.path(entry);
      waiting_.push(batch_.state(entry));
      waiting_counts_.push_back(entry.path_count);
      waiting_steps_.insert(waiting_steps_.end(), steps.begin(), steps.end());
      ++frame.waiting;
    }
  }
  [[nodiscard]] bool is_error(const RuntimeError& error) const {
    if (is_reason(error.kind) || error.kind == RuntimeErrorKind::kOverflowNote) return false;
    return !only_observers_ || is_of_observer(error, batch_.path(error));
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

  static constexpr uint32_t kMostPassed = 1024;  // steps of a sequence, which may have no end

  std::unique_ptr<SuccessorGenerator> generator_;
  const Model& model_;
  const bool checks_end_states_;
  const bool only_observers_;
  const uint64_t most_bytes_;  // of set_
  const LocalLocations local_;
  StateSet set_;
  StateIndex index_;
  const std::function<bool()> takes_long_ = [] { return true; };  // what one step takes
  SuccessorBatch batch_;
  Bytes state_;
  std::vector<Frame> path_;
  std::vector<Step> steps_;  // of the path
  ByteStack waiting_;        // states, each with as many steps at the end of waiting_steps_
  std::vector<uint32_t> waiting_counts_;
  std::vector<Step> waiting_steps_;
  uint64_t asked_ = 0;
  uint64_t allowed_ = 0;
  uint64_t dead_ends_ = 0;
  std::optional<FoundError> error_;
};

LazyLook::LazyLook(std::unique_ptr<SuccessorGenerator> statements, const Model& model, const SearchOptions& options)
    : dive_(std::make_unique<Dive>(std::move(statements), model, options)) {}
LazyLook::~LazyLook() = default;
bool LazyLook::go_on(uint64_t calls, bool to_the_end) { return dive_->go_on(calls, to_the_end); }
bool LazyLook::is_diving() const { return dive_->is_diving(); }
const std::optional<FoundError>& LazyLook::error() const { return dive_->error(); }

// How often a look may have asked. A call takes 80 ns; of the search a state that is looked up 100, a statement that
// is computed 70, or, on a long path that each of very many outcomes has, 6. So a dive takes as long as the search,
// and what is none 20 ms of that and a tenth later.
uint64_t LookingTurn::calls_for(uint64_t states, uint64_t computed) const {
  constexpr uint64_t kFirst = uint64_t{1} << 14;
  constexpr uint64_t kFirstInVain = uint64_t{1} << 18;
  constexpr uint64_t kMostForStates = uint64_t{1} << 17;
  constexpr uint64_t kDear = 16;  // statements for a state; with fewer, the search goes down as soon
  constexpr uint64_t kMost = uint64_t{1} << 21;
  if (look_ != nullptr && !look_->is_diving()) return std::min({computed / 4, kFirstInVain + computed / 16, kMost});
  const uint64_t for_statements = computed >= kDear * states ? computed / 2 : 0;
  return std::min(kFirst + std::max(std::min(2 * states, kMostForStates), for_statements), kMost);
}

bool LookingTurn::has_enough(uint64_t states, uint64_t computed) {
  constexpr uint64_t kFew = 16;           // states, of which one may have a long step that is not computed yet
  constexpr uint64_t kStatements = 1024;  // for a state: with more, what takes the time are outcomes of sequences
  if (const uint64_t calls = ended_ ? 0 : calls_for(states, computed); calls > calls_) {
    if (look_ == nullptr) look_ = make_look_();
    ended_ = !look_->go_on(calls - calls_, states <= kFew || computed >= kStatements * states);
    calls_ = calls;
    if (ended_ && !look_->error()) look_.reset();
  }
  return (look_ != nullptr && look_->error()) || PartOfTurn::has_enough(states, computed);
}

void LookingTurn::add_to(SearchResult& result) const {
  if (look_ == nullptr || !look_->error()) return;
  std::erase_if(result.reasons, [](const Reason& reason) { return reason.kind == ReasonKind::kLimit; });
  if (result.error_count > 0) return;  // the search has found one meanwhile
  result.errors = {*look_->error()};
  result.error_count = 1;
}

}  // namespace cmc
