#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "studies/xtp/bare.h"
#include "studies/xtp/generated/endpoint.h"
#include "studies/xtp/hand/engine.h"
#include "studies/xtp/session.h"

// A session of two ends, once or more often; prints one JSON object. studies/xtp/run.py makes tables of such runs.

namespace cmc::xtp {
namespace {

struct Arguments {
  std::string initiator = "hand";
  std::string responder = "hand";
  std::string file;
  std::vector<std::string> settings;
  std::string models = "models/xtp";
  std::string events;
  bool real = false;
  uint32_t repeats = 5;
  double seconds = 60;
};

// "hand", "bare", or MODEL:VARIANT:LIMIT, as in flat:vm:1000; limit 0: payloads by their length.
EndpointMaker maker_of(const std::string& kind, const Arguments& arguments, uint32_t window) {
  if (kind == "hand") {
    return [](Link& out, Link& in, User& user, const Timer& timer, const EndpointOptions& how) {
      return std::make_unique<HandEngine>(out, in, user, timer, how);
    };
  }
  if (kind == "bare") {
    return [](Link& out, Link& in, User& user, const Timer& timer, const EndpointOptions&) {
      return std::make_unique<BareEndpoint>(out, in, user, timer);
    };
  }
  std::istringstream words(kind);
  std::string model, variant, limit;
  std::getline(words, model, ':');
  std::getline(words, variant, ':');
  std::getline(words, limit);
  ProgramOptions options;
  options.model = arguments.models + "/" + model + ".pml";
  options.window = window;
  const bool digits =
      !limit.empty() && limit.size() <= 5 && std::ranges::all_of(limit, [](char c) { return c >= '0' && c <= '9'; });
  const std::optional<Variant> named = variant_named(variant);
  if (!named || !digits)
    throw std::runtime_error(fmt::format("'{}' is no end: hand, bare, or MODEL:native|vm|reference:LIMIT", kind));
  options.variant = *named;
  options.limit_bytes = static_cast<uint32_t>(std::stoul(limit));
  const auto program = Program::load(options);
  if (!program.ok()) throw std::runtime_error(program.error());
  return
      [program = program.value()](Link& out, Link& in, User& user, const Timer& timer, const EndpointOptions& how) {
        return std::make_unique<GeneratedEndpoint>(program, out, in, user, timer, how);
      };
}

Parameters parameters_of(const Arguments& arguments) {
  std::string text;
  if (!arguments.file.empty()) {
    std::ifstream file(arguments.file);
    if (!file) throw std::runtime_error(fmt::format("cannot read '{}'", arguments.file));
    std::ostringstream content;
    content << file.rdbuf();
    text = content.str();
  }
  const Result<Parameters> read = read_parameters(text);
  if (!read.ok()) throw std::runtime_error(fmt::format("{}: {}", arguments.file, read.error()));
  Parameters parameters = read.value();
  for (const std::string& setting : arguments.settings) {
    const size_t equals = setting.find('=');
    const std::string value = equals == std::string::npos ? "" : setting.substr(equals + 1);
    const Status set = set_parameter(parameters, setting.substr(0, equals), value);
    if (!set.ok()) throw std::runtime_error(fmt::format("--set {}: {}", setting, set.error()));
  }
  return parameters;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Nanoseconds from one process to another and no further, by a byte in a pipe: half of a round trip, the median.
double context_switch_ns() {
  constexpr int kRounds = 2000;
  int there[2], back[2];
  if (pipe(there) != 0 || pipe(back) != 0) throw std::runtime_error("cannot make pipes");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot make a process");
  char byte = 0;
  if (child == 0) {
    close(there[1]);
    while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1) {
    }
    _exit(0);
  }
  const RealTimer timer;
  std::vector<double> samples;
  for (int i = 0; i < kRounds; ++i) {
    const uint64_t begin = timer.now_ns();
    if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1) throw std::runtime_error("a pipe broke");
    samples.push_back(static_cast<double>(timer.now_ns() - begin) / 2);
  }
  for (const int end : {there[0], there[1], back[0], back[1]}) close(end);
  return median_of(samples);
}

int run(const Arguments& arguments) {
  Parameters parameters = parameters_of(arguments);
  parameters.events = arguments.events;
  const uint32_t window = parameters.endpoint.window;
  const EndpointMaker initiator = maker_of(arguments.initiator, arguments, window);
  const EndpointMaker responder = maker_of(arguments.responder, arguments, window);
  const auto limit_ns = static_cast<uint64_t>(arguments.seconds * 1e9);
  const double ways = 2 * static_cast<double>(parameters.messages) * static_cast<double>(parameters.connections);
  std::vector<double> processing_ns;  // of a message, one way; by run
  std::vector<double> trips_ns;
  bool done = true;
  uint64_t mistakes = 0;
  SessionReport report;
  for (uint32_t i = 0; i < arguments.repeats; ++i) {
    report = arguments.real ? run_real(parameters, initiator, responder, limit_ns)
                            : run_virtual(parameters, initiator, responder, uint64_t{1} << 62);
    done = done && report.done;
    mistakes += report.sides[0].mistakes + report.sides[1].mistakes;
    processing_ns.push_back(static_cast<double>(report.seconds_ns) / ways);
    for (const uint64_t trip : report.round_trips_ns) trips_ns.push_back(static_cast<double>(trip) / 2);
  }
  fmt::print(
      "{{\"done\": {}, \"mistakes\": {}, \"one_way_ns_least\": {:.1f}, \"one_way_ns_median\": {:.1f}, "
      "\"half_round_trip_ns\": {:.1f}, \"packets\": [{}, {}], \"repeated\": [{}, {}], \"context_switch_ns\": "
      "{:.1f}}}\n",
      done, mistakes, *std::ranges::min_element(processing_ns), median_of(processing_ns), median_of(trips_ns),
      report.links[0].sent, report.links[1].sent, report.sides[0].packets.repeated, report.sides[1].packets.repeated,
      arguments.real ? context_switch_ns() : 0.0);
  return done && mistakes == 0 ? 0 : 1;
}

}  // namespace
}  // namespace cmc::xtp

int main(int count, char** words) {
  cmc::xtp::Arguments arguments;
  CLI::App app("Runs two ends of the protocol of models/xtp and prints figures as JSON.");
  app.add_option("--initiator", arguments.initiator, "hand, bare, or MODEL:native|vm|reference:LIMIT");
  app.add_option("--responder", arguments.responder, "likewise");
  app.add_option("--parameters", arguments.file, "a file of lines 'key = value'");
  app.add_option("--set", arguments.settings, "key=value, after the file; repeatable");
  app.add_option("--models", arguments.models, "folder of the models");
  app.add_option("--events", arguments.events,
                 "each end logs its packets in FILE.0.jsonl, FILE.1.jsonl, for cmc conform");
  app.add_flag("--real", arguments.real, "in two processes and real time, not in virtual time");
  app.add_option("--repeats", arguments.repeats, "how often")->check(CLI::Range(1u, 1000u));
  app.add_option("--seconds", arguments.seconds, "limit of a run in real time")->check(CLI::Range(0.0, 1e6));
  CLI11_PARSE(app, count, words);
  try {
    return cmc::xtp::run(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_xtp: {}\n", error.what());
    return 2;
  }
}
