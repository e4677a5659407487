#include "studies/xtp/packet_log.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include <fmt/format.h>

namespace cmc::xtp {
namespace {

constexpr const char* kTypeNames[] = {"FIRST", "DATA", "CNTL", "CLOSE", "ABORT", "GONE"};

std::string packet_line(size_t side, bool sent, const std::optional<Header>& packet) {
  if (!packet) return fmt::format("{{\"event\": \"damaged\", \"side\": {}}}\n", side);
  return fmt::format(
      "{{\"event\": \"{}\", \"side\": {}, \"type\": \"{}\", \"key\": {}, \"xkey\": {}, \"sreq\": {}, \"seq\": {}, "
      "\"ack\": {}, \"credit\": {}}}\n",
      sent ? "sent" : "came", side, kTypeNames[static_cast<size_t>(packet->type) - 1], packet->key,
      packet->sender_key, packet->status_requested ? 1 : 0, packet->sequence, packet->acknowledged, packet->credit);
}

}  // namespace

PacketObserver write_packets_to(const std::string& path, size_t side) {
  const std::shared_ptr<std::FILE> file(std::fopen(path.c_str(), "w"), [](std::FILE* open) {
    if (open != nullptr) std::fclose(open);
  });
  if (file == nullptr) throw std::system_error(errno, std::generic_category(), path);
  return [file, side](bool sent, const std::optional<Header>& packet) {
    const std::string line = packet_line(side, sent, packet);
    if (std::fwrite(line.data(), 1, line.size(), file.get()) != line.size()) {
      throw std::system_error(errno, std::generic_category(), "the log of packets");
    }
  };
}

}  // namespace cmc::xtp
