#pragma once

#include <string>

#include "studies/transactions/transaction.h"
#include "studies/transactions/whole_file.h"

// The program of models/transactions: a transaction adds one to two counters; one that is not there becomes 0.

namespace cmc::test {

inline constexpr const char* kCounters[] = {"c1", "c2"};

// 0: it is not there; n + 1: it says n. As in the models.
inline uint8_t as_in_model(const FileContent& content) {
  return content ? static_cast<uint8_t>(std::stoi(*content) + 1) : uint8_t{0};
}

inline Result<Transaction::Outcome> add_one(Transaction& transaction, const std::string& counter) {
  const Result<Transaction::ReadOutcome> read = transaction.read(counter);
  if (!read.ok()) return Error{read.error()};
  if (read.value().outcome != Transaction::Outcome::kGoesOn) return read.value().outcome;
  const FileContent& content = read.value().content;
  if (content && (content->empty() || content->find_first_not_of("0123456789") != std::string::npos)) {
    return Error{"no number: " + *content};
  }
  return transaction.write(counter, content ? std::to_string(std::stoi(*content) + 1) : "0");
}

inline uint8_t counter(FolderFiles& files, const std::string& folder, const std::string& name) {
  Result<FileContent> content = files.read(folder + "/" + name);
  return content.ok() ? as_in_model(content.value()) : uint8_t{255};
}

}  // namespace cmc::test
