// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GraphIR's reductions as reduce and reduce_window.

#include "frontends/stablehlo/export/HLOExport.h"
#include "ir/GraphOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

namespace {
/// The op that joins two elements, the neutral element, and the accumulator
/// type.
struct Reduction {
  llvm::StringRef combiner;
  Value init;
  Type element;
};
} // namespace

static Reduction reduceOf(HLOExport &out, graph::ReduceKind kind,
                          Type element) {
  using graph::ReduceKind;
  Reduction reduction;
  reduction.element = element;
  bool sums = kind == ReduceKind::sum || kind == ReduceKind::prod;
  if (sums)
    reduction.element = out.accumulator(element);
  auto scalar = RankedTensorType::get({}, reduction.element);
  switch (kind) {
  case ReduceKind::sum:
    return {"stablehlo.add", out.splat(scalar, 0), reduction.element};
  case ReduceKind::prod:
    return {"stablehlo.multiply", out.splat(scalar, 1), reduction.element};
  case ReduceKind::max:
    return {"stablehlo.maximum", out.extreme(scalar, false), reduction.element};
  case ReduceKind::min:
    return {"stablehlo.minimum", out.extreme(scalar, true), reduction.element};
  case ReduceKind::all:
    return {"stablehlo.and", out.splat(scalar, -1), reduction.element};
  case ReduceKind::any:
    return {"stablehlo.or", out.splat(scalar, 0), reduction.element};
  case ReduceKind::parity:
    return {"stablehlo.xor", out.splat(scalar, 0), reduction.element};
  }
  return reduction;
}

static bool exportReduce(HLOExport &out, Operation *op) {
  auto reduce = cast<graph::ReduceOp>(op);
  Type element = tensorType(reduce.getOperand()).getElementType();
  Reduction reduction = reduceOf(out, reduce.getKind(), element);
  Value value = out.convert(out.operand(op), reduction.element);
  Value reduced =
      out.reduce(reduction.combiner, value, reduction.init, reduce.getDims());
  out.set(op, out.convert(reduced, element));
  return true;
}

static bool exportReduceWith(HLOExport &out, Operation *op) {
  auto reduce = cast<graph::ReduceWithOp>(op);
  Operation *made = out.makeOp("stablehlo.reduce", op->getResultTypes(),
                               out.list(op->getOperands()),
                               out.dims("dimensions", reduce.getDims()), 1);
  out.set(op, made->getResults());
  return out.region(reduce.getBody(), made->getRegion(0));
}

// Reduces pairs (value, index) by an order in which every element comes before
// the initial pair.
static bool exportArgReduce(HLOExport &out, Operation *op) {
  auto reduce = cast<graph::ArgReduceOp>(op);
  Value value = out.operand(op);
  RankedTensorType type = tensorType(value);
  Type index = tensorType(op->getResult(0)).getElementType();
  auto valueScalar = RankedTensorType::get({}, type.getElementType());
  auto indexScalar = RankedTensorType::get({}, index);
  bool takesMax = reduce.getKind() == graph::ReduceKind::max;
  Value inits[] = {out.extreme(valueScalar, !takesMax),
                   reduce.getLast() ? out.splat(indexScalar, -1)
                                    : out.extreme(indexScalar, true)};
  RankedTensorType result = tensorType(op->getResult(0));
  Operation *made = out.makeOp(
      "stablehlo.reduce",
      {withElement(result, type.getElementType()), Type(result)},
      {value, out.positions(value, index, reduce.getDim()), inits[0], inits[1]},
      out.dims("dimensions", reduce.getDim()), 1);
  OpBuilder::InsertionGuard guard(out.builder);
  Block &body = made->getRegion(0).emplaceBlock();
  body.addArguments({valueScalar, indexScalar, valueScalar, indexScalar},
                    SmallVector<Location>(4, out.loc));
  out.builder.setInsertionPointToEnd(&body);
  Value a = body.getArgument(0), i = body.getArgument(1),
        b = body.getArgument(2), j = body.getArgument(3);
  using Direction = ComparisonDirection;
  // NaN comes first.
  Value better = out.compare(takesMax ? Direction::GT : Direction::LT, a, b);
  if (isa<FloatType>(type.getElementType()))
    better = out.binary("stablehlo.or", better,
                        out.binary("stablehlo.and", out.isNaN(a),
                                   out.compare(Direction::EQ, b, b)));
  Value nearer =
      out.compare(reduce.getLast() ? Direction::GT : Direction::LT, i, j);
  Value first = out.binary("stablehlo.or", better,
                           out.binary("stablehlo.and", out.same(a, b), nearer));
  Value results[] = {out.make("stablehlo.select", valueScalar, {first, a, b}),
                     out.make("stablehlo.select", indexScalar, {first, i, j})};
  out.makeOp("stablehlo.return", {}, results);
  out.set(op, made->getResult(1));
  return true;
}

namespace {
struct Window {
  llvm::ArrayRef<int64_t> sizes, strides, low, high, baseDilation, dilation;
};
} // namespace

static Operation *makeWindow(HLOExport &out, TypeRange types,
                             ValueRange operands, const Window &window) {
  return out.makeOp("stablehlo.reduce_window", types, operands,
                    {out.dims("window_dimensions", window.sizes),
                     out.dims("window_strides", window.strides),
                     out.dims("base_dilations", window.baseDilation),
                     out.dims("window_dilations", window.dilation),
                     out.padding(window.low, window.high)},
                    1);
}

static Value reduceWindow(HLOExport &out, const Reduction &reduction,
                          Value value, RankedTensorType result,
                          const Window &window) {
  Type type = withElement(result, reduction.element);
  Value operands[] = {out.convert(value, reduction.element), reduction.init};
  Operation *made = makeWindow(out, type, operands, window);
  OpBuilder::InsertionGuard guard(out.builder);
  Block &body = made->getRegion(0).emplaceBlock();
  Type scalar = reduction.init.getType();
  body.addArguments({scalar, scalar}, {out.loc, out.loc});
  out.builder.setInsertionPointToEnd(&body);
  out.makeOp(
      "stablehlo.return", {},
      out.binary(reduction.combiner, body.getArgument(0), body.getArgument(1)));
  out.builder.setInsertionPointAfter(made);
  return out.convert(made->getResult(0), result.getElementType());
}

template <typename Op> static Window windowOf(Op op) {
  return {op.getWindow(), op.getStrides(),      op.getLow(),
          op.getHigh(),   op.getBaseDilation(), op.getDilation()};
}

static bool exportReduceWindow(HLOExport &out, Operation *op) {
  auto window = cast<graph::ReduceWindowOp>(op);
  RankedTensorType result = tensorType(op->getResult(0));
  Reduction reduction =
      reduceOf(out, window.getKind(), result.getElementType());
  out.set(op, reduceWindow(out, reduction, out.operand(op), result,
                           windowOf(window)));
  return true;
}

static bool exportReduceWindowWith(HLOExport &out, Operation *op) {
  auto window = cast<graph::ReduceWindowWithOp>(op);
  Operation *made = makeWindow(out, op->getResultTypes(),
                               out.list(op->getOperands()), windowOf(window));
  out.set(op, made->getResults());
  return out.region(window.getBody(), made->getRegion(0));
}

// A window over all elements before; an exclusive scan begins one later.
static bool exportCumulative(HLOExport &out, Operation *op) {
  auto cumulative = cast<graph::CumulativeOp>(op);
  RankedTensorType type = tensorType(op->getResult(0));
  Value value = out.operand(op);
  int64_t dim = cumulative.getDim(), size = type.getDimSize(dim);
  if (type.getNumElements() == 0) {
    out.set(op, value);
    return true;
  }
  Reduction reduction =
      reduceOf(out, cumulative.getKind(), type.getElementType());
  value = out.convert(value, reduction.element);
  SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
  bool reverse = cumulative.getReverse();
  if (cumulative.getExclusive()) {
    SmallVector<int64_t> low = zeros, high = zeros;
    low[dim] = reverse ? -1 : 1;
    high[dim] = reverse ? 1 : -1;
    value = out.make("stablehlo.pad", value.getType(), {value, reduction.init},
                     {out.dims("edge_padding_low", low),
                      out.dims("edge_padding_high", high),
                      out.dims("interior_padding", zeros)});
  }
  SmallVector<int64_t> sizes = ones, low = zeros, high = zeros;
  sizes[dim] = size;
  (reverse ? high : low)[dim] = size - 1;
  out.set(op, reduceWindow(out, reduction, value, type,
                           {sizes, ones, low, high, ones, ones}));
  return true;
}

void zenith::stablehlo::addReductionExports(ExportRules &rules) {
  rules["graph.reduce"] = exportReduce;
  rules["graph.reduce_with"] = exportReduceWith;
  rules["graph.arg_reduce"] = exportArgReduce;
  rules["graph.reduce_window"] = exportReduceWindow;
  rules["graph.reduce_window_with"] = exportReduceWindowWith;
  rules["graph.cumulative"] = exportCumulative;
}
