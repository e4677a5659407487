#include "checker/search/disk/disk_checkpoint.h"

#include "checker/ranks/ranks.h"

namespace cmc {
namespace {

uint32_t own_rank(const Ranks* ranks) { return ranks == nullptr ? 0 : ranks->rank(); }

}  // namespace

void save_trail(const SearchContext& context, TrailLog& trail, CheckpointWriter& writer) {
  const Ranks* const ranks = context.options.ranks;
  Manifest& manifest = writer.manifest();
  uint64_t number = TrailLog::kRoot + 1;
  const auto& last = context.options.checkpoints->last();
  if (last && last->epoch > context.abandoned_epoch && last->engine == manifest.engine) {
    for (const CheckpointFile& file : last->files_of("trail")) {
      if (file.rank == own_rank(ranks)) manifest.files.push_back(file);
    }
    number = last->counter(trail_counter(own_rank(ranks)), number);
  }
  manifest.counters["trail"] = trail.size();
  if (number == trail.size()) return;
  OutStream to = writer.open("trail");
  const Status saved = trail.visit(number, [&](uint64_t parent, uint64_t index) {
    to.number(number++ - parent);
    to.number(index);
  });
  if (!saved.ok()) writer.fail(saved.error());
  writer.add(std::move(to));
}

Status load_trail(const std::string& directory, const Ranks* ranks, const Manifest& manifest, TrailLog& trail) {
  for (const CheckpointFile& file : manifest.files_of("trail")) {
    if (file.rank != own_rank(ranks)) continue;
    InStream from(directory, file);
    while (!from.at_end() && from.ok()) {
      const uint64_t back = from.number();
      const uint64_t index = from.number();
      const bool is_place = back == 0 && index > 0 && ranks != nullptr && Ranks::rank_of(index - 1) < ranks->count();
      if ((back == 0 && !is_place) || back > trail.size()) from.fail();
      if (!from.ok()) break;
      const Result<uint64_t> number = is_place ? trail.append_place(index) : trail.append(trail.size() - back, index);
      if (!number.ok()) return Error{number.error()};
    }
    if (!from.ok()) return from.status();
  }
  const bool whole = trail.size() == manifest.counter(trail_counter(own_rank(ranks)));
  return whole ? Status(Success{}) : Status(Error{"paths of the checkpoint are missing"});
}

bool has_number(uint64_t parent, const Ranks* ranks, const TrailLog& trail) {
  if (ranks == nullptr) return parent < trail.size();
  const uint32_t rank = Ranks::rank_of(parent);
  return rank == ranks->rank() ? Ranks::number_of(parent) < trail.size() : rank < ranks->count();
}

}  // namespace cmc
