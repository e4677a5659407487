// A process that is killed at any moment, and every fault of a file: afterwards all of a transaction is there, or
// nothing.
#include <csignal>
#include <ctime>
#include <random>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "studies/transactions/transaction.h"
#include "tests/support/part_of_day.h"
#include "tests/support/temporary_folder.h"
#include "tests/transactions/counters.h"
#include "tests/transactions/faulty_folder.h"

#include "tests/catch.h"

namespace cmc {
namespace {

using Outcome = Transaction::Outcome;
using test::counter;
using test::FaultyFolder;
using test::kCounters;
using test::TemporaryFolder;

// One transaction: both counters. False: an error.
bool add_one_to_both(FolderFiles& files, const std::string& folder, const TransactionOptions& options) {
  Result<Transaction> started = Transaction::start(files, folder, "t", options);
  if (!started.ok()) return false;
  Transaction transaction = std::move(started).value();
  for (const char* const name : kCounters) {
    const Result<Outcome> added = test::add_one(transaction, name);
    if (!added.ok() || added.value() != Outcome::kGoesOn) return false;
  }
  const Result<Outcome> committed = transaction.commit();
  return committed.ok() && committed.value() == Outcome::kCommitted;
}

struct Killed {
  int acknowledged = 0;  // commits that the process has reported
};

// Runs transactions in a process of its own, which is killed after that time, or, at last, ends.
Killed run_and_kill(const std::string& folder, TransactionScheme scheme, uint64_t nanoseconds) {
  int pipe_ends[2];
  REQUIRE(::pipe(pipe_ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    FolderFiles files;
    for (int i = 0; i < 100 && add_one_to_both(files, folder, {scheme, false}); ++i) {
      if (::write(pipe_ends[1], "+", 1) != 1) break;
    }
    ::_exit(0);
  }
  ::close(pipe_ends[1]);
  const timespec time{0, static_cast<long>(nanoseconds)};
  ::nanosleep(&time, nullptr);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  Killed killed;
  char buffer[128];
  for (ssize_t count = 0; (count = ::read(pipe_ends[0], buffer, sizeof buffer)) > 0;) {
    killed.acknowledged += static_cast<int>(count);
  }
  ::close(pipe_ends[0]);
  return killed;
}

TEST_CASE("transactions: a process that is killed at any moment leaves all or nothing, 1,000 times") {
  FolderFiles files;
  std::mt19937 random(7);
  for (const TransactionScheme scheme : {TransactionScheme::kBuffered, TransactionScheme::kSnapshot}) {
    const TemporaryFolder folder;
    int commits = 0;
    int in_the_middle = 0;
    for (int i = 0; i < 500; ++i) {
      const Killed killed = run_and_kill(folder.path(), scheme, 300'000 + random() % 2'000'000);
      const bool past_commit = FolderFiles::exists(folder.path() + "/.transactions/commit").value();
      const auto discarded = Transaction::redo(files, folder.path(), {.sync = false});
      REQUIRE(discarded.ok());
      in_the_middle += past_commit || !discarded.value().empty();
      const uint8_t first = counter(files, folder.path(), "c1");
      REQUIRE(first == counter(files, folder.path(), "c2"));
      // The last one may have been committed, but not acknowledged.
      const int all = commits + killed.acknowledged;
      REQUIRE((first == all || first == all + 1));
      commits = first;
      if (commits > 150) {
        for (const char* const name : kCounters) REQUIRE(files.remove(folder.path() + "/" + name).ok());
        commits = 0;
      }
    }
    CHECK(in_the_middle > 0);  // the moments were not always between two transactions
  }
}

struct Stop {};

TEST_CASE("transactions: a process that ends behind any step leaves all or nothing") {
  FolderFiles files;
  for (const bool sync : {false, true}) {
    bool complete = false;
    int completed_by_redo = 0;
    for (int last = 0; !complete; ++last) {
      const TemporaryFolder folder;
      REQUIRE(add_one_to_both(files, folder.path(), {.sync = sync}));
      int steps = 0;
      const auto observer = [&](const TransactionEvent&) {
        if (steps++ == last) throw Stop();
      };
      bool marked = false;
      try {
        complete = add_one_to_both(files, folder.path(),
                                   {TransactionScheme::kBuffered, sync, [&](const TransactionEvent& event) {
                                      marked = marked || event.step == TransactionStep::kMark;
                                      observer(event);
                                    }});
      } catch (const Stop&) {
      }
      REQUIRE(Transaction::redo(files, folder.path(), {.sync = sync}).ok());
      REQUIRE(Transaction::redo(files, folder.path(), {.sync = sync}).ok());
      CHECK(counter(files, folder.path(), "c1") == (marked ? 2 : 1));
      CHECK(counter(files, folder.path(), "c2") == (marked ? 2 : 1));
      completed_by_redo += marked && !complete;
    }
    CHECK(completed_by_redo == 7);  // behind: mark, sync_mark, apply, apply, sync_files, remove_log, release_lock
  }
}

TEST_CASE("transactions: whoever commits next completes what was cut off") {
  FolderFiles files;
  const TemporaryFolder folder;
  const auto stop_at_apply = [](const TransactionEvent& event) {
    if (event.step == TransactionStep::kApply) throw Stop();
  };
  CHECK_THROWS_AS(add_one_to_both(files, folder.path(), {TransactionScheme::kBuffered, false, stop_at_apply}), Stop);
  REQUIRE(counter(files, folder.path(), "c1") != counter(files, folder.path(), "c2"));
  // It sees the half, which is a conflict when it commits.
  CHECK_FALSE(add_one_to_both(files, folder.path(), {.sync = false}));
  CHECK(add_one_to_both(files, folder.path(), {.sync = false}));
  CHECK(counter(files, folder.path(), "c1") == 2);
  CHECK(counter(files, folder.path(), "c2") == 2);
}

TEST_CASE("transactions: every fault leaves all or nothing", "[long]") {
  const test::PartOfDay part;
  FolderFiles real;
  const auto posix = make_posix_file_system();
  for (const TransactionScheme scheme : {TransactionScheme::kBuffered, TransactionScheme::kSnapshot}) {
    for (const Fault fault : kFaults) {
      int happened = 0;
      bool more = true;
      for (uint64_t operation = 0; more; ++operation) {
        if (!part.has(operation) && operation > 0) continue;
        const TemporaryFolder folder;
        REQUIRE(add_one_to_both(real, folder.path(), {.sync = false}));
        FaultyFolder files(*posix, fault, operation);
        const bool committed = add_one_to_both(files, folder.path(), {scheme, true});
        more = files.operations() > operation;
        happened += files.happened();
        CAPTURE(static_cast<int>(scheme), static_cast<int>(fault), operation, committed);
        REQUIRE(Transaction::redo(real, folder.path(), {.sync = false}).ok());
        const uint8_t first = counter(real, folder.path(), "c1");
        CHECK(first == counter(real, folder.path(), "c2"));
        CHECK((first == 1 || first == 2));
        if (committed) CHECK(first == 2);
        CHECK(add_one_to_both(real, folder.path(), {.sync = false}));
      }
      if (part.is_whole()) CHECK(happened > 0);
    }
  }
}

TEST_CASE("transactions: every fault of redo leaves all or nothing, and redo can be repeated") {
  FolderFiles real;
  const auto posix = make_posix_file_system();
  const auto stop_at_apply = [](const TransactionEvent& event) {
    if (event.step == TransactionStep::kApply) throw Stop();
  };
  for (const Fault fault : kFaults) {
    bool more = true;
    for (uint64_t operation = 0; more; ++operation) {
      const TemporaryFolder folder;
      CHECK_THROWS_AS(add_one_to_both(real, folder.path(), {TransactionScheme::kBuffered, false, stop_at_apply}),
                      Stop);
      FaultyFolder files(*posix, fault, operation);
      static_cast<void>(Transaction::redo(files, folder.path(), {}));
      more = files.operations() > operation;
      CAPTURE(static_cast<int>(fault), operation);
      REQUIRE(Transaction::redo(real, folder.path(), {.sync = false}).ok());
      CHECK(counter(real, folder.path(), "c1") == 1);
      CHECK(counter(real, folder.path(), "c2") == 1);
    }
  }
}

}  // namespace
}  // namespace cmc
