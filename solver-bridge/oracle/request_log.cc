#include "solver-bridge/oracle/request_log.h"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "base/files/file.h"

namespace cmc::solver {

namespace {

std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

}  // namespace

RequestLog::~RequestLog() {
  if (file_ != nullptr) std::fclose(file_);
}

Status RequestLog::open(const std::string& path) {
  file_ = std::fopen(path.c_str(), "we");
  if (file_ == nullptr) return system_error("write", path, errno);
  write("seconds\tticket\tconstraint\tgoal\tfrom\toutcome\tms\tsolving ms\twitnesses\treason\n");
  return Success{};
}

// The log is for people who look into a run: a full disk under it must not end the search.
void RequestLog::write(std::string_view text) { static_cast<void>(std::fwrite(text.data(), 1, text.size(), file_)); }

void RequestLog::note_loss(const std::string& why, uint64_t asked_again) {
  if (file_ == nullptr) return;
  write(fmt::format("{:.6f}\t-\t-\t-\tworker\tdied\t-\t-\t-\t{}; {} asked again\n", clock_.wall_seconds() - start_,
                    on_one_line(why), asked_again));
  std::fflush(file_);
}

void RequestLog::note(const Completed& completed, const Query& query) {
  if (file_ == nullptr) return;
  const Answer& answer = completed.answer;
  write(fmt::format("{:.6f}\t{}\t{}\t{}\t{}\t{}\t{:.3f}\t{:.3f}\t{}\t{}\n", clock_.wall_seconds() - start_,
                    completed.ticket, query.constraint->key().substr(0, 8), name_of(query.question.goal),
                    name_of(answer.from), name_of(answer.outcome), completed.seconds * 1000,
                    completed.solving_seconds * 1000, answer.witnesses.size(), on_one_line(answer.reason)));
  if (!answer.decided()) std::fflush(file_);
}

}  // namespace cmc::solver
