#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// What a map of events says, as written: `//@` comments of a model, or a file (docs/conformance.md).

namespace cmc::conform {

// A place in a map or a log; line and column count from 1, 0: unknown.
struct TextPlace {
  std::string file;
  uint64_t line = 0;
  uint64_t column = 0;
};
// "log.jsonl:3:12: error: MESSAGE"
[[nodiscard]] Error error_at(const TextPlace& place, std::string_view message);

// `event NAME(FIELDS) at PROCTYPE[PID]@LABEL : STEP where CONDITION`
struct RuleText {
  enum class Kind : uint8_t { kAny, kSend, kReceive, kAssign, kPrint };

  TextPlace place;
  std::string text;
  std::string event;
  std::vector<std::string> fields;
  std::string proctype;  // empty: whoever moves
  std::string pid;       // empty: any
  std::string label;     // empty: anywhere
  Kind kind = Kind::kAny;
  std::string target;                  // the channel or variable; of kPrint the format, escapes resolved
  std::vector<std::string> arguments;  // "_": any value
  std::vector<std::string> where;      // conditions, all of which hold
};

struct LogFormat {
  enum class Kind : uint8_t { kByName, kJson, kCsv, kText } kind = Kind::kByName;
  // Names of keys, columns or groups.
  std::string event = "event";
  std::string node = "node";
  std::string clock = "clock";
  std::vector<std::string> patterns;  // of kText: regular expressions, with named groups
  std::vector<TextPlace> pattern_places;
};

struct MapText {
  std::vector<RuleText> rules;
  std::set<std::string> ignored;          // events that are not looked at
  std::map<std::string, int32_t> values;  // what words in logs stand for
  LogFormat format;
};

// The directives of a model's comments, of a text that is a map otherwise. Error: with file, line and column.
[[nodiscard]] Result<MapText> parse_map(const std::string& file, std::string_view text, bool is_model);

}  // namespace cmc::conform
