#include "checker/audit/model_text.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "ir/scratch.h"
#include "promela/compile.h"

namespace cmc::audit {
namespace {

struct Arguments {
  promela::CompileOptions compile;
  Overflow overflow = Overflow::kShown;
};

// Words are "-DN=3", "-E", "--steps=spin". Those that are not named here say how the search went, which is no part of
// the claim.
Verdict read_arguments(const std::vector<std::string>& words, Arguments& arguments, Task& task) {
  auto& preprocessor = arguments.compile.preprocessor;
  for (const std::string& word : words) {
    const bool is_long = word.starts_with("--");
    const size_t end = std::min(is_long ? word.find('=') : 2, word.size());
    const std::string name = word.substr(0, end);
    const std::string value = word.substr(std::min(end + (is_long ? 1 : 0), word.size()));
    const auto only = [&](std::string_view allowed) {
      return bad_input(fmt::format("only searches with {}={} have certificates, not {}", name, allowed, word));
    };
    if (name == "-D" || name == "-U") {
      preprocessor.commands.push_back({name == "-U", value});
    } else if (name == "--promela-s") {
      preprocessor.commands.push_back({false, "PROMELA_S=1"});
    } else if (name == "-I") {
      preprocessor.include_directories.push_back(value);
    } else if (name == "-J") {
      arguments.compile.escapes_like_java = true;
    } else if (name == "--ltl") {
      arguments.compile.formulas.push_back({"", value});
    } else if (name == "--no-end-states") {
      task.checks_end_states = false;
    } else if (name == "--steps") {
      task.steps = value == "statement" ? ReferenceSteps::kStatement : ReferenceSteps::kSpin;
      if (value != "spin" && value != "statement") return only("spin or statement");
    } else if (name == "--overflow") {
      const std::optional<Overflow> overflow = value_in(kOverflowNames, value);
      if (!overflow) return only("error, warn or off");
      arguments.overflow = *overflow;
    } else if (name == "--property" && value != "safety" && value != "safety-safety") {
      return only("safety");
    } else if (name == "--reductions" && value != "none") {
      return only("none");
    }
  }
  return std::nullopt;
}

// Of a file of `sources`; its texts are those that were read for it.
Verdict compile(promela::Sources& sources, const std::string& file, const Certificate& certificate, Task& task) {
  Arguments arguments;
  if (Verdict refusal = read_arguments(certificate.arguments, arguments, task)) return refusal;
  const Result<uint32_t> main = sources.load(file);
  if (!main.ok()) return bad_input(main.error());
  promela::Diagnostics diagnostics(sources);
  std::optional<Model> model = promela::compile(sources, main.value(), arguments.compile, diagnostics);
  if (!model) return bad_input(fmt::format("the model '{}' has errors:\n{}", file, diagnostics.render(false)));
  model->overflow = arguments.overflow;
  task.model = std::move(*model);
  for (uint32_t i = 0; i < sources.file_count(); ++i) {
    const bool is_file = i == main.value() || !sources.name(i).starts_with('<');  // not the text of -D
    if (is_file) task.texts.emplace_back(sources.name(i), sources.text(i));
  }
  return std::nullopt;
}

}  // namespace

Verdict compile(const Certificate& certificate, Task& task) {
  promela::Sources sources;
  for (const auto& [name, text] : certificate.texts) sources.provide(name, text);
  if (Verdict refusal = compile(sources, certificate.model, certificate, task)) return refusal;
  if (depends_on_hidden(task.model, false))
    return bad_input(
        "the model reads hidden variables that another statement may have written, whose values no certificate has");
  return std::nullopt;
}

Verdict compare_with_file(const Certificate& certificate, const Task& task, const std::string& model) {
  promela::Sources sources;
  Task of_file;
  if (Verdict refusal = compile(sources, model, certificate, of_file)) return refusal;
  const auto text = [](const auto& file) -> const std::string& { return file.second; };
  const auto [there, here] = std::ranges::mismatch(of_file.texts, task.texts, {}, text, text);
  if (there == of_file.texts.end() && here == task.texts.end()) return std::nullopt;
  const std::string& name = there != of_file.texts.end() ? there->first : here->first;
  return refused("A", fmt::format("the certificate is not of the model '{}'{}", model,
                                  name == model ? "" : fmt::format(": '{}' has another text", name)));
}

}  // namespace cmc::audit
