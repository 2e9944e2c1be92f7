// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectorisation: chooses the dimension along which SIMD lanes run, and how
// many, by the width of elements, the length of dependence chains and the
// contiguity of accesses.

#include "lowering/schedule/LaneChoice.h"
#include "ir/ElementaryFunctions.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/elements/ElementEmitter.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

double costPerElement(graph::FusionOp fusion) {
  double cost = 1;
  fusion.getBody().walk([&](Operation *op) {
    cost += graph::isElementaryFunction(op)                  ? 20
            : graph::familyOf(op) == graph::Family::Movement ? 0
                                                             : 1;
  });
  return cost;
}

// Long dependence chains profit from more than two independent vectors, as many
// as registers hold beside constants: an eighth of them.
unsigned valueWidth(graph::FusionOp fusion, const TargetModel &target) {
  unsigned chain = 0;
  fusion.getBody().walk(
      [&](Operation *op) { chain += graph::isElementaryFunction(op); });
  unsigned bytes = widestBytes(fusion);
  unsigned vectors = chain >= 2 ? std::clamp(target.registers / 8, 2u, 4u) : 2;
  return std::min(8 * target.lanes, vectors * target.lanes * 4 / bytes);
}

/// Whether an access does not move along a loop that is much longer than a
/// vector: sums of rows, and values that are broadcast along them.
static bool isRare(const IterationSpace &space,
                   const IterationSpace::Access &access) {
  constexpr int64_t longRow = 32;
  for (unsigned loop = 0; loop < space.rank(); ++loop)
    if (!access.opaque[loop] && access.factors[loop].isConstant(0) &&
        space.size(loop).constant().value_or(longRow) >= longRow)
      return true;
  return false;
}

std::optional<unsigned> chooseLaneLoop(const IterationSpace &space,
                                       ArrayRef<unsigned> candidates) {
  std::optional<unsigned> best;
  double bestScore = 0;
  for (unsigned loop : candidates) {
    double score = 0;
    for (const IterationSpace::Access &access : space.accesses()) {
      bool small = access.small || isRare(space, access);
      double weight = small ? 0.1 : access.written ? 1.5 : 1;
      if (access.opaque[loop])
        score -= weight;
      else if (access.factors[loop].isConstant(1))
        score += weight;
      else if (!access.factors[loop].isConstant(0))
        score -= weight;
    }
    // A loop shorter than a vector wastes lanes.
    if (auto size = space.size(loop).constant(); size && *size < 8)
      score -= 8.5 - double(*size);
    if (!best || score >= bestScore) {
      best = loop;
      bestScore = score;
    }
  }
  return best;
}

} // namespace zenith::kernels
