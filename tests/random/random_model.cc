#include "tests/random/random_model.h"

#include "tests/random/model_writer.h"

namespace cmc::random {

std::string random_model(uint64_t seed, const Profile& profile) { return ModelWriter(seed, profile).write(); }

}  // namespace cmc::random
