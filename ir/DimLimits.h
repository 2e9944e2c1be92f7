// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How large an expression DimAnalysis keeps, and which values it reads as
// scalars.

#ifndef ZENITH_IR_DIMLIMITS_H
#define ZENITH_IR_DIMLIMITS_H

#include "ir/dims/DimExpr.h"
#include "mlir/IR/Types.h"
#include <optional>

namespace zenith::graph {

/// Terms of a sum. Larger expressions say nothing to a reader and cost more
/// than they prove.
inline constexpr size_t termLimit = 256;

/// More than `termLimit` terms, or more nodes than a proof may visit.
bool exceedsLimits(const DimExpr &expr);
/// `expr`, or nullopt where it exceeds the limits.
std::optional<DimExpr> withinLimits(std::optional<DimExpr> expr);

/// A tensor of rank 0 of integers that are not booleans.
bool isIntegerScalar(mlir::Type type);

} // namespace zenith::graph

#endif // ZENITH_IR_DIMLIMITS_H
