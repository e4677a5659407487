#include "checker/audit/audit.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <random>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/process_memory.h"
#include "base/units.h"
#include "checker/audit/expander.h"
#include "checker/audit/state_vectors.h"
#include "checker/audit/states_file.h"

namespace cmc::audit {
namespace {

// All states in memory, each with a number.
template <unsigned W>
class StateIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  // Of so many states, and of the lists of those that are to be expanded.
  [[nodiscard]] static uint64_t bytes_for(uint64_t states) {
    return states * (sizeof(Key<W>) + sizeof(std::atomic<bool>) + 2 * sizeof(uint32_t)) +
           slots_for(states) * sizeof(uint32_t);
  }

  explicit StateIndex(uint64_t states) : slots_(slots_for(states), kNone) { keys_.reserve(states); }
  // False: it is there already.
  [[nodiscard]] bool insert(const Key<W>& key) {
    uint32_t& slot = slots_[slot_of(key)];
    if (slot != kNone) return false;
    slot = static_cast<uint32_t>(keys_.size());
    keys_.push_back(key);
    return true;
  }
  [[nodiscard]] uint32_t find(const Key<W>& key) const { return slots_[slot_of(key)]; }
  [[nodiscard]] const Key<W>& operator[](uint32_t number) const { return keys_[number]; }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(keys_.size()); }

 private:
  static uint64_t slots_for(uint64_t states) { return std::bit_ceil(states + states / 2 + 2); }
  // Where the key is, or would be.
  [[nodiscard]] size_t slot_of(const Key<W>& key) const {
    uint64_t hash = 0;
    for (const uint64_t word : key) hash = (hash ^ word ^ hash >> 32) * 0x9e3779b97f4a7c15ULL;
    size_t slot = (hash ^ hash >> 32) & (slots_.size() - 1);
    while (slots_[slot] != kNone && keys_[slots_[slot]] != key) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  std::vector<Key<W>> keys_;
  std::vector<uint32_t> slots_;
};

template <unsigned W>
class Audit {
 public:
  Audit(const Task& task, const Certificate& certificate, const Options& options, Findings& findings)
      : task_(task),
        certificate_(certificate),
        options_(options),
        findings_(findings),
        vectors_(task.model, certificate) {}

  Verdict run() {
    if (Verdict refusal = read_states()) return refusal;
    if (Verdict refusal = vectors_.check()) return refusal;
    for (uint32_t i = 0; i < options_.threads; ++i)
      expanders_.push_back(std::make_unique<Expander>(task_, vectors_, options_.oracle));
    if (Verdict refusal = expanders_.front()->initial(initial_.data())) return refusal;
    const uint64_t states = findings_.states;
    const uint64_t spare = spare_bytes();
    const bool fits = states < StateIndex<W>::kNone && StateIndex<W>::bytes_for(states) <= spare;
    Verdict refusal = fits && options_.sample == 0 && options_.slice_keys == 0 ? explore() : look_through(spare);
    for (const auto& expander : expanders_) findings_.transitions += expander->transitions();
    const bool counts = options_.sample == 0 && options_.oracle == nullptr;
    if (refusal || !counts || findings_.transitions == certificate_.transitions) return refusal;
    return refused(
        "E", fmt::format("there are {}, and the certificate says {}", plural(findings_.transitions, "transition"),
                         format_count(certificate_.transitions)));
  }

 private:
  // (A): the files, one after the other.
  Verdict read_states() {
    for (const MappedFile& file : certificate_.state_files) {
      const size_t first = blocks_.size();
      if (Verdict refusal = check_file<W>(file.bytes(), findings_.states, blocks_)) return refusal;
      files_.emplace_back(first, blocks_.size() - first);
    }
    if (findings_.states == certificate_.states) return std::nullopt;
    return refused("A", fmt::format("there are {}, and the certificate says {}", plural(findings_.states, "state"),
                                    format_count(certificate_.states)));
  }
  [[nodiscard]] Cursor<W> cursor(size_t file) const {
    return Cursor<W>(std::span(blocks_).subspan(files_[file].first, files_[file].second));
  }
  [[nodiscard]] uint64_t spare_bytes() const {
    if (options_.memory_bytes == 0) return UINT64_MAX;
    const uint64_t used = resident_bytes();  // the files, too, which the system takes back as it likes
    uint64_t mapped = 0;
    for (const MappedFile& file : certificate_.state_files) mapped += file.bytes().size();
    const uint64_t own = used > mapped ? used - mapped : 0;
    return options_.memory_bytes > own ? options_.memory_bytes - own : 0;
  }

  // Calls work(worker, begin, end) for parts of 0..count, in all threads, until one of them refuses.
  template <class Work>
  void in_parallel(size_t count, size_t part, Work&& work) {
    std::atomic<size_t> next{0};
    const auto share = [&](uint32_t worker) {
      try {
        for (size_t begin; !stop_ && (begin = next.fetch_add(part)) < count;)
          note(work(worker, begin, std::min(begin + part, count)));
      } catch (const std::bad_alloc&) {
        note(Refusal{Refusal::Kind::kIncomplete, "", "there is no more memory"});
      }
    };
    std::vector<std::jthread> threads;
    try {
      for (uint32_t i = 1; i < options_.threads && i * part < count; ++i) threads.emplace_back(share, i);
    } catch (const std::system_error&) {
      // Those that the system gives do all of it.
    }
    share(0);
  }
  // The first one counts.
  void note(Verdict refusal) {
    if (!refusal) return;
    const std::lock_guard lock(mutex_);
    if (!refusal_) refusal_ = std::move(refusal);
    stop_ = true;
  }

  // --- all states in memory: what is reachable, level by level. (C1) to (C4).

  Verdict explore() {
    StateIndex<W> index(findings_.states);
    for (size_t file = 0; file < files_.size(); ++file) {
      for (Cursor<W> at = cursor(file); at.key() != nullptr; at.next()) {
        if (!index.insert(*at.key()))
          return refused("A", "a state is in two files\n" + expanders_.front()->describe(at.key()->data()));
      }
    }
    const uint32_t first = index.find(initial_);
    if (first == index.kNone) return refused("C1", "the initial state is not there");
    std::vector<std::atomic<bool>> reached(index.size());
    reached[first] = true;
    uint64_t count = 0;
    std::vector<std::vector<uint32_t>> found(options_.threads);  // by worker
    for (std::vector<uint32_t> level = {first}; !level.empty() && !stop_;) {
      count += level.size();
      in_parallel(level.size(), kPart, [&](uint32_t worker, size_t begin, size_t end) {
        return expand(*expanders_[worker], index, std::span(level).subspan(begin, end - begin), reached,
                      found[worker]);
      });
      level.clear();
      for (std::vector<uint32_t>& part : found) {
        level.insert(level.end(), part.begin(), part.end());
        part.clear();
      }
    }
    if (refusal_) return refusal_;
    findings_.all_reachable = true;
    if (count == index.size()) return std::nullopt;
    const auto other = std::ranges::find_if(reached, std::logical_not<>()) - reached.begin();
    return refused("C4",
                   fmt::format("only {} are reachable (which have no error, and no other successors), but not\n{}",
                               plural(count, "state"),
                               expanders_.front()->describe(index[static_cast<uint32_t>(other)].data())));
  }
  static Verdict expand(Expander& expander, const StateIndex<W>& index, std::span<const uint32_t> states,
                        std::vector<std::atomic<bool>>& reached, std::vector<uint32_t>& found) {
    for (const uint32_t state : states) {
      Verdict missing;
      Verdict refusal = expander.expand(index[state].data(), [&](size_t number) {
        const uint32_t successor = index.find(key_of(expander));
        if (successor == index.kNone) missing = expander.not_there(number);
        if (successor != index.kNone && !reached[successor].load(std::memory_order_relaxed) &&
            !reached[successor].exchange(true, std::memory_order_relaxed))
          found.push_back(successor);
        return !missing;
      });
      if (refusal) return refusal;
      if (missing) return missing;
    }
    return std::nullopt;
  }

  // --- beyond memory: the successors of as many states as fit are looked up together. (C1) to (C3).

  // Of one worker: keys that are to be looked up, and the blocks in which the states are that they follow.
  struct Slice {
    std::vector<Key<W>> wanted;
    std::vector<size_t> blocks;
  };

  Verdict look_through(uint64_t spare) {
    constexpr uint64_t kLeast = 1024;
    // Sorting needs no more memory, but a vector that grows has its former content beside it.
    room_ = std::min<uint64_t>(spare / options_.threads / sizeof(Key<W>) / 3, uint64_t{1} << 32);
    if (room_ < kLeast) {
      return Refusal{Refusal::Kind::kIncomplete, "",
                     fmt::format("{} of memory are too little; give more with --memory, or fewer --threads",
                                 format_size(options_.memory_bytes))};
    }
    if (options_.slice_keys > 0) room_ = options_.slice_keys;
    if (Verdict refusal = check_files_differ()) return refusal;
    const std::vector<uint64_t> sample = draw();
    std::vector<Slice> slices(options_.threads);
    slices.front().wanted.push_back(initial_);
    if (!are_there(slices.front().wanted)) return refused("C1", "the initial state is not there");
    in_parallel(blocks_.size(), 1, [&](uint32_t worker, size_t begin, size_t) {
      return expand_block(begin, sample, *expanders_[worker], slices[worker]);
    });
    in_parallel(slices.size(), 1,
                [&](uint32_t worker, size_t begin, size_t) { return look_up(slices[begin], *expanders_[worker]); });
    findings_.passes = passes_;
    return refusal_;
  }

  // (A): no state is in two of them, or it would be counted twice.
  Verdict check_files_differ() {
    std::vector<Cursor<W>> cursors;
    for (size_t file = 0; file < files_.size(); ++file) {
      if (files_[file].second > 0) cursors.push_back(cursor(file));
    }
    const auto is_behind = [](const Cursor<W>& a, const Cursor<W>& b) { return *b.key() < *a.key(); };
    std::ranges::make_heap(cursors, is_behind);
    std::optional<Key<W>> last;
    while (cursors.size() > 1) {
      std::ranges::pop_heap(cursors, is_behind);
      Cursor<W>& least = cursors.back();
      if (last == *least.key())
        return refused("A", "a state is in two files\n" + expanders_.front()->describe(last->data()));
      last = *least.key();
      least.next();
      if (least.key() == nullptr) {
        cursors.pop_back();
      } else {
        std::ranges::push_heap(cursors, is_behind);
      }
    }
    if (last && !cursors.empty() && *cursors.front().key() == *last)
      return refused("A", "a state is in two files\n" + expanders_.front()->describe(last->data()));
    return std::nullopt;
  }

  // The numbers of the states in the sample, ascending; empty: all states.
  [[nodiscard]] std::vector<uint64_t> draw() const {
    std::vector<uint64_t> numbers(findings_.states == 0 ? 0 : options_.sample);
    std::mt19937_64 random(options_.seed);
    std::uniform_int_distribution<uint64_t> uniform(0, std::max<uint64_t>(findings_.states, 1) - 1);
    for (uint64_t& number : numbers) number = uniform(random);
    std::ranges::sort(numbers);
    return numbers;
  }

  Verdict expand_block(size_t number, const std::vector<uint64_t>& sample, Expander& expander, Slice& slice) {
    const Block& block = blocks_[number];
    auto drawn = std::ranges::lower_bound(sample, block.first);
    if (!sample.empty() && (drawn == sample.end() || *drawn >= block.first + block.count)) return std::nullopt;
    std::vector<Key<W>> keys;
    static_cast<void>(decode<W>(block, keys));
    slice.blocks.push_back(number);
    for (size_t i = 0; i < keys.size() && !stop_; ++i) {
      if (!sample.empty() && !std::binary_search(drawn, sample.end(), block.first + i)) continue;
      Verdict refusal = expander.expand(keys[i].data(), [&](size_t) {
        slice.wanted.push_back(key_of(expander));
        return true;
      });
      if (refusal) return refusal;
      if (slice.wanted.size() < room_) continue;
      make_unique(slice.wanted);
      if (slice.wanted.size() < room_ / 2) continue;
      if (refusal = look_up(slice, expander); refusal) return refusal;
      slice.blocks.push_back(number);
    }
    return std::nullopt;
  }
  static Key<W> key_of(const Expander& expander) {
    Key<W> key;
    std::copy_n(expander.key(), W, key.begin());
    return key;
  }
  static void make_unique(std::vector<Key<W>>& keys) {
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  }

  // Leaves those that are in no file. REQUIRES: ascending.
  bool are_there(std::vector<Key<W>>& keys) {
    ++passes_;
    for (size_t file = 0; file < files_.size() && !keys.empty(); ++file) {
      Cursor<W> at = cursor(file);
      std::erase_if(keys, [&](const Key<W>& key) {
        at.seek(key);
        return at.key() != nullptr && *at.key() == key;
      });
    }
    return keys.empty();
  }
  Verdict look_up(Slice& slice, Expander& expander) {
    make_unique(slice.wanted);
    if (!are_there(slice.wanted)) return find_step(slice, expander);
    slice.wanted.clear();
    slice.blocks.clear();
    return std::nullopt;
  }
  // To a state that is not there: some state in the slice's blocks has it.
  Verdict find_step(const Slice& slice, Expander& expander) {
    Verdict missing;
    std::vector<Key<W>> keys;
    for (const size_t number : slice.blocks) {
      static_cast<void>(decode<W>(blocks_[number], keys));
      for (const Key<W>& key : keys) {
        Verdict refusal = expander.expand(key.data(), [&](size_t i) {
          if (key_of(expander) == slice.wanted.front()) missing = expander.not_there(i);
          return !missing;
        });
        if (missing) return missing;
        if (refusal) return refusal;
      }
    }
    return refused("C2", "a successor of some state is not there");
  }

  static constexpr size_t kPart = 256;  // states that a thread takes at a time

  const Task& task_;
  const Certificate& certificate_;
  const Options& options_;
  Findings& findings_;
  StateVectors vectors_;
  std::vector<std::unique_ptr<Expander>> expanders_;  // by worker
  std::vector<Block> blocks_;
  std::vector<std::pair<size_t, size_t>> files_;  // first block, number of blocks
  Key<W> initial_{};
  uint64_t room_ = 0;  // keys in a slice
  std::atomic<uint64_t> passes_{0};
  std::mutex mutex_;
  Verdict refusal_;  // under mutex_, while threads run
  std::atomic<bool> stop_{false};
};

}  // namespace

Verdict audit(const Task& task, const Certificate& certificate, const Options& options, Findings& findings) {
  switch (certificate.words) {
    case 1: return Audit<1>(task, certificate, options, findings).run();
    case 2: return Audit<2>(task, certificate, options, findings).run();
    case 4: return Audit<4>(task, certificate, options, findings).run();
    default: return Audit<16>(task, certificate, options, findings).run();
  }
}

}  // namespace cmc::audit
