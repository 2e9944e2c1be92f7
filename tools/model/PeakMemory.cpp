// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the memory of the process where the system tells it.

#include "tools/model/PeakMemory.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <sys/resource.h>

using namespace zenith::tools;

static constexpr int64_t kilobyte = 1024;

/// The value includes the peak of the process that started this one.
static int64_t usageBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t(usage.ru_maxrss) * kilobyte;
}

int64_t zenith::tools::peakBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;) {
    int64_t kilobytes = 0;
    if (key == "VmHWM:" && status >> kilobytes)
      return kilobytes * kilobyte;
  }
  return usageBytes();
}

/// Both only grow, so from where they meet on they are one, but for pages that
/// the system counts later.
int64_t PeakMemory::bytes() {
  int64_t usage = usageBytes(), own = isOwn ? usage : peakBytes();
  isOwn = own >= usage;
  most = std::max(most, own);
  return most;
}
