#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "storage/sets/key.h"
#include "storage/sets/key_groups.h"

namespace cmc {

// An invertible function from keys to shorter ones, which makes a compact set of them smaller.
//
// A key consists of fields, many of which depend on each other: of 13 bits, where a process is, its flag and whose
// turn it is, only 300 values may ever occur. A condenser numbers the values of each such group of bits in the order
// of their appearance (KeyGroup) and packs the numbers in mixed radix. So Peterson 4 has 32 bits instead of 44, swarm
// 42 instead of 94. (The idea of tree compression, Blom, Lisser, van de Pol, Weber: "A database approach to
// distributed state-space generation", 2007, with one level of tables, which are so small that they stay in the
// cache, and no pointers between them.)
//
// A group has numbers for so many values; a key with another value has no shorter form, and the set keeps it whole.
//
// Any number of threads may condense at the same time.
template <unsigned W>
class Condenser {
 public:
  // Of keys of which the low word_bits[i] of word i are used. `groups` have all of these bits, each once; without
  // groups that number values, keys stay as they are.
  explicit Condenser(const std::array<unsigned, W>& word_bits, std::span<const KeyGroup> groups = {})
      : word_bits_(word_bits) {
    if (std::ranges::none_of(groups, [](const KeyGroup& group) { return group.values > 0; })) return;
    plan_ = CondenserPlan::make(groups, W);
    std::ranges::copy(plan_.word_bits, word_bits_.begin());
    shortens_ = true;
    for (const CondenserPlan::Part& part : plan_.tables) {
      numbers_.push_back(std::make_unique<uint16_t[]>(size_t{1} << part.bits));
      values_.push_back(std::make_unique<uint16_t[]>(part.limit));
      used_.push_back(0);
      Step step{part.mask(), part.weight, numbers_.back().get(), part.from, part.shift, part.to};
      steps_.push_back(step);
      base_[part.to] -= part.weight;
    }
    for (const CondenserPlan::Part& part : plan_.whole) {
      steps_.push_back({part.mask(), part.weight, nullptr, part.from, part.shift, part.to});
    }
  }

  // Of the shorter keys.
  [[nodiscard]] const std::array<unsigned, W>& word_bits() const { return word_bits_; }
  [[nodiscard]] bool shortens() const { return shortens_; }

  // False: it has no shorter form, now and later; then `shorter` is undefined.
  [[nodiscard, gnu::always_inline]] bool condense(const Key<W>& key, Key<W>& shorter) {
    shorter = key;
    return !shortens_ || shorten(key, shorter);
  }
  // The key that has that shorter form.
  [[nodiscard]] Key<W> expand(const Key<W>& shorter) const {
    if (!shortens_) return shorter;
    Key<W> rest = shorter;
    Key<W> key{};
    for (const CondenserPlan::Part& part : plan_.by_weight) {
      const uint64_t number = rest[part.to] / part.weight;
      rest[part.to] -= number * part.weight;
      key[part.from] |= (part.table < 0 ? number : values_[static_cast<size_t>(part.table)][number]) << part.shift;
    }
    return key;
  }

  [[nodiscard]] uint64_t memory_bytes() const {
    uint64_t bytes = 0;
    for (const CondenserPlan::Part& part : plan_.tables) bytes += ((uint64_t{1} << part.bits) + part.limit) * 2;
    return bytes;
  }

 private:
  static constexpr uint16_t kUnknown = 0;
  static constexpr uint16_t kRefused = 0xffff;  // there are numbers for others only
  static_assert(KeyGroup::kMostTableBits <= 15);

  // What condense() does for one group.
  struct Step {
    uint64_t mask = 0;  // behind the shift
    uint64_t weight = 0;
    uint16_t* numbers = nullptr;  // by value: number + 1, kUnknown or kRefused; null: the value is the number
    uint8_t from = 0;
    uint8_t shift = 0;
    uint8_t to = 0;
  };

  [[nodiscard, gnu::always_inline]] static uint64_t value_of(const Step& step, const Key<W>& key) {
    return key[W == 1 ? 0 : step.from] >> step.shift & step.mask;
  }
  [[nodiscard, gnu::always_inline]] bool shorten(const Key<W>& key, Key<W>& shorter) {
    const Step* const first = steps_.data();
    const Step* const whole = first + numbers_.size();
    const Step* const end = first + steps_.size();
    Key<W> sum = base_;
    bool complete = true;
    for (const Step* step = first; step != whole; ++step) {
      const uint16_t number =
          std::atomic_ref<uint16_t>(step->numbers[value_of(*step, key)]).load(std::memory_order_acquire);
      complete &= static_cast<uint16_t>(number + 1) > 1;
      sum[W == 1 ? 0 : step->to] += number * step->weight;
    }
    for (const Step* step = whole; step != end; ++step)
      sum[W == 1 ? 0 : step->to] += value_of(*step, key) * step->weight;
    if (!complete) [[unlikely]]
      return !is_refused(key) && learn(key) && shorten_known(key, shorter);
    shorter = sum;
    return true;
  }
  [[nodiscard, gnu::noinline]] bool shorten_known(const Key<W>& key, Key<W>& shorter) {
    shorter = base_;
    for (const Step& step : steps_) {
      const uint64_t value = value_of(step, key);
      shorter[step.to] += (step.numbers == nullptr ? value : step.numbers[value]) * step.weight;
    }
    return true;
  }
  // Known without the lock, because such keys come again and again.
  [[nodiscard, gnu::noinline]] bool is_refused(const Key<W>& key) {
    for (size_t i = 0; i < numbers_.size(); ++i) {
      std::atomic_ref<uint16_t> number(numbers_[i][value_of(steps_[i], key)]);
      if (number.load(std::memory_order_relaxed) == kRefused) return true;
    }
    return false;
  }
  // Numbers the values of the key. False: there are no numbers left.
  [[nodiscard, gnu::noinline]] bool learn(const Key<W>& key) {
    const std::lock_guard lock(mutex_);
    bool complete = true;
    for (size_t i = 0; i < numbers_.size(); ++i) {
      const uint64_t value = value_of(steps_[i], key);
      std::atomic_ref<uint16_t> number(numbers_[i][value]);
      if (number.load(std::memory_order_relaxed) == kUnknown) {
        const bool has_room = used_[i] < plan_.tables[i].limit;
        if (has_room) values_[i][used_[i]++] = static_cast<uint16_t>(value);
        number.store(has_room ? static_cast<uint16_t>(used_[i]) : kRefused, std::memory_order_release);
      }
      complete = complete && number.load(std::memory_order_relaxed) != kRefused;
    }
    return complete;
  }

  CondenserPlan plan_;
  bool shortens_ = false;
  std::array<unsigned, W> word_bits_{};
  std::vector<Step> steps_;  // those with numbers first
  Key<W> base_{};            // numbers + 1 are added up
  // By table:
  std::vector<std::unique_ptr<uint16_t[]>> numbers_;
  std::vector<std::unique_ptr<uint16_t[]>> values_;  // by number
  std::vector<uint32_t> used_;                       // numbers
  std::mutex mutex_;
};

}  // namespace cmc
