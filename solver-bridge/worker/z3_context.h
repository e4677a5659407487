#pragma once

#include <optional>
#include <string>
#include <utility>

#include <z3.h>

// Owners for what Z3's C interface counts references of, and the one place where its errors are noticed.

namespace cmc::solver {

// A Z3 context. Z3 keeps an error code for each context and clears it at the next call, so every call is followed by
// note(); the first error is kept, as later ones are mostly its consequences. (The error handler does nothing: Z3's
// own one ends the process.) Not thread-safe but for Z3_interrupt.
class Z3Context {
 public:
  Z3Context();
  ~Z3Context();
  Z3Context(const Z3Context&) = delete;
  Z3Context& operator=(const Z3Context&) = delete;

  [[nodiscard]] Z3_context get() const { return context_; }

  // Looks for an error of the call that has just returned; hands its value through.
  template <class T>
  T note(T value) {
    note();
    return value;
  }
  void note();

  [[nodiscard]] bool failed() const { return first_error_.has_value(); }
  [[nodiscard]] bool out_of_memory() const { return out_of_memory_; }
  [[nodiscard]] std::string error() const { return first_error_.value_or(""); }

 private:
  Z3_context context_ = nullptr;
  std::optional<std::string> first_error_;
  bool out_of_memory_ = false;
};

// A counted reference to a term.
class Z3Term {
 public:
  Z3Term() = default;
  Z3Term(Z3Context& context, Z3_ast term) : context_(context.get()), term_(context.note(term)) {
    if (term_ != nullptr) Z3_inc_ref(context_, term_);
  }
  Z3Term(const Z3Term& other) : context_(other.context_), term_(other.term_) {
    if (term_ != nullptr) Z3_inc_ref(context_, term_);
  }
  Z3Term(Z3Term&& other) noexcept : context_(other.context_), term_(std::exchange(other.term_, nullptr)) {}
  Z3Term& operator=(Z3Term other) noexcept {
    std::swap(context_, other.context_);
    std::swap(term_, other.term_);
    return *this;
  }
  ~Z3Term() {
    if (term_ != nullptr) Z3_dec_ref(context_, term_);
  }
  [[nodiscard]] Z3_ast get() const { return term_; }

 private:
  Z3_context context_ = nullptr;
  Z3_ast term_ = nullptr;
};

// A counted reference to a solver, a model, a parameter set or a list of terms.
template <class Handle, void (*kAcquire)(Z3_context, Handle), void (*kRelease)(Z3_context, Handle)>
class Z3Owned {
 public:
  Z3Owned(Z3Context& context, Handle handle) : context_(context.get()), handle_(context.note(handle)) {
    if (handle_ != nullptr) kAcquire(context_, handle_);
  }
  ~Z3Owned() {
    if (handle_ != nullptr) kRelease(context_, handle_);
  }
  Z3Owned(const Z3Owned&) = delete;
  Z3Owned& operator=(const Z3Owned&) = delete;
  [[nodiscard]] Handle get() const { return handle_; }

 private:
  Z3_context context_;
  Handle handle_;
};
using Z3Solver = Z3Owned<Z3_solver, Z3_solver_inc_ref, Z3_solver_dec_ref>;
using Z3Model = Z3Owned<Z3_model, Z3_model_inc_ref, Z3_model_dec_ref>;
using Z3Params = Z3Owned<Z3_params, Z3_params_inc_ref, Z3_params_dec_ref>;
using Z3Terms = Z3Owned<Z3_ast_vector, Z3_ast_vector_inc_ref, Z3_ast_vector_dec_ref>;

}  // namespace cmc::solver
