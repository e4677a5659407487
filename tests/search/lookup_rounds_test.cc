#include "checker/search/disk/lookup_rounds.h"

#include "tests/catch.h"

namespace cmc {
namespace {

TEST_CASE("rounds of look-ups: a round ends before the first repetition") {
  LookupRounds lookups;
  CHECK(lookups.rounds() == 0);
  for (const uint32_t partition : {3U, 1U, 2U}) lookups.note(partition);
  CHECK(lookups.rounds() == 1);
  lookups.note(1);
  CHECK(lookups.rounds() == 2);
  lookups.note(3);  // not in this round yet
  CHECK(lookups.rounds() == 2);
  lookups.note(3);
  CHECK(lookups.rounds() == 3);
  CHECK(lookups.partitions() == 6);
}

TEST_CASE("rounds of look-ups: a round that is begun is none as long as nothing is looked up") {
  LookupRounds lookups;
  lookups.begin_round();
  lookups.begin_round();
  CHECK(lookups.rounds() == 0);
  lookups.note(0);
  lookups.note(1);
  CHECK(lookups.rounds() == 1);
  lookups.begin_round();
  lookups.note(2);
  CHECK(lookups.rounds() == 2);
  CHECK(lookups.partitions() == 3);
}

}  // namespace
}  // namespace cmc
