#include "checker/audit/audit.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "checker/audit/certificate.h"
#include "tests/audit/made_certificate.h"
#include "tests/support/temporary_folder.h"

#include "tests/catch.h"

using namespace cmc;
using test::MadeCertificate;

namespace {

constexpr const char* kPeterson = R"(
bool flag[2]; byte turn; byte ncrit;
active [2] proctype user() {
  assert(_pid == 0 || _pid == 1);
again:
  flag[_pid] = 1;
  turn = _pid;
  (flag[1 - _pid] == 0 || turn == 1 - _pid);
  ncrit++;
  assert(ncrit == 1);
  ncrit--;
  flag[_pid] = 0;
  goto again
})";

// Processes that come and go, messages, a rendezvous, atomic sequences, a hidden variable.
constexpr const char* kLively = R"(
chan q = [2] of { byte, bool };
chan done = [0] of { byte };
hidden byte trash;
#ifdef LARGE
byte count[3];
#endif
proctype worker(byte n) {
  chan own = [1] of { byte };
  own!n;
  atomic { own?n; q!n, 1; trash = n };
  done!n
}
init {
  byte n;
  do
  :: n < 3 -> atomic { run worker(n); n++ }
#ifdef LARGE
     ; count[n - 1] = n
#endif
  :: n > 0 -> q?_, _; done?_
  :: n == 3 && _nr_pr == 1 -> break
  :: n == 3 && timeout -> n = 0
  od
})";

std::string letter_of(const std::string& folder, audit::Options options = {}, audit::Findings* found = nullptr) {
  audit::Certificate certificate;
  audit::Task task;
  audit::Findings findings;
  audit::Verdict verdict = audit::read_certificate(folder, certificate);
  if (!verdict) verdict = audit::compile(certificate, task);
  if (!verdict) verdict = audit::audit(task, certificate, options, findings);
  if (found != nullptr) *found = findings;
  if (!verdict) return "certified";
  INFO(verdict->text);
  CHECK_FALSE(verdict->text.empty());
  if (verdict->kind == audit::Refusal::Kind::kIncomplete) return "incomplete";
  return verdict->kind == audit::Refusal::Kind::kBadInput ? "bad" : verdict->letter;
}

std::string letter_of(const MadeCertificate& made, audit::Options options = {}, audit::Findings* found = nullptr) {
  const test::TemporaryFolder folder;
  made.write(folder.path());
  return letter_of(folder.path(), options, found);
}

// Workers may end in any order, which is an invalid end state for those that wait.
MadeCertificate certificate_of(const char* text) {
  MadeCertificate made = test::make_certificate(text);
  if (text == kLively) made.arguments.emplace_back("--no-end-states");
  return made;
}

audit::Options sliced(uint32_t threads = 1) {
  audit::Options options;
  options.threads = threads;
  options.slice_keys = 50;
  return options;
}

}  // namespace

TEST_CASE("audit: what holds is certified, with all that is claimed") {
  for (const char* const text : {kPeterson, kLively}) {
    for (const unsigned words : {1u, 2u, 4u, 16u}) {
      MadeCertificate made = certificate_of(text);
      made.words = words;
      made.files = words;
      made.keys_in_block = 1 + 37 * words;
      for (const uint32_t threads : {1u, 3u}) {
        audit::Options options;
        options.threads = threads;
        audit::Findings findings;
        CHECK(letter_of(made, options, &findings) == "certified");
        CHECK(findings.states == made.states.size());
        CHECK(findings.all_reachable);
        CHECK(letter_of(made, sliced(threads), &findings) == "certified");
        CHECK(findings.transitions == made.transitions);
        CHECK_FALSE(findings.all_reachable);
      }
    }
  }
}

TEST_CASE("audit: components may have room in keys, and be in no state") {
  MadeCertificate made = certificate_of(kLively);
  made.words = 4;
  made.spare_bits = 2;
  made.contents.emplace_back();
  for (auto& state : made.states) state.push_back(0);
  CHECK(letter_of(made) == "certified");
  made.states.push_back(made.states.back());
  made.states.back().back() = 1;
  CHECK(letter_of(made) == "C4");
  CHECK(letter_of(made, sliced()) == "A");
}

TEST_CASE("audit: a sample says that it is one") {
  audit::Options options;
  options.sample = 20;
  audit::Findings findings;
  CHECK(letter_of(certificate_of(kLively), options, &findings) == "certified");
  CHECK(findings.transitions > 0);
  CHECK(findings.transitions < 200);
}

TEST_CASE("audit: what is wrong is refused with its letter") {
  for (const char* const text : {kPeterson, kLively}) {
    const MadeCertificate whole = certificate_of(text);
    for (const audit::Options& options : {audit::Options(), sliced(), sliced(2)}) {
      MadeCertificate made = whole;
      made.states.erase(made.states.begin());
      CHECK(letter_of(made, options) == "C1");
      for (const size_t removed : {size_t{1}, whole.states.size() / 2, whole.states.size() - 1}) {
        made = whole;
        made.states.erase(made.states.begin() + static_cast<ptrdiff_t>(removed));
        CHECK(letter_of(made, options) == "C2");
      }
      made = whole;
      made.transitions++;
      CHECK(letter_of(made, options) == "E");
      // Two numbers for one content: one state could have two keys.
      made = whole;
      made.contents.back().push_back(made.contents.back().front());
      CHECK(letter_of(made, options) == "B");
      // Contents that have each other's numbers: other states, which are mostly not closed.
      for (std::vector<std::string>& contents : (made = whole).contents) {
        if (contents.size() > 2 && contents[1].size() == contents[2].size()) std::swap(contents[1], contents[2]);
      }
      CHECK((letter_of(made, options)[0] == 'C' || letter_of(made, options) == "A"));
      made = whole;
      made.states.push_back(made.states.back());
      CHECK(letter_of(made, options) == "A");  // not ascending
      made.files = 2;
      made.states.push_back(made.states.back());
      CHECK(letter_of(made, options) == "A");
      made = whole;
      made.arguments.emplace_back("-DLARGE");
      CHECK((letter_of(made, options) == (text == kLively ? "A" : "certified")));
    }
  }
}

TEST_CASE("audit: errors of states are refused") {
  CHECK(letter_of(test::make_certificate(kLively)) == "C3");
  CHECK(letter_of(test::make_certificate("byte x; active proctype p() { do :: x < 3 -> x++ :: assert(x < 3) od }")) ==
        "C3");
  CHECK(letter_of(test::make_certificate("byte x; active proctype p() { x = 255; x++; x = 1 / x }")) == "C3");
  MadeCertificate made = test::make_certificate("byte x; active proctype p() { x = 255; x++ }");
  CHECK(letter_of(made) == "certified");
  made.arguments = {"--overflow=error"};
  CHECK(letter_of(made) == "C3");
}

TEST_CASE("audit: certificates of broken engines are refused") {
  for (const char* const text : {kPeterson, kLively}) {
    const auto letter = [&](const test::Broken& engine) {
      MadeCertificate made = test::make_certificate(text, {}, engine);
      made.arguments.emplace_back("--no-end-states");
      return letter_of(made);
    };
    CHECK(letter({}) == "certified");
    // A filter says of one new state in ten that it is known: what only it leads to is left out, too.
    CHECK(letter({.loses = 10}) == "C2");
    // A memo forgets that a step touches a component: it stays as it was.
    CHECK(letter({.forgets = 10})[0] == 'C');
    // A merge drops an entry.
    MadeCertificate made = test::make_certificate(text);
    made.arguments.emplace_back("--no-end-states");
    made.states.erase(made.states.end() - 7);
    CHECK(letter_of(made) == "C2");
  }
}

TEST_CASE("audit: states that cannot be reached are counted out") {
  const MadeCertificate closed = test::make_certificate("byte x; active proctype p() { x = 1; end: do :: x = 2 od }");
  // One with x = 2 before the first step: closed, without errors, and nobody gets there.
  MadeCertificate made = closed;
  made.transitions += 1;
  for (const auto& state : closed.states) {
    if (state != closed.states.front() || made.states.size() > closed.states.size()) continue;
    auto other = state;
    for (size_t component = 1; component < other.size(); ++component) {
      if (made.contents[component].size() == 3 && made.contents[component][2] == std::string("\2", 1))
        other[component] = 2;
    }
    made.states.push_back(other);
  }
  REQUIRE(made.states.size() == closed.states.size() + 1);
  CHECK(letter_of(closed) == "certified");
  CHECK(letter_of(made) == "C4");
  CHECK(letter_of(made, sliced()) == "certified");  // of at most so many states
}

TEST_CASE("audit: no byte of a certificate can be another one") {
  const test::TemporaryFolder folder;
  MadeCertificate made =
      test::make_certificate("byte x; active proctype p() { do :: x < 9 -> x++ :: else -> break od }");
  made.files = 2;
  made.write(folder.path());
  REQUIRE(letter_of(folder.path()) == "certified");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const std::string path = entry.path().string();
    std::ifstream in(path, std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    INFO(path);
    for (size_t at = 0; at < whole.size(); ++at) {
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ 1);
      test::made::put(path, flipped);
      // The file's end is white space.
      if (at + 1 < whole.size() || whole.back() != '\n') CHECK(letter_of(folder.path()) == "A");
    }
    for (size_t size = 0; size + 1 < whole.size(); ++size) {
      test::made::put(path, whole.substr(0, size));
      CHECK(letter_of(folder.path()) == "A");
    }
    test::made::put(path, whole);
  }
  CHECK(letter_of(folder.path()) == "certified");
  CHECK(letter_of(folder.path() + "/none") == "bad");
}
