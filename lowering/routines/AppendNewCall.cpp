// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// append_new: one task, which changes an index and a list where they are.

#include "lowering/routines/RoutineCall.h"
#include "lowering/routines/RoutineKernels.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

/// Bytes of a row of a part.
static int64_t rowBytes(Value part) {
  auto type = cast<RankedTensorType>(part.getType());
  return ShapedType::getNumElements(type.getShape().drop_front()) *
         elementBytesOf(part);
}

FailureOr<KernelPlan> emitAppendNew(const EmissionContext &context,
                                    search::AppendNewOp op) {
  using Arguments = zenith_append_new_arguments;
  graph::DimAnalysis &dims = context.dims;
  RoutineCall<Arguments> call(context, "append_new");
  // The routine finds rows in its results; a list alone needs no other.
  for (Value result : op->getResults())
    if (!call.kernel.resultOf(result) &&
        (op.comparedParts() > 0 || llvm::is_contained(op.getList(), result)))
      return op.emitError("no kernel for append_new with an unused result");
  SmallVector<Value> bytes, known, candidates, list;
  for (unsigned part = 0; part < op.getKnown().size(); ++part) {
    bytes.push_back(call.number(rowBytes(op.getKnown()[part])));
    known.push_back(call.operand(op.getKnown()[part]));
    candidates.push_back(call.operand(op.getCandidates()[part]));
    list.push_back(call.result(op.getList()[part]));
  }
  DimExpr more = dims.dimOf(op.getCandidates().front(), 0);
  call.set(&Arguments::parts, int64_t(bytes.size()));
  call.set(&Arguments::row_bytes, bytes);
  call.set(&Arguments::count, dims.scalar(op.getCount()));
  call.set(&Arguments::known_rows, dims.dimOf(op.getKnown().front(), 0));
  call.set(&Arguments::candidate_rows, more);
  call.set(&Arguments::rows, dims.scalar(op.getRows()));
  call.set(&Arguments::cells, dims.scalar(op.getCells()));
  call.set(&Arguments::old_cells, dims.dimOf(op.getIndex(), 0));
  call.set(&Arguments::index, call.operand(op.getIndex()));
  call.set(&Arguments::known, known);
  call.set(&Arguments::candidates, candidates);
  call.set(&Arguments::new_index, call.result(op.getNewIndex()));
  call.set(&Arguments::list, list);
  call.set(&Arguments::total, call.result(op.getTotal()));
  call.set(&Arguments::compared, op.comparedParts());
  constexpr double typicalRows = 1024, perRow = 40;
  KernelPlan plan;
  if (!addLaunch(plan, call.finish(1, perRow * double(more.constant().value_or(
                                                   int64_t(typicalRows))))))
    return failure();
  return plan;
}

} // namespace zenith::kernels
