#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "checker/check/decider.h"
#include "checker/check/model_file.h"
#include "checker/dap/connection.h"
#include "checker/session/breakpoints.h"
#include "checker/session/console.h"
#include "checker/session/session.h"

namespace cmc::dap {

// What is debugged: a model, a run of it, where it stops.
class Target {
 public:
  // Of the arguments of `launch` (docs/editors.md). `program`: the path of cmc, which looks for a counterexample if
  // one is asked for. Throws Failure: the model cannot be read, the trail does not fit, the property holds.
  Target(const Json& arguments, const std::string& program, const std::atomic<bool>& interrupted);

  [[nodiscard]] const Model& model() const { return loaded_->model; }
  // The number of a file of the model in Model::files; none: it is none of them.
  [[nodiscard]] std::optional<uint32_t> find_file(const std::string& path) const;
  [[nodiscard]] std::string path_of(uint32_t file) const;

  session::Session& run() { return *run_; }
  session::Breakpoints& breakpoints() { return *breakpoints_; }
  session::Random& random() { return random_; }
  session::Console& console() { return *console_; }

 private:
  void load(const Json& arguments, const std::string& trail);

  std::string folder_;  // relative paths begin there
  std::optional<LoadedModel> loaded_;
  Decider decider_;
  std::unique_ptr<SuccessorGenerator> statements_;
  std::optional<session::Session> run_;
  std::optional<session::Breakpoints> breakpoints_;
  session::Random random_;
  std::optional<session::Console> console_;
};

}  // namespace cmc::dap
