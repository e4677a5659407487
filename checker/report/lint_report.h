#pragma once

#include <string>

#include "checker/guards/lint.h"
#include "ir/model.h"

namespace cmc {

// cmc.lint/1 (README.md).
[[nodiscard]] std::string lint_json(const guards::LintResult& result, const Model& model, const std::string& file,
                                    const std::string& sha1);

}  // namespace cmc
