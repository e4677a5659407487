#pragma once

#include <optional>

#include "checker/check/decider.h"
#include "checker/check/model_file.h"
#include "checker/check/request.h"
#include "checker/cli/commands.h"

namespace cmc {

// What the options of a command ask of a check.
[[nodiscard]] CheckRequest check_request(const Session& session);

// `cmc check` of a model that was read.
[[nodiscard]] int check_loaded(const Session& session, const LoadedModel& loaded);

// For cmc-mpi: what mpirun gives a rank for its output looks like a terminal, whatever it is, and rank 0 alone
// writes.
void prepare_for_rank(Options& options, uint32_t rank);

// The decider of the model's solver guards. None: there was an error, which was told.
[[nodiscard]] std::optional<Decider> decider_for(const Session& session, const Model& model);

}  // namespace cmc
