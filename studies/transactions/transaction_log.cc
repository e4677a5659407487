#include "studies/transactions/transaction_log.h"

#include <optional>
#include <string_view>

#include "base/hash.h"

namespace cmc {

namespace {

constexpr std::string_view kMagic = "CMCTXN1\n";
constexpr size_t kRecordHeader = sizeof(uint32_t) + sizeof(uint64_t);

template <class T>
void append(std::string& text, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  text.append(bytes, sizeof value);
}

// Takes values from the front; after one that is not there, and from then on, none is.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  template <class T>
  T take() {
    T value{};
    const std::string_view bytes = take(sizeof value);
    if (!failed_) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string_view take(size_t bytes) {
    if (failed_ || bytes > text_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view taken = text_.substr(0, bytes);
    text_.remove_prefix(bytes);
    return taken;
  }
  std::string_view rest() { return take(text_.size()); }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::string_view text_;
  bool failed_ = false;
};

uint64_t hash_of(std::string_view body) { return hash_bytes(std::as_bytes(std::span(body))); }

std::string record(const std::string& body) {
  std::string text;
  append(text, static_cast<uint32_t>(body.size()));
  append(text, hash_of(body));
  return text + body;
}

std::optional<std::string_view> next_body(Reader& reader) {
  const auto length = reader.take<uint32_t>();
  const auto hash = reader.take<uint64_t>();
  const std::string_view body = reader.take(length);
  if (reader.failed() || body.empty() || hash_of(body) != hash) return std::nullopt;
  return body;
}

bool read_begin(std::string_view body, TransactionLog& log) {
  if (body != "tb" && body != "ts") return false;
  log.scheme = body == "tb" ? TransactionScheme::kBuffered : TransactionScheme::kSnapshot;
  return true;
}

bool read_record(std::string_view body, TransactionLog& log) {
  Reader reader(body);
  switch (reader.take<char>()) {
    case 'f': {
      FileVersion version;
      version.there = reader.take<uint8_t>() != 0;
      version.length = reader.take<uint64_t>();
      version.hash = reader.take<uint64_t>();
      const std::string name(reader.rest());
      if (!reader.failed()) log.touched[name].version = version;
      return !reader.failed();
    }
    case 'w': {
      const std::string name(reader.take(reader.take<uint32_t>()));
      const std::string_view content = reader.rest();
      if (reader.failed() || !log.touched.contains(name)) return false;
      log.touched[name].planned = true;
      log.touched[name].content = std::string(content);
      return true;
    }
    case 'r': {
      const std::string name(reader.rest());
      if (!log.touched.contains(name)) return false;
      log.touched[name].planned = true;
      log.touched[name].content.reset();
      return true;
    }
    case 'e': log.ended = reader.take<uint64_t>() == log.records; return log.ended;
    default: return false;
  }
}

}  // namespace

std::string log_begin(TransactionScheme scheme) {
  return std::string(kMagic) + record(scheme == TransactionScheme::kBuffered ? "tb" : "ts");
}

std::string log_record(const std::string& name, const FileVersion& found) {
  std::string body = "f";
  append(body, static_cast<uint8_t>(found.there));
  append(body, found.length);
  append(body, found.hash);
  return record(body + name);
}

std::string log_record(const std::string& name, const FileContent& planned) {
  if (!planned) return record("r" + name);
  std::string body = "w";
  append(body, static_cast<uint32_t>(name.size()));
  return record(body + name + *planned);
}

std::string log_end(uint64_t records) {
  std::string body = "e";
  append(body, records);
  return record(body);
}

Result<TransactionLog> parse_log(const std::string& content) {
  TransactionLog log;
  Reader reader(content);
  const bool is_log = reader.take(kMagic.size()) == kMagic;
  std::optional<std::string_view> body = is_log ? next_body(reader) : std::nullopt;
  if (!body || !read_begin(*body, log)) return Error{"it is no log of a transaction, or its begin is damaged"};
  log.bytes = kMagic.size() + kRecordHeader + body->size();
  log.records = 1;
  while ((body = next_body(reader)) && read_record(*body, log)) {
    if (log.ended) break;
    log.bytes += kRecordHeader + body->size();
    ++log.records;
  }
  return log;
}

}  // namespace cmc
