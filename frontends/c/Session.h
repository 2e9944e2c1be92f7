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
  zenith_session(zenith_executable &executable);
  ~zenith_session();

  zenith::c::Ref<zenith_context> context;
  zenith::c::Ref<zenith_executable> executable;
  int maxConcurrency = 0; ///< 0 = no limit
  const std::shared_ptr<zenith::c::SpareMemory> spare;

  /// The set of values for a run that begins now.
  std::shared_ptr<const zenith::c::ValueSet> values() const;
  /// All runs that begin from now on see this set; the old one goes with the
  /// last run that reads it.
  void swap(std::shared_ptr<const zenith::c::ValueSet> set);

  /// A state for one run, with the present values. Waits where as many run as
  /// may; null with the status where the wait was interrupted.
  zenith::c::RunState *acquire(const zenith_cancel *cancel, int64_t deadline,
                               zenith_status *&status);
  /// The session may end with the call.
  void giveBack(zenith::c::RunState *state);
  /// Gives back the memory of states that no run has.
  void trim();
  /// Gives the handle's owner away: runs that go on have owners of their own
  /// then.
  void close();

  std::mutex rebinding; ///< held from reading the old set to the swap

private:
  /// The state that was used last on a core, whose caches have its arena; it
  /// need not be idle.
  struct alignas(64) LastOnCore {
    std::atomic<zenith::c::RunState *> state{nullptr};
  };

  zenith_status *waitForTurn(const zenith_cancel *cancel, int64_t deadline);
  void endTurn();
  LastOnCore &lastHere();
  zenith::c::RunState *takeIdle();
  zenith::c::RunState *makeState();
  void makeIdle(zenith::c::RunState &state);

  zenith::c::ContextVector<LastOnCore> lastOnCores;
  /// All states, by `next`: only the end of the session frees one.
  std::atomic<zenith::c::RunState *> states{nullptr};
  std::atomic<const zenith::c::ValueSet *> present{nullptr}; ///< `current`

  mutable std::mutex mutex;
  std::condition_variable freed;
  std::shared_ptr<const zenith::c::ValueSet> current;
  int running = 0; ///< counted where there is a limit
};

namespace zenith::c {

/// Runs `options.entry` on arrays that the caller holds, as many as it takes;
/// `outputs` become its results.
zenith_status *runEntry(zenith_session &session,
                        const zenith_run_options &options,
                        const ArrayList &inputs, ArrayList &outputs);

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_SESSION_H
