#include "base/memory_limit.h"
#include "checker/api/content.h"
#include "checker/check/decider.h"
#include "checker/check/search.h"
#include "checker/cli/load_model.h"
#include "checker/cli/output_files.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/trace/state_graph.h"

namespace cmc::api {
namespace {

constexpr std::size_t kMostDrawn = 500;

Result<Model> compile(const Options& options, promela::Sources sources, std::uint32_t file,
                      const std::function<Model(Loaded)>& make) {
  Error error;
  const ErrorListener note = [&](const promela::Sources& files, const promela::Diagnostics& diagnostics) {
    for (const promela::Diagnostic& each : diagnostics.all()) {
      const SourcePlace& place = each.location.place;
      if (each.severity == promela::Severity::kError)
        error.mistakes.push_back({each.message, {files.name(place.file), place.line, place.column}});
    }
  };
  std::optional<LoadedModel> loaded =
      compile_model(model_request(options), std::move(sources), file, error.message, false, note);
  if (!loaded) return error;
  return make(Loaded{options.check, std::move(*loaded), std::move(error.message)});
}

Graph graph_of(StateGraph graph) {
  static_assert(static_cast<int>(StateGraph::Kind::kDeadlock) == static_cast<int>(Graph::Kind::kInvalidEnd) &&
                static_cast<int>(StateGraph::Kind::kError) == static_cast<int>(Graph::Kind::kError));
  Graph all;
  if (graph.nodes.size() <= kMostDrawn) all.svg = graph_svg(graph);
  for (StateGraph::Node& node : graph.nodes)
    all.nodes.push_back({static_cast<Graph::Kind>(node.kind), node.depth, node.expanded, std::move(node.text)});
  for (StateGraph::Edge& edge : graph.edges) {
    all.edges.push_back({edge.from, edge.to, edge.pid, std::move(edge.process), std::move(edge.text),
                         std::move(edge.changes), edge.error});
  }
  all.complete = graph.complete;
  all.reason = graph.reason.empty() && !graph.complete ? "there are more states" : std::move(graph.reason);
  return all;
}

}  // namespace

Result<Options> parse_options(const char* command, const std::vector<std::string>& words) {
  std::vector<std::string> arguments = {command};
  arguments.insert(arguments.end(), words.begin(), words.end());
  arguments.emplace_back("model");
  const std::variant<Options, Answer> parsed = parse_command_line(arguments);
  if (const Answer* const answer = std::get_if<Answer>(&parsed)) return Error{answer->text};
  Options options = std::get<Options>(parsed);
  if (options.model != "model") return Error{"an option is needed, not a file name"};
  if (!output_files(options).empty() || !options.output.json.empty())
    return Error{"options about output are for the program only"};
  options.output.verbosity = Verbosity::kQuiet;
  options.output.progress = When::kNever;
  options.output.color = When::kNever;
  return options;
}

Result<Options> parse_later_options(const char* command, const std::vector<std::string>& words) {
  Result<Options> parsed = parse_options(command, words);
  if (!parsed.ok()) return parsed;
  const ModelRequest& reading = parsed.value().reading;
  const bool reads = !reading.preprocessor.commands.empty() || !reading.preprocessor.include_directories.empty() ||
                     reading.escapes_like_java || !reading.formulas.empty();
  if (reads) return Error{"-D, -U, -I, -J, --promela-s and --ltl are for load() and parse()"};
  return parsed;
}

Result<Model> Model::load(const std::string& path, const std::vector<std::string>& words) {
  const Result<Options> options = parse_options("info", words);
  if (!options.ok()) return Error{options.error()};
  promela::Sources sources;
  const cmc::Result<std::uint32_t> file = sources.load(path);
  if (!file.ok()) return Error{file.error()};
  return compile(options.value(), std::move(sources), file.value(),
                 [](Loaded loaded) { return Model(std::make_shared<const Content>(std::move(loaded))); });
}

Result<Model> Model::parse(std::string text, const std::string& name, const std::vector<std::string>& words) {
  const Result<Options> options = parse_options("info", words);
  if (!options.ok()) return Error{options.error()};
  promela::Sources sources;
  const std::uint32_t file = sources.add(name, std::move(text));
  return compile(options.value(), std::move(sources), file,
                 [](Loaded loaded) { return Model(std::make_shared<const Content>(std::move(loaded))); });
}

const std::string& Model::warnings() const { return content_->warnings; }

Result<Graph> Model::graph(std::size_t most_states, const std::vector<std::string>& words,
                           const std::atomic<bool>* stop) const {
  const Result<Options> options = parse_later_options("graph", words);
  if (!options.ok()) return Error{options.error()};
  const CheckRequest& request = options.value().check;
  const LoadedModel& loaded = content_->loaded;
  const cmc::Result<Decider> decider = make_decider(request, loaded.model);
  if (!decider.ok()) return Error{decider.error()};
  std::unique_ptr<SuccessorGenerator> generator =
      make_statement_generator(request, loaded.model, decider.value().get());
  if (request.steps != StepMode::kStatement) generator = close_atomic_chains(std::move(generator), loaded.model);
  Limits limits(
      {request.memory_bytes > 0 ? request.memory_bytes : default_memory_budget_bytes(), request.time_seconds, stop});
  return graph_of(explore_graph(loaded.model, *generator, most_states, loaded.file, limits));
}

}  // namespace cmc::api
