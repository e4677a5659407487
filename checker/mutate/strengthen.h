#pragma once

#include <vector>

#include "promela/syntax/ast.h"

namespace cmc::mutate {

// A part of a formula and the constant that makes the whole stronger: false where the part is wanted, true where its
// opposite is. If the property still holds then, the part says nothing: the property holds vacuously (Kupferman and
// Vardi, "Vacuity detection in temporal model checking", 2003; Beer et al., "Efficient detection of vacuity", 2001).
struct Stronger {
  const promela::ast::Expression* part = nullptr;
  bool value = false;
};

// Of a guard of a never claim, which is a run that is forbidden: there a weaker guard asks for more.
[[nodiscard]] std::vector<Stronger> weaker_parts(const promela::ast::Expression& guard);

// Parts whose constant makes the whole false are left out, as nothing is learnt from them: all of `[] p`. Of an
// assertion there is the whole, too: it holds with false if it is never reached.
[[nodiscard]] std::vector<Stronger> stronger_parts(const promela::ast::Expression& formula, bool is_assertion);

}  // namespace cmc::mutate
