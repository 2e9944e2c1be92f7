// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dispatches the op of a routine fusion to its emitter.

#include "lowering/routines/RoutineKernels.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith::kernels {

/// The one op that does the work; null where there are several or none.
static Operation *workOf(graph::FusionOp fusion) {
  Operation *work = nullptr;
  for (Operation &op : fusion.getBody().front().without_terminator()) {
    if (isa<search::DedupOp, search::BitsetDifferenceOp, search::TestAndSetOp>(
            op))
      return &op;
    if (graph::familyOf(&op) == graph::Family::Elementwise ||
        graph::familyOf(&op) == graph::Family::Movement)
      continue;
    if (work)
      return nullptr;
    work = &op;
  }
  return work;
}

FailureOr<KernelPlan> emitRoutine(const EmissionContext &context) {
  graph::FusionOp fusion = context.fusion;
  Operation *work = workOf(fusion);
  if (!work)
    return fusion.emitError("no kernel for a routine fusion that doesn't hold "
                            "exactly one op that a routine computes");
  FailureOr<KernelPlan> plan =
      llvm::TypeSwitch<Operation *, FailureOr<KernelPlan>>(work)
          .Case([&](graph::SortOp op) { return emitSort(context, op); })
          .Case([&](graph::SortWithOp op) { return emitSortWith(context, op); })
          .Case([&](graph::TopKOp op) { return emitTopK(context, op); })
          .Case([&](graph::UniqueOp op) { return emitUnique(context, op); })
          .Case([&](graph::CompactOp op) { return emitCompact(context, op); })
          .Case([&](graph::SearchSortedOp op) {
            return emitSearchSorted(context, op);
          })
          .Case([&](graph::IsInOp op) { return emitIsIn(context, op); })
          .Case([&](graph::NonMaxSuppressionOp op) {
            return emitNonMaxSuppression(context, op);
          })
          .Case([&](search::DedupOp op) { return emitDedup(context, op); })
          .Case([&](search::AppendNewOp op) {
            return emitAppendNew(context, op);
          })
          .Case([&](graph::HashOp op) { return emitHash(context, op); })
          .Case([&](search::BitPositionsOp op) {
            return emitBitPositions(context, op);
          })
          .Case([&](search::BitsetDifferenceOp op) {
            return emitBitsetDifference(context, op);
          })
          .Case([&](search::TestAndSetOp op) {
            return emitTestAndSet(context, op);
          })
          .Case([&](search::CosetBitRowsOp op) {
            return emitCosetBitRows(context, op);
          })
          .Case([&](search::CosetBitsOp op) {
            return emitCosetBits(context, op);
          })
          .Case(
              [&](search::TestBitsOp op) { return emitTestBits(context, op); })
          .Case([&](search::IndexBitsOp op) {
            return emitIndexBits(context, op);
          })
          .Case(
              [&](search::NoteBitsOp op) { return emitNoteBits(context, op); })
          .Case([&](search::CountNeighboursOp op) {
            return emitCountNeighbours(context, op);
          })
          .Case([&](graph::CholeskyOp op) { return emitCholesky(context, op); })
          .Case([&](graph::TriangularSolveOp op) {
            return emitTriangularSolve(context, op);
          })
          .Case([&](graph::FourierOp op) { return emitFourier(context, op); })
          .Case([&](graph::CustomCallOp op) {
            return emitCustomCall(context, op);
          })
          .Default([&](Operation *op) -> FailureOr<KernelPlan> {
            return op->emitError() << "no kernel for '" << op->getName() << "'";
          });
  if (failed(plan))
    return failure();
  plan->scratchBytes = routineScratch(fusion, context.dims);
  plan->hostOnly = true;
  return plan;
}

SmallVector<graph::DimExpr> routineScratch(graph::FusionOp fusion,
                                           graph::DimAnalysis &dims) {
  Operation *work = workOf(fusion);
  if (!work)
    return {};
  if (isa<graph::SortOp, graph::SortWithOp, graph::TopKOp>(work))
    return sortScratch(work, dims);
  if (isa<graph::CholeskyOp, graph::TriangularSolveOp>(work))
    return matrixScratch(work, dims);
  if (auto keys = dyn_cast<search::DedupOp>(work))
    return keySetScratch(keys, dims);
  if (auto bits = dyn_cast<search::BitsetDifferenceOp>(work))
    return bitSetScratch(bits, dims);
  if (auto marks = dyn_cast<search::TestAndSetOp>(work))
    return markBitsScratch(marks, dims);
  if (auto rows = dyn_cast<search::CosetBitRowsOp>(work))
    return bitRowScratch(rows, dims);
  if (isa<search::IndexBitsOp, search::NoteBitsOp>(work))
    return notedBitsScratch(work, dims);
  if (auto neighbours = dyn_cast<search::CountNeighboursOp>(work))
    return neighbourScratch(neighbours, dims);
  if (auto fourier = dyn_cast<graph::FourierOp>(work))
    return fourierScratch(fourier, dims);
  if (auto hash = dyn_cast<graph::HashOp>(work))
    return hashScratch(hash);
  return setScratch(work, dims);
}

} // namespace zenith::kernels
