// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval arithmetic on dimension expressions, from a value back to what it
// was made of.

#include "ir/program/ElementBounds.h"

#include "ir/GraphOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith::graph {

using Bound = std::optional<DimExpr>;

bool ElementBounds::provablyWithin(const DimExpr &least,
                                   const DimExpr &end) const {
  return low && high && least.provablyAtMost(*low) &&
         (*high + DimExpr(1)).provablyAtMost(end);
}

template <typename Combine>
static Bound both(const Bound &x, const Bound &y, Combine combine) {
  return x && y ? Bound(combine(*x, *y)) : std::nullopt;
}

static Bound sum(const Bound &x, const Bound &y) {
  return both(x, y, [](const DimExpr &a, const DimExpr &b) { return a + b; });
}

static Bound difference(const Bound &x, const Bound &y) {
  return both(x, y, [](const DimExpr &a, const DimExpr &b) { return a - b; });
}

/// The stricter of what two bounds say.
static Bound largest(const Bound &x, const Bound &y) {
  return x && y ? Bound(DimExpr::max(*x, *y)) : x ? x : y;
}

static Bound smallest(const Bound &x, const Bound &y) {
  return x && y ? Bound(DimExpr::min(*x, *y)) : x ? x : y;
}

static ElementBounds either(const ElementBounds &x, const ElementBounds &y) {
  return {both(x.low, y.low, DimExpr::min), both(x.high, y.high, DimExpr::max)};
}

/// All values of an integer type of at most 32 bits.
static ElementBounds boundsOfType(Type element) {
  if (!element.isInteger() || element.getIntOrFloatBitWidth() > 32)
    return {};
  unsigned bits = element.getIntOrFloatBitWidth();
  if (element.isUnsignedInteger() || bits == 1)
    return {DimExpr(0), DimExpr((int64_t(1) << bits) - 1)};
  return {DimExpr(-(int64_t(1) << (bits - 1))),
          DimExpr((int64_t(1) << (bits - 1)) - 1)};
}

static ElementBounds boundsOfConstant(ConstantOp constant) {
  constexpr int64_t mostElements = 1 << 20;
  auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
  if (!elements || elements.empty() ||
      (!elements.isSplat() && elements.getNumElements() > mostElements))
    return {};
  bool isUnsigned = elements.getElementType().isUnsignedInteger() ||
                    elements.getElementType().isInteger(1);
  int64_t low = INT64_MAX, high = INT64_MIN;
  auto add = [&](const APInt &value) {
    int64_t here = isUnsigned ? int64_t(value.getLimitedValue(INT64_MAX))
                              : value.getSExtValue();
    low = std::min(low, here);
    high = std::max(high, here);
  };
  if (elements.isSplat())
    add(elements.getSplatValue<APInt>());
  else
    for (const APInt &value : elements.getValues<APInt>())
      add(value);
  return {DimExpr(low), DimExpr(high)};
}

namespace {

class BoundsSearch {
public:
  explicit BoundsSearch(function_ref<DimExpr(Value, int64_t)> dimOf)
      : dimOf(dimOf) {}
  ElementBounds of(Value value);

private:
  ElementBounds computed(OpResult value);
  ElementBounds ofAll(ValueRange values);
  ElementBounds ofSlice(SliceOp slice);
  ElementBounds positions(Value value, int64_t dim) {
    return {DimExpr(0), dimOf(value, dim) - DimExpr(1)};
  }
  ElementBounds product(MulOp op);
  ElementBounds remainder(Operation *op);

  function_ref<DimExpr(Value, int64_t)> dimOf;
  unsigned opsLeft = 64;
};

} // namespace

ElementBounds BoundsSearch::of(Value value) {
  ElementBounds ofType = boundsOfType(getElementTypeOrSelf(value.getType()));
  auto result = dyn_cast<OpResult>(value);
  if (!result || opsLeft == 0)
    return ofType;
  --opsLeft;
  ElementBounds found = computed(result);
  // What does not fit in the type has wrapped.
  bool fits = !ofType.low || (found.low && found.high &&
                              ofType.low->provablyAtMost(*found.low) &&
                              found.high->provablyAtMost(*ofType.high));
  return fits ? found : ofType;
}

ElementBounds BoundsSearch::ofAll(ValueRange values) {
  ElementBounds all = of(values.front());
  for (Value value : values.drop_front())
    all = either(all, of(value));
  return all;
}

/// A part of joined values is a part of those that it meets.
ElementBounds BoundsSearch::ofSlice(SliceOp slice) {
  auto concat = slice.getOperand().getDefiningOp<ConcatOp>();
  if (!concat)
    return of(slice.getOperand());
  int64_t dim = concat.getDim(), start = slice.getStaticStarts()[dim],
          size = slice.getStaticSizes()[dim], at = 0;
  if (ShapedType::isDynamic(start) || ShapedType::isDynamic(size) || size < 1)
    return of(slice.getOperand());
  int64_t end = start + (size - 1) * slice.getStrides()[dim] + 1;
  SmallVector<Value> met;
  for (Value part : concat.getOperands()) {
    int64_t extent = cast<RankedTensorType>(part.getType()).getDimSize(dim);
    if (ShapedType::isDynamic(extent))
      return of(slice.getOperand());
    if (at < end && at + extent > start)
      met.push_back(part);
    at += extent;
  }
  return met.empty() ? ElementBounds() : ofAll(met);
}

/// Of factors that are not negative.
ElementBounds BoundsSearch::product(MulOp op) {
  ElementBounds x = of(op.getLhs()), y = of(op.getRhs());
  auto isNatural = [](const Bound &low) {
    return low && DimExpr(0).provablyAtMost(*low);
  };
  if (!isNatural(x.low) || !isNatural(y.low))
    return {};
  auto times = [](const DimExpr &a, const DimExpr &b) { return a * b; };
  return {both(x.low, y.low, times), both(x.high, y.high, times)};
}

/// Of a divisor that is positive.
ElementBounds BoundsSearch::remainder(Operation *op) {
  ElementBounds divisor = of(op->getOperand(1));
  if (!divisor.low || !divisor.high || !DimExpr(1).provablyAtMost(*divisor.low))
    return {};
  DimExpr most = *divisor.high - DimExpr(1);
  if (isa<FloorModOp>(op))
    return {DimExpr(0), most};
  ElementBounds dividend = of(op->getOperand(0));
  bool isNatural = dividend.low && DimExpr(0).provablyAtMost(*dividend.low);
  return {isNatural ? DimExpr(0) : DimExpr(0) - most, most};
}

ElementBounds BoundsSearch::computed(OpResult value) {
  Operation *op = value.getOwner();
  unsigned index = value.getResultNumber();
  auto operand = [&](unsigned number) { return of(op->getOperand(number)); };
  return llvm::TypeSwitch<Operation *, ElementBounds>(op)
      .Case([&](ConstantOp constant) { return boundsOfConstant(constant); })
      .Case([&](IotaOp iota) { return positions(value, iota.getDim()); })
      .Case([&](DimOp dim) -> ElementBounds {
        DimExpr size = dimOf(dim->getOperand(0), dim.getDim());
        return {size, size};
      })
      .Case([&](ArgReduceOp reduce) {
        return positions(reduce.getOperand(), reduce.getDim());
      })
      .Case([&](TopKOp top) {
        return index == 0 ? operand(0)
                          : positions(top.getOperand(), top.getDim());
      })
      .Case([&](UniqueOp unique) -> ElementBounds {
        if (index == 0)
          return operand(0);
        if (index == 3) // counts
          return {};
        return index == 1 ? positions(unique.getOperand(), 0)
                          : positions(unique.getRows(), 0);
      })
      .Case([&](SearchSortedOp search) -> ElementBounds {
        return {DimExpr(0), dimOf(search.getList(), 0)};
      })
      .Case([&](SliceOp slice) { return ofSlice(slice); })
      .Case<SortOp, SortWithOp, BarrierOp, StopGradientOp, NamedOp, PlaceOp>(
          [&](Operation *) { return operand(index); })
      .Case([&](CompactOp) { return operand(index + 1); })
      .Case<BroadcastOp, ReshapeOp, TransposeOp, ReverseOp, GatherOp,
            DynamicSliceOp>([&](Operation *) { return operand(0); })
      .Case<PadOp, DynamicUpdateSliceOp>(
          [&](Operation *) { return either(operand(0), operand(1)); })
      .Case([&](ConcatOp concat) { return ofAll(concat.getOperands()); })
      .Case([&](SelectOp select) {
        return either(of(select.getOnTrue()), of(select.getOnFalse()));
      })
      .Case([&](ConvertOp) -> ElementBounds {
        Type from = getElementTypeOrSelf(op->getOperand(0).getType());
        return from.isInteger() ? operand(0) : ElementBounds();
      })
      .Case([&](AddOp) -> ElementBounds {
        ElementBounds x = operand(0), y = operand(1);
        return {sum(x.low, y.low), sum(x.high, y.high)};
      })
      .Case([&](SubOp) -> ElementBounds {
        ElementBounds x = operand(0), y = operand(1);
        return {difference(x.low, y.high), difference(x.high, y.low)};
      })
      .Case([&](MulOp mul) { return product(mul); })
      .Case<RemOp, FloorModOp>([&](Operation *) { return remainder(op); })
      .Case([&](MaxOp) -> ElementBounds {
        ElementBounds x = operand(0), y = operand(1);
        return {largest(x.low, y.low), both(x.high, y.high, DimExpr::max)};
      })
      .Case([&](MinOp) -> ElementBounds {
        ElementBounds x = operand(0), y = operand(1);
        return {both(x.low, y.low, DimExpr::min), smallest(x.high, y.high)};
      })
      .Case([&](ClampOp) -> ElementBounds {
        ElementBounds low = operand(0), x = operand(1), high = operand(2);
        return {both(largest(x.low, low.low), high.low, DimExpr::min),
                smallest(both(x.high, low.high, DimExpr::max), high.high)};
      })
      .Default([](Operation *) { return ElementBounds(); });
}

ElementBounds boundsOf(Value value,
                       function_ref<DimExpr(Value, int64_t)> dimOf) {
  return BoundsSearch(dimOf).of(value);
}

} // namespace zenith::graph
