#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "checker/check/decider.h"
#include "checker/session/breakpoints.h"
#include "checker/session/console.h"
#include "checker/session/session.h"

namespace cmc::session {

// A model as traces show it: values that lose bits are noted. Error: what the front end says.
[[nodiscard]] Result<LoadedModel> read_model(const std::string& path, ModelRequest request);

// A model, a run of it, and what walks through it: all that a server keeps.
class Walk {
 public:
  // `seed`: of random choices. `on_choice`: as Console's. Error: the solver of the model's guards cannot be used.
  [[nodiscard]] static Result<std::unique_ptr<Walk>> make(LoadedModel loaded, uint64_t seed,
                                                          std::function<void()> on_choice,
                                                          const std::atomic<bool>& interrupted);

  [[nodiscard]] const LoadedModel& loaded() const { return loaded_; }
  [[nodiscard]] const Model& model() const { return loaded_.model; }
  Session& run() { return *run_; }
  Breakpoints& breakpoints() { return *breakpoints_; }
  Random& random() { return random_; }
  Console& console() { return *console_; }

 private:
  Walk(LoadedModel loaded, uint64_t seed) : loaded_(std::move(loaded)), random_(seed) {}

  LoadedModel loaded_;
  Decider decider_;
  std::unique_ptr<SuccessorGenerator> statements_;
  std::optional<Session> run_;
  std::optional<Breakpoints> breakpoints_;
  Random random_;
  std::optional<Console> console_;
};

}  // namespace cmc::session
