#include <fmt/format.h>

#include "base/units.h"
#include "checker/cli/options/table/option_values.h"
#include "checker/cli/options/table/rows.h"

namespace cmc::rows {
namespace {

// As check_options() of the store has them.
constexpr uint64_t kMostBits = uint64_t{1} << 50;
constexpr uint64_t kMostStates = uint64_t{1} << 40;
constexpr uint64_t kMostCandidates = uint64_t{1} << 30;
constexpr uint64_t kLeastPage = 512;
constexpr uint64_t kMostPage = uint64_t{1} << 28;

// An option about a part of the disk store enables the store from the start.
Status store_size(Options& options, const std::string& text, std::optional<uint64_t>& out, uint64_t least,
                  uint64_t most) {
  CMC_TRY(const uint64_t size, parse_size(text));
  if (size < least || size > most) {
    return Error{fmt::format("{} is not between {} and {}", text, short_size(least), short_size(most))};
  }
  out = size;
  return turn_on(options.check.store.from_start);
}

template <class T>
Status store_number(Options& options, const std::string& text, std::optional<T>& out, uint64_t least, uint64_t most) {
  uint64_t number = 0;
  if (const Status set = whole_number(text, number); !set.ok()) return set;
  if (number < least || number > most) return Error{fmt::format("{} is not between {} and {}", number, least, most)};
  out = static_cast<T>(number);
  return turn_on(options.check.store.from_start);
}

template <class T, size_t n>
Status store_choice(Options& options, const std::string& text, const EnumName<T> (&choices)[n],
                    std::optional<T>& out) {
  T value{};
  if (const Status set = choose(text, choices, value); !set.ok()) return set;
  out = value;
  return turn_on(options.check.store.from_start);
}

Status page_codec(Options& options, const std::string& text) {
  if (!text.starts_with("sha1:")) return store_choice(options, text, kPageCodecNames, options.check.store.codec);
  options.check.store.codec = PageCodec::kSha1;
  return store_number(options, text.substr(5), options.check.store.sha1_bits, 16, 160);
}

Status page_io(Options& options, const std::string& text) {
  struct Kind {
    FileAccess access = FileAccess::kBuffered;
    bool async = false;
  };
  static constexpr EnumName<Kind> kKinds[] = {{"buffered", {FileAccess::kBuffered, false}},
                                              {"direct", {FileAccess::kDirect, false}},
                                              {"buffered-async", {FileAccess::kBuffered, true}},
                                              {"direct-async", {FileAccess::kDirect, true}}};
  Kind kind;
  if (const Status set = choose(text, kKinds, kind); !set.ok()) return set;
  options.check.store.io = kind.access;
  options.check.store.async_io = kind.async;
  return turn_on(options.check.store.from_start);
}

constexpr OptionRow kStoreRows[] = {
    {kCheck | kResume, kStoreSection, "--store", "FOLDER",
     "where states go when the memory limit is reached. The run makes its own folder there and removes it at the "
     "end, along with folders that killed runs left (default: the system's folder for temporary files)",
     [](Options& o, const std::string& v) { return file_name(v, o.check.store.directory); }},
    {kCheck, kStoreSection, "--no-store", nullptr, "stop at the memory limit instead of using the disk",
     [](Options& o, const std::string&) { return turn_off(o.check.store.enabled); }},
    {kCheck, kStoreSection, "--beyond", "KIND",
     "how states are kept beyond memory. cached: Bloom filter, lossy cache, pages; sorted: in sorted rounds, a "
     "partition at a time, for which several threads pay; auto (default): sorted, unless cycles are looked for or an "
     "option of the caches or --search is given",
     [](Options& o, const std::string& v) { return choose(v, kBeyondNames, o.check.store.beyond); }},
    {kCheck, kStoreSection, "--keep", nullptr, "keep the run's folder",
     [](Options& o, const std::string&) { return turn_on(o.check.store.keep); }},
    {kCheck, kStoreSection, "--paths", "WHETHER",
     "on (default): it is logged how each state beyond memory was reached, 3 to 5 bytes a state; off: it is not, and "
     "an error is searched for a second time",
     [](Options& o, const std::string& v) {
       static constexpr EnumName<bool> kWhether[] = {{"on", true}, {"off", false}};
       return choose(v, kWhether, o.check.store.paths);
     }},
    {kCheck, kStoreSection, "--bloom-bits", "SIZE", "size of the Bloom filter in bits: 1M, 64M (1M is 2^20)",
     [](Options& o, const std::string& v) { return store_size(o, v, o.check.store.bloom_bits, 1, kMostBits); }},
    {kCheck, kStoreSection, "--bloom-hashes", "N", "number of hash functions of the Bloom filter, 1 to 8",
     [](Options& o, const std::string& v) { return store_number(o, v, o.check.store.bloom_hashes, 1, 8); }},
    {kCheck, kStoreSection, "--lossy-capacity", "N", "number of states in the lossy cache, e.g. 1000, 1M",
     [](Options& o, const std::string& v) { return store_size(o, v, o.check.store.lossy_capacity, 1, kMostStates); }},
    {kCheck, kStoreSection, "--reclaim-ahead", "N",
     "number of states that the lossy cache evicts at a time (default: 1, a neighbour of the new one), or a share of "
     "its capacity: 10%",
     [](Options& o, const std::string& v) -> Status {
       o.check.store.reclaim_ahead.reset();
       o.check.store.reclaim_percent.reset();
       if (!v.ends_with('%')) return store_size(o, v, o.check.store.reclaim_ahead, 1, kMostStates);
       if (const Status set = percentage(v, o.check.store.reclaim_percent.emplace()); !set.ok()) return set;
       return turn_on(o.check.store.from_start);
     }},
    {kCheck, kStoreSection, "--evaluator", "KIND",
     "which states are evicted first. age: the oldest; incoming: those that were reached least often; outgoing: "
     "those with the fewest successors; combined: a mixture",
     [](Options& o, const std::string& v) { return store_choice(o, v, kEvaluatorNames, o.check.store.evaluator); }},
    {kCheck, kStoreSection, "--lookup-buffer", "N",
     "number of candidates that a partition collects before it looks them up on disk",
     [](Options& o, const std::string& v) {
       return store_size(o, v, o.check.store.lookup_buffer, 1, kMostCandidates);
     }},
    {kCheck, kStoreSection, "--partitions", "N",
     "number of partitions of the states on disk, 1 to 4096 (default: 32)",
     [](Options& o, const std::string& v) { return store_number(o, v, o.check.store.partitions, 1, 4096); }},
    {kCheck, kStoreSection, "--page-size", "SIZE", "size of a page before compression, 512 to 256M",
     [](Options& o, const std::string& v) {
       return store_size(o, v, o.check.store.page_bytes, kLeastPage, kMostPage);
     }},
    {kCheck, kStoreSection, "--page-codec", "KIND",
     "what is on a page. keys (default); raw: state vectors; zlib: those compressed; diff: those as differences from "
     "one to the next; sha1:BITS: 16 to 160 bits of their SHA-1, which can take one state for another: the "
     "verdict is \"holds\" only if no state was looked up on disk",
     [](Options& o, const std::string& v) { return page_codec(o, v); }},
    {kCheck, kStoreSection, "--zlib-level", "N", "compression level, 1 (fast) to 9 (small)",
     [](Options& o, const std::string& v) { return store_number(o, v, o.check.store.zlib_level, 1, 9); }},
    {kCheck, kStoreSection, "--io", "KIND",
     "how pages are read and written. buffered (default): through the system's page cache; direct: without it; "
     "buffered-async, direct-async: by a thread of its own, while the search goes on",
     [](Options& o, const std::string& v) { return page_io(o, v); }},
};

}  // namespace

std::span<const OptionRow> store_rows() { return kStoreRows; }

}  // namespace cmc::rows
