#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "solver-bridge/protocol/query.h"

// The contents of messages and of cache records: little-endian numbers, strings and lists with their length before
// them (u32). Reading is safe on any bytes: a list is never longer than the bytes that are left can hold.

namespace cmc::solver {

class PayloadWriter {
 public:
  void u8(uint8_t value) { put(value); }
  void u32(uint32_t value) { put(value); }
  void u64(uint64_t value) { put(value); }
  void i32(int32_t value) { put(value); }
  void string(std::string_view text);
  void raw(ByteView bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  [[nodiscard]] const Bytes& bytes() const { return bytes_; }

 private:
  template <class T>
  void put(T value) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    store(bytes_.data() + at, value);
  }
  Bytes bytes_;
};

// After the first failure every read yields zero or nothing; ask finished() at the end.
class PayloadReader {
 public:
  explicit PayloadReader(ByteView bytes) : rest_(bytes) {}

  uint8_t u8() { return take<uint8_t>(); }
  uint32_t u32() { return take<uint32_t>(); }
  uint64_t u64() { return take<uint64_t>(); }
  int32_t i32() { return take<int32_t>(); }
  std::string string();
  // A number of elements that take at least `element_bytes` each.
  uint32_t count(size_t element_bytes);
  void fail() { failed_ = true; }

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool finished() const { return !failed_ && rest_.empty(); }  // everything was read, nothing failed

 private:
  template <class T>
  T take() {
    if (failed_ || rest_.size() < sizeof(T)) {
      failed_ = true;
      return T{};
    }
    const T value = load<T>(rest_.data());
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }
  ByteView rest_;
  bool failed_ = false;
};

void write(PayloadWriter& to, const Constraint& constraint);
void write(PayloadWriter& to, const SolveRequest& request);
void write(PayloadWriter& to, const Answer& answer);

// REQUIRES: a failed reader's value is thrown away.
[[nodiscard]] Constraint read_constraint(PayloadReader& from);
[[nodiscard]] SolveRequest read_solve_request(PayloadReader& from);
[[nodiscard]] Answer read_answer(PayloadReader& from);

}  // namespace cmc::solver
