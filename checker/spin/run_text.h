#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/trace/step_text.h"
#include "ir/model.h"
#include "ir/state_printer.h"

// A run as `spin` prints it when it simulates a model or follows a trail: lines that scripts and graphical front ends
// read. What differs: a d_step is one line.

namespace cmc::spin {

struct RunTextOptions {
  bool statements = false;     // -p
  bool globals = false;        // -g
  bool locals = false;         // -l
  bool receives = false;       // -r
  bool sends = false;          // -s
  bool guided = true;          // -t
  bool all_values = false;     // -w: of every variable at every step
  bool for_interface = false;  // -X: for graphical interfaces, which read it
  bool quiet_prints = false;   // -b
  bool final_state = true;     // not -B
  bool indents = true;         // not -T
  uint64_t skipped = 0;        // -jN
};

class RunText {
 public:
  using Sink = std::function<void(std::string_view)>;
  RunText(const Model& model, RunTextOptions options, Sink sink)
      : model_(model), options_(options), sink_(std::move(sink)) {}

  // The notes that SPIN begins with, and the processes that the initial state has.
  void start(ByteView state);
  // `depth`: as SPIN counts. `after` is empty if an error cut the step, which `errors` tell.
  void step(uint64_t depth, const Step& step, ByteView before, ByteView after,
            const std::vector<RuntimeError>& errors);
  // A statement that fails and ends the run.
  void fail(const std::vector<RuntimeError>& errors);
  void time_out() { sink_(margin(0) + "timeout\n"); }
  // Of a run whose steps somebody chooses.
  [[nodiscard]] std::string choice_text(ByteView state, const Step& step) const;
  [[nodiscard]] std::string prompt(size_t choices) const;
  // Without a second process or choice there is nothing to ask.
  [[nodiscard]] bool asks(ByteView state, size_t choices) const;
  void begin_cycle() { sink_("  <<<<<START OF CYCLE>>>>>\n"); }
  // The end of the run and, unless -B, its last state.
  void finish(ByteView state, uint64_t depth);
  // The same behind fail(), in whose statement's way the run ends.
  void finish_failed(ByteView state, uint64_t depth);

 private:
  // A channel's number is that of its first use, as in SPIN.
  class QueueNumbers {
   public:
    [[nodiscard]] uint32_t of(uint32_t channel) const {
      const auto known = numbers_.find(channel);
      return known == numbers_.end() ? 0 : known->second;
    }
    void enter(uint32_t channel) {
      if (!numbers_.try_emplace(channel, next_).second) return;
      ++next_;
      fresh_.insert(channel);
    }
    void begin_step() { fresh_.clear(); }
    // Whether it was entered in this step.
    [[nodiscard]] bool fresh(uint32_t channel) const { return fresh_.contains(channel); }
    void forget_from(uint32_t channel) { numbers_.erase(numbers_.lower_bound(channel), numbers_.end()); }

   private:
    std::map<uint32_t, uint32_t> numbers_;
    std::set<uint32_t> fresh_;
    uint32_t next_ = 1;
  };
  struct Actor {
    uint8_t pid = 0;
    const Edge* edge = nullptr;
  };

  void note_channels(ByteView state, const Statement& statement);
  void note_channels(ByteView state, ExpressionId expression);
  void note_new_processes(ByteView before, ByteView after);
  void print_creation(uint64_t depth, const Actor& actor, const StateImage& before, const StateImage& after);
  void print_rendezvous(uint64_t depth, const Actor& sender, const Step& step, ByteView before_bytes,
                        const StateImage& before, const StateImage& after);
  [[nodiscard]] std::string margin(uint8_t pid) const {
    return std::string(options_.indents ? 6 + 4 * size_t{pid} : 0, ' ');
  }
  void enter_symbol(ByteView state, std::string_view symbol);

  // "file:line (state 3)", with the mark of an end.
  [[nodiscard]] std::string place_text(const Actor& actor, const Proctype& proctype) const;
  void print_final_state(ByteView state, uint64_t depth);
  void print_actor(uint64_t depth, const Actor& actor, const StateImage& before);
  void print_message(uint64_t depth, const Actor& actor, const Step& step, const StateImage& before,
                     const StateImage& after, ByteView before_bytes);
  void print_error(const RuntimeError& error);
  void begin_depth(uint64_t depth, ByteView before);
  void print_values(const Actor& actor, const StateImage& after);
  void print_variables(const std::vector<Variable>& variables, const std::vector<NamedValue>& before,
                       const std::vector<NamedValue>& after, const std::string& owner, const StateImage& state,
                       bool all, const std::vector<uint32_t>& assigned = {}, const StateImage* previous = nullptr);
  void print_queue(const std::string& owner, const std::string& name, const std::string& channel,
                   const StateImage& state, const StateImage* before);
  [[nodiscard]] std::string message_text(const std::string& values, const StateImage& state) const;
  [[nodiscard]] std::string process_text(uint64_t depth, const ProcessImage& process) const;
  [[nodiscard]] std::string file_name(const SourcePlace& place) const;
  [[nodiscard]] std::string error_prefix(const SourcePlace& place) const;
  [[nodiscard]] const Proctype& proctype_of(const ProcessImage& process) const;

  const Model& model_;
  RunTextOptions options_;
  Sink sink_;
  QueueNumbers queues_;
  uint32_t created_ = 0;
  // Merged statements have one depth, and SPIN shows what changed at the depth: since this state.
  Bytes since_;
  uint64_t since_depth_ = ~uint64_t{0};
  std::vector<uint32_t> assigned_;  // locals, since then
};

// The text of a statement as SPIN's verifier lists it: "((x==1))", "goto L", "printf('%d\n',x)".
[[nodiscard]] std::string listed_text(std::string text);

// The statement as SPIN shows it in a run, where each backslash of a `printf` is two.
[[nodiscard]] std::string statement_text(const Statement& statement);

// "init" is ":init:" in SPIN's texts.
[[nodiscard]] std::string proctype_text(const Proctype& proctype);

}  // namespace cmc::spin
