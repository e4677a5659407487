#include "checker/mutate/result_file.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/lines.h"
#include "base/sha1.h"

namespace cmc::mutate {
namespace {

constexpr std::string_view kHead = "cmc.mutation.results/1 ";
constexpr size_t kDigits = 16;  // of a checksum

// A copy that ends in the middle of a line would swallow the next one.
std::string whole_lines(std::string text) {
  text.resize(text.rfind('\n') + 1);  // npos + 1: nothing
  return text;
}

}  // namespace

Result<std::unique_ptr<ResultFile>> ResultFile::open(const std::string& path, const std::string& key) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
  if (descriptor < 0) return system_error("open", path, errno);
  std::unique_ptr<ResultFile> file(new ResultFile(path, descriptor));
  if (const Status begun = file->begin(key); !begun.ok()) return Error{begun.error()};
  return file;
}

ResultFile::~ResultFile() {
  lock_.release();
  ::close(descriptor_);
}

Status ResultFile::begin(const std::string& key) {
  key_ = key;
  struct stat about {};
  if (::fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode))
    return Error{fmt::format("'{}' is no file", path_)};
  if (lock_.take(descriptor_) == FileLock::Outcome::kHeldElsewhere)
    return Error{fmt::format("another process uses '{}'", path_)};
  CMC_TRY(const std::string read, read_file(path_));
  const std::string head = fmt::format("{}{}\n", kHead, key);
  const std::string text = whole_lines(read);
  if (text.empty() && head.starts_with(read)) {
    if (::ftruncate(descriptor_, 0) != 0) return system_error("write", path_, errno);
    return write(head);
  }
  if (!text.starts_with(kHead)) return Error{fmt::format("'{}' has no results of cmc mutate", path_)};
  if (!text.starts_with(head)) {
    return Error{
        fmt::format("the results in '{}' are of another model, other options, or another cmc; remove it, or "
                    "name another file",
                    path_)};
  }
  if (text.size() < read.size() && ::ftruncate(descriptor_, static_cast<off_t>(text.size())) != 0)
    return system_error("write", path_, errno);
  for (const std::string_view kept : lines_of(std::string_view(text).substr(head.size()))) take_over(kept);
  return Success{};
}

std::string ResultFile::line(const std::string& text) const {
  return fmt::format("{} {}", sha1_hex(key_ + text).substr(0, kDigits), text);
}

void ResultFile::take_over(std::string_view kept) {
  if (kept.size() <= kDigits || line(std::string(kept.substr(kDigits + 1))) != kept) return;
  const nlohmann::json json = nlohmann::json::parse(kept.substr(kDigits + 1), nullptr, false);
  if (!json.is_object() || !json.contains("mutant") || !json["mutant"].is_number_unsigned()) return;
  if (const auto judgement = parse_judgement(json.value("judgement", "")))
    known_.insert_or_assign(json["mutant"].get<uint32_t>(), *judgement);
}

Status ResultFile::add(uint32_t number, const Judgement& judgement) {
  if (judgement.verdict == Verdict::kBudget || judgement.verdict == Verdict::kNotRun) return Success{};
  const nlohmann::json json = {{"mutant", number}, {"judgement", judgement_json(judgement)}};
  return write(line(json.dump()) + "\n");
}

Status ResultFile::write(const std::string& text) {
  for (size_t done = 0; status_.ok() && done < text.size();) {
    const ssize_t written = ::write(descriptor_, text.data() + done, text.size() - done);
    if (written > 0) done += static_cast<size_t>(written);
    if (written < 0 && errno != EINTR) status_ = system_error("write", path_, errno);
  }
  return status_;
}

}  // namespace cmc::mutate
