#include "checker/report/progress.h"

#include <cstdio>
#include <memory>

#include "tests/report/run.h"

#include "tests/catch.h"

namespace cmc {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using Stream = std::unique_ptr<std::FILE, Closer>;

Progress at(double seconds, uint64_t states, uint64_t pages_read = 0) {
  Progress progress;
  progress.elapsed_seconds = seconds;
  progress.states = states;
  progress.pages_written = pages_read;
  progress.pages_read = pages_read;
  return progress;
}

std::string content(std::FILE* file) {
  std::string text(static_cast<size_t>(std::ftell(file)), ' ');
  std::rewind(file);
  REQUIRE(std::fread(text.data(), 1, text.size(), file) == text.size());
  return text;
}

TEST_CASE("the rate of a search that begins again is negative") {
  const Stream file(std::tmpfile());
  REQUIRE(file != nullptr);
  {
    ProgressLine line(file.get(), true, 200);
    line.on_progress(at(2, 1'000'000, 500));
    line.on_progress(at(4, 100'000, 40));
  }
  const std::string text = content(file.get());
  CHECK(contains(text, "1,000,000 states, 500,000 states/s"));
  CHECK(contains(text, "100,000 states, 50,000 states/s"));
  CHECK(contains(text, "40 read (20/s)"));
}

TEST_CASE("a progress line that cannot be written is an error") {
  const Stream file(std::fopen("/dev/full", "w"));
  if (file == nullptr) return;
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  ProgressLine line(file.get(), true, 80);
  CHECK_NOTHROW(line.on_progress(at(1, 1)));
  CHECK_NOTHROW(line.erase());
}

}  // namespace
}  // namespace cmc
