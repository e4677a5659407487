#include "checker/generator/batch_writer.h"

#include "checker/generator/runtime_errors.h"

namespace cmc {

void BatchWriter::report(const std::vector<Fault>& noted, uint32_t path_begin, const View& view) const {
  for (const Fault& fault : noted) {
    RuntimeError& error = out->errors.emplace_back();
    error.kind = fault.kind;
    error.message = error_message(model, fault.kind, fault.statement, fault.value);
    if (fault.kind == RuntimeErrorKind::kPendingGuard) error.question = static_cast<uint32_t>(fault.value);
    if (fault.statement != kNoStatement) {
      error.place = model.statements[fault.statement].place;
    } else if (fault.kind == RuntimeErrorKind::kClaimEnd) {
      error.place = model.claims[model.claim.claim].place;
    } else if (view.frame != nullptr && !is_overflow(fault.kind)) {  // that one is of some initializer
      error.place = model.proctypes[load<uint8_t>(view.frame + kFrameProctype)].place;
    }
    error.path_begin = path_begin;
    error.path_count = static_cast<uint32_t>(out->steps.size()) - path_begin;
  }
}

void BatchWriter::fail(const View& view, const FastEdge& edge) { report_faults(add_path(step_of(view, edge)), view); }

}  // namespace cmc
