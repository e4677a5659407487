#include "checker/cli/options/spin_words.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"

namespace cmc {
namespace {

struct SpinWord {
  std::string_view word;
  const char* hint;
};

constexpr const char* kExact = "CMC keeps states exactly, and on disk what memory does not hold";
constexpr const char* kOwnLine = "SPIN's own command lines go with `cmc spin`";

// Of `cmc check`. A word that is one letter can have a number behind it.
constexpr SpinWord kOptions[] = {
    {"-a", "all that the model states is decided, acceptance cycles too"},
    {"-b", "there is no depth limit that could be exceeded"},
    {"-c", "CMC has --max-errors N"},
    {"-e", "CMC has --max-errors 0"},
    {"-f", "CMC has --fairness weak"},
    {"-i", "CMC looks for a shortest counterexample anyway; for `spin -i`: cmc simulate --interactive"},
    {"-l", "CMC has --property non-progress"},
    {"-m", "there is no depth limit"},
    {"-n", "CMC has --quiet; for `spin -n`: cmc simulate --seed N"},
    {"-N", "CMC has --property NAME"},
    {"-p", "CMC has `cmc simulate`, and `cmc replay MODEL TRAIL`"},
    {"-r", "CMC has `cmc replay MODEL TRAIL`"},
    {"-t", "CMC has `cmc replay MODEL TRAIL`"},
    {"-u", "CMC has `cmc simulate --max-steps N`"},
    {"-w", "the table of states grows as it must"},
    {"--never", "a never claim stands in the model, or --ltl FORMULA states what it says"},
    {"-ltl", "CMC has --property NAME"},
    {"-bfs", "CMC has --search bfs"},
    {"-bfspar", "CMC has --threads N"},
    {"-noclaim", "CMC has --property safety"},
    {"-noreduce", "CMC has --reductions none"},
    {"-safety", "CMC has --property safety"},
    {"-np", "CMC has --property non-progress"},
    {"--bitstate", kExact},
    {"-bitstate", kExact},
    {"-bit", kExact},
    {"-hc", kExact},
    {"-collapse", "states are compressed anyway"},
    {"-run", "`cmc check` is it"},
    {"-search", "`cmc check` is it"},
};

constexpr const char* kNotNeeded = "CMC needs nothing for that";

constexpr SpinWord kMacros[] = {
    {"NOREDUCE", "CMC has --reductions none"},
    {"BITSTATE", kExact},
    {"HC", kExact},
    {"HC4", kExact},
    {"SAFETY", "CMC has --property safety"},
    {"NOCLAIM", "CMC has --property safety"},
    {"NP", "CMC has --property non-progress"},
    {"BFS", "CMC has --search bfs"},
    {"BFS_PAR", "CMC has --threads N"},
    {"NCORE", "CMC has --threads N"},
    {"MEMLIM", "CMC has --memory SIZE"},
    {"VECTORSZ", kNotNeeded},
    {"NFAIR", kNotNeeded},
    {"NOFAIR", kNotNeeded},
    {"COLLAPSE", kNotNeeded},
    {"MA", kNotNeeded},
    {"REACH", kNotNeeded},
    {"XUSAFE", kNotNeeded},
    {"NXT", kNotNeeded},
    {"NOBOUNDCHECK", "CMC always looks whether an index is within bounds"},
};

bool is_of(std::string_view option, std::string_view word) {
  if (option == word) return true;
  const bool has_number =
      word.size() == 2 && option.starts_with(word) &&
      std::all_of(option.begin() + 2, option.end(), [](unsigned char c) { return std::isdigit(c); });
  return has_number;
}

bool has_word(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    if (begins && (end == text.size() || !is_word_character(text[end]))) return true;
  }
  return false;
}

}  // namespace

std::string spin_option_hint(Command command, std::string_view option) {
  for (const SpinWord& each : kOptions) {
    if (!is_of(option, each.word)) continue;
    switch (command) {
      case Command::kCheck:
      case Command::kProfile: return fmt::format("; {} ({})", each.hint, kOwnLine);
      case Command::kSimulate:
      case Command::kReplay: return fmt::format("; {}", kOwnLine);
      default: return "";
    }
  }
  return "";
}

std::vector<std::string> spin_macro_notes(const std::vector<std::string>& macros,
                                          const std::vector<std::string_view>& texts) {
  std::vector<std::string> notes;
  for (const std::string& macro : macros) {
    const std::string_view name = std::string_view(macro).substr(0, macro.find('='));
    const auto of_spin = std::ranges::find(kMacros, name, &SpinWord::word);
    if (of_spin == std::end(kMacros)) continue;
    if (std::ranges::any_of(texts, [&](std::string_view text) { return has_word(text, name); })) continue;
    notes.push_back(fmt::format("note: the model does not use {}; -D{} is for the compilation of SPIN's verifier: {}",
                                name, macro, of_spin->hint));
  }
  return notes;
}

}  // namespace cmc
