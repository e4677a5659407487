#pragma once

#include <memory>

#include "checker/cli/commands.h"
#include "checker/native/build.h"

namespace cmc {

// The native code of the model of one search, as far as --generator asks for it.
class NativeCode {
 public:
  // With --generator native it waits for the code. `model` outlives this.
  NativeCode(const Session& session, const Model& model);

  // The generator of single basic steps that runs it, now or later; the VM's if there is none.
  [[nodiscard]] std::unique_ptr<SuccessorGenerator> make_generator(GuardDecider* decider) const;
  // Tells the user how that went: with -v, or if native code was asked for and there is none.
  void tell() const;

 private:
  const Session& session_;
  const Model& model_;
  std::unique_ptr<native::Build> build_;  // null: none is wanted
};

}  // namespace cmc
