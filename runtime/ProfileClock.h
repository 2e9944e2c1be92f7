// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures one step of a run for the context's profile callback, if there is
// one.

#ifndef ZENITH_RUNTIME_PROFILECLOCK_H
#define ZENITH_RUNTIME_PROFILECLOCK_H

#include "runtime/ABI.h"

#include <chrono>

namespace zenith::runtime {

/// Starts when constructed; report() ends the step.
class ProfileClock {
public:
  explicit ProfileClock(const zenith_run_context &context)
      : context(context), begin(context.profile ? now() : 0) {}

  /// Nanoseconds of the monotonic clock.
  static int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  /// Hands the step to the profile callback; arguments as in
  /// zenith_profile_event.
  void report(zenith_event_kind kind, int64_t index, int64_t tasks,
              int64_t bytes, const int64_t *sizes) const {
    if (!context.profile)
      return;
    zenith_profile_event event = {sizeof(event), kind,  0,
                                  index,         tasks, begin,
                                  now() - begin, bytes, sizes};
    context.profile(context.user, &event);
  }

private:
  const zenith_run_context &context;
  int64_t begin;
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_PROFILECLOCK_H
