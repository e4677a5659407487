#include "checker/audit/pan_generator.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <sys/socket.h>

#include "base/child.h"
#include "base/files/descriptor.h"
#include "base/files/file.h"
#include "base/files/run_directory.h"
#include "base/subprocess.h"
#include "checker/audit/pan_driver.h"

namespace cmc::audit {
namespace {

namespace fs = std::filesystem;

constexpr double kMostSeconds = 600;  // of spin and of gcc

class PanGenerator final : public SuccessorGenerator {
 public:
  PanGenerator(const Model& model, const std::string& program) : model_(model) {
    int both[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0) return;
    socket_.emplace(both[0]);
    const Descriptor other(both[1]);
    Subprocess::Command command;
    command.arguments = {program, "-m100", "-w10"};
    command.standard_files = other.number();
    Result<Subprocess> started = Subprocess::start(command);
    if (started.ok()) process_.emplace(std::move(started).value());
  }

  void initial(SuccessorBatch&) override { CHECK(!"SPIN is asked for successors only"); }
  bool process_successors(ByteView, uint8_t, bool, TouchTrace*, SuccessorBatch&) override {
    CHECK(!"SPIN is asked for successors only");
    return false;
  }
  void successors(ByteView state, SuccessorBatch& out) override {
    if (ask(state) && hear(out)) return;
    RuntimeError error;
    error.message = "SPIN's verifier has ended, or does not answer";
    out.errors.push_back(std::move(error));
  }

 private:
  static constexpr uint32_t kMostBytes = 1 << 16;
  enum : uint32_t { kInvalidEnd = 1, kError = 2, kIncomplete = 4 };

  [[nodiscard]] bool ask(ByteView state) {
    const ByteView vector = state.subspan(model_.hidden_bytes);
    if (!socket_ || !process_ || vector.size() > kMostBytes) return false;
    question_.resize(sizeof(uint32_t));
    store(question_.data(), static_cast<uint32_t>(vector.size()));
    question_.insert(question_.end(), vector.begin(), vector.end());
    for (size_t done = 0; done < question_.size();) {
      const ssize_t count = ::send(socket_->number(), question_.data() + done, question_.size() - done, MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      done += static_cast<size_t>(count);
    }
    return true;
  }
  [[nodiscard]] bool read(void* to, size_t size) {
    for (size_t done = 0; done < size;) {
      const ssize_t count = ::recv(socket_->number(), static_cast<char*>(to) + done, size - done, 0);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      done += static_cast<size_t>(count);
    }
    return true;
  }
  [[nodiscard]] bool read_number(uint32_t& number, uint32_t most) {
    return read(&number, sizeof number) && number <= most;
  }
  [[nodiscard]] bool hear(SuccessorBatch& out) {
    uint32_t flags = 0;
    uint32_t size = 0;
    if (!read_number(flags, kInvalidEnd | kError | kIncomplete) || !read_number(size, kMostBytes)) return false;
    RuntimeError error;
    error.message.resize(size);
    if (!read(error.message.data(), size)) return false;
    error.message.insert(0, "SPIN: ");
    if ((flags & kError) != 0) out.errors.push_back(std::move(error));
    out.invalid_end = (flags & kInvalidEnd) != 0;
    out.long_atomic = (flags & kIncomplete) != 0;
    uint32_t count = 0;
    if (!read_number(count, UINT32_MAX)) return false;
    for (; count > 0; --count) {
      if (!read_number(size, kMostBytes)) return false;
      SuccessorBatch::Entry entry;
      entry.offset = static_cast<uint32_t>(out.bytes.size());
      entry.size = size;
      out.bytes.resize(out.bytes.size() + size);
      if (!read(out.bytes.data() + entry.offset, size)) return false;
      out.entries.push_back(entry);
    }
    return true;
  }

  const Model& model_;
  std::optional<Descriptor> socket_;
  std::optional<Subprocess> process_;
  Bytes question_;
};

// A certificate may be anybody's: nothing that is in it may be run. spin hands names and -D to a shell.
bool is_plain(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_.=-").find(c) != std::string_view::npos;
  });
}
// Whether the text may have parts in C, which would be compiled; also such as the preprocessor makes.
bool may_have_c(std::string text) {
  for (size_t at = text.find('\\'); at != std::string::npos; at = text.find('\\', at)) {
    const size_t end = text.find_first_not_of(" \t\r\f\v", at + 1);
    const bool splices = end != std::string::npos && text[end] == '\n';
    splices ? static_cast<void>(text.erase(at, end + 1 - at)) : static_cast<void>(++at);
  }
  constexpr std::string_view kSigns[] = {"c_code", "c_expr", "c_decl", "c_state", "c_track", "##", "%:", "?\?"};
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return text.find(sign) != std::string::npos; });
}

// In that folder.
Verdict run(const std::vector<std::string>& command, const std::string& folder, std::string* output = nullptr) {
  const std::atomic<bool> interrupted{false};
  std::vector<std::string> words = {"sh", "-c", R"(cd "$1" && shift && exec "$@")", "sh", folder};
  words.insert(words.end(), command.begin(), command.end());
  const Result<ChildOutput> ran = run_child(words, folder, kMostSeconds, interrupted);
  if (!ran.ok()) return bad_input("--oracle pan: " + ran.error());
  if (output != nullptr) *output = ran.value().output;
  if (ran.value().exit_code == 0 && ran.value().signal == 0) return std::nullopt;
  const std::string& text = ran.value().error.empty() ? ran.value().output : ran.value().error;
  return bad_input(fmt::format("--oracle pan: {} fails: {}", command.front(), text.substr(0, 1000)));
}

}  // namespace

PanOracle::~PanOracle() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Verdict PanOracle::make(const Certificate& certificate, const Task& task, std::unique_ptr<PanOracle>& made) {
  made.reset(new PanOracle(task.model));
  return made->build(certificate, task);
}

Verdict PanOracle::build(const Certificate& certificate, const Task& task) {
  std::string folder = temporary_folder() + "/cmc-audit-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return bad_input("--oracle pan: cannot make a folder like " + folder);
  folder_ = folder;
  const auto write = [&](const char* name, const std::string& text) -> Verdict {
    const Status written = write_file_atomically(folder_ + "/" + name, text);
    return written.ok() ? Verdict() : bad_input("--oracle pan: " + written.error());
  };
  // Each where the model's `#include` looks for it.
  const fs::path model = certificate.model;
  for (const auto& [name, text] : certificate.texts) {
    const fs::path place = fs::path(name).lexically_relative(model.parent_path());
    if (place.empty() || *place.begin() == "..")
      return bad_input("--oracle pan: the model includes files that are not in its folder");
    if (may_have_c(text)) return bad_input("--oracle pan: the model has parts in C, or joins words (##)");
    std::error_code ignored;
    fs::create_directories((fs::path(folder_) / place).parent_path(), ignored);
    if (Verdict refusal = write(place.c_str(), text)) return refusal;
  }
  if (Verdict refusal = run({"spin", "-V"}, folder_, &version_)) return refusal;
  version_ = version_.substr(0, version_.find('\n'));
  std::vector<std::string> command = {"spin", "-a", "-o1", "-o2", "-o3"};
  for (const std::string& argument : certificate.arguments) {
    if (!argument.starts_with("-D") && !argument.starts_with("-U")) continue;
    if (!is_plain(argument) || may_have_c(argument))
      return bad_input(fmt::format("--oracle pan: {} has other characters than letters, digits, _ . = -", argument));
    command.push_back(argument);
  }
  if (!is_plain(model.filename().string())) return bad_input("--oracle pan: the model's name has odd characters");
  command.push_back(model.filename().string());
  if (Verdict refusal = run(command, folder_)) return refusal;
  Result<std::string> source = read_file(folder_ + "/pan.c");
  const Result<std::string> header = read_file(folder_ + "/pan.h");
  if (!source.ok() || !header.ok()) return bad_input("--oracle pan: spin has written no verifier");
  PanDriver driver;
  const bool closes_chains = task.steps == ReferenceSteps::kSpin;
  if (Verdict refusal = make_pan_driver(task.model, closes_chains, std::move(source).value(), header.value(), driver))
    return refusal;
  if (Verdict refusal = write("verifier.c", driver.verifier)) return refusal;
  if (Verdict refusal = write("oracle.c", driver.program)) return refusal;
  return run({"gcc", "-O1", "-w", "-DBFS", "-DNOREDUCE", "-DSAFETY", "-DNOFAIR", "-DNOCLAIM",
              "-DVERIFIER=\"verifier.c\"", "-o", "oracle", "oracle.c"},
             folder_);
}

std::unique_ptr<SuccessorGenerator> PanOracle::start() const {
  return std::make_unique<PanGenerator>(model_, folder_ + "/oracle");
}

}  // namespace cmc::audit
