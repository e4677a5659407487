#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "checker/trace/places.h"
#include "checker/trace/recorder.h"
#include "ir/model.h"

namespace cmc {

// Which step changed each byte of the state vector last. Frames do not move while their processes exist, so an offset
// keeps its meaning.
class WriteLog {
 public:
  struct Write {
    uint64_t number = 0;  // of the step; 0: none changed it
    std::string process;  // "user[0]"
  };
  explicit WriteLog(const Model& model) : model_(model) {}

  void step(const RunStep& run);
  // Of all these bytes.
  [[nodiscard]] Write last(const ByteRange& bytes) const;
  // The last step that moved the process.
  [[nodiscard]] uint64_t arrival(uint8_t pid) const;

 private:
  struct Entry {
    uint64_t number = 0;
    uint32_t writer = 0;  // index into writers_
  };
  uint32_t writer(ByteView state, uint8_t pid);

  const Model& model_;
  std::vector<Entry> entries_;  // by byte
  std::vector<std::string> writers_;
  std::map<std::string, uint32_t> writer_numbers_;
  std::map<uint8_t, uint64_t> arrivals_;
};

}  // namespace cmc
