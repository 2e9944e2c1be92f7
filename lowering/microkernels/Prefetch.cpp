// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Software prefetch for int8 operands: widening fills the reorder buffer before
// enough loads are in flight.

#include "lowering/microkernels/Prefetch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace zenith::kernels {

/// Inserts one prefetch per cache line that the loads of a loop's body read.
static void prefetchLoads(Value memory, int64_t bytesAhead,
                          const TargetModel &target) {
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
        Value ahead = b.create<arith::ConstantIndexOp>(loc, bytesAhead);
        Value at = b.create<arith::AddIOp>(loc, load.getIndices()[0], ahead);
        b.create<memref::PrefetchOp>(loc, memory, at, /*isWrite=*/false,
                                     /*localityHint=*/3, /*isDataCache=*/true);
      }
      bytes += load.getVectorType().getNumElements();
    }
  }
}

void prefetchOperands(const EmissionContext &context, const KernelPlan &plan,
                      ArrayRef<int64_t> operands, int64_t bytesAhead) {
  llvm::SmallPtrSet<Operation *, 4> done;
  for (const Launch &launch : plan.launches) {
    func::FuncOp kernel = launch.kernel;
    if (!done.insert(kernel).second)
      continue;
    for (auto [number, pointer] : llvm::enumerate(launch.pointers))
      if (pointer.kind == PointerArg::Operand &&
          llvm::is_contained(operands, int64_t(pointer.index)))
        prefetchLoads(kernel.getArgument(number), bytesAhead, context.target);
  }
}

} // namespace zenith::kernels
