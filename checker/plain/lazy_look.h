#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "checker/generator/generator.h"
#include "checker/result/options.h"
#include "checker/result/result.h"
#include "checker/result/turn.h"

namespace cmc {

// A look straight down from the initial state, in the order of SPIN's verifier and as lazily: of a state the steps of
// one process at a time, of an atomic sequence one statement. So a dive costs little where a state has many steps, of
// which the other engines compute all: processes that can all move, choices inside atomic sequences. It goes on as
// long as it dives, and proves nothing but the error that it finds. Not for models with a claim.
class LazyLook {
 public:
  // `statements` hands out single basic steps.
  LazyLook(std::unique_ptr<SuccessorGenerator> statements, const Model& model, const SearchOptions& options);
  ~LazyLook();
  LazyLook(const LazyLook&) = delete;
  LazyLook& operator=(const LazyLook&) = delete;

  // Asks so many times more what a process can do; `to_the_end`: also when it dives no more. False: going on is not
  // worth its while.
  bool go_on(uint64_t calls, bool to_the_end = false);
  // Few states have led nowhere.
  [[nodiscard]] bool is_diving() const;
  // What it has found; its path is to be replayed.
  [[nodiscard]] const std::optional<FoundError>& error() const;

 private:
  class Dive;
  std::unique_ptr<Dive> dive_;
};

// The turn of a search in the course of which lazy looks are taken, which cost a part of what the search costs. When
// one of them has found an error, the search has enough.
class LookingTurn final : public PartOfTurn {
 public:
  using MakeLook = std::function<std::unique_ptr<LazyLook>()>;

  LookingTurn(Turn& turn, MakeLook make_look) : PartOfTurn(turn), make_look_(std::move(make_look)) {}

  // Puts the error that a look has found in the place of the search's own result.
  void add_to(SearchResult& result) const;

  // Takes a look when it is time for one.
  [[nodiscard]] bool has_enough(uint64_t states, uint64_t computed) override;

 private:
  [[nodiscard]] uint64_t calls_for(uint64_t states, uint64_t computed) const;

  const MakeLook make_look_;
  std::unique_ptr<LazyLook> look_;
  uint64_t calls_ = 0;
  bool ended_ = false;
};

}  // namespace cmc
