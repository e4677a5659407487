#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "checker/audit/certificate.h"
#include "ir/model.h"

namespace cmc::audit {

// From keys to state vectors and back, as RUN_FORMAT.md says it: a key has the numbers of the contents
// of a state's components. Written a second time, from that text: it shares nothing with checker/keyspace. Threads
// may share it.
class StateVectors {
 public:
  // Where the components are in the states whose processes have certain proctypes.
  struct Shape {
    struct Piece {
      uint16_t component = 0;
      uint32_t offset = 0;  // in the state vector
      uint32_t size = 0;
    };
    std::vector<uint32_t> frames;  // offsets, by pid
    uint32_t bytes = 0;
    std::vector<Piece> pieces;
    std::vector<uint16_t> absent;  // components with contents that these states do not have
    bool complete = true;          // every component has contents
  };
  // A state of the certificate.
  struct State {
    Bytes vector;
    const Shape* shape = nullptr;
    std::vector<uint32_t> numbers;  // of contents, by component
  };

  // Both live longer.
  StateVectors(const Model& model, const Certificate& certificate);

  // (B), and whether the table covers every byte of a state vector of the model once.
  [[nodiscard]] Verdict check();

  // Null: it is done. Else why the key is that of no state vector, or of one that the interpreter cannot take.
  [[nodiscard]] const char* unpack(const uint64_t* key, State& state) const;
  // The key of a state vector of the model, that of a successor of `before` mostly. False: `missing` has a content
  // that the certificate does not know, or whose number fits no field.
  [[nodiscard]] bool pack(ByteView vector, const State& before, uint64_t* key, uint16_t& missing) const;

  [[nodiscard]] std::string name(uint16_t component) const;

 private:
  struct Table {
    const Field* field = nullptr;  // null: none
    std::unordered_map<std::string_view, uint32_t> numbers;
  };

  [[nodiscard]] Verdict check_table() const;
  [[nodiscard]] Verdict add_shape(ByteView control);
  [[nodiscard]] const char* damage(const State& state) const;
  [[nodiscard]] bool control_number(ByteView vector, const State& before, uint32_t& number) const;
  [[nodiscard]] bool put(uint16_t component, uint32_t number, uint64_t* key) const;
  [[nodiscard]] bool put(uint16_t component, ByteView content, uint64_t* key) const;

  const Model& model_;
  const Certificate& certificate_;
  std::vector<Table> tables_;            // by component
  std::map<std::string, Shape> shapes_;  // by the proctypes of the processes
  std::vector<const Shape*> shape_of_;   // by the number of control
  std::array<uint64_t, 16> used_{};      // bits of fields, by word
};

}  // namespace cmc::audit
