// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values of a function depend on parameters and constants only.

#ifndef ZENITH_PASSES_LAYOUT_PARAMETERVALUES_H
#define ZENITH_PASSES_LAYOUT_PARAMETERVALUES_H

#include "ir/GraphOps.h"
#include "mlir/IR/PatternMatch.h"

namespace zenith::layout {

enum class Dependence { Parameters, Constants, Arguments };

/// Parameters: at least one parameter and otherwise constants; Constants: no
/// parameter either.
Dependence dependenceOf(mlir::Value value);

/// Known before any argument is.
inline bool isFixed(mlir::Value value) {
  return dependenceOf(value) != Dependence::Arguments;
}
inline bool isParameter(mlir::Value value) {
  return dependenceOf(value) == Dependence::Parameters;
}

/// Marks transposes that ChooseLayouts made and still moves.
inline constexpr llvm::StringLiteral movingAttrName = "graph.moving";

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
mlir::Value transposed(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, llvm::ArrayRef<int64_t> permutation);
llvm::SmallVector<int64_t> inverseOf(llvm::ArrayRef<int64_t> permutation);
bool isIdentity(llvm::ArrayRef<int64_t> permutation);
/// Batch first, features last, kernel [spatial..., input, output].
bool isChannelsLast(graph::ConvolutionOp convolution);
graph::ConvDimsAttr channelsLastDims(mlir::MLIRContext *context, int64_t rank);

void addSinkPatterns(mlir::RewritePatternSet &patterns);

} // namespace zenith::layout

#endif // ZENITH_PASSES_LAYOUT_PARAMETERVALUES_H
