#include "checker/mutate/child_pool.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <vector>

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

namespace cmc::mutate {
namespace {

constexpr int kPollMilliseconds = 100;

bool write_all(int file, const void* data, size_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::send(file, next, bytes, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    next += written;
    bytes -= static_cast<size_t>(written);
  }
  return true;
}

// The child's side of the socket: a number comes, the answer goes with its length in front.
[[noreturn]] void serve(int file, const ChildWork& work) {
  for (uint64_t task = 0;;) {
    const ssize_t got = ::recv(file, &task, sizeof task, MSG_WAITALL);
    if (got < 0 && errno == EINTR) continue;
    if (got != sizeof task) ::_exit(0);
    const std::string answer = work.work(task);
    const uint64_t bytes = answer.size();
    if (!write_all(file, &bytes, sizeof bytes) || !write_all(file, answer.data(), bytes)) ::_exit(0);
  }
}

class Pool {
 public:
  explicit Pool(const ChildWork& work) : work_(work) {}
  ~Pool() {
    for (Child& each : children_) end(each);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  bool run() {
    while (work_.goes_on() && (next_ < work_.tasks || busy() > 0)) {
      fill();
      if (children_.empty()) return false;  // no process can be made
      wait();
    }
    return next_ == work_.tasks && busy() == 0;
  }

 private:
  struct Child {
    pid_t process = 0;
    int file = -1;
    bool busy = false;
    size_t task = 0;
    double since = 0;
    std::string received = {};
  };

  [[nodiscard]] size_t busy() const { return static_cast<size_t>(std::ranges::count(children_, true, &Child::busy)); }

  // Gives each child something to do, and makes children as long as there is.
  void fill() {
    for (Child& each : children_) give(each);
    while (next_ < work_.tasks && children_.size() < work_.jobs && begin()) give(children_.back());
  }

  bool begin() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
    const pid_t process = ::fork();
    if (process == 0) {
      ::close(ends[0]);
      for (const Child& other : children_) ::close(other.file);
      serve(ends[1], work_);
    }
    ::close(ends[1]);
    if (process < 0) {
      ::close(ends[0]);
      return false;
    }
    children_.push_back({process, ends[0]});
    return true;
  }

  void give(Child& child) {
    if (child.busy || next_ == work_.tasks) return;
    child.task = next_++;
    child.busy = true;
    child.since = clock_.wall_seconds();
    child.received.clear();
    const uint64_t task = child.task;
    static_cast<void>(write_all(child.file, &task, sizeof task));  // a dead child is noticed by its end of file
  }

  void wait() {
    std::vector<pollfd> files;
    for (const Child& each : children_) files.push_back({each.file, POLLIN, 0});
    if (::poll(files.data(), files.size(), kPollMilliseconds) < 0) return;
    for (size_t i = files.size(); i-- > 0;) {
      const bool late = children_[i].busy && clock_.wall_seconds() - children_[i].since > work_.most_seconds;
      const bool dead = late || (files[i].revents != 0 && !receive(children_[i]));
      if (!dead) continue;
      Child child = std::move(children_[i]);
      children_.erase(children_.begin() + static_cast<ptrdiff_t>(i));
      end(child);
      if (child.busy) work_.on_end(child.task, std::nullopt);
    }
  }

  // False: the child has died.
  bool receive(Child& child) {
    std::array<char, 65536> buffer{};
    const ssize_t got = ::recv(child.file, buffer.data(), buffer.size(), 0);
    if (got < 0) return errno == EINTR;
    if (got == 0) return false;
    child.received.append(buffer.data(), static_cast<size_t>(got));
    uint64_t bytes = 0;
    if (child.received.size() < sizeof bytes) return true;
    std::memcpy(&bytes, child.received.data(), sizeof bytes);
    if (child.received.size() - sizeof bytes < bytes) return true;
    child.busy = false;
    work_.on_end(child.task, child.received.substr(sizeof bytes));
    return true;
  }

  static void end(const Child& child) {
    ::close(child.file);
    ::kill(child.process, SIGKILL);
    while (::waitpid(child.process, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  const ChildWork& work_;
  const SystemClock clock_;
  std::vector<Child> children_;
  size_t next_ = 0;
};

}  // namespace

bool run_in_children(const ChildWork& work) { return Pool(work).run(); }

}  // namespace cmc::mutate
