#include "checker/cli/signals.h"

#include <algorithm>
#include <csignal>
#include <iterator>

namespace cmc {
namespace {

constexpr int kSignalExitCodes = 128;

// A signal handler can reach nothing but globals.
std::atomic<bool> interrupted = false;
std::atomic<int> first_signal = SIGINT;
std::atomic<bool> report_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler must not wait for a lock");

constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};

void handle(int number) {
  if (interrupted.load(std::memory_order_relaxed)) return;
  first_signal.store(number, std::memory_order_relaxed);
  interrupted.store(true, std::memory_order_relaxed);
}

void handle_request(int /*number*/) { report_requested.store(true, std::memory_order_relaxed); }

bool is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// What the parent ignored or blocked would stay so: then the ends of own processes are not told, or Ctrl-C does
// nothing.
void forget_inherited() {
  std::signal(SIGCHLD, SIG_DFL);
  sigset_t used;
  sigemptyset(&used);
  for (const int number : kEnding) sigaddset(&used, number);
  for (const int number : {SIGUSR1, SIGCHLD, SIGPIPE, SIGXFSZ}) sigaddset(&used, number);
  sigprocmask(SIG_UNBLOCK, &used, nullptr);
}

}  // namespace

const std::atomic<bool>& catch_signals() {
  for (const int number : kEnding) {
    if (number == SIGHUP && is_ignored(number)) continue;
    struct sigaction action {};
    action.sa_handler = handle;
    sigemptyset(&action.sa_mask);
    if (number != SIGXCPU) action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(number, &action, nullptr);
  }
  struct sigaction request {};
  request.sa_handler = handle_request;
  sigemptyset(&request.sa_mask);
  request.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &request, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  forget_inherited();
  return interrupted;
}

bool take_report_request() { return report_requested.exchange(false, std::memory_order_relaxed); }

int interrupted_exit_code() { return kSignalExitCodes + first_signal.load(std::memory_order_relaxed); }

bool is_interrupted_exit_code(int exit_code) {
  return std::ranges::find(kEnding, exit_code - kSignalExitCodes) != std::end(kEnding);
}

}  // namespace cmc
