#include "checker/search/key_search.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/process_memory.h"
#include "base/units.h"
#include "checker/checkpoint/checkpoints.h"
#include "checker/generator/guard_decider.h"
#include "checker/ranks/ranks.h"
#include "checker/result/turn.h"
#include "checker/search/disk/rank_results.h"
#include "checker/search/disk/store_plan.h"
#include "checker/search/engine/checkpoint.h"
#include "checker/search/engine/context.h"
#include "checker/search/engine/engines.h"
#include "ir/scratch.h"
#include "storage/options/identities.h"

namespace cmc {

namespace {

constexpr uint64_t kDefaultMemoBytes = uint64_t{256} << 20;
constexpr uint64_t kLeastStoreBytes = uint64_t{1} << 20;
constexpr double kPendingSeconds = 0.02;
constexpr uint64_t kFirstConsidered = 256;  // states
constexpr uint64_t kStatesPerTrial = 4;     // after a trial that failed, so many times as many states
constexpr uint64_t kHeapBytes = uint64_t{4}
                                << 20;  // heap slack: freed buffers, result lists, code that is faulted in again

struct Totals : EngineTotals {
  std::optional<DiskTotals> disk;
  RunEnd end = RunEnd::kStopped;
};

// Reports the errors of making the initial state.
void report_first(SearchContext& context) {
  context.control.report_errors(context.first, 0, [] { return std::vector<Step>(); });
}

// What was found will be found again.
void forget_what_was_found(SearchContext& context) {
  report_first(context);
  for (uint32_t i = 0; i < context.workers; ++i) context.counts[i].forget();
  if (context.profile) context.profile->forget();
}

uint64_t memo_bytes_of(const SearchOptions& options) {
  return options.memo_bytes > 0 ? options.memo_bytes : kDefaultMemoBytes;
}

// Opens the directory of the disk store and divides the memory that there is for it. `states` and `memo_bytes`: found
// and memoised by a search in RAM before. False: the search has been stopped.
bool open_store(SearchContext& context, uint64_t states, uint64_t memo_bytes) {
  release_code();
  release_freed();
  uint64_t limit = context.options.memory_limit_bytes;
  const uint64_t sized_for = context.options.store.sized_for_bytes;
  if (sized_for > 0 && (limit == 0 || sized_for < limit)) limit = sized_for;
  uint64_t memory = 0;
  if (limit > 0) {
    // Most steps are known when a search comes here from RAM, unless it forgot them for lack of room; one that begins
    // here knows none.
    const uint64_t memo =
        memo_bytes > 0 && context.memo_clears == 0 ? std::clamp(2 * memo_bytes, limit / 32, limit / 16) : limit / 16;
    context.memo_bytes = std::min(memo_bytes_of(context.options), memo);
    const uint64_t others = resident_bytes() + context.memo_bytes + limit / 20 + kHeapBytes;
    memory = limit > others + kLeastStoreBytes ? limit - others : kLeastStoreBytes;
  }
  const Layout& layout = context.space->layout();
  const Status opened = context.store->open(memory, layout.words(), layout.bits(), states);
  if (!opened.ok()) context.control.stop(ReasonKind::kStore, opened.error());
  return opened.ok();
}

// Waits for it. False: the search has been stopped meanwhile.
bool may_use_disk(SearchContext& context, uint64_t states) {
  context.control.wait_for_disk();
  SearchControl::Usage usage;
  usage.states = states;
  usage.has_store = true;
  context.control.check(usage);
  return !context.control.stop_at_limit();
}

// Cycles are looked for in the order of the caches. Everything else goes in rounds by itself, which take 0.5 to 1
// times as long, and for which threads pay (bench/RESULTS.md).
bool goes_in_rounds(const SearchContext& context) {
  const SearchOptions& options = context.options;
  const StoreSettings& store = options.store;
  if (context.find_cycles || options.order != SearchOptions::Order::kAuto ||
      context.store->options.codec != PageCodec::kKeys) {
    return false;
  }
  const bool by_itself = store.beyond == Beyond::kAuto && !store.lossy_capacity && store.only_for_caches() == nullptr;
  return by_itself || store.beyond == Beyond::kSorted;
}

// `in_ram`: of a search that was begun there, and lacks memory; null: this one begins with the disk. It goes on with
// what was saved if context.resumes says so.
Totals explore_on_disk(SearchContext& context, const EngineTotals* in_ram) {
  Totals totals;
  const EngineTotals before = in_ram == nullptr ? EngineTotals() : *in_ram;
  static_cast<EngineTotals&>(totals) = before;
  if (!may_use_disk(context, before.states) || !open_store(context, before.states, before.memo_bytes)) return totals;
  if (in_ram != nullptr) context.control.result().states_before_store = before.states;
  if (in_ram != nullptr && context.resumes == nullptr) {
    context.control.start_again_with_disk(before.states);
    forget_what_was_found(context);
  }
  context.control.store_is_used();
  context.space->expect_costly_relayouts();
  const bool in_rounds = goes_in_rounds(context);
  // Rounds give memory back where it is scarce (DiskRounds::keep_in_memory()), caches have their shares.
  const uint64_t limit = context.options.memory_limit_bytes;
  const bool may_grow = limit > 0 && context.options.memo_bytes == 0;
  context.most_memo_bytes = !may_grow ? 0 : in_rounds ? limit / 4 : context.memo_bytes + limit / 20;
  const UsedOrder order = in_rounds ? UsedOrder::kRounds : context.store->order;
  context.control.result().order = order;
  // Depth first the states behind sleeping processes come late, among them those of errors that are wanted soon; and
  // the caches have met them before. In other orders it may pay.
  context.expands_in_full = order == UsedOrder::kDepthFirst;
  context.carrying_does_not_pay = false;
  const RunResult<DiskTotals> run = in_rounds ? run_disk_rounds(context) : run_disk_cache(context);
  static_cast<EngineTotals&>(totals) = run.totals;
  totals.disk = run.totals;
  totals.end = run.end;
  return totals;
}

RunResult<EngineTotals> find_cycles_in_ram(SearchContext& context) {
  if (context.options.cycles == CycleAlgorithm::kHull) return run_ram_hull(context);
  return context.options.fairness == Fairness::kWeak ? run_scc(context) : run_ndfs(context);
}

bool looks_for_symmetry(const SearchContext& context) {
  return context.options.symmetry && context.checker == nullptr && Symmetry::obstacle(context.model) == nullptr;
}

void set_sets(SearchContext& context, ByteView initial, bool on_disk) {
  const bool fair = context.find_cycles && context.options.fairness == Fairness::kWeak;
  const bool reduces = context.options.partial_order && context.checker == nullptr &&
                       StubbornSets::obstacle(context.model) == nullptr &&
                       (!fair || StubbornSets::obstacle_to_fair(context.model) == nullptr);
  if (!reduces) return;
  const bool sticky = context.model.claim.exists() || context.options.proviso == SearchOptions::Proviso::kSticky ||
                      (context.options.proviso == SearchOptions::Proviso::kQueue && on_disk);
  auto sets = std::make_unique<StubbornSets>(context.space->components(), initial,
                                             sticky ? StubbornSets::Proviso::kSticky : StubbornSets::Proviso::kNone,
                                             context.symmetry.get(), fair);
  if (context.own_reduction == SearchContext::OwnReduction::kConsidered) {
    context.considered = std::move(sets);
    return;
  }
  context.expands_again = !sticky && context.options.proviso == SearchOptions::Proviso::kQueue;
  context.stubborn = std::move(sets);
}

// A profile counts whole steps.
void set_handshakes(SearchContext& context) {
  const bool halves = context.profile == nullptr && context.generators.front()->has_halves();
  const bool notes_parts = context.stubborn != nullptr;
  context.handshakes = halves ? std::make_unique<Handshakes>(context.space->components(), notes_parts) : nullptr;
}

void set_space(SearchContext& context, FrameDivision division) {
  context.stubborn.reset();
  context.looks.reset();
  context.considered.reset();
  context.space = std::make_unique<KeySpace>(context.model, std::move(division));
}

void set_initial(SearchContext& context, ByteView first) {
  if (looks_for_symmetry(context)) context.symmetry = std::make_unique<Symmetry>(context.model);
  if (context.symmetry && !context.symmetry->any()) context.symmetry.reset();
  Bytes initial(first.begin(), first.end());
  if (context.symmetry) context.symmetry->sort(initial);
  if (context.options.tight_fields) context.space->keep_fields_tight();
  context.space->set_initial(initial);
  set_sets(context, initial, context.options.store.from_start);
  set_handshakes(context);
}

// A search goes on with what is left of it. False: it was stopped.
bool resume(SearchContext& context, const Manifest& manifest, ByteView initial) {
  const uint64_t own_reduction = manifest.counter("own_reduction");
  if (own_reduction > static_cast<uint64_t>(SearchContext::OwnReduction::kOnTrial)) {
    context.control.stop(ReasonKind::kStore, "the checkpoint's reduction is none");
    return false;
  }
  context.own_reduction = static_cast<SearchContext::OwnReduction>(own_reduction);
  const std::optional<FrameDivision> division = division_of(manifest);
  if (!division) {
    context.control.stop(ReasonKind::kStore, "the checkpoint's division of frames is none");
    return false;
  }
  set_space(context, *division);
  set_initial(context, initial);
  if (context.expands_again && manifest.is_of_disk()) set_sets(context, initial, true);
  context.resumes = &manifest;
  return load_context(context, manifest);
}

// `saved`: what the search goes on with; null: it begins.
Totals explore_once(SearchContext& context, ByteView initial, const Manifest* saved) {
  if (context.options.store.from_start || (saved != nullptr && saved->is_of_disk()))
    return explore_on_disk(context, nullptr);
  const bool breadth_first = context.options.order == SearchOptions::Order::kBreadthFirst;
  context.control.result().order = breadth_first ? UsedOrder::kBreadthFirst : UsedOrder::kDepthFirst;
  const RunResult<EngineTotals> run = context.find_cycles ? find_cycles_in_ram(context)
                                      : breadth_first     ? run_ram_levels(context)
                                                          : run_ram_depth(context);
  if (run.end != RunEnd::kToStore) return {run.totals, std::nullopt, run.end};
  // What was saved has no room in RAM any more. A reduction that expands states again knows them in its own way.
  const bool was_loaded = saved == nullptr || run.totals.states > 0;
  if (!was_loaded && saved->suits_disk() && !context.expands_again) {
    context.resumes = saved;
    return explore_on_disk(context, nullptr);
  }
  context.space->stop_condensing();
  if (const Manifest* const all = handed_over(context, run.totals.states); all != nullptr) {
    context.resumes = all;
    return load_layout(context, *all) ? explore_on_disk(context, &run.totals)
                                      : Totals{run.totals, {}, RunEnd::kStopped};
  }
  context.handover.reset();
  context.space->make_room();
  if (context.expands_again) set_sets(context, initial, true);
  return explore_on_disk(context, &run.totals);
}

bool is_to_begin_anew(RunEnd end) {
  return end == RunEnd::kDivide || end == RunEnd::kReduce || end == RunEnd::kReorder;
}

// Of a claim whose order was on trial.
SearchContext::ClaimOrder next_order(const SearchContext& context) {
  using Order = SearchContext::ClaimOrder;
  const bool is_nested = context.options.fairness != Fairness::kWeak;
  return is_nested && context.claim_order == Order::kOnTrial ? Order::kShuffled : Order::kOther;
}

// A search that has ended like that: with another division of frames, with partial-order reduction or without, or
// with another order.
void begin_anew(SearchContext& context, RunEnd end, ByteView initial) {
  context.control.start_again();
  context.control.result().states_before_store = 0;
  if (const Checkpoints* const run = context.options.checkpoints; run != nullptr && run->last())
    context.abandoned_epoch = run->last()->epoch;
  forget_what_was_found(context);
  if (end == RunEnd::kReduce) {
    const bool failed = context.stubborn != nullptr;
    context.own_reduction = failed ? SearchContext::OwnReduction::kConsidered : SearchContext::OwnReduction::kOnTrial;
    if (failed) context.considered_at *= kStatesPerTrial;
  }
  if (end == RunEnd::kReorder) context.claim_order = next_order(context);
  if (context.store != nullptr) context.store->close();
  context.memo_bytes = memo_bytes_of(context.options);
  context.most_memo_bytes = 0;
  set_space(context, std::exchange(context.finer, std::nullopt).value_or(context.space->components().division()));
  context.control.release_if_scarce();
  set_initial(context, initial);
}

// From the initial state, or from a checkpoint, to the end, with whatever engines it takes.
Totals explore(SearchContext& context, ByteView initial) {
  const Manifest* const saved = context.options.resumes ? &*context.options.checkpoints->last() : nullptr;
  if (saved == nullptr) {
    context.claim_order = SearchContext::ClaimOrder::kOnTrial;
    set_initial(context, initial);
  } else if (!resume(context, *saved, initial)) {
    return {};
  }
  Totals totals = explore_once(context, initial, saved);
  for (;;) {
    // Values that came later can make keys of a finer division too wide for any engine; those of the usual one may
    // fit.
    if (totals.end == RunEnd::kTooWide && context.space->components().division() != FrameDivision()) {
      context.divides = false;
      context.finer.emplace();
      totals.end = RunEnd::kDivide;
    }
    if (!is_to_begin_anew(totals.end)) return totals;
    begin_anew(context, totals.end, initial);
    totals = explore_once(context, initial, nullptr);
  }
}

// Of proctypes that had two processes or more at a time.
std::vector<KeyFigures::Alike> alike_processes(const SearchContext& context) {
  const Symmetry symmetry(context.model);
  std::vector<uint32_t> most(context.model.proctypes.size());
  for (uint32_t control = 0; control < context.space->contents(kControlComponent); ++control) {
    std::vector<uint32_t> count(most.size());
    for (const std::byte proctype : context.space->control_number(control).subspan(Components::kControlProctypes)) {
      uint32_t& its = count[static_cast<ProctypeId>(proctype)];
      most[static_cast<ProctypeId>(proctype)] = std::max(most[static_cast<ProctypeId>(proctype)], ++its);
    }
  }
  std::vector<KeyFigures::Alike> alike;
  for (ProctypeId proctype = 0; proctype < most.size(); ++proctype) {
    if (most[proctype] < 2) continue;
    const char* const obstacle = symmetry.obstacle(proctype);
    alike.push_back({context.model.proctypes[proctype].name, most[proctype], obstacle == nullptr ? "" : obstacle});
  }
  return alike;
}

KeyFigures key_figures(const SearchContext& context, const Totals& totals) {
  KeyFigures figures;
  const Layout& layout = context.space->layout();
  for (uint32_t c = 0; c < context.space->component_count(); ++c) {
    const ComponentId component = static_cast<ComponentId>(c);
    const uint32_t contents = context.space->contents(component);
    if (contents == 0) continue;
    figures.components.push_back({context.space->name(component), contents, layout.field(component).width});
  }
  figures.key_bits = layout.bits();
  figures.key_words = layout.words();
  figures.relayouts = context.space->relayouts();
  figures.set_bytes = totals.set_bytes;
  figures.set_bits = totals.set_bits;
  figures.component_bytes = context.space->memory_bytes();
  figures.open_bytes = context.sum(&SearchContext::Counts::open_bytes);
  figures.memo_bytes = context.memo_peak_bytes;
  figures.memo_clears = context.memo_clears;
  figures.carrying_given_up = context.carrying_does_not_pay;
  figures.threads = context.workers;
  if (context.stubborn != nullptr) {
    figures.reduces = true;
    figures.hindrances =
        describe(context.stubborn->hindrances(), context.space->components(), context.space->control_number(0));
  }
  if (looks_for_symmetry(context)) figures.alike = alike_processes(context);
  for (uint32_t i = 0; i < context.workers; ++i) {
    const MemoFigures& memo = context.counts[i].memo;
    figures.memo_lookups += memo.lookups;
    figures.memo_misses += memo.misses;
    figures.carried_steps += memo.carried;
    figures.reducible_states += context.counts[i].reductions.asked;
    figures.reduced_states += context.counts[i].reductions.states;
    figures.left_out_steps += context.counts[i].reductions.left_out;
    figures.asleep_steps += context.counts[i].asleep_steps;
  }
  return figures;
}

SearchStatistics statistics(const SearchContext& context, const Totals& totals) {
  SearchStatistics statistics;
  statistics.collected = true;
  for (uint32_t i = 0; i < context.workers; ++i) {
    const SearchContext::Counts& counts = context.counts[i];
    statistics.single_successor += counts.single_successor;
    statistics.dead_ends += counts.dead_ends;
    statistics.asleep_steps += counts.asleep_steps;
    statistics.dfs_problems += counts.dfs_problems;
    statistics.dfs_problems_real += counts.dfs_problems_real;
    for (uint32_t control = 0; control < counts.created.size(); ++control) {
      if (counts.created[control] == 0) continue;
      const uint64_t bytes = context.space->state_bytes_of(context.space->control_number(control));
      statistics.state_sizes[static_cast<uint32_t>(bytes)] += counts.created[control];
    }
  }
  if (totals.disk) {
    statistics.store = totals.disk->figures;
    statistics.explicit_partitions = totals.disk->explicit_partitions;
    statistics.disk_wait_seconds = totals.disk->wait_seconds;
    const uint64_t created = context.sum(&SearchContext::Counts::transitions) - statistics.asleep_steps;
    const std::string wrong = check_identities(*statistics.store, totals.states, created);
    const bool is_whole = !totals.disk->undecided && !context.control.stopped() && context.options.ranks == nullptr;
    if (!wrong.empty() && is_whole) {
      Reason reason = reason_of_bug(wrong);
      context.control.add_reason(reason.kind, std::move(reason.text));
    }
  }
  return statistics;
}

// "0.0003", "5,000".
std::string expected_text(double number) {
  return number < 10 ? fmt::format("{:.2g}", number) : format_count(static_cast<uint64_t>(number));
}

// As long as no page was asked, nothing was left out.
void add_omissions(SearchControl& control, const DiskTotals& disk, const StoreOptions& options) {
  control.result().statistics.expected_omissions = disk.expected_omissions;
  if (disk.figures.lookups == 0) return;
  control.add_reason(
      ReasonKind::kLossy,
      fmt::format("states on disk were told apart by {} bits of their SHA-1: CMC expects that {} of them were taken "
                  "for others and left out, with all that only they lead to",
                  options.sha1_bits, expected_text(disk.expected_omissions)));
}

bool makes_profile(const SearchContext& context) {
  const SearchOptions& options = context.options;
  const bool expands_again = options.partial_order && options.proviso == SearchOptions::Proviso::kQueue;
  return options.profile && !context.find_cycles && !expands_again;
}

// The turn of a search of the first states: a step with very many outcomes ends it, so that it is not computed in
// vain.
class FewLooks final : public PartOfTurn {
 public:
  using PartOfTurn::PartOfTurn;

  // Asked at each look at the limits: at the end of some batches, and now and then during a long step.
  [[nodiscard]] double seconds_left() override { return looks_++ < kMost ? PartOfTurn::seconds_left() : 0; }

 private:
  static constexpr uint32_t kMost = 80;  // a batch of each of 1,024 levels takes 64
  uint32_t looks_ = 0;
};

// The turn of a search beside another one, which stands still: this one cannot give back its memory, and waits for
// it.
class BesideAnother final : public PartOfTurn {
 public:
  BesideAnother(Turn& turn, SearchControl& other) : PartOfTurn(turn), other_(other) {}

  void wait() override { other_.wait_for_turn(); }
  [[nodiscard]] bool must_set_aside() override { return false; }

 private:
  SearchControl& other_;
};

// For so many first states, breadth first, by one thread.
SearchOptions options_near(const SearchOptions& options, uint64_t states) {
  SearchOptions first;
  first.order = SearchOptions::Order::kBreadthFirst;
  first.max_errors = 1;
  first.max_trails = options.max_trails;
  first.check_end_states = options.check_end_states;
  first.confirm_dead_ends = options.confirm_dead_ends;
  first.only_observers = options.only_observers;
  first.state_limit = states;
  first.memory_limit_bytes = options.memory_limit_bytes;
  first.time_limit_seconds = options.time_limit_seconds;
  first.memo_bytes = options.memo_bytes;
  first.interrupt = options.interrupt;
  first.clock = options.clock;
  return first;
}

// Errors near the initial state are many, and depth first often late. None: no error is there.
std::optional<SearchResult> find_first_error(const Model& model, const GeneratorFactory& make_generator,
                                             const SearchOptions& options) {
  constexpr uint64_t kFirst = 1024;  // states
  constexpr double kLong = 1e9;      // seconds
  SearchOptions first = options_near(options, kFirst);
  std::optional<FewLooks> few;
  if (options.turn != nullptr) {
    first.turn = &few.emplace(*options.turn);
    if (first.time_limit_seconds == 0) first.time_limit_seconds = kLong;  // so it is asked
  }
  return run_key_search(model, make_generator, first, nullptr, nullptr, nullptr);
}

// SearchContext::look_near(). What it has to compute is a small part of what the dive has computed: where hardly a
// step is known, states cost four times as much as in a search that remembers many.
std::optional<SearchResult> find_near_error(const Model& model, const GeneratorFactory& make_generator,
                                            const SearchContext& context) {
  constexpr uint64_t kNear = uint64_t{1} << 16;  // states
  constexpr uint64_t kPartOfComputed = 8;
  constexpr uint64_t kLeastComputed = 8192;  // statements
  const SearchOptions& options = context.options;
  SearchOptions near = options_near(options, kNear);
  near.computed_limit = std::max(kLeastComputed, context.sum(&SearchContext::Counts::computed) / kPartOfComputed);
  near.spent_wall_seconds = context.control.wall_seconds();
  near.spent_cpu_seconds = context.control.cpu_seconds();
  std::optional<BesideAnother> turn;
  if (options.turn != nullptr) near.turn = &turn.emplace(*options.turn, context.control);
  std::optional<SearchResult> result = run_key_search(model, make_generator, near, nullptr, nullptr, nullptr);
  if (result && result->error_count == 0) result.reset();
  return result;
}

// From the initial state. `reduces_later`: with partial-order reduction only after the states on the way say that it
// pays.
std::optional<SearchResult> search_from(const Model& model, const GeneratorFactory& make_generator,
                                        const SearchOptions& options, bool reduces_later, SearchObserver* observer,
                                        std::string* reason, SuccessorGenerator* checker) {
  SearchControl control(model, options, observer);
  SearchContext context(model, options, control);
  if (reduces_later) context.own_reduction = SearchContext::OwnReduction::kConsidered;
  context.considered_at = kFirstConsidered;
  if (reduces_later && options.takes_first_errors())
    context.look_near = [&] { return find_near_error(model, make_generator, context); };
  context.checker = checker;
  if (checker == nullptr) context.workers = std::max(1u, options.threads);
  StorePlan store(options, context.workers);
  if (options.store.enabled || options.store.from_start) context.store = &store;
  context.set_options.shared = context.workers > 1;
  if (options.compact_set) {
    context.set_options.load_percent = 92;
    context.set_options.growth_percent = 13;
    context.set_options.small_bytes = uint64_t{1} << 16;
  }
  context.memo_bytes = memo_bytes_of(options);
  context.counts = std::make_unique<SearchContext::Counts[]>(context.workers);
  for (uint32_t i = 0; i < context.workers; ++i) {
    context.generators.push_back(make_generator());
    context.counts[i].coverage = std::make_unique<Coverage>(model);
  }
  if (makes_profile(context)) {
    context.profile = std::make_unique<SearchProfile>(model, context.generators);
  }

  Totals totals;
  CHECK(checker == nullptr || options.pending_guards == nullptr);
  SuccessorBatch& first = context.first;
  context.generators.front()->initial(first);
  while (pending_question(first) != 0) {
    first.clear();
    control.check({});
    if (control.stop_at_limit()) break;
    options.pending_guards->wait(kPendingSeconds);
    context.generators.front()->initial(first);
  }
  Ranks* const ranks = options.ranks;
  const Status ranks_begun = ranks == nullptr ? Status(Success{}) : ranks->begin();
  if (!ranks_begun.ok()) control.stop(ReasonKind::kLimit, ranks_begun.error());
  context.counts[0].coverage->mark_errors(first);
  // Of all ranks one tells them.
  if (ranks == nullptr || ranks->rank() == 0) report_first(context);
  const bool begins = !first.entries.empty();
  // A model whose initial state is in error has no state to explore.
  if (!begins && !first.errors.empty()) totals.left.emplace();
  if (begins && !control.stopped()) {
    try {
      totals = explore(context, first.state(first.entries.front()));
    } catch (const NoThread&) {
      control.stop(ReasonKind::kLimit,
                   fmt::format("the system gave fewer than {} threads; give a smaller --threads", context.workers));
    } catch (const std::bad_alloc&) {
      control.stop_for_lack_of_memory(totals.states);
    }
    if (totals.end == RunEnd::kTooWide && ranks != nullptr) {
      control.stop(ReasonKind::kLimit, fmt::format("keys would need more than {} words", kMaxKeyWords));
    } else if (totals.end == RunEnd::kTooWide) {
      if (reason != nullptr) *reason = fmt::format("keys would need more than {} words", kMaxKeyWords);
      return std::nullopt;
    }
  }
  if (context.found_near) return std::move(context.found_near);
  SearchResult& result = control.result();
  for (uint32_t i = 0; i < context.workers; ++i) {
    const SearchContext::Counts& counts = context.counts[i];
    result.endless_atomic += counts.endless_atomic;
    result.depth_reached = std::max(result.depth_reached, counts.deepest.load());
    if (i > 0) context.counts[0].coverage->merge(*counts.coverage);
  }
  result.statistics = statistics(context, totals);
  if (totals.disk && store.options.codec == PageCodec::kSha1) add_omissions(control, *totals.disk, store.options);
  result.state_bytes_max = context.space->largest_state_bytes();
  result.locations = context.counts[0].coverage->reached();
  result.keys = key_figures(context, totals);
  SearchResult finished =
      control.finish(totals.states, context.sum(&SearchContext::Counts::transitions), totals.left);
  if (ranks != nullptr && ranks_begun.ok()) {
    const auto begin_anew = [&] {
      set_space(context, context.space->components().division());
      set_initial(context, first.state(first.entries.front()));
    };
    return finish_among_ranks(context, std::move(finished), begin_anew);
  }
  if (context.profile) {
    finished.profile = context.profile->collect(finished.cpu_seconds, !totals.disk.has_value());
  }
  return finished;
}

}  // namespace

std::optional<SearchResult> run_key_search(const Model& model, const GeneratorFactory& make_generator,
                                           const SearchOptions& options, SearchObserver* observer,
                                           std::string* reason, SuccessorGenerator* checker) {
  if (depends_on_hidden(model, options.closes_chains)) {
    if (reason != nullptr) *reason = "the model reads hidden variables that another step may have written";
    return std::nullopt;
  }
  // With the disk from the beginning whatever is left out pays; answers of a solver are asked for once.
  const bool reduces_later = options.partial_order && options.only_if_it_pays && model.guards.empty();
  if (!reduces_later || options.resumes || checker != nullptr || !options.takes_first_errors()) {
    const bool later = reduces_later && !options.store.from_start;
    return search_from(model, make_generator, options, later, observer, reason, checker);
  }
  SearchOptions after = options;
  if (std::optional<SearchResult> first = find_first_error(model, make_generator, options)) {
    if (first->error_count > 0) return first;
    after.spent_wall_seconds += first->wall_seconds;
    after.spent_cpu_seconds += first->cpu_seconds;
  }
  return search_from(model, make_generator, after, true, observer, reason, checker);
}

}  // namespace cmc
