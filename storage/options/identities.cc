#include "storage/options/identities.h"

#include <fmt/format.h>

namespace cmc {

void IdentityChecker::add(const char* text, Wide left, Wide right) {
  broken_.push_back({text, fmt::format("{}", left), fmt::format("{}", right)});
}

void IdentityChecker::check_rounds(const StoreFigures& s, uint64_t states_visited, uint64_t states_created,
                                   bool complete) {
  const Wide visited = states_visited;
  const Wide offered = Wide{states_created} + 1;
  const Wide dealt_with = Wide{s.lossy_resolved} + s.lookups;
  equal("visited = new candidates", visited, s.reopened);
  equal("visited = in memory + on pages", visited, Wide{s.lossy_left} + s.stored_states);
  equal("candidates taken = twice in a turn + seen before + new", s.lookups,
        Wide{s.duplicate_candidates} + s.revisits + s.reopened);
  at_least("seen before >= seen in memory", s.revisits, s.seen_in_memory);
  at_least("new >= certainly not on pages", s.reopened, s.ruled_out);
  at_least("candidates taken >= most in a turn", s.lookups, s.max_lookup);
  if (complete) {
    equal("created + 1 = left out + candidates taken", offered, dealt_with);
  } else {
    at_least("created + 1 >= left out + candidates taken", offered, dealt_with);
  }
}

void IdentityChecker::check_caches(const StoreFigures& s, uint64_t states_visited, uint64_t states_created,
                                   bool complete) {
  const Wide visited = states_visited;
  const Wide created = states_created;
  const Wide resolved = Wide{s.lossy_resolved} + s.revisits + s.duplicate_candidates;
  equal("Bloom queries = created + 1", s.bloom_queries, created + 1);
  // When a filter is rebuilt for wider keys, states enter it without being asked for.
  if (s.bloom_hashes == 1 && s.bloom_rebuilds == 0) {
    equal("k = 1: Bloom resolved = bits set", s.bloom_resolved, s.bloom_bits_set);
  }
  equal("Bloom entries = visited", s.bloom_entries, visited);
  equal("lossy elements = visited", s.lossy_elements, visited);
  equal("lossy queries = Bloom queries - Bloom resolved", s.lossy_queries, Wide{s.bloom_queries} - s.bloom_resolved);
  equal("cache failures = lossy queries - lossy resolved", s.cache_failures,
        Wide{s.lossy_queries} - s.lossy_resolved);
  equal("disk lookups = cache failures", s.lookups, s.cache_failures);
  equal("reopened = visited - Bloom resolved", s.reopened, visited - s.bloom_resolved);
  equal("visited = left in the lossy table + reclaimed", visited, Wide{s.lossy_left} + s.reclaimed);
  // What is not swept away makes room for another one, or goes to a page at once because it was a candidate.
  if (s.reclaim_runs == 0) {
    at_least("no sweeps: replacements + reopened >= reclaimed", Wide{s.replacements} + s.reopened, s.reclaimed);
  }
  const Wide decided = Wide{s.revisits} + s.reopened + s.duplicate_candidates;
  if (complete) {
    equal("disk lookups = revisits + reopened + duplicate candidates", s.lookups, decided);
    equal("created - (visited - 1) = lossy resolved + revisits + duplicate candidates", created - (visited - 1),
          resolved);
  } else {
    at_least("disk lookups >= revisits + reopened + duplicate candidates", s.lookups, decided);
    at_least("created - (visited - 1) >= lossy resolved + revisits + duplicate candidates", created - (visited - 1),
             resolved);
  }
}

std::string check_identities(const StoreFigures& figures, uint64_t visited, uint64_t created) {
  IdentityChecker checker;
  checker.check_store(figures, visited, created, true);
  const std::vector<BrokenIdentity> broken = checker.take();
  if (broken.empty()) return {};
  return fmt::format("{}: {} is not {}", broken.front().text, broken.front().left, broken.front().right);
}

}  // namespace cmc
