// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An executable with a set of values and run states, for any number of runs at
// once.

#ifndef ZENITH_FRONTENDS_C_SESSION_H
#define ZENITH_FRONTENDS_C_SESSION_H

#include "frontends/c/Array.h"
#include "frontends/c/RunState.h"
#include <condition_variable>

void release(zenith_session *session) noexcept;

struct zenith_session : zenith::c::Counted {
  zenith_session(zenith_executable &executable)
      : context(executable.context), executable(&executable) {}
  ~zenith_session();

  zenith::c::Ref<zenith_context> context;
  zenith::c::Ref<zenith_executable> executable;
  int maxConcurrency = 0; ///< 0 = no limit

  /// The set of values for a run that begins now.
  std::shared_ptr<const zenith::c::ValueSet> values() const;
  /// All runs that begin from now on see this set.
  void swap(std::shared_ptr<const zenith::c::ValueSet> set);

  /// A state for one run. Waits where as many run as may; null with the status
  /// where the wait was interrupted.
  zenith::c::RunState *acquire(const zenith_cancel *cancel, int64_t deadline,
                               zenith_status *&status);
  void giveBack(zenith::c::RunState *state);
  /// Frees the states that no run has.
  void trim();

  std::mutex rebinding; ///< held from reading the old set to the swap

private:
  mutable std::mutex mutex;
  std::condition_variable freed;
  std::shared_ptr<const zenith::c::ValueSet> current;
  zenith::c::RunState *states = nullptr; ///< free ones
  int running = 0;
};

namespace zenith::c {

/// Runs `options.entry` on arrays that the caller holds, as many as it takes;
/// `outputs` become its results.
zenith_status *runEntry(zenith_session &session,
                        const zenith_run_options &options,
                        const ArrayList &inputs, ArrayList &outputs);

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_SESSION_H
