#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "checker/lsp/document.h"

// Commands of cmc that run beside the server, each in a process of its own: what takes all memory ends only itself.

namespace cmc::lsp {

enum class Task : uint8_t { kCheck, kLint, kSimulate };

// What a task says: where it is, or, once, what it found.
struct TaskNews {
  uint64_t number = 0;
  Task task = Task::kCheck;
  std::string uri;
  std::string property;
  std::string text;  // that it was about: Document::subject()
  bool has_ended = false;
  std::string progress;  // a few words; empty: nothing new
  std::string output;    // for people
  std::string json;      // for programs; empty: it left none
};

class Checks {
 public:
  // `program`: cmc.
  Checks(std::string program, const promela::CompileOptions& options);
  ~Checks();

  // Of the text as it is in the editor; `property`: only this one, empty: all. The number of the task. Error: too
  // many run, or it cannot be started.
  [[nodiscard]] Result<uint64_t> start(Task task, const Document& document, const OpenTexts& open,
                                       const std::string& property);
  // It ends soon, and says what it has.
  void cancel(uint64_t number);
  // Ends those of a text without a word.
  void forget(const std::string& uri);
  [[nodiscard]] bool any() const { return !running_.empty(); }
  [[nodiscard]] bool runs(Task task) const;
  [[nodiscard]] std::vector<TaskNews> news();

 private:
  struct Running;
  [[nodiscard]] std::vector<std::string> command(Task task, const std::string& property, const std::string& beside,
                                                 const std::string& folder, const std::string& model) const;

  std::string program_;
  std::vector<std::string> reading_;  // options that say how models are read
  std::vector<std::unique_ptr<Running>> running_;
  uint64_t started_ = 0;
};

}  // namespace cmc::lsp
