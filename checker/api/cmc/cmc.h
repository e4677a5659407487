#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// CMC as a library: load a Promela model, check it, walk through its states. Errors are values; nothing is thrown but
// std::bad_alloc, and nothing is printed. The options are those of the program, as words: "-DN=3", "--time=10s".
//
// Version 0.x: the interface can still change. Namespaces other than cmc::api are no part of it.

namespace cmc::api {

struct Error {
  std::string message;  // of a model: the diagnostics, with file, line and column
};

// Either a value or an Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }
  // REQUIRES: ok(); std::bad_variant_access otherwise.
  [[nodiscard]] T& value() { return std::get<0>(content_); }
  [[nodiscard]] const T& value() const { return std::get<0>(content_); }
  // REQUIRES: !ok().
  [[nodiscard]] const std::string& error() const { return std::get<1>(content_).message; }

 private:
  std::variant<T, Error> content_;
};

enum class Verdict : std::uint8_t { kHolds, kViolated, kIncomplete };

struct Place {
  std::string file;  // empty: unknown
  std::uint32_t line = 0;
};

struct Action {
  std::uint32_t pid = 0;  // 255: the never claim
  std::string process;    // name of its proctype
  std::string statement;
  Place place;
};

struct Step {
  Action action;
  std::optional<Action> receiver;  // of a rendezvous
};

struct Value {
  std::string name;  // "x", "x[2]", "s.f", "P[1].y" for a local of process 1
  std::string text;  // a number, the name of an mtype or channel
};

struct Violation {
  std::string property;  // "safety", or the name of a formula, claim, ...
  std::string kind;      // "assertion", "invalid end state", "acceptance cycle", ...
  std::string message;
  Place place;
  std::vector<Step> trace;                // from the initial state; confirmed by the reference interpreter
  std::optional<std::size_t> loop_start;  // of a run that never ends: which step begins the loop
  std::vector<Value> final_values;        // in the last state
};

struct CheckResult {
  Verdict verdict = Verdict::kIncomplete;
  std::vector<std::string> reasons;  // why it is incomplete: sentences
  std::uint64_t states = 0;          // of the search for the first property
  std::uint64_t transitions = 0;
  std::vector<Violation> violations;  // one for each property that is violated
  std::string json;                   // everything: cmc.result/1
};

class Run;
class Program;

// A model that was read and understood. Copies share it. Const functions can be called by several threads.
class Model {
 public:
  // `options`: -D, -U, -I, -J, --promela-s, --ltl=FORMULA.
  [[nodiscard]] static Result<Model> load(const std::string& path, const std::vector<std::string>& options = {});
  // `name` is what messages call the text.
  [[nodiscard]] static Result<Model> parse(std::string text, const std::string& name = "model",
                                           const std::vector<std::string>& options = {});

  // `options`: those of `cmc check`, but for those about output. `stop`: set to true by another thread, it ends the
  // search, which then is incomplete. By default, a search uses all processors and 80 % of the memory.
  [[nodiscard]] Result<CheckResult> check(const std::vector<std::string>& options = {},
                                          const std::atomic<bool>* stop = nullptr) const;

  // A run from the initial state.
  [[nodiscard]] Result<Run> start() const;

 private:
  friend class Run;
  friend class Program;
  struct Content;
  explicit Model(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  std::shared_ptr<const Content> content_;
};

// A run, one step after the other. Not thread-safe.
class Run {
 public:
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  // What can happen now, in SPIN's order. Empty: the run has ended, or it is stuck.
  [[nodiscard]] const std::vector<Step>& choices() const;
  // Some process is not at a valid end, and none can move.
  [[nodiscard]] bool is_stuck() const;
  [[nodiscard]] std::vector<Value> values() const;

  // Error: there is no such choice, or it fails (an assertion, a run-time error). A run that failed stays where it
  // was, unless the model goes on behind the error (an assertion).
  [[nodiscard]] Result<std::monostate> take(std::size_t choice);

 private:
  friend class Model;
  struct Content;
  explicit Run(std::unique_ptr<Content> content);
  std::unique_ptr<Content> content_;
};

// A model that runs as a program: its processes take steps, the first that is possible, the youngest process first.
// External channels connect them with the world; `timeout` is the world's clock. Not thread-safe.
class Program {
 public:
  struct Channel {
    std::string name;  // "c", "c[2]"
    bool in = false;   // the world sends to it, processes receive from it; else the other way round
    std::uint32_t capacity = 0;
    std::uint32_t fields = 0;
  };

  // A program in its initial state. `external`: names of global channels with room for a message. `native`: what the
  // function cmc_native_model() of this model's native code returns; null: a virtual machine takes the steps. Error:
  // there is no such channel, its direction is not clear, or the code is that of another model.
  [[nodiscard]] static Result<Program> make(const Model& model, const std::vector<std::string>& external,
                                            const void* native = nullptr);
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  [[nodiscard]] const std::vector<Channel>& channels() const;

  // Lets processes step until none can, and returns how many steps they took. With `timeout`, one of them is a step
  // for which timeout is true, if one waits for that. Error: one of the model; the program is over.
  [[nodiscard]] Result<std::uint64_t> run(bool timeout = false);
  // All processes have ended.
  [[nodiscard]] bool ended() const;

  // `channel`: index into channels().
  [[nodiscard]] bool empty(std::size_t channel) const;
  [[nodiscard]] bool full(std::size_t channel) const;
  // The oldest message, which goes. REQUIRES: not empty.
  [[nodiscard]] std::vector<std::int32_t> pop(std::size_t channel);
  // Error: the channel is full, there are not as many fields, or a value does not fit its type.
  [[nodiscard]] Result<std::monostate> push(std::size_t channel, const std::vector<std::int32_t>& message);

  // Messages as text: values with blanks between, names of an mtype as such.
  [[nodiscard]] std::string to_text(std::size_t channel, const std::vector<std::int32_t>& message) const;
  [[nodiscard]] Result<std::vector<std::int32_t>> from_text(std::size_t channel, const std::string& text) const;

 private:
  struct Content;
  explicit Program(std::unique_ptr<Content> content);
  std::unique_ptr<Content> content_;
};

}  // namespace cmc::api
