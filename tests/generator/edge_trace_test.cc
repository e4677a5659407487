#include "checker/generator/edge_trace.h"

#include <chrono>
#include <thread>
#include <vector>

#include "base/fine_clock.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/vm/generator.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

void spend(int64_t nanoseconds) {
  const int64_t end = fine_nanoseconds() + nanoseconds;
  while (fine_nanoseconds() < end) {
  }
}

TEST_CASE("edge trace: tries count until they are cleared, and times stay") {
  EdgeTrace trace(3);
  for (int i = 0; i < 1000; ++i) {
    trace.begin(2);
    trace.end(i % 2 == 0);
  }
  trace.begin(0);
  trace.end(false);
  CHECK(std::vector<uint32_t>(trace.tried().begin(), trace.tried().end()) == std::vector<uint32_t>{2, 0});
  CHECK(trace.count(2).tried == 1000);
  CHECK(trace.count(2).executable == 500);
  CHECK(trace.count(1).tried == 0);
  trace.clear();
  CHECK(trace.tried().empty());
  CHECK(trace.count(2).tried == 0);
  CHECK(trace.times()[2].tried == 1000);
}

TEST_CASE("edge trace: selection and execution are timed apart, and without what is inside") {
  EdgeTrace trace(2);
  const Bytes before(10);
  Bytes after(12);
  after[3] = std::byte{1};
  trace.begin(0);
  spend(100'000);
  trace.begin(1);  // asked by the first one, as a receiver is
  spend(2'000'000);
  trace.selected();
  spend(1'000'000);
  trace.executed(before, after);
  trace.end(true);
  trace.selected();
  spend(300'000);
  trace.end(true);
  trace.clear();
  const EdgeTrace::Times& outer = trace.times()[0];
  const EdgeTrace::Times& inner = trace.times()[1];
  CHECK(inner.tried == 1);
  CHECK(trace.spans().size() == 2);
  // The system may interrupt the test: then a time is not kept.
  if (inner.interrupted == 0) {
    CHECK(inner.selection > 1'990'000);
    CHECK(inner.execution > 990'000);
    CHECK(inner.executing == 1);
  } else {
    CHECK(inner.interruption > 2'980'000);
    CHECK(inner.selection + inner.execution == 0);
  }
  if (outer.interrupted == 0) {
    CHECK(outer.selection > 99'000);
    CHECK(outer.execution > 299'000);
    if (inner.interrupted == 0) CHECK(outer.selection < inner.selection);
  }
  CHECK(inner.copied_bytes == 12);
  CHECK(inner.changed_bytes == 3);
}

TEST_CASE("edge trace: a long try during which the thread waits has no time") {
  EdgeTrace trace(1);
  trace.begin(0);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  trace.end(true);
  const EdgeTrace::Times& times = trace.times()[0];
  CHECK(times.tried == 1);
  CHECK(times.interrupted == 1);
  CHECK(times.selection == 0);
  CHECK(times.interruption > 1'900'000);
  CHECK(trace.lost_nanoseconds() >= times.interruption);
}

TEST_CASE("edge trace: a generator tells which edges it tries") {
  const Model model = compile_text(
      "chan c = [0] of { byte }; byte x;\n"
      "active proctype Sender() { if :: x == 1 -> skip :: c!1 :: else -> skip fi }\n"
      "active proctype Receiver() { c?x }\n");
  const auto generator = close_atomic_chains(make_vm_generator(model), model);
  EdgeTrace trace(64);
  generator->watch(&trace);
  SuccessorBatch batch;
  generator->initial(batch);
  const ByteView initial = batch.state(batch.entries.front());
  const Bytes state(initial.begin(), initial.end());
  batch.clear();
  CHECK(generator->process_successors(state, 0, false, nullptr, batch));
  uint32_t tried = 0;
  uint32_t executable = 0;
  for (const uint32_t edge : trace.tried()) {
    tried += trace.count(edge).tried;
    executable += trace.count(edge).executable;
  }
  // The three of the sender, and the receive that is asked; the offer and the receive are taken.
  CHECK(tried == 4);
  CHECK(executable == 2);
  trace.clear();
  generator->watch(nullptr);
  batch.clear();
  CHECK(generator->process_successors(state, 0, false, nullptr, batch));
  CHECK(trace.tried().empty());
}

}  // namespace
}  // namespace cmc::test
