#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checker/generator/generator.h"
#include "ir/model.h"

// SPIN's trails: a line "depth:process:statement" for each statement that is executed, two for a rendezvous.
// Statements have SPIN's numbers (Edge::element), which go through the whole text and do not depend on spin's
// options. Lines with a negative depth say something about the run: "-2:N:-2" claim N runs, so that processes count
// from 1, the claim being 0; "-4:-4:-4" the verifier merged statements, so that some have no line; "-1:-1:-1" a cycle
// begins.

namespace cmc::spin {

struct TrailLine {
  uint32_t line = 0;  // in the file, from 1
  int64_t depth = 0;
  int64_t process = 0;
  int64_t statement = 0;
};

struct Trail {
  static constexpr size_t kNoLoop = SIZE_MAX;
  bool has_claim = false;
  bool merged = false;
  size_t loop_start = kNoLoop;   // index into lines
  std::vector<TrailLine> lines;  // without the special ones
};

// Accepts any text. Error: "line 7: ...".
[[nodiscard]] Result<Trail> parse_trail(std::string_view text);

// A path of the model and how the lines of the trail belong to it.
struct FollowedTrail {
  std::vector<Step> path;
  std::vector<int64_t> depths;  // by step: of its (first) line
  size_t loop_start = Trail::kNoLoop;
  // The last line, if it could not be executed: SPIN's verifier leaves a wrong one where a trace is violated. Else 0.
  uint32_t ignored_line = 0;
};

// The steps that the lines name, each of which must be executable where it stands. `statements` hands out single
// basic steps of the model without claim: moves of a claim are left out. Error: "line 7: ...".
[[nodiscard]] Result<FollowedTrail> follow_trail(const Trail& trail, const Model& model,
                                                 SuccessorGenerator& statements);

// The trail of a path, for `spin -t` and models compiled with -o1 -o2 -o3. Moves of a claim have no lines. Error: the
// path does not fit the model.
[[nodiscard]] Result<std::string> trail_text(const Model& model, SuccessorGenerator& statements,
                                             std::span<const Step> path, size_t loop_start);

}  // namespace cmc::spin
