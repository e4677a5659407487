#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/files/descriptor.h"
#include "base/result.h"
#include "base/sha256.h"

// The files of a checkpoint, as RUN_FORMAT.md has them: written once, from the beginning to the end; read likewise.

namespace cmc {

// A file as its manifest names it.
struct CheckpointFile {
  std::string name;  // in the run's directory
  std::string kind;  // "states", "contents", ...
  uint64_t bytes = 0;
  uint64_t states = 0;  // of the kind "states"
  std::string sha256;
  uint32_t rank = 0;  // of a search on several machines: who wrote it
};

// The first error is kept, and what follows on it is dropped.
class OutStream {
 public:
  // `lasts`: finish() brings it to stable storage.
  OutStream(const std::string& directory, std::string name, std::string kind, bool lasts = true);
  // Of a text instead of a file: finish() appends to it.
  explicit OutStream(std::string& memory) : memory_(&memory) {}

  void raw(ByteView bytes) {
    buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (buffer_.size() >= kBuffer) flush();
  }
  template <class T>
  void fixed(T value) {  // little-endian
    std::byte bytes[sizeof value];
    store(bytes, value);
    raw(bytes);
  }
  void number(uint64_t value) {  // LEB128
    for (; value >= 0x80; value >>= 7) buffer_ += static_cast<char>(value | 0x80);
    buffer_ += static_cast<char>(value);
    if (buffer_.size() >= kBuffer) flush();
  }
  void text(std::string_view text) {  // its length and its bytes
    number(text.size());
    raw(std::as_bytes(std::span(text)));
  }
  [[nodiscard]] Result<CheckpointFile> finish(uint64_t states = 0);

 private:
  static constexpr size_t kBuffer = size_t{1} << 16;
  void flush();

  std::string* const memory_ = nullptr;
  const bool lasts_ = false;
  const std::string path_;
  CheckpointFile entry_;
  Descriptor file_;
  Sha256 digest_;
  std::string buffer_;
  Status status_ = Success{};
};

// What is read behind the end, or is not what it should be, is 0 or empty, and status() is an error from then on.
class InStream {
 public:
  InStream(const std::string& directory, const CheckpointFile& entry);
  // Of a text; `name` is for errors.
  InStream(std::string memory, std::string name)
      : path_(std::move(name)), left_(0), buffer_(std::move(memory)), filled_(buffer_.size()) {}

  void raw(std::span<std::byte> bytes);
  template <class T>
  [[nodiscard]] T fixed() {
    std::byte bytes[sizeof(T)]{};
    raw(bytes);
    return load<T>(bytes);
  }
  [[nodiscard]] uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = next();
      value |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }
  // At most `most`: what may be asked of the memory, say.
  [[nodiscard]] uint64_t number_up_to(uint64_t most) {
    const uint64_t value = number();
    if (value > most) fail();
    return value > most ? 0 : value;
  }
  [[nodiscard]] std::string text();
  [[nodiscard]] bool at_end() const { return left_ == 0 && at_ == filled_; }
  [[nodiscard]] bool ok() const { return status_.ok(); }
  [[nodiscard]] const Status& status() const { return status_; }
  void fail();  // its content makes no sense

 private:
  [[nodiscard]] uint8_t next() {
    if (at_ == filled_ && !fill()) return 0;
    return static_cast<uint8_t>(buffer_[at_++]);
  }
  [[nodiscard]] bool fill();

  const std::string path_;
  Descriptor file_;
  uint64_t left_;  // behind the buffer
  std::string buffer_;
  size_t at_ = 0;
  size_t filled_ = 0;
  Status status_ = Success{};
};

// Whether the file is there as the manifest says: each byte is read.
[[nodiscard]] Status verify_file(const std::string& directory, const CheckpointFile& entry);

// Of names: what was made, renamed or removed in the directory is in stable storage.
[[nodiscard]] Status sync_directory(const std::string& directory);

// The text in place of the file, also if the machine stops in the middle.
[[nodiscard]] Status write_durably(const std::string& directory, const std::string& name, std::string_view text);

}  // namespace cmc
