#include "solver-bridge/answer_cache.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/check.h"
#include "base/file.h"
#include "solver-bridge/payload.h"
#include "solver-bridge/protocol.h"

namespace cmc::solver {

namespace {

constexpr std::string_view kFileHeader = "CMCANS1\n";
constexpr size_t kRecordHeader = 8;

uint64_t size_of(const std::string& key, const Answer& answer) {
  constexpr uint64_t kEntryBytes = 200;  // nodes, strings, vectors: measured roughly
  const uint64_t tuple_bytes = answer.witnesses.empty() ? 0 : 40 + answer.witnesses[0].size() * sizeof(int32_t);
  return kEntryBytes + key.size() + answer.witnesses.size() * tuple_bytes;
}

ByteView view(std::string_view text) { return std::as_bytes(std::span(text)); }

}  // namespace

AnswerCache::~AnswerCache() {
  if (file_ >= 0) ::close(file_);
}

Status AnswerCache::open(const std::string& path) {
  CHECK(file_ < 0);
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const auto fail = [&](const std::string& why) {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
    return Error{fmt::format("cannot use the file of answers '{}': {}", path, why)};
  };
  if (file_ < 0) return fail(std::strerror(errno));
  const Result<std::string> content = read_file(path);
  if (!content.ok()) return fail(content.error());
  const std::string_view text = content.value();
  if (!kFileHeader.starts_with(text.substr(0, kFileHeader.size()))) return fail("it is something else");
  const size_t good = text.size() < kFileHeader.size() ? 0 : read_records(text);
  if (::ftruncate(file_, static_cast<off_t>(good)) != 0) return fail(std::strerror(errno));
  const auto header_size = static_cast<ssize_t>(kFileHeader.size());
  if (good == 0 && ::write(file_, kFileHeader.data(), kFileHeader.size()) != header_size) {
    return fail(std::strerror(errno));
  }
  return Success{};
}

// The length of what is good.
size_t AnswerCache::read_records(std::string_view content) {
  size_t at = kFileHeader.size();
  while (content.size() - at >= kRecordHeader) {
    PayloadReader header(view(content.substr(at, kRecordHeader)));
    const uint32_t length = header.u32();
    const uint32_t crc = header.u32();
    if (length > content.size() - at - kRecordHeader) break;
    const ByteView body = view(content.substr(at + kRecordHeader, length));
    if (crc32(body) != crc) break;
    PayloadReader reader(body);
    std::string key = reader.string();
    Answer answer = read_answer(reader);
    if (!reader.finished() || !answer.decided()) break;
    remember(key, std::move(answer));
    ++records_read_;
    at += kRecordHeader + length;
  }
  return at;
}

std::optional<Answer> AnswerCache::find(const std::string& key) {
  if (const auto place = young_.find(key); place != young_.end()) {
    ++hits_;
    return place->second;
  }
  const auto place = old_.find(key);
  if (place == old_.end()) {
    ++misses_;
    return std::nullopt;
  }
  ++hits_;
  Answer answer = std::move(place->second);
  old_bytes_ -= size_of(key, answer);
  old_.erase(place);
  remember(key, answer);
  return answer;
}

void AnswerCache::insert(const std::string& key, const Answer& answer) {
  CHECK(answer.decided());
  forget(key);
  remember(key, answer);
  if (file_ >= 0) append(key, answer);
}

void AnswerCache::forget(const std::string& key) {
  if (const auto place = young_.find(key); place != young_.end()) {
    young_bytes_ -= size_of(key, place->second);
    young_.erase(place);
  }
  if (const auto place = old_.find(key); place != old_.end()) {
    old_bytes_ -= size_of(key, place->second);
    old_.erase(place);
  }
}

void AnswerCache::remember(const std::string& key, Answer answer) {
  const uint64_t bytes = size_of(key, answer);
  const uint64_t half = memory_bytes_ / 2;
  if (bytes > half) return;
  if (young_bytes_ + bytes > half) {
    old_ = std::exchange(young_, {});
    old_bytes_ = std::exchange(young_bytes_, 0);
  }
  if (young_.insert_or_assign(key, std::move(answer)).second) young_bytes_ += bytes;
}

void AnswerCache::append(const std::string& key, const Answer& answer) {
  PayloadWriter body;
  body.string(key);
  write(body, answer);
  PayloadWriter record;
  record.u32(static_cast<uint32_t>(body.bytes().size()));
  record.u32(crc32(body.bytes()));
  record.raw(body.bytes());
  const Bytes& bytes = record.bytes();
  const ssize_t written = ::write(file_, bytes.data(), bytes.size());
  if (written == static_cast<ssize_t>(bytes.size())) return;
  ::close(file_);
  file_ = -1;
}

}  // namespace cmc::solver
