#include "storage/pages/spill.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/hash.h"

namespace cmc {

ChunkFile::~ChunkFile() {
  if (file_ == nullptr) return;
  file_.reset();
  static_cast<void>(files_.remove(path_));
}

Status ChunkFile::write(Place& place, ByteView content) {
  CHECK(content.size() <= chunk_bytes_);
  if (file_ == nullptr) {
    CMC_TRY(file_, files_.open(path_, FileSystem::Open::kCreate, FileAccess::kBuffered));
  }
  if (place.sequence == 0) {
    place.slot = free_slots_.empty() ? slots_++ : free_slots_.back();
    if (!free_slots_.empty()) free_slots_.pop_back();
  }
  place.sequence = ++sequence_;
  Header header;
  header.slot = place.slot;
  header.sequence = place.sequence;
  header.bytes = static_cast<uint32_t>(content.size());
  header.file = crc32(std::as_bytes(std::span(path_)));
  buffer_.resize(sizeof header + content.size());
  store(buffer_.data(), header);
  std::copy(content.begin(), content.end(), buffer_.begin() + sizeof header);
  header.crc = crc32(buffer_);
  store(buffer_.data(), header);
  return file_->write(offset(place), buffer_);
}

Status ChunkFile::read(const Place& place, std::span<std::byte> content) {
  CHECK(file_ != nullptr);
  buffer_.resize(sizeof(Header) + content.size());
  if (Status status = file_->read(offset(place), buffer_); !status.ok()) return status;
  Header header = load<Header>(buffer_.data());
  const uint32_t crc = std::exchange(header.crc, 0);
  store(buffer_.data(), header);
  const auto damaged = [&](const char* what) {
    return Error{fmt::format("'{}' is damaged: the chunk at {} {}", path_, offset(place), what)};
  };
  if (header.magic != Header::kMagic) return damaged("does not begin like a chunk");
  if (header.bytes != content.size()) return damaged("has a wrong length");
  if (crc != crc32(buffer_)) return damaged("has a wrong CRC");
  const bool here = header.file == crc32(std::as_bytes(std::span(path_))) && header.slot == place.slot;
  if (!here || header.sequence != place.sequence) return damaged("belongs elsewhere, or is an old one");
  std::copy(buffer_.begin() + sizeof header, buffer_.end(), content.begin());
  return Success{};
}

void ChunkFile::read_ahead(const Place& place) {
  if (file_ != nullptr) file_->read_ahead(offset(place), sizeof(Header) + chunk_bytes_);
}

void ChunkFile::free(Place& place) {
  if (place.sequence != 0) free_slots_.push_back(place.slot);
  place = {};
}

SpillGeometry::SpillGeometry(uint64_t memory_bytes, size_t record_bytes) {
  constexpr uint64_t kMostChunkBytes = uint64_t{256} << 10;
  // One less for the buffer through which chunks are written and read.
  const uint64_t chunk_bytes = std::min(kMostChunkBytes, memory_bytes / 16);
  chunk_records = std::max<size_t>(1, chunk_bytes / record_bytes);
  chunks = std::max<size_t>(3, memory_bytes / (chunk_records * record_bytes)) - 1;
}

}  // namespace cmc
