#include <random>

#include "tests/trace/run.h"

#include "tests/catch.h"

namespace cmc {
namespace {

Trail example() {
  Trail trail;
  trail.model_file = "a \"quoted\" name.pml";
  trail.model_sha1 = "0123456789";
  trail.preprocessor = {"-DN=3", "-UX"};
  trail.steps = "spin";
  trail.error = {"assertion", "assertion violated: x", "m.pml", 7, 2};
  StepText text;
  text.actor = {0, "P", "m.pml", 7, "q!1"};
  text.partner = StepText::Actor{1, "Q", "", 0, "q?x"};
  text.timeout = true;
  trail.add({0, 1, 3, 4, 5, 6, true}, text);
  text = {};
  text.actor.pid = 254;
  trail.add({254, kNoProcess, 65535, 0, 65535, 0, false}, text);
  return trail;
}

std::string error_of(const std::string& text) {
  const Result<Trail> trail = parse_trail(text);
  return trail.ok() ? "" : trail.error();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("trail: what is written is read") {
  const Trail written = example();
  const Result<Trail> result = parse_trail(trail_json(written));
  REQUIRE(result.ok());
  const Trail& read = result.value();
  CHECK(read.model_file == written.model_file);
  CHECK(read.model_sha1 == written.model_sha1);
  CHECK(read.preprocessor == written.preprocessor);
  CHECK(read.steps == "spin");
  CHECK(read.error.message == written.error.message);
  CHECK(read.error.line == 7);
  CHECK(read.error.depth == 2);
  CHECK(read.path() == written.path());
  CHECK(read.text_of(0).actor.text == "q!1");
  CHECK(read.text_of(0).partner->process == "Q");
}

TEST_CASE("trail: a long text is written once, and kept") {
  Trail trail = example();
  const std::string text(1000, 'x');
  StepText step;
  step.actor = {0, "P", "m.pml", 7, text};
  step.partner = StepText::Actor{1, "Q", "", 0, text + "y"};
  for (int i = 0; i < 100; ++i) trail.add({0, 1, 3, 4, 5, 6, true}, step);
  const std::string json = trail_json(trail);
  CHECK(json.size() < 100 * 1000);
  const Result<Trail> result = parse_trail(json);
  REQUIRE(result.ok());
  const Trail& read = result.value();
  REQUIRE(read.path().size() == 102);
  CHECK(read.text_of(101).actor.text == text);
  CHECK(read.text_of(101).partner->text == text + "y");
  CHECK(read.text_of(0).actor.text == "q!1");
  CHECK(contains(error_of(replaced(json, "\"text\":1}", "\"text\":2}")), "not in 'texts'"));
}

TEST_CASE("trail: one without steps is accepted") {
  Trail trail;
  trail.error = example().error;
  CHECK(parse_trail(trail_json(trail)).ok());
}

TEST_CASE("trail: one with a wrong field is refused, and the error names the field") {
  const std::string text = trail_json(example());
  CHECK(contains(error_of(replaced(text, "cmc.trail/1", "cmc.trail/2")), "schema is 'cmc.trail/2'"));
  CHECK(contains(error_of(replaced(text, "\"pid\":0,", "\"pid\":256,")), "step 1: 'pid'"));
  CHECK(contains(error_of(replaced(text, "\"pid\":254,", "\"pid\":255,")), "step 2: 'pid'"));
  CHECK(contains(error_of(replaced(text, "\"pid\":0,", "\"pid\":-1,")), "step 1: 'pid'"));
  CHECK(contains(error_of(replaced(text, "\"pid\":0,", "")), "step 1: 'pid' is missing"));
  CHECK(contains(error_of(replaced(text, "\"location\":65535", "\"location\":65536")), "step 2: 'location'"));
  CHECK(contains(error_of(replaced(text, "\"location\":65535", "\"location\":1.5")), "step 2: 'location'"));
  CHECK(contains(error_of(replaced(text, "\"timeout\":true", "\"timeout\":1")), "step 1: 'timeout'"));
  CHECK(contains(error_of(replaced(text, "\"path\"", "\"paths\"")), "'path' is missing"));
  CHECK(contains(error_of(replaced(text, "\"-UX\"", "4")), "'preprocessor' is not a list of strings"));
}

TEST_CASE("trail: what is no JSON is refused") {
  for (const char* text :
       {"", "{", "[]", "null", "{\"path\": 3}", "{\"path\": {}}", "{\"path\": [1]}", "{\"path\": [[{}]]}",
        "{\"schema\": \"cmc.trail/1\"}", "\xff\xfe", "{\"path\": [{\"pid\": 1e400}]}"}) {
    CHECK(contains(error_of(text), "this is no trail of CMC"));
  }
  CHECK(!error_of(std::string(200000, '[')).empty());
}

TEST_CASE("trail: one that is cut or changed at any byte is refused or read") {
  const std::string text = trail_json(example());
  for (size_t length = 0; length + 2 < text.size(); ++length) CHECK(!error_of(text.substr(0, length)).empty());
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string changed = text;
    changed[random() % changed.size()] = static_cast<char>(random());
    (void)parse_trail(changed);
  }
}

}  // namespace
}  // namespace cmc
