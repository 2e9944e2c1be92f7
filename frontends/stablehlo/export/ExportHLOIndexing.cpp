// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GraphIR ops that read or write at data-dependent positions as StableHLO ops.

#include "frontends/stablehlo/export/HLOExport.h"
#include "ir/GraphOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

static bool exportGather(HLOExport &out, Operation *op) {
  auto gather = cast<graph::GatherOp>(op);
  graph::GatherDimsAttr dims = gather.getDims();
  auto hloDims = GatherDimensionNumbersAttr::get(
      op->getContext(), dims.getOffsetDims(), dims.getCollapsedSliceDims(),
      dims.getOperandBatchingDims(), dims.getStartIndicesBatchingDims(),
      dims.getStartIndexMap(), dims.getIndexVectorDim());
  SmallVector<int64_t> sizes(gather.getSliceSizes());
  RankedTensorType operand = tensorType(gather.getOperand());
  for (auto [i, size] : llvm::enumerate(sizes))
    if (size < 0)
      size = operand.getDimSize(i);
  out.set(op, out.make("stablehlo.gather", op->getResult(0).getType(),
                       {out.operand(op, 0), out.operand(op, 1)},
                       {out.named("dimension_numbers", hloDims),
                        out.dims("slice_sizes", sizes),
                        out.named("indices_are_sorted",
                                  out.builder.getBoolAttr(false))}));
  return true;
}

static bool exportDynamicSlice(HLOExport &out, Operation *op) {
  RankedTensorType result = tensorType(op->getResult(0));
  out.set(op, out.make("stablehlo.dynamic_slice", result,
                       out.list(op->getOperands()),
                       out.dims("slice_sizes", result.getShape())));
  return true;
}

static bool exportDynamicUpdateSlice(HLOExport &out, Operation *op) {
  out.set(op,
          out.make("stablehlo.dynamic_update_slice", op->getResult(0).getType(),
                   out.list(op->getOperands())));
  return true;
}

static Operation *makeScatter(HLOExport &out, ValueRange inputs, Value indices,
                              ValueRange updates, graph::ScatterDimsAttr dims,
                              bool unique) {
  auto hloDims = ScatterDimensionNumbersAttr::get(
      out.builder.getContext(), dims.getUpdateWindowDims(),
      dims.getInsertedWindowDims(), dims.getInputBatchingDims(),
      dims.getIndicesBatchingDims(), dims.getIndexMap(),
      dims.getIndexVectorDim());
  SmallVector<Value> operands(inputs);
  operands.push_back(indices);
  llvm::append_range(operands, updates);
  return out.makeOp(
      "stablehlo.scatter", inputs.getTypes(), operands,
      {out.named("scatter_dimension_numbers", hloDims),
       out.named("indices_are_sorted", out.builder.getBoolAttr(false)),
       out.named("unique_indices", out.builder.getBoolAttr(unique))},
      1);
}

static bool exportScatter(HLOExport &out, Operation *op) {
  auto scatter = cast<graph::ScatterOp>(op);
  Operation *made =
      makeScatter(out, out.operand(op, 0), out.operand(op, 1),
                  out.operand(op, 2), scatter.getDims(), scatter.getUnique());
  OpBuilder::InsertionGuard guard(out.builder);
  Block &body = made->getRegion(0).emplaceBlock();
  Type scalar = RankedTensorType::get(
      {}, tensorType(scatter.getOperand()).getElementType());
  body.addArguments({scalar, scalar}, {out.loc, out.loc});
  out.builder.setInsertionPointToEnd(&body);
  Value old = body.getArgument(0), update = body.getArgument(1), joined;
  switch (scatter.getKind()) {
  case graph::ScatterKind::set:
    joined = update;
    break;
  case graph::ScatterKind::sum:
    joined = out.binary("stablehlo.add", old, update);
    break;
  case graph::ScatterKind::prod:
    joined = out.binary("stablehlo.multiply", old, update);
    break;
  case graph::ScatterKind::max:
    joined = out.binary("stablehlo.maximum", old, update);
    break;
  case graph::ScatterKind::min:
    joined = out.binary("stablehlo.minimum", old, update);
    break;
  }
  out.makeOp("stablehlo.return", {}, joined);
  out.set(op, made->getResults());
  return true;
}

static bool exportScatterWith(HLOExport &out, Operation *op) {
  auto scatter = cast<graph::ScatterWithOp>(op);
  Operation *made = makeScatter(
      out, out.list(scatter.getInputs()), out.get(scatter.getIndices()),
      out.list(scatter.getUpdates()), scatter.getDims(), scatter.getUnique());
  out.set(op, made->getResults());
  return out.region(scatter.getBody(), made->getRegion(0));
}

void zenith::stablehlo::addIndexingExports(ExportRules &rules) {
  rules["graph.gather"] = exportGather;
  rules["graph.dynamic_slice"] = exportDynamicSlice;
  rules["graph.dynamic_update_slice"] = exportDynamicUpdateSlice;
  rules["graph.scatter"] = exportScatter;
  rules["graph.scatter_with"] = exportScatterWith;
}
