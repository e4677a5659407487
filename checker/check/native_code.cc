#include "checker/check/native_code.h"

#include <fmt/format.h>

#include "checker/generator/wrappers/checked.h"
#include "checker/native/generator.h"
#include "checker/reference/reference.h"
#include "checker/vm/generator.h"

namespace cmc {

NativeCode::NativeCode(const CheckRequest& request, const Model& model) : request_(request), model_(model) {
  const bool later = request.generator == GeneratorKind::kAuto && !request.check_generator;
  if (!later && request.generator != GeneratorKind::kNative) return;
  if (model.notes_overflow()) return;
  native::Build::Options wanted{native::system_compiler(), native::ObjectCache::users_folder(), !later};
  if (request.compiler_seconds > 0) wanted.compiler.most_seconds = request.compiler_seconds;
  build_ = std::make_unique<native::Build>(model, std::move(wanted));
  if (later) return;
  build_->start();
  build_->wait([&] { return request.interrupted(); });
}

std::unique_ptr<SuccessorGenerator> NativeCode::make_generator(GuardDecider* decider) const {
  const bool waited = request_.generator == GeneratorKind::kNative;
  if (build_ != nullptr && !waited) return make_changing_generator(model_, *build_, decider);
  std::unique_ptr<SuccessorGenerator> vm = make_vm_generator(model_, decider);
  const bool has_code = build_ != nullptr && build_->ended() && build_->library() != nullptr;
  std::unique_ptr<SuccessorGenerator> native =
      has_code ? make_native_generator(model_, build_->library(), decider) : nullptr;
  if (!request_.check_generator) return native != nullptr ? std::move(native) : std::move(vm);
  vm = make_checked_generator(std::move(vm), make_reference_generator(model_, decider));
  if (native == nullptr) return vm;
  return make_checked_generator(std::move(native), std::move(vm), {}, Compared::kTouches);
}

void NativeCode::tell(CheckObserver& observer) const {
  const bool wanted = request_.generator == GeneratorKind::kNative;
  if (wanted && model_.notes_overflow()) {
    observer.on_note(Importance::kNote, "native code is off with --overflow; the virtual machine computes the steps");
  }
  if (build_ == nullptr || !build_->ended()) return;
  const bool missed = build_->library() == nullptr;
  const Importance importance = missed && wanted ? Importance::kNote : Importance::kDetail;
  for (const std::string& note : build_->notes()) observer.on_note(importance, fmt::format("native code: {}", note));
  if (missed) observer.on_note(importance, "there is no native code; the virtual machine computes the steps");
}

}  // namespace cmc
