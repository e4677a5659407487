#include "checker/explore/request.h"

#include "checker/explore/access.h"

#include "tests/catch.h"

namespace cmc::explore {
namespace {

const std::string kToken = "0123456789abcdef0123456789abcdef";
const std::string kPost =
    "POST /a/do HTTP/1.1\r\nHost: 127.0.0.1:80\r\nContent-Length: 5\r\nX-Other:  two words \r\n\r\nhello";

RequestReader reader_of(std::string_view text) {
  RequestReader reader;
  reader.add(text);
  return reader;
}

// The status that refuses the text; 0: it is whole; -1: there is more to come.
int refusal_of(std::string_view text) {
  const RequestReader reader = reader_of(text);
  if (reader.state() == RequestReader::State::kMore) return -1;
  return reader.state() == RequestReader::State::kWhole ? 0 : reader.refusal();
}

std::string with_headers(const std::string& headers, const std::string& body = "") {
  return "POST / HTTP/1.1\r\n" + headers + "\r\n" + body;
}

}  // namespace

TEST_CASE("requests: a whole one has its parts") {
  const RequestReader reader = reader_of(kPost);
  REQUIRE(reader.state() == RequestReader::State::kWhole);
  const Request& request = reader.request();
  CHECK(request.method == "POST");
  CHECK(request.target == "/a/do");
  CHECK(request.header("host") == "127.0.0.1:80");
  CHECK(request.header("x-other") == "two words");
  CHECK(request.header("origin").empty());
  CHECK(request.body == "hello");
  CHECK(refusal_of("GET / HTTP/1.0\r\n\r\n") == 0);
  CHECK(refusal_of("GET / HTTP/1.1\r\nHost: a\r\n\r\nwhat follows is ignored") == 0);
}

TEST_CASE("requests: pieces of any size give the same, and what is cut is not whole") {
  for (size_t size = 1; size <= kPost.size(); ++size) {
    RequestReader reader;
    for (size_t at = 0; at < kPost.size(); at += size) reader.add(std::string_view(kPost).substr(at, size));
    REQUIRE(reader.state() == RequestReader::State::kWhole);
    CHECK(reader.request().body == "hello");
    CHECK(reader.request().headers.size() == 3);
  }
  for (size_t end = 0; end < kPost.size(); ++end) CHECK(refusal_of(std::string_view(kPost).substr(0, end)) == -1);
}

TEST_CASE("requests: what is not exactly HTTP is refused") {
  CHECK(refusal_of("PUT / HTTP/1.1\r\n\r\n") == 405);
  CHECK(refusal_of("get / HTTP/1.1\r\n\r\n") == 405);
  CHECK(refusal_of("GET / HTTP/2.0\r\n\r\n") == 505);
  CHECK(refusal_of("GET / FTP/1.1\r\n\r\n") == 400);
  CHECK(refusal_of("GET http://127.0.0.1/ HTTP/1.1\r\n\r\n") == 400);
  CHECK(refusal_of("GET /a b HTTP/1.1\r\n\r\n") == 400);
  CHECK(refusal_of("GET /\x01 HTTP/1.1\r\n\r\n") == 400);
  CHECK(refusal_of("GET /\r\n\r\n") == 400);
  CHECK(refusal_of("\r\n\r\n") == 400);
  CHECK(refusal_of(with_headers("no colon\r\n")) == 400);
  CHECK(refusal_of(with_headers(": empty\r\n")) == 400);
  CHECK(refusal_of(with_headers("Host : a\r\n")) == 400);
  CHECK(refusal_of(with_headers("A: b\r\n folded\r\n")) == 400);
  CHECK(refusal_of(with_headers("A: b\nB: c\r\n")) == 400);
  CHECK(refusal_of(with_headers("A: b\rB: c\r\n")) == 400);
  CHECK(refusal_of(with_headers(std::string("A: b\0c\r\n", 8))) == 400);
  CHECK(refusal_of(with_headers("Host: a\r\nhost: b\r\n")) == 400);
  CHECK(refusal_of(with_headers("Content-Length: 1\r\nContent-Length: 1\r\n", "a")) == 400);
  CHECK(refusal_of(with_headers("Content-Length: 1, 1\r\n", "a")) == 400);
  CHECK(refusal_of(with_headers("Content-Length: -1\r\n")) == 400);
  CHECK(refusal_of(with_headers("Content-Length:\r\n")) == 400);
  CHECK(refusal_of(with_headers("Content-Length: 0x5\r\n")) == 400);
  CHECK(refusal_of(with_headers("Transfer-Encoding: chunked\r\n")) == 501);
}

TEST_CASE("requests: limits hold to the byte") {
  const auto head_of = [](size_t bytes) {
    const std::string begin = "GET / HTTP/1.1\r\nA: ";
    return begin + std::string(bytes - begin.size(), 'a') + "\r\n\r\n";
  };
  CHECK(refusal_of(head_of(RequestReader::kMostHead)) == 0);
  CHECK(refusal_of(head_of(RequestReader::kMostHead + 1)) == 431);
  CHECK(refusal_of(std::string(RequestReader::kMostHead, 'a')) == -1);
  CHECK(refusal_of(std::string(RequestReader::kMostHead + 1, 'a')) == 431);
  const auto with_body = [](size_t bytes) {
    return with_headers("Content-Length: " + std::to_string(bytes) + "\r\n", std::string(bytes, 'b'));
  };
  CHECK(refusal_of(with_body(RequestReader::kMostBody)) == 0);
  CHECK(refusal_of(with_body(RequestReader::kMostBody + 1)) == 413);
  CHECK(refusal_of(with_headers("Content-Length: 99999999999999999999999999999\r\n")) == 413);
  const auto many = [](size_t count) {
    std::string headers;
    for (size_t i = 0; i < count; ++i) headers += "A: b\r\n";
    return with_headers(headers);
  };
  CHECK(refusal_of(many(RequestReader::kMostHeaders)) == 0);
  CHECK(refusal_of(many(RequestReader::kMostHeaders + 1)) == 431);
  // An endless head takes no memory.
  RequestReader reader;
  const std::string piece(1 << 20, 'a');
  for (int i = 0; i < 50; ++i) reader.add(piece);
  CHECK(reader.refusal() == 431);
}

TEST_CASE("requests: random bytes never do more than be refused") {
  uint32_t random = 1;
  for (int round = 0; round < 20000; ++round) {
    std::string text = kPost;
    for (int change = 0; change < 4; ++change) {
      random = random * 1664525 + 1013904223;
      text[(random >> 8) % text.size()] = static_cast<char>(random >> 24);
    }
    const RequestReader reader = reader_of(text);
    CHECK(reader.request().body.size() <= RequestReader::kMostBody);
    if (reader.state() == RequestReader::State::kRefused) CHECK(reader.refusal() >= 400);
  }
}

TEST_CASE("access: only the address itself, by a name of this machine, from its own page") {
  const Access access(8000, kToken);
  CHECK(access.address() == "http://127.0.0.1:8000/" + kToken + "/");
  const auto status = [&](const std::string& target, const std::string& headers, std::string* path = nullptr) {
    const RequestReader reader = reader_of("GET " + target + " HTTP/1.1\r\n" + headers + "\r\n");
    REQUIRE(reader.state() == RequestReader::State::kWhole);
    std::string found;
    const int answer = access.check(reader.request(), found);
    if (path != nullptr) *path = found;
    return answer;
  };
  const std::string host = "Host: 127.0.0.1:8000\r\n";
  std::string path;
  CHECK(status("/" + kToken + "/do", host, &path) == 0);
  CHECK(path == "do");
  CHECK(status("/" + kToken + "/", "Host: localhost:8000\r\n", &path) == 0);
  CHECK(path.empty());
  CHECK(status("/" + kToken + "/", host + "Origin: http://127.0.0.1:8000\r\n") == 0);
  CHECK(status("/", host) == 403);
  CHECK(status("/do", host) == 403);
  CHECK(status("/" + kToken, host) == 403);
  CHECK(status("/" + kToken + "0/", host) == 403);
  CHECK(status("/" + kToken.substr(1) + "1/", host) == 403);
  CHECK(status("//" + kToken + "/", host) == 403);
  CHECK(status("/" + kToken + "/", host + "Origin: http://evil.example\r\n") == 403);
  CHECK(status("/" + kToken + "/", host + "Origin: null\r\n") == 403);
  CHECK(status("/" + kToken + "/", host + "Origin: http://localhost:8000\r\n") == 403);
  CHECK(status("/" + kToken + "/", "") == 421);
  CHECK(status("/" + kToken + "/", "Host: evil.example:8000\r\n") == 421);
  CHECK(status("/" + kToken + "/", "Host: 127.0.0.1\r\n") == 421);
}

TEST_CASE("access: two programs have different addresses") {
  const Result<Access> one = Access::make(1);
  const Result<Access> other = Access::make(1);
  REQUIRE((one.ok() && other.ok()));
  CHECK(one.value().address() != other.value().address());
  CHECK(one.value().address().size() == std::string("http://127.0.0.1:1//").size() + 32);
}

}  // namespace cmc::explore
