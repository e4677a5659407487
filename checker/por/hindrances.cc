#include "checker/por/hindrances.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace cmc {

namespace {

// Without the number of an element, or of a process: "held", "a channel of filter".
std::string name_of(const Hindrance& hindrance, const Components& components, ByteView control) {
  const Model& model = components.model();
  const StatePieces& pieces = components.pieces();
  if (hindrance.component <= pieces.global_pieces) {
    const std::string name = components.name(hindrance.component, control);
    return name.substr(0, name.find('['));
  }
  const uint32_t piece = (hindrance.component - 1u - pieces.global_pieces) % pieces.most_frame_pieces;
  for (const ProctypeId proctype : {hindrance.proctype, hindrance.other}) {
    for (const ChannelInstance& channel : model.proctypes[proctype].channels) {
      if (pieces.frame_piece[proctype][channel.offset] == piece) return channel.name;
    }
  }
  return "a local variable";
}

std::string text_of(const Hindrance& hindrance, const Components& components, ByteView control) {
  const std::string& other = components.model().proctypes[hindrance.other].name;
  switch (hindrance.kind) {
    case Hindrance::Kind::kNone: break;
    case Hindrance::Kind::kVisible: return "the property looks at what changes here";
    case Hindrance::Kind::kCycle: return "all processes may run in a cycle through this place";
    case Hindrance::Kind::kComponent:
      return fmt::format("{} may use {}, too", other, name_of(hindrance, components, control));
    case Hindrance::Kind::kUnknownChannel: return fmt::format("{} may use a channel that is not known", other);
    case Hindrance::Kind::kProcesses:
      return fmt::format("{} may create processes, end, or see how many there are", other);
    case Hindrance::Kind::kHandshake:
      return fmt::format("{} may be ready for a handshake, or test whether another process is", other);
    case Hindrance::Kind::kEverything: return fmt::format("{} may look at other processes", other);
  }
  return "nothing";
}

}  // namespace

std::vector<HindranceText> describe(const std::vector<CountedHindrance>& hindrances, const Components& components,
                                    ByteView control) {
  const Model& model = components.model();
  std::map<std::tuple<SourcePlace, std::string, std::string>, uint64_t> counts;
  for (const auto& [hindrance, count] : hindrances) {
    const Proctype& proctype = model.proctypes[hindrance.proctype];
    SourcePlace place = proctype.place;
    if (hindrance.location > 0 && hindrance.location < proctype.locations.size())
      place = proctype.locations[hindrance.location].place;
    counts[{place, proctype.name, text_of(hindrance, components, control)}] += count;
  }
  std::vector<HindranceText> texts;
  for (const auto& [key, count] : counts) {
    const auto& [place, proctype, text] = key;
    texts.push_back({proctype, place, text, count});
  }
  std::ranges::stable_sort(texts, std::greater(), &HindranceText::count);
  return texts;
}

}  // namespace cmc
