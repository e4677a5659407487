#include "tests/random/random_model.h"

#include "tests/random/model_writer.h"

namespace cmc::random {

std::string random_model(uint64_t seed, const Profile& profile, RandomProperty property) {
  Profile adapted = profile;
  if (property != RandomProperty::kIrrelevant) {
    adapted.label += 15;
    adapted.unsigned_type = 0;                                        // SPIN's verifier matches states that differ
    if (property == RandomProperty::kFormula) adapted.assertion = 0;  // its claims have assertions of their own
  }
  return ModelWriter(seed, adapted).write(property);
}

}  // namespace cmc::random
