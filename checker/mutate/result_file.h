#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/files/file_lock.h"
#include "base/result.h"
#include "checker/mutate/judge.h"

namespace cmc::mutate {

// What became of mutants, a line each, written as soon as it is known, so that a run that was stopped or killed can
// go on. The first line says of what they are; each line has a checksum, so that one that is damaged is as if it were
// not there. What was not decided is not kept. Who writes a file with right checksums is believed.
class ResultFile {
 public:
  // Begins the file, or takes over what is in it. `key`: of model, options and program. Error: it cannot be read or
  // written, another process uses it, or it is of something else.
  [[nodiscard]] static Result<std::unique_ptr<ResultFile>> open(const std::string& path, const std::string& key);
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  [[nodiscard]] const std::map<uint32_t, Judgement>& known() const { return known_; }  // by number of mutant
  // Error: the first one of all.
  Status add(uint32_t number, const Judgement& judgement);

 private:
  ResultFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  Status begin(const std::string& key);
  Status write(const std::string& text);
  [[nodiscard]] std::string line(const std::string& text) const;
  void take_over(std::string_view line);

  const std::string path_;
  const int descriptor_;
  FileLock lock_;
  std::string key_;
  std::map<uint32_t, Judgement> known_;
  Status status_ = Success{};
};

}  // namespace cmc::mutate
