#include "solver-bridge/protocol/payload.h"

namespace cmc::solver {

namespace {

void write_names(PayloadWriter& to, const std::vector<std::string>& names) {
  to.u32(static_cast<uint32_t>(names.size()));
  for (const std::string& name : names) to.string(name);
}

std::vector<std::string> read_names(PayloadReader& from) {
  std::vector<std::string> names(from.count(sizeof(uint32_t)));
  for (std::string& name : names) name = from.string();
  return names;
}

// A value of an enumeration whose members are first..last without a gap.
template <class Enum>
Enum read_enum(PayloadReader& from, Enum first, Enum last) {
  const uint8_t value = from.u8();
  if (value >= static_cast<uint8_t>(first) && value <= static_cast<uint8_t>(last)) return static_cast<Enum>(value);
  from.fail();
  return first;
}

bool read_bool(PayloadReader& from) {
  const uint8_t value = from.u8();
  if (value > 1) from.fail();
  return value == 1;
}

}  // namespace

void PayloadWriter::string(std::string_view text) {
  u32(static_cast<uint32_t>(text.size()));
  raw(std::as_bytes(std::span(text)));
}

std::string PayloadReader::string() {
  const uint32_t size = count(1);
  std::string text(reinterpret_cast<const char*>(rest_.data()), size);
  rest_ = rest_.subspan(size);
  return text;
}

uint32_t PayloadReader::count(size_t element_bytes) {
  const uint32_t number = u32();
  if (!failed_ && number <= rest_.size() / element_bytes) return number;
  failed_ = true;
  return 0;
}

void write(PayloadWriter& to, const Constraint& constraint) {
  write_names(to, constraint.parameters());
  write_names(to, constraint.targets());
  to.string(constraint.text());
}

Constraint read_constraint(PayloadReader& from) {
  std::vector<std::string> parameters = read_names(from);
  std::vector<std::string> targets = read_names(from);
  return Constraint(std::move(parameters), std::move(targets), from.string());
}

void write(PayloadWriter& to, const SolveRequest& request) {
  const Question& question = request.question;
  to.string(request.constraint_key);
  to.u8(static_cast<uint8_t>(question.goal));
  to.u8(request.cold ? 1 : 0);
  to.u32(request.rlimit);
  to.u32(question.max_witnesses);
  to.u32(static_cast<uint32_t>(question.parameters.size()));
  for (const int32_t value : question.parameters) to.i32(value);
  to.u32(static_cast<uint32_t>(question.ranges.size()));
  for (const Range& range : question.ranges) {
    to.i32(range.low);
    to.i32(range.high);
  }
}

SolveRequest read_solve_request(PayloadReader& from) {
  SolveRequest request;
  Question& question = request.question;
  request.constraint_key = from.string();
  question.goal = read_enum(from, Goal::kExists, Goal::kLeast);
  request.cold = read_bool(from);
  request.rlimit = from.u32();
  question.max_witnesses = from.u32();
  question.parameters.resize(from.count(sizeof(int32_t)));
  for (int32_t& value : question.parameters) value = from.i32();
  question.ranges.resize(from.count(2 * sizeof(int32_t)));
  for (Range& range : question.ranges) {
    range.low = from.i32();
    range.high = from.i32();
  }
  return request;
}

void write(PayloadWriter& to, const Answer& answer) {
  to.u8(static_cast<uint8_t>(answer.outcome));
  to.u8(static_cast<uint8_t>(answer.from));
  to.u8(answer.more ? 1 : 0);
  to.string(answer.reason);
  to.u32(static_cast<uint32_t>(answer.witnesses.size()));
  for (const Tuple& tuple : answer.witnesses) {
    to.u32(static_cast<uint32_t>(tuple.size()));
    for (const int32_t value : tuple) to.i32(value);
  }
}

Answer read_answer(PayloadReader& from) {
  Answer answer;
  answer.outcome = read_enum(from, Outcome::kUnknown, Outcome::kSat);
  answer.from = read_enum(from, Source::kNobody, Source::kColdSolver);
  answer.more = read_bool(from);
  answer.reason = from.string();
  answer.witnesses.resize(from.count(sizeof(uint32_t)));
  for (Tuple& tuple : answer.witnesses) {
    tuple.resize(from.count(sizeof(int32_t)));
    for (int32_t& value : tuple) value = from.i32();
  }
  return answer;
}

}  // namespace cmc::solver
