// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that call a routine of the runtime: one function per op, and the
// scratch that each asks for.

#ifndef ZENITH_LOWERING_ROUTINES_ROUTINEKERNELS_H
#define ZENITH_LOWERING_ROUTINES_ROUTINEKERNELS_H

#include "ir/SearchOps.h"
#include "lowering/builder/EmissionContext.h"

namespace zenith::kernels {

/// The kernels of the one op of a routine fusion; dedup, bitset_difference and
/// test_and_set compute their candidates in a kernel of their own.
mlir::FailureOr<KernelPlan> emitRoutine(const EmissionContext &context);
/// Scratch that emitRoutine asks for.
llvm::SmallVector<graph::DimExpr> routineScratch(graph::FusionOp fusion,
                                                 graph::DimAnalysis &dims);

/// True where the operand's bytes may become the result's.
bool routineMayShareBytes(graph::FusionOp fusion, unsigned operand,
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
mlir::FailureOr<KernelPlan> emitDedup(const EmissionContext &context,
                                      search::DedupOp op);
mlir::FailureOr<KernelPlan> emitBitPositions(const EmissionContext &context,
                                             search::BitPositionsOp op);
mlir::FailureOr<KernelPlan> emitBitsetDifference(const EmissionContext &context,
                                                 search::BitsetDifferenceOp op);
mlir::FailureOr<KernelPlan> emitAppendNew(const EmissionContext &context,
                                          search::AppendNewOp op);
mlir::FailureOr<KernelPlan> emitHash(const EmissionContext &context,
                                     graph::HashOp op);
mlir::FailureOr<KernelPlan> emitTestAndSet(const EmissionContext &context,
                                           search::TestAndSetOp op);
mlir::FailureOr<KernelPlan> emitCosetBitRows(const EmissionContext &context,
                                             search::CosetBitRowsOp op);
mlir::FailureOr<KernelPlan> emitCosetBits(const EmissionContext &context,
                                          search::CosetBitsOp op);
mlir::FailureOr<KernelPlan> emitTestBits(const EmissionContext &context,
                                         search::TestBitsOp op);
mlir::FailureOr<KernelPlan> emitIndexBits(const EmissionContext &context,
                                          search::IndexBitsOp op);
mlir::FailureOr<KernelPlan> emitNoteBits(const EmissionContext &context,
                                         search::NoteBitsOp op);
mlir::FailureOr<KernelPlan> emitCountNeighbours(const EmissionContext &context,
                                                search::CountNeighboursOp op);
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
llvm::SmallVector<graph::DimExpr> keySetScratch(search::DedupOp op,
                                                graph::DimAnalysis &dims);
llvm::SmallVector<graph::DimExpr> bitSetScratch(search::BitsetDifferenceOp op,
                                                graph::DimAnalysis &dims);
llvm::SmallVector<graph::DimExpr> hashScratch(graph::HashOp op);
llvm::SmallVector<graph::DimExpr> markBitsScratch(search::TestAndSetOp op,
                                                  graph::DimAnalysis &dims);
llvm::SmallVector<graph::DimExpr> bitRowScratch(search::CosetBitRowsOp op,
                                                graph::DimAnalysis &dims);
/// Those of index_bits and note_bits.
llvm::SmallVector<graph::DimExpr> notedBitsScratch(mlir::Operation *op,
                                                   graph::DimAnalysis &dims);
llvm::SmallVector<graph::DimExpr> neighbourScratch(search::CountNeighboursOp op,
                                                   graph::DimAnalysis &dims);
llvm::SmallVector<graph::DimExpr> matrixScratch(mlir::Operation *op,
                                                graph::DimAnalysis &dims);
llvm::SmallVector<graph::DimExpr> fourierScratch(graph::FourierOp op,
                                                 graph::DimAnalysis &dims);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ROUTINES_ROUTINEKERNELS_H
