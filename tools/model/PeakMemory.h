// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Milliseconds since a moment, and the most memory that the process had.

#ifndef ZENITH_TOOLS_MODEL_STOPWATCH_H
#define ZENITH_TOOLS_MODEL_STOPWATCH_H

#include <chrono>
#include <cstdint>

namespace zenith::tools {

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

/// Most bytes that were resident at a time.
int64_t peakBytes();

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_STOPWATCH_H
