#pragma once

#include <span>
#include <vector>

#include "checker/por/accesses.h"

namespace cmc {

// Locations, by process, one of which every cycle of states passes: a process leaves it on the way. The search takes
// all steps of a state if one that it has chosen leaves such a location, so nothing is put off for ever (Kurshan,
// Levin, Minea, Peled, Yenigün, "Static partial order reduction", 1998, call them sticky).
//
// `cycles` has the edges among which each process can go round. In a cycle of states each channel has in the end what
// it had at first: so a process that receives from it goes round only if another one sends to it, and the other way
// round. Likewise a local that is only set to one value, or only grows up to a limit, is not changed in a cycle. What
// is left when that is used up is cut location by location, so that a ring of processes that pass messages on needs
// one sticky location in one of them. Where a process creates others again and again is sticky: the others are not
// among these.
//
// A function of what it is given; locations are in ascending order.
[[nodiscard]] std::vector<std::vector<LocationId>> sticky_locations(
    std::span<const std::vector<CycleEdge>* const> cycles);

// Likewise, but processes of one group that have equal cycles have equal sticky locations, whatever the order of the
// group is: those of one of them are those of each. So they can change places (symmetry.h). `groups`: indices of
// `cycles`, in ascending order.
[[nodiscard]] std::vector<std::vector<LocationId>> sticky_locations(
    std::span<const std::vector<CycleEdge>* const> cycles, std::span<const std::vector<uint8_t>> groups);

}  // namespace cmc
