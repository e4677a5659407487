#pragma once

#include <optional>
#include <string>

namespace cmc::audit {

// Why a certificate is not certified. `letter` names what does not hold (README.md); empty: no part of the claim was
// found wrong.
struct Refusal {
  enum class Kind : int {
    kNotCertified = 1,
    kBadInput = 2,    // nothing that could be audited
    kIncomplete = 3,  // nothing wrong was found, but not all was looked at
  };
  Kind kind = Kind::kNotCertified;
  std::string letter;
  std::string text;
};

// None: all is well.
using Verdict = std::optional<Refusal>;

[[nodiscard]] inline Refusal refused(std::string letter, std::string text) {
  return {Refusal::Kind::kNotCertified, std::move(letter), std::move(text)};
}
[[nodiscard]] inline Refusal bad_input(std::string text) { return {Refusal::Kind::kBadInput, {}, std::move(text)}; }

}  // namespace cmc::audit
