// A search of Peterson's mutual exclusion for N processes (8 to 9 bits a process) through a CachedStore: how the
// parts share memory, what the evaluators are worth, what a page costs.
//
//   bench_store DIRECTORY PROCESSES MEMORY_MB [NAME=VALUE]...
//
// Names: order (dfs, bfs), evaluator (0..3), codec (0..3), bloom, lossy, write, candidates (percent of memory, of all
// that is not fixed), hashes, page, partitions, expected (states), io (0, 1), limit (states), ahead (a 1/n of the
// capacity).

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <map>
#include <string>

#include <fmt/format.h>

#include "base/check.h"
#include "base/process_memory.h"
#include "bench/peterson.h"
#include "storage/cache/cached_store.h"
#include "storage/cache/divide_memory.h"
#include "storage/options/identities.h"

namespace cmc {
namespace {

using Words = Key<1>;

struct PetersonVectors final : StateVectors {
  explicit PetersonVectors(unsigned processes) : n(processes) {}
  unsigned n;
  static constexpr unsigned kProcessBits = Peterson::kProcessBits;

  void unpack(const uint64_t* words, Bytes& state) const override {
    state.assign(state_bytes(words), std::byte{0});
    for (unsigned i = 0; i < n; ++i) {
      state[4 * i + 4] = static_cast<std::byte>(words[0] >> i * kProcessBits & 3);
      state[4 * i + 5] = static_cast<std::byte>(words[0] >> (i * kProcessBits + 2) & 7);
      state[4 * i + 6] = static_cast<std::byte>(words[0] >> (i * kProcessBits + 5) & 7);
      if (i + 1 < n) state[4 * i + 7] = static_cast<std::byte>(words[0] >> (n * kProcessBits + 3 * i) & 7);
    }
  }
  uint64_t state_bytes(const uint64_t*) const override { return 4 + 4 * n; }
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int run(int count, char** arguments) {
  if (count < 4) return 2;
  std::map<std::string, std::string> set;
  for (int i = 4; i < count; ++i) {
    const std::string text = arguments[i];
    set[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  }
  const auto number = [&](const char* name, uint64_t otherwise) {
    return set.count(name) > 0 ? std::strtoull(set[name].c_str(), nullptr, 10) : otherwise;
  };
  const Peterson model{static_cast<unsigned>(std::atoi(arguments[2]))};
  const PetersonVectors vectors(model.n);
  const uint64_t memory = std::strtoull(arguments[3], nullptr, 10) << 20;
  StoreOptions options = divide_memory(memory, 1, model.bits(), number("expected", 0));
  options.directory = arguments[1];
  options.bloom_hashes = static_cast<unsigned>(number("hashes", options.bloom_hashes));
  options.page_bytes = number("page", options.page_bytes);
  options.evaluator = static_cast<Evaluator>(number("evaluator", static_cast<uint64_t>(options.evaluator)));
  options.codec = static_cast<PageCodec>(number("codec", 0));
  options.io = static_cast<FileAccess>(number("io", 0));
  options.partitions = static_cast<uint32_t>(number("partitions", options.partitions));
  if (set.count("bloom") > 0) options.bloom_bits = memory / 100 * 8 * number("bloom", 0);
  if (set.count("lossy") > 0) {
    while (LossyCache<1>::bytes_for(options.lossy_capacity, model.bits(), 0) > memory / 100 * number("lossy", 0)) {
      options.lossy_capacity -= options.lossy_capacity / 64 + 1;
    }
    while (LossyCache<1>::bytes_for(options.lossy_capacity, model.bits(), 0) < memory / 100 * number("lossy", 0)) {
      options.lossy_capacity += options.lossy_capacity / 64 + 1;
    }
  }
  if (set.count("write") > 0) options.write_buffer_bytes = memory / 100 * number("write", 0);
  if (set.count("candidates") > 0) options.lookup_buffer = memory / 100 * number("candidates", 0) / 24;
  if (set.count("ahead") > 0) options.reclaim_ahead = options.lossy_capacity / number("ahead", 32);
  CHECK(check_options(options).ok());

  const std::array<unsigned, 1> word_bits{model.bits()};
  const StateHasher<1> hasher(options, word_bits, vectors);
  const std::unique_ptr<FileSystem> files = make_posix_file_system();
  CachedStore<1> store(options, {}, hasher, word_bits, *files);
  const double began = cpu_seconds();
  const auto clock = std::chrono::steady_clock::now();

  using Offer = CachedStore<1>::Offer;
  const bool bfs = set["order"] == "bfs";
  std::deque<uint64_t> open;
  uint64_t visited = 0;
  uint64_t created = 0;
  uint64_t explicit_lookups = 0;
  uint64_t most_memory = 0;
  const auto on_new = [&](const Words& key, const Origin&) {
    ++visited;
    open.push_back(key[0]);
  };
  const auto offer = [&](const HashedKey<1>& hashed, uint64_t state) {
    const Offer answer = store.offer(hashed, {});
    if (answer == Offer::kNew) on_new({state}, {});
    while (const auto full = store.needs_check()) static_cast<void>(store.check(*full, on_new));
    if (!store.status().ok()) {
      fmt::print("{}\n", store.status().error());
      std::exit(1);
    }
  };
  Bytes scratch;
  offer(hasher({0}, scratch), 0);
  std::vector<std::pair<HashedKey<1>, uint64_t>> batch;
  const uint64_t limit = number("limit", ~uint64_t{0});
  while (visited < limit) {
    if (open.empty()) {
      if (store.candidates() == 0) break;
      ++explicit_lookups;
      if (const Status status = store.check_all(on_new); !status.ok()) return fmt::print("{}\n", status.error()), 1;
      continue;
    }
    const uint64_t state = bfs ? open.front() : open.back();
    bfs ? open.pop_front() : open.pop_back();
    batch.clear();
    model.successors(state, [&](unsigned, uint64_t successor) {
      batch.emplace_back(hasher({successor}, scratch), successor);
      store.prefetch(batch.back().first);
    });
    created += batch.size();
    if (store.wants_outgoing()) store.expanded(hasher({state}, scratch), batch.size());
    for (const auto& [hashed, successor] : batch) offer(hashed, successor);
    if ((visited & 0xfff) == 0) most_memory = std::max(most_memory, store.memory_bytes());
  }
  const StoreFigures f = store.figures();
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
  const double states = static_cast<double>(visited);
  fmt::print("visited {} created {}  cpu {:.1f} s, wall {:.1f} s, {:.0f} ns per transition; identities: {}\n",
             visited, created, cpu_seconds() - began, wall,
             (cpu_seconds() - began) * 1e9 / static_cast<double>(created), check_identities(f, visited, created));
  fmt::print(
      "  bloom {} bits ({:.1f} a state) k {}: {:.3f} of queries resolved; lossy {}: {:.3f} of queries resolved, "
      "reclaimed {}\n",
      f.bloom_bits, static_cast<double>(f.bloom_bits) / states, f.bloom_hashes,
      static_cast<double>(f.bloom_resolved) / static_cast<double>(f.bloom_queries), f.lossy_capacity,
      static_cast<double>(f.lossy_resolved) / static_cast<double>(f.lossy_queries), f.reclaimed);
  fmt::print("  failures {} duplicates {} revisits {} reopened {}; max lookup {} of {}, explicit {}\n",
             f.cache_failures, f.duplicate_candidates, f.revisits, f.reopened, f.max_lookup, f.lookup_buffer,
             explicit_lookups);
  fmt::print(
      "  pages {} written {} read; MB {} written {} read; on disk {} MB, {:.3f} bytes a state; memory {} of {}, "
      "resident {}\n",
      f.pages_written, f.pages_read, f.bytes_written >> 20, f.bytes_read >> 20, f.disk_bytes >> 20,
      static_cast<double>(f.disk_bytes) / static_cast<double>(std::max<uint64_t>(1, f.stored_states)), most_memory,
      memory, resident_bytes());
  return 0;
}

}  // namespace
}  // namespace cmc

int main(int count, char** arguments) { return cmc::run(count, arguments); }
