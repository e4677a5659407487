#include "solver-bridge/pool/worker_pool.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "solver-bridge/protocol/endpoint.h"
#include "solver-bridge/protocol/payload.h"

namespace cmc::solver {

namespace {

// libzmq's context, with its threads, mailboxes and epolls, and something in reserve.
constexpr unsigned kDescriptorsOfContext = 12;

uint32_t scaled(uint32_t limit, uint32_t effort) {
  return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{limit} * effort, UINT32_MAX));
}

}  // namespace

WorkerPool::WorkerPool(PoolOptions options, const Clock& clock)
    : options_(std::move(options)), clock_(clock), active_wait_(options_.wait) {}

WorkerPool::~WorkerPool() {
  for (const auto& slot : slots_) slot->supervisor.stop();
}

void WorkerPool::make_slots() {
  if (context_ || trouble_) return;
  if (!is_local(fmt::format("tcp://{}:0", options_.tcp_address)) && options_.transport == Transport::kTcp &&
      !options_.keys) {
    return open_breaker(
        fmt::format("the solver worker's address {} can be reached by other machines: that needs CURVE keys",
                    options_.tcp_address));
  }
  if (!descriptors_are_free(kDescriptorsOfContext)) {
    return open_breaker("the solver cannot be used: this process may not open enough files");
  }
  try {
    context_ = std::make_unique<zmq::context_t>(1);
  } catch (const zmq::error_t& error) {
    return open_breaker(fmt::format("the solver cannot be used: {}", error.what()));
  }
  for (unsigned i = 0; i < std::max(options_.workers, 1u); ++i) {
    slots_.push_back(std::make_unique<Slot>(*context_, options_, clock_));
  }
}

Ticket WorkerPool::submit(Query query) {
  CHECK(query.constraint && fits(query.question, *query.constraint));
  make_slots();
  ++figures_.submitted;
  Job job{.ticket = ++last_ticket_, .query = std::move(query), .submitted = clock_.wall_seconds()};
  const Ticket ticket = job.ticket;
  const auto refused = refused_.find(job.query.constraint->key());
  const auto poison = poison_.empty() ? poison_.end() : poison_.find(cache_key(job.query));
  if (trouble_) {
    complete(job, Answer::unknown(*trouble_));
  } else if (job.query.constraint->text().size() > kMaxPayloadBytes / 2) {
    complete(job, Answer::unknown("the constraint is too large"));
  } else if (refused != refused_.end()) {
    complete(job, Answer::unknown(refused->second));
  } else if (poison != poison_.end()) {
    complete(job, Answer::unknown(poison->second));
  } else {
    queue_.push_back(std::move(job));
    dispatch();
  }
  return ticket;
}

std::vector<Completed> WorkerPool::collect(double seconds) {
  const double deadline = clock_.wall_seconds() + seconds;
  while (true) {
    dispatch();
    const double until = done_.empty() ? std::min(deadline, next_deadline()) : 0;
    const bool undisturbed = wait(until - clock_.wall_seconds());
    process_events();
    check_deadlines();
    dispatch();
    const bool nothing_to_wait_for = queue_.empty() && in_flight_ == 0;
    if (!done_.empty() || nothing_to_wait_for || !undisturbed || clock_.wall_seconds() >= deadline) {
      return std::exchange(done_, {});
    }
  }
}

std::vector<pid_t> WorkerPool::worker_pids() const {
  std::vector<pid_t> pids;
  for (const auto& slot : slots_) {
    if (slot->supervisor.pid() > 0) pids.push_back(slot->supervisor.pid());
  }
  return pids;
}

void WorkerPool::retry() {
  poison_.clear();
  trouble_.reset();
  losses_ = 0;
}

// No more workers than there is work for.
void WorkerPool::start_workers() {
  size_t wanted = queue_.size();
  for (const auto& slot : slots_) {
    if (!slot->supervisor.is_down() && !slot->flight && wanted > 0) --wanted;
  }
  for (const auto& slot : slots_) {
    if (wanted == 0) return;
    if (slot->flight || !slot->supervisor.is_due()) continue;
    --wanted;
    ++figures_.starts;
    slot->prepared.clear();
    slot->next_request_id = 1;
    slot->queries = 0;
    ++last_epoch_;
    slot->supervisor.start(last_epoch_, !options_.chaos.empty() && last_epoch_ <= options_.chaos_workers);
  }
}

void WorkerPool::dispatch() {
  if (queue_.empty()) return;
  start_workers();
  for (const auto& slot : slots_) {
    if (queue_.empty()) return;
    if (slot->flight || !slot->supervisor.is_ready()) continue;
    std::vector<Job> jobs = take_batch(slot->queries == 0);
    if (!jobs.empty()) {
      send_flight(*slot, std::move(jobs));
    } else {
      slot->supervisor.stop();  // to be started anew
    }
  }
}

// The oldest query, and more about the same constraint, if more wait than there are workers. A query that a worker
// has died of is tried again in a fresh worker only, where no earlier query can be the cause. None: all of them are
// such.
std::vector<WorkerPool::Job> WorkerPool::take_batch(bool is_fresh) {
  std::vector<Job> jobs;
  const size_t share = std::min<size_t>(options_.max_batch, queue_.size() / slots_.size());
  const auto can_share = [](const Job& job) { return !job.alone && !job.query.cold && job.query.effort == 1; };
  const auto takes = [is_fresh](const Job& job) { return is_fresh || job.deaths == 0; };
  auto place = std::find_if(queue_.begin(), queue_.end(), takes);
  while (place != queue_.end() && takes(*place)) {
    const bool fits_in = jobs.empty() || (jobs.size() < share && can_share(jobs[0]) && can_share(*place) &&
                                          place->query.constraint->key() == jobs[0].query.constraint->key());
    if (!fits_in) break;
    jobs.push_back(std::move(*place));
    place = queue_.erase(place);
  }
  return jobs;
}

void WorkerPool::send_flight(Slot& slot, std::vector<Job> jobs) {
  const Query& first = jobs[0].query;
  const std::string& key = first.constraint->key();
  Flight flight;
  set_deadlines(flight, first.effort);
  if (!slot.prepared.contains(key)) {
    PayloadWriter payload;
    write(payload, *first.constraint);
    flight.prepare_id = slot.next_request_id++;
    slot.supervisor.send(Function::kPrepare, flight.prepare_id, payload.bytes());
    slot.prepared.insert(key);
    for (Job& job : jobs) ++job.prepares;
  }
  PayloadWriter payload;
  if (jobs.size() > 1) payload.u32(static_cast<uint32_t>(jobs.size()));
  for (const Job& job : jobs) {
    write(payload, SolveRequest{.constraint_key = key,
                                .question = job.query.question,
                                .rlimit = scaled(options_.rlimit, job.query.effort),
                                .cold = job.query.cold});
  }
  flight.request_id = slot.next_request_id++;
  if (slot.supervisor.is_ready()) {
    slot.supervisor.send(jobs.size() > 1 ? Function::kSolveBatch : Function::kSolve, flight.request_id,
                         payload.bytes());
  }
  ++figures_.messages;
  in_flight_ += jobs.size();
  jobs[0].since = clock_.wall_seconds();
  flight.jobs = std::move(jobs);
  slot.flight = std::move(flight);
  active_wait_.restart();
}

void WorkerPool::set_deadlines(Flight& flight, uint32_t effort) {
  const double now = clock_.wall_seconds();
  flight.soft_deadline = now + options_.soft_limit_seconds * effort;
  flight.hard_deadline = now + options_.hard_limit_seconds * effort;
}

double WorkerPool::next_deadline() const {
  double next = HUGE_VAL;
  for (const auto& slot : slots_) {
    if (const auto own = slot->supervisor.next_deadline(!queue_.empty())) next = std::min(next, *own);
    if (!slot->flight) continue;
    next = std::min(next, slot->flight->cancelled ? slot->flight->hard_deadline : slot->flight->soft_deadline);
  }
  return next;
}

// False: a signal has come.
bool WorkerPool::wait(double seconds) {
  std::vector<zmq_pollitem_t> items;
  for (const auto& slot : slots_) slot->supervisor.append_poll_items(items);
  const double milliseconds = std::ceil(std::clamp(seconds, 0.0, 3600.0) * 1000);
  const int code = active_wait_.poll(items, static_cast<long>(milliseconds));
  return code >= 0 || zmq_errno() != EINTR;
}

void WorkerPool::check_deadlines() {
  const double now = clock_.wall_seconds();
  for (const auto& slot : slots_) {
    if (!slot->flight) continue;
    Flight& flight = *slot->flight;
    if (now >= flight.hard_deadline) {
      ++figures_.hard_timeouts;
      slot->supervisor.lose(fmt::format("it did not answer for {} s", options_.hard_limit_seconds));
      for (const WorkerEvent& event : slot->supervisor.process()) handle(*slot, event);
    } else if (now >= flight.soft_deadline && !flight.cancelled && slot->supervisor.is_ready()) {
      ++figures_.soft_timeouts;
      flight.cancelled = true;
      PayloadWriter payload;
      payload.u64(flight.request_id);
      slot->supervisor.send(Function::kCancel, slot->next_request_id++, payload.bytes());
    }
  }
}

void WorkerPool::complete(const Job& job, Answer answer) {
  done_.push_back({.ticket = job.ticket,
                   .answer = std::move(answer),
                   .seconds = clock_.wall_seconds() - job.submitted,
                   .solving_seconds = job.solving_seconds});
}

void WorkerPool::open_breaker(const std::string& why) {
  if (!trouble_) trouble_ = why;
  for (const auto& slot : slots_) {
    slot->supervisor.stop();
    if (!slot->flight) continue;
    for (const Job& job : slot->flight->jobs) complete(job, Answer::unknown(*trouble_));
    slot->flight.reset();
  }
  in_flight_ = 0;
  for (const Job& job : queue_) complete(job, Answer::unknown(*trouble_));
  queue_.clear();
}

bool WorkerPool::echo(size_t bytes) {
  for (const auto& slot : slots_) {
    if (slot->flight || !slot->supervisor.is_ready()) continue;
    slot->echoed = false;
    slot->supervisor.send(Function::kEcho, slot->next_request_id++, Bytes(bytes));
    active_wait_.restart();
    while (!slot->echoed && slot->supervisor.is_ready()) {
      [[maybe_unused]] const bool undisturbed = wait(1);
      process_events();
    }
    return slot->echoed;
  }
  return false;
}

}  // namespace cmc::solver
