#include <algorithm>

#include <fmt/format.h>

#include "base/files/file.h"
#include "base/sha1.h"
#include "solver-bridge/pool/worker_pool.h"
#include "solver-bridge/protocol/payload.h"

// Messages of workers, and the queries of workers that die.

namespace cmc::solver {

namespace {

constexpr unsigned kMostPrepares = 3;  // of one query, before something is wrong

bool gave_up(const Answer& answer) {
  return !answer.decided() && (answer.reason == "interrupted" || answer.reason == "cancelled");
}

}  // namespace

void WorkerPool::process_events() {
  for (const auto& slot : slots_) {
    for (const WorkerEvent& event : slot->supervisor.process()) handle(*slot, event);
    if (slot->supervisor.is_ready()) was_ready_ = true;
  }
}

void WorkerPool::handle(Slot& slot, const WorkerEvent& event) {
  switch (event.kind) {
    case WorkerEvent::Kind::kReply: return handle_reply(slot, event);
    case WorkerEvent::Kind::kStarted: return note_started(slot, event);
    case WorkerEvent::Kind::kUnusable: return open_breaker(event.text);
    case WorkerEvent::Kind::kLost: break;
  }
  ++figures_.losses;
  const uint64_t asked_again = figures_.asked_again;
  // A worker that cannot be started beside others that work (too few file descriptors) is no reason to give up.
  const bool others_work =
      std::any_of(slots_.begin(), slots_.end(), [](const auto& other) { return other->supervisor.is_ready(); });
  if (!event.at_start || !others_work) ++losses_;
  if (slot.flight) take_back(*std::exchange(slot.flight, std::nullopt), event.text, event.from_outside);
  if (tell_loss_) tell_loss_(event.text, figures_.asked_again - asked_again);
  const bool never_started = event.at_start && !was_ready_ && losses_ >= options_.failed_starts_until_open;
  if (never_started || losses_ >= options_.deaths_until_open) {
    open_breaker(
        fmt::format("{} solver workers were lost one after the other; the last one: {}", losses_, event.text));
  }
}

// Of the query that the worker is at.
void WorkerPool::end_solving(Flight& flight, double now) {
  Job& job = flight.jobs[flight.started.value_or(0)];
  job.solving_seconds += now - job.since;
  job.since = now;
}

// Of all queries since the last STARTED: those that took too short a time to be told of are taken for equal.
void WorkerPool::share_solving(Flight& flight, double now) {
  const size_t first = flight.started.value_or(0);
  const double share = (now - flight.jobs[first].since) / static_cast<double>(flight.jobs.size() - first);
  for (size_t i = first; i < flight.jobs.size(); ++i) flight.jobs[i].solving_seconds += share;
}

// The time of the next query of a batch begins here.
void WorkerPool::note_started(Slot& slot, const WorkerEvent& event) {
  PayloadReader reader(event.payload);
  const uint32_t index = reader.u32();
  if (!reader.finished() || !slot.flight || slot.flight->request_id != event.header.request_id) return;
  Flight& flight = *slot.flight;
  if (index >= flight.jobs.size() || (flight.started && index <= *flight.started)) return;
  end_solving(flight, clock_.wall_seconds());
  flight.started = index;
  flight.jobs[index].since = clock_.wall_seconds();
  if (!flight.cancelled) set_deadlines(flight, flight.jobs[index].query.effort);
}

void WorkerPool::handle_reply(Slot& slot, const WorkerEvent& event) {
  const Header& header = event.header;
  if (header.function == Function::kEcho) {
    slot.echoed = true;
    return;
  }
  if (slot.flight && header.request_id == slot.flight->request_id) return finish_flight(slot, event);
  if (header.request_id >= slot.next_request_id)
    return slot.supervisor.lose("the solver worker answered a question that was not asked");
  const bool is_prepare = slot.flight && header.request_id == slot.flight->prepare_id;
  if (is_prepare && header.status == ReplyStatus::kError) {
    PayloadReader reader(event.payload);
    const std::string& key = slot.flight->jobs[0].query.constraint->key();
    refused_[key] = "the solver refuses the constraint: " + reader.string();
  }
  if (is_prepare && header.status == ReplyStatus::kOutOfMemory)
    slot.supervisor.lose("the solver worker ran out of memory");
  if (!is_prepare && header.function != Function::kCancel && header.function != Function::kPrepare)
    ++figures_.stale_replies;
}

void WorkerPool::finish_flight(Slot& slot, const WorkerEvent& event) {
  const ReplyStatus status = event.header.status;
  if (status == ReplyStatus::kOutOfMemory) return slot.supervisor.lose("the solver worker ran out of memory");
  Flight flight = *std::exchange(slot.flight, std::nullopt);
  in_flight_ -= flight.jobs.size();
  share_solving(flight, clock_.wall_seconds());
  if (status == ReplyStatus::kOk) return read_answers(slot, event, std::move(flight));
  if (status != ReplyStatus::kNeedPrepare) {
    PayloadReader reader(event.payload);
    const std::string text = fmt::format("the solver worker answered {}: {}", name_of(status), reader.string());
    for (const Job& job : flight.jobs) complete(job, Answer::unknown(text));
    return;
  }
  slot.prepared.erase(flight.jobs[0].query.constraint->key());
  const auto refused = refused_.find(flight.jobs[0].query.constraint->key());
  for (auto job = flight.jobs.rbegin(); job != flight.jobs.rend(); ++job) {
    if (refused != refused_.end()) {
      complete(*job, Answer::unknown(refused->second));
    } else if (job->prepares >= kMostPrepares) {
      complete(*job, Answer::unknown("the solver worker forgets the constraint again and again"));
    } else {
      queue_.push_front(std::move(*job));
    }
  }
}

void WorkerPool::read_answers(Slot& slot, const WorkerEvent& event, Flight flight) {
  PayloadReader reader(event.payload);
  const uint32_t memory_permille = reader.u32();
  std::vector<Answer> answers(reader.count(1));
  for (Answer& answer : answers) answer = read_answer(reader);
  if (!reader.finished() || answers.size() != flight.jobs.size()) {
    in_flight_ += flight.jobs.size();
    slot.flight = std::move(flight);
    return slot.supervisor.lose("the solver worker sent a reply that cannot be read");
  }
  losses_ = 0;
  slot.supervisor.succeeded();
  const bool in_batch = flight.jobs.size() > 1;
  for (size_t i = flight.jobs.size(); i-- > 0;) {
    Job& job = flight.jobs[i];
    if (flight.cancelled && gave_up(answers[i])) {
      if (in_batch) {
        job.alone = true;
        queue_.push_front(std::move(job));
        continue;
      }
      answers[i].reason =
          fmt::format("the time limit of {} s was reached", options_.soft_limit_seconds * job.query.effort);
    }
    ++figures_.answered;
    complete(job, std::move(answers[i]));
  }
  slot.queries += static_cast<unsigned>(flight.jobs.size());
  recycle(slot, memory_permille);
}

void WorkerPool::recycle(Slot& slot, uint32_t memory_permille) {
  if (slot.queries < options_.recycle_after_queries && memory_permille < options_.recycle_at_permille) return;
  ++figures_.recycled;
  slot.supervisor.stop();
}

void WorkerPool::blame(Job& job, bool from_outside) { ++(from_outside ? job.kills : job.deaths); }

// The queries of a lost worker, back into the queue.
void WorkerPool::take_back(Flight flight, const std::string& why, bool from_outside) {
  in_flight_ -= flight.jobs.size();
  end_solving(flight, clock_.wall_seconds());
  const bool in_batch = flight.jobs.size() > 1;
  if (!in_batch) blame(flight.jobs[0], from_outside);
  if (in_batch && flight.started) blame(flight.jobs[*flight.started], from_outside);
  for (size_t i = flight.jobs.size(); i-- > 0;) {
    flight.jobs[i].alone = flight.jobs[i].alone || in_batch;
    flight.jobs[i].prepares = 0;
    requeue_or_poison(std::move(flight.jobs[i]), why);
  }
}

void WorkerPool::requeue_or_poison(Job job, const std::string& why) {
  if (job.deaths < options_.deaths_until_poison && job.kills < options_.kills_until_poison) {
    ++figures_.asked_again;
    queue_.push_front(std::move(job));
    return;
  }
  ++figures_.poisoned;
  const std::string file = write_poison(job);
  const std::string reason = fmt::format("{} solver workers died of this query; the last one: {}{}{}",
                                         job.deaths + job.kills, why, file.empty() ? "" : "; see ", file);
  poison_[cache_key(job.query)] = reason;
  complete(job, Answer::unknown(reason));
}

// The file's path; "": there is none.
std::string WorkerPool::write_poison(const Job& job) const {
  if (options_.run_directory.empty()) return "";
  const std::string path =
      fmt::format("{}/poison-{}.smt2", options_.run_directory, sha1_hex(cache_key(job.query)).substr(0, 12));
  return write_file_atomically(path, to_smt2(job.query)).ok() ? path : "";
}

}  // namespace cmc::solver
