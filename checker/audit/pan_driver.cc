#include "checker/audit/pan_driver.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace cmc::audit {
namespace {

// Before pan.c and behind it; between them and what is made of the model are load_state(), store_state_of() and
// kClosesChains.
constexpr const char* kBegin = R"(#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include VERIFIER

enum { kMost = 1 << 16, kMostStates = 1 << 17 };
static int oracle_file = -1;
__attribute__((constructor)) static void oracle_open(void) {
  int nothing = open("/dev/null", O_RDWR);
  oracle_file = dup(0);
  for (int file = 0; file < 3; ++file) dup2(nothing, file);
}
static uint8_t *put_bytes(uint8_t *at, long long value, int bytes) {
  for (int i = 0; i < bytes; ++i) *at++ = (uint8_t)((unsigned long long)value >> 8 * i);
  return at;
}
static long long get_bytes(const uint8_t *at, int bytes, int is_signed) {
  unsigned long long value = 0;
  for (int i = 0; i < bytes; ++i) value |= (unsigned long long)at[i] << 8 * i;
  if (is_signed && bytes < 8 && (value >> (8 * bytes - 1) & 1)) value |= ~0ULL << 8 * bytes;
  return (long long)value;
}
)";

constexpr const char* kEnd = R"(
struct Vector { uint32_t size; uint8_t *bytes; };
static struct Vector found[kMostStates], open_states[kMostStates];
static uint32_t found_count, open_count, open_next, flags;
static char error_text[1024];
static int asked;

static void read_all(void *to, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t count = read(oracle_file, (char *)to + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) exit(0);
    done += (size_t)count;
  }
}
static void write_all(const void *from, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t count = write(oracle_file, (const char *)from + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) exit(0);
    done += (size_t)count;
  }
}
static void write_number(uint32_t number) { write_all(&number, 4); }

static void answer(void) {
  write_number(flags);
  write_number((uint32_t)strlen(error_text));
  write_all(error_text, strlen(error_text));
  write_number(found_count);
  for (uint32_t i = 0; i < found_count; ++i) {
    write_number(found[i].size);
    write_all(found[i].bytes, found[i].size);
    free(found[i].bytes);
  }
  for (uint32_t i = 0; i < open_count; ++i) free(open_states[i].bytes);
  found_count = open_count = open_next = flags = 0;
  error_text[0] = 0;
}
static void add(struct Vector *to, uint32_t *count, int holder, int once) {
  static uint8_t vector[kMost];
  uint32_t size = store_vector(vector, holder);
  for (uint32_t i = 0; once && i < *count; ++i) {
    if (to[i].size == size && memcmp(to[i].bytes, vector, size) == 0) return;
  }
  if (*count == kMostStates) { flags |= 4; return; }
  to[*count].size = size;
  to[*count].bytes = memcpy(malloc(size), vector, size);
  ++*count;
}

static void oracle_error(char *text) {
  if (strcmp(text, "invalid end state") == 0) { flags |= 1; return; }
  flags |= 2;
  if (error_text[0] == 0) snprintf(error_text, sizeof error_text, "%s", text);
}
static void oracle_fatal_error(char *text) {
  oracle_error(text);
  if (asked) answer();
  exit(1);
}
/* In place of pop_bfs(): the next state of an atomic sequence, or the next question. */
static Trail *oracle_next(void) {
  static Trail trail;
  static uint8_t vector[kMost];
  const uint8_t *from = vector;
  uerror = oracle_error;
  Uerror = oracle_fatal_error;
  boq = -1;
  memset(&trail, 0, sizeof trail);
  if (open_next < open_count) {
    from = open_states[open_next++].bytes;
  } else {
    uint32_t size = 0;
    if (asked) answer();
    asked = 1;
    read_all(&size, 4);
    if (size > kMost) exit(1);
    read_all(vector, size);
  }
  load_vector(from);
  trail.o_tt = 0;
  if (from[1] != 255) { trail.tau = 8; trail.pr = from[1]; }
  return &trail;
}
/* In place of store_state(): a successor. */
static void oracle_found(Trail *next, int shortcut, short oboq) {
  (void)shortcut, (void)oboq;
  if (!asked) return; /* the initial state of the search */
  if (next->tau & 8) {
    kClosesChains ? add(open_states, &open_count, next->pr, 1) : add(found, &found_count, next->pr, 0);
  } else {
    add(found, &found_count, 255, 0);
  }
}
/* Whether an atomic sequence that cannot go on is over: its state is one of the model's then. */
static int oracle_blocked(void) {
  if (kClosesChains) add(found, &found_count, 255, 0);
  return kClosesChains;
}
)";

// pan.c with other functions where its search takes states and finds them. False: it is not as it should be.
bool change_verifier(std::string& text) {
  return replace_all(text, "while ((otrpt = pop_bfs()))", "while ((otrpt = oracle_next()))") &&
         replace_all(text, "store_state(ntrpt, ", "oracle_found(ntrpt, ") &&
         replace_all(text, "trpt->tau &= ~(1|8);\t/* 1=timeout",
                     "if (oracle_blocked()) continue; trpt->tau &= ~(1|8);\t/* 1=timeout");
}

// What stands between "typedef struct P<n> { /* <name> */" and "}".
struct Frame {
  std::string type;  // "P0"
  std::string fields;
};
std::optional<Frame> frame_of(const std::string& header, const std::string& proctype) {
  const size_t name = header.find(fmt::format(" {{ /* {} */\n", proctype));
  if (name == std::string::npos) return {};
  const size_t type = header.rfind(' ', name - 1) + 1;
  const size_t end = header.find("\n}", name);
  if (end == std::string::npos) return {};
  return Frame{header.substr(type, name - type), header.substr(name, end - name)};
}

// The fields of a frame that are the variable of that name, or those of inner blocks, in the order of the blocks:
// "j", "_4_1_j", "_4_2_j".
std::vector<std::string> fields_of(const Frame& frame, const std::string& name) {
  std::vector<std::string> fields;
  for (size_t at = frame.fields.find(name); at != std::string::npos; at = frame.fields.find(name, at + 1)) {
    const size_t end = at + name.size();
    size_t begin = at;
    while (begin > 0 && is_word_character(frame.fields[begin - 1])) --begin;
    const std::string prefix = frame.fields.substr(begin, at - begin);
    const bool of_block = prefix.empty() || (prefix.front() == '_' && prefix.back() == '_' &&
                                             prefix.find_first_not_of("_0123456789") == std::string::npos);
    const char next = end < frame.fields.size() ? frame.fields[end] : '\0';
    if (of_block && begin > 0 && (next == ';' || next == '[' || next == ' ')) fields.push_back(prefix + name);
  }
  std::ranges::sort(fields);
  return fields;
}

// Lines that copy each element of a variable, in both directions.
class Copies {
 public:
  // `base`: what stands in front of its name in C; `name`: instead of Variable::name up to the first dot.
  void add(const Variable& variable, const std::string& base, const std::string& name) {
    const size_t dot = variable.name.find('.');
    const std::string first = name + (dot == std::string::npos ? "" : variable.name.substr(dot));
    add_elements(variable, 0, base + first, variable.offset);
  }
  std::string load;
  std::string store;

 private:
  void add_elements(const Variable& variable, size_t dimension, const std::string& text, uint32_t offset) {
    if (dimension < variable.dimensions.size()) {
      const Variable::Dimension& each = variable.dimensions[dimension];
      for (uint32_t i = 0; i < each.count; ++i)
        add_elements(variable, dimension + 1, fmt::format("{}[{}]{}", text, i, each.suffix),
                     offset + i * each.stride);
      return;
    }
    const ScalarType& type = variable.type;
    load += fmt::format("  {} = get_bytes(at + {}, {}, {});\n", text, offset, type.bytes, type.is_signed() ? 1 : 0);
    store += fmt::format("  put_bytes(to + {}, {}, {});\n", offset, text, type.bytes);
  }
};

const char* obstacle(const Model& model) {
  if (model.hidden_bytes > 0) return "hidden variables";
  if (!model.channel_types.empty()) return "channels";
  if (model.uses_priority) return "priorities";
  if (model.uses_last) return "_last";
  if (!model.guards.empty()) return "guards for a solver";
  return nullptr;
}

}  // namespace

Verdict make_pan_driver(const Model& model, bool closes_chains, std::string source, const std::string& header,
                        PanDriver& driver) {
  if (const char* const what = obstacle(model); what != nullptr)
    return bad_input(fmt::format("--oracle pan: the model has {}, which are not carried over to SPIN", what));
  if (!change_verifier(source)) return bad_input("--oracle pan: this version of SPIN writes another verifier");
  Copies globals;
  for (const Variable& variable : model.globals)
    globals.add(variable, "now.", variable.name.substr(0, variable.name.find('.')));
  std::string load_frames;
  std::string store_frames;
  std::string types;
  for (size_t i = 0; i < model.proctypes.size(); ++i) {
    const Proctype& type = model.proctypes[i];
    const std::optional<Frame> frame = frame_of(header, type.is_init ? ":init:" : type.name);
    if (!frame) return bad_input(fmt::format("--oracle pan: SPIN has no proctype {}", type.name));
    Copies copies;
    std::map<std::string, size_t> met;
    std::string last;
    for (const Variable& variable : type.variables) {
      const std::string name = variable.name.substr(0, variable.name.find('.'));
      const std::vector<std::string> fields = fields_of(*frame, name);
      // The fields of one structure are several variables.
      const std::string whole = name + variable.distinction;
      if (whole != last) ++met[name];
      last = whole;
      if (met[name] > fields.size())
        return bad_input(fmt::format("--oracle pan: SPIN has no variable {} in {}", name, type.name));
      copies.add(variable, fmt::format("(({} *)pptr(h))->", frame->type), fields[met[name] - 1]);
    }
    const std::string number = frame->type.substr(1);
    types += fmt::format("  if (type == {}) return {};\n", i, number);
    load_frames +=
        fmt::format("  if (at[0] == {}) {{\n{}  return at + {};\n  }}\n", i, copies.load, type.frame_bytes);
    store_frames += fmt::format(
        "  if (((P0 *)pptr(h))->_t == {}) {{\n  memset(to, 0, {});\n  to[0] = {}; to[1] = 1;\n"
        "  put_bytes(to + 2, ((P0 *)pptr(h))->_p, 2);\n{}  return to + {};\n  }}\n",
        number, type.frame_bytes, i, copies.store, type.frame_bytes);
  }
  // As many parameters as the verifier's addproc() has.
  const size_t begin = source.find("\naddproc(int calling_pid, int priority, int n");
  if (begin == std::string::npos) return bad_input("--oracle pan: this version of SPIN writes another verifier");
  const std::string signature = source.substr(begin, source.find(')', begin) - begin);
  std::string zeros;
  for (size_t at = signature.find("int par"); at != std::string::npos; at = signature.find("int par", at + 1))
    zeros += ", 0";
  driver.program = kBegin;
  driver.program += fmt::format("enum {{ kClosesChains = {} }};\n", closes_chains ? 1 : 0);
  driver.program += "static int type_of(int type) {\n" + types + "  exit(1);\n}\n";
  driver.program +=
      "static const uint8_t *load_frame(const uint8_t *at, int h) {\n" + load_frames + "  exit(1);\n}\n";
  driver.program += "static uint8_t *store_frame(uint8_t *to, int h) {\n" + store_frames + "  exit(1);\n}\n";
  driver.program += fmt::format(
      "static void load_vector(const uint8_t *at) {{\n"
      "  const int count = at[0];\n"
      "  memset(&now, 0, sizeof(State));\n  vsize = sizeof(State) - VECTORSZ;\n"
      "#ifndef NOVSZ\n  now._vsz = vsize;\n#endif\n  iniglobals(258);\n{}  at += {};\n"
      "  for (int h = 0; h < count; ++h) {{\n    addproc(-1, 1, type_of(at[0]){});\n"
      "    ((P0 *)pptr(h))->_p = get_bytes(at + 2, 2, 0);\n    at = load_frame(at, h);\n  }}\n}}\n",
      globals.load, model.global_bytes, zeros);
  driver.program += fmt::format(
      "static uint32_t store_vector(uint8_t *vector, int holder) {{\n"
      "  uint8_t *to = vector;\n  memset(to, 0, {0});\n  to[0] = now._nr_pr; to[1] = holder;\n{1}  to += {0};\n"
      "  for (int h = 0; h < now._nr_pr; ++h) to = store_frame(to, h);\n  return to - vector;\n}}\n",
      model.global_bytes, globals.store);
  driver.program += kEnd;
  driver.verifier =
      "struct Trail; static struct Trail *oracle_next(void);\n"
      "static void oracle_found(struct Trail *, int, short);\nstatic int oracle_blocked(void);\n" +
      source;
  return std::nullopt;
}

}  // namespace cmc::audit
