#pragma once

#include <memory>

#include "checker/audit/certificate.h"
#include "checker/audit/model_text.h"
#include "checker/audit/refusal.h"
#include "checker/generator/generator.h"

namespace cmc::audit {

// SPIN's own verifier as the one that says which successors a state has and whether it is in error: `spin -a` of the
// certificate's text, with a driver (pan_driver.h), compiled with gcc. What is common with the search is the text of
// the model and where variables are in a state vector. Models that have channels, hidden variables, priorities,
// `_last`, guards for a solver or parts in C are refused.
class PanOracle {
 public:
  // Runs spin and gcc.
  [[nodiscard]] static Verdict make(const Certificate& certificate, const Task& task,
                                    std::unique_ptr<PanOracle>& made);
  ~PanOracle();
  PanOracle(const PanOracle&) = delete;
  PanOracle& operator=(const PanOracle&) = delete;

  // A process of its own, one for each thread; successors() only. An end of the process is an error of the state. The
  // oracle lives longer.
  [[nodiscard]] std::unique_ptr<SuccessorGenerator> start() const;
  // The first line of `spin -V`.
  [[nodiscard]] const std::string& version() const { return version_; }

 private:
  explicit PanOracle(const Model& model) : model_(model) {}
  [[nodiscard]] Verdict build(const Certificate& certificate, const Task& task);

  const Model& model_;
  std::string folder_;
  std::string version_;
};

}  // namespace cmc::audit
