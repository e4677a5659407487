#include <cstddef>
#include <cstdint>
#include <string>

#include "checker/trace/trail.h"
#include "tests/fuzz/input.h"

// libFuzzer target: any bytes are a trail file; the answer is a trail, which can be written and read again, or an
// error that says something.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const cmc::Result<cmc::Trail> trail = cmc::parse_trail(cmc::fuzz::as_text(data, size));
  if (!trail.ok()) {
    if (trail.error().empty()) __builtin_trap();  // refused without a word
    return 0;
  }
  const cmc::Result<cmc::Trail> again = cmc::parse_trail(cmc::trail_json(trail.value()));
  if (!again.ok() || again.value().path().size() != trail.value().path().size()) __builtin_trap();
  return 0;
}
