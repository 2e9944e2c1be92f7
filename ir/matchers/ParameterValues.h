// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The permutations and layouts that the room shares.

#ifndef ZENITH_IR_MATCHERS_PARAMETERVALUES_H
#define ZENITH_IR_MATCHERS_PARAMETERVALUES_H

#include "ir/GraphOps.h"
#include "ir/matchers/ParameterDependence.h"
#include "mlir/IR/PatternMatch.h"

namespace zenith::layout {

/// Marks transposes that ChooseLayouts made and still moves.
inline constexpr llvm::StringLiteral sinkableAttrName = "graph.moving";

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
mlir::Value transposed(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, llvm::ArrayRef<int64_t> permutation);
llvm::SmallVector<int64_t> inverseOf(llvm::ArrayRef<int64_t> permutation);
bool isIdentity(llvm::ArrayRef<int64_t> permutation);

/// Lets a grouped, channels-last convolution of several channels per group read
/// its parameter group by group; small groups become one where a panel holds
/// them, with zeros between them.
void packGroups(graph::ConvolutionOp op, int64_t panel);
/// The movement, before a reshape, by which it reads such a kernel; null if it
/// doesn't.
graph::TransposeOp matchGroupPacking(graph::ConvolutionOp op);

/// Lets a channels-last convolution with a few outputs and many inputs read its
/// parameter output by output; false where it isn't one.
bool packFewOutputs(graph::ConvolutionOp op);
/// The movement by which it reads such a kernel; null if it doesn't.
graph::TransposeOp matchFewOutputPacking(graph::ConvolutionOp op);

/// Whether rows of a static table are read whole and only added or compared.
bool readsSummedRows(graph::GatherOp op);
/// Lets it read a parameter by blocks of a few panels of columns, where that
/// gains something.
void packTable(graph::GatherOp op, int64_t panel);

/// A pattern, for channels-last convolutions with channels of static number.
mlir::LogicalResult splitDilatedInput(graph::ConvolutionOp op,
                                      mlir::PatternRewriter &rewriter);

/// A pattern, for large rectangles of which channels come last.
mlir::LogicalResult splitWindow(graph::ReduceWindowOp op,
                                mlir::PatternRewriter &rewriter);

void addSinkPatterns(mlir::RewritePatternSet &patterns);

} // namespace zenith::layout

#endif // ZENITH_IR_MATCHERS_PARAMETERVALUES_H
