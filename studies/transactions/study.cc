// What optimistic transactions cost, beside a mutex: bench_transactions > result.csv; study.py makes tables and plots
// of it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <random>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/files/run_directory.h"
#include "studies/transactions/history.h"
#include "studies/transactions/transaction.h"

namespace cmc::study {
namespace {

using Clock = std::chrono::steady_clock;
using Outcome = Transaction::Outcome;

constexpr size_t kContentBytes = 100;

enum class Scheme : uint8_t { kBuffered, kSnapshot, kMutex };
constexpr const char* kSchemeNames[] = {"buffered", "snapshot", "mutex"};

struct Cell {
  Scheme scheme;
  bool reads;  // half of the transactions read instead of writing
  bool sync;
  unsigned threads;
  size_t files;
  uint64_t iterations;  // of all threads together
};

struct Figures {
  double seconds = 0;
  uint64_t collisions = 0;
  double extra_seconds = 0;  // buffered: persisting what was planned; snapshot: going back
  uint64_t broken = 0;
};

[[noreturn]] void stop(const std::string& why) {
  fmt::print(stderr, "bench_transactions: {}\n", why);
  std::exit(2);
}

template <class T>
T must(Result<T> result) {
  if (!result.ok()) stop(result.error());
  return std::move(result).value();
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// How long a transaction is open between its change and its commit, in milliseconds: so that transactions meet. The
// mutex is held as long.
struct Hold {
  double least = 0;
  double most = 0;
};

class Run {
 public:
  Run(const Cell& cell, Hold hold, std::string folder) : cell_(cell), hold_(hold), folder_(std::move(folder)) {}

  Figures run() {
    std::vector<std::thread> threads;
    const Clock::time_point start = Clock::now();
    for (unsigned i = 0; i < cell_.threads; ++i) threads.emplace_back([this, i] { work(i); });
    for (std::thread& each : threads) each.join();
    figures_.seconds = seconds_since(start);
    std::vector<std::string> at_last;
    for (size_t i = 0; i < cell_.files; ++i) {
      at_last.push_back(must(files_.read(path(i))).value_or(""));
    }
    figures_.broken = count_broken(std::move(history_), at_last);
    return figures_;
  }

 private:
  static std::string name(size_t file) { return fmt::format("file{}", file); }
  [[nodiscard]] std::string path(size_t file) const { return folder_ + "/" + name(file); }

  void work(unsigned thread) {
    std::mt19937_64 random(thread + 1);
    std::vector<Committed> own;
    Figures figures;
    const uint64_t iterations = cell_.iterations / cell_.threads + (thread < cell_.iterations % cell_.threads);
    for (uint64_t i = 0; i < iterations; ++i) {
      Committed done;
      done.file = random() % cell_.files;
      done.wrote = !cell_.reads || random() % 2 == 0;
      for (uint64_t attempt = 0;; ++attempt) {
        std::string value;
        if (done.wrote) {
          value = fmt::format("{}-{}-{}-{}", thread, i, attempt, random());
          value.resize(kContentBytes, ' ');
        }
        const std::string name = fmt::format("t{}-{}-{}", thread, i, attempt);
        const double hold = std::uniform_real_distribution(hold_.least, hold_.most)(random);
        const bool committed = cell_.scheme == Scheme::kMutex ? under_mutex(done, value, hold)
                                                              : in_transaction(name, done, value, hold, figures);
        if (committed) break;
        ++figures.collisions;
      }
      own.push_back(std::move(done));
    }
    const std::lock_guard lock(mutex_);
    figures_.collisions += figures.collisions;
    figures_.extra_seconds += figures.extra_seconds;
    history_.insert(history_.end(), own.begin(), own.end());
  }

  static void wait(double milliseconds) {
    if (milliseconds > 0) std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(milliseconds));
  }

  bool under_mutex(Committed& done, const std::string& value, double hold) {
    const std::lock_guard lock(mutex_);
    wait(hold);
    done.order = order_++;
    done.value = value;
    if (done.wrote) {
      must(replace_whole_file(files_, path(done.file), folder_ + "/new", value, cell_.sync));
      if (cell_.sync) must(files_.sync_directory(folder_));
    } else {
      done.value = must(files_.read(path(done.file))).value_or("");
    }
    return true;
  }

  // False: a conflict.
  bool in_transaction(const std::string& name, Committed& done, const std::string& value, double hold,
                      Figures& figures) {
    const bool buffered = cell_.scheme == Scheme::kBuffered;
    Clock::time_point validated;
    const auto observer = [&](const TransactionEvent& event) {
      if (event.step == TransactionStep::kValidate) validated = Clock::now();
      // The commit has the lock: its place among all.
      if (event.step == (buffered ? TransactionStep::kMark : TransactionStep::kSyncFiles)) done.order = order_++;
      if (event.step == TransactionStep::kRemoveLog) figures.extra_seconds += seconds_since(validated);
    };
    Transaction transaction = must(Transaction::start(
        files_, folder_, name,
        {buffered ? TransactionScheme::kBuffered : TransactionScheme::kSnapshot, cell_.sync, observer}));
    const Clock::time_point begin = Clock::now();
    Outcome outcome = Outcome::kGoesOn;
    if (done.wrote) {
      outcome = must(transaction.write(study::Run::name(done.file), value));
      done.value = value;
    } else {
      Transaction::ReadOutcome read = must(transaction.read(study::Run::name(done.file)));
      outcome = read.outcome;
      done.value = read.content.value_or("");
    }
    const bool late = outcome == Outcome::kGoesOn;
    if (late) wait(hold);
    const Clock::time_point changed = Clock::now();
    if (late) outcome = must(transaction.commit());
    if (outcome == Outcome::kConflict && !buffered) figures.extra_seconds += seconds_since(late ? changed : begin);
    return outcome == Outcome::kCommitted;
  }

  const Cell cell_;
  const Hold hold_;
  const std::string folder_;
  FolderFiles files_;
  std::atomic<uint64_t> order_ = 0;
  std::mutex mutex_;
  Figures figures_;
  std::vector<Committed> history_;
};

struct Settings {
  std::string folder;
  unsigned runs = 5;
  uint64_t scale = 1;  // iterations are divided by this
  Hold hold;
  std::string only;          // cells whose line begins like this
  uint64_t sync_scale = 50;  // and by this one, too, if everything is synced
};

std::vector<Cell> all_cells(const Settings& settings) {
  constexpr std::pair<size_t, uint64_t> kConfigurations[] = {{1, 1000}, {1, 500}, {1, 3000}, {5, 3000}, {10, 3000}};
  std::vector<Cell> cells;
  for (const bool sync : {false, true}) {
    for (const bool reads : {false, true}) {
      for (const auto& [files, iterations] : kConfigurations) {
        for (unsigned threads = 1; threads <= 4; ++threads) {
          for (const Scheme scheme : {Scheme::kBuffered, Scheme::kSnapshot, Scheme::kMutex}) {
            const uint64_t fewer = settings.scale * (sync ? settings.sync_scale : 1);
            cells.push_back({scheme, reads, sync, threads, files, std::max<uint64_t>(iterations / fewer, 4)});
          }
        }
      }
    }
  }
  return cells;
}

int study(const Settings& settings) {
  fmt::print("scheme,scenario,sync,threads,files,iterations,run,seconds,collisions,extra_us,broken\n");
  for (unsigned run = 0; run < settings.runs; ++run) {
    for (const Cell& cell : all_cells(settings)) {
      const std::string begin = fmt::format("{},{},{},{},{},{}", kSchemeNames[static_cast<size_t>(cell.scheme)],
                                            cell.reads ? "read+write" : "write", cell.sync ? 1 : 0, cell.threads,
                                            cell.files, cell.iterations);
      if (!begin.starts_with(settings.only)) continue;
      const RunDirectory folder = must(RunDirectory::create(settings.folder, false));
      const std::string files = folder.path() + "/files";
      std::filesystem::create_directory(files);
      const Figures figures = Run(cell, settings.hold, files).run();
      fmt::print("{},{},{:.6f},{},{:.3f},{}\n", begin, run, figures.seconds, figures.collisions,
                 figures.extra_seconds * 1e6 / static_cast<double>(cell.iterations), figures.broken);
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace
}  // namespace cmc::study

int main(int count, char** values) {
  CLI::App app("what optimistic transactions cost, beside a mutex; prints CSV");
  cmc::study::Settings settings;
  app.add_option("--folder", settings.folder, "where files are written (default: the system's temporary folder)");
  app.add_option("--runs", settings.runs, "of each cell (default 5)");
  app.add_option("--only", settings.only, "cells whose line begins like this, e.g. buffered,write,0,1,1,3000");
  app.add_option("--scale", settings.scale, "divide the number of iterations (default 1)")
      ->check(CLI::PositiveNumber);
  app.add_option("--sync-scale", settings.sync_scale, "the same, too, where everything is synced (default 50)")
      ->check(CLI::PositiveNumber);
  std::vector<double> hold;
  app.add_option("--hold", hold, "how long each transaction is open before its commit: least and most, in ms (0.5 5)")
      ->expected(2)
      ->check(CLI::NonNegativeNumber);
  CLI11_PARSE(app, count, values);
  if (!hold.empty()) settings.hold = {std::min(hold[0], hold[1]), std::max(hold[0], hold[1])};
  return cmc::study::study(settings);
}
