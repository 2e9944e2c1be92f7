// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up what lives at each time.

#include "lowering/memory/arena/PackedBuffer.h"

#include <algorithm>
#include <map>

using namespace llvm;

namespace zenith::memory {

int64_t mostLive(ArrayRef<PackedBuffer> buffers) {
  std::map<int64_t, int64_t> changes;
  for (const PackedBuffer &buffer : buffers) {
    changes[buffer.begin] += buffer.size;
    changes[buffer.end + 1] -= buffer.size;
  }
  int64_t live = 0, most = 0;
  for (auto [step, change] : changes)
    most = std::max(most, live += change);
  return most;
}

} // namespace zenith::memory
