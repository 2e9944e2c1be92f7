// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The most memory that the process had.

#ifndef ZENITH_TOOLS_MODEL_PEAKMEMORY_H
#define ZENITH_TOOLS_MODEL_PEAKMEMORY_H

#include <cstdint>

namespace zenith::tools {

/// Most bytes that were resident at a time.
int64_t peakBytes();

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_PEAKMEMORY_H
