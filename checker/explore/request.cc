#include "checker/explore/request.h"

#include <algorithm>

namespace cmc::explore {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";

bool is_visible(char c) { return c > ' ' && c < '\x7f'; }

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

// Nothing that ends a line for somebody else.
bool is_of_value(char c) { return (c >= ' ' && c != '\x7f') || c == '\t' || static_cast<unsigned char>(c) >= 0x80; }

std::string in_lower_case(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::string_view trimmed_value(std::string_view value) {
  const size_t begin = std::min(value.find_first_not_of(" \t"), value.size());
  value.remove_prefix(begin);
  return value.substr(0, value.find_last_not_of(" \t") + 1);
}

}  // namespace

std::string_view Request::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &std::pair<std::string, std::string>::first);
  return found == headers.end() ? std::string_view() : found->second;
}

RequestReader::State RequestReader::refuse(int status) {
  refusal_ = status;
  buffer_.clear();
  return state_ = State::kRefused;
}

RequestReader::State RequestReader::add(std::string_view bytes) {
  if (state_ != State::kMore) return state_;
  if (!in_body_) {
    const size_t known = buffer_.size();
    buffer_.append(bytes.substr(0, kMostHead + kHeadEnd.size() - std::min(known, kMostHead)));
    const size_t end = buffer_.find(kHeadEnd, known < kHeadEnd.size() ? 0 : known - kHeadEnd.size());
    if (end == std::string::npos) return buffer_.size() > kMostHead ? refuse(431) : State::kMore;
    if (end > kMostHead) return refuse(431);
    const size_t used = end + kHeadEnd.size() - known;
    const std::string head = buffer_.substr(0, end);
    buffer_.clear();
    if (read_head(head) == State::kRefused || begin_body() == State::kRefused) return state_;
    bytes.remove_prefix(used);
  }
  request_.body.append(bytes.substr(0, body_bytes_ - request_.body.size()));
  if (request_.body.size() == body_bytes_) state_ = State::kWhole;
  return state_;
}

RequestReader::State RequestReader::read_head(std::string_view head) {
  for (bool is_first = true; !head.empty() || is_first; is_first = false) {
    const size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    if ((is_first ? read_request_line(line) : read_header(line)) == State::kRefused) return state_;
    head.remove_prefix(std::min(end + 2, head.size()));
  }
  return state_;
}

RequestReader::State RequestReader::read_request_line(std::string_view line) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return refuse(400);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  request_.method = line.substr(0, first);
  request_.target = target;
  if (!target.starts_with('/') || !std::ranges::all_of(target, is_visible)) return refuse(400);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return refuse(version.starts_with("HTTP/") ? 505 : 400);
  return request_.method == "GET" || request_.method == "POST" ? state_ : refuse(405);
}

RequestReader::State RequestReader::read_header(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return refuse(400);
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed_value(line.substr(colon + 1));
  if (!std::ranges::all_of(name, is_of_name) || !std::ranges::all_of(value, is_of_value)) return refuse(400);
  if (request_.headers.size() == kMostHeaders) return refuse(431);
  request_.headers.emplace_back(in_lower_case(name), value);
  return state_;
}

RequestReader::State RequestReader::begin_body() {
  const auto count = [&](std::string_view name) {
    return std::ranges::count(request_.headers, name, &std::pair<std::string, std::string>::first);
  };
  for (const char* const once : {"host", "origin", "content-length"}) {
    if (count(once) > 1) return refuse(400);
  }
  if (count("transfer-encoding") > 0) return refuse(501);
  if (count("content-length") > 0) {
    const std::string_view digits = request_.header("content-length");
    const bool is_number =
        !digits.empty() && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
    if (!is_number) return refuse(400);
    for (const char digit : digits) {
      body_bytes_ = body_bytes_ * 10 + static_cast<size_t>(digit - '0');
      if (body_bytes_ > kMostBody) return refuse(413);
    }
  }
  in_body_ = true;
  return state_;
}

}  // namespace cmc::explore
