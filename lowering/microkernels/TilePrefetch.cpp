// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefetch instructions, one per cache line.

#include "lowering/microkernels/TilePrefetch.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace zenith::kernels {

void TilePrefetch::ofB(const PrefetchB &lines, Value memory, Value offset,
                       unsigned set) {
  unsigned lineBytes = unsigned(target.lineBytes);
  unsigned elementBytes = memoryType(kernel.b).getIntOrFloatBitWidth() / 8;
  auto *interleaved = std::get_if<InterleavedK>(&kernel.form);
  unsigned kBytes = (interleaved ? unsigned(interleaved->group) : 1) *
                    kernel.vectors * kernel.lanes * elementBytes;
  if (set * kBytes % lineBytes >= kBytes)
    return;
  for (unsigned at = 0; at < kBytes; at += lineBytes)
    line(memory, add(offset, index((lines.bytesAhead + at) / elementBytes)),
         /*soon=*/true);
}

void TilePrefetch::nextPanel(const PrefetchNextPanel &next, Value from,
                             Value memory) {
  unsigned lineElements = unsigned(target.lineBytes) * 8 /
                          memoryType(kernel.b).getIntOrFloatBitWidth();
  for (unsigned i = 0; i < next.lines; ++i)
    line(memory, i ? add(from, index(i * lineElements)) : from, /*soon=*/false);
}

void TilePrefetch::nextRows(Value memory, Value from, unsigned unroll) {
  unsigned lineElements = unsigned(target.lineBytes) * 8 /
                          memoryType(kernel.a).getIntOrFloatBitWidth();
  for (unsigned at = 0; at < kernel.mr * unroll; at += lineElements)
    line(memory, add(from, index(at)), /*soon=*/false);
}

void TilePrefetch::line(Value memory, Value offset, bool soon) {
  b.create<memref::PrefetchOp>(loc, memory, offset, /*isWrite=*/false,
                               /*localityHint=*/soon ? 3 : 2,
                               /*isDataCache=*/true);
}

} // namespace zenith::kernels
