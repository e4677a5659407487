#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/lsp/name_index.h"
#include "checker/lsp/text_buffer.h"
#include "promela/compile.h"

namespace cmc::lsp {

[[nodiscard]] std::string uri_of(const std::string& path);
// Of "file:" URIs; another one is its own path, which is not on the disk.
[[nodiscard]] std::string path_of(const std::string& uri);

// What the front end says about a place.
struct Remark {
  Range range;
  std::string message;
  promela::Severity severity = promela::Severity::kError;
  // How the text got there: macros, calls of inlines, other places that matter.
  struct Related {
    std::string path;
    Range range;
    std::string message;
  };
  std::vector<Related> related = {};
  std::string hint = {};  // the name that was meant; empty: nobody knows
};

// A text without errors, and the files that it includes, as they were when it was read.
struct Snapshot {
  promela::Sources sources;
  NameIndex names;

  // Of a word in one of its files.
  [[nodiscard]] Range range_of(const SourcePlace& place, size_t bytes) const;
};

using OpenTexts = std::map<std::string, const TextBuffer*>;  // by path

// A text that a client has open, and what the front end says about it.
class Document {
 public:
  Document(std::string uri, std::string text)
      : uri_(std::move(uri)), path_(path_of(uri_)), buffer_(std::move(text)) {}

  [[nodiscard]] const std::string& uri() const { return uri_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const TextBuffer& buffer() const { return buffer_; }
  void change(TextBuffer text) {
    buffer_ = std::move(text);
    is_read_ = false;
  }
  void forget() { is_read_ = false; }  // an included file has changed
  [[nodiscard]] bool is_read() const { return is_read_; }

  // Reads the text, if it has changed; `open` are the texts that other documents have.
  void read(const OpenTexts& open, const promela::CompileOptions& options);

  // Of this text and of files that it includes, by path; as read() left them.
  [[nodiscard]] const std::map<std::string, std::vector<Remark>>& remarks() const { return remarks_; }
  // The last text without errors. Null: there was none.
  [[nodiscard]] const Snapshot* snapshot() const { return snapshot_.get(); }
  // It is that of the text as it is now.
  [[nodiscard]] bool is_current() const { return is_read_ && is_current_; }
  [[nodiscard]] bool includes(const std::string& path) const;
  // This text and those that it includes, as read() left them: what is found out about them is over when it differs.
  [[nodiscard]] std::string subject() const { return buffer_.text() + included_; }
  // Of a file that the snapshot has: this text, which need not be on the disk, or one that it includes.
  [[nodiscard]] std::string uri_of_file(const std::string& name) const;

  // The entity that the word at a position means, in a text with errors most likely.
  [[nodiscard]] std::optional<uint32_t> entity_at(const Position& position) const;
  // The proctype (or init, never, ...) around an offset; empty: none.
  [[nodiscard]] std::string proctype_at(size_t offset) const;

 private:
  void add(const promela::Sources& sources, const promela::Diagnostic& diagnostic);
  [[nodiscard]] std::string path_of_file(const std::string& name) const;

  std::string uri_;
  std::string path_;
  TextBuffer buffer_;
  bool is_read_ = false;
  bool is_current_ = false;
  std::map<std::string, std::vector<Remark>> remarks_;
  std::vector<std::string> files_;  // that were read last
  std::string included_;            // their texts, but for the first
  std::unique_ptr<Snapshot> snapshot_;
};

}  // namespace cmc::lsp
