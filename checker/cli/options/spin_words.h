#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checker/cli/options/options.h"

// For people who come from SPIN: what CMC has for the options of `spin` and `pan`. All of them are of `cmc spin`.

namespace cmc {

// Behind "unknown option '-m10000'": "; there is no depth limit". Empty: it is no option of SPIN, or none that says
// anything about this command.
[[nodiscard]] std::string spin_option_hint(Command command, std::string_view option);

// A note about each macro of -D that is a switch of SPIN's verifier, if no text has that name.
[[nodiscard]] std::vector<std::string> spin_macro_notes(const std::vector<std::string>& macros,
                                                        const std::vector<std::string_view>& texts);

}  // namespace cmc
