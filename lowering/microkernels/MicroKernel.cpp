// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Register blocking: how a micro-kernel uses registers, types of sums, sets of
// accumulators, unrolling.

#include "lowering/microkernels/MicroKernel.h"

using namespace mlir;

namespace zenith::kernels {

Type sumType(Type element, Type result) {
  if (element.isF16() || element.isBF16())
    return Float32Type::get(element.getContext());
  return memoryType(result);
}

unsigned sumLanes(Type sum, const TargetModel &target) {
  return sum.getIntOrFloatBitWidth() == 64 ? std::max(1u, target.lanes / 2)
                                           : target.lanes;
}

bool MicroKernel::isMasked() const {
  auto *paired = std::get_if<PairedK>(&form);
  return columnsAs<OuterProduct::Masked>() || (paired && paired->masked);
}

const KnownStrides *MicroKernel::strides() const {
  auto *outer = std::get_if<OuterProduct>(&form);
  return outer && outer->strides ? &*outer->strides : nullptr;
}

bool MicroKernel::sumsWholeRounds() const {
  return kMultiple % kOfRound(*this) == 0;
}

unsigned accumulatorSets(int64_t vectors) {
  constexpr int64_t accumulators = 12;
  constexpr unsigned most = 4;
  unsigned sets = 1;
  while (sets < most && vectors * sets * 2 <= accumulators)
    sets *= 2;
  return sets;
}

unsigned dotSets(std::optional<int64_t> columns) {
  return columns && *columns < dotsAtOnce ? 4 : 2;
}

/// The most iterations over K of a round.
static constexpr unsigned mostUnroll = 4;

unsigned kUnroll(const MicroKernel &kernel) {
  constexpr unsigned multiplyAdds = 48, registers = 36;
  unsigned tile = kernel.tileVectors(), unroll = 1;
  // LLVM moves the loads of all rows of A up to a prefetch, and those of the
  // next k soon after it: the accumulators of a tall tile would be spilled.
  if (kernel.prefetchAs<PrefetchB>() && tile + 2 * kernel.mr > registers)
    return unroll;
  while (unroll < mostUnroll && tile * unroll * 2 <= multiplyAdds)
    unroll *= 2;
  return unroll;
}

unsigned kOfRound(const MicroKernel &kernel) {
  if (kernel.isAlongK())
    return kernel.lanes;
  unsigned sets = kernel.sets;
  if (auto *interleaved = std::get_if<InterleavedK>(&kernel.form))
    return interleaved->group * sets * interleaved->groupsPerSet(sets);
  if (std::holds_alternative<PairedK>(kernel.form))
    return 2 * sets;
  if (!kernel.strides())
    return sets;
  // Rounds are as long for all tiles: what they leave over is of the first set.
  return sets > 1 ? mostUnroll : kUnroll(kernel);
}

} // namespace zenith::kernels
