// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this machine can do at most, measured.

#ifndef ZENITH_TOOLS_RUN_MACHINEPEAKS_H
#define ZENITH_TOOLS_RUN_MACHINEPEAKS_H

namespace zenith::tools {

struct MachinePeaks {
  unsigned threads = 1;
  double gflops = 0;          ///< f32 multiply-adds, two operations each
  double gbytesPerSecond = 0; ///< reading memory that no cache holds
  /// How much longer the slowest turn of the multiply-adds took than the
  /// fastest, as a part of the latter; a machine without other work has little.
  double spread = 0;
  double loadAverage = 0; ///< of the last minute, before measuring

  /// Other work took cores meanwhile: the peaks are lower than the machine's.
  bool isUnderLoad() const { return spread > 0.2 || loadAverage > 1; }
};

/// Runs for about a fifth of a second on `threads` threads.
MachinePeaks measurePeaks(unsigned threads);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_RUN_MACHINEPEAKS_H
