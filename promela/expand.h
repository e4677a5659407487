#pragma once

#include <optional>
#include <string>

#include "promela/preprocessor/preprocessor.h"
#include "promela/text/diagnostic.h"
#include "promela/text/source.h"

namespace cmc::promela {

// What becomes of a text that is plain Promela already.
enum class PlainText : uint8_t { kError, kPreprocess };

// Rewrites a text in Promela/S into plain Promela that has the same states and steps, so that SPIN can be asked:
//
//   exists (x: 0 .. 1) (c)       the disjunction of c with x replaced by 0 and by 1
//   choose (x: 0 .. 1) where (c) if :: d_step { c with 0 -> x = 0 } :: d_step { c with 1 -> x = 1 } fi
//   least, max N                 as choose, where each option counts the witnesses before it; in a d_step without
//                                d_step
//
// The result is preprocessed; the rest of the text stays as it is. Errors: ranges that are not constant, more than
// kMaxTuples tuples (with `least` and `max`: kMaxCounted). SPIN refuses some results: a `least` in an inline
// that a d_step calls becomes a d_step in a d_step; and a d_step must not contain remote references. REQUIRES:
// compile() accepts the text.
[[nodiscard]] std::optional<std::string> expand(Sources& sources, uint32_t main_file,
                                                const PreprocessorOptions& options, Diagnostics& diagnostics,
                                                PlainText plain = PlainText::kError);

inline constexpr uint64_t kMaxTuples = 4096;
inline constexpr uint64_t kMaxCounted = 256;

}  // namespace cmc::promela
