// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that depend on the device alone, which unrolling makes constants.

#ifndef ZENITH_IR_DEVICES_UNROLLCONSTANTS_H
#define ZENITH_IR_DEVICES_UNROLLCONSTANTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace zenith::graph {

/// A clone of `op` on mapped operands; where these are constants of integers,
/// a constant for arithmetic on scalars and entries of tables, and a static
/// slice for a dynamic one.
mlir::Operation *cloneFolded(mlir::OpBuilder &builder, mlir::Operation &op,
                             mlir::IRMapping &mapping);

} // namespace zenith::graph

#endif // ZENITH_IR_DEVICES_UNROLLCONSTANTS_H
