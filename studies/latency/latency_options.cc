#include "studies/latency/latency_options.h"

#include <algorithm>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "checker/report/style/version.h"
#include "studies/latency/peer.h"

namespace cmc::latency {
namespace {

constexpr uint32_t kMostCount = 1'000'000;

Result<std::vector<std::string>> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  if (words.empty()) return Error{"the list is empty"};
  return words;
}

// A list with commas between the words.
template <class T, class Add>
Status fill(const std::string& list, std::vector<T>& out, Add&& add) {
  CMC_TRY(const std::vector<std::string> words, words_of(list));
  out.clear();
  for (const std::string& word : words) {
    if (const Status added = add(word); !added.ok()) return added;
  }
  return Success{};
}

// A family has a channel between threads, or one between processes, or both.
Status set_channels(ProgramOptions& options, const std::string& list) {
  std::vector<const ChannelKind*>& kinds = options.study.kinds;
  return fill(list, kinds, [&](const std::string& word) -> Status {
    const size_t before = kinds.size();
    std::string names;
    for (const ChannelKind& kind : channel_kinds()) {
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

Status set_sizes(ProgramOptions& options, const std::string& list) {
  std::vector<size_t>& sizes = options.study.sizes;
  return fill(list, sizes, [&](const std::string& word) -> Status {
    const uint32_t bytes = parse_number<uint32_t>(word).value_or(0);
    if (bytes < kLeastBytes || bytes > kMostBytes) {
      return Error{fmt::format("'{}' is not a number of bytes from {} to {}", word, kLeastBytes, kMostBytes)};
    }
    if (std::ranges::find(sizes, bytes) != sizes.end()) return Error{fmt::format("{} is there twice", bytes)};
    sizes.push_back(bytes);
    return Success{};
  });
}

Status set_placements(ProgramOptions& options, const std::string& list) {
  std::vector<Placement>& placements = options.study.placements;
  return fill(list, placements, [&](const std::string& word) -> Status {
    for (const PlacementName& row : placement_names()) {
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

Status set_count(const std::string& text, uint32_t& count) {
  count = parse_number<uint32_t>(text).value_or(0);
  if (count < 1 || count > kMostCount) {
    return Error{fmt::format("'{}' is not a whole number from 1 to {}", text, kMostCount)};
  }
  return Success{};
}

Status set_address(const std::string& text, std::optional<PeerAddress>& address) {
  CMC_TRY(address, parse_peer(text));
  return Success{};
}

Status set_file(const std::string& text, std::string& file) {
  if (text.empty()) return Error{"the name of the file is empty"};
  if (text.starts_with("--"))
    return Error{fmt::format("'{}' looks like an option; is the name of the file missing?", text)};
  file = text;
  return Success{};
}

Status set_out(ProgramOptions& options, const std::string& text) {
  if (text == kStandardOutput) return Error{"the name of a folder is needed: only --json writes to standard output"};
  return set_file(text, options.out);
}

Status set_progress(ProgramOptions& options, const std::string& text) {
  for (const auto& [name, when] :
       {std::pair{"auto", When::kAuto}, std::pair{"on", When::kAlways}, std::pair{"off", When::kNever}}) {
    if (text != name) continue;
    options.progress = when;
    return Success{};
  }
  return Error{fmt::format("'{}' is not one of: auto, on, off", text)};
}

struct Row {
  const char* name;
  const char* value;
  const char* help;
  Status (*set)(ProgramOptions& options, const std::string& value);
};

constexpr const char* kJson = "--json";
constexpr Row kRows[] = {
    {"--channel", "LIST",
     "which of spin, semaphore, futex, hybrid, unix, tcp, zmq, zmq-tcp, with commas between them (default: all)",
     set_channels},
    {"--size", "LIST",
     "bytes of a message, 16 to 65536 (default: 16,256,4096,65536); the table is about the first one", set_sizes},
    {"--placement", "LIST",
     "which of unpinned, one (both sides on one core), two (default: all); the table is about the first one",
     set_placements},
    {"--rounds", "N", "data points of each row, over all launches (default: 1000)",
     [](ProgramOptions& o, const std::string& v) { return set_count(v, o.study.rounds); }},
    {"--samples", "N", "round trips of a data point, which is the shortest of them (default: 100)",
     [](ProgramOptions& o, const std::string& v) { return set_count(v, o.study.samples); }},
    {"--launches", "N", "how often the processes are started anew (default: 5)",
     [](ProgramOptions& o, const std::string& v) { return set_count(v, o.study.launches); }},
    {"--out", "FOLDER",
     "write the table and all points as CSV, the result as JSON, and plots there; plots need gnuplot", set_out},
    {"--serve", "HOST:PORT", "answer there (tcp, and zmq-tcp at the next port) until Ctrl-C; nothing is encrypted",
     [](ProgramOptions& o, const std::string& v) { return set_address(v, o.serve); }},
    {"--peer", "HOST:PORT", "measure to `cmc-latency --serve` in another place",
     [](ProgramOptions& o, const std::string& v) { return set_address(v, o.study.peer); }},
    {kJson, "[=FILE]",
     "write the result as JSON (cmc.latency/1) to FILE; without =FILE: to standard output, instead of the text",
     [](ProgramOptions& o, const std::string& v) { return set_file(v, o.json); }},
    {"--progress", "WHEN", "a line that says how far it is: auto (default: on a terminal), on, off", set_progress},
};

Answer usage_error(const std::string& message) {
  return {kExitUsage, fmt::format("cmc-latency: {}\n(`cmc-latency --help` says more)\n", message)};
}

// What options say together; channels that were not named are all of them.
Status complete(ProgramOptions& options) {
  StudyOptions& study = options.study;
  if (options.serve && study.peer) return Error{"--serve answers and --peer asks: name one"};
  if (study.peer) study.placements = {Placement::kUnpinned};
  for (const ChannelKind* kind : study.kinds) {
    if (study.peer && !reaches_peers(*kind)) return Error{"--peer works with the channels tcp and zmq-tcp only"};
  }
  if (!study.kinds.empty()) return Success{};
  for (const ChannelKind& kind : channel_kinds()) {
    if (!study.peer || reaches_peers(kind)) study.kinds.push_back(&kind);
  }
  return Success{};
}

}  // namespace

std::variant<ProgramOptions, Answer> parse_program_options(std::vector<std::string> arguments) {
  // Its value comes behind `=`.
  std::ranges::replace(arguments, kJson, fmt::format("{}={}", kJson, kStandardOutput));
  ProgramOptions options;
  CLI::App app(
      "Measures what a message and its answer take on each channel between two threads, processes or machines.",
      "cmc-latency");
  app.allow_extras();
  app.set_help_flag("-h,--help", "print this");
  app.set_version_flag("--version", fmt::format("cmc-latency {}", kVersion));
  for (const Row& row : kRows) {
    const auto set = [&options, &row](const std::string& value) {
      if (const Status done = row.set(options, value); !done.ok()) throw CLI::ValidationError(row.name, done.error());
    };
    CLI::Option* option = app.add_option_function<std::string>(row.name, set, row.help);
    option->type_name(row.value)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  try {
    std::ranges::reverse(arguments);  // as CLI11 wants them
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    return Answer{kExitHolds, app.help()};
  } catch (const CLI::CallForVersion& version) {
    return Answer{kExitHolds, fmt::format("{}\n", version.what())};
  } catch (const CLI::ArgumentMismatch&) {
    return usage_error("the last option needs a value");
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what());
  }
  for (const std::string& extra : app.remaining()) {
    return usage_error(
        fmt::format("{} '{}'", extra.starts_with('-') ? "unknown option" : "unexpected argument", extra));
  }
  if (const Status done = complete(options); !done.ok()) return usage_error(done.error());
  return options;
}

}  // namespace cmc::latency
