#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/files/run_directory.h"
#include "checker/lsp/checks.h"
#include "checker/lsp/lenses.h"
#include "checker/rpc/json_rpc.h"

namespace cmc::lsp {

inline constexpr int kRequestFailed = -32803;  // a code of the protocol

// Commands of a client that run cmc, and what they find out about its texts.
class Tasks {
 public:
  Tasks(rpc::Connection& client, const std::string& program, const promela::CompileOptions& options)
      : client_(client), checks_(program, options) {}

  // What the client can, of the parameters of `initialize`.
  void initialize(const nlohmann::json& parameters);
  // cmc.check, cmc.why, cmc.simulate. Throws rpc::Failure.
  [[nodiscard]] nlohmann::json execute(const std::string& command, const Document& document, const OpenTexts& open,
                                       const std::string& property);
  void cancel(const nlohmann::json& token);
  void forget(const std::string& uri);
  [[nodiscard]] bool any() const { return checks_.any(); }
  [[nodiscard]] Findings& findings(const std::string& uri) { return findings_[uri]; }

  // Tells the client where tasks are; `find`: a text by its URI, or null. True: what is wrong with a text has
  // changed.
  [[nodiscard]] bool hear(const std::function<const Document*(const std::string&)>& find);

  // Texts are linted one after the other.
  void lint_soon(const std::string& uri) {
    if (lints_) to_lint_.insert(uri);
  }
  [[nodiscard]] std::optional<std::string> next_to_lint();
  void lint(const Document& document, const OpenTexts& open);

 private:
  void tell_progress(const TaskNews& news, nlohmann::json value);
  void show(const std::string& name, const std::string& text);

  rpc::Connection& client_;
  Checks checks_;
  std::map<std::string, Findings> findings_;  // by URI
  std::set<std::string> to_lint_;             // URIs
  std::unique_ptr<RunDirectory> shown_;       // files that the client shows
  uint64_t shown_count_ = 0;
  bool shows_progress_ = false;
  bool shows_documents_ = false;
  bool renews_lenses_ = false;
  bool lints_ = true;
};

}  // namespace cmc::lsp
