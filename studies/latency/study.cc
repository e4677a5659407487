#include "studies/latency/study.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

#include "studies/latency/launch.h"
#include "studies/latency/peer.h"

namespace cmc::latency {

namespace {

constexpr PlacementName kPlacements[] = {
    {"unpinned", Placement::kUnpinned}, {"one", Placement::kOneCore}, {"two", Placement::kTwoCores}};

constexpr uint32_t kOthersDivisor = 10;  // the rounds of a cell that is no main row
constexpr uint32_t kLeastPoints = 20;    // of a launch of such a cell
constexpr double kMainWeight = 4;        // how much more time a main row is given
constexpr double kLeastSeconds = 0.05;

std::vector<Cell> make_cells(const StudyOptions& options) {
  std::vector<Cell> cells;
  for (const ChannelKind* kind : options.kinds) {
    for (size_t size = 0; size < options.sizes.size(); ++size) {
      for (size_t place = 0; place < options.placements.size(); ++place) {
        if (size > 0 && place > 0) continue;
        Cell& cell = cells.emplace_back();
        cell.kind = kind;
        cell.bytes = options.sizes[size];
        cell.placement = options.placements[place];
        cell.is_main = size == 0 && place == 0;
      }
    }
  }
  return cells;
}

double weight_of(const Cell& cell) { return cell.is_main ? kMainWeight : 1; }

uint32_t rounds_of(const Cell& cell, const StudyOptions& options) {
  return cell.is_main ? options.rounds : std::max(options.rounds / kOthersDivisor, 1u);
}

// How many launches measure the cell: all, if it has points for them.
uint32_t launches_of(const Cell& cell, const StudyOptions& options) {
  const uint32_t most = rounds_of(cell, options) / (cell.is_main ? 1 : kLeastPoints);
  return std::clamp(most, 1u, options.launches);
}

// The share of a launch in the rounds.
uint32_t rounds_of(const Cell& cell, const StudyOptions& options, uint32_t launch) {
  const uint32_t all = rounds_of(cell, options);
  const uint32_t launches = launches_of(cell, options);
  return all / launches + (launch < all % launches ? 1 : 0);
}

void add(Cell& cell, Result<Launched> measured) {
  if (!measured.ok()) {
    if (cell.error.empty()) cell.error = measured.error();
    return;
  }
  Launched launched = std::move(measured).value();
  cell.launches_ns.push_back(std::move(launched.trips.points_ns));
  cell.all_ns.add(launched.trips.all_ns);
  cell.timer_ns = launched.trips.timer_ns;
  cell.involuntary_switches += launched.involuntary_switches;
}

}  // namespace

std::span<const PlacementName> placement_names() { return kPlacements; }

const char* name_of(Placement placement) {
  return std::ranges::find(kPlacements, placement, &PlacementName::placement)->name;
}

std::vector<double> Cell::points_ns() const {
  std::vector<double> points;
  for (const std::vector<double>& launch : launches_ns) points.insert(points.end(), launch.begin(), launch.end());
  return points;
}

Study run_study(const StudyOptions& options, const std::atomic<bool>& interrupted,
                const std::function<void(size_t done, size_t all)>& progress) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto seconds_since_start = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  Study study{.cells = make_cells(options),
              .load_before = load_text(),
              .load_after = "",
              .processors = static_cast<unsigned>(allowed_processors().size())};
  double weight_left = 0;
  size_t all = 0;
  for (const Cell& cell : study.cells) {
    weight_left += weight_of(cell) * launches_of(cell, options);
    all += launches_of(cell, options);
  }
  std::mt19937 random(std::random_device{}());
  std::vector<size_t> order(study.cells.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  size_t done = 0;
  for (uint32_t number = 0; number < options.launches && !interrupted; ++number) {
    std::ranges::shuffle(order, random);
    for (const size_t index : order) {
      if (interrupted) break;
      Cell& cell = study.cells[index];
      if (number >= launches_of(cell, options)) continue;
      const double seconds_left = std::max(0.0, options.seconds - seconds_since_start());
      const MeasureOptions each{
          .bytes = cell.bytes,
          .rounds = rounds_of(cell, options, number),
          .samples = options.samples,
          .seconds = std::max(kLeastSeconds, seconds_left * weight_of(cell) / std::max(weight_left, 1.0))};
      add(cell, options.peer ? measure_peer(*options.peer, *cell.kind, each)
                             : launch(*cell.kind, cell.placement, each, interrupted));
      weight_left -= weight_of(cell);
      progress(++done, all);
    }
  }
  study.load_after = load_text();
  study.seconds = seconds_since_start();
  study.is_interrupted = interrupted;
  return study;
}

std::string load_text() {
  std::FILE* file = std::fopen("/proc/loadavg", "re");
  if (file == nullptr) return "unknown";
  char loads[3][16] = {"?", "?", "?"};
  [[maybe_unused]] const int read = std::fscanf(file, "%15s %15s %15s", loads[0], loads[1], loads[2]);
  std::fclose(file);
  return std::string(loads[0]) + ' ' + loads[1] + ' ' + loads[2];
}

}  // namespace cmc::latency
