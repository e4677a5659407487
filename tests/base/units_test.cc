#include "base/units.h"

#include <string>

#include "tests/catch.h"

namespace cmc {
namespace {

TEST_CASE("units: sizes are powers of 1024 with fractions") {
  CHECK(parse_size("4096").value() == 4096);
  CHECK(parse_size("4096B").value() == 4096);
  CHECK(parse_size("512K").value() == 512 * 1024);
  CHECK(parse_size("256M").value() == 256u << 20);
  CHECK(parse_size("256MiB").value() == 256u << 20);
  CHECK(parse_size("1.5g").value() == 3u << 29);
  CHECK(parse_size("2T").value() == uint64_t{2} << 40);
}

TEST_CASE("units: what is no size is refused with the text in the message") {
  for (const char* text :
       {"", "M", "-1", "+5", "1e3", "12X", "1.5.2", "0x10", " 5", "5 ", "5MM", "inf", "nan", "5bM", ".", "K5"}) {
    INFO(text);
    const Result<uint64_t> size = parse_size(text);
    REQUIRE(!size.ok());
    CHECK(size.error().find("'" + std::string(text) + "'") != std::string::npos);
  }
  CHECK(!parse_size("0").ok());
  CHECK(!parse_size("0.2").ok());
  CHECK(!parse_size("99999999999999999999").ok());
  CHECK(!parse_size("9999999T").ok());
}

TEST_CASE("units: durations are seconds unless they say otherwise") {
  CHECK(parse_duration("90").value() == 90);
  CHECK(parse_duration("10s").value() == 10);
  CHECK(parse_duration("0.5s").value() == 0.5);
  CHECK(parse_duration("5m").value() == 300);
  CHECK(parse_duration("1.5h").value() == 5400);
  CHECK(parse_duration("2d").value() == 172800);
  for (const char* text : {"", "s", "-5s", "5 s", "5x", "5ms", "0", "0h", "1e400", "99999999999999d"}) {
    INFO(text);
    CHECK(!parse_duration(text).ok());
  }
}

TEST_CASE("units: percentages are above 0 and at most 100") {
  CHECK(parse_percent("50%").value() == 50);
  CHECK(parse_percent("0.5%").value() == 0.5);
  CHECK(parse_percent("100%").value() == 100);
  for (const char* bad : {"", "%", "50", "0%", "-1%", "101%", "1e2%", "5 %", "nan%"}) CHECK(!parse_percent(bad).ok());
}

TEST_CASE("units: limits and counts are said as people say them") {
  CHECK(format_limit(1) == "1 second");
  CHECK(format_limit(90) == "90 seconds");
  CHECK(format_limit(0.5) == "0.5 seconds");
  CHECK(format_count(4837210) == "4,837,210");
  CHECK(plural(1, "state") == "1 state");
}

TEST_CASE("units: format_size picks the unit") {
  CHECK(format_size(0) == "0 bytes");
  CHECK(format_size(1) == "1 byte");
  CHECK(format_size(1023) == "1023 bytes");
  CHECK(format_size(1536) == "1.5 KB");
  CHECK(format_size(uint64_t{24} << 30) == "24.0 GB");
  CHECK(format_size(~uint64_t{0}) == "16.0 EB");
}

}  // namespace
}  // namespace cmc
