#include <fmt/format.h>

#include "checker/cli/options/table/option_values.h"
#include "checker/cli/options/table/rows.h"

namespace cmc::rows {
namespace {

constexpr unsigned kSolving = kLint | kSolver;
constexpr uint64_t kMaxWorkers = 64;
constexpr uint64_t kLeastSolverMemory = uint64_t{128} << 20;  // with less, Z3 cannot even start

constexpr OptionRow kSolverRows[] = {
    {kDeciding, kSolverSection, "--solver", "KIND",
     "what decides solver guards that have too many values to try. worker (default): Z3 in a separate process; "
     "inprocess: Z3 in this process; native: no solver, CMC tries up to 16 million tuples",
     [](Options& o, const std::string& v) {
       using Solver = guards::DeciderOptions::Solver;
       static constexpr EnumName<Solver> kKinds[] = {
           {"worker", Solver::kWorker}, {"inprocess", Solver::kInProcess}, {"native", Solver::kNative}};
       return choose(v, kKinds, o.check.solver_kind);
     }},
    {kDeciding, kSolverSection, "--solver-workers", "N", "maximum number of solver processes (default: 1)",
     [](Options& o, const std::string& v) {
       return whole_number(v, o.check.solver.workers, 1, kMaxWorkers,
                           fmt::format("the number of workers is 1 to {}", kMaxWorkers));
     }},
    {kSolving | kDeciding, kSolverSection, "--solver-time", "TIME",
     "what the solver may take for one question (default: 10s); after twice as long its process is ended. A check "
     "asks undecided questions once more at its end, with ten times this",
     [](Options& o, const std::string& v) {
       double seconds = 0;
       const Status set = duration(v, seconds);
       if (set.ok()) o.check.solver.limit_time(seconds);
       return set;
     }},
    {kSolving | kDeciding, kSolverSection, "--solver-memory", "SIZE",
     "address space of each solver process (default: 2G); one that needs more is ended, and its question asked again",
     [](Options& o, const std::string& v) -> Status {
       uint64_t& bytes = o.check.solver.memory_limit_bytes;
       if (const Status set = size(v, bytes); !set.ok()) return set;
       if (bytes < kLeastSolverMemory)
         return Error{fmt::format("{} is less than {}", v, short_size(kLeastSolverMemory))};
       return Success{};
     }},
    {kDeciding, kSolverSection, "--solver-log", "FILE",
     "write a line for each question to the solver and for each solver process that died; queries that crash a "
     "worker are saved next to FILE",
     [](Options& o, const std::string& v) { return file_name(v, o.check.solver_log); }},
    {kDeciding, kSolverSection, "--solver-cache", "FILE",
     "keep the solver's answers for later runs of the same versions of cmc and Z3 (default: FILE.answers of --log; "
     "otherwise, with --keep, the file `answers` in the folder of --store)",
     [](Options& o, const std::string& v) { return file_name(v, o.check.solver_cache); }},
    {kSolving | kDeciding, kSolverSection, "--solver-program", "FILE",
     "the solver worker (default: cmc-solverd in the folder of cmc)",
     [](Options& o, const std::string& v) { return file_name(v, o.check.solver.worker_path); }},
    {kSolving | kDeciding, kSolverSection, "--solver-transport", "KIND",
     "how cmc talks to the worker. ipc (default); tcp: on the loopback interface, encrypted with fresh keys",
     [](Options& o, const std::string& v) {
       static constexpr EnumName<solver::Transport> kKinds[] = {{"ipc", solver::Transport::kIpc},
                                                                {"tcp", solver::Transport::kTcp}};
       return choose(v, kKinds, o.check.solver.transport);
     }},
    {kSolving | kDeciding, kSolverSection, "--solver-wait", "TIME",
     "how long cmc and the worker poll for each other before they sleep. auto (default): up to 4 ms, unless others "
     "want the processor; block: not at all; or a number of microseconds",
     [](Options& o, const std::string& v) -> Status {
       const Result<solver::WaitPolicy> wait = solver::parse_wait(v);
       if (!wait.ok()) return Error{wait.error()};
       o.check.solver.wait = wait.value();
       return Success{};
     }},
};

}  // namespace

std::span<const OptionRow> solver_rows() { return kSolverRows; }

}  // namespace cmc::rows
