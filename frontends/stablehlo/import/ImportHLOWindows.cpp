// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of reduce_window and select_and_scatter.

#include "frontends/stablehlo/import/ReduceReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;
using graph::ReduceKind;

namespace {
/// The parameters of windows, one entry per dimension.
struct Window {
  SmallVector<int64_t> size, strides, low, high, baseDilation, dilation;
};
} // namespace

static Window readWindow(OpReading &x, size_t rank) {
  Window window{x.list("window_dimensions", rank, 1),
                x.list("window_strides", rank, 1),
                {},
                {},
                x.list("base_dilations", rank, 1),
                x.list("window_dilations", rank, 1)};
  SmallVector<int64_t> padding = x.list("padding", 2 * rank, 0);
  for (const auto *list :
       {&window.size, &window.strides, &window.baseDilation, &window.dilation})
    if (list->size() != rank)
      x.invalid("has window attributes that do not fit its operand");
  if (padding.size() != 2 * rank)
    x.invalid("has padding that does not fit its operand");
  if (!x.failed())
    for (size_t i = 0; i < rank; ++i) {
      window.low.push_back(padding[2 * i]);
      window.high.push_back(padding[2 * i + 1]);
    }
  return window;
}

static graph::ReduceWindowWithOp windowWith(OpReading &x, TypeRange types,
                                            ValueRange inputs, ValueRange inits,
                                            const Window &window) {
  return x.create<graph::ReduceWindowWithOp>(
      types, inputs, inits, window.size, window.strides, window.low,
      window.high, window.baseDilation, window.dilation);
}

// Joining the initial value twice changes nothing.
static bool isIdempotent(ReduceKind kind) {
  return kind != ReduceKind::sum && kind != ReduceKind::prod &&
         kind != ReduceKind::parity;
}

static void reduceWindowRule(OpReading &x) {
  std::optional<ReduceOperands> operands = readReduce(x);
  if (!operands)
    return;
  Window window = readWindow(x, rankOf(operands->inputs[0]));
  RankedTensorType first = x.type();
  if (x.failed())
    return;
  Region &body = x.op->getRegion(0);
  Type element = elementOf(operands->inputs[0]);
  auto type = RankedTensorType::get(first.getShape(), element);
  if (operands->inputs.size() == 1)
    if (auto kind = reduceKind(body, element)) {
      bool neutral = isNeutral(operands->inits[0], *kind);
      if ((neutral && !roundsOnce(*kind, element)) || isIdempotent(*kind)) {
        Value result = x.make<graph::ReduceWindowOp>(
            type, *kind, operands->inputs[0], window.size, window.strides,
            window.low, window.high, window.baseDilation, window.dilation);
        return x.out(neutral ? result
                             : joinWith(x, *kind, result, operands->inits[0]));
      }
    }
  if (llvm::any_of(operands->inits,
                   [](Value init) { return rankOf(init) != 0; }))
    return x.unsupported(
        "from initial values that are no scalars is not supported");
  SmallVector<Type> types;
  for (Value input : operands->inputs)
    types.push_back(RankedTensorType::get(first.getShape(), elementOf(input)));
  auto reduce = windowWith(x, types, operands->inputs, operands->inits, window);
  x.program.importRegion(body, reduce.getBody(), operands->scalars);
  x.out(reduce.getResults());
}

// Region of a window over (value, position): keeps the element that `select`
// chooses, and never an element of the padding, whose position is -1.
static void buildSelection(OpReading &x, Region &select, Region &body,
                           TypeRange scalars) {
  OpBuilder::InsertionGuard guard(x.b);
  SmallVector<Location> locs(scalars.size(), x.loc);
  Block *block = x.b.createBlock(&body, {}, scalars, locs);
  Value value = block->getArgument(0), position = block->getArgument(1);
  Value nextValue = block->getArgument(2), nextPosition = block->getArgument(3);
  Values kept = x.program.inlineBlock(select.front(), {value, nextValue});
  if (x.failed())
    return;
  Expr keeps(x, kept[0]), at(x, position), next(x, nextPosition);
  Expr stays = (at >= 0.0) & ((next < 0.0) | keeps);
  x.create<graph::YieldOp>(
      ValueRange{x.select(stays.value, value, nextValue),
                 x.select(stays.value, position, nextPosition)});
}

static std::optional<graph::ScatterKind> scatterKind(Region &body,
                                                     Type element) {
  auto kind = reduceKind(body, element);
  if (!kind)
    return std::nullopt;
  switch (*kind) {
  case ReduceKind::sum:
    return graph::ScatterKind::sum;
  case ReduceKind::prod:
    return graph::ScatterKind::prod;
  case ReduceKind::max:
    return graph::ScatterKind::max;
  case ReduceKind::min:
    return graph::ScatterKind::min;
  default:
    return std::nullopt;
  }
}

// Reduces updates into a flat copy of the initial value at flat positions.
static Value scatterFlat(OpReading &x, Value target, Value positions,
                         Value updates) {
  auto dims =
      graph::ScatterDimsAttr::get(x.b.getContext(), {}, {0}, {}, {}, {0}, 1);
  Region &body = x.op->getRegion(1);
  if (auto kind = scatterKind(body, elementOf(target)))
    return x.make<graph::ScatterOp>(target.getType(), *kind, target, positions,
                                    updates, dims);
  auto scatter = x.create<graph::ScatterWithOp>(TypeRange{target.getType()},
                                                ValueRange{target}, positions,
                                                ValueRange{updates}, dims);
  Type scalar = RankedTensorType::get({}, elementOf(target));
  x.program.importRegion(body, scatter.getBody(), {scalar, scalar});
  return scatter.getResult(0);
}

namespace {
/// Count of elements: static, or by value.
struct Count {
  int64_t size = 1;
  Values value;
};
} // namespace

static Count countOf(OpReading &x, Value value) {
  RankedTensorType type = tensorTypeOf(value);
  if (type.hasStaticShape())
    return {type.getNumElements(), {}};
  Expr product(x, x.index(1));
  for (int64_t i = 0; i < type.getRank(); ++i)
    product = product * Expr(x, x.dim(value, i));
  return {ShapedType::kDynamic, {product.value}};
}

// The same elements in the shape of `like`.
static Value reshapeLike(OpReading &x, Value value, Value like) {
  return x.make<graph::ReshapeOp>(typeWith(like, elementOf(value)), value,
                                  x.dynamicDims(like));
}

static void selectAndScatterRule(OpReading &x) {
  Value operand = x.in(0), source = x.in(1), init = x.in(2);
  Window window = readWindow(x, rankOf(operand));
  if (x.failed())
    return;
  Count all = countOf(x, operand), chosen = countOf(x, source);
  Type i64 = x.b.getI64Type(), element = elementOf(operand);
  Value indices = x.make<graph::IotaOp>(RankedTensorType::get(all.size, i64),
                                        uint64_t(0), all.value);
  Value positions = reshapeLike(x, indices, operand);
  auto scalar = [](Type type) { return RankedTensorType::get({}, type); };
  auto select = windowWith(
      x, {typeWith(source, element), typeWith(source, i64)},
      {operand, positions}, {x.scalar(element, 0), x.index(-1)}, window);
  buildSelection(x, x.op->getRegion(0), select.getBody(),
                 {scalar(element), scalar(i64), scalar(element), scalar(i64)});
  if (x.failed())
    return;
  Type sum = elementOf(init);
  Value flat = x.spread(init, RankedTensorType::get(all.size, sum), all.value);
  Value at =
      x.make<graph::ReshapeOp>(RankedTensorType::get({chosen.size, 1}, i64),
                               select.getResult(1), chosen.value);
  Value updates =
      x.make<graph::ReshapeOp>(RankedTensorType::get(chosen.size, sum),
                               x.convert(source, sum), chosen.value);
  x.out(reshapeLike(x, scatterFlat(x, flat, at, updates), operand));
}

void stablehlo::addWindowRules(RuleTable &rules) {
  rules["stablehlo.reduce_window"] = reduceWindowRule;
  rules["stablehlo.select_and_scatter"] = selectAndScatterRule;
}
