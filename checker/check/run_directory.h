#pragma once

#include <span>

#include "base/result.h"
#include "checker/check/model_file.h"
#include "checker/check/observer.h"
#include "checker/check/request.h"
#include "checker/properties/properties.h"

namespace cmc {

// Makes the directory that request.saving names, or looks whether the one that the search goes on with is of this
// model, as this CMC understands it. Error: there can be no checkpoints of this check.
[[nodiscard]] Status open_run(CheckRequest& request, const LoadedModel& loaded,
                              std::span<const PropertyEntry> entries, CheckObserver& observer);

}  // namespace cmc
