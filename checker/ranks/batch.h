#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "checker/keyspace/key_space.h"
#include "storage/pages/origin.h"
#include "storage/sets/key.h"

// Candidates on their way from one rank to another. Each rank numbers contents as it meets them, and has a layout of
// its own; so a batch says first what the receiver does not know yet:
//
//   words of a key, 1 byte
//   layout     varint: these words; 0: it is that of the last batch; then varints: how many fields, and component,
//   word,
//              shift, width of each
//   contents   varint: how many that the receiver has not been told; each: varints component, number, length; its
//   bytes blocks     varint: how many candidates, 0: that was the last one; varint: bytes of their keys; these
//   (KeyEncoder);
//              four columns of numbers: parent, index, depth, sleeping processes
//
// A column is varints of its least number and of the bits that the others need above it; then these, the low bits of
// a byte first.

namespace cmc {

template <unsigned W>
struct Candidate {
  Key<W> key{};
  Origin origin;
};

// The sender's side, for one receiver.
class BatchWriter {
 public:
  // Sorts the candidates, leaves of equal ones that of the least depth, and appends a batch of them.
  template <unsigned W>
  void write(const KeySpace& space, std::vector<Candidate<W>>& candidates, Bytes& to);

  [[nodiscard]] uint64_t content_bytes() const { return content_bytes_; }  // of all batches

 private:
  void write_layout(const Layout& layout, unsigned words, Bytes& to);
  template <unsigned W>
  void write_contents(const KeySpace& space, std::span<const Candidate<W>> candidates, Bytes& to);

  Layout layout_;  // as the receiver knows it
  bool has_layout_ = false;
  std::vector<std::vector<bool>> told_;  // by component and number
  uint64_t content_bytes_ = 0;
};

// The receiver's side, for one sender.
class BatchReader {
 public:
  enum class Outcome : uint8_t {
    kRead,
    kTooNarrow,  // a number does not fit its field: read it again behind a re-layout. Nothing was visited
    kStopped,    // by visit()
    kDamaged,
  };
  // False: that is enough. The words of the key are in the own layout, with own numbers; those behind are 0.
  using Visit = std::function<bool(const uint64_t* key, const Origin& origin)>;

  // Batches are read in their order, each until it was.
  [[nodiscard]] Outcome read(ByteView batch, KeySpace& space, const Visit& visit);

 private:
  class Input;
  static constexpr uint32_t kUnknown = UINT32_MAX;

  [[nodiscard]] bool read_layout(Input& from);
  [[nodiscard]] bool read_contents(Input& from, KeySpace& space);
  [[nodiscard]] bool fits(const Layout& own) const;
  template <unsigned V>
  [[nodiscard]] Outcome read_blocks(Input& from, const Layout& own, const Visit& visit);
  template <unsigned V>
  [[nodiscard]] bool translate(const Key<V>& before, const Key<V>& after, const Layout& own, uint64_t* key) const;

  Layout layout_;                           // the sender's
  std::vector<uint64_t> field_bits_;        // by word of it
  std::vector<std::vector<uint32_t>> own_;  // numbers, by component and the sender's number
  std::vector<uint32_t> most_;              // of them, by component
};

}  // namespace cmc
