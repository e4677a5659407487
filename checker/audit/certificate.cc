#include "checker/audit/certificate.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_error.h"
#include "base/sha256.h"
#include "base/text.h"

namespace cmc::audit {
namespace {

using nlohmann::json;

constexpr const char* kRunFormat = "cmc.run/1";
constexpr const char* kManifestFormat = "cmc.checkpoint/1";
constexpr size_t kMostComponents = size_t{1} << 16;

// The number in "manifest.NUMBER.json"; none: another name.
std::optional<uint64_t> epoch_in(std::string_view name) {
  constexpr std::string_view kBefore = "manifest.";
  constexpr std::string_view kBehind = ".json";
  if (!name.starts_with(kBefore) || !name.ends_with(kBehind)) return std::nullopt;
  name.remove_prefix(kBefore.size());
  if (name.size() <= kBehind.size()) return std::nullopt;
  name.remove_suffix(kBehind.size());
  return parse_number<uint64_t>(name);
}

uint32_t small(const json& value) {
  const auto number = value.get<uint64_t>();
  if (!value.is_number_unsigned() || number > UINT32_MAX)
    throw json::other_error::create(501, "no such number", &value);
  return static_cast<uint32_t>(number);
}

class Reader {
 public:
  Reader(std::string folder, Certificate& certificate) : folder_(std::move(folder)), certificate_(certificate) {}

  Verdict read() {
    try {
      if (Verdict refusal = read_manifest()) return refusal;
      if (Verdict refusal = read_files()) return refusal;
      // A component can have room in keys, and have been in no state.
      for (const Field& field : certificate_.layout) {
        if (field.component >= certificate_.contents.size())
          certificate_.contents.resize(field.component + size_t{1});
      }
      return read_run();
    } catch (const json::exception& error) {
      return bad_input(
          fmt::format("{}/{} is not as this version reads it: {}", folder_, reading_, json_error_text(error.what())));
    }
  }

 private:
  // An object whose last member is the SHA-256 of all that stands before it.
  Verdict read_sealed(json& whole) {
    const Result<MappedFile> file = MappedFile::open(folder_ + '/' + reading_);
    if (!file.ok()) return bad_input(file.error());
    const std::string_view text = text_of(file.value().bytes());
    const size_t sum = text.rfind(",\"sha256\"");
    whole = json::parse(text, nullptr, false);
    if (sum != std::string_view::npos && whole.is_object() &&
        whole.value("sha256", "") == sha256_hex(text.substr(0, sum)))
      return std::nullopt;
    return refused("A", reading_ + " is not what was written: its SHA-256 is another one");
  }

  Verdict read_manifest() {
    std::optional<uint64_t> newest;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, code)) {
      newest = std::max(newest, epoch_in(entry.path().filename().string()));
    }
    if (code) return bad_input(fmt::format("cannot read the folder '{}': {}", folder_, code.message()));
    if (!newest) return bad_input(fmt::format("'{}' has no manifest.N.json: it is no certificate", folder_));
    reading_ = fmt::format("manifest.{}.json", *newest);
    json whole;
    if (Verdict refusal = read_sealed(whole)) return refusal;
    if (whole.at("format") != kManifestFormat) {
      return bad_input(
          fmt::format("{} has the format {}, not {}", reading_, whole.at("format").dump(), kManifestFormat));
    }
    if (whole.at("complete") != true || whole.value("verdict", "holds") != "holds") {
      return bad_input(
          fmt::format("'{}' is no certificate: its search was not complete, or found an error", folder_));
    }
    manifest_ = whole;
    certificate_.states = whole.at("states");
    certificate_.transitions = whole.at("transitions");
    return read_layout(whole.at("layout"), small(whole.at("words")));
  }

  // A line for all, one for the globals, one for each proctype; ranges are words "OFFSET+SIZE".
  bool read_table(ByteView bytes) {
    ComponentTable& table = certificate_.table;
    std::istringstream lines{std::string(text_of(bytes))};
    const auto line = [&] {
      std::string text;
      std::getline(lines, text);
      return std::istringstream(text);
    };
    const auto ranges = [](std::istringstream words) {
      std::vector<ComponentTable::Range> all;
      char plus = 0;
      for (ComponentTable::Range range; words >> range.offset >> plus >> range.size;) all.push_back(range);
      return all;
    };
    std::string word;
    std::istringstream words = line();
    words >> word >> table.hidden_bytes >> word >> table.global_bytes >> word >> table.frame_pieces;
    if (!words || word != "pieces") return false;
    words = line();
    words >> word;
    table.globals = ranges(std::move(words));
    while (lines.peek() != std::char_traits<char>::eof()) {
      words = line();
      ComponentTable::Frame& frame = table.frames.emplace_back();
      if (!(words >> word >> frame.bytes)) return false;
      frame.pieces = ranges(std::move(words));
    }
    return true;
  }

  Verdict read_layout(const json& fields, uint32_t words) {
    certificate_.words = words;
    if (words != 1 && words != 2 && words != 4 && words != 16)
      return refused("A", fmt::format("{}: keys of {} words", reading_, words));
    std::vector<uint64_t> used(words);
    for (const json& each : fields) {
      const uint32_t component = small(each.at("component"));
      const Field field{static_cast<uint16_t>(component), small(each.at("word")), small(each.at("shift")),
                        small(each.at("width"))};
      if (field.width == 0) continue;
      if (component >= kMostComponents || field.word >= words || field.width > 32 || field.shift > 63 ||
          field.shift + field.width > 64) {
        return refused("A", fmt::format("{}: component {} has a field that no key has", reading_, component));
      }
      const uint64_t mask = ((uint64_t{1} << field.width) - 1) << field.shift;
      const auto same = [&](const Field& other) { return other.component == field.component; };
      if ((used[field.word] & mask) != 0 || std::ranges::any_of(certificate_.layout, same))
        return refused("A", fmt::format("{}: component {} has a field of another one", reading_, component));
      used[field.word] |= mask;
      certificate_.layout.push_back(field);
    }
    return std::nullopt;
  }

  Verdict read_files() {
    for (const json& each : manifest_.at("files")) {
      const std::string name = each.at("name");
      const std::string kind = each.at("kind");
      if (name.find('/') != std::string::npos) return bad_input("a file of another folder: " + name);
      Result<MappedFile> file = MappedFile::open(folder_ + '/' + name);
      if (!file.ok()) return bad_input(file.error());
      if (file.value().bytes().size() != each.at("bytes").get<uint64_t>() ||
          sha256_hex(text_of(file.value().bytes())) != each.at("sha256").get<std::string>()) {
        return refused("A", name + " is not what was written: its length or SHA-256 is another one");
      }
      if (kind == "components" && !read_table(file.value().bytes())) return refused("A", name + " is no table");
      if (kind == "states") certificate_.state_files.push_back(std::move(file).value());
      if (kind != "contents") continue;
      certificate_.content_files.push_back(std::move(file).value());
      if (!read_contents(certificate_.content_files.back().bytes()))
        return refused("A", name + " ends in the middle of a content, or names no component");
    }
    return std::nullopt;
  }

  bool read_contents(ByteView bytes) {
    // Of 7 bits a byte, low ones first; false: it ends too early, or is too large.
    const auto number = [&](uint64_t& value) {
      value = 0;
      for (unsigned shift = 0; shift < 35; shift += 7) {
        if (bytes.empty()) return false;
        const auto byte = std::to_integer<uint64_t>(bytes.front());
        bytes = bytes.subspan(1);
        value |= (byte & 127) << shift;
        if (byte < 128) return true;
      }
      return false;
    };
    while (!bytes.empty()) {
      uint64_t component = 0;
      uint64_t length = 0;
      if (!number(component) || !number(length) || component >= kMostComponents || length > bytes.size())
        return false;
      if (component >= certificate_.contents.size()) certificate_.contents.resize(component + 1);
      certificate_.contents[component].push_back(bytes.first(length));
      bytes = bytes.subspan(length);
    }
    return true;
  }

  Verdict read_run() {
    reading_ = "run.json";
    json run;
    if (Verdict refusal = read_sealed(run)) return refusal;
    if (run.at("format") != kRunFormat)
      return bad_input(fmt::format("{} has the format {}, not {}", reading_, run.at("format").dump(), kRunFormat));
    for (const json& file : run.at("model").at("files")) {
      const std::string name = file.at("name");
      const auto same = [&](const auto& other) { return other.first == name; };
      if (std::ranges::any_of(certificate_.texts, same))
        return refused("A", fmt::format("{} has two texts of one name", reading_));
      if (name.starts_with('<') && name != "<stdin>")
        return refused("A", reading_ + " has a text that is of no file");
      certificate_.texts.emplace_back(name, file.at("text"));
    }
    certificate_.model = run.at("model").at("name");
    certificate_.arguments = run.at("arguments").get<std::vector<std::string>>();
    return std::nullopt;
  }

  const std::string folder_;
  Certificate& certificate_;
  std::string reading_ = "manifest";
  json manifest_;
};

}  // namespace

Verdict read_certificate(const std::string& folder, Certificate& certificate) {
  return Reader(folder, certificate).read();
}

}  // namespace cmc::audit
