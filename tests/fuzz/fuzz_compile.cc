#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "ir/dump.h"
#include "promela/compile.h"

// libFuzzer target: any bytes are a model, and behind a byte 1 an appended formula; the front end must answer with a
// model or with diagnostics, which must be printable. It may not crash, hang or eat memory.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cmc::promela::Sources sources;
  cmc::promela::Diagnostics diagnostics(sources);
  const std::string input(reinterpret_cast<const char*>(data), size);
  const size_t end = input.find('\1');
  cmc::promela::CompileOptions options{.validate = true};
  if (end != std::string::npos) options.formulas.push_back({"", input.substr(end + 1)});
  const auto model =
      cmc::promela::compile(sources, sources.add("fuzz.pml", input.substr(0, end)), options, diagnostics);
  const std::string text = diagnostics.render(false);
  if (!model && diagnostics.error_count() == 0) __builtin_trap();  // refused without a word
  if (model) {
    std::ostringstream out;
    cmc::dump(*model, out);
  }
  return text.size() > 100'000'000 ? 1 : 0;
}
