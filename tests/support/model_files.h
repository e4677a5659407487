#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

// The models in models/ and tests/spin/cases, with what their expect: lines say (models/README.md has the grammar).
// Lines for which a solver is needed are left out.

namespace cmc::test {

struct ModelRun {
  std::filesystem::path file;
  std::vector<std::string> defines;
  uint64_t states = 0;  // 0: not said
  std::string steps = "spin";
  bool slow = false;

  [[nodiscard]] std::string name() const {
    std::string text = file.filename().string();
    for (const std::string& define : defines) text += " -D" + define;
    return text;
  }
};

inline std::vector<ModelRun> model_runs() {
  std::vector<ModelRun> runs;
  for (const char* folder : {"/models", "/tests/spin/cases"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(CMC_SOURCE_DIR) + folder)) {
      if (entry.path().extension() != ".pml") continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        const size_t at = line.find("expect:");
        if (at == std::string::npos || line.find(" solver ") != std::string::npos) continue;
        ModelRun& run = runs.emplace_back();
        run.file = entry.path();
        std::istringstream words(line.substr(at));
        for (std::string word; words >> word;) {
          if (word.starts_with("-D")) run.defines.push_back(word.substr(2));
          if (word.starts_with("states=")) run.states = std::stoull(word.substr(7));
          if (word.starts_with("steps=")) run.steps = word.substr(6);
          run.slow = run.slow || word == "slow";
        }
      }
    }
  }
  std::sort(runs.begin(), runs.end(), [](const ModelRun& a, const ModelRun& b) { return a.name() < b.name(); });
  return runs;
}

}  // namespace cmc::test
