#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/explore/views.h"
#include "checker/session/counterexample.h"
#include "checker/session/find.h"
#include "checker/session/walk.h"

namespace cmc::explore {

// What the page may ask for, on one run of a model. A message is an object {"do": NAME, ...}; the answer is what the
// page then shows. What may take long, such as a search for a state, is done in slices, between which other messages
// are read: "cancel" is one of them, and whatever else would move the run is refused meanwhile. No message is an
// error of the program: an answer has "said" for people.
class Explorer {
 public:
  // `program`: cmc, for checks. The walk outlives this object.
  Explorer(session::Walk& walk, std::string program) : walk_(walk), program_(std::move(program)) {}

  // None: it takes longer, and go_on() answers.
  [[nodiscard]] std::optional<Json> act(const Json& message);
  // A slice of some 20 ms of what is on the way. REQUIRES: is_busy().
  [[nodiscard]] std::optional<Json> go_on();
  [[nodiscard]] bool is_busy() const { return job_ != nullptr; }
  // The client that asked for it has gone, or wants it no more: the next go_on() says so.
  void cancel() { is_cancelled_ = true; }
  // The page has told the program to end.
  [[nodiscard]] bool has_ended() const { return has_ended_; }

  // A trail, before the page is there. Error: it is none of this model.
  [[nodiscard]] Status load(const std::string& trail);

 private:
  // What is on its way: says what came of it, or none if it goes on.
  using Job = std::function<std::optional<std::string>()>;
  struct Action;
  static const Action kActions[];

  std::string forward(const Json& message);
  std::string back(const Json& message);
  std::string go_to(const Json& message);
  std::string choose(const Json& message);
  std::string take(const Json& message);
  std::string random(const Json& message);
  std::string run(const Json& message);
  std::string reverse(const Json& message);
  std::string find(const Json& message);
  std::string counterexample(const Json& message);
  std::string command(const Json& message);
  std::string toggle(const Json& message);
  std::string remove(const Json& message);
  std::string show(const Json& message);
  std::string hide(const Json& message);
  std::string compare(const Json& message);
  std::string view(const Json& message);
  std::string end(const Json& message);

  [[nodiscard]] Json answer(const std::string& said);
  [[nodiscard]] Json shown_view();
  [[nodiscard]] Json breakpoints_view() const;
  session::Session& run() { return walk_.run(); }

  session::Walk& walk_;
  const std::string program_;
  std::unique_ptr<Job> job_;
  std::atomic<bool> is_cancelled_ = false;
  bool has_ended_ = false;
  uint64_t revision_ = 0;  // of the rows that the page knows
  struct Compared {
    uint64_t position = 0;
    Bytes state;
  };
  std::optional<Compared> compared_;  // with which states are compared; none: the one before
  struct Shown {
    std::string text;
    uint8_t pid = kNoProcess;
  };
  std::vector<Shown> shown_;  // expressions whose values are shown
  uint32_t graph_depth_ = 0;  // 0: no neighbourhood is shown
  uint64_t around_ = 0;       // rows around the position that come with an answer
};

}  // namespace cmc::explore
