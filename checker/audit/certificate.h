#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "checker/audit/mapped_file.h"
#include "checker/audit/refusal.h"

// A certificate as its files say it (RUN_FORMAT.md): what is claimed, of which model, and where the
// states are.

namespace cmc::audit {

inline std::string_view text_of(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// How a state vector is divided into components.
struct ComponentTable {
  struct Range {
    uint32_t offset = 0;  // bytes, in the state vector or in the frame
    uint32_t size = 0;
  };
  struct Frame {
    uint32_t bytes = 0;
    std::vector<Range> pieces;
  };
  uint32_t hidden_bytes = 0;
  uint32_t global_bytes = 0;
  std::vector<Range> globals;  // components 1..
  uint32_t frame_pieces = 0;   // numbers of components that each process has
  std::vector<Frame> frames;   // by proctype
};

// Where the number of a component's content is in a key. Components without a field have content 0.
struct Field {
  uint16_t component = 0;
  uint32_t word = 0;
  uint32_t shift = 0;
  uint32_t width = 0;
};

struct Certificate {
  // Of the model.
  std::string model;                                       // the name of one of the texts, which may include others
  std::vector<std::pair<std::string, std::string>> texts;  // name and text
  std::vector<std::string> arguments;                      // options that decide what is searched
  ComponentTable table;

  // The claim.
  uint64_t states = 0;
  uint64_t transitions = 0;

  // The states.
  unsigned words = 1;  // of a key
  std::vector<Field> layout;
  std::vector<MappedFile> content_files;
  std::vector<std::vector<ByteView>> contents;  // by component and number; in content_files
  std::vector<MappedFile> state_files;
};

// Reads a folder. Checks (A) as far as it does not concern the keys (states_file.h): that the SHA-256 of each file
// is the one that is said, and that what is there is as RUN_FORMAT.md has it.
[[nodiscard]] Verdict read_certificate(const std::string& folder, Certificate& certificate);

}  // namespace cmc::audit
