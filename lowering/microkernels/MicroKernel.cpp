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

unsigned accumulatorSets(const MicroKernel &kernel) {
  constexpr unsigned accumulators = 12, most = 4;
  unsigned tile = kernel.tileVectors(), sets = 1;
  while (!kernel.inOrder && !kernel.isAlongK() && sets < most &&
         tile * sets * 2 <= accumulators)
    sets *= 2;
  return sets;
}

unsigned kUnroll(const MicroKernel &kernel) {
  constexpr unsigned multiplyAdds = 48, most = 4, registers = 36;
  unsigned tile = kernel.tileVectors(), unroll = 1;
  // LLVM moves the loads of all rows of A up to a prefetch, and those of the
  // next k soon after it: the accumulators of a tall tile would be spilled.
  if (kernel.prefetchAs<PrefetchB>() && tile + 2 * kernel.mr > registers)
    return unroll;
  while (unroll < most && tile * unroll * 2 <= multiplyAdds)
    unroll *= 2;
  return unroll;
}

unsigned kOfRound(const MicroKernel &kernel) {
  if (kernel.isAlongK())
    return kernel.lanes;
  unsigned sets = accumulatorSets(kernel);
  if (auto *interleaved = std::get_if<InterleavedK>(&kernel.form))
    return interleaved->group * sets * interleaved->groupsPerSet(sets);
  if (std::holds_alternative<PairedK>(kernel.form))
    return 2 * sets;
  return kernel.strides() ? std::max(sets, kUnroll(kernel)) : sets;
}

} // namespace zenith::kernels
