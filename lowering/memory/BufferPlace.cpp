// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares places under a few sizes of the dimensions. A proof for all sizes
// would need what the planner knows of its own expressions.

#include "lowering/memory/BufferPlace.h"

#include "llvm/Support/xxhash.h"

namespace zenith::memory {

using graph::DimExpr;

/// The first assignments give all dimensions one size, the others each its own.
static int64_t sizeOf(const std::string &dimension, unsigned sample) {
  constexpr std::array<int64_t, 4> equal = {1, 7, 64, 1000};
  constexpr uint64_t most = 97;
  if (sample < equal.size())
    return equal[sample];
  uint64_t hash = llvm::xxh3_64bits(dimension + std::to_string(sample));
  return int64_t(1 + hash % most);
}

Samples samplesOf(const DimExpr &expr) {
  Samples samples;
  for (unsigned sample = 0; sample < sampleCount; ++sample)
    samples[sample] = expr.evaluate([&](const std::string &dimension) {
      return std::optional<int64_t>(sizeOf(dimension, sample));
    });
  return samples;
}

bool isAtMost(const Samples &x, const Samples &y,
              const std::array<bool, sampleCount> &possible) {
  for (unsigned sample = 0; sample < sampleCount; ++sample)
    if (possible[sample] && x[sample] && y[sample] && *x[sample] > *y[sample])
      return false;
  return true;
}

bool BufferPlace::overlaps(
    const BufferPlace &other,
    const std::array<bool, sampleCount> &possible) const {
  if (!buffer || !other.buffer || buffer.getKind() != other.buffer.getKind())
    return false;
  // Offsets of one arena are compared, other buffers by their index.
  bool inArena = buffer.getKind() == host::BufferKind::arena ||
                 buffer.getKind() == host::BufferKind::derived;
  if (!inArena)
    return buffer.getIndex() == other.buffer.getIndex();
  for (unsigned sample = 0; sample < sampleCount; ++sample)
    if (possible[sample] && begin[sample] && end[sample] &&
        other.begin[sample] && other.end[sample] &&
        *begin[sample] < *other.end[sample] &&
        *other.begin[sample] < *end[sample])
      return true;
  return false;
}

} // namespace zenith::memory
