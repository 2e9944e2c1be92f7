// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one formula of each composite op in terms of core ops.

#ifndef ZENITH_IR_OPS_COMPOSITEFORMULAS_H
#define ZENITH_IR_OPS_COMPOSITEFORMULAS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace zenith::graph {

/// On elementary functions inside a composite's formula: forms within 1e-6 of
/// the composite's meaning may serve.
inline constexpr llvm::StringLiteral fastFormAttrName = "graph.fast";

/// Emits the formula of a composite at the builder's place; null for any other
/// op.
mlir::Value buildFormula(mlir::OpBuilder &builder, mlir::Operation *composite);

/// A tensor like `shape` (its type and, through graph.dim, its dynamic
/// dimensions) with `value` in each element.
mlir::Value splatLike(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value shape, double value);
/// `value` repeated to the shape of `shape`: dimension i of `value` becomes
/// dimension mapping[i].
mlir::Value broadcastLike(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, llvm::ArrayRef<int64_t> mapping,
                          mlir::Value shape);

} // namespace zenith::graph

#endif // ZENITH_IR_OPS_COMPOSITEFORMULAS_H
