// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Milliseconds since a moment.

#ifndef ZENITH_RUNTIME_STOPWATCH_H
#define ZENITH_RUNTIME_STOPWATCH_H

#include <chrono>

namespace zenith::runtime {

class Stopwatch {
public:
  /// Milliseconds since construction or the last restart.
  double ms() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start)
        .count();
  }
  double restart() {
    double elapsed = ms();
    start = Clock::now();
    return elapsed;
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_STOPWATCH_H
