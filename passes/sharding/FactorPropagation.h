// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of propagation at one op: which axes of a factor reach which values.

#ifndef ZENITH_PASSES_SHARDING_FACTORPROPAGATION_H
#define ZENITH_PASSES_SHARDING_FACTORPROPAGATION_H

#include "passes/sharding/FactorShardings.h"
#include <vector>

namespace zenith::sharding {

enum class Direction { None, Forward, Backward, Both };

/// The shardings around one op; operands come first.
struct Projection {
  std::vector<TensorFactorShardings> tensors;
  unsigned operands = 0;
};

/// What happened to one factor in one value.
struct Expansion {
  unsigned tensor, factor;
  unsigned source; ///< the value whose axes these were
};

/// Why axes of a factor did not reach a value.
enum class Obstacle { Closed, Replicated, Overflow, OtherFactor, Uneven };
struct Stop {
  unsigned tensor, factor;
  unsigned source; ///< the value whose axis it is
  Axis axis;
  Obstacle obstacle;
};

struct PropagationStep {
  llvm::ArrayRef<Factor> factors;
  /// Where shardings may go along each factor.
  llvm::ArrayRef<Direction> directions;
  bool elementwise = false;
  bool conservative = false; ///< no factors of axes, no uneven dimensions
  bool aggressive = true;    ///< conflicts concern single values only
  /// Called where axes stop, if anyone wants to know.
  llvm::function_ref<void(const Stop &)> stopped;
};

/// Expands the shardings of `projection` to a fixed point of this step.
llvm::SmallVector<Expansion> expand(Projection &projection,
                                    const PropagationStep &step);

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_FACTORPROPAGATION_H
