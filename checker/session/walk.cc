#include "checker/session/walk.h"

#include <utility>

#include "checker/check/search.h"

namespace cmc::session {

Result<LoadedModel> read_model(const std::string& path, ModelRequest request) {
  request.overflow = Overflow::kWarning;
  promela::Sources sources;
  CMC_TRY(const uint32_t file, sources.load(path));
  std::string messages;
  std::optional<LoadedModel> loaded = compile_model(request, std::move(sources), file, messages);
  if (!loaded) return Error{messages};
  return std::move(*loaded);
}

Result<std::unique_ptr<Walk>> Walk::make(LoadedModel loaded, uint64_t seed, std::function<void()> on_choice,
                                         const std::atomic<bool>& interrupted) {
  std::unique_ptr<Walk> walk(new Walk(std::move(loaded), seed));
  CheckRequest request;
  request.interrupt = &interrupted;
  CMC_TRY(walk->decider_, make_decider(request, walk->model()));
  walk->statements_ = make_statement_generator(request, walk->model(), walk->decider_.get());
  walk->run_.emplace(walk->loaded_, *walk->statements_, walk->decider_.get());
  walk->breakpoints_.emplace(*walk->run_);
  walk->console_.emplace(*walk->run_, *walk->breakpoints_, walk->random_, std::move(on_choice), interrupted);
  return walk;
}

}  // namespace cmc::session
