#include "studies/xtp/generated/program.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "checker/native/build.h"
#include "checker/native/generator.h"
#include "checker/reference/reference.h"
#include "checker/vm/generator.h"
#include "promela/compile.h"

namespace cmc::xtp {

std::optional<Variant> variant_named(std::string_view name) {
  if (name == "reference") return Variant::kReference;
  if (name == "vm") return Variant::kVm;
  if (name == "native") return Variant::kNative;
  return std::nullopt;
}

Result<std::shared_ptr<const Program>> Program::load(const ProgramOptions& options) {
  promela::Sources sources;
  CMC_TRY(const uint32_t file, sources.load(options.model));
  promela::CompileOptions how;
  const std::string payload =
      options.limit_bytes == 0 ? std::string("HANDLES") : fmt::format("LIMIT={}", options.limit_bytes);
  for (const std::string& define :
       {std::string("ENDPOINT"), std::string("S=256"), fmt::format("W={}", options.window), payload}) {
    how.preprocessor.commands.push_back({false, define});
  }
  promela::Diagnostics diagnostics(sources);
  std::optional<Model> model = promela::compile(sources, file, how, diagnostics);
  if (!model) return Error{diagnostics.render(false)};
  const auto program = std::make_shared<Program>();
  program->options_ = options;
  program->model_ = std::move(*model);
  const auto text_of = [&](uint32_t number) -> std::string_view {
    for (uint32_t i = 0; i < sources.file_count(); ++i) {
      if (sources.name(i) == program->model_.files[number]) return sources.text(i);
    }
    return {};
  };
  const auto external = program::find_external_channels(program->model_, text_of);
  if (!external.ok()) return Error{external.error()};
  using Direction = program::ExternalChannel::Direction;
  const auto find = [&](const char* name, Direction direction, uint32_t& channel) {
    const auto found = std::ranges::find_if(external.value(), [&](const program::ExternalChannel& each) {
      return each.name == name && each.direction == direction;
    });
    if (found != external.value().end()) channel = found->first;
    return found != external.value().end();
  };
  Channels& channels = program->channels_;
  if (!find("request", Direction::kIn, channels.request) || !find("arrived", Direction::kIn, channels.arrived) ||
      !find("indication", Direction::kOut, channels.indication) || !find("sent", Direction::kOut, channels.sent)) {
    return Error{
        fmt::format("{}: needs the external channels request, arrived (in), indication, sent (out)", options.model)};
  }
  if (options.variant == Variant::kNative) {
    CMC_TRY(program->library_, native::build_now(program->model_));
  }
  return std::shared_ptr<const Program>(program);
}

std::unique_ptr<SuccessorGenerator> Program::make_generator() const {
  switch (options_.variant) {
    case Variant::kReference: return make_reference_generator(model_);
    case Variant::kNative: return make_native_generator(model_, library_);
    case Variant::kVm: break;
  }
  return make_vm_generator(model_);
}

int32_t Program::constant(const std::string& name) const {
  for (const std::vector<std::string>& set : model_.mtype_sets) {
    const auto found = std::ranges::find(set, name);
    if (found != set.end()) return static_cast<int32_t>(found - set.begin()) + 1;
  }
  CHECK(!"a constant of the protocol");
  return 0;
}

}  // namespace cmc::xtp
