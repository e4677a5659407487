#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/bytes.h"
#include "base/result.h"
#include "solver-bridge/protocol/query.h"

namespace cmc::solver {

// Remembers answers by cache_key(), in bounded memory, and, after open(), in a file for later runs. Only decided
// answers.
//
// Memory: two generations. What is found or inserted goes into the young one; when that has half of the memory, it
// becomes the old one, and what was old is forgotten.
//
// File: 8 bytes "CMCANS2\n", then records: u32 length, u32 CRC-32 of the rest, and in the first one a string that
// says who gave the answers (the versions of cmc and Z3, ...), in the others key and answer as in payload.h. Answers
// that somebody else gave are not used: another file takes the place of this one. It is only appended to. A record
// that is damaged or incomplete (a process that was killed) ends the file: it is cut there. An error of writing ends
// the recording, not the run.
//
// Several processes can use one file: each locks it (flock) when it appends, and first takes over what others have
// appended; what they have is not appended again.
//
// Not thread-safe. Answers come from solvers or old files: to be checked before they are believed.
class AnswerCache {
 public:
  explicit AnswerCache(uint64_t memory_bytes) : memory_bytes_(memory_bytes) {}
  ~AnswerCache();
  AnswerCache(const AnswerCache&) = delete;
  AnswerCache& operator=(const AnswerCache&) = delete;

  // Reads the file, if it is there, and appends to it from now on. `identity`: who gives the answers of this run.
  // The result is empty, or a warning: the answers that were there are of somebody else, and gone. Error: the file
  // cannot be opened, or is something else.
  [[nodiscard]] Result<std::string> open(const std::string& path, const std::string& identity);

  [[nodiscard]] std::optional<Answer> find(const std::string& key);
  // REQUIRES: answer.decided().
  void insert(const std::string& key, const Answer& answer);
  void forget(const std::string& key);  // in memory

  [[nodiscard]] uint64_t hits() const { return hits_; }
  [[nodiscard]] uint64_t misses() const { return misses_; }
  [[nodiscard]] uint64_t memory_bytes() const { return young_bytes_ + old_bytes_; }
  [[nodiscard]] uint64_t records_read() const { return records_read_; }

 private:
  void remember(const std::string& key, Answer answer);
  [[nodiscard]] Result<bool> try_open(const std::string& path, const std::string& identity, std::string& warning);
  [[nodiscard]] size_t read_records(std::string_view content, size_t at);
  [[nodiscard]] bool append(const std::string& key, const Answer& answer);
  [[nodiscard]] bool take_over_others();
  [[nodiscard]] bool write(std::string_view bytes);
  [[nodiscard]] bool knows(const std::string& key) const { return young_.contains(key) || old_.contains(key); }
  void close();

  uint64_t memory_bytes_;
  std::unordered_map<std::string, Answer> young_;
  std::unordered_map<std::string, Answer> old_;
  uint64_t young_bytes_ = 0;
  uint64_t old_bytes_ = 0;
  uint64_t hits_ = 0;
  uint64_t misses_ = 0;
  uint64_t records_read_ = 0;
  int file_ = -1;
  uint64_t end_ = 0;  // of what has been read or written of the file
};

}  // namespace cmc::solver
