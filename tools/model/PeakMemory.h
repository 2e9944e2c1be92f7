// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The most memory that the process had.

#ifndef ZENITH_TOOLS_MODEL_PEAKMEMORY_H
#define ZENITH_TOOLS_MODEL_PEAKMEMORY_H

#include <cstdint>

namespace zenith::tools {

/// Most bytes that were resident at a time.
int64_t peakBytes();

/// The same for many calls: reading the system's text takes as long as a small
/// search.
class PeakMemory {
public:
  int64_t bytes();

private:
  int64_t most = 0;
  bool isOwn = false; ///< the usage counted by the system is this process's
};

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_PEAKMEMORY_H
