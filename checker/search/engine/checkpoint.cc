#include "checker/search/engine/checkpoint.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/units.h"
#include "checker/ranks/ranks.h"
#include "checker/search/engine/rank_checkpoint.h"

namespace cmc {
namespace {

using Counts = SearchContext::Counts;

// Of a search on several machines it has what is there once.
bool is_first_rank(const SearchContext& context) {
  return context.options.ranks == nullptr || context.options.ranks->rank() == 0;
}

// Of all workers together.
constexpr std::pair<const char*, std::atomic<uint64_t> Counts::*> kAtomicSums[] = {
    {"transitions", &Counts::transitions}, {"asleep_steps", &Counts::asleep_steps}};
constexpr std::pair<const char*, uint64_t Counts::*> kSums[] = {{"endless_atomic", &Counts::endless_atomic},
                                                                {"single_successor", &Counts::single_successor},
                                                                {"dead_ends", &Counts::dead_ends}};

void save_contents(const KeySpace& space, CheckpointWriter& writer) {
  OutStream to = writer.open("contents");
  for (uint32_t component = 0; component < space.component_count(); ++component) {
    const ComponentId id = static_cast<ComponentId>(component);
    for (uint32_t number = 0; number < space.contents(id); ++number) {
      const ByteView content = space.numbered(id, number);
      to.number(component);
      to.number(content.size());
      to.raw(content);
    }
  }
  writer.add(std::move(to));
}

void load_contents(KeySpace& space, InStream& from) {
  std::vector<uint32_t> numbers;
  while (!from.at_end() && from.ok()) {
    const auto component = static_cast<uint32_t>(from.number_up_to(UINT16_MAX));
    const std::string content = from.text();
    if (component >= numbers.size()) numbers.resize(component + 1);
    if (from.ok() && !space.restore(component, numbers[component]++, std::as_bytes(std::span(content)))) from.fail();
  }
}

void save_results(SearchContext& context, CheckpointWriter& writer) {
  OutStream to = writer.open("result");
  context.control.save(to);
  std::vector<uint64_t> created;
  for (uint32_t i = 0; i < context.workers; ++i) {
    const std::vector<uint64_t>& its = context.counts[i].created;
    for (uint32_t own = 0; own < its.size(); ++own) {
      const uint32_t control = context.common_numbers.of(kControlComponent, own);
      if (control >= created.size()) created.resize(control + size_t{1});
      created[control] += its[own];
    }
    if (i > 0) context.counts[0].coverage->merge(*context.counts[i].coverage);
  }
  to.number(created.size());
  for (const uint64_t count : created) to.number(count);
  const std::span<const uint8_t> marks = context.counts[0].coverage->marks();
  to.number(marks.size());
  to.raw(std::as_bytes(marks));
  writer.add(std::move(to));
}

void load_results(SearchContext& context, InStream& from) {
  context.control.restore(from);
  std::vector<uint64_t>& created = context.counts[0].created;
  const uint64_t controls = from.number_up_to(context.space->contents(kControlComponent));
  if (controls > created.size()) created.resize(controls);
  for (uint64_t i = 0; i < controls; ++i) created[i] += from.number();
  Coverage& coverage = *context.counts[0].coverage;
  std::vector<uint8_t> marks(coverage.marks().size());
  if (from.number() != marks.size()) from.fail();
  from.raw(std::as_writable_bytes(std::span(marks)));
  coverage.merge(marks);
}

// Of the file of that kind, or those of all ranks; an error stops the search.
template <class Load>
bool load_file(SearchContext& context, const Manifest& manifest, const char* kind, Load&& load) {
  Status status = Error{fmt::format("the checkpoint has no file '{}'", kind)};
  for (const CheckpointFile& file : manifest.files_of(kind)) {
    InStream from(context.saved_in(), file);
    load(from);
    status = from.status();
    if (!status.ok()) break;
  }
  if (!status.ok()) context.control.stop(ReasonKind::kStore, status.error());
  return status.ok();
}

// Where the components are in a state vector, for other programs: to CMC the model says it.
void save_components(const KeySpace& space, CheckpointWriter& writer) {
  const Components& components = space.components();
  const Model& model = components.model();
  std::string text;
  const auto add = [&](const std::string& name, std::span<const Components::Range> ranges) {
    text += name;
    for (const Components::Range& range : ranges) text += fmt::format(" {}+{}", range.offset, range.size);
    text += '\n';
  };
  add(fmt::format("hidden {} globals {} pieces {}", model.hidden_bytes, model.global_bytes,
                  components.pieces().most_frame_pieces),
      {});
  add("globals", components.globals());
  for (ProctypeId i = 0; i < model.proctypes.size(); ++i)
    add(fmt::format("{} {}", model.proctypes[i].name, model.proctypes[i].frame_bytes), components.frame(i));
  OutStream to = writer.open("components");
  to.raw(std::as_bytes(std::span(text)));
  writer.add(std::move(to));
}

// As manifests have it.
std::string text_of(const FrameDivision& division) {
  std::string text = division.elements ? "fine" : "coarse";
  for (const ProctypeId proctype : division.scalars) text += fmt::format(" {}", proctype);
  return text;
}

}  // namespace

void LastingFiles::keep(const std::optional<Manifest>& last) {
  std::set<std::string> names;
  if (last) {
    for (const CheckpointFile& file : last->files) names.insert(file.name);
  }
  std::erase_if(files_, [&](const auto& each) { return !names.contains(each.second.name); });
}

std::string trail_counter(uint64_t rank) { return rank == 0 ? "trail" : fmt::format("trail.{}", rank); }

void save_context(SearchContext& context, const Layout& layout, uint64_t states, CheckpointWriter& writer) {
  Manifest& manifest = writer.manifest();
  save_results(context, writer);
  if (is_first_rank(context)) {
    save_components(*context.space, writer);
    save_contents(*context.space, writer);
  }
  manifest.division = text_of(context.space->components().division());
  manifest.states = states;
  for (const auto& [name, member] : kAtomicSums) manifest.counters[name] = context.sum(member);
  manifest.transitions = manifest.counter("transitions");
  for (uint32_t i = 0; i < context.workers; ++i) {
    const Counts& counts = context.counts[i];
    for (const auto& [name, member] : kSums) manifest.counters[name] += counts.*member;
    uint64_t& deepest = manifest.counters["deepest"];
    deepest = std::max<uint64_t>(deepest, counts.deepest);
  }
  manifest.counters["own_reduction"] = static_cast<uint64_t>(context.own_reduction);
  manifest.counters["considered_at"] = context.considered_at;
  manifest.counters["carrying_does_not_pay"] = context.carrying_does_not_pay ? 1 : 0;
  for (uint32_t component = 0; component < layout.size(); ++component) {
    const Layout::Field field = layout.field(static_cast<ComponentId>(component));
    if (field.width > 0) manifest.layout.push_back({component, field.word, field.shift, field.width});
  }
}

std::optional<FrameDivision> division_of(const Manifest& manifest) {
  std::istringstream words(manifest.division);
  std::string first;
  words >> first;
  FrameDivision division{first == "fine", {}};
  for (uint32_t proctype = 0; words >> proctype;) division.scalars.push_back(static_cast<ProctypeId>(proctype));
  if (!std::ranges::is_sorted(division.scalars) || text_of(division) != manifest.division) return std::nullopt;
  return division;
}

bool load_context(SearchContext& context, const Manifest& manifest) {
  const bool is_first = is_first_rank(context);
  if (is_first) {
    Counts& counts = context.counts[0];
    for (const auto& [name, member] : kAtomicSums) counts.*member = manifest.counter(name);
    for (const auto& [name, member] : kSums) counts.*member = manifest.counter(name);
    counts.deepest = manifest.counter("deepest");
  }
  context.considered_at = manifest.counter("considered_at");
  context.carrying_does_not_pay = manifest.counter("carrying_does_not_pay") != 0;
  const auto load_its_contents = [&](InStream& from) { load_contents(*context.space, from); };
  const auto load_its_results = [&](InStream& from) { load_results(context, from); };
  if (!load_file(context, manifest, "contents", load_its_contents) ||
      (is_first && !load_file(context, manifest, "result", load_its_results))) {
    return false;
  }
  return load_layout(context, manifest);
}

bool load_layout(SearchContext& context, const Manifest& manifest) {
  std::vector<Layout::Field> fields(context.space->component_count());
  for (const Manifest::Field& field : manifest.layout) {
    if (field.component >= fields.size()) fields.resize(field.component + size_t{1});
    fields[field.component] = {field.word, field.shift, field.width};
  }
  std::optional<Layout> layout = Layout::of_fields(std::move(fields), manifest.words);
  if (!layout) {
    context.control.stop(ReasonKind::kStore, "the checkpoint's layout of keys is none");
    return false;
  }
  context.space->restore(std::move(*layout), manifest.states);
  return true;
}

const Manifest* handed_over(const SearchContext& context, uint64_t states) {
  if (!context.hands_over(states)) return nullptr;
  const Manifest* last = nullptr;
  if (context.handover != nullptr) {
    last = &context.handover->writer.manifest();
  } else if (context.options.checkpoints != nullptr && context.options.checkpoints->last()) {
    last = &*context.options.checkpoints->last();
  }
  const bool is_all = last != nullptr && last->suits_disk() && last->states == states &&
                      last->transitions == context.sum(&Counts::transitions);
  return is_all && verify_files(context.saved_in(), *last).ok() ? last : nullptr;
}

std::string outcome_of_saving(const SearchContext& context, const Status& saved) {
  const Checkpoints& checkpoints = *context.options.checkpoints;
  const Ranks* const ranks = context.options.ranks;
  std::string command = fmt::format("`cmc resume {}`", checkpoints.directory());
  if (ranks != nullptr) {
    const std::string& mirror = ranks->settings().mirror;
    command = fmt::format("`mpirun -n {} cmc-mpi resume {}{}{}`", ranks->count(), checkpoints.directory(),
                          mirror.empty() ? "" : " --mirror ", mirror);
  }
  if (saved.ok()) return fmt::format("; {} goes on", command);
  const std::optional<Manifest>& last = checkpoints.last();
  return fmt::format("; it could not be saved: {}{}", saved.error(),
                     last ? fmt::format("; {} goes on from {}", command, plural(last->states, "state")) : "");
}

namespace {

// An error: the search begins again.
void write_handover(SearchContext& context, const Layout& layout, uint64_t states,
                    const std::function<void(CheckpointWriter&)>& save) {
  Result<RunDirectory> directory = RunDirectory::create(context.options.store.directory, false);
  if (!directory.ok()) return;
  auto handover = std::make_unique<SearchContext::Handover>(std::move(directory).value());
  save(handover->writer);
  save_context(context, layout, states, handover->writer);
  if (handover->writer.status().ok()) context.handover = std::move(handover);
}

}  // namespace

void write_checkpoint(SearchContext& context, const Layout& layout, uint64_t states, bool is_last,
                      const std::function<void(CheckpointWriter&)>& save) {
  if (context.options.ranks != nullptr) return write_checkpoint_among_ranks(context, layout, states, is_last, save);
  if (context.options.checkpoints == nullptr) return write_handover(context, layout, states, save);
  Checkpoints& checkpoints = *context.options.checkpoints;
  const SystemClock clock;
  const double begun = clock.wall_seconds();
  std::unique_ptr<CheckpointWriter> writer = checkpoints.begin();
  save(*writer);
  save_context(context, layout, states, *writer);
  if (is_last) return checkpoints.keep(std::move(writer));
  const Status committed = checkpoints.commit(*writer);
  context.control.checkpoint_is_written(outcome_of_saving(context, committed), clock.wall_seconds() - begun);
}

}  // namespace cmc
