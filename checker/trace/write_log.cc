#include "checker/trace/write_log.h"

#include <algorithm>

#include "checker/trace/step_text.h"

namespace cmc {

uint32_t WriteLog::writer(ByteView state, uint8_t pid) {
  const std::string label = process_label(model_, state, pid);
  const auto [found, is_new] = writer_numbers_.try_emplace(label, static_cast<uint32_t>(writers_.size()));
  if (is_new) writers_.push_back(label);
  return found->second;
}

void WriteLog::step(const RunStep& run) {
  if (run.number == 0 || run.after.empty()) return;
  arrivals_[run.step.pid] = run.number;
  if (run.step.partner != kNoProcess) arrivals_[run.step.partner] = run.number;
  const Entry entry{run.number, writer(run.before, run.step.pid)};
  const size_t common = std::min(run.before.size(), run.after.size());
  entries_.resize(std::max(common, entries_.size()));
  for (size_t i = 0; i < common; ++i) {
    if (run.before[i] != run.after[i]) entries_[i] = entry;
  }
  entries_.resize(run.after.size(), entry);
}

WriteLog::Write WriteLog::last(const ByteRange& bytes) const {
  Entry latest;
  for (size_t i = bytes.begin; i < std::min(bytes.begin + bytes.size, entries_.size()); ++i) {
    if (entries_[i].number > latest.number) latest = entries_[i];
  }
  return latest.number == 0 ? Write{} : Write{latest.number, writers_[latest.writer]};
}

uint64_t WriteLog::arrival(uint8_t pid) const {
  const auto found = arrivals_.find(pid);
  return found == arrivals_.end() ? 0 : found->second;
}

}  // namespace cmc
