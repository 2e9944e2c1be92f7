// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which core a thread runs on, how long it had one, and moves to others. A move
// does not bind: the thread may run afterwards wherever it might before.

#ifndef ZENITH_RUNTIME_COREPLACEMENT_H
#define ZENITH_RUNTIME_COREPLACEMENT_H

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

/// Whether a thread that was waited for and has run for less of that time had
/// no core, up to an interrupt or a last glimpse of one.
inline bool lostItsCore(int64_t ranNanoseconds, int64_t waitedNanoseconds) {
  return ranNanoseconds < waitedNanoseconds / 4;
}

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_COREPLACEMENT_H
