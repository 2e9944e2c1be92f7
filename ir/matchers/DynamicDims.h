// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sizes of the dynamic dimensions of a value, as scalars.

#ifndef ZENITH_IR_MATCHERS_DYNAMICDIMS_H
#define ZENITH_IR_MATCHERS_DYNAMICDIMS_H

#include "mlir/IR/Builders.h"

namespace zenith::graph {

/// A graph.dim per dynamic dimension of `value`, in order.
llvm::SmallVector<mlir::Value>
dynamicDimsOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_DYNAMICDIMS_H
