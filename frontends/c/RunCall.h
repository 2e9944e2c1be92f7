// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One call of an entry: its arguments once they are checked.

#ifndef ZENITH_FRONTENDS_C_RUNCALL_H
#define ZENITH_FRONTENDS_C_RUNCALL_H

#include "frontends/c/Session.h"

namespace zenith::c {

struct RunCall {
  const Entry *entry = nullptr;
  zenith_run_options options = {};
  llvm::SmallVector<int64_t, 16> sizes;      ///< of the entry's symbols
  const pipeline::EntryPlan *plan = nullptr; ///< for these sizes

  /// Checks what can be known before the run; null where all is well.
  zenith_status *check(const zenith_session &session,
                       const zenith_run_options *given,
                       zenith_array *const *inputs, size_t inputCount,
                       zenith_array *const *outputs, size_t outputCount);

  /// Runs; outputs that are null become new arrays.
  zenith_status *run(zenith_session &session, zenith_array *const *inputs,
                     zenith_array **outputs) const;

private:
  zenith_status *checkInput(const zenith_session &session, size_t index,
                            const zenith_array *array);
  zenith_status *checkOutput(const zenith_session &session, size_t index,
                             const zenith_array *array) const;
  zenith_status *checkOverlaps(zenith_array *const *inputs,
                               zenith_array *const *outputs) const;
  zenith_status *runWith(zenith_context &context, RunState &state,
                         zenith_array *const *inputs,
                         zenith_array **outputs) const;
};

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_RUNCALL_H
