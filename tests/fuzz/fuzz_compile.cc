#include <cstddef>
#include <cstdint>
#include <string>

#include "promela/compile.h"

// libFuzzer target: any bytes are a model; the front end must answer with a model or with diagnostics, which must be
// printable. It may not crash, hang or eat memory.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cmc::promela::Sources sources;
  cmc::promela::Diagnostics diagnostics(sources);
  const uint32_t file = sources.add("fuzz.pml", std::string(reinterpret_cast<const char*>(data), size));
  const auto model =
      cmc::promela::compile(sources, file, cmc::promela::CompileOptions{.validate = true}, diagnostics);
  const std::string text = diagnostics.render(false);
  if (!model && diagnostics.error_count() == 0) __builtin_trap();  // refused without a word
  return text.size() > 100'000'000 ? 1 : 0;
}
