// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which elements a kind of reduction takes.

#ifndef ZENITH_IR_OPS_REDUCEKINDS_H
#define ZENITH_IR_OPS_REDUCEKINDS_H

#include "ir/GraphDialect.h"
#include "ir/ShapeChecks.h"

namespace zenith::graph {

/// sum and prod take numbers, max and min all but complex numbers, the others
/// integers and booleans.
mlir::LogicalResult checkReduceKind(const ShapeChecks &checks, ReduceKind kind,
                                    mlir::Type element, unsigned constraint);

} // namespace zenith::graph

#endif // ZENITH_IR_OPS_REDUCEKINDS_H
