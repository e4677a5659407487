#pragma once

#include <cstdint>

#include <nlohmann/json.hpp>

#include "checker/session/session.h"
#include "ir/state_printer.h"

// What the page shows of a run, as JSON.
//
//   step     {number, pid, process, file, line, text, with {pid, process, file, line, text}, changes [text],
//             message {kind, channel, fields, from}, printed, notes, errors}
//   choice   step and number of the choice, from 1; first of a d_step inside a rendezvous: inside [text]
//   section  {title, pid, file, line, values [[name, value, old]]}: old only if it differs from the state that this
//            one is compared with; null there: there was no such variable
// Numbers of files are those of Model::files; -1: none.

namespace cmc::explore {

using Json = nlohmann::json;

// Where the run is: position, length, steps, end, why, loop, choices, waiting, processes, last (the step that led
// here).
[[nodiscard]] Json position_view(session::Session& run);
// The state in sections: globals, channels, each process.
[[nodiscard]] Json state_view(const StateImage& state, const StateImage& other);
// Rows of the run, by position: row n has the steps of the choice that leads from position n - 1 to n.
[[nodiscard]] Json rows_view(session::Session& run, uint64_t first, uint64_t count);

// The states that a few steps lead to, each once, breadth first from where the run is:
//   nodes  [{id, depth, into (steps that lead to it), path (choices that lead there), differs, end, open (not
//   expanded)}] edges  [{from, to (-1: an error cuts the step), choice, pid, process, text, error}]
[[nodiscard]] Json neighbourhood_view(session::Session& run, uint32_t depth, size_t most_states);

}  // namespace cmc::explore
