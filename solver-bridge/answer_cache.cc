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

constexpr std::string_view kFileHeader = "CMCANS2\n";
constexpr std::string_view kAnyHeader = "CMCANS";  // of all versions
constexpr size_t kRecordHeader = 8;

uint64_t size_of(const std::string& key, const Answer& answer) {
  constexpr uint64_t kEntryBytes = 200;  // nodes, strings, vectors: measured roughly
  const uint64_t tuple_bytes = answer.witnesses.empty() ? 0 : 40 + answer.witnesses[0].size() * sizeof(int32_t);
  return kEntryBytes + key.size() + answer.witnesses.size() * tuple_bytes;
}

ByteView view(std::string_view text) { return std::as_bytes(std::span(text)); }

// The body of the record there; none: it is damaged, or incomplete.
std::optional<ByteView> record_at(std::string_view content, size_t at) {
  if (content.size() < at + kRecordHeader) return std::nullopt;
  PayloadReader header(view(content.substr(at, kRecordHeader)));
  const uint32_t length = header.u32();
  const uint32_t crc = header.u32();
  if (length > content.size() - at - kRecordHeader) return std::nullopt;
  const ByteView body = view(content.substr(at + kRecordHeader, length));
  if (crc32(body) != crc) return std::nullopt;
  return body;
}

// The identity that the file names; empty: it names none.
std::string identity_of(std::string_view content) {
  const std::optional<ByteView> body =
      content.starts_with(kFileHeader) ? record_at(content, kFileHeader.size()) : std::nullopt;
  if (!body) return "";
  PayloadReader reader(*body);
  std::string identity = reader.string();
  return reader.finished() ? identity : "";
}

}  // namespace

AnswerCache::~AnswerCache() {
  if (file_ >= 0) ::close(file_);
}

Result<std::string> AnswerCache::open(const std::string& path, const std::string& identity) {
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
  if (!kAnyHeader.starts_with(text.substr(0, kAnyHeader.size()))) return fail("it is something else");

  PayloadWriter own;
  own.string(identity);
  const std::string before = identity_of(text);
  const size_t records = kFileHeader.size() + kRecordHeader + own.bytes().size();
  const size_t good = before == identity ? read_records(text, records) : 0;
  if (::ftruncate(file_, static_cast<off_t>(good)) != 0) return fail(std::strerror(errno));
  if (good > 0) return std::string();
  const auto header_size = static_cast<ssize_t>(kFileHeader.size());
  if (::write(file_, kFileHeader.data(), kFileHeader.size()) != header_size || !write_record(own.bytes())) {
    return fail(std::strerror(errno));
  }
  if (text.size() <= kFileHeader.size()) return std::string();
  return fmt::format("the answers in '{}' are of {}, not of {}: they are not used, and the file begins anew", path,
                     before.empty() ? "an older version, which did not say of which solver" : before, identity);
}

// The length of what is good.
size_t AnswerCache::read_records(std::string_view content, size_t at) {
  while (const std::optional<ByteView> body = record_at(content, at)) {
    PayloadReader reader(*body);
    std::string key = reader.string();
    Answer answer = read_answer(reader);
    if (!reader.finished() || !answer.decided()) break;
    remember(key, std::move(answer));
    ++records_read_;
    at += kRecordHeader + body->size();
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
  if (write_record(body.bytes())) return;
  ::close(file_);
  file_ = -1;
}

bool AnswerCache::write_record(ByteView body) const {
  PayloadWriter record;
  record.u32(static_cast<uint32_t>(body.size()));
  record.u32(crc32(body));
  record.raw(body);
  const Bytes& bytes = record.bytes();
  return ::write(file_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
}

}  // namespace cmc::solver
