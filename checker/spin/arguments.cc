#include "checker/spin/arguments.h"

#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace cmc::spin {
namespace {

Error unknown(std::string_view option) {
  return Error{fmt::format("there is no option '{}'; `cmc spin --help` lists what there is", option)};
}

// Sets the number behind the first `letters` characters of an option.
Status set_number(std::string_view option, size_t letters, uint64_t& to) {
  const std::optional<uint64_t> value = parse_number<uint64_t>(option.substr(letters));
  if (!value) return Error{fmt::format("'{}' needs a number: {}N", option, option.substr(0, letters))};
  to = *value;
  return Success{};
}

constexpr const char* kExact = "CMC's search is exact and needs no such switch";

// What stands for itself: compile-time switches without effect on a verdict, or that CMC answers exactly.
struct Switch {
  std::string_view name;  // of a macro, without -D
  const char* note;       // null: there is nothing to say
};
constexpr Switch kSwitches[] = {
    {"NOFAIR", nullptr},  {"XUSAFE", nullptr},  {"REACH", nullptr},  {"VECTORSZ", nullptr},     {"COLLAPSE", nullptr},
    {"NXT", nullptr},     {"PEG", nullptr},     {"MEMCNT", nullptr}, {"NOBOUNDCHECK", nullptr}, {"BFS_PAR", nullptr},
    {"BITSTATE", kExact}, {"HC", kExact},       {"HC0", kExact},     {"HC1", kExact},           {"HC2", kExact},
    {"HC3", kExact},      {"HC4", kExact},      {"MA", nullptr},     {"SC", nullptr},           {"NSUCC", nullptr},
    {"CHECK", nullptr},   {"VERBOSE", nullptr},
};

Status add_macro(VerifierArguments& to, std::string_view macro) {
  const std::string_view name = macro.substr(0, macro.find('='));
  const std::string_view value = name.size() < macro.size() ? macro.substr(name.size() + 1) : "";
  const std::optional<uint64_t> number = parse_number<uint64_t>(value);
  if (name == "NOREDUCE") {
    to.reduces = false;
  } else if (name == "BFS") {
    to.breadth_first = true;
  } else if (name == "NOCLAIM") {
    to.without_claim = true;
  } else if (name == "SAFETY") {
    to.safety_only = true;
  } else if (name == "NP") {
    to.non_progress = true;
  } else if (name == "NCORE" && number) {
    to.threads = *number;
  } else if (name == "MEMLIM" && number) {
    to.memory_megabytes = *number;
  } else {
    for (const Switch& each : kSwitches) {
      if (each.name != name) continue;
      if (each.note != nullptr) to.notes.push_back(fmt::format("-D{}: {}", macro, each.note));
      return Success{};
    }
    to.notes.push_back(fmt::format("-D{} is a switch of SPIN's verifier that means nothing here", macro));
  }
  return Success{};
}

// Options of `spin -run` with words.
bool add_word(VerifierArguments& to, std::string_view word) {
  if (word == "-noreduce") {
    to.reduces = false;
  } else if (word == "-noclaim") {
    to.without_claim = true;
  } else if (word == "-bfs" || word == "-bfspar") {
    to.breadth_first = true;
  } else if (word == "-safety") {
    to.safety_only = true;
  } else if (word == "-np") {
    to.non_progress = true;
  } else if (word == kCompiledFlag) {
    to.compiled = true;
  } else if (word == "-dfspar" || word == "-collapse" || word == "-permuted" || word == "-rhash" || word == "-hash") {
    return true;
  } else if (word == "-bit" || word == "-bitstate" || word == "-hc" || word == "-bcs" ||
             word.starts_with("-biterate") || word.starts_with("-swarm")) {
    to.notes.push_back(fmt::format("{}: {}", word, kExact));
  } else if (word.starts_with("-p_") || word.starts_with("-t_")) {
    to.notes.push_back(fmt::format("{}: the order in which processes are tried is CMC's own", word));
  } else {
    return false;
  }
  return true;
}

}  // namespace

Status VerifierArguments::add(const std::string& argument) {
  const std::string_view text = argument;
  if (text.size() < 2 || text.front() != '-') return unknown(text);
  if (text.starts_with("-D") && text.size() > 2) return add_macro(*this, text.substr(2));
  if (text.starts_with("-O") || text.starts_with("-W") || text.starts_with("-U"))
    return Success{};  // of the compiler
  if (add_word(*this, text)) return Success{};
  switch (text[1]) {
    case 'a': acceptance = true; return Success{};
    case 'A': assertions = false; return Success{};
    case 'c': return set_number(text, 2, stop_at);
    case 'C':
    case 'g':
    case 'S': follows_trail = true; return Success{};
    case 'e': all_trails = true; return Success{};
    case 'E': end_states = false; return Success{};
    case 'f': fair = true; return Success{};
    case 'l': non_progress = true; return Success{};
    case 'n': list_unreached = false; return Success{};
    case 'N': claim = text.substr(2); return Success{};
    case 'Q': return set_number(text, 2, minutes);
    case 'r': follows_trail = !text.starts_with("-rhash"); return Success{};
    case 't': trail_suffix = text.size() > 2 ? text.substr(2) : "trail"; return Success{};
    case 'V': prints_version = true; return Success{};
    case '?': prints_help = true; return Success{};
    case 'h': prints_help = text.size() == 2; return Success{};
    case 'i':
    case 'I':  // a short counterexample is what CMC looks for anyway
    case 'm':
    case 'w':
    case 'k':
    case 'M':
    case 'G':
    case 'v':
    case 'T':
    case 'x':
    case 'R':
    case 'P':
    case 'X':
    case 'Z': return Success{};  // sizes and searches without effect on an exact verdict
    case 'b': notes.push_back("-b: there is no depth limit that could be exceeded"); return Success{};
    case 'q':
      return Error{"-q (channels must be empty in valid end states) is not supported; state it as an assertion"};
    case 'J': return Error{"-J belongs to `spin`, in front of -run: cmc spin -J -run MODEL"};
    case 'd': prints_tables = true; return Success{};
    case 'D': prints_graphs = true; return Success{};
    default: return unknown(text);
  }
}

namespace {

// Words that spin knows beside its letters.
bool is_search(std::string_view text) { return text == "-run" || text == "-search"; }

class SpinParser {
 public:
  explicit SpinParser(std::span<const std::string> arguments) : arguments_(arguments) {}

  Result<SpinArguments> run() {
    while (at_ < arguments_.size()) {
      const std::string& argument = arguments_[at_++];
      const Status added = argument.starts_with('-') && argument != "-" ? option(argument) : model(argument);
      if (!added.ok()) return Error{added.error()};
    }
    const bool has_formula = !parsed_.formula.empty() || !parsed_.formula_file.empty();
    if (has_formula && parsed_.model.empty()) parsed_.action = Action::kTranslateFormula;
    const bool needs_model = parsed_.action != Action::kVersion && parsed_.action != Action::kHelp &&
                             parsed_.action != Action::kTranslateFormula;
    if (needs_model && parsed_.model.empty()) return Error{"no model: the last argument is the model's file"};
    parsed_.text.guided = parsed_.action == Action::kFollowTrail;
    return std::move(parsed_);
  }

 private:
  Status model(const std::string& file) {
    if (!parsed_.model.empty()) return Error{fmt::format("two models: '{}' and '{}'", parsed_.model, file)};
    parsed_.model = file;
    return Success{};
  }
  Result<std::string> following(std::string_view option) {
    if (at_ == arguments_.size()) return Error{fmt::format("'{}' needs a value after it", option)};
    return arguments_[at_++];
  }
  Status take(std::string_view option, std::string& to) {
    Result<std::string> value = following(option);
    if (!value.ok()) return Error{value.error()};
    to = std::move(value).value();
    return Success{};
  }

  Status option(const std::string& argument) {
    const std::string_view text = argument;
    if (text == "--help" || text == "-help") return set(Action::kHelp);
    if (is_search(text)) return set(Action::kVerify);
    if (parsed_.action == Action::kVerify) return verifier_option(argument);
    if (text == "-replay") return set(Action::kFollowTrail);
    if (text == "-pp") return Error{"-pp (reformatting a model) is not supported"};
    switch (text.size() > 1 ? text[1] : ' ') {
      case 'a': return set(Action::kWriteVerifier);
      case 'B': parsed_.text.final_state = false; break;
      case 'b': parsed_.text.quiet_prints = true; break;
      case 'c':
      case 'M': parsed_.notes.push_back("columns: `cmc replay --trace columns` draws them"); break;
      case 'D':
      case 'U': parsed_.preprocessor.push_back(argument); break;
      case 'E':
        if (text.starts_with("-E-D") || text.starts_with("-E-U") || text.starts_with("-E-I")) {
          parsed_.preprocessor.emplace_back(text.substr(2));
        }
        break;
      case 'd': return set(Action::kShowSymbols);
      case 'F': return take(text, parsed_.formula_file);
      case 'f': return take(text, parsed_.formula);
      case 'g': parsed_.text.globals = true; break;
      case 'h': parsed_.prints_seed = true; break;
      case 'I': return set(Action::kShowPreprocessed);
      case 'i': parsed_.interactive = true; break;
      case 'J': parsed_.escapes_like_java = true; break;
      case 'j': return set_number(text, 2, parsed_.text.skipped);
      case 'k': parsed_.action = Action::kFollowTrail; return take(text, parsed_.trail_file);
      case 'l': parsed_.text.locals = true; break;
      case 'm': return Error{"-m (messages sent to a full channel are lost) is not supported"};
      case 'N': return take(text, parsed_.claim_file);
      case 'n': parsed_.seed_given = true; return set_number(text, 2, parsed_.seed);
      case 'O': return Error{"-O (old scope rules, before SPIN 5.3) is not supported"};
      case 'o':
        if (text == "-o6" || text == "-o7") return Error{argument + " (old rules) is not supported"};
        break;  // optimisations of SPIN's verifier
      case 'P':
      case 'S': parsed_.notes.push_back(argument + " means nothing here"); break;
      case 'p': parsed_.text.statements = true; break;
      case 'r': parsed_.text.receives = true; break;
      case 's': parsed_.text.sends = true; break;
      case 'T': parsed_.text.indents = false; break;
      case 't':
        parsed_.action = Action::kFollowTrail;
        return text.size() > 2 ? set_number(text, 2, parsed_.trail_number) : Status(Success{});
      case 'u': return set_number(text, 2, parsed_.most_steps);
      case 'V': return set(Action::kVersion);
      case 'v': parsed_.verbose = true; break;
      case 'w': parsed_.text.all_values = true; break;
      case 'X':
        parsed_.text.for_interface = true;
        parsed_.text.indents = false;
        break;
      case 'W':
      case 'Y': break;  // with a pan that is there already; fewer steps in columns
      case 'Z': return Error{"-Z (only to preprocess, into a file) is not supported; -I prints the text"};
      case 'A':
      case 'C':
      case 'e':
      case 'L': return Error{argument + " is not supported; `cmc info` shows symbols and channels"};
      default: return unknown(text);
    }
    return Success{};
  }
  Status set(Action action) {
    parsed_.action = action;
    return Success{};
  }
  Status verifier_option(const std::string& argument) {
    if (argument == "-ltl") return take(argument, parsed_.verifier.claim);
    if (argument == "-link") return Error{"-link: there is no C program that a file could be linked to"};
    if (argument == "-N" && at_ < arguments_.size()) return take(argument, parsed_.verifier.claim);
    // Macros that are none of the verifier's are the model's.
    return parsed_.verifier.add(argument);
  }

  std::span<const std::string> arguments_;
  size_t at_ = 0;
  SpinArguments parsed_;
};

}  // namespace

Result<SpinArguments> parse_spin_arguments(std::span<const std::string> arguments) {
  return SpinParser(arguments).run();
}

}  // namespace cmc::spin
