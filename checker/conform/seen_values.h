#pragma once

#include "checker/conform/event_map.h"

namespace cmc::conform {

// Fills in what passes by in the step of `seen`: the channel and the message, the variable and its value, what is
// printed. Nothing of a statement that is none of these.
void see_values(const Model& model, ByteView before, ByteView after, const Step& step, Seen& seen);

}  // namespace cmc::conform
