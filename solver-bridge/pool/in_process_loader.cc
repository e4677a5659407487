#include "solver-bridge/pool/in_process_loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "solver-bridge/pool/pool_options.h"

namespace cmc::solver {

Result<InProcessSolver> load_in_process_oracle(uint32_t rlimit, const Clock& clock) {
  const std::string path = beside_program("cmc-in-process.so");
  void* const module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return Error{fmt::format("cannot load the solver into this process: {}", ::dlerror())};
  using Make = GuardOracle*(uint32_t, const Clock&);
  auto* const make = reinterpret_cast<Make*>(::dlsym(module, "cmc_make_in_process_oracle"));
  using Version = const char*();
  auto* const version = reinterpret_cast<Version*>(::dlsym(module, "cmc_in_process_z3_version"));
  if (make == nullptr || version == nullptr)
    return Error{fmt::format("{} is no module of this program: {}", path, ::dlerror())};
  return InProcessSolver{std::unique_ptr<GuardOracle>(make(rlimit, clock)), version()};  // the module stays
}

}  // namespace cmc::solver
