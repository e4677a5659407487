#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "ir/expression.h"
#include "ir/property.h"

// The intermediate representation of a Promela model: what the front end (promela/) produces and what generators
// (checker/generator, checker/vm) execute. Plain data; validate.h checks its invariants, dump.h prints it.
//
// A model is a set of proctypes, each a graph of locations (SPIN's state numbers) and edges (one basic statement
// each, as SPIN produces with -o1 -o2 -o3, after its elimination of intermediate states), and a layout of the state
// vector.
//
// State vector (offsets in bytes; all integers little-endian, no alignment):
//
//   [hidden globals] [header] [globals] [contents of global channels] [frame of pid 0] [frame of pid 1] ...
//
//   header:  number of processes (1), pid of the process that holds atomicity or 255 (1), `_last` (1, always present)
//   frame:   proctype (1), priority (1), location (2), locals, contents of the channels that the process owns
//   channel: number of messages (2), then `capacity` slots of message_bytes each; free slots are zero;
//            a rendezvous channel has capacity 0: two bytes that stay zero
//
// Two states are equal iff their vectors are equal from hidden_bytes on. Frames have a fixed size per proctype, so
// the offset of a frame is the sum of those before it. Processes end in reverse order of creation only, as SPIN has
// it.
//
// A channel variable holds a channel id: 0 is "none"; global channels have 1..G in the order of Model::channels; the
// channels of process p follow those of process p-1, in the order of its proctype's channels.

namespace cmc {

inline constexpr uint8_t kNoProcess = 255;  // also the limit: pids are 0..254
inline constexpr uint32_t kMaxProcesses = 255;
inline constexpr uint32_t kMaxChannels = 255;
inline constexpr uint32_t kHeaderBytes = 3;
inline constexpr uint32_t kFrameHeaderBytes = 4;
inline constexpr uint32_t kFrameProctype = 0;  // offsets inside a frame
inline constexpr uint32_t kFramePriority = 1;
inline constexpr uint32_t kFrameLocation = 2;
inline constexpr uint32_t kChannelHeaderBytes = 2;

using ProctypeId = uint8_t;
using LocationId = uint16_t;  // SPIN's state number; 0 is "no location" (the target of the end of a process)

// A declared variable, or one leaf field of a variable of a typedef type: everything that printing needs.
// Element (i0, i1, ...) lies at offset + i0*dims[0].stride + ... and is called base[i0]suffix0[i1]suffix1...
struct Variable {
  struct Dimension {
    uint32_t count = 0;
    uint32_t stride = 0;  // bytes
    std::string suffix;   // ".field" or ".field.field" after the index; may be empty
  };
  std::string name;         // "x" or "x.field" up to the first index
  std::string distinction;  // "@12" where several variables of a proctype have this name, for people; else empty
  ScalarType type;
  Space space = Space::kGlobal;
  uint32_t offset = 0;  // bytes, in its space
  std::vector<Dimension> dimensions;
  bool hidden = false;  // declared `hidden`: not part of a state's identity
  bool is_parameter = false;
  SourcePlace place;
};

// What a channel can hold. Fields of typedef type are flattened into their scalar fields.
struct ChannelType {
  uint32_t capacity = 0;       // messages; 0: rendezvous
  uint32_t message_bytes = 0;  // sum of the fields' sizes
  std::vector<ScalarType> fields;
  std::vector<uint32_t> field_offsets;  // bytes within a message

  [[nodiscard]] bool rendezvous() const { return capacity == 0; }
  [[nodiscard]] uint32_t bytes() const { return kChannelHeaderBytes + capacity * message_bytes; }
};

// A channel that exists in every state (global), or in every process of a proctype (local, created with the process).
struct ChannelInstance {
  std::string name;     // "q", "q[2]", "s.q"
  uint32_t type = 0;    // index into Model::channel_types
  uint32_t offset = 0;  // of its contents: in the state vector (global) or in the frame (local)
};

// One step of initialising globals (at the start) or locals (when a process is created, after its parameters).
// All memory is zero before. `channel` >= 0: the target gets the id of that instance (index into channels).
struct Initializer {
  VariableReference target;
  ExpressionId value = kNoExpression;
  int32_t channel = -1;
};

struct Edge {
  StatementId statement = 0;
  LocationId target = 0;
  LocationId escape = 0;  // SPIN's e_trans: 0, or the location of the `unless` escape that this edge comes from
  uint32_t element = 0;   // SPIN's number of the statement, which trails name; copies made by flattening share it
  bool atomic = false;    // after this step the process goes on without interleaving
};

struct Location {
  std::vector<Edge> edges;  // in SPIN's order: escapes first, `else` last of its selection
  SourcePlace place;
  std::string text;  // what SPIN's listing of unreached states shows for it
  std::vector<std::string> labels;
  bool valid_end = false;  // `end` label or end of the body
  bool accepting = false;
  bool progress = false;
  bool generic = false;  // a jump, `skip` or `else`: never listed as unreached
};

struct Proctype {
  std::string name;  // "init" for init
  SourcePlace place;
  bool is_init = false;
  bool deterministic = false;                 // D_proctype
  uint32_t frame_bytes = kFrameHeaderBytes;   // header, locals, owned channels
  std::vector<Variable> variables;            // parameters first
  std::vector<VariableReference> parameters;  // flattened scalars, in the order of `run`'s arguments
  std::vector<ChannelInstance> channels;
  std::vector<Initializer> initializers;
  ExpressionId provided = kNoExpression;
  std::vector<Location> locations;  // index: LocationId; entry 0 unused
  LocationId start = 0;
  LocationId end = 0;  // the location before the end of the process
  // SPIN's numbers of statements: location i is that of element i - 1 + first_element, if it has an edge of its own.
  uint32_t first_element = 0;

  // The location of the statement that the edge is, or is a copy of.
  [[nodiscard]] LocationId owner(const Edge& edge) const {
    return static_cast<LocationId>(edge.element - first_element + 1);
  }
};

// A process that exists in the initial state. Its parameters, if any, are zero.
struct ActiveProcess {
  ProctypeId proctype = 0;
  uint8_t priority = 1;
};

// An automaton of Model::claims that runs beside the processes. Its state is a frame in the space of the globals,
// with kFrameProctype 0, or 1 behind a state in which the system is blocked (checker/product explains why).
struct Observer {
  uint32_t claim = kNoClaim;  // index into Model::claims; none: there is no such automaton
  uint32_t offset = 0;        // of its frame in the state vector

  [[nodiscard]] bool exists() const { return claim != kNoClaim; }
};

// What becomes of a value that does not fit the variable or field that it is stored in. It loses its upper bits in
// any case.
enum class Overflow : uint8_t {
  kIgnored,
  kShown,    // traces show it
  kWarning,  // whoever executes the statement notes it
  kError,    // the same, and it is an error of the model
};
// The first three can be asked for.
inline constexpr EnumName<Overflow> kOverflowNames[] = {{"error", Overflow::kError},
                                                        {"warn", Overflow::kWarning},
                                                        {"off", Overflow::kIgnored},
                                                        {"shown", Overflow::kShown}};

struct Model {
  std::vector<std::string> files;                    // as the user wrote them; [0] is the model itself
  std::vector<std::vector<std::string>> mtype_sets;  // names; value v is element v-1; set 0: unnamed
  std::vector<std::string> mtype_set_names;          // [0] is ""

  std::vector<Expression> expressions;
  std::vector<Statement> statements;
  std::vector<SolverGuard> guards;

  std::vector<Variable> globals;
  std::vector<ChannelType> channel_types;
  std::vector<ChannelInstance> channels;  // global ones
  std::vector<Initializer> initializers;
  std::vector<Proctype> proctypes;
  std::vector<ActiveProcess> active;  // in order of pid
  std::vector<Property> properties;
  // Never claims, traces and notraces: automata beside the processes, which no process runs. Their statements and
  // expressions are in the arenas. In a trace, a send's message is a pattern: in Statement::arguments, kMatch or
  // kDiscard, like that of a receive.
  std::vector<Proctype> claims;
  std::vector<Formula> formulas;  // of the properties of kind ltl; children before parents
  // Which of the claims run (checker/product): none in what the front end makes.
  Observer claim;  // a never claim: it moves before each step of the system
  Observer trace;  // a trace or notrace: it moves with each send and receive that it names

  uint32_t hidden_bytes = 0;  // prefix of the state vector that is not part of its identity
  uint32_t global_bytes = 0;  // offset of the first frame: hidden, header, globals, global channels

  bool uses_priority = false;      // a priority clause, get_priority, set_priority or _priority occurs
  bool uses_last = false;          // _last occurs: it is part of the state, else the byte stays zero
  bool uses_timeout = false;       // a process or a formula mentions it; never claims do not count
  bool has_rendezvous = false;     // a rendezvous channel is declared
  bool escapes_like_java = false;  // -J: inner escapes before outer ones, as nested `catch` in Java
  Overflow overflow = Overflow::kShown;

  [[nodiscard]] bool notes_overflow() const { return overflow >= Overflow::kWarning; }
  [[nodiscard]] uint32_t header_offset() const { return hidden_bytes; }
  [[nodiscard]] uint32_t process_count_offset() const { return hidden_bytes; }
  [[nodiscard]] uint32_t atomic_holder_offset() const { return hidden_bytes + 1; }
  [[nodiscard]] uint32_t last_offset() const { return hidden_bytes + 2; }
};

}  // namespace cmc
