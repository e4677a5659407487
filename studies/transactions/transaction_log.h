#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "studies/transactions/whole_file.h"

namespace cmc {

// The log of a transaction, as bytes. No I/O.
//
//   log    = "CMCTXN1\n" record*
//   record = u32 length of the body, u64 XXH3 of it, body
//   body   = 't' scheme ('b' or 's')                                          first of all
//          | 'f' u8 there, u64 length, u64 hash, name                         a file was touched, and had this
//          version | 'w' u32 length of the name, name, content | 'r' name             its planned content, or removal
//          | 'e' u64 number of records before                                 end: the log is whole
//
// A later record of a file replaces an earlier one.

enum class TransactionScheme : uint8_t { kBuffered, kSnapshot };

struct TouchedFile {
  FileVersion version;   // as the transaction found it or, with snapshots, left it
  bool planned = false;  // buffered: whether it is to become `content`
  FileContent content;
};
using TouchedFiles = std::map<std::string, TouchedFile>;

struct TransactionLog {
  TransactionScheme scheme = TransactionScheme::kBuffered;
  TouchedFiles touched;
  uint64_t records = 0;  // without the end
  uint64_t bytes = 0;    // of these; behind them may be the end, or a record that was cut off
  bool ended = false;    // there is an end, and its number is right
};

[[nodiscard]] std::string log_begin(TransactionScheme scheme);
[[nodiscard]] std::string log_record(const std::string& name, const FileVersion& found);
[[nodiscard]] std::string log_record(const std::string& name, const FileContent& planned);
[[nodiscard]] std::string log_end(uint64_t records);

// Error: it is something else, or its begin is damaged.
[[nodiscard]] Result<TransactionLog> parse_log(const std::string& content);

}  // namespace cmc
