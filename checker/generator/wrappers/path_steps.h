#pragma once

#include <memory>
#include <vector>

#include "checker/generator/generator.h"

// Step mode `path` (path reduction: Yorav and Grumberg, "Static analysis for state-space reductions preserving
// temporal logics", 2004): local steps of a process are merged into the step before them. After each step of a
// process (of both processes, after a rendezvous; atomic sequences are closed already) the process goes on, along all
// its paths, as long as all edges of its location are local: they read and write nothing but its own locals. A path
// ends where the process blocks, where its next step can be seen or influenced by others, where its local steps
// return to one of their states, or where a loop of them goes on in several ways that have nothing in common.
//
// Why verdicts are kept. A local step commutes with all steps of other processes: none of them can enable, disable or
// see it, and it none of theirs. So every run can be rearranged, without changing what happens to globals and
// channels, into one in which each process takes its local steps at once; it ends in the same states, up to local
// steps that are still to be taken. A process at a location with local edges only can always go on, or never again.
// So deadlocks, failing assertions and run-time errors are found (those of local steps, too: they are computed like
// all others), and next-free LTL about globals is preserved. Cycles of local steps keep a breaking point, so that
// nothing is put off for ever.
//
// A step that begins an atomic sequence is local if the whole sequence is. Where `else`, `unless` or the middle
// of an atomic sequence can depend on whether somebody is ready for a handshake, no step is local that leads to where
// one is offered.
//
// Not local is: access to globals, channels, the number of processes, `run`, the end of a process, `timeout`, d_step
// blocks, printf. If a model looks at locations or locals of other processes, at enabled() or _last, or has
// priorities or `provided` clauses, no edge counts as local.

namespace cmc {

// By proctype and location, whether all edges are local.
using LocalLocations = std::vector<std::vector<bool>>;
[[nodiscard]] LocalLocations local_locations(const Model& model);

[[nodiscard]] std::unique_ptr<SuccessorGenerator> close_local_paths(std::unique_ptr<SuccessorGenerator> generator,
                                                                    const Model& model);

}  // namespace cmc
