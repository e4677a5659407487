#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/files/file.h"
#include "checker/audit/audit.h"
#include "checker/audit/certificate.h"
#include "checker/checkpoint/manifest.h"
#include "tests/audit/made_certificate.h"
#include "tests/fuzz/input.h"
#include "tests/support/temporary_folder.h"

// libFuzzer target: any bytes are edits of one of the files of a certificate, whose checksums are right again behind
// them. What is certified has all states that there are; what is refused says why. The two JSON files are also read
// as those of a checkpoint: what is read can be written and read again.

namespace {

using namespace cmc;

constexpr const char* kModel =
    "bool flag[2]; byte turn; byte ncrit;\n"
    "active [2] proctype user() {\n"
    "again: flag[_pid] = 1; turn = _pid; (flag[1 - _pid] == 0 || turn == 1 - _pid);\n"
    "  ncrit++; assert(ncrit == 1); ncrit--; flag[_pid] = 0; goto again }\n";
constexpr std::array<const char*, 3> kParts = {"components.1", "contents.1", "states.1.0"};
constexpr const char* kManifest = "manifest.1.json";
constexpr const char* kSeal = ",\"sha256\":\"";

struct Made {
  Made() {
    certificate.write(folder.path());
    for (size_t i = 0; i < kParts.size(); ++i) parts[i] = read(kParts[i]);
    run = body(read(kRunFile));
    manifest = body(read(kManifest));
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder.path() + '/' + name; }
  [[nodiscard]] std::string read(const std::string& name) const { return read_file(path(name)).value(); }
  static std::string body(const std::string& sealed) { return sealed.substr(0, sealed.rfind(kSeal)); }

  const test::MadeCertificate certificate = test::make_certificate(kModel);
  const test::TemporaryFolder folder{test::TemporaryFolder::Where::kMemory};
  std::array<std::string, kParts.size()> parts;
  std::string run;
  std::string manifest;
};

std::string sealed(const std::string& body) { return body + kSeal + sha256_hex(body) + "\"}\n"; }

// A place, how much goes there, how much comes, and what.
std::string edited(std::string text, fuzz::Input input) {
  while (!input.empty() && text.size() < 20'000) {
    const size_t place = input.take<uint16_t>() % (text.size() + 1);
    const size_t removed = input.take<uint8_t>();
    std::string added(input.take<uint8_t>(), '\0');
    for (char& c : added) c = input.take<char>();
    text.replace(place, removed, added);
  }
  return text;
}

void read_as_checkpoint(const std::string& run, const std::string& manifest) {
  if (const Result<RunFile> read = parse_run_file(run); read.ok()) {
    if (!parse_run_file(run_file_text(read.value()).value()).ok()) __builtin_trap();
  } else if (read.error().empty()) {
    __builtin_trap();
  }
  if (const Result<Manifest> read = parse_manifest(manifest); read.ok()) {
    if (!parse_manifest(manifest_text(read.value())).ok()) __builtin_trap();
  } else if (read.error().empty()) {
    __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Made made;
  fuzz::Input input(data, size);
  const size_t what = input.take<uint8_t>() % (kParts.size() + 2);
  std::string run = made.run;
  std::string manifest = made.manifest;
  if (what < kParts.size()) {
    const std::string part = edited(made.parts[what], input);
    test::made::put(made.path(kParts[what]), part);
    nlohmann::json json = nlohmann::json::parse(manifest + '}');
    for (nlohmann::json& file : json["files"]) {
      if (file["name"] == kParts[what]) file.update({{"bytes", part.size()}, {"sha256", sha256_hex(part)}});
    }
    manifest = json.dump();
    manifest.pop_back();
  } else {
    std::string& text = what == kParts.size() ? run : manifest;
    text = edited(text, input);
  }
  test::made::put(made.path(kRunFile), sealed(run));
  test::made::put(made.path(kManifest), sealed(manifest));
  read_as_checkpoint(sealed(run), sealed(manifest));

  audit::Certificate certificate;
  audit::Task task;
  audit::Findings findings;
  audit::Options options;
  audit::Verdict refusal = audit::read_certificate(made.folder.path(), certificate);
  if (!refusal) refusal = audit::compile(certificate, task);
  if (!refusal) refusal = audit::audit(task, certificate, options, findings);
  if (refusal && refusal->text.empty()) __builtin_trap();
  const bool same_model = run == made.run;
  if (!refusal && same_model && findings.states < made.certificate.states.size()) __builtin_trap();
  if (what < kParts.size()) test::made::put(made.path(kParts[what]), made.parts[what]);
  return 0;
}
