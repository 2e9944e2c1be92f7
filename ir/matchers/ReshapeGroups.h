// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a reshape into the smallest groups of dimensions that hold the same
// elements on both sides.

#ifndef ZENITH_IR_MATCHERS_RESHAPEGROUPS_H
#define ZENITH_IR_MATCHERS_RESHAPEGROUPS_H

#include "ir/DimAnalysis.h"

namespace zenith::graph {

/// Dimensions `from` of the operand and `to` of the result, both consecutive;
/// the products of their sizes are equal.
struct ReshapeGroup {
  llvm::SmallVector<int64_t> from, to;
};

/// Groups in order, covering all dimensions; trailing sizes of 1 belong to the
/// last group. Nullopt where the symbolic sizes do not tell, and for scalars.
std::optional<llvm::SmallVector<ReshapeGroup>>
reshapeGroups(const DimVector &from, const DimVector &to);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_RESHAPEGROUPS_H
