#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/random/random_model.h"

// random_model [--seed N] [--profile NAME]: prints a random model.

int main(int argc, char** argv) {
  uint64_t seed = 1;
  std::string profile = "everything";
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::string(argv[i]) == "--profile") profile = argv[i + 1];
  }
  const cmc::random::Profile* found = cmc::random::find_profile(profile);
  if (found == nullptr) {
    std::fprintf(stderr, "no such profile; there are:");
    for (const cmc::random::Profile& known : cmc::random::profiles()) std::fprintf(stderr, " %s", known.name.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  std::fputs(cmc::random::random_model(seed, *found).c_str(), stdout);
}
