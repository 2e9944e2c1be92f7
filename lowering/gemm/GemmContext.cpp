// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a task, and the branch for a panel that is not full.

#include "lowering/gemm/GemmContext.h"
#include "lowering/microkernels/MicroKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace zenith::kernels {

Value GemmContext::allocate(int64_t count, Type element) const {
  return k.b.create<memref::AllocaOp>(
      k.loc, MemRefType::get({count}, element),
      k.b.getI64IntegerAttr(k.target.lineBytes));
}

void GemmContext::byFullness(Value rest,
                             function_ref<void(bool full)> run) const {
  auto known = space.columns.size.constant();
  if (known && (*known % nr == 0 || *known < nr)) {
    run(*known >= nr);
    return;
  }
  Value full = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sge, rest,
                                         k.index(nr));
  auto branch = k.b.create<scf::IfOp>(k.loc, full, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  run(true);
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  run(false);
}

void GemmContext::clearSums(Value first, Value last) const {
  auto type =
      VectorType::get({int64_t(sumLanes(space.sum, k.target))}, space.sum);
  Value zero =
      isa<FloatType>(space.sum) ? k.constant(type, 0.0) : k.integer(type, 0);
  k.loop(first, last, k.index(type.getNumElements()), [&](Value at) {
    k.b.create<vector::StoreOp>(k.loc, zero, accumulators, at);
  });
}

} // namespace zenith::kernels
