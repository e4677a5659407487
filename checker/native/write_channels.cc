#include <algorithm>

#include <fmt/format.h>

#include "checker/native/writer.h"

namespace cmc::native {

namespace {

// The elements of an array that is a field of a message are operands of their own. Compilers take a long time for
// thousands of statements, so as many as that are one loop.
constexpr size_t kFewestInLoop = 8;

// Whether `next` is the scalar behind `number` others of the type of `first`, which is the first one of them.
bool follows(const VariableReference& first, const VariableReference& next, size_t number) {
  return next.indices.empty() && next.space == first.space && next.type.bits == first.type.bits &&
         next.type.bytes == first.type.bytes && next.type.is_signed() == first.type.is_signed() &&
         next.offset == first.offset + number * first.type.bytes;
}

// How many of the values from `begin` on, which `variable` gives the references of (null: another kind of value), lie
// one behind the other. At least 1.
template <class Variable>
size_t count_of_run(size_t begin, size_t end, Variable&& variable) {
  const VariableReference* const first = variable(begin);
  if (first == nullptr || !first->indices.empty()) return 1;
  size_t count = 1;
  while (begin + count < end && variable(begin + count) != nullptr &&
         follows(*first, *variable(begin + count), count))
    ++count;
  return count;
}

}  // namespace

// Begins a loop over `count` scalars from `first` on; `number` becomes the C variable that counts them, and the
// address of the one at hand is returned.
std::string Writer::begin_run(const VariableReference& first, size_t count, std::string& number) {
  number = fresh("k");
  const std::string address = place(first);
  begin_conditional(fmt::format("for (uint32_t {0} = 0; {0} < {1}; ++{0})", number, count));
  return first.type.bytes == 1 ? fmt::format("{} + {}", address, number)
                               : fmt::format("{} + {} * {}u", address, number, first.type.bytes);
}

// Declares a struct Channel, the one with this id; an error if there is none. Returns its name.
std::string Writer::find_channel(const std::string& id) {
  const std::string channel = fresh("q");
  ++faults_;
  line(fmt::format("struct Channel {};", channel));
  if (quiet_) line(fmt::format("if (UNLIKELY(!is_channel(call, {}))) return CMC_EXECUTABLE;", id));
  line(fmt::format("if (find_channel(HERE, {}, &{}) == CMC_FAULT) return CMC_FAULT;", id, channel));
  return channel;
}

Writer::Value Writer::of_channel(const Expression& e) {
  const std::string id = in_variable(value(e.operands[0])).text;
  const std::string channel = find_channel(id);
  switch (e.op) {
    case Operator::kLength: return {fmt::format("(int32_t)length(&{})", channel), 0, UINT16_MAX, 1};
    case Operator::kFull: return {fmt::format("is_full(&{})", channel), 0, 1, 1};
    case Operator::kNotFull: return {fmt::format("(!is_full(&{}))", channel), 0, 1, 1};
    case Operator::kEmpty: return {fmt::format("(length(&{}) == 0)", channel), 0, 1, 1};
    default: return {fmt::format("(length(&{}) != 0)", channel), 0, 1, 1};
  }
}

// Leaves by `mismatch` unless the message in this slot has the values that the arguments ask for. `known`: by
// argument, those that are evaluated already.
void Writer::match(const std::vector<ReceiveArgument>& arguments, const std::vector<Value>& known, const Slot& slot,
                   const std::string& mismatch) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].is_match()) continue;
    const bool evaluated = i < known.size() && !known[i].text.empty();
    const Value wanted = evaluated ? known[i] : value(arguments[i].match);
    line(fmt::format("if (field_of(call, &{}, {}, {}) != {}) {}", slot.channel, slot.number, i, wanted.text,
                     mismatch));
  }
}

// Declares a variable with the number of the first slot whose message matches and returns its name; leaves by
// `otherwise` if there is none.
std::string Writer::find_slot(const std::vector<ReceiveArgument>& arguments, const std::string& channel,
                              const std::string& otherwise) {
  std::vector<Value> known(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {  // an error counts even if no slot comes to this argument
    if (arguments[i].is_match() && !cannot_fail(arguments[i].match))
      known[i] = in_variable(value(arguments[i].match));
  }
  const std::string slot = fresh("s");
  line(fmt::format("uint32_t {} = 0;", slot));
  begin_conditional(fmt::format("for (; has_slot(&{}, {}); ++{})", channel, slot, slot));
  match(arguments, known, {channel, slot}, "continue;");
  line("break;");
  end_conditional();
  line(fmt::format("if (!has_slot(&{}, {})) {}", channel, slot, otherwise));
  return slot;
}

// Leaves by `otherwise` unless the channel, in the variables `channel` and `id`, has a message that the receive
// takes; `slot`: the C expression of its number.
void Writer::seek_message(const Receive& receive, const std::string& otherwise, const std::string& channel,
                          const std::string& id, std::string& slot) {
  if (receive.poll) {
    fail_if(fmt::format("{}.type->capacity == 0", channel), "CMC_RENDEZVOUS_POLLED", "0");
    line(fmt::format("if (length(&{}) == 0) {}", channel, otherwise));
  } else {
    line(fmt::format("if (!has_message(call, &{}, {})) {}", channel, id, otherwise));
  }
  slot = "0";
  if (receive.random) {
    slot = find_slot(receive.arguments, channel, otherwise);
  } else {
    match(receive.arguments, {}, {channel, slot}, otherwise);
  }
}

// Whether there is such a message. `numbered`: then its number, from 1.
Writer::Value Writer::receivable(const Receive& receive, bool numbered) {
  const std::string result = fresh("t");
  line(fmt::format("int32_t {} = 0;", result));
  begin_conditional("do");
  const std::string id = in_variable(value(receive.channel)).text;
  const std::string channel = find_channel(id);
  std::string slot;
  seek_message(receive, "break;", channel, id, slot);
  line(numbered ? fmt::format("{} = (int32_t){} + 1;", result, slot) : fmt::format("{} = 1;", result));
  end_conditional(" while (0);");
  return {result, 0, numbered ? UINT16_MAX + 1 : 1};
}

void Writer::test_receive(const Statement& statement) {
  const std::string id = in_variable(value(statement.channel)).text;
  const std::string channel = find_channel(id);
  std::string slot;
  seek_message({statement.channel, statement.arguments, statement.flag, statement.poll}, "return CMC_BLOCKED;",
               channel, id, slot);
  line(fmt::format("return {}.type->capacity == 0 ? CMC_RENDEZVOUS : CMC_EXECUTABLE;", channel));
}

// Each argument is stored before the next one is looked at: it may be an index of that.
void Writer::receive(const Statement& statement) {
  const std::string id = in_variable(value(statement.channel)).text;
  const std::string channel = find_channel(id);
  ++faults_;
  line(fmt::format("{}(call, &{}, {});", statement.poll ? "check_polled" : "check_fields", channel,
                   statement.arguments.size()));
  const std::string slot = statement.flag ? find_slot(statement.arguments, channel, "return CMC_BLOCKED;") : "0";
  const auto stored = [&](size_t number) {
    const ReceiveArgument& argument = statement.arguments[number];
    return argument.kind == ReceiveArgument::Kind::kStore ? &argument.store : nullptr;
  };
  for (size_t i = 0, run = 1; i < statement.arguments.size(); i += run) {
    run = count_of_run(i, statement.arguments.size(), stored);
    if (stored(i) == nullptr) continue;
    const VariableReference& target = *stored(i);
    const auto field = [&](const std::string& number) {
      return in_variable({fmt::format("field_of(call, &{}, {}, {})", channel, slot, number)});
    };
    if (run >= kFewestInLoop) {
      std::string number;
      const std::string address = begin_run(target, run, number);
      store(target.type, address, field(fmt::format("{} + {}", i, number)));
      end_conditional();
    } else {
      run = 1;
      const Value value = field(std::to_string(i));
      store(target.type, place(target), value);
    }
  }
  if (!statement.poll) line(fmt::format("if ({0}.type->capacity != 0) remove_message(&{0}, {1});", channel, slot));
}

// Declares an array with the values of a send and returns its name; `channel` and `id` become those of the channel.
std::string Writer::compose(const Statement& statement, std::string& channel, std::string& id) {
  id = in_variable(value(statement.channel)).text;
  channel = find_channel(id);
  const size_t count = statement.operands.size();
  ++faults_;
  line(fmt::format("check_fields(call, &{}, {});", channel, count));
  const std::string values = fresh("m");
  line(fmt::format("int32_t {}[{}];", values, std::max<size_t>(count, 1)));
  const auto read = [&](size_t number) {
    const Expression& operand = model_.expressions[statement.operands[number]];
    return operand.op == Operator::kVariable ? &operand.reference : nullptr;
  };
  for (size_t i = 0, run = 1; i < count; i += run) {
    run = count_of_run(i, count, read);
    if (run >= kFewestInLoop) {
      std::string number;
      const std::string address = begin_run(*read(i), run, number);
      line(fmt::format("{}[{} + {}] = {};", values, i, number, bare(load(read(i)->type, address).text)));
      end_conditional();
    } else {
      run = 1;
      line(fmt::format("{}[{}] = {};", values, i, bare(value(statement.operands[i]).text)));
    }
  }
  return values;
}

void Writer::send(const Statement& statement) {
  std::string channel;
  std::string id;
  const std::string values = compose(statement, channel, id);
  const size_t count = statement.operands.size();
  const std::string slot = statement.flag ? fmt::format("sorted_slot(call, &{}, {}, {})", channel, values, count)
                                          : fmt::format("length(&{})", channel);
  line(fmt::format("insert_message(&{}, {}, {}, {});", channel, slot, values, count));
}

void Writer::message(const Statement& statement) {
  std::string channel;
  std::string id;
  const std::string values = compose(statement, channel, id);
  line(fmt::format("offer_message(call, &{}, {}, {}, {});", channel, id, values, statement.operands.size()));
  line("return CMC_EXECUTABLE;");
}

}  // namespace cmc::native
