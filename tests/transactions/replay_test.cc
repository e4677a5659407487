// Recorded runs of the program are runs of models/transactions/buffered.pml: two transactions whose steps interleave
// in many ways, and one that is killed behind any step. The model takes a step only where the record has it, and the
// reporter in it fails an assertion when all of it has been taken and the files are those of the program.
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/subprocess.h"
#include "studies/transactions/transaction.h"
#include "tests/support/temporary_folder.h"
#include "tests/transactions/counters.h"

#include "tests/catch.h"

namespace cmc {
namespace {

using Outcome = Transaction::Outcome;
using test::TemporaryFolder;

struct Killed {};

// The steps of both, as the model writes them.
class Record {
 public:
  void add(int who, const TransactionEvent& event) {
    std::string name = step_name(event.step);
    for (char& letter : name) letter = static_cast<char>(std::toupper(letter));
    add(who, name, outcome(event));
  }
  void add(int who, const std::string& name, int outcome) {
    steps_ += fmt::format("{}{}", size_ > 0 ? ", " : "", name);
    who_ += fmt::format("{}{}", size_ > 0 ? ", " : "", who);
    outcomes_ += fmt::format("{}{}", size_ > 0 ? ", " : "", outcome);
    ++size_;
  }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] std::string script(uint8_t first, uint8_t second) const {
    return fmt::format(
        "#define LENGTH {}\nmtype step[LENGTH] = {{ {} }};\nbyte who[LENGTH] = {{ {} }};\nbyte outcome[LENGTH] = {{ "
        "{} }};\n"
        "#define FIRST {}\n#define SECOND {}\n",
        size_, steps_, who_, outcomes_, first, second);
  }

 private:
  static int outcome(const TransactionEvent& event) {
    switch (event.step) {
      case TransactionStep::kValidate: return event.valid ? 1 : 0;
      case TransactionStep::kPlan: return event.valid ? test::as_in_model(event.content) : 0;
      case TransactionStep::kRead:
      case TransactionStep::kApply: return test::as_in_model(event.content);
      default: return 0;
    }
  }

  std::string steps_, who_, outcomes_;
  size_t size_ = 0;
};

// Whether the model can do what the script says.
bool model_agrees(const std::string& script) {
  const TemporaryFolder folder;
  const std::string model = folder.path() + "/buffered.pml";
  const std::string result = folder.path() + "/out.txt";
  std::filesystem::copy_file(CMC_SOURCE_DIR "/models/transactions/buffered.pml", model);
  REQUIRE(write_file_atomically(folder.path() + "/script.inc", script).ok());
  auto started = Subprocess::start({{CMC_BINARY_DIR "/cmc", "check", "-DSPLIT", "-DLOCK", "-DCRASH", "-DREPLAY",
                                     "--max-errors", "0", "--shorten", "0", model},
                                    result,
                                    result});
  REQUIRE(started.ok());
  Subprocess cmc = std::move(started).value();
  while (!cmc.wait(10)) {
  }
  const std::string text = read_file(result).value();
  CAPTURE(text, script);
  REQUIRE((cmc.end().exit_code == 0 || cmc.end().exit_code == 1));
  return text.find("assertion violated: assert(!(replayed))") != std::string::npos;
}

// One of the two: goes through its transaction in small parts, each of which somebody else may interrupt.
class Party {
 public:
  Party(FolderFiles& files, std::string folder, int number, Record& record, std::function<void()> behind_step)
      : files_(files),
        folder_(std::move(folder)),
        number_(number),
        record_(record),
        behind_step_(std::move(behind_step)) {}

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
    constexpr int kWorld = 2;
    record_.add(kWorld, "KILL", 0);
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
              record_.add(number_, event);
              marked_ = marked_ || event.step == TransactionStep::kMark;
              behind_step_();
            }};
  }

  FolderFiles& files_;
  std::string folder_;
  int number_;
  Record& record_;
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

// The script of two transactions; behind each step of one the other may go on. `kill_at`: the number of the step
// behind which the first one is killed. The result is empty if it ended before that.
std::string run_two(uint32_t seed, size_t kill_at) {
  FolderFiles files;
  const TemporaryFolder folder;
  std::mt19937 random(seed);
  Record record;
  size_t steps = 0;
  bool killed = false;
  std::vector<std::unique_ptr<Party>> parties;
  const auto interrupt = [&](Party& other) {
    while (!other.done() && !other.busy() && other.needs_no_lock() && random() % 3 == 0) other.go_on();
  };
  const auto behind_first = [&] {
    if (steps++ >= kill_at && !killed && !parties[1]->busy()) {
      killed = true;
      throw Killed();
    }
    interrupt(*parties[1]);
  };
  parties.push_back(std::make_unique<Party>(files, folder.path(), 0, record, behind_first));
  parties.push_back(std::make_unique<Party>(files, folder.path(), 1, record, [&] { interrupt(*parties[0]); }));
  while (!parties[0]->done() || !parties[1]->done()) {
    Party& party = *parties[random() % 2];
    if (party.done()) continue;
    try {
      party.go_on();
    } catch (const Killed&) {
      parties[0]->kill_and_recover();
    }
  }
  if (kill_at != kNever && !killed) return "";
  return record.script(test::counter(files, folder.path(), "c1"), test::counter(files, folder.path(), "c2"));
}

TEST_CASE("replay: interleaved transactions are runs of the model") {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const std::string script = run_two(seed, kNever);
    CAPTURE(seed, script);
    CHECK(script.find("FIRST 2\n#define SECOND 2") != std::string::npos);
    CHECK(model_agrees(script));
  }
}

TEST_CASE("replay: transactions that are killed are runs of the model") {
  uint32_t seed = 100;
  int runs = 0;
  for (size_t kill_at = 0; kill_at < 18; ++kill_at) {
    const std::string script = run_two(seed++, kill_at);
    if (script.empty()) continue;
    ++runs;
    CAPTURE(kill_at, script);
    CHECK(script.find("FIRST 2\n#define SECOND 2") != std::string::npos);
    CHECK(model_agrees(script));
  }
  CHECK(runs >= 12);
}

TEST_CASE("replay: a run with two steps exchanged is none of the model") {
  std::string script = run_two(1, kNever);
  const size_t at = script.find("SYNC_MARK, APPLY");
  REQUIRE(at != std::string::npos);
  script.replace(at, 16, "APPLY, SYNC_MARK");
  CHECK_FALSE(model_agrees(script));
}

}  // namespace
}  // namespace cmc
