// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Widening a line of bytes takes so many instructions that a processor looks
// ahead too few lines to keep memory busy.

#include "lowering/microkernels/Prefetch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace zenith::kernels {

/// More than a second-level cache keeps for the next run.
static bool isStreamed(Value value, graph::DimAnalysis &dims,
                       const TargetModel &target) {
  auto bytes = dims.elementCount(value).constant();
  return cast<RankedTensorType>(value.getType())
             .getElementType()
             .isInteger(8) &&
         bytes && *bytes >= target.l2Bytes;
}

/// One request for each line that the loads of a loop's body reach.
static void fetchAhead(Value memory, const TargetModel &target) {
  llvm::MapVector<Block *, SmallVector<vector::LoadOp>> loads;
  for (Operation *user : memory.getUsers())
    if (auto load = dyn_cast<vector::LoadOp>(user))
      if (isa<scf::ForOp>(load->getParentOp()))
        loads[load->getBlock()].push_back(load);
  for (auto &[block, ofBlock] : loads) {
    int64_t bytes = 0;
    for (vector::LoadOp load : ofBlock) {
      if (bytes % target.lineBytes == 0) {
        OpBuilder b(load);
        Location loc = load.getLoc();
        Value ahead =
            b.create<arith::ConstantIndexOp>(loc, target.prefetchBytes);
        Value at = b.create<arith::AddIOp>(loc, load.getIndices()[0], ahead);
        b.create<memref::PrefetchOp>(loc, memory, at, /*isWrite=*/false,
                                     /*localityHint=*/3, /*isDataCache=*/true);
      }
      bytes += load.getVectorType().getNumElements();
    }
  }
}

void prefetchInt8Operands(const EmissionContext &context,
                          const KernelPlan &plan) {
  if (context.target.printed)
    return;
  graph::FusionOp fusion = context.fusion;
  llvm::SmallPtrSet<Operation *, 4> done;
  for (const Launch &launch : plan.launches) {
    func::FuncOp kernel = launch.kernel;
    if (!done.insert(kernel).second)
      continue;
    for (auto [number, pointer] : llvm::enumerate(launch.pointers))
      if (pointer.kind == PointerArg::Operand &&
          isStreamed(fusion.getInputs()[pointer.index], context.dims,
                     context.target))
        fetchAhead(kernel.getArgument(number), context.target);
  }
}

} // namespace zenith::kernels
