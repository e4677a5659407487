#include "checker/properties/turns.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/fake_clock.h"

#include "tests/catch.h"

namespace cmc {
namespace {

using test::FakeClock;

// Works for `seconds`, in steps of a millisecond, and lets others go on whenever its turn is over.
void work(FakeClock& clock, Turn& turn, double seconds) {
  for (double spent = 0; spent < seconds; spent += 0.001) {
    clock.now += 0.001;
    if (turn.is_over()) turn.wait();
  }
}

TEST_CASE("turns: short jobs end while a long one waits") {
  FakeClock clock;
  Turns turns(clock, 0);
  std::string ended;
  double short_ended = 0;
  const std::vector<Turns::Job> jobs = {
      [&](Turn& turn) { work(clock, turn, 500), ended += 'L'; },
      [&](Turn& turn) { work(clock, turn, 0.05), ended += 's', short_ended = clock.now; },
      [&](Turn& turn) { work(clock, turn, 2), ended += 'm'; },
  };
  turns.run(jobs);
  CHECK(ended == "smL");
  CHECK(short_ended < 1000.3);
}

TEST_CASE("turns: jobs that end in their first look do so in their order") {
  FakeClock clock;
  std::string ended;
  std::vector<Turns::Job> jobs;
  for (const char name : {'a', 'b', 'c', 'd'}) {
    jobs.push_back([&, name](Turn& turn) { work(clock, turn, 0.005), ended += name; });
  }
  Turns(clock, 0).run(jobs);
  CHECK(ended == "abcd");
}

TEST_CASE("turns: one job alone never waits") {
  FakeClock clock;
  const std::vector<Turns::Job> jobs = {[&](Turn& turn) {
    for (int i = 0; i < 100; ++i) {
      clock.now += 1;
      CHECK(!turn.is_over());
      CHECK(!turn.must_set_aside());
    }
    turn.wait_for_disk();
    CHECK(turn.seconds_left() > 1e9);
  }};
  Turns(clock, 0).run(jobs);
}

TEST_CASE("turns: a job is set aside while others hold memory, and begins anew after them") {
  FakeClock clock;
  std::string events;
  const std::vector<Turns::Job> jobs = {
      [&](Turn& turn) {
        work(clock, turn, 3);
        events += "A";
      },
      [&](Turn& turn) {
        work(clock, turn, 0.5);
        CHECK(turn.must_set_aside());
        events += "-";
        turn.wait();
        events += "B";
        CHECK(!turn.must_set_aside());
      },
  };
  Turns(clock, 0).run(jobs);
  CHECK(events == "-AB");
}

TEST_CASE("turns: jobs go to the disk one after the other, when none is in RAM") {
  FakeClock clock;
  std::string events;
  const auto large = [&](char name) {
    return [&, name](Turn& turn) {
      work(clock, turn, 0.2);
      turn.wait_for_disk();
      events += name;
      work(clock, turn, 100);
      events += name;
    };
  };
  const std::vector<Turns::Job> jobs = {
      large('A'), large('B'), [&](Turn& turn) {
        work(clock, turn, 50);
        CHECK(!turn.must_set_aside());  // those that wait for the disk go on after it
        events += 'c';
      }};
  Turns(clock, 0).run(jobs);
  CHECK(events == "cAABB");
}

TEST_CASE("turns: the time limit is shared") {
  FakeClock clock;
  const double start = clock.now;
  std::vector<double> worked(3);
  std::vector<Turns::Job> jobs;
  for (double& mine : worked) {
    jobs.push_back([&](Turn& turn) {
      while (turn.seconds_left() > 0) {
        clock.now += 0.001;
        mine += 0.001;
        if (turn.is_over()) turn.wait();
      }
    });
  }
  Turns(clock, 30).run(jobs);
  CHECK(clock.now - start < 30.1);
  for (const double seconds : worked) CHECK((seconds > 8 && seconds < 12));
}

TEST_CASE("turns: when a job has found an error, the others go on for a while only") {
  FakeClock clock;
  constexpr uint64_t kOwn = 40'000;
  constexpr uint64_t kShare = ((uint64_t{1} << 20) + kOwn) / 2;
  const std::vector<Turns::Job> jobs = {
      [&](Turn& turn) {
        CHECK(!turn.has_enough(100'000'000, 0));
        work(clock, turn, 0.1);
        CHECK(!turn.has_enough(kShare - 1, 0));
        CHECK(turn.has_enough(kShare, 0));
        CHECK(!turn.has_enough(kShare - 401, 100));
        CHECK(turn.has_enough(kShare - 400, 100));
      },
      [&](Turn& turn) {
        work(clock, turn, 0.005);
        turn.found(kOwn);
      },
      [](Turn&) {},
  };
  Turns(clock, 0).run(jobs);
}

TEST_CASE("turns: what a job throws is thrown when all have ended") {
  FakeClock clock;
  bool ended = false;
  const std::vector<Turns::Job> jobs = {
      [&](Turn& turn) {
        work(clock, turn, 0.05);
        throw std::runtime_error("failed");
      },
      [&](Turn& turn) { work(clock, turn, 10), ended = true; },
  };
  CHECK_THROWS_AS(Turns(clock, 0).run(jobs), std::runtime_error);
  CHECK(ended);
}

}  // namespace
}  // namespace cmc
