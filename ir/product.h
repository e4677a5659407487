#pragma once

#include <cstdint>

#include "ir/model.h"

// Models with observers: automata of Model::claims that run beside the processes.

namespace cmc {

// A copy of `model` in which the never claim and the trace run; kNoClaim: none does. Frames of theirs follow the
// global variables; what comes behind moves up. REQUIRES: the claims have no channels of their own, and are of those
// kinds.
[[nodiscard]] Model with_observers(const Model& model, uint32_t claim, uint32_t trace = kNoClaim);

// Whether Model::trace, which exists, is a notrace.
[[nodiscard]] bool is_notrace(const Model& model);

// Whether a location of the claim that runs, or of a process, is accepting.
[[nodiscard]] bool has_accepting_location(const Model& model);

// Appends SPIN's claim about non-progress cycles (pan -l), whose accepting runs are those in which np_ holds from
// some moment on. Returns its number.
//
//   do :: true :: np_ -> goto accept od; accept: do :: np_ od
[[nodiscard]] uint32_t add_non_progress_claim(Model& model);

// Appends a claim with one location and the edge `true`: its accepting runs are those that pass through accept labels
// of processes for ever (pan -a without a claim). Returns its number.
[[nodiscard]] uint32_t add_true_claim(Model& model);

}  // namespace cmc
