#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "ir/model.h"

namespace cmc::native {

// Names in C for the offsets of a model's variables: "g_total" in the state vector, "l_client_i" in the frame of the
// proctype `client`.
class CNames {
 public:
  explicit CNames(const Model& model);

  // A proctype, or a claim: their number behind the proctypes.
  using Owner = uint32_t;
  static constexpr Owner kNobody = UINT32_MAX;

  // A C expression for the offset of a scalar of this variable from the beginning of the state vector, or of the
  // frame: "g_total", "l_client_i + 2u". `owner`: whose frame it is; kNobody: that is not known, and locals have no
  // names.
  [[nodiscard]] std::string offset(const VariableReference& reference, Owner owner, uint32_t offset) const;

  // Enumerations that define the names.
  [[nodiscard]] const std::string& definitions() const { return definitions_; }

 private:
  struct Named {
    std::string name;
    uint32_t offset = 0;
  };
  using Names = std::vector<Named>;  // by number of the variable
  Names define(const std::vector<Variable>& variables, const std::string& prefix);

  std::set<std::string> used_;
  Names globals_;
  std::vector<Names> locals_;  // by owner
  std::string definitions_;
};

}  // namespace cmc::native
