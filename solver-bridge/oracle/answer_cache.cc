#include "solver-bridge/oracle/answer_cache.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/files/file.h"
#include "base/files/file_lock.h"
#include "base/hash.h"
#include "solver-bridge/protocol/payload.h"
#include "solver-bridge/protocol/protocol.h"

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

std::string record_of(ByteView body) {
  PayloadWriter record;
  record.u32(static_cast<uint32_t>(body.size()));
  record.u32(crc32(body));
  record.raw(body);
  const Bytes& bytes = record.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<std::string> content_from(int file, uint64_t offset) {
  std::string content;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = ::pread(file, buffer.data(), buffer.size(), static_cast<off_t>(offset + content.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error{std::strerror(errno)};
    if (count == 0) return content;
    content.append(buffer.data(), static_cast<size_t>(count));
  }
}

bool is_file_at(int file, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

}  // namespace

AnswerCache::~AnswerCache() { close(); }

void AnswerCache::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

Result<std::string> AnswerCache::open(const std::string& path, const std::string& identity) {
  CHECK(file_ < 0);
  std::string warning;
  while (true) {
    const Result<bool> opened = try_open(path, identity, warning);
    if (opened.ok() && opened.value()) return warning;
    close();
    if (!opened.ok()) return Error{fmt::format("cannot use the file of answers '{}': {}", path, opened.error())};
  }
}

// False: another file has taken the place of this one.
Result<bool> AnswerCache::try_open(const std::string& path, const std::string& identity, std::string& warning) {
  PayloadWriter own;
  own.string(identity);
  const std::string begin = std::string(kFileHeader) + record_of(own.bytes());
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) return Error{std::strerror(errno)};
  const ScopedFileLock lock(file_);
  if (!is_file_at(file_, path)) return false;
  CMC_TRY(const std::string content, content_from(file_, 0));
  const std::string_view text = content;
  if (!kAnyHeader.starts_with(text.substr(0, kAnyHeader.size()))) return Error{"it is something else"};
  if (text.empty()) {
    if (!write(begin)) return Error{std::strerror(errno)};
    return true;
  }
  const std::string before = identity_of(text);
  if (before == identity) {
    end_ = read_records(text, begin.size());
    if (::ftruncate(file_, static_cast<off_t>(end_)) != 0) return Error{std::strerror(errno)};
    return true;
  }
  // A new file: others may be appending to this one.
  if (const Status replaced = write_file_atomically(path, begin); !replaced.ok()) return Error{replaced.error()};
  if (text.size() > kFileHeader.size()) {
    warning =
        fmt::format("the answers in '{}' are of {}, not of {}: they are not used, and the file begins anew", path,
                    before.empty() ? "an older version, which did not say of which solver" : before, identity);
  }
  return false;
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
  if (file_ >= 0 && !append(key, answer)) close();
  forget(key);
  remember(key, answer);
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

// False: recording ends.
bool AnswerCache::append(const std::string& key, const Answer& answer) {
  const ScopedFileLock lock(file_);
  const bool was_known = knows(key);
  if (!take_over_others()) return false;
  if (!was_known && knows(key)) return true;  // another process has asked the same, and was faster
  PayloadWriter body;
  body.string(key);
  solver::write(body, answer);
  return write(record_of(body.bytes()));
}

// REQUIRES: the lock. False: the file cannot be used any more.
bool AnswerCache::take_over_others() {
  struct stat status {};
  if (::fstat(file_, &status) != 0) return false;
  const auto size = static_cast<uint64_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || size == end_) return true;
  if (size < end_) return false;
  const Result<std::string> content = content_from(file_, end_);
  if (!content.ok()) return false;
  end_ += read_records(content.value(), 0);
  return end_ == size || ::ftruncate(file_, static_cast<off_t>(end_)) == 0;
}

bool AnswerCache::write(std::string_view bytes) {
  if (::write(file_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) return false;
  end_ += bytes.size();
  return true;
}

}  // namespace cmc::solver
