#include "solver-bridge/worker/z3_context.h"

#include <new>

namespace cmc::solver {

namespace {

void record_nothing(Z3_context, Z3_error_code) {}  // the code stays in the context; note() reads it

}  // namespace

Z3Context::Z3Context() {
  Z3_config config = Z3_mk_config();
  context_ = Z3_mk_context_rc(config);
  Z3_del_config(config);
  if (context_ == nullptr) throw std::bad_alloc();
  Z3_set_error_handler(context_, record_nothing);
}

Z3Context::~Z3Context() { Z3_del_context(context_); }

void Z3Context::note() {
  const Z3_error_code code = Z3_get_error_code(context_);
  if (code == Z3_OK) return;
  if (code == Z3_MEMOUT_FAIL) out_of_memory_ = true;
  if (!first_error_) first_error_ = Z3_get_error_msg(context_, code);
}

}  // namespace cmc::solver
