// Checks a model, prints the counterexample, and walks the first steps of a run: example MODEL [OPTION...]

#include <cstdio>
#include <string>
#include <vector>

#include <cmc/cmc.h>

namespace {

namespace api = cmc::api;

const char* name_of(api::Verdict verdict) {
  switch (verdict) {
    case api::Verdict::kHolds: return "holds";
    case api::Verdict::kViolated: return "violated";
    case api::Verdict::kIncomplete: break;
  }
  return "incomplete";
}

void print(const api::Step& step) {
  const api::Action& action = step.action;
  std::printf("  %s[%u] %s:%u %s\n", action.process.c_str(), action.pid, action.place.file.c_str(), action.place.line,
              action.statement.c_str());
}

int fail(const std::string& message) {
  std::fprintf(stderr, "example: %s\n", message.c_str());
  return 2;
}

// Always takes the first choice.
int walk(const api::Model& model, int steps) {
  api::Result<api::Session> started = model.start();
  if (!started.ok()) return fail(started.error());
  api::Session run = std::move(started.value());
  while (steps-- > 0 && !run.choices().empty()) {
    print(run.choices().front());
    if (const auto taken = run.take(0); !taken.ok()) return fail(taken.error());
  }
  for (const api::Value& value : run.values()) std::printf("  %s = %s\n", value.name.c_str(), value.text.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return fail("which model?");
  const std::vector<std::string> options(argv + 2, argv + argc);
  const api::Result<api::Model> model = api::Model::load(argv[1], options);
  if (!model.ok()) return fail(model.error());

  const api::Result<api::CheckResult> checked = model.value().check({"--search=bfs", "--time=1m"});
  if (!checked.ok()) return fail(checked.error());
  const api::CheckResult& result = checked.value();
  std::printf("%s, %llu states\n", name_of(result.verdict), static_cast<unsigned long long>(result.states));
  for (const std::string& reason : result.reasons) std::printf("  because %s\n", reason.c_str());
  for (const api::Violation& violation : result.violations) {
    std::printf("%s: %s\n", violation.property.c_str(), violation.message.c_str());
    for (const api::Step& step : violation.trace) print(step);
  }
  std::printf("one run:\n");
  return walk(model.value(), 5);
}
