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

struct Place {
  std::string file;  // empty: unknown
  std::uint32_t line = 0;
  std::uint32_t column = 0;  // 0: unknown
};

// An error in a model's text.
struct Mistake {
  std::string message;
  Place place;
};

struct Error {
  std::string message;                 // of a model: the diagnostics, with file, line and column
  std::vector<Mistake> mistakes = {};  // the same, one by one; empty: the error is another one
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
  [[nodiscard]] const std::vector<Mistake>& mistakes() const { return std::get<1>(content_).mistakes; }

 private:
  std::variant<T, Error> content_;
};

enum class Verdict : std::uint8_t { kHolds, kViolated, kIncomplete };

struct Action {
  std::uint32_t pid = 0;  // 255: the never claim
  std::string process;    // name of its proctype
  std::string statement;
  Place place;
};

struct Step {
  Action action;
  std::optional<Action> receiver;    // of a rendezvous
  std::vector<std::string> changes;  // "x: 0 -> 1"; of a choice of a Session
};

struct Value {
  std::string name;  // "x", "x[2]", "s.f", "P[1].y" for a local of process 1
  std::string text;  // a number, the name of an mtype or channel
  // Of a channel; the first one is the first to be received: "ack,3".
  std::optional<std::vector<std::string>> messages = std::nullopt;
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

  // All counterexamples, those of `violations` first, each with its last `most_steps` steps (0: all): cmc.trace/1, or
  // a page in HTML that needs no other file. They are made of the model again. Empty: there is none.
  [[nodiscard]] std::string traces(std::size_t most_steps = 100'000) const;
  [[nodiscard]] std::string page(std::size_t most_steps = 100'000) const;
  // Counterexample `number` of them, from 0, as `cmc replay` and Session::load() read it. Error: there is none.
  [[nodiscard]] Result<std::string> trail(std::size_t number = 0) const;

  struct Evidence;
  std::shared_ptr<const Evidence> evidence;  // for these three
};

// The states of a model and the steps between them.
struct Graph {
  enum class Kind : std::uint8_t { kPlain, kEnd, kInvalidEnd, kError };
  struct Node {
    Kind kind = Kind::kPlain;  // kError: no state, but where a step leads that an error cuts
    std::uint32_t depth = 0;   // steps from the initial state, the fewest
    bool expanded = true;      // false: a limit was reached, its steps are not there
    std::string text;          // the whole state, in lines; of an error, its message
  };
  struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t pid = 0;
    std::string process;    // "P[1]"
    std::string statement;  // "x = (x+1)"
    std::string changes;    // "x: 0 -> 1, q: empty -> [1]"
    bool error = false;     // the step raises one: an assertion fails
  };
  std::vector<Node> nodes;  // [0] is the initial state
  std::vector<Edge> edges;
  bool complete = true;
  std::string reason;  // why it is not
  std::string svg;     // a picture; empty: there are more than 500 nodes
};

class Session;
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

  // At most so many states, breadth first. `options`: those of `cmc graph`, but for those about output.
  [[nodiscard]] Result<Graph> graph(std::size_t most_states, const std::vector<std::string>& options = {},
                                    const std::atomic<bool>* stop = nullptr) const;

  // A run in the initial state.
  [[nodiscard]] Result<Session> start() const;

  // What the front end warns of, with places, as the program prints it.
  [[nodiscard]] const std::string& warnings() const;

 private:
  friend struct CheckResult;
  friend class Session;
  friend class Program;
  struct Content;
  explicit Model(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  std::shared_ptr<const Content> content_;
};

// A run that is walked in both directions. Position 0 is the initial state; a position is a number of choices. What
// was walked or loaded stays behind the position until another choice is made. Not thread-safe.
class Session {
 public:
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  [[nodiscard]] std::uint64_t position() const;
  [[nodiscard]] std::uint64_t length() const;
  // From this position on a loaded run is repeated for ever.
  [[nodiscard]] std::optional<std::uint64_t> loop_start() const;

  // What can happen now, in SPIN's order. Empty: the run has ended, it is stuck, or an error ended it.
  [[nodiscard]] std::vector<Step> choices() const;
  [[nodiscard]] std::vector<Value> values() const;
  // Some process is not at a valid end, and none can move.
  [[nodiscard]] bool is_stuck() const;
  // "error: assertion violated: (x==1)", "invalid end state: no process can move"; empty: the run goes on. Behind a
  // failed assertion it may have choices nevertheless.
  [[nodiscard]] std::string end() const;
  // Why it ends so: sentences.
  [[nodiscard]] std::vector<std::string> why() const;
  // An expression of the model's language as the process sees it, without one as seen from outside. Error: it is
  // none.
  [[nodiscard]] Result<std::string> evaluate(const std::string& expression,
                                             std::optional<std::uint32_t> pid = {}) const;

  // Takes a step, also one that fails, which end() says then. Error: there is no such choice.
  [[nodiscard]] Result<std::monostate> take(std::size_t choice);
  // Takes at most so many steps, those that lie ahead, then random ones, until the run ends; returns how many it
  // took.
  std::uint64_t run(std::uint64_t steps, std::uint64_t seed = 1, const std::atomic<bool>* stop = nullptr);
  // Error: nobody has been there.
  [[nodiscard]] Result<std::monostate> go_to(std::uint64_t position);
  // Goes to the nearest state from here in which the expression is not 0, breadth first. False: there is none. Error:
  // the expression is none, or a limit was reached: then the run stays.
  [[nodiscard]] Result<bool> find(const std::string& expression, std::optional<std::uint32_t> pid = {},
                                  double most_seconds = 10, const std::atomic<bool>* stop = nullptr);
  // A trail of CMC or SPIN instead of this run, at its start. Error: it is none, or none of this model.
  [[nodiscard]] Result<std::monostate> load(const std::string& trail);

  // The run up to here, at least its last `most_steps` steps (0: all): cmc.trace/1, a page.
  [[nodiscard]] std::string trace(std::size_t most_steps = 100'000) const;
  [[nodiscard]] std::string page(std::size_t most_steps = 100'000) const;

 private:
  friend class Model;
  struct Content;
  explicit Session(std::unique_ptr<Content> content);
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
