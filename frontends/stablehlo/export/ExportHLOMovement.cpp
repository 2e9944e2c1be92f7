// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GraphIR ops that move elements by shapes as StableHLO ops.

#include "frontends/stablehlo/export/HLOExport.h"
#include "ir/GraphOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

static bool exportConstant(HLOExport &out, Operation *op) {
  out.set(op, out.constant(cast<graph::ConstantOp>(op).getValue()));
  return true;
}

static bool exportGetParam(HLOExport &out, Operation *op) {
  ElementsAttr value = out.paramValue(op);
  if (!value)
    return out.error ? false : out.unsupported(op);
  out.set(op, out.constant(value));
  return true;
}

static bool exportDim(HLOExport &out, Operation *op) {
  auto dim = cast<graph::DimOp>(op);
  int64_t size = tensorType(dim.getOperand()).getDimSize(dim.getDim());
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  out.set(op, out.constant(DenseElementsAttr::get(type, size)));
  return true;
}

static bool exportIota(HLOExport &out, Operation *op) {
  auto iota = cast<graph::IotaOp>(op);
  out.set(op, out.iota(tensorType(op->getResult(0)), iota.getDim()));
  return true;
}

static bool exportBroadcast(HLOExport &out, Operation *op) {
  auto broadcast = cast<graph::BroadcastOp>(op);
  out.set(op, out.broadcast(out.operand(op),
                            tensorType(op->getResult(0)).getShape(),
                            broadcast.getMapping()));
  return true;
}

static bool exportReshape(HLOExport &out, Operation *op) {
  out.set(op, out.make("stablehlo.reshape", op->getResult(0).getType(),
                       out.operand(op)));
  return true;
}

static bool exportTranspose(HLOExport &out, Operation *op) {
  auto transpose = cast<graph::TransposeOp>(op);
  out.set(op, out.make("stablehlo.transpose", op->getResult(0).getType(),
                       out.operand(op),
                       out.dims("permutation", transpose.getPermutation())));
  return true;
}

// Starts that are data: a dynamic slice, then the strides. Such a slice must
// lie inside, so that clamping changes nothing.
static bool exportSlice(HLOExport &out, Operation *op) {
  auto slice = cast<graph::SliceOp>(op);
  RankedTensorType result = tensorType(slice.getResult());
  Value value = out.operand(op);
  SmallVector<int64_t> starts(slice.getStaticStarts()), limits, spans;
  for (auto [size, stride] : llvm::zip(result.getShape(), slice.getStrides()))
    spans.push_back(size == 0 ? 0 : (size - 1) * stride + 1);
  if (!slice.getStarts().empty()) {
    SmallVector<Value> startScalars;
    auto scalar = RankedTensorType::get({}, out.builder.getI64Type());
    size_t next = 0;
    for (int64_t &start : starts) {
      startScalars.push_back(
          ShapedType::isDynamic(start)
              ? out.get(slice.getStarts()[next++])
              : out.constant(DenseElementsAttr::get(scalar, start)));
      start = 0;
    }
    SmallVector<Value> operands{value};
    operands.append(startScalars);
    value = out.make("stablehlo.dynamic_slice",
                     RankedTensorType::get(spans, result.getElementType()),
                     operands, out.dims("slice_sizes", spans));
  }
  for (auto [start, span] : llvm::zip(starts, spans))
    limits.push_back(start + span);
  out.set(op, out.slice(value, starts, limits, slice.getStrides()));
  return true;
}

static bool exportPad(HLOExport &out, Operation *op) {
  auto pad = cast<graph::PadOp>(op);
  if (!pad.getLow().empty() || !pad.getHigh().empty())
    return out.unsupported(op, "its sizes are data");
  out.set(op, out.make("stablehlo.pad", op->getResult(0).getType(),
                       {out.operand(op, 0), out.operand(op, 1)},
                       {out.dims("edge_padding_low", pad.getStaticLow()),
                        out.dims("edge_padding_high", pad.getStaticHigh()),
                        out.dims("interior_padding", pad.getInterior())}));
  return true;
}

static bool exportConcat(HLOExport &out, Operation *op) {
  out.set(op, out.make("stablehlo.concatenate", op->getResult(0).getType(),
                       out.list(op->getOperands()),
                       out.intAttribute("dimension",
                                        cast<graph::ConcatOp>(op).getDim())));
  return true;
}

static bool exportReverse(HLOExport &out, Operation *op) {
  out.set(
      op,
      out.make("stablehlo.reverse", op->getResult(0).getType(), out.operand(op),
               out.dims("dimensions", cast<graph::ReverseOp>(op).getDims())));
  return true;
}

void zenith::stablehlo::addMovementExports(ExportRules &rules) {
  rules["graph.constant"] = exportConstant;
  rules["graph.get_param"] = exportGetParam;
  rules["graph.dim"] = exportDim;
  rules["graph.iota"] = exportIota;
  rules["graph.broadcast"] = exportBroadcast;
  rules["graph.reshape"] = exportReshape;
  rules["graph.transpose"] = exportTranspose;
  rules["graph.slice"] = exportSlice;
  rules["graph.pad"] = exportPad;
  rules["graph.concat"] = exportConcat;
  rules["graph.reverse"] = exportReverse;
}
