// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the memory of the process where the system tells it.

#include "tools/model/PeakMemory.h"

#include <fstream>
#include <string>
#include <sys/resource.h>

int64_t zenith::tools::peakBytes() {
  // The value of getrusage includes the peak of the process that started this
  // one.
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;) {
    int64_t kilobytes = 0;
    if (key == "VmHWM:" && status >> kilobytes)
      return kilobytes * 1024;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t(usage.ru_maxrss) * 1024;
}
