// Transactions for scripts in any language: one step for each call, no state but what is on disk.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "studies/transactions/event_line.h"
#include "studies/transactions/transaction.h"

namespace {

using cmc::Error;
using cmc::FileContent;
using cmc::Result;
using cmc::Transaction;

constexpr int kDone = 0;
constexpr int kConflict = 1;
constexpr int kUsage = 2;
constexpr int kImpossible = 3;
constexpr int kNoSuchFile = 4;

constexpr const char* kHelp =
    R"(usage: txn [--dir FOLDER] [--scheme buffered|snapshot] [--no-sync] [--events FILE] COMMAND

  start NAME                   begin a transaction
  read NAME FILE               print the content of a file, as the transaction sees it
  write NAME FILE [CONTENT]    set it (without CONTENT: from standard input)
  remove NAME FILE
  commit NAME                  all of its changes, or, after a conflict, none
  rollback NAME                none of its changes
  status NAME                  what it has touched
  redo                         after a crash: complete what has reached its commit point, discard the rest

--dir FOLDER        whose files are changed (default: .); its subfolder .transactions has the logs
--scheme SCHEME     of start. buffered (default): changes are planned, and made by the commit. snapshot: changes are made
                    at once, and a conflict goes back to a copy of the whole folder. That takes away what others have
                    committed meanwhile: snapshot is for one writer at a time
--events FILE       append the steps as lines of JSON, which cmc conform holds against models/transactions/buffered.pml
--no-sync           do not wait for the disk: a commit survives a killed process, but no power failure

exit code 0: done; 1: conflict, the transaction has been rolled back, repeat it; 2: wrong usage; 3: not possible here;
4: read: there is no such file
)";

struct Call {
  std::string folder = ".";
  cmc::TransactionOptions options;
  std::string events;              // empty: none are written
  std::vector<std::string> words;  // the command, the transaction, the file, the content
};

std::optional<Call> parse(const std::vector<std::string_view>& arguments) {
  Call call;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const bool has_value = i + 1 < arguments.size();
    // Behind the name of a file anything can be a content.
    if (call.words.size() >= 3 || !argument.starts_with("--")) {
      call.words.emplace_back(argument);
    } else if (argument == "--no-sync") {
      call.options.sync = false;
    } else if (argument == "--events" && has_value) {
      call.events = arguments[++i];
    } else if (argument == "--dir" && has_value) {
      call.folder = arguments[++i];
    } else if (argument == "--scheme" && has_value && arguments[i + 1] == "buffered") {
      ++i;
    } else if (argument == "--scheme" && has_value && arguments[i + 1] == "snapshot") {
      call.options.scheme = cmc::TransactionScheme::kSnapshot;
      ++i;
    } else {
      return std::nullopt;
    }
  }
  return call;
}

int fail(const std::string& why) {
  fmt::print(stderr, "txn: {}\n", why);
  return kImpossible;
}

int report(const Result<Transaction::Outcome>& outcome) {
  if (!outcome.ok()) return fail(outcome.error());
  if (outcome.value() != Transaction::Outcome::kConflict) return kDone;
  fmt::print(stderr,
             "txn: conflict: another transaction has changed a file of this one, which has been rolled back\n");
  return kConflict;
}

std::string standard_input() {
  std::string content;
  char buffer[65536];
  while (const size_t count = std::fread(buffer, 1, sizeof buffer, stdin)) content.append(buffer, count);
  return content;
}

int read(Transaction& transaction, const std::string& file) {
  const Result<Transaction::ReadOutcome> read = transaction.read(file);
  if (!read.ok()) return fail(read.error());
  if (read.value().outcome == Transaction::Outcome::kConflict) return report(read.value().outcome);
  const FileContent& content = read.value().content;
  if (!content) return kNoSuchFile;
  const bool printed = std::fwrite(content->data(), 1, content->size(), stdout) == content->size();
  return printed && std::fflush(stdout) == 0 ? kDone : fail("cannot write to standard output");
}

int status(const Transaction& transaction) {
  fmt::print("{}\n", transaction.scheme() == cmc::TransactionScheme::kBuffered ? "buffered" : "snapshot");
  for (const auto& [name, file] : transaction.touched()) {
    if (!file.planned) fmt::print("touched {}\n", name);
    if (file.planned && file.content) fmt::print("write {}: {} bytes\n", name, file.content->size());
    if (file.planned && !file.content) fmt::print("remove {}\n", name);
  }
  return kDone;
}

int redo(cmc::FolderFiles& files, const Call& call) {
  const Result<std::vector<std::string>> discarded = Transaction::redo(files, call.folder, call.options);
  if (!discarded.ok()) return fail(discarded.error());
  for (const std::string& name : discarded.value()) fmt::print("discarded {}\n", name);
  return kDone;
}

// 0: there is no such command.
size_t words_of(const std::string& command) {
  if (command == "redo") return 1;
  if (command == "read" || command == "remove" || command == "write") return 3;
  const bool of_transaction =
      command == "start" || command == "commit" || command == "rollback" || command == "status";
  return of_transaction ? 2 : 0;
}

// Each line is written at once: a process that is killed leaves whole ones.
bool write_events_to(const std::string& path, const std::string& who, cmc::TransactionObserver& observer) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return false;
  observer = [file, who](const cmc::TransactionEvent& event) {
    const std::string line = cmc::event_line(event, who);
    if (::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::perror("txn: --events");
  };
  return true;
}

int run(Call& call) {
  const std::vector<std::string>& words = call.words;
  const size_t needed = words.empty() ? 0 : words_of(words[0]);
  const bool has_content = needed == 3 && words[0] == "write" && words.size() == 4;
  if (needed == 0 || (words.size() != needed && !has_content)) {
    fmt::print(stderr, "{}", kHelp);
    return kUsage;
  }
  if (!call.events.empty() &&
      !write_events_to(call.events, words.size() > 1 ? words[1] : "redo", call.options.observer)) {
    return fail(fmt::format("cannot write to '{}': {}", call.events, std::strerror(errno)));
  }
  cmc::FolderFiles files;
  if (words[0] == "redo") return redo(files, call);
  if (words[0] == "start") {
    const Result<Transaction> started = Transaction::start(files, call.folder, words[1], call.options);
    return started.ok() ? kDone : fail(started.error());
  }
  Result<Transaction> opened = Transaction::open(files, call.folder, words[1], call.options);
  if (!opened.ok()) return fail(opened.error());
  Transaction transaction = std::move(opened).value();
  if (words[0] == "read") return read(transaction, words[2]);
  if (words[0] == "write") return report(transaction.write(words[2], has_content ? words[3] : standard_input()));
  if (words[0] == "remove") return report(transaction.remove(words[2]));
  if (words[0] == "commit") return report(transaction.commit());
  if (words[0] == "status") return status(transaction);
  const cmc::Status rolled_back = transaction.rollback();
  return rolled_back.ok() ? kDone : fail(rolled_back.error());
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string_view> arguments(values + 1, values + count);
  if (arguments.size() == 1 && arguments[0] == "--help") {
    fmt::print("{}", kHelp);
    return kDone;
  }
  std::optional<Call> call = parse(arguments);
  if (call) return run(*call);
  fmt::print(stderr, "{}", kHelp);
  return kUsage;
}
