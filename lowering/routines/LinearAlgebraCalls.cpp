// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cholesky and triangular_solve: a matrix, or a slot of them, per task.

#include "lowering/routines/RoutineCall.h"
#include "lowering/routines/RoutineKernels.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {
/// Matrices in the last two dimensions of a value.
struct Matrices {
  Matrices(graph::DimAnalysis &dims, Value value) : batches(1) {
    const graph::DimVector shape = dims.dimsOf(value);
    for (const DimExpr &size : ArrayRef(shape).drop_back(2))
      batches = batches * size;
    rows = shape[shape.size() - 2];
    columns = shape.back();
  }
  DimExpr batches, rows, columns;
};
} // namespace

static double flopsOf(const DimExpr &size) {
  double n = double(size.constant().value_or(64));
  return n * n * n / 3;
}

static DimExpr solveSlots(graph::TriangularSolveOp op,
                          graph::DimAnalysis &dims) {
  Matrices a(dims, op.getA());
  return DimExpr::min(slotsFor(a.batches, 3 * flopsOf(a.rows)), 16);
}

SmallVector<DimExpr> matrixScratch(Operation *op, graph::DimAnalysis &dims) {
  auto solve = dyn_cast<graph::TriangularSolveOp>(op);
  if (!solve)
    return {};
  Matrices a(dims, solve.getA());
  return {solveSlots(solve, dims) * a.rows * a.rows *
          elementBytesOf(solve.getA())};
}

static FailureOr<KernelPlan> planOf(FailureOr<Launch> launch) {
  if (failed(launch))
    return failure();
  KernelPlan plan;
  plan.launches.push_back(std::move(*launch));
  return plan;
}

FailureOr<KernelPlan> emitCholesky(const EmissionContext &context,
                                   graph::CholeskyOp op) {
  Matrices a(context.dims, op.getOperand());
  using Arguments = zenith_cholesky_arguments;
  RoutineCall<Arguments> call(context, "cholesky");
  call.set(&Arguments::dtype, call.dtype(op.getOperand()));
  call.set(&Arguments::size, a.rows);
  call.set(&Arguments::lower, int64_t(op.getLower()));
  call.set(&Arguments::operand, call.operand(op.getOperand()));
  call.set(&Arguments::result, call.result(op.getResult()));
  return planOf(call.finish(a.batches, flopsOf(a.rows)));
}

FailureOr<KernelPlan> emitTriangularSolve(const EmissionContext &context,
                                          graph::TriangularSolveOp op) {
  Matrices a(context.dims, op.getA()), b(context.dims, op.getB());
  DimExpr slots = solveSlots(op, context.dims);
  using Arguments = zenith_triangular_solve_arguments;
  RoutineCall<Arguments> call(context, "triangular_solve");
  call.set(&Arguments::dtype, call.dtype(op.getA()));
  call.set(&Arguments::batches, a.batches);
  call.set(&Arguments::size, a.rows);
  call.set(&Arguments::other_size, op.getLeft() ? b.columns : b.rows);
  call.set(&Arguments::slots, slots);
  call.set(&Arguments::form, int64_t(op.getForm()));
  call.set(&Arguments::left, int64_t(op.getLeft()));
  call.set(&Arguments::lower, int64_t(op.getLower()));
  call.set(&Arguments::unit_diagonal, int64_t(op.getUnitDiagonal()));
  call.set(&Arguments::scratch, call.scratch(0));
  call.set(&Arguments::a, call.operand(op.getA()));
  call.set(&Arguments::b, call.operand(op.getB()));
  call.set(&Arguments::result, call.result(op.getResult()));
  return planOf(call.finish(slots, 3 * flopsOf(a.rows)));
}

} // namespace zenith::kernels
