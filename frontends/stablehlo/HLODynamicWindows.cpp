// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of custom_call @stablehlo.dynamic_reduce_window, which JAX writes for
// windows over dimensions of unknown size.

#include "frontends/stablehlo/FoldImport.h"
#include "frontends/stablehlo/ShapeImport.h"
#include "ir/DimAnalysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

namespace {
/// One entry per dimension.
struct DynamicWindows {
  Value value, init;
  graph::ReduceKind kind = graph::ReduceKind::sum;
  Values size, low, high;
  SmallVector<int64_t> strides, baseDilation, dilation;
};
} // namespace

// Operands: value, initial value, then window, strides, dilations (base,
// window) and padding as vectors. False where it is another form.
static bool readWindows(OpImport &x, DynamicWindows &windows) {
  auto calls = x.op->getAttrOfType<ArrayAttr>("called_computations");
  auto symbol = calls && calls.size() == 1
                    ? dyn_cast<FlatSymbolRefAttr>(calls[0])
                    : FlatSymbolRefAttr();
  auto body =
      symbol ? x.program.function(symbol.getValue()) : mlir::func::FuncOp();
  if (!body || x.inputs() != 7 || x.op->getNumResults() != 1)
    return false;
  windows.value = x.in(0);
  windows.init = x.in(1);
  auto kind = reduceKind(body->getRegion(0), elementOf(windows.value));
  int64_t rank = rankOf(windows.value);
  auto holds = [&](unsigned operand, int64_t count) {
    RankedTensorType type = tensorTypeOf(x.in(operand));
    return type.hasStaticShape() && type.getNumElements() == count;
  };
  if (!kind || !holds(2, rank) || !holds(3, rank) || !holds(4, rank) ||
      !holds(5, rank) || !holds(6, 2 * rank))
    return false;
  windows.kind = *kind;
  for (int64_t i = 0; i < rank; ++i) {
    windows.size.push_back(shapeElement(x, x.in(2), i));
    windows.low.push_back(shapeElement(x, x.in(6), 2 * i));
    windows.high.push_back(shapeElement(x, x.in(6), 2 * i + 1));
    auto stride = constantInteger(shapeElement(x, x.in(3), i)),
         base = constantInteger(shapeElement(x, x.in(4), i)),
         dilation = constantInteger(shapeElement(x, x.in(5), i));
    if (!stride || !base || !dilation || *stride < 1 || *base < 1 ||
        *dilation < 1)
      return false;
    windows.strides.push_back(*stride);
    windows.baseDilation.push_back(*base);
    windows.dilation.push_back(*dilation);
  }
  return true;
}

// Windows as long as their dimension, padded on one side. Nothing where they
// are not of that form.
static Value cumulative(OpImport &x, const DynamicWindows &windows) {
  auto isOne = [](int64_t number) { return number == 1; };
  if (!llvm::all_of(windows.strides, isOne) ||
      !llvm::all_of(windows.baseDilation, isOne) ||
      !llvm::all_of(windows.dilation, isOne))
    return {};
  graph::DimAnalysis analysis;
  int64_t along = -1;
  bool reverse = false;
  for (int64_t i = 0, rank = rankOf(windows.value); i < rank; ++i) {
    graph::DimExpr low = analysis.scalar(windows.low[i]),
                   high = analysis.scalar(windows.high[i]),
                   whole = analysis.dimOf(windows.value, i);
    if (constantInteger(windows.size[i]) == 1 && low.isConstant(0) &&
        high.isConstant(0))
      continue;
    reverse = low.isConstant(0);
    bool oneSide =
        reverse ? high == whole - 1 : low == whole - 1 && high.isConstant(0);
    if (along >= 0 || analysis.scalar(windows.size[i]) != whole || !oneSide)
      return {};
    along = i;
  }
  if (along < 0)
    return {};
  return x.make<graph::CumulativeOp>(windows.value.getType(), windows.kind,
                                     windows.value, uint64_t(along),
                                     /*exclusive=*/false, reverse);
}

// Windows of known size over an input that has been padded by values. Nothing
// where their size is a value too.
static Value overPadded(OpImport &x, const DynamicWindows &windows) {
  RankedTensorType type = tensorTypeOf(windows.value);
  SmallVector<int64_t> size, interior, shape;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    auto length = constantInteger(windows.size[i]),
         before = constantInteger(windows.low[i]),
         after = constantInteger(windows.high[i]);
    if (!length || *length < 1)
      return {};
    size.push_back(*length);
    interior.push_back(windows.baseDilation[i] - 1);
    int64_t dim = type.getDimSize(i);
    bool known = before && after && !type.isDynamicDim(i);
    shape.push_back(known ? *before + *after + dim +
                                std::max<int64_t>(dim - 1, 0) * interior.back()
                          : ShapedType::kDynamic);
  }
  Value padded = padByValues(
      x, RankedTensorType::get(shape, type.getElementType()), windows.value,
      windows.init, windows.low, windows.high, interior);
  SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
  auto result =
      RankedTensorType::get(x.type().getShape(), type.getElementType());
  return x.make<graph::ReduceWindowOp>(result, windows.kind, padded, size,
                                       windows.strides, zeros, zeros, ones,
                                       windows.dilation);
}

void stablehlo::importDynamicReduceWindow(OpImport &x) {
  DynamicWindows windows;
  if (!readWindows(x, windows))
    return x.unsupported("@stablehlo.dynamic_reduce_window of this form is not "
                         "supported");
  Value result = cumulative(x, windows);
  if (!result)
    result = overPadded(x, windows);
  if (!result)
    return x.unsupported("@stablehlo.dynamic_reduce_window of windows whose "
                         "size is a value is not supported");
  x.out(isNeutral(windows.init, windows.kind)
            ? result
            : joinWith(x, windows.kind, result, windows.init));
}
