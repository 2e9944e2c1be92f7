// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The core that a thread runs on, its time on cores, and migration between
// cores. A migration does not restrict the thread's affinity mask afterwards.

#ifndef ZENITH_RUNTIME_COREAFFINITY_H
#define ZENITH_RUNTIME_COREAFFINITY_H

#include <cstdint>
#include <thread>

namespace zenith::runtime {

/// The core that the calling thread runs on; negative where unknown.
int currentCore();

/// Moves the calling thread from this core to another one; false where it may
/// run on no other.
bool leaveCore(int core);

/// Moves a thread to this core where it may run there.
void moveToCore(std::thread &thread, int core);

/// Nanoseconds that a thread has run on a core so far.
int64_t coreNanoseconds(std::thread &thread);

/// Whether a thread that ran for so long of the time that it was waited for was
/// preempted, and not only interrupted.
inline bool lostItsCore(int64_t ranNanoseconds, int64_t waitedNanoseconds) {
  return ranNanoseconds < waitedNanoseconds / 4;
}

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_COREAFFINITY_H
