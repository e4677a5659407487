// Runs of the program are runs of models/transactions/buffered.pml: two transactions whose steps interleave in many
// ways, and one that is killed behind any step. Their events are a log that `cmc conform` explains.
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/files/file.h"
#include "base/subprocess.h"
#include "studies/transactions/event_line.h"
#include "studies/transactions/transaction.h"
#include "tests/support/temporary_folder.h"
#include "tests/transactions/counters.h"

#include "tests/catch.h"

namespace cmc {
namespace {

using Outcome = Transaction::Outcome;
using test::TemporaryFolder;

struct WasKilled {};

constexpr const char* kWho[] = {"A", "B"};

// Whether the model can do what the log says.
bool model_agrees(const std::string& log) {
  const TemporaryFolder folder;
  const std::string events = folder.path() + "/events.jsonl";
  const std::string result = folder.path() + "/out.txt";
  REQUIRE(write_file_atomically(events, log).ok());
  auto started = Subprocess::start({{CMC_BINARY_DIR "/cmc", "conform", "-q", "-DSPLIT", "-DLOCK", "-DCRASH",
                                     "-DEVENTS", CMC_SOURCE_DIR "/models/transactions/buffered.pml", events},
                                    result,
                                    result});
  REQUIRE(started.ok());
  Subprocess cmc = std::move(started).value();
  while (!cmc.wait(10)) {
  }
  const std::string text = read_file(result).value();
  CAPTURE(text, log);
  REQUIRE((cmc.end().exit_code == 0 || cmc.end().exit_code == 1));
  return cmc.end().exit_code == 0;
}

// One of the two: goes through its transaction in small parts, each of which somebody else may interrupt.
class Party {
 public:
  Party(FolderFiles& files, std::string folder, int number, std::string& log, std::function<void()> behind_step)
      : files_(files), folder_(std::move(folder)), number_(number), log_(log), behind_step_(std::move(behind_step)) {}

  [[nodiscard]] bool done() const { return committed_; }
  [[nodiscard]] bool busy() const { return busy_; }
  // Else it would wait for whoever it interrupts.
  [[nodiscard]] bool needs_no_lock() const { return transaction_ != nullptr && part_ < 4; }

  // A read, a plan, or the commit.
  void go_on() {
    busy_ = true;
    if (transaction_ == nullptr) start();
    Outcome outcome = Outcome::kGoesOn;
    const char* const counter = test::kCounters[part_ / 2 % 2];
    if (part_ == 4) {
      outcome = transaction_->commit().value();
    } else if (part_ % 2 == 0) {
      read_ = transaction_->read(counter).value().content;
    } else {
      outcome = transaction_->write(counter, read_ ? std::to_string(std::stoi(*read_) + 1) : "0").value();
    }
    ++part_;
    committed_ = outcome == Outcome::kCommitted;
    if (outcome != Outcome::kGoesOn) transaction_.reset();
    busy_ = false;
  }
  // Its process is killed: the lock is free, the files stay. Started again, it completes what is past the commit
  // point.
  void kill_and_recover() {
    log_ += "{\"event\": \"kill\", \"who\": \"world\"}\n";
    transaction_.reset();
    busy_ = false;
    if (!marked_) return;
    TransactionFolder found(files_, folder_, false, options().observer);
    REQUIRE(found.lock_and_complete().ok());
    found.tell({TransactionStep::kReleaseLock});
    committed_ = true;
  }

 private:
  void start() {
    auto started = Transaction::start(files_, folder_, fmt::format("t{}-{}", number_, ++attempts_), options());
    REQUIRE(started.ok());
    transaction_ = std::make_unique<Transaction>(std::move(started).value());
    part_ = 0;
  }
  TransactionOptions options() {
    return {TransactionScheme::kBuffered, false, [this](const TransactionEvent& event) {
              log_ += event_line(event, kWho[number_]);
              marked_ = marked_ || event.step == TransactionStep::kMark;
              behind_step_();
            }};
  }

  FolderFiles& files_;
  std::string folder_;
  int number_;
  std::string& log_;
  std::function<void()> behind_step_;
  std::unique_ptr<Transaction> transaction_;
  FileContent read_;
  int part_ = 0;
  int attempts_ = 0;
  bool committed_ = false;
  bool marked_ = false;
  bool busy_ = false;
};

constexpr size_t kNever = 1000;

// The log of two transactions; behind each step of one the other may go on. `kill_at`: the number of the step
// behind which the first one is killed. The result is empty if it ended before that.
std::string run_two(uint32_t seed, size_t kill_at) {
  FolderFiles files;
  const TemporaryFolder folder;
  std::mt19937 random(seed);
  std::string log;
  size_t steps = 0;
  bool killed = false;
  std::vector<std::unique_ptr<Party>> parties;
  const auto interrupt = [&](Party& other) {
    while (!other.done() && !other.busy() && other.needs_no_lock() && random() % 3 == 0) other.go_on();
  };
  const auto behind_first = [&] {
    if (steps++ >= kill_at && !killed && !parties[1]->busy()) {
      killed = true;
      throw WasKilled();
    }
    interrupt(*parties[1]);
  };
  parties.push_back(std::make_unique<Party>(files, folder.path(), 0, log, behind_first));
  parties.push_back(std::make_unique<Party>(files, folder.path(), 1, log, [&] { interrupt(*parties[0]); }));
  while (!parties[0]->done() || !parties[1]->done()) {
    Party& party = *parties[random() % 2];
    if (party.done()) continue;
    try {
      party.go_on();
    } catch (const WasKilled&) {
      parties[0]->kill_and_recover();
    }
  }
  if (kill_at != kNever && !killed) return "";
  log += fmt::format("{{\"event\": \"ended\", \"first\": {}, \"second\": {}}}\n",
                     test::counter(files, folder.path(), "c1") - 1, test::counter(files, folder.path(), "c2") - 1);
  return log;
}

TEST_CASE("replay: interleaved transactions are runs of the model") {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const std::string log = run_two(seed, kNever);
    CAPTURE(seed, log);
    CHECK(log.find("\"first\": 1, \"second\": 1") != std::string::npos);
    CHECK(model_agrees(log));
  }
}

TEST_CASE("replay: transactions that are killed are runs of the model") {
  uint32_t seed = 100;
  int runs = 0;
  for (size_t kill_at = 0; kill_at < 18; ++kill_at) {
    const std::string log = run_two(seed++, kill_at);
    if (log.empty()) continue;
    ++runs;
    CAPTURE(kill_at, log);
    CHECK(log.find("\"first\": 1, \"second\": 1") != std::string::npos);
    CHECK(model_agrees(log));
  }
  CHECK(runs >= 12);
}

TEST_CASE("replay: a run with two steps exchanged is none of the model") {
  std::string log = run_two(1, kNever);
  const size_t at = log.find("sync_mark");
  REQUIRE(at != std::string::npos);
  log.replace(at, 9, "remove_log");
  CHECK_FALSE(model_agrees(log));
}

}  // namespace
}  // namespace cmc
