#include <fmt/format.h>

#include "base/clock.h"
#include "base/files/file.h"
#include "checker/cli/commands.h"
#include "checker/cli/signals.h"
#include "checker/report/style/style.h"
#include "solver-bridge/pool/dialogue.h"
#include "solver-bridge/protocol/payload.h"

namespace cmc {
namespace {

using solver::Dialogue;
using solver::Function;

constexpr int kEchoes = 20;

Result<std::string> ping(Dialogue& worker, double start_seconds, const SystemClock& clock) {
  solver::PayloadWriter payload;
  payload.string("ping");
  const double begin = clock.wall_seconds();
  for (int i = 0; i < kEchoes; ++i) {
    CMC_TRY(const Bytes echo, worker.ask(Function::kEcho, payload.bytes()));
    if (echo != payload.bytes()) return Error{"the solver worker returned something else than what it got"};
  }
  return fmt::format(
      "the solver worker answers: Z3 {}, protocol {} on both sides\n"
      "started in {:.0f} ms, a round trip takes {:.3f} ms\n",
      worker.solver_version(), solver::kProtocolVersion, start_seconds * 1000,
      (clock.wall_seconds() - begin) * 1000 / kEchoes);
}

Result<std::string> stats(Dialogue& worker) {
  CMC_TRY(const Bytes reply, worker.ask(Function::kStats, {}));
  solver::PayloadReader reader(reply);
  std::string text;
  for (uint32_t left = reader.count(sizeof(uint32_t) + sizeof(uint64_t)); left > 0; --left) {
    const std::string name = reader.string();
    text += fmt::format("{:>16}  {}\n", reader.u64(), printable(name));
  }
  if (!reader.finished()) return Error{"the solver worker's statistics are damaged"};
  return text;
}

Result<std::string> eval(Dialogue& worker, const std::string& commands) {
  solver::PayloadWriter payload;
  payload.string(commands);
  CMC_TRY(const Bytes reply, worker.ask(Function::kEval, payload.bytes()));
  std::string text = solver::PayloadReader(reply).string();
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

Result<std::string> talk(const Session& session, const std::string& commands) {
  const SystemClock clock;
  solver::PoolOptions options = session.options.check.solver;
  options.eval = session.options.solver.action == SolverAction::kEval;
  Dialogue worker(std::move(options), clock, session.interrupted);
  const double begin = clock.wall_seconds();
  if (const Status started = worker.start(); !started.ok()) return Error{started.error()};
  switch (session.options.solver.action) {
    case SolverAction::kPing: return ping(worker, clock.wall_seconds() - begin, clock);
    case SolverAction::kStats: return stats(worker);
    case SolverAction::kEval: return eval(worker, commands);
  }
  return Error{"unknown action"};
}

}  // namespace

int run_solver(const Session& session) {
  const Options& options = session.options;
  std::string commands;
  if (options.solver.action == SolverAction::kEval) {
    Result<std::string> text = options.solver.smt2 == "-" ? read_standard_input() : read_file(options.solver.smt2);
    if (!text.ok()) return refuse(text.error());
    commands = std::move(text).value();
  }
  const Result<std::string> answer = talk(session, commands);
  if (session.interrupted) return interrupted_exit_code();
  if (!answer.ok()) {
    complain(answer.error());
    return kExitIncomplete;
  }
  session.output.print(answer.value());
  return kExitHolds;
}

}  // namespace cmc
