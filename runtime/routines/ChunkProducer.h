// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled kernel that a routine calls for the values it works on, a chunk at
// a time, so that they stay in the cache.

#ifndef ZENITH_RUNTIME_ROUTINES_CHUNKPRODUCER_H
#define ZENITH_RUNTIME_ROUTINES_CHUNKPRODUCER_H

#include "runtime/RoutineArguments.h"
#include "runtime/routines/RowSlots.h"
#include <algorithm>

namespace zenith::runtime {

class ChunkProducer {
public:
  explicit ChunkProducer(const zenith_inner_kernel *kernel)
      : kernel(checked(kernel)) {}

  /// Whether it reads a chunk.
  bool reads() const { return kernel.read >= 0; }

  /// Values of elements begin .. end-1.
  void run(int64_t begin, int64_t end, uint64_t *to,
           const uint64_t *from = nullptr) const {
    void *pointers[ZENITH_INNER_KERNEL_POINTERS];
    std::copy(kernel.pointers, kernel.pointers + kernel.npointers, pointers);
    pointers[kernel.written] = to;
    if (reads())
      pointers[kernel.read] = const_cast<uint64_t *>(from);
    kernel.fn(pointers, kernel.sizes, begin, end);
  }

private:
  const zenith_inner_kernel &kernel;
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_CHUNKPRODUCER_H
