#pragma once

#include <functional>
#include <memory>
#include <string>

#include "checker/generator/generator.h"
#include "checker/plugin/library.h"

namespace cmc::plugin {

// Why there can be no plug-in for a model; empty: there can.
[[nodiscard]] std::string obstacle(const Model& model);

struct Checks {
  bool all = false;  // every answer of the plug-in is compared
  // Called with a text at the first difference. Must not return.
  std::function<void(const std::string&)> report;
};

// A generator whose process_successors() are the plug-in's, without steps; all else, and what the plug-in leaves to
// CMC, is that of `own`, which hands out whole atomic sequences (spin_steps.h). successors() compares the two: the
// path of a counterexample goes through it. With checks.all every call does, and hands out the steps of `own`.
// REQUIRES: obstacle(model) is empty; `plugin` is of this model.
[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_plugin_generator(const Model& model,
                                                                        std::shared_ptr<const Library> plugin,
                                                                        std::unique_ptr<SuccessorGenerator> own,
                                                                        Checks checks);

}  // namespace cmc::plugin
