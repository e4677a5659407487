#include "studies/transactions/transaction.h"

#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"
#include "tests/transactions/counters.h"

#include "tests/catch.h"

namespace cmc {
namespace {

using Outcome = Transaction::Outcome;
using test::TemporaryFolder;

constexpr TransactionScheme kSchemes[] = {TransactionScheme::kBuffered, TransactionScheme::kSnapshot};

class Folder {
 public:
  Transaction start(const std::string& name, TransactionScheme scheme = TransactionScheme::kBuffered) {
    auto started = Transaction::start(files_, path(), name, {scheme, false});
    REQUIRE(started.ok());
    return std::move(started).value();
  }
  Transaction open(const std::string& name) {
    auto opened = Transaction::open(files_, path(), name, {.sync = false});
    REQUIRE(opened.ok());
    return std::move(opened).value();
  }
  FileContent content(const std::string& name) {
    auto content = files_.read(path() + "/" + name);
    REQUIRE(content.ok());
    return content.value();
  }
  std::vector<std::string> redo() {
    auto discarded = Transaction::redo(files_, path(), {.sync = false});
    REQUIRE(discarded.ok());
    return discarded.value();
  }
  // Of `.transactions`.
  std::vector<std::string> left() { return FolderFiles::list(path() + "/.transactions").value(); }
  [[nodiscard]] const std::string& path() const { return folder_.path(); }
  [[nodiscard]] FolderFiles& files() { return files_; }

 private:
  TemporaryFolder folder_;
  FolderFiles files_;
};

TEST_CASE("transaction: what was planned is there behind the commit, and not before") {
  Folder folder;
  Transaction first = folder.start("first");
  REQUIRE(first.write("a", "1").value() == Outcome::kGoesOn);
  REQUIRE(first.write("b", "").value() == Outcome::kGoesOn);
  CHECK(first.read("a").value().content == "1");
  CHECK_FALSE(folder.content("a"));
  REQUIRE(first.commit().value() == Outcome::kCommitted);
  CHECK(folder.content("a") == "1");
  CHECK(folder.content("b") == "");

  Transaction second = folder.start("second");
  REQUIRE(second.remove("a").value() == Outcome::kGoesOn);
  CHECK_FALSE(second.read("a").value().content);
  CHECK(folder.content("a") == "1");
  REQUIRE(second.commit().value() == Outcome::kCommitted);
  CHECK_FALSE(folder.content("a"));
  CHECK(folder.left() == std::vector<std::string>{"lock"});
}

TEST_CASE("transaction: what is written in place is there at once, and gone behind a rollback") {
  Folder folder;
  Transaction before = folder.start("before");
  REQUIRE(before.write("a", "1").ok());
  REQUIRE(before.commit().ok());
  Transaction other = folder.start("other", TransactionScheme::kSnapshot);
  REQUIRE(other.write("a", "2").value() == Outcome::kGoesOn);
  REQUIRE(other.write("b", "3").value() == Outcome::kGoesOn);
  REQUIRE(other.remove("a").value() == Outcome::kGoesOn);
  CHECK_FALSE(folder.content("a"));
  CHECK(folder.content("b") == "3");
  REQUIRE(other.rollback().ok());
  CHECK(folder.content("a") == "1");
  CHECK_FALSE(folder.content("b"));
  CHECK(folder.left() == std::vector<std::string>{"lock"});
}

TEST_CASE("transaction: a file that another one has changed is a conflict") {
  const TransactionScheme scheme = GENERATE(TransactionScheme::kBuffered, TransactionScheme::kSnapshot);
  Folder folder;
  Transaction slow = folder.start("slow", scheme);
  REQUIRE(slow.read("a").ok());
  Transaction fast = folder.start("fast");
  REQUIRE(fast.write("a", "1").ok());
  REQUIRE(fast.commit().value() == Outcome::kCommitted);
  SECTION("at its commit") { CHECK(slow.commit().value() == Outcome::kConflict); }
  SECTION("when it reads it again") { CHECK(slow.read("a").value().outcome == Outcome::kConflict); }
  SECTION("when it writes it") { CHECK(slow.write("a", "2").value() == Outcome::kConflict); }
  if (scheme == TransactionScheme::kBuffered) CHECK(folder.content("a") == "1");
  if (scheme == TransactionScheme::kSnapshot) CHECK_FALSE(folder.content("a"));  // why it is for one writer
  CHECK(folder.left() == std::vector<std::string>{"lock"});
}

TEST_CASE("transaction: files that others do not touch are no conflict") {
  Folder folder;
  Transaction slow = folder.start("slow");
  REQUIRE(slow.write("a", "1").ok());
  Transaction fast = folder.start("fast");
  REQUIRE(fast.write("b", "2").ok());
  REQUIRE(fast.commit().value() == Outcome::kCommitted);
  REQUIRE(slow.commit().value() == Outcome::kCommitted);
  CHECK(folder.content("a") == "1");
  CHECK(folder.content("b") == "2");
}

TEST_CASE("transaction: all of it is on disk") {
  for (const TransactionScheme scheme : kSchemes) {
    Folder folder;
    {
      Transaction begun = folder.start("name", scheme);
      REQUIRE(begun.write("a", std::string(100000, 'x') + '\0').ok());
      REQUIRE(begun.remove("b").ok());
    }
    Transaction went_on = folder.open("name");
    CHECK(went_on.scheme() == scheme);
    CHECK(went_on.touched().size() == 2);
    REQUIRE(went_on.commit().value() == Outcome::kCommitted);
    CHECK(folder.content("a") == std::string(100000, 'x') + '\0');
    CHECK_FALSE(Transaction::open(folder.files(), folder.path(), "name", {}).ok());
  }
}

TEST_CASE("transaction: redo discards what goes on, any number of times") {
  for (const TransactionScheme scheme : kSchemes) {
    Folder folder;
    {
      Transaction begun = folder.start("name", scheme);
      REQUIRE(begun.write("a", "1").ok());
    }
    CHECK(folder.redo() == std::vector<std::string>{"name"});
    CHECK(folder.redo().empty());
    CHECK_FALSE(folder.content("a"));
    CHECK(folder.left() == std::vector<std::string>{"lock"});
  }
}

TEST_CASE("transaction: a log is read up to where it was cut off, at every length") {
  const std::string whole = log_begin(TransactionScheme::kBuffered) + log_record("a", FileVersion{}) +
                            log_record("a", FileContent("content")) + log_record("b", FileVersion{true, 1, 2}) +
                            log_record("b", FileContent()) + log_end(5);
  uint64_t records = 0;
  for (size_t length = 0; length <= whole.size(); ++length) {
    const Result<TransactionLog> log = parse_log(whole.substr(0, length));
    if (!log.ok()) continue;
    CHECK(log.value().bytes <= length);
    CHECK(log.value().records >= records);
    records = log.value().records;
    CHECK(log.value().ended == (length == whole.size()));
  }
  CHECK(records == 5);
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    const Result<TransactionLog> log = parse_log(damaged);
    CHECK_FALSE((log.ok() && log.value().ended));
  }
}

TEST_CASE("transaction: a damaged log of a commit is an error that says what to do") {
  Folder folder;
  REQUIRE(folder.start("first").rollback().ok());
  auto file = folder.files().open(folder.path() + "/.transactions/commit", FileSystem::Open::kCreate);
  REQUIRE(std::move(file).value()->write(0, std::as_bytes(std::span("CMCTXN1\nx", 9))).ok());
  Transaction next = folder.start("next");
  REQUIRE(next.write("a", "1").ok());
  const Result<Outcome> outcome = next.commit();
  REQUIRE_FALSE(outcome.ok());
  CHECK_THAT(outcome.error(), Catch::Contains("damaged") && Catch::Contains("remove it"));
  CHECK_FALSE(folder.content("a"));
}

TEST_CASE("transaction: names are refused that are no names of files") {
  Folder folder;
  for (const std::string& name : {std::string(), std::string("."), std::string(".x"), std::string("a/b"),
                                  std::string("..") + "/x", std::string(201, 'x'), std::string("a\0b", 3)}) {
    CHECK_FALSE(Transaction::start(folder.files(), folder.path(), name, {}).ok());
    Transaction transaction = folder.start("t");
    CHECK_FALSE(transaction.write(name, "1").ok());
    CHECK_FALSE(transaction.read(name).ok());
    REQUIRE(transaction.rollback().ok());
  }
  Transaction first = folder.start("t");
  CHECK_FALSE(Transaction::start(folder.files(), folder.path(), "t", {}).ok());
  CHECK_FALSE(Transaction::start(folder.files(), folder.path() + "/none", "t", {}).ok());
}

}  // namespace
}  // namespace cmc
