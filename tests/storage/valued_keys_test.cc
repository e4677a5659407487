#include "storage/pages/valued_keys.h"

#include <map>
#include <random>
#include <vector>

#include "storage/pages/key_partitions.h"
#include "storage/pages/partition_queues.h"
#include "tests/support/memory_files.h"

#include "tests/catch.h"

namespace cmc {
namespace {

StoreOptions small_pages() {
  StoreOptions options;
  options.directory = "/store";
  options.page_bytes = 512;
  options.write_buffer_bytes = 4096;
  return options;
}

// A ValuedKeys, and what it has to contain. A function returns false if the files have failed.
template <unsigned W>
class ValueReferee {
 public:
  using Values = std::map<Key<W>, uint8_t>;
  static constexpr uint32_t kPartitions = 3;

  ValueReferee(FileSystem& files, uint64_t seed) : random_(seed), keys_(small_pages(), 7, kPartitions, files) {}

  bool add(uint32_t partition, size_t count) {
    std::vector<Key<W>> added;
    while (added.size() < count) {
      Key<W> key{};
      key[W - 1] = random_() % 100000;
      key[0] = (key[0] * kPartitions + partition) & 0xffffffff;
      if (expected_[partition].emplace(key, uint8_t{1}).second) added.push_back(key);
    }
    std::sort(added.begin(), added.end());
    return ok(keys_.add(partition, added));
  }
  // Adds a number to the values of some keys: of all, or of those in a sorted list with repetitions.
  bool change_all(uint32_t partition) {
    Values seen;
    const auto by = static_cast<uint8_t>(random_() % 3);
    const Status status = keys_.visit(partition, [&](const Key<W>& key, uint8_t& value) {
      REQUIRE(seen.emplace(key, value).second);
      value = static_cast<uint8_t>(value + (key[W - 1] % 2 == 0 ? by : 0));
      return true;
    });
    if (!ok(status)) return false;
    REQUIRE(seen == expected_[partition]);
    for (auto& [key, value] : expected_[partition])
      value = static_cast<uint8_t>(value + (key[W - 1] % 2 == 0 ? by : 0));
    return true;
  }
  bool change_some(uint32_t partition, size_t count) {
    std::vector<Key<W>> wanted;
    std::map<Key<W>, ptrdiff_t> times;
    for (size_t i = 0; i < count; ++i) {
      Key<W> key{};
      key[W - 1] = random_() % 120000;
      auto near = expected_[partition].lower_bound(key);
      if (random_() % 3 > 0 && near != expected_[partition].end()) key = near->first;
      for (uint64_t repeat = 1 + random_() % 2; repeat > 0; --repeat) wanted.push_back(key), ++times[key];
    }
    std::sort(wanted.begin(), wanted.end());
    const Status status = keys_.look_up(partition, wanted, [&](const Key<W>& key, ptrdiff_t its, uint8_t& value) {
      const auto place = expected_[partition].find(key);
      REQUIRE(place != expected_[partition].end());
      REQUIRE(times.at(key) == its);
      REQUIRE(place->second == value);
      times.erase(key);
      value = place->second = static_cast<uint8_t>(value + its);
      return true;
    });
    if (!ok(status)) return false;
    for (const auto& [key, its] : times) REQUIRE(expected_[partition].count(key) == 0);
    return true;
  }
  bool filter(uint32_t partition, uint8_t least) {
    if (!ok(keys_.filter(partition, [&](uint8_t value) { return value >= least; }))) return false;
    std::erase_if(expected_[partition], [&](const auto& entry) { return entry.second < least; });
    for (auto& [key, value] : expected_[partition]) value = 1;
    return true;
  }
  bool some_steps() {
    for (int i = 0; i < 12; ++i) {
      const auto partition = static_cast<uint32_t>(random_() % kPartitions);
      bool went = true;
      switch (random_() % 5) {
        case 0: went = add(partition, random_() % 900); break;
        case 1: went = change_all(partition); break;
        case 2: went = change_some(partition, 1 + random_() % 500); break;
        case 3: went = change_some(partition, 2); break;
        default: went = filter(partition, static_cast<uint8_t>(random_() % 4)); break;
      }
      if (!went) return false;
      if (i % 4 > 0) continue;
      for (uint32_t number = 0; number < kPartitions; ++number) {
        if (!change_all(number)) return false;
      }
    }
    size_t size = 0;
    for (const Values& values : expected_) size += values.size();
    REQUIRE(keys_.size() == size);
    REQUIRE(keys_.memory_bytes() > 0);
    return true;
  }
  [[nodiscard]] const std::string& error() const { return error_; }
  ValuedKeys<W>& keys() { return keys_; }

 private:
  bool ok(const Status& status) {
    if (!status.ok()) error_ = status.error();
    return status.ok();
  }

  std::mt19937_64 random_;
  ValuedKeys<W> keys_;
  std::array<Values, kPartitions> expected_;
  std::string error_;
};

TEST_CASE("valued keys: they are like maps") {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    MemoryFileSystem files;
    {
      ValueReferee<1> one(files, seed);
      REQUIRE(one.some_steps());
      uint64_t pages = 0;
      for (const auto& [path, content] : files.all()) pages += path.starts_with("/store/p") ? content->size() : 0;
      REQUIRE(one.keys().bytes_on_disk() == pages);
    }
    REQUIRE(files.all().empty());
    ValueReferee<2> two(files, seed);
    REQUIRE(two.some_steps());
  }
}

TEST_CASE("valued keys: a visit that is ended does not disturb another one") {
  MemoryFileSystem files;
  ValuedKeys<1> keys(small_pages(), 0, 1, files);
  std::vector<Key<1>> added;
  for (uint64_t i = 0; i < 2000; ++i) added.push_back({i * 3});
  REQUIRE(keys.add(0, added).ok());
  int visits = 0;
  const auto until = [&](int end) {
    return [&visits, end](const Key<1>&, uint8_t& value) {
      ++value;
      return ++visits < end;
    };
  };
  REQUIRE(keys.visit(0, until(1500)).ok());
  REQUIRE(visits == 1500);
  REQUIRE(
      keys.look_up(0, added, [&](const Key<1>& key, ptrdiff_t, uint8_t& value) { return until(1510)(key, value); })
          .ok());
  REQUIRE(visits == 1510);
  uint64_t sum = 0;
  REQUIRE(keys.visit(0, [&](const Key<1>&, const uint8_t& value) { return sum += value, true; }).ok());
  REQUIRE(sum == 2000 + 1510);
}

TEST_CASE("valued keys: faults at every operation are errors") {
  for (const Fault fault : kFaults) {
    uint64_t failures = 0;
    for (uint64_t operation = 0;; ++operation) {
      MemoryFileSystem memory;
      FaultyFiles files(memory, fault, operation);
      ValueReferee<1> referee(files, 3);
      const bool ok = referee.some_steps();
      if (!ok) REQUIRE_THAT(referee.error(), Catch::Contains("/store/"));
      if (is_reported(fault)) REQUIRE(files.happened() == !ok);
      if (!files.happened()) REQUIRE(ok);
      failures += ok ? 0 : 1;
      if (operation >= files.operations()) break;
    }
    INFO("fault " << static_cast<int>(fault));
    REQUIRE(failures >= 5);
  }
}

TEST_CASE("partition queues: there are as many as partitions, each in its order") {
  MemoryFileSystem files;
  std::mt19937_64 random(1);
  PartitionQueues<uint64_t> queues(files, "/store/queues", 3, 5 * sizeof(uint64_t));
  std::array<std::deque<uint64_t>, 3> expected;
  for (int i = 0; i < 3000; ++i) {
    const auto partition = static_cast<uint32_t>(random() % 3);
    if (random() % 12 > 0) {
      expected[partition].push_back(random());
      REQUIRE(queues.add(partition, expected[partition].back()).ok());
    } else {
      const uint64_t most = random() % 40;
      const uint64_t before = expected[partition].size();
      REQUIRE(queues
                  .take(partition, most,
                        [&](uint64_t record) {
                          REQUIRE(record == expected[partition].front());
                          expected[partition].pop_front();
                        })
                  .ok());
      const uint64_t taken = before - expected[partition].size();
      REQUIRE(taken <= std::max<uint64_t>(most, 5));
      REQUIRE((taken > 0) == (before > 0));
    }
    for (uint32_t number = 0; number < 3; ++number) REQUIRE(queues.size(number) == expected[number].size());
    queues.check_invariants();
  }
}

}  // namespace
}  // namespace cmc
