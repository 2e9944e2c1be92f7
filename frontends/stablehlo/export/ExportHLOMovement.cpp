// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GraphIR ops that move elements by shapes as StableHLO ops.

#include "frontends/stablehlo/export/HLOExport.h"
#include "ir/GraphOps.h"
#include <numeric>

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
  if (!ShapedType::isDynamic(size)) {
    out.set(op, out.constant(DenseElementsAttr::get(type, size)));
    return true;
  }
  out.set(op, out.size(out.operand(op), dim.getDim()));
  return true;
}

static bool exportIota(HLOExport &out, Operation *op) {
  auto iota = cast<graph::IotaOp>(op);
  RankedTensorType type = tensorType(op->getResult(0));
  if (type.hasStaticShape())
    out.set(op, out.iota(type, iota.getDim()));
  else
    out.set(op, out.make("stablehlo.dynamic_iota", type,
                         out.indexVector(type.getShape(), iota.getDims()),
                         out.intAttribute("iota_dimension", iota.getDim())));
  return true;
}

static bool exportBroadcast(HLOExport &out, Operation *op) {
  auto broadcast = cast<graph::BroadcastOp>(op);
  RankedTensorType from = tensorType(broadcast.getOperand()),
                   to = tensorType(op->getResult(0));
  if (!from.hasStaticShape() || !to.hasStaticShape()) {
    // Only what is 1 by its type repeats.
    SmallVector<int64_t> ones, others;
    for (int64_t d = 0; d < from.getRank(); ++d)
      (from.getDimSize(d) == 1 ? ones : others).push_back(d);
    out.set(op,
            out.make("stablehlo.dynamic_broadcast_in_dim", to,
                     {out.operand(op),
                      out.indexVector(to.getShape(), broadcast.getDims())},
                     {out.dims("broadcast_dimensions", broadcast.getMapping()),
                      out.dims("known_expanding_dimensions", ones),
                      out.dims("known_nonexpanding_dimensions", others)}));
    return true;
  }
  out.set(op, out.broadcast(out.operand(op),
                            tensorType(op->getResult(0)).getShape(),
                            broadcast.getMapping()));
  return true;
}

static bool exportExpand(HLOExport &out, Operation *op) {
  auto expand = cast<graph::ExpandOp>(op);
  RankedTensorType to = tensorType(op->getResult(0));
  SmallVector<int64_t> mapping(to.getRank());
  std::iota(mapping.begin(), mapping.end(), 0);
  out.set(op, out.make("stablehlo.dynamic_broadcast_in_dim", to,
                       {out.operand(op),
                        out.indexVector(to.getShape(), expand.getDims())},
                       out.dims("broadcast_dimensions", mapping)));
  return true;
}

static bool exportReshape(HLOExport &out, Operation *op) {
  auto reshape = cast<graph::ReshapeOp>(op);
  RankedTensorType to = tensorType(op->getResult(0));
  if (!to.hasStaticShape() ||
      !tensorType(reshape.getOperand()).hasStaticShape()) {
    out.set(op, out.make("stablehlo.dynamic_reshape", to,
                         {out.operand(op),
                          out.indexVector(to.getShape(), reshape.getDims())}));
    return true;
  }
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

/// Entries of a list, as scalars.
static SmallVector<Value> entriesOf(HLOExport &out, ArrayRef<int64_t> fixed,
                                    ValueRange scalars) {
  SmallVector<Value> values;
  for (int64_t entry : fixed) {
    bool isDynamic = ShapedType::isDynamic(entry);
    values.push_back(isDynamic ? out.get(scalars.front())
                               : out.indexScalar(entry));
    if (isDynamic)
      scalars = scalars.drop_front();
  }
  return values;
}

/// Sizes that are data: limits are computed.
static bool exportOpenSlice(HLOExport &out, graph::SliceOp slice) {
  SmallVector<Value> starts = entriesOf(out, slice.getStaticStarts(),
                                        slice.getStarts()),
                     sizes = entriesOf(out, slice.getStaticSizes(),
                                       slice.getSizes()),
                     limits;
  for (auto [start, size, stride] :
       llvm::zip(starts, sizes, slice.getStrides())) {
    Value span = stride == 1 ? size
                             : out.binary("stablehlo.multiply", size,
                                          out.indexScalar(stride));
    limits.push_back(out.binary("stablehlo.add", start, span));
  }
  // The last step may reach beyond the operand.
  for (auto [d, stride] : llvm::enumerate(slice.getStrides()))
    if (stride != 1)
      limits[d] = out.binary("stablehlo.subtract", limits[d],
                             out.indexScalar(stride - 1));
  out.set(slice, out.make("stablehlo.real_dynamic_slice", slice.getType(),
                          {out.get(slice.getOperand()), out.indexVector(starts),
                           out.indexVector(limits),
                           out.indexVector(slice.getStrides(), {})}));
  return true;
}

// Starts that are data: a dynamic slice, then the strides. Such a slice must
// lie inside, so that clamping changes nothing.
static bool exportSlice(HLOExport &out, Operation *op) {
  auto slice = cast<graph::SliceOp>(op);
  RankedTensorType result = tensorType(slice.getResult());
  if (!result.hasStaticShape() ||
      !tensorType(slice.getOperand()).hasStaticShape())
    return exportOpenSlice(out, slice);
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
  bool isOpen = !pad.getLow().empty() || !pad.getHigh().empty();
  if (isOpen || !pad.getType().hasStaticShape() ||
      !tensorType(pad.getOperand()).hasStaticShape()) {
    out.set(op, out.make("stablehlo.dynamic_pad", op->getResult(0).getType(),
                         {out.operand(op, 0), out.operand(op, 1),
                          out.indexVector(pad.getStaticLow(), pad.getLow()),
                          out.indexVector(pad.getStaticHigh(), pad.getHigh()),
                          out.indexVector(pad.getInterior(), {})}));
    return true;
  }
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
  rules["graph.expand"] = exportExpand;
  rules["graph.reshape"] = exportReshape;
  rules["graph.transpose"] = exportTranspose;
  rules["graph.slice"] = exportSlice;
  rules["graph.pad"] = exportPad;
  rules["graph.concat"] = exportConcat;
  rules["graph.reverse"] = exportReverse;
}
