// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions under which an element exists (it isn't padding, or it comes from
// this operand of a concat), and the code that chooses by them.

#ifndef ZENITH_LOWERING_ELEMENTS_BOUNDSGUARD_H
#define ZENITH_LOWERING_ELEMENTS_BOUNDSGUARD_H

#include "lowering/elements/ElementEmitter.h"

namespace zenith::kernels {

/// A conjunction. What is provably true takes no code.
class BoundsGuard {
public:
  explicit BoundsGuard(ElementEmitter &emitter) : emitter(&emitter) {}

  /// Adds low <= x < high; false where it never holds.
  bool add(const LaneIndex &x, const graph::DimExpr &low,
           const graph::DimExpr &high);
  /// `then` where all conditions hold (scalar ones by a branch, those of lanes
  /// under a mask), else `otherwise`. `asLanes`: the result is a vector.
  mlir::Value emit(bool asLanes, llvm::function_ref<mlir::Value()> then,
                   llvm::function_ref<mlir::Value()> otherwise) const;

  bool differsByLane() const { return bool(lanes); }
  /// From here on, in the emitter's scope, lanes that fail are inactive.
  void maskLanes() const;

private:
  ElementEmitter *emitter;
  mlir::Value uniform, lanes; ///< null = true
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_BOUNDSGUARD_H
