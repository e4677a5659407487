#include "checker/guards/guard_encoding.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/check.h"
#include "checker/guards/term_writer.h"

namespace cmc::guards {

namespace {

std::string target_name(size_t number) { return fmt::format("t{}", number); }
std::string value_name(size_t number) { return fmt::format("p{}", number); }
std::string defined_name(size_t number) { return fmt::format("p{}.defined", number); }

class GuardSymbols final : public Symbols {
 public:
  GuardSymbols(const Model& model, const std::vector<bool>& may_fail) : model_(model), may_fail_(may_fail) {}

  std::optional<Term> symbol(ExpressionId id, uint32_t offset) override {
    switch (model_.expressions[id].op) {
      case Operator::kTarget: return Term{target_name(offset)};
      case Operator::kParameter:
        return Term{value_name(offset), false, may_fail_[offset] ? defined(offset) : std::string("true")};
      default: return std::nullopt;
    }
  }

 private:
  static std::string defined(size_t number) { return fmt::format("(= {} #x00000001)", defined_name(number)); }

  const Model& model_;
  const std::vector<bool>& may_fail_;
};

// For whoever reads a query: a comment.
std::string legend(const SolverGuard& guard) {
  std::string text = "; " + guard.text;
  for (size_t i = 0; i < guard.targets.size(); ++i)
    text += fmt::format(", {}: {}", target_name(i), guard.targets[i].name);
  std::ranges::replace(text, '\n', ' ');
  return text + '\n';
}

}  // namespace

Result<GuardEncoding> GuardEncoding::make(const Model& model, const SolverGuard& guard) {
  GuardEncoding encoding;
  std::vector<std::string> parameters;
  for (size_t i = 0; i < guard.parameters.size(); ++i) {
    encoding.may_fail_.push_back(may_fail(model, guard.parameters[i]));
    parameters.push_back(value_name(i));
    if (encoding.may_fail_[i]) parameters.push_back(defined_name(i));
  }
  std::vector<std::string> targets;
  for (size_t i = 0; i < guard.targets.size(); ++i) targets.push_back(target_name(i));

  GuardSymbols symbols(model, encoding.may_fail_);
  TermWriter writer(model, symbols);
  CMC_TRY(const Term condition, writer.write(guard.condition));
  const std::string definitions = legend(guard) + writer.definitions();
  const auto constraint = [&](const std::string& formula) {
    return std::make_shared<const solver::Constraint>(parameters, targets,
                                                      definitions + fmt::format("(assert {})", formula));
  };
  const std::string& defined = condition.defined;
  encoding.witness_ = constraint(all_of({defined, condition.truth()}));
  if (defined != "true") encoding.undefined_ = constraint(fmt::format("(not {})", defined));
  return encoding;
}

std::vector<int32_t> GuardEncoding::pack(std::span<const ParameterValue> values) const {
  CHECK(values.size() == may_fail_.size());
  std::vector<int32_t> packed;
  for (size_t i = 0; i < values.size(); ++i) {
    packed.push_back(values[i].defined ? values[i].value : 0);
    if (may_fail_[i]) packed.push_back(values[i].defined ? 1 : 0);
  }
  return packed;
}

std::vector<ParameterValue> GuardEncoding::unpack(std::span<const int32_t> packed) const {
  std::vector<ParameterValue> values;
  size_t next = 0;
  for (const bool may_fail : may_fail_) {
    ParameterValue& value = values.emplace_back();
    value.value = packed[next++];
    if (may_fail) value.defined = packed[next++] != 0;
  }
  CHECK(next == packed.size());
  return values;
}

}  // namespace cmc::guards
