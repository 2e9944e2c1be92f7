// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hash: the factors of the matrix, then the rows by the slot.

#include "lowering/routines/RoutineCall.h"
#include "lowering/routines/RoutineKernels.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

static int64_t widthOf(graph::HashOp op) {
  return op.getOperand().getType().getDimSize(1);
}
static int64_t lanesOf(graph::HashOp op) {
  return op.getResult().getType().getDimSize(1);
}

FailureOr<KernelPlan> emitHash(const EmissionContext &context,
                               graph::HashOp op) {
  using Arguments = zenith_hash_arguments;
  const bool isMatrix = op.getKind() == graph::HashKind::matrix;
  const int64_t width = widthOf(op), lanes = lanesOf(op);
  DimExpr rows = context.dims.dimOf(op.getOperand(), 0);
  double perRow = 2 * double(width) * double(lanes);
  DimExpr slots = DimExpr::max(1, slotsFor(rows, perRow));
  auto begin = [&](StringRef routine, StringRef suffix) {
    RoutineCall<Arguments> call(context, routine, suffix);
    call.set(&Arguments::rows, rows);
    call.set(&Arguments::width, width);
    call.set(&Arguments::lanes, lanes);
    call.set(&Arguments::dtype, call.dtype(op.getOperand()));
    call.set(&Arguments::is_polynomial, int64_t(!isMatrix));
    call.set(&Arguments::seed, int64_t(op.getSeed().value_or(0)));
    call.set(&Arguments::slots, slots);
    if (isMatrix)
      call.set(&Arguments::scratch, call.scratch(0));
    return call;
  };
  KernelPlan plan;
  if (isMatrix) {
    RoutineCall factors = begin("hash_factors", "_factors");
    if (!addLaunch(plan, factors.finish(1, 30 * double(width * lanes))))
      return failure();
  }
  RoutineCall call = begin("hash", "");
  call.set(&Arguments::operand, call.operand(op.getOperand()));
  call.set(&Arguments::result, call.result(op.getResult()));
  if (!addLaunch(plan, call.finish(slots, perRow * unitsOfSlot(rows, slots))))
    return failure();
  return plan;
}

SmallVector<DimExpr> hashScratch(graph::HashOp op) {
  if (op.getKind() != graph::HashKind::matrix)
    return {};
  return {DimExpr(widthOf(op) * lanesOf(op) * 8)};
}

} // namespace zenith::kernels
