// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of custom_call @stablehlo.dynamic_reduce_window, which JAX writes for
// windows over dimensions of unknown size.

#include "frontends/stablehlo/import/ReduceReading.h"
#include "frontends/stablehlo/import/ShapeReading.h"
#include "ir/DimAnalysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

namespace {
/// One entry per dimension.
struct DynamicWindows {
  Value value, init;
  Region *body = nullptr;
  std::optional<graph::ReduceKind> kind; ///< the body's kind, if it has one
  Values size, low, high;
  SmallVector<int64_t> strides, baseDilation, dilation;
};

/// Element i reduces elements 0 to i, or i to the last one.
struct Running {
  int64_t along;
  bool reverse;
};
} // namespace

// Operands: value, initial value, then window, strides, dilations (base,
// window) and padding as vectors. False if the form is another one.
static bool readWindows(OpReading &x, DynamicWindows &windows) {
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
  windows.body = &body->getRegion(0);
  windows.kind = reduceKind(*windows.body, elementOf(windows.value));
  int64_t rank = rankOf(windows.value);
  auto holds = [&](unsigned operand, int64_t count) {
    RankedTensorType type = tensorTypeOf(x.in(operand));
    return type.hasStaticShape() && type.getNumElements() == count;
  };
  if (rankOf(windows.init) != 0 || !holds(2, rank) || !holds(3, rank) ||
      !holds(4, rank) || !holds(5, rank) || !holds(6, 2 * rank))
    return false;
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

// Windows as long as their dimension, padded on one side. Nothing if they do
// not have that form.
static std::optional<Running> scanOf(const DynamicWindows &windows) {
  auto isOne = [](int64_t size) { return size == 1; };
  if (!llvm::all_of(windows.strides, isOne) ||
      !llvm::all_of(windows.baseDilation, isOne) ||
      !llvm::all_of(windows.dilation, isOne))
    return std::nullopt;
  graph::DimAnalysis analysis;
  std::optional<Running> running;
  for (int64_t i = 0, rank = rankOf(windows.value); i < rank; ++i) {
    graph::DimExpr low = analysis.scalar(windows.low[i]),
                   high = analysis.scalar(windows.high[i]),
                   whole = analysis.dimOf(windows.value, i);
    if (constantInteger(windows.size[i]) == 1 && low.isConstant(0) &&
        high.isConstant(0))
      continue;
    bool reverse = low.isConstant(0);
    bool oneSide =
        reverse ? high == whole - 1 : low == whole - 1 && high.isConstant(0);
    if (running || analysis.scalar(windows.size[i]) != whole || !oneSide)
      return std::nullopt;
    running = Running{i, reverse};
  }
  return running;
}

// One step of reduceByDoubling: each element joined with the element `shift`
// before it (after it in reverse), or with the initial value if there is none.
static Value reduceShifted(OpReading &x, const DynamicWindows &windows,
                           Running running, Expr shift, Value reduced) {
  Values low(rankOf(reduced), x.index(0)), high = low;
  low[running.along] = running.reverse ? (-shift).value : shift.value;
  high[running.along] = running.reverse ? shift.value : (-shift).value;
  SmallVector<int64_t> interior(rankOf(reduced), 0);
  Value moved = padByValues(x, tensorTypeOf(reduced), reduced, windows.init,
                            low, high, interior);
  Values operands{moved, reduced};
  if (running.reverse)
    std::swap(operands[0], operands[1]);
  Value outer = std::exchange(x.program.liftedLike, reduced);
  Values results = x.program.inlineBlock(windows.body->front(), operands);
  x.program.liftedLike = outer;
  return x.failed() ? reduced : results[0];
}

// A scan by any body: elements reduce 1, 2, 4 and so on of their neighbours,
// log2(n) steps for n elements.
static Value reduceByDoubling(OpReading &x, const DynamicWindows &windows,
                              Running running) {
  Value count = x.dim(windows.value, running.along);
  Values inits{x.index(1), windows.value};
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locs(types.size(), x.loc);
  auto loop = x.create<graph::WhileOp>(types, inits);
  OpBuilder::InsertionGuard guard(x.b);
  Block *condition = x.b.createBlock(&loop.getCondition(), {}, types, locs);
  Expr shift(x, condition->getArgument(0));
  x.create<graph::YieldOp>(ValueRange{(shift < shift.with(count)).value});
  Block *body = x.b.createBlock(&loop.getBody(), {}, types, locs);
  shift = shift.with(body->getArgument(0));
  Value reduced =
      reduceShifted(x, windows, running, shift, body->getArgument(1));
  x.create<graph::YieldOp>(ValueRange{(shift + shift).value, reduced});
  return loop.getResult(1);
}

static Value cumulative(OpReading &x, const DynamicWindows &windows) {
  std::optional<Running> running = scanOf(windows);
  if (!running)
    return {};
  if (!windows.kind)
    return reduceByDoubling(x, windows, *running);
  return x.make<graph::CumulativeOp>(windows.value.getType(), *windows.kind,
                                     windows.value, uint64_t(running->along),
                                     /*exclusive=*/false, running->reverse);
}

// Windows of known size over an input that has been padded by values. Nothing
// if their size is a value too.
static Value overPadded(OpReading &x, const DynamicWindows &windows) {
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
  if (windows.kind)
    return x.make<graph::ReduceWindowOp>(result, *windows.kind, padded, size,
                                         windows.strides, zeros, zeros, ones,
                                         windows.dilation);
  auto reduction = x.create<graph::ReduceWindowWithOp>(
      TypeRange{result}, ValueRange{padded}, ValueRange{windows.init}, size,
      windows.strides, zeros, zeros, ones, windows.dilation);
  Type scalar = windows.init.getType();
  x.program.importRegion(*windows.body, reduction.getBody(), {scalar, scalar});
  return reduction.getResult(0);
}

void stablehlo::importDynamicReduceWindow(OpReading &x) {
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
  bool isJoined = !windows.kind || isNeutral(windows.init, *windows.kind);
  x.out(isJoined ? result : joinWith(x, *windows.kind, result, windows.init));
}
