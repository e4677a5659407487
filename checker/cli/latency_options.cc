#include "checker/cli/latency_options.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

namespace cmc {
namespace {

constexpr uint32_t kMostCount = 1'000'000;

Result<std::vector<std::string>> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  if (words.empty()) return Error{"the list is empty"};
  return words;
}

bool read_number(const std::string& text, uint32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

template <class T, class Add>
Status fill(Options& options, const std::string& list, std::vector<T>& out, Add&& add) {
  options.latency_given = true;
  const Result<std::vector<std::string>> words = words_of(list);
  if (!words.ok()) return Error{words.error()};
  out.clear();
  for (const std::string& word : words.value()) {
    if (const Status added = add(word); !added.ok()) return added;
  }
  return Success{};
}

}  // namespace

// A family has a channel between threads, or one between processes, or both.
Status set_channels(Options& options, const std::string& list) {
  std::vector<const latency::ChannelKind*>& kinds = options.latency.kinds;
  return fill(options, list, kinds, [&](const std::string& word) -> Status {
    const size_t before = kinds.size();
    std::string names;
    for (const latency::ChannelKind& kind : latency::channel_kinds()) {
      if (names.find(kind.family) == std::string::npos)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.family);
      if (word != kind.family) continue;
      if (std::ranges::find(kinds, &kind) != kinds.end()) return Error{fmt::format("'{}' is there twice", word)};
      kinds.push_back(&kind);
    }
    if (kinds.size() == before) return Error{fmt::format("'{}' is not one of: {}", word, names)};
    return Success{};
  });
}

Status set_sizes(Options& options, const std::string& list) {
  return fill(options, list, options.latency.sizes, [&](const std::string& word) -> Status {
    uint32_t bytes = 0;
    if (!read_number(word, bytes) || bytes < latency::kLeastBytes || bytes > latency::kMostBytes) {
      return Error{fmt::format("'{}' is not a number of bytes from {} to {}", word, latency::kLeastBytes,
                               latency::kMostBytes)};
    }
    if (std::ranges::find(options.latency.sizes, bytes) != options.latency.sizes.end()) {
      return Error{fmt::format("{} is there twice", bytes)};
    }
    options.latency.sizes.push_back(bytes);
    return Success{};
  });
}

Status set_placements(Options& options, const std::string& list) {
  std::vector<latency::Placement>& placements = options.latency.placements;
  return fill(options, list, placements, [&](const std::string& word) -> Status {
    for (const latency::PlacementName& row : latency::placement_names()) {
      if (word != row.name) continue;
      if (std::ranges::find(placements, row.placement) != placements.end()) {
        return Error{fmt::format("'{}' is there twice", word)};
      }
      placements.push_back(row.placement);
      return Success{};
    }
    return Error{fmt::format("'{}' is not one of: unpinned, one, two", word)};
  });
}

Status set_latency_count(Options& options, const std::string& text, uint32_t& count) {
  options.latency_given = true;
  if (!read_number(text, count) || count < 1 || count > kMostCount) {
    return Error{fmt::format("'{}' is not a whole number from 1 to {}", text, kMostCount)};
  }
  return Success{};
}

Status set_peer(Options& options, const std::string& text) {
  options.latency_given = true;
  Result<latency::PeerAddress> peer = latency::parse_peer(text);
  if (!peer.ok()) return Error{peer.error()};
  options.latency.peer = std::move(peer).value();
  return Success{};
}

Status set_serve(Options& options, const std::string& text) {
  options.latency_given = true;
  Result<latency::PeerAddress> own = latency::parse_peer(text);
  if (!own.ok()) return Error{own.error()};
  options.latency_serve = std::move(own).value();
  return Success{};
}

}  // namespace cmc
