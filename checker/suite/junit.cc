#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "checker/suite/suite.h"

// JUnit's XML as CI servers read it (elements and attributes of the xUnit plugin's junit-10.xsd).

namespace cmc::suite {
namespace {

// As text or attribute. XML 1.0 has no place for control characters, nor for U+FFFE and U+FFFF.
std::string xml(const std::string& text) {
  static constexpr Escape kEscapes[] = {{'&', "&amp;"},  {'<', "&lt;"},  {'>', "&gt;"},   {'"', "&quot;"},
                                        {'\n', "&#10;"}, {'\t', "&#9;"}, {'\x7f', "\x7f"}};
  std::string valid = valid_utf8(text);
  for (const char* const none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) replace_all(valid, none, "?");
  return escaped(valid, kEscapes, "?");
}

std::string first_message(const Case& each) { return each.messages.empty() ? "" : each.messages.front(); }

// What a reader of the CI server's page needs: all messages, the place, and how to repeat the run.
std::string details(const Case& each) {
  std::string text = fmt::format("{}\n", fmt::join(each.messages, "\n"));
  text += fmt::format("{}:{}\n", each.model, std::max(each.line, 1u));
  text += fmt::format("cmc {} {} {}\n", each.expectation ? each.expectation->command() : "check", each.model,
                      fmt::join(each.arguments, " "));
  return text;
}

std::string case_xml(const Case& each) {
  const std::string name = each.text.empty() ? "the model" : each.text;
  std::string text = fmt::format(R"(    <testcase classname="{}" name="{}" time="{:.3f}")", xml(each.model),
                                 xml(name), each.remembered ? 0.0 : each.seconds);
  switch (each.status) {
    case Case::Status::kPassed: return text + "/>\n";
    case Case::Status::kFailed:
      return text +
             fmt::format(">\n      <failure type=\"expectation\" message=\"{}\">{}</failure>\n    </testcase>\n",
                         xml(first_message(each)), xml(details(each)));
    case Case::Status::kError:
      return text + fmt::format(">\n      <error type=\"no verdict\" message=\"{}\">{}</error>\n    </testcase>\n",
                                xml(first_message(each)), xml(details(each)));
    case Case::Status::kOpen:
      return text +
             ">\n      <error type=\"not run\" message=\"cmc test has not ended, or it was ended before this "
             "case\"/>\n"
             "    </testcase>\n";
    case Case::Status::kLeftOut: break;
  }
  return text + ">\n      <skipped message=\"marked slow\"/>\n    </testcase>\n";
}

// The attributes that a suite has for its cases, and all suites together.
std::string counts(std::span<const Case> cases) {
  const auto count = [&](Case::Status status) { return std::ranges::count(cases, status, &Case::status); };
  double seconds = 0;
  for (const Case& each : cases) seconds += each.remembered ? 0 : each.seconds;
  return fmt::format(R"(tests="{}" failures="{}" errors="{}" time="{:.3f}")", cases.size(),
                     count(Case::Status::kFailed), count(Case::Status::kError) + count(Case::Status::kOpen), seconds);
}

}  // namespace

std::string junit_xml(const Suite& suite) {
  const std::span<const Case> cases = suite.cases;
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  text += fmt::format("<testsuites name=\"cmc test\" {}>\n", counts(cases));
  for (size_t begin = 0; begin < cases.size();) {
    size_t end = begin;
    while (end < cases.size() && cases[end].model == cases[begin].model) ++end;
    const std::span<const Case> of_model = cases.subspan(begin, end - begin);
    const auto skipped = std::ranges::count(of_model, Case::Status::kLeftOut, &Case::status);
    text += fmt::format("  <testsuite name=\"{}\" {} skipped=\"{}\">\n", xml(cases[begin].model), counts(of_model),
                        skipped);
    for (const Case& each : of_model) text += case_xml(each);
    text += "  </testsuite>\n";
    begin = end;
  }
  return text + "</testsuites>\n";
}

}  // namespace cmc::suite
