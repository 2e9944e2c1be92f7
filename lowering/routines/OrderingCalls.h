// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that call a routine of the runtime: one function per op, and the
// scratch that each asks for.

#ifndef ZENITH_LOWERING_ROUTINES_ORDERINGCALLS_H
#define ZENITH_LOWERING_ROUTINES_ORDERINGCALLS_H

#include "lowering/builder/EmissionContext.h"

namespace zenith::kernels {

/// The kernels of the one op of an ordering fusion; fresh_keys, fresh_bits
/// and mark_bits compute their candidates on the way.
mlir::FailureOr<KernelPlan> emitOrdering(const EmissionContext &context);
/// Scratch that emitOrdering asks for.
llvm::SmallVector<graph::DimExpr> orderingScratch(graph::FusionOp fusion,
                                                  graph::DimAnalysis &dims);

/// True where the operand's bytes may become the result's.
bool orderingMayShareBytes(graph::FusionOp fusion, unsigned operand,
                           unsigned result);

// By family. Scratch of ops that need none is empty.
mlir::FailureOr<KernelPlan> emitSort(const EmissionContext &context,
                                     graph::SortOp op);
mlir::FailureOr<KernelPlan> emitSortWith(const EmissionContext &context,
                                         graph::SortWithOp op);
mlir::FailureOr<KernelPlan> emitTopK(const EmissionContext &context,
                                     graph::TopKOp op);
mlir::FailureOr<KernelPlan> emitUnique(const EmissionContext &context,
                                       graph::UniqueOp op);
mlir::FailureOr<KernelPlan> emitCompact(const EmissionContext &context,
                                        graph::CompactOp op);
mlir::FailureOr<KernelPlan> emitSearchSorted(const EmissionContext &context,
                                             graph::SearchSortedOp op);
mlir::FailureOr<KernelPlan> emitIsIn(const EmissionContext &context,
                                     graph::IsInOp op);
mlir::FailureOr<KernelPlan>
emitNonMaxSuppression(const EmissionContext &context,
                      graph::NonMaxSuppressionOp op);
mlir::FailureOr<KernelPlan> emitFreshKeys(const EmissionContext &context,
                                          graph::FreshKeysOp op);
mlir::FailureOr<KernelPlan> emitBitPositions(const EmissionContext &context,
                                             graph::BitPositionsOp op);
mlir::FailureOr<KernelPlan> emitFreshBits(const EmissionContext &context,
                                          graph::FreshBitsOp op);
mlir::FailureOr<KernelPlan> emitMarkBits(const EmissionContext &context,
                                         graph::MarkBitsOp op);
mlir::FailureOr<KernelPlan> emitFreshBitRows(const EmissionContext &context,
                                             graph::FreshBitRowsOp op);
mlir::FailureOr<KernelPlan> emitCholesky(const EmissionContext &context,
                                         graph::CholeskyOp op);
mlir::FailureOr<KernelPlan> emitTriangularSolve(const EmissionContext &context,
                                                graph::TriangularSolveOp op);
mlir::FailureOr<KernelPlan> emitFourier(const EmissionContext &context,
                                        graph::FourierOp op);
mlir::FailureOr<KernelPlan> emitCustomCall(const EmissionContext &context,
                                           graph::CustomCallOp op);
llvm::SmallVector<graph::DimExpr> sortScratch(mlir::Operation *op,
                                              graph::DimAnalysis &dims);
llvm::SmallVector<graph::DimExpr> setScratch(mlir::Operation *op,
                                             graph::DimAnalysis &dims);
llvm::SmallVector<graph::DimExpr> uniqueScratch(graph::UniqueOp op,
                                                graph::DimAnalysis &dims);
llvm::SmallVector<graph::DimExpr> keySetScratch(graph::FreshKeysOp op,
                                                graph::DimAnalysis &dims);
llvm::SmallVector<graph::DimExpr> bitSetScratch(graph::FreshBitsOp op,
                                                graph::DimAnalysis &dims);
llvm::SmallVector<graph::DimExpr> markBitsScratch(graph::MarkBitsOp op,
                                                  graph::DimAnalysis &dims);
llvm::SmallVector<graph::DimExpr> bitRowScratch(graph::FreshBitRowsOp op,
                                                graph::DimAnalysis &dims);
llvm::SmallVector<graph::DimExpr> matrixScratch(mlir::Operation *op,
                                                graph::DimAnalysis &dims);
llvm::SmallVector<graph::DimExpr> fourierScratch(graph::FourierOp op,
                                                 graph::DimAnalysis &dims);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ROUTINES_ORDERINGCALLS_H
