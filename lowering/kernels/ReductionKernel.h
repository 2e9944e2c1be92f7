// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emitter of reductions: what its schedules by rows, by columns and by
// chunks share.

#ifndef ZENITH_LOWERING_KERNELS_REDUCTIONKERNEL_H
#define ZENITH_LOWERING_KERNELS_REDUCTIONKERNEL_H

#include "lowering/kernels/Accumulators.h"
#include "lowering/schedule/LaneChoice.h"
#include "lowering/schedule/reductions/ReductionPasses.h"

namespace zenith::kernels {

class ReductionKernel {
public:
  ReductionKernel(const EmissionContext &context, ReductionSchedule &plan,
                  const ReductionForm &form, llvm::StringRef name)
      : kernel(context.fusion, context.dims, context.target, context.kernels,
               name),
        emitter(kernel), plan(plan), form(form), space(*plan.space),
        width(form.lanes) {
    emitter.indices.width = width;
  }
  void discard() { kernel.function().erase(); }
  bool failed() const { return emitter.failed() || moved; }
  bool unsupported() const { return emitter.failed(); }

  Launch emitRows();
  Launch emitColumns();
  Launch emitPartial();
  Launch emitCombine();

private:
  using State = llvm::SmallVector<mlir::Value>;
  using LoopIndex = llvm::SmallVector<LaneIndex>;
  /// Reduces over steps low, low + step ... below high with `unroll` states in
  /// flight, then one at a time. A state has the accumulators of all rows that
  /// are reduced at once.
  State reduceSteps(
      Accumulators &reductions, mlir::Value low, mlir::Value high, int64_t step,
      State state,
      llvm::function_ref<State(mlir::Value at, mlir::ValueRange state)> body);
  /// One pass over lanes [low, high) of the lane loop.
  State reduceLanes(Accumulators &reductions, llvm::ArrayRef<LoopIndex> rows,
                    mlir::Value low, mlir::Value high, State state,
                    unsigned level);
  State joinStates(Accumulators &reductions, State state);
  State passOverRows(Accumulators &reductions, llvm::ArrayRef<LoopIndex> rows,
                     unsigned level);
  State passDownColumn(Accumulators &reductions,
                       llvm::SmallVector<LaneIndex> loopIndex, mlir::Value low,
                       mlir::Value high);
  /// `state` with the elements of one row (lanes run along the columns).
  State reduceRow(Accumulators &reductions, llvm::ArrayRef<LaneIndex> loopIndex,
                  mlir::Value row, mlir::ValueRange state);
  mlir::Type slotType(unsigned number);
  void storeSlots(mlir::ValueRange values, mlir::Value chunk,
                  llvm::ArrayRef<LaneIndex> loopIndex);
  State loadSlots(mlir::Value chunk, llvm::ArrayRef<LaneIndex> loopIndex);
  void forEachColumnBlock(
      llvm::SmallVector<LaneIndex> loopIndex,
      llvm::function_ref<void(llvm::ArrayRef<LaneIndex> at)> body);
  void addRowsToSlots(Accumulators &reductions,
                      const llvm::SmallVector<LaneIndex> &loopIndex,
                      mlir::Value chunk, mlir::Value low, mlir::Value high);
  /// `values` are those of the first row, then of the next.
  void bindResults(llvm::ArrayRef<const Reduction *> reductions,
                   mlir::ValueRange values, llvm::ArrayRef<LoopIndex> rows);
  llvm::SmallVector<const Reduction *> reductionsOf(unsigned level);
  /// The reductions of a pass, whose sums run side by side from here on.
  llvm::SmallVector<const Reduction *> enter(unsigned level);
  void reduceRows(llvm::ArrayRef<LoopIndex> rows);
  llvm::SmallVector<LaneIndex> keptIndex(llvm::ArrayRef<LaneIndex> loopIndex);
  void storeReduced(llvm::ArrayRef<LaneIndex> loopIndex);
  void storeFull(llvm::ArrayRef<LaneIndex> loopIndex);
  bool anyFull() {
    return llvm::any_of(
        plan.results, [](const ReducedResult &result) { return result.full; });
  }
  void keepStash(llvm::ArrayRef<LaneIndex> index, unsigned level);
  /// Asks memory for rows that are reduced some steps later.
  void prefetchRow(llvm::ArrayRef<LaneIndex> index, unsigned level,
                   size_t rowsOfStep);
  void bindStash(unsigned level);
  LaneIndex slotIndex(mlir::Value chunk, llvm::ArrayRef<LaneIndex> loopIndex);
  double cost(double elements) {
    return elements * plan.levels * costPerElement(kernel.fusion);
  }

  KernelBuilder kernel;
  ElementEmitter emitter;
  ReductionSchedule &plan;
  const ReductionForm &form;
  IterationSpace &space;
  unsigned width, unroll = 1;
  bool moved =
      false; ///< a reduction is used at another index: unsupported here
  std::optional<Stash> stash;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_REDUCTIONKERNEL_H
