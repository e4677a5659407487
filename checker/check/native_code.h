#pragma once

#include <memory>

#include "checker/check/observer.h"
#include "checker/check/request.h"
#include "checker/generator/generator.h"
#include "checker/native/build.h"

namespace cmc {

// The native code of the model of one search, as far as CheckRequest::generator asks for it.
class NativeCode {
 public:
  // With GeneratorKind::kNative it waits for the code. `request` and `model` outlive this.
  NativeCode(const CheckRequest& request, const Model& model);

  // The generator of single basic steps that runs it, now or later; the VM's if there is none.
  [[nodiscard]] std::unique_ptr<SuccessorGenerator> make_generator(GuardDecider* decider) const;
  // Tells how that went: as a detail, or as a note if native code was asked for and there is none.
  void tell(CheckObserver& observer) const;

 private:
  const CheckRequest& request_;
  const Model& model_;
  std::unique_ptr<native::Build> build_;  // null: none is wanted
};

}  // namespace cmc
