#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <list>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include "base/check.h"
#include "base/memory_limit.h"
#include "checker/cli/check.h"
#include "checker/cli/commands.h"
#include "checker/cli/options/options.h"
#include "checker/cli/output.h"
#include "checker/cli/output_files.h"
#include "checker/cli/signals.h"
#include "checker/ranks/ranks.h"

// cmc-mpi: `cmc check` and `cmc resume` as one search on many machines. Each process is a rank; rank 0 prints what
// cmc would print.

namespace cmc {
namespace {

// Messages are requests of MPI until the other side has them.
class MpiExchange final : public Exchange {
 public:
  MpiExchange() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  ~MpiExchange() override { MPI_Comm_free(&comm_); }
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  [[nodiscard]] uint32_t rank() const override { return static_cast<uint32_t>(rank_); }
  [[nodiscard]] uint32_t ranks() const override { return static_cast<uint32_t>(size_); }
  void send(uint32_t to, Bytes bytes) override {
    CHECK(bytes.size() <= INT_MAX);
    Sending& sending = sending_.emplace_back(Sending{std::move(bytes), MPI_REQUEST_NULL});
    unsent_bytes_ += sending.bytes.size();
    MPI_Isend(sending.bytes.data(), static_cast<int>(sending.bytes.size()), MPI_BYTE, static_cast<int>(to), 0, comm_,
              &sending.request);
  }
  [[nodiscard]] std::optional<Message> receive() override {
    int is_there = 0;
    MPI_Message handle = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, 0, comm_, &is_there, &handle, &status);
    if (is_there == 0) return std::nullopt;
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    Message message{static_cast<uint32_t>(status.MPI_SOURCE), Bytes(static_cast<size_t>(count))};
    MPI_Mrecv(message.bytes.data(), count, MPI_BYTE, &handle, MPI_STATUS_IGNORE);
    return message;
  }
  [[nodiscard]] uint64_t unsent_bytes() override {
    for (auto each = sending_.begin(); each != sending_.end();) {
      int is_done = 0;
      MPI_Test(&each->request, &is_done, MPI_STATUS_IGNORE);
      if (is_done != 0) unsent_bytes_ -= each->bytes.size();
      each = is_done != 0 ? sending_.erase(each) : std::next(each);
    }
    return unsent_bytes_;
  }

 private:
  struct Sending {
    Bytes bytes;
    MPI_Request request;
  };

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  std::list<Sending> sending_;
  uint64_t unsent_bytes_ = 0;
};

std::string host_name() {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(name, &length);
  return name;
}

// Of those that share a machine.
uint32_t ranks_on_this_machine() {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int size = 1;
  MPI_Comm_size(machine, &size);
  MPI_Comm_free(&machine);
  return static_cast<uint32_t>(size);
}

// What the command line says of a machine, the ranks on it share, unless it was said of each.
void divide_machine(CheckRequest& check) {
  const uint32_t ranks = ranks_on_this_machine();
  if (check.threads == 0) check.threads = std::max(1U, std::thread::hardware_concurrency() / ranks);
  if (check.memory_bytes == 0) check.memory_bytes = default_memory_budget_bytes() / ranks;
}

// Options of the command that it does not have already are those of the machine.
std::vector<std::string> of_machine(const std::vector<std::string>& given, const CheckRequest& machine) {
  std::vector<std::string> words = given;
  const auto add = [&](const char* option, uint64_t value) {
    const auto is_given = [&](const std::string& word) { return word.starts_with(option); };
    if (std::ranges::none_of(given, is_given)) words.push_back(fmt::format("{}{}", option, value));
  };
  add("--threads=", machine.threads);
  add("--memory=", machine.memory_bytes);
  return words;
}

int run_command(const Session& session) {
  return session.options.command == Command::kResume ? run_resume(session) : run_check(session);
}

// An exit code; the other ranks have it to themselves.
int run_rank(Options options, Ranks& ranks, const std::atomic<bool>& interrupted) {
  std::string dropped;
  Output standard_output;
  Output nowhere(dropped);
  Output& output = ranks.rank() == 0 ? standard_output : nowhere;
  options.check.ranks = &ranks;
  divide_machine(options.check);
  if (options.command == Command::kResume) options.resume.given = of_machine(options.resume.given, options.check);
  prepare_for_rank(options, ranks.rank());
  int exit_code = kExitUsage;
  const Status outputs = check_outputs(options);
  if (outputs.ok()) {
    exit_code = run_command({options, output, interrupted});
  } else {
    exit_code = refuse(outputs.error());
  }
  if (!ranks.has_begun()) ranks.refuse();
  const Status finished = output.finish();
  if (!finished.ok()) exit_code = refuse(finished.error());
  return ranks.rank() == 0 ? exit_code : kExitHolds;
}

int run(const std::vector<std::string>& arguments) {
  reserve_standard_files();
  const std::atomic<bool>& interrupted = catch_signals();
  MpiExchange exchange;
  const std::variant<Options, Answer> parsed = parse_command_line(arguments);
  if (const auto* answer = std::get_if<Answer>(&parsed)) {
    if (exchange.rank() == 0) std::fputs(answer->text.c_str(), answer->exit_code == kExitHolds ? stdout : stderr);
    return answer->exit_code;
  }
  const Options& options = std::get<Options>(parsed);
  if (options.command != Command::kCheck && options.command != Command::kResume) {
    if (exchange.rank() == 0) complain("cmc-mpi has the commands check and resume only; use cmc for the others");
    return kExitUsage;
  }
  Ranks::Settings settings;
  settings.host = host_name();
  settings.mirror = options.check.saving.mirror;
  Ranks ranks(exchange, settings);
  return run_rank(options, ranks, interrupted);
}

}  // namespace
}  // namespace cmc

int main(int argc, char** argv) {
  // Of Open MPI, where ranks are more than processors: each look for a message would hand the processor on. Ranks
  // that have nothing to do sleep; the others want to go on.
  setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  int exit_code = cmc::kExitInternal;
  try {
    if (provided < MPI_THREAD_SERIALIZED) {
      cmc::complain("this MPI does not allow threads (MPI_THREAD_SERIALIZED)");
      exit_code = cmc::kExitUsage;
    } else {
      exit_code = cmc::run({argv + std::min(argc, 1), argv + argc});
    }
  } catch (const std::exception& error) {
    // The others would wait for ever.
    cmc::complain(std::string("internal error: ") + error.what());
    MPI_Abort(MPI_COMM_WORLD, cmc::kExitInternal);
  }
  MPI_Finalize();
  return exit_code;
}
