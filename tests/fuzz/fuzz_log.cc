#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "checker/report/logs/log_json.h"
#include "checker/report/logs/search_log.h"
#include "tests/fuzz/input.h"

// libFuzzer target: any bytes are a log, as text or in a JSON result; the answer is a log, of which everything can be
// said that `cmc log` says, or an error that says something.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = cmc::fuzz::as_text(data, size);
  for (const bool plain : {true, false}) {
    const cmc::Result<cmc::SearchLog> log = plain ? cmc::parse_log(text) : cmc::parse_any_log(text);
    if (!log.ok()) {
      if (log.error().empty()) __builtin_trap();  // refused without a word
      continue;
    }
    static_cast<void>(cmc::check_identities(log.value()));
    static_cast<void>(cmc::log_remarks(log.value()));
    static_cast<void>(cmc::write_log(log.value()));
  }
  return 0;
}
