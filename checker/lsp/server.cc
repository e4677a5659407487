#include "checker/lsp/server.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "checker/lsp/code_actions.h"
#include "checker/lsp/document.h"
#include "checker/lsp/features.h"
#include "checker/lsp/format_edits.h"
#include "checker/lsp/tasks.h"
#include "checker/report/style/version.h"
#include "checker/rpc/json_rpc.h"

namespace cmc::lsp {
namespace {

using rpc::Failure;
using rpc::MessageStream;

// Codes of the protocol.
constexpr int kNotInitialized = -32002;

constexpr int kQuietMilliseconds = 10;  // after the last change, before what is wrong is said
constexpr size_t kMostDocuments = 10'000;
constexpr uint32_t kWidestTab = 16;
constexpr int kTaskMilliseconds = 50;  // between looks at tasks that run

Json capabilities() {
  return {
      {"positionEncoding", "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", 2}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"renameProvider", {{"prepareProvider", true}}},
      {"documentSymbolProvider", true},
      {"foldingRangeProvider", true},
      {"codeActionProvider", {{"codeActionKinds", {"quickfix", "refactor.rewrite", "refactor.inline"}}}},
      {"codeLensProvider", {{"resolveProvider", false}}},
      {"executeCommandProvider", {{"commands", {"cmc.check", "cmc.why", "cmc.simulate"}}}},
      {"documentFormattingProvider", true},
      {"documentRangeFormattingProvider", true},
      {"completionProvider", {{"triggerCharacters", {".", "@"}}}},
      {"semanticTokensProvider",
       {{"legend", {{"tokenTypes", semantic_token_types()}, {"tokenModifiers", {"declaration"}}}}, {"full", true}}}};
}

class Server {
 public:
  Server(int in, int out, const promela::CompileOptions& options, const std::string& program,
         const std::atomic<bool>& interrupted)
      : client_(in, out, rpc::Framing::kHeaders),
        options_(options),
        tasks_(client_, program, options),
        interrupted_(interrupted) {}

  int run() {
    std::string message;
    while (!interrupted_ && !exits_ && client_.is_open()) {
      const MessageStream::Read read = client_.read(message, unsaid_        ? kQuietMilliseconds
                                                             : tasks_.any() ? kTaskMilliseconds
                                                                            : -1);
      if (read == MessageStream::Read::kEnd) break;
      if (read == MessageStream::Read::kMessage) {
        client_.answer(message, [this](const std::string& method, const Json& parameters, bool is_request) {
          return call(method, parameters, is_request);
        });
      } else if (unsaid_) {
        say_what_is_wrong();
      }
      look_at_tasks();
    }
    return was_shut_down_ ? 0 : 1;
  }

 private:
  using Method = Json (Server::*)(const Json&);

  Json call(const std::string& method, const Json& parameters, bool is_request) {
    static const std::map<std::string, Method> kMethods = {
        {"initialize", &Server::initialize},
        {"shutdown", &Server::shut_down},
        {"exit", &Server::exit},
        {"textDocument/didOpen", &Server::open},
        {"textDocument/didChange", &Server::change},
        {"textDocument/didClose", &Server::close},
        {"textDocument/didSave", &Server::save},
        {"textDocument/hover", &Server::at_position<hover>},
        {"textDocument/definition", &Server::at_position<definition>},
        {"textDocument/references", &Server::at_position<references>},
        {"textDocument/documentHighlight", &Server::at_position<highlights>},
        {"textDocument/completion", &Server::at_position<completion>},
        {"textDocument/prepareRename", &Server::at_position<rename_range>},
        {"textDocument/rename", &Server::rename_all},
        {"textDocument/formatting", &Server::format},
        {"textDocument/rangeFormatting", &Server::format},
        {"textDocument/codeAction", &Server::actions},
        {"textDocument/codeLens", &Server::lenses},
        {"workspace/executeCommand", &Server::execute},
        {"window/workDoneProgress/cancel", &Server::cancel},
        {"textDocument/documentSymbol", &Server::of_document<symbols>},
        {"textDocument/foldingRange", &Server::of_document<folds>},
        {"textDocument/semanticTokens/full", &Server::of_document<semantic_tokens>},
    };
    const auto found = kMethods.find(method);
    if (found == kMethods.end()) {
      if (!is_request) return nullptr;  // a notification that is not known may be ignored
      throw Failure{rpc::kMethodNotFound, fmt::format("there is no method '{}'", method)};
    }
    if (!is_initialized_ && method != "initialize" && method != "exit")
      throw Failure{kNotInitialized, "the first request is 'initialize'"};
    if (was_shut_down_ && method != "exit") throw Failure{rpc::kInvalidRequest, "the server was shut down"};
    return (this->*found->second)(parameters);
  }

  // --- life

  Json initialize(const Json& parameters) {
    if (is_initialized_) throw Failure{rpc::kInvalidRequest, "'initialize' comes once"};
    is_initialized_ = true;
    tasks_.initialize(parameters);
    return {{"capabilities", capabilities()}, {"serverInfo", {{"name", "cmc"}, {"version", kVersion}}}};
  }
  Json shut_down(const Json&) {
    was_shut_down_ = true;
    return nullptr;
  }
  Json exit(const Json&) {
    exits_ = true;
    return nullptr;
  }

  // --- texts

  Json open(const Json& parameters) {
    const Json& text = parameters.at("textDocument");
    const std::string uri = text.at("uri").get<std::string>();
    if (documents_.size() >= kMostDocuments) throw Failure{kRequestFailed, "too many texts are open"};
    documents_.insert_or_assign(uri, std::make_unique<Document>(uri, text.at("text").get<std::string>()));
    changed(path_of(uri));
    tasks_.lint_soon(uri);
    return nullptr;
  }
  Json change(const Json& parameters) {
    Document& document = document_of(parameters);
    TextBuffer text = document.buffer();
    for (const Json& each : parameters.at("contentChanges")) {
      const std::string with = each.at("text").get<std::string>();
      if (each.contains("range")) {
        text.replace(range_from(each["range"]), with);
      } else {
        text = TextBuffer(with);
      }
    }
    document.change(std::move(text));
    changed(document.path());
    return nullptr;
  }
  Json close(const Json& parameters) {
    const std::string uri = document_of(parameters).uri();
    const std::string path = path_of(uri);
    documents_.erase(uri);
    tasks_.forget(uri);
    changed(path);
    return nullptr;
  }
  Json save(const Json& parameters) {
    const Document& document = document_of(parameters);
    changed(document.path());
    tasks_.lint_soon(document.uri());
    return nullptr;
  }
  // Texts that include it have to be read again.
  void changed(const std::string& path) {
    for (const auto& [uri, document] : documents_) {
      if (document->includes(path)) document->forget();
    }
    unsaid_ = true;
  }

  // --- questions

  template <Json (*Answer)(const Document&, const Position&)>
  Json at_position(const Json& parameters) {
    return Answer(read(document_of(parameters)), position_from(parameters.at("position")));
  }
  template <Json (*Answer)(const Document&)>
  Json of_document(const Json& parameters) {
    return Answer(read(document_of(parameters)));
  }
  Json rename_all(const Json& parameters) {
    const Document& document = read(document_of(parameters));
    Result<Json> changes = rename(document, position_from(parameters.at("position")),
                                  parameters.at("newName").get<std::string>(), texts_beside(document), options_);
    if (!changes.ok()) throw Failure{kRequestFailed, changes.error()};
    for (const auto& [uri, other] : documents_) {
      const auto is_shared = [&](const auto& file) { return other->includes(path_of(file.key())); };
      const auto files = changes.value()["changes"].items();
      if (other.get() == &document || std::ranges::none_of(files, is_shared)) continue;
      throw Failure{kRequestFailed, fmt::format("{} includes what would be changed, too", other->path())};
    }
    return std::move(changes).value();
  }

  Json format(const Json& parameters) {
    const Document& document = document_of(parameters);
    const Json& options = parameters.at("options");
    promela::Layout layout;
    layout.indent = std::clamp(options.at("tabSize").get<uint32_t>(), 1u, kWidestTab);
    layout.tabs = !options.at("insertSpaces").get<bool>();
    const Range all = {{0, 0}, {~0u, 0}};
    const Range range = parameters.contains("range") ? range_from(parameters["range"]) : all;
    Result<Json> edits = format_edits(document, texts_beside(document), options_, layout, range);
    if (!edits.ok()) throw Failure{kRequestFailed, edits.error()};
    return std::move(edits).value();
  }

  Json actions(const Json& parameters) {
    const Document& document = read(document_of(parameters));
    Json all = code_actions(document, range_from(parameters.at("range")));
    for (const Json& each : parameters.value("context", Json::object()).value("diagnostics", Json::array())) {
      if (each.value("source", "") != kCheckSource) continue;
      const std::string message = each.value("message", "");
      const std::string property = message.substr(0, message.find(':'));
      all.push_back({{"title", "Show the counterexample"},
                     {"kind", "quickfix"},
                     {"command",
                      {{"title", "Show the counterexample"},
                       {"command", "cmc.why"},
                       {"arguments", {document.uri(), property}}}}});
    }
    return all;
  }

  // Arguments: the text's URI, and a property or "".
  Json execute(const Json& parameters) {
    const Json& arguments = parameters.at("arguments");
    const Document& document = read(document_of({{"textDocument", {{"uri", arguments.at(0)}}}}));
    return tasks_.execute(parameters.at("command").get<std::string>(), document, texts_beside(document),
                          arguments.size() > 1 ? arguments[1].get<std::string>() : "");
  }
  Json cancel(const Json& parameters) {
    tasks_.cancel(parameters.at("token"));
    return nullptr;
  }
  Json lenses(const Json& parameters) {
    const Document& document = read(document_of(parameters));
    return tasks_.findings(document.uri()).lenses(document);
  }
  // What tasks have found out, and what they are to do next.
  void look_at_tasks() {
    const auto find = [this](const std::string& uri) -> const Document* {
      const auto found = documents_.find(uri);
      return found == documents_.end() ? nullptr : &read(*found->second);
    };
    if (tasks_.hear(find)) unsaid_ = true;
    if (unsaid_) return;
    while (const std::optional<std::string> uri = tasks_.next_to_lint()) {
      const Document* const document = find(*uri);
      if (document != nullptr && document->is_current()) tasks_.lint(*document, texts_beside(*document));
    }
  }

  Document& document_of(const Json& parameters) {
    const auto found = documents_.find(parameters.at("textDocument").at("uri").get<std::string>());
    if (found == documents_.end()) throw Failure{rpc::kInvalidParameters, "this text is not open"};
    return *found->second;
  }
  static Position position_from(const Json& json) {
    return {json.at("line").get<uint32_t>(), json.at("character").get<uint32_t>()};
  }
  static Range range_from(const Json& json) {
    return {position_from(json.at("start")), position_from(json.at("end"))};
  }

  const Document& read(Document& document) {
    document.read(texts_beside(document), options_);
    return document;
  }
  [[nodiscard]] OpenTexts texts_beside(const Document& document) const {
    OpenTexts open;
    for (const auto& [uri, other] : documents_) {
      if (other.get() != &document) open[other->path()] = &other->buffer();
    }
    return open;
  }

  // --- what is wrong

  // What several texts say of one that they include is said together.
  void say_what_is_wrong() {
    unsaid_ = false;
    std::map<std::string, Json> now;  // by URI
    for (const auto& [uri, document] : documents_) {
      for (const auto& [path, remarks] : read(*document).remarks()) {
        Json& all = now.try_emplace(path == document->path() ? uri : uri_of(path), Json::array()).first->second;
        for (const Remark& remark : remarks) {
          Json each = to_json(remark);
          if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(std::move(each));
        }
      }
      for (Json& each : tasks_.findings(uri).diagnostics(*document)) now[uri].push_back(std::move(each));
    }
    for (const std::string& uri : said_) now.try_emplace(uri, Json::array());
    said_.clear();
    for (const auto& [uri, remarks] : now) {
      if (!remarks.empty()) said_.insert(uri);
      client_.notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", remarks}});
    }
  }

  rpc::Connection client_;
  const promela::CompileOptions& options_;
  Tasks tasks_;
  const std::atomic<bool>& interrupted_;
  std::map<std::string, std::unique_ptr<Document>> documents_;  // by URI
  std::set<std::string> said_;                                  // URIs of which something was said to be wrong
  bool unsaid_ = false;                                         // something has changed since
  bool is_initialized_ = false;
  bool was_shut_down_ = false;
  bool exits_ = false;
};

}  // namespace

int serve(int in, int out, const promela::CompileOptions& options, const std::string& program,
          const std::atomic<bool>& interrupted) {
  return Server(in, out, options, program, interrupted).run();
}

}  // namespace cmc::lsp
