#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "checker/dap/connection.h"
#include "checker/session/walk.h"

namespace cmc::dap {

// What is debugged: a model, a run of it, where it stops.
class Target {
 public:
  // Of the arguments of `launch` (docs/editors.md). `program`: the path of cmc, which looks for a counterexample if
  // one is asked for. Throws Failure: the model cannot be read, the trail does not fit, the property holds.
  // `on_choice` is told of the console's steps.
  Target(const Json& arguments, const std::string& program, std::function<void()> on_choice,
         const std::atomic<bool>& interrupted);

  [[nodiscard]] const Model& model() const { return walk_->model(); }
  // The number of a file of the model in Model::files; none: it is none of them.
  [[nodiscard]] std::optional<uint32_t> find_file(const std::string& path) const;
  [[nodiscard]] std::string path_of(uint32_t file) const;

  session::Session& run() { return walk_->run(); }
  session::Breakpoints& breakpoints() { return walk_->breakpoints(); }
  session::Random& random() { return walk_->random(); }
  session::Console& console() { return walk_->console(); }

 private:
  [[nodiscard]] LoadedModel load(const Json& arguments, const std::string& trail) const;

  std::string folder_;  // relative paths begin there
  std::unique_ptr<session::Walk> walk_;
};

}  // namespace cmc::dap
