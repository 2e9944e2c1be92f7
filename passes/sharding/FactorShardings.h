// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shardings of the values around an op in terms of its factors: what
// propagation works on.

#ifndef ZENITH_PASSES_SHARDING_FACTORSHARDINGS_H
#define ZENITH_PASSES_SHARDING_FACTORSHARDINGS_H

#include "passes/sharding/AxisLists.h"
#include "passes/sharding/FactorMapping.h"
#include <map>

namespace zenith::sharding {

struct DimState {
  Axes axes;
  bool open = true;
  int64_t priority = 0;
};

/// The sharding of a value while it grows. Values without one are open.
struct TensorState {
  mlir::FlatSymbolRefAttr mesh; ///< null where nothing is said yet
  llvm::SmallVector<DimState, 4> dims;
  Axes replicated, unreduced;
  /// By the text of an axis: the user's sharding that it came from.
  std::map<std::string, std::string> origins;
};

TensorState stateOf(graph::ShardingAttr sharding, graph::MeshAttr mesh);
/// Null where nothing was ever said of the value.
graph::ShardingAttr attributeOf(const TensorState &state, graph::MeshAttr mesh);

/// The axes of one factor in one value.
struct FactorSharding {
  Axes axes;
  /// Axes behind these that the sizes of the factors cannot express.
  Axes overflow;
  bool open = true;
  bool minorMost = true;
};

struct TensorFactorShardings {
  std::map<unsigned, FactorSharding> factors;
  Axes replicated, unreduced;
};

/// Deals the axes of each dimension to its factors, from major to minor.
TensorFactorShardings dealAxes(const TensorState &state,
                               const TensorFactors &tensor,
                               llvm::ArrayRef<Factor> factors);
/// Writes the axes of factors back to the dimensions, each up to the first
/// factor that its axes do not fill: axes of a later one would be those of this
/// one. Whether that changed the dimensions.
bool joinAxes(const TensorFactorShardings &shardings,
              const TensorFactors &tensor, llvm::ArrayRef<Factor> factors,
              TensorState &state);

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_FACTORSHARDINGS_H
