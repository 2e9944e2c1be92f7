// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled kernel that a routine calls for the values it works on, a chunk at
// a time, so that they stay in the cache.

#ifndef ZENITH_RUNTIME_ROUTINES_CHUNKPRODUCER_H
#define ZENITH_RUNTIME_ROUTINES_CHUNKPRODUCER_H

#include "runtime/ABI.h"
#include "runtime/routines/RoutineArguments.h"
#include <algorithm>

namespace zenith::runtime {

class ChunkProducer {
public:
  /// Numbers: pointers of the kernel, which of them is the chunk that it writes
  /// and which the one that it reads (-1: none), its sizes. Pointers: the
  /// kernel, its pointers. They are the last arguments of a routine.
  explicit ChunkProducer(RoutineArguments &args)
      : count(args.number()), written(args.number()), read(args.number()),
        sizes(args.takeNumbers(0)),
        fn(reinterpret_cast<zenith_task_fn>(args.pointer())),
        pointers(args.takePointers(count)) {}

  /// Pointers of a kernel that the compiler makes room for.
  static constexpr int64_t mostPointers = 64;

  /// Whether it reads a chunk.
  bool reads() const { return read >= 0; }

  /// Values of elements begin .. end-1.
  void run(int64_t begin, int64_t end, uint64_t *to,
           const uint64_t *from = nullptr) const {
    void *own[mostPointers];
    std::copy(pointers, pointers + count, own);
    own[written] = to;
    if (read >= 0)
      own[read] = const_cast<uint64_t *>(from);
    fn(own, sizes, begin, end);
  }

private:
  int64_t count, written, read;
  const int64_t *sizes;
  zenith_task_fn fn;
  void *const *pointers;
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_CHUNKPRODUCER_H
