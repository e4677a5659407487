#include "checker/automata/stutter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "checker/automata/components.h"

namespace cmc::automata {

namespace {

using Marks = uint8_t;
constexpr Marks kAccepting = 1;
constexpr Marks kFinal = 2;

struct Arc {
  uint32_t target = 0;
  Marks marks = 0;
  friend bool operator==(const Arc&, const Arc&) = default;
};

// [state][letter]: edges
using Arcs = std::vector<std::vector<std::vector<Arc>>>;

// Number of the strongly connected component of each state.
std::vector<uint32_t> component_numbers(const LetterAutomaton& automaton) {
  std::vector<std::vector<uint32_t>> targets;  // by any letter
  for (const LetterAutomaton::State& state : automaton.states) {
    std::vector<uint32_t>& all = targets.emplace_back();
    for (const std::vector<uint32_t>& some : state.targets) all.insert(all.end(), some.begin(), some.end());
  }
  return components_of(targets).of;
}

class StutterCheck {
 public:
  explicit StutterCheck(const LetterAutomaton& automaton)
      : automaton_(automaton), count_(automaton.states.size()), components_(component_numbers(automaton)) {
    for (uint32_t state = 0; state < count_; ++state) {
      auto& own = own_.emplace_back();
      auto& asked = asked_.emplace_back();
      for (const std::vector<uint32_t>& targets : automaton.states[state].targets) {
        own.emplace_back();
        asked.emplace_back();
        for (const uint32_t target : targets) {
          own.back().push_back({target, most(state, target)});
          asked.back().push_back({target, least(state, target)});
        }
      }
    }
  }

  [[nodiscard]] bool is_closed() const {
    return accepts_shorter_words() && (stays_behind_edges() || stays_before_edges());
  }

 private:
  [[nodiscard]] const LetterAutomaton::State& state(uint32_t number) const { return automaton_.states[number]; }
  // The marks of an edge of A, as many as there may be and as few.
  [[nodiscard]] Marks most(uint32_t from, uint32_t to) const {
    const bool accepting = state(from).accepting || state(to).accepting || components_[from] != components_[to];
    return static_cast<Marks>((accepting ? kAccepting : 0) | (state(to).final ? kFinal : 0));
  }
  [[nodiscard]] Marks least(uint32_t from, uint32_t to) const {
    const bool accepting = state(to).accepting && components_[from] == components_[to];
    return static_cast<Marks>((accepting ? kAccepting : 0) | (state(to).final ? kFinal : 0));
  }

  // What is accepting about a step of the game in which an edge is answered.
  enum class Step : uint8_t { kAnswer, kEdgeOnly, kNeither };

  // Whether A answers the edge in a state by one that leads to a good position.
  template <class Good>
  [[nodiscard]] bool answers(uint32_t from, size_t letter, const Arc& edge, const Good& is_good) const {
    return std::ranges::any_of(own_[from][letter], [&](const Arc& own) {
      if ((edge.marks & kFinal) != 0 && (own.marks & kFinal) == 0) return false;
      return is_good(own.target, edge.target, step(edge.marks, own.marks));
    });
  }
  static Step step(Marks edge, Marks answer) {
    if ((answer & kAccepting) != 0) return Step::kAnswer;
    return (edge & kAccepting) != 0 ? Step::kEdgeOnly : Step::kNeither;
  }

  // The positions of the game that A wins: again and again its answers are accepting, or from some step on no edges
  // are. As a fixpoint, greatest X, least Y, greatest Z: A can step into X with an accepting answer, into Y where
  // only the edge is accepting, or into Z. `holds(position, good)`: A can answer so that it gets to a good one.
  template <class Holds>
  static std::vector<bool> won(size_t positions, const Holds& holds) {
    std::vector<bool> x(positions, true);
    for (;;) {
      std::vector<bool> y(positions, false);
      for (;;) {
        std::vector<bool> z = x;
        const auto good = [&](size_t position, Step step) -> bool {
          return step == Step::kAnswer ? x[position] : step == Step::kEdgeOnly ? y[position] : z[position];
        };
        for (bool fewer = true; fewer;) {
          fewer = false;
          for (size_t position = 0; position < positions; ++position) {
            if (!z[position] || holds(position, good)) continue;
            z[position] = false;
            fewer = true;
          }
        }
        if (z == y) break;
        y = std::move(z);
      }
      if (y == x) return x;
      x = std::move(y);
    }
  }

  // The edges of cl(A) behind a state, by one letter.
  [[nodiscard]] std::vector<Arc> closure(uint32_t from, size_t letter) const {
    std::vector<Arc> found = asked_[from][letter];
    for (size_t i = 0; i < found.size(); ++i) {
      for (const Arc& next : asked_[found[i].target][letter]) {
        Arc longer{next.target, static_cast<Marks>(found[i].marks | next.marks)};
        if (components_[from] != components_[longer.target]) longer.marks &= kFinal;
        if (std::ranges::find(found, longer) == found.end()) found.push_back(longer);
      }
    }
    return found;
  }

  // Simulation of cl(A).
  [[nodiscard]] bool accepts_shorter_words() const {
    Arcs closed(count_);
    for (uint32_t from = 0; from < count_; ++from) {
      for (size_t letter = 0; letter < automaton_.letters; ++letter) closed[from].push_back(closure(from, letter));
    }
    const auto at = [&](uint32_t p, uint32_t q) { return p * count_ + q; };
    const std::vector<bool> simulates = won(count_ * count_, [&](size_t position, const auto& good) {
      const auto p = static_cast<uint32_t>(position / count_);
      const auto q = static_cast<uint32_t>(position % count_);
      const auto is_good = [&](uint32_t answer, uint32_t target, Step step) {
        return good(at(answer, target), step);
      };
      for (size_t letter = 0; letter < automaton_.letters; ++letter) {
        for (const Arc& edge : closed[q][letter]) {
          if (!answers(p, letter, edge, is_good)) return false;
        }
      }
      return true;
    });
    return simulates[at(0, 0)];
  }

  // Simulation of sl(A), whose states are pairs (r, a): r was entered with the letter a.
  [[nodiscard]] bool stays_behind_edges() const {
    const size_t letters = automaton_.letters;
    const auto at = [&](uint32_t p, uint32_t r, size_t letter) { return (p * count_ + r) * letters + letter; };
    // As r goes on with any letter.
    const auto goes_on = [&](uint32_t p, uint32_t r, const auto& good) {
      for (size_t letter = 0; letter < letters; ++letter) {
        const auto is_good = [&](uint32_t answer, uint32_t target, Step step) {
          return good(at(answer, target, letter), step);
        };
        for (const Arc& edge : asked_[r][letter]) {
          if (!answers(p, letter, edge, is_good)) return false;
        }
      }
      return true;
    };
    const std::vector<bool> simulates = won(count_ * count_ * letters, [&](size_t position, const auto& good) {
      const size_t letter = position % letters;
      const auto p = static_cast<uint32_t>(position / letters / count_);
      const auto r = static_cast<uint32_t>(position / letters % count_);
      const bool stays = std::ranges::any_of(
          own_[p][letter], [&](const Arc& own) { return good(at(own.target, r, letter), step(0, own.marks)); });
      return stays && goes_on(p, r, good);
    });
    return goes_on(0, 0, [&](size_t position, Step) -> bool { return simulates[position]; });
  }

  // Simulation of the other sl(A), whose states are those of A, and pairs (q, a): it is in q and will read one more a
  // at least before it leaves q with that letter.
  [[nodiscard]] bool stays_before_edges() const {
    const size_t letters = automaton_.letters;
    const size_t slots = letters + 1;  // the last one: q alone
    const auto at = [&](uint32_t p, uint32_t q, size_t slot) { return (p * count_ + q) * slots + slot; };
    const std::vector<bool> simulates = won(count_ * count_ * slots, [&](size_t position, const auto& good) {
      const size_t slot = position % slots;
      const auto p = static_cast<uint32_t>(position / slots / count_);
      const auto q = static_cast<uint32_t>(position / slots % count_);
      const auto is_good = [&](uint32_t answer, uint32_t target, Step step) {
        return good(at(answer, target, letters), step);
      };
      for (size_t letter = 0; letter < letters; ++letter) {
        if ((slot != letters && slot != letter) || asked_[q][letter].empty()) continue;
        for (const Arc& edge : asked_[q][letter]) {
          if (!answers(p, letter, edge, is_good)) return false;
        }
        const bool stays = std::ranges::any_of(
            own_[p][letter], [&](const Arc& own) { return good(at(own.target, q, letter), step(0, own.marks)); });
        if (!stays) return false;
      }
      return true;
    });
    return simulates[at(0, 0, letters)];
  }

  const LetterAutomaton& automaton_;
  const size_t count_;  // of states
  const std::vector<uint32_t> components_;
  Arcs own_;    // of A, with the most marks
  Arcs asked_;  // of A, with the fewest: cl(A) and sl(A) are made of them
};

}  // namespace

bool is_closed_under_stuttering(const LetterAutomaton& automaton) { return StutterCheck(automaton).is_closed(); }

}  // namespace cmc::automata
