#include "checker/cli/native_code.h"

#include <fmt/format.h>

#include "checker/generator/checked.h"
#include "checker/native/generator.h"
#include "checker/reference/reference.h"
#include "checker/vm/generator.h"

namespace cmc {

NativeCode::NativeCode(const Session& session, const Model& model) : session_(session), model_(model) {
  const Options& options = session.options;
  const bool later = options.generator == GeneratorKind::kAuto && !options.check_generator;
  if (!later && options.generator != GeneratorKind::kNative) return;
  if (model.notes_overflow()) return;
  native::Build::Options wanted{native::system_compiler(), native::ObjectCache::users_folder(), !later};
  if (options.compiler_seconds > 0) wanted.compiler.most_seconds = options.compiler_seconds;
  build_ = std::make_unique<native::Build>(model, std::move(wanted));
  if (later) return;
  build_->start();
  build_->wait([&] { return session.interrupted.load(); });
}

std::unique_ptr<SuccessorGenerator> NativeCode::make_generator(GuardDecider* decider) const {
  const bool waited = session_.options.generator == GeneratorKind::kNative;
  if (build_ != nullptr && !waited) return make_changing_generator(model_, *build_, decider);
  std::unique_ptr<SuccessorGenerator> vm = make_vm_generator(model_, decider);
  const bool has_code = build_ != nullptr && build_->ended() && build_->library() != nullptr;
  std::unique_ptr<SuccessorGenerator> native =
      has_code ? make_native_generator(model_, build_->library(), decider) : nullptr;
  if (!session_.options.check_generator) return native != nullptr ? std::move(native) : std::move(vm);
  vm = make_checked_generator(std::move(vm), make_reference_generator(model_, decider));
  if (native == nullptr) return vm;
  return make_checked_generator(std::move(native), std::move(vm), {}, Compared::kTouches);
}

void NativeCode::tell() const {
  const bool wanted = session_.options.generator == GeneratorKind::kNative;
  if (wanted && model_.notes_overflow() && session_.options.verbosity != Verbosity::kQuiet) {
    complain("native code is off with --overflow; the virtual machine computes the steps");
  }
  if (build_ == nullptr || !build_->ended() || session_.options.verbosity == Verbosity::kQuiet) return;
  const bool missed = build_->library() == nullptr && session_.options.generator == GeneratorKind::kNative;
  if (!missed && session_.options.verbosity != Verbosity::kVerbose) return;
  for (const std::string& note : build_->notes()) {
    complain(fmt::format("native code: {}", note));
  }
  if (build_->library() == nullptr) complain("there is no native code; the virtual machine computes the steps");
}

}  // namespace cmc
