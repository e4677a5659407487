#include <cstddef>
#include <cstdint>
#include <string_view>

#include "checker/explore/request.h"
#include "tests/fuzz/input.h"

// libFuzzer target: any bytes are a request of HTTP for the page of `cmc explore`, in pieces as the first bytes say.
// What is read does not depend on the pieces, and what is refused has a status.

namespace {

using cmc::explore::RequestReader;

RequestReader read(std::string_view text, size_t piece) {
  RequestReader reader;
  for (size_t at = 0; at < text.size() && reader.state() == RequestReader::State::kMore; at += piece)
    static_cast<void>(reader.add(text.substr(at, piece)));
  return reader;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cmc::fuzz::Input input(data, size);
  const size_t piece = 1 + input.take<uint8_t>();
  const std::string_view text = size == 0 ? "" : cmc::fuzz::as_text(data, size).substr(1);
  const RequestReader whole = read(text, text.size() + 1);
  const RequestReader pieces = read(text, piece);
  if (whole.state() != pieces.state()) __builtin_trap();
  switch (whole.state()) {
    case RequestReader::State::kRefused:
      if (whole.refusal() < 400 || whole.refusal() != pieces.refusal()) __builtin_trap();
      break;
    case RequestReader::State::kWhole:
      if (whole.request().body != pieces.request().body || whole.request().headers != pieces.request().headers ||
          whole.request().body.size() > RequestReader::kMostBody ||
          whole.request().headers.size() > RequestReader::kMostHeaders) {
        __builtin_trap();
      }
      break;
    case RequestReader::State::kMore: break;
  }
  return 0;
}
