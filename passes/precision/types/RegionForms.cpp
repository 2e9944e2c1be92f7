// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes sorts, folds, scatters and products in terms of regions and
// elementwise ops.

#include "passes/precision/types/RegionForms.h"

#include "ir/GraphOps.h"
#include "ir/matchers/DynamicDims.h"
#include "ir/matchers/RowBuilder.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/ops/Contraction.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::precision {

namespace {

/// Rewrites ops at a place, in the types that they have.
class FormBuilder {
public:
  explicit FormBuilder(Operation *op) : builder(op), loc(op->getLoc()) {}

  /// Nothing where there is no such form.
  std::optional<SmallVector<Value>> form(Operation *op);
  SmallVector<Value> withRegion(ScatterOp op);
  std::optional<SmallVector<Value>> stepByStep(CumulativeOp op);

private:
  SmallVector<Value> withRegion(SortOp op);
  SmallVector<Value> withRegion(ReduceWindowOp op);
  std::optional<SmallVector<Value>> sorted(TopKOp op);
  SmallVector<Value> withRegion(ArgReduceOp op);
  std::optional<SmallVector<Value>> summed(DotGeneralOp op);
  std::optional<SmallVector<Value>> squared(PowOp op);

  template <typename Op> Value binary(Value x, Value y) {
    return builder.create<Op>(loc, x.getType(), x, y);
  }
  Value ordered(CompareDirection direction, Value x, Value y) {
    return builder.create<CompareOp>(loc, typeOf(x).clone(builder.getI1Type()),
                                     direction, x, y);
  }
  Value neutral(ReduceKind kind, Type element);
  Value isBefore(SortOp op, ValueRange sides);
  Block *fill(Region &region, ArrayRef<Type> elements);

  OpBuilder builder;
  Location loc;
};

} // namespace

static RankedTensorType scalarOf(Type element) {
  return RankedTensorType::get({}, element);
}

/// A block of scalars, at whose end ops are inserted.
Block *FormBuilder::fill(Region &region, ArrayRef<Type> elements) {
  SmallVector<Type> types;
  for (Type element : elements)
    types.push_back(scalarOf(element));
  return builder.createBlock(&region, {}, types,
                             SmallVector<Location>(types.size(), loc));
}

Value FormBuilder::neutral(ReduceKind kind, Type element) {
  return builder.create<ConstantOp>(
      loc, cast<ElementsAttr>(neutralElement(kind, element)));
}

/// Whether the first of `sides`, two scalars of each operand, comes before the
/// second one.
Value FormBuilder::isBefore(SortOp op, ValueRange sides) {
  Value before, areEqual;
  for (uint64_t key = 0; key < op.getNumKeys(); ++key) {
    Value x = sides[2 * key], y = sides[2 * key + 1];
    if (op.getDescending())
      std::swap(x, y);
    Value less = ordered(CompareDirection::lt, x, y),
          same = ordered(CompareDirection::eq, x, y);
    if (isa<FloatType>(typeOf(x).getElementType())) {
      Value isNumber = ordered(CompareDirection::eq, x, x),
            isNaN = ordered(CompareDirection::ne, y, y),
            isOther = ordered(CompareDirection::ne, x, x);
      less = binary<OrOp>(less, binary<AndOp>(isNumber, isNaN));
      same = binary<OrOp>(same, binary<AndOp>(isOther, isNaN));
    }
    before =
        before ? binary<OrOp>(before, binary<AndOp>(areEqual, less)) : less;
    areEqual = areEqual ? binary<AndOp>(areEqual, same) : same;
  }
  return before;
}

SmallVector<Value> FormBuilder::withRegion(SortOp op) {
  auto sort = builder.create<SortWithOp>(loc, op->getResultTypes(),
                                         op.getInputs(), op.getDim());
  SmallVector<Type> elements;
  for (Value input : op.getInputs())
    elements.append(2, typeOf(input).getElementType());
  Block *block = fill(sort.getComparator(), elements);
  builder.create<YieldOp>(loc, isBefore(op, block->getArguments()));
  return SmallVector<Value>(sort.getResults());
}

/// A sort with positions beside; the first ones of the result.
std::optional<SmallVector<Value>> FormBuilder::sorted(TopKOp op) {
  RankedTensorType type = typeOf(op.getOperand());
  RankedTensorType taken = typeOf(op.getValues());
  if (!type.hasStaticShape() || !taken.hasStaticShape() ||
      type.getDimSize(op.getDim()) < taken.getDimSize(op.getDim()))
    return std::nullopt;
  RankedTensorType places = type.clone(builder.getI32Type());
  Value places0 =
      builder.create<IotaOp>(loc, places, op.getDim(), ValueRange());
  auto sort = builder.create<SortOp>(
      loc, TypeRange{type, places}, ValueRange{op.getOperand(), places0},
      op.getDim(), /*num_keys=*/1, /*descending=*/!op.getSmallest());
  SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1);
  auto first = [&](Value value) -> Value {
    return builder.create<SliceOp>(
        loc, taken.clone(typeOf(value).getElementType()), value, ValueRange(),
        ValueRange(), starts, taken.getShape(), strides);
  };
  Value values = first(sort.getResult(0)), found = first(sort.getResult(1));
  return SmallVector<Value>{values,
                            converted(builder, found, builder.getI64Type())};
}

SmallVector<Value> FormBuilder::withRegion(ReduceWindowOp op) {
  Type element = typeOf(op.getOperand()).getElementType();
  Value start = neutral(op.getKind(), element);
  auto fold = builder.create<ReduceWindowWithOp>(
      loc, TypeRange{op.getType()}, ValueRange{op.getOperand()},
      ValueRange{start}, op.getWindow(), op.getStrides(), op.getLow(),
      op.getHigh(), op.getBaseDilation(), op.getDilation());
  Block *block = fill(fold.getBody(), {element, element});
  builder.create<YieldOp>(loc, combined(builder, loc, op.getKind(),
                                        block->getArgument(0),
                                        block->getArgument(1)));
  return SmallVector<Value>(fold.getResults());
}

/// The extreme so far and its position, of which there are fewer than 2^31.
SmallVector<Value> FormBuilder::withRegion(ArgReduceOp op) {
  RankedTensorType type = typeOf(op.getOperand());
  Type element = type.getElementType(), i32 = builder.getI32Type();
  Value places =
      builder.create<IotaOp>(loc, type.clone(i32), op.getDim(),
                             dynamicDimsOf(builder, loc, op.getOperand()));
  RankedTensorType result = typeOf(op.getResult());
  auto fold = builder.create<ReduceWithOp>(
      loc, TypeRange{result.clone(element), result.clone(i32)},
      ValueRange{op.getOperand(), places},
      ValueRange{neutral(op.getKind(), element), neutral(ReduceKind::sum, i32)},
      ArrayRef<int64_t>{int64_t(op.getDim())});
  Block *block = fill(fold.getBody(), {element, i32, element, i32});
  auto at = [&](unsigned index) -> Value { return block->getArgument(index); };
  bool isMax = op.getKind() == ReduceKind::max, isLast = op.getLast();
  CompareDirection better =
      isMax ? (isLast ? CompareDirection::ge : CompareDirection::gt)
            : (isLast ? CompareDirection::le : CompareDirection::lt);
  Value takes = ordered(better, at(2), at(0));
  auto choose = [&](unsigned index) -> Value {
    return builder.create<SelectOp>(loc, at(index).getType(), takes,
                                    at(index + 2), at(index));
  };
  Value value = choose(0), place = choose(1);
  builder.create<YieldOp>(loc, ValueRange{value, place});
  builder.setInsertionPointAfter(fold);
  return {converted(builder, fold.getResult(1), result.getElementType())};
}

static ReduceKind foldOf(ScatterKind kind) {
  switch (kind) {
  case ScatterKind::sum:
    return ReduceKind::sum;
  case ScatterKind::prod:
    return ReduceKind::prod;
  case ScatterKind::max:
    return ReduceKind::max;
  default:
    return ReduceKind::min;
  }
}

SmallVector<Value> FormBuilder::withRegion(ScatterOp op) {
  Type element = typeOf(op.getOperand()).getElementType();
  auto scatter = builder.create<ScatterWithOp>(
      loc, TypeRange{op.getType()}, ValueRange{op.getOperand()},
      op.getIndices(), ValueRange{op.getUpdates()}, op.getDims(),
      op.getUnique());
  Block *block = fill(scatter.getBody(), {element, element});
  builder.create<YieldOp>(loc, combined(builder, loc, foldOf(op.getKind()),
                                        block->getArgument(0),
                                        block->getArgument(1)));
  return SmallVector<Value>(scatter.getResults());
}

/// Products of elements in the space of the result and what is contracted,
/// summed over the latter.
std::optional<SmallVector<Value>> FormBuilder::summed(DotGeneralOp op) {
  RankedTensorType lhs = typeOf(op.getLhs()), rhs = typeOf(op.getRhs());
  if (!lhs.hasStaticShape() || !rhs.hasStaticShape())
    return std::nullopt;
  auto dims = op.getDims();
  RankedTensorType result = typeOf(op.getResult());
  SmallVector<int64_t> shape(result.getShape()), contracted;
  for (int64_t dim : dims.getLhsContracting()) {
    contracted.push_back(shape.size());
    shape.push_back(lhs.getDimSize(dim));
  }
  int64_t nextFree = dims.getLhsBatching().size();
  auto spread = [&](Value value, ArrayRef<int64_t> batching,
                    ArrayRef<int64_t> contracting) -> Value {
    SmallVector<int64_t> mapping(typeOf(value).getRank());
    for (auto [i, dim] : llvm::enumerate(batching))
      mapping[dim] = i;
    for (auto [i, dim] : llvm::enumerate(contracting))
      mapping[dim] = contracted[i];
    for (int64_t dim : freeDims(mapping.size(), batching, contracting))
      mapping[dim] = nextFree++;
    return builder.create<BroadcastOp>(loc, typeOf(value).clone(shape), value,
                                       mapping, ValueRange());
  };
  Value left =
      spread(op.getLhs(), dims.getLhsBatching(), dims.getLhsContracting());
  Value right =
      spread(op.getRhs(), dims.getRhsBatching(), dims.getRhsContracting());
  Type element = result.getElementType();
  Value product = binary<MulOp>(converted(builder, left, element),
                                converted(builder, right, element));
  return SmallVector<Value>{builder.create<ReduceOp>(
      loc, result, ReduceKind::sum, product, contracted)};
}

/// The power by the bits of the exponent. That of -1 and 1 is right for a
/// negative exponent as well, whose last bit says what counts; others have 0.
std::optional<SmallVector<Value>> FormBuilder::squared(PowOp op) {
  RankedTensorType type = typeOf(op.getResult());
  Type element = type.getElementType();
  if (!type.hasStaticShape() || !element.isInteger())
    return std::nullopt;
  RowBuilder rows(builder, loc);
  auto splat = [&](int64_t value) {
    return integersLike(builder, loc, op.getResult(), value);
  };
  Value zero = splat(0), one = splat(1), base = op.getLhs(),
        exponent = op.getRhs();
  Value first = rows.number(0), next = rows.number(1),
        count = rows.number(element.getIntOrFloatBitWidth());
  ValueRange carried = rows.loop(
      TypeRange{first.getType(), type, type, type},
      ValueRange{first, base, exponent, one},
      [&](ValueRange state) {
        return rows.compare(CompareDirection::lt, state[0], count);
      },
      [&](ValueRange state) -> SmallVector<Value> {
        Value isSet =
            ordered(CompareDirection::ne, binary<AndOp>(state[2], one), zero);
        Value power = builder.create<SelectOp>(
            loc, type, isSet, binary<MulOp>(state[3], state[1]), state[3]);
        return {rows.add(state[0], next), binary<MulOp>(state[1], state[1]),
                binary<ShiftRightLogicalOp>(state[2], one), power};
      });
  Value power = carried[3];
  if (element.isUnsignedInteger())
    return SmallVector<Value>{power};
  Value size = builder.create<AbsOp>(loc, type, base);
  Value vanishes = binary<AndOp>(ordered(CompareDirection::lt, exponent, zero),
                                 ordered(CompareDirection::ne, size, one));
  return SmallVector<Value>{
      builder.create<SelectOp>(loc, type, vanishes, zero, power)};
}

/// A loop over the dimension: each element is an op of its own.
std::optional<SmallVector<Value>> FormBuilder::stepByStep(CumulativeOp op) {
  RankedTensorType type = typeOf(op.getResult());
  if (!type.hasStaticShape() || type.getNumElements() == 0)
    return std::nullopt;
  int64_t dim = op.getDim(), size = type.getDimSize(dim);
  SmallVector<int64_t> sliceShape(type.getShape());
  sliceShape[dim] = 1;
  RankedTensorType slice = type.clone(sliceShape);
  RowBuilder rows(builder, loc);
  Value zero = rows.number(0), one = rows.number(1), count = rows.number(size),
        last = rows.number(size - 1);
  Value start = builder.create<BroadcastOp>(
      loc, slice, neutral(op.getKind(), type.getElementType()),
      ArrayRef<int64_t>{}, ValueRange());
  ValueRange carried = rows.loop(
      TypeRange{zero.getType(), slice, type},
      ValueRange{zero, start, op.getOperand()},
      [&](ValueRange state) {
        return rows.compare(CompareDirection::lt, state[0], count);
      },
      [&](ValueRange state) -> SmallVector<Value> {
        Value place = op.getReverse() ? rows.sub(last, state[0]) : state[0];
        SmallVector<Value> starts(type.getRank(), zero);
        starts[dim] = place;
        Value element =
            builder.create<DynamicSliceOp>(loc, slice, op.getOperand(), starts);
        Value next = combined(builder, loc, op.getKind(), state[1], element);
        Value written = builder.create<DynamicUpdateSliceOp>(
            loc, type, state[2], op.getExclusive() ? state[1] : next, starts);
        return {rows.add(state[0], one), next, written};
      });
  return SmallVector<Value>{carried[2]};
}

std::optional<SmallVector<Value>> FormBuilder::form(Operation *op) {
  using Results = std::optional<SmallVector<Value>>;
  return llvm::TypeSwitch<Operation *, Results>(op)
      .Case<SortOp, ReduceWindowOp, ArgReduceOp>(
          [&](auto one) { return withRegion(one); })
      .Case([&](ScatterOp scatter) -> Results {
        if (scatter.getKind() == ScatterKind::set)
          return std::nullopt;
        return withRegion(scatter);
      })
      .Case([&](TopKOp top) { return sorted(top); })
      .Case([&](DotGeneralOp dot) { return summed(dot); })
      .Case([&](PowOp power) { return squared(power); })
      .Default([](Operation *) { return std::nullopt; });
}

static void replace(Operation *op, ArrayRef<Value> values) {
  op->replaceAllUsesWith(ValueRange(values));
  op->erase();
}

void formWordRegions(func::FuncOp function,
                     llvm::function_ref<bool(Type)> lacks) {
  auto isWide = [&](Value value) {
    return lacks(typeOf(value).getElementType());
  };
  auto computes = [&](Operation *op) {
    // What these compute on; indices and positions are bounded by sizes.
    if (isa<ArgReduceOp, ReduceWindowOp, ScatterOp>(op))
      return isWide(op->getOperand(0));
    return isa<SortOp, TopKOp, DotGeneralOp, PowOp>(op) &&
           (llvm::any_of(op->getOperands(), isWide) ||
            llvm::any_of(op->getResults(), isWide));
  };
  SmallVector<Operation *> found;
  function.walk([&](Operation *op) {
    if (computes(op))
      found.push_back(op);
  });
  while (!found.empty()) {
    Operation *op = found.pop_back_val();
    std::optional<SmallVector<Value>> values = FormBuilder(op).form(op);
    if (!values)
      continue;
    // The first ones of a sort are a sort.
    if (isa<TopKOp>(op))
      if (auto slice = values->front().getDefiningOp<SliceOp>())
        if (Operation *sort = slice.getOperand().getDefiningOp();
            computes(sort))
          found.push_back(sort);
    replace(op, *values);
  }
}

void formRoundedSteps(func::FuncOp function,
                      llvm::function_ref<bool(Type)> lacks) {
  auto rounds = [](ReduceKind kind) {
    return kind == ReduceKind::sum || kind == ReduceKind::prod;
  };
  SmallVector<Operation *> found;
  function.walk([&](Operation *op) {
    auto scatter = dyn_cast<ScatterOp>(op);
    auto running = dyn_cast<CumulativeOp>(op);
    bool isStep = (scatter && scatter.getKind() != ScatterKind::set &&
                   rounds(foldOf(scatter.getKind()))) ||
                  (running && rounds(running.getKind()));
    if (isStep && lacks(typeOf(op->getResult(0)).getElementType()))
      found.push_back(op);
  });
  for (Operation *op : found) {
    FormBuilder forms(op);
    if (auto scatter = dyn_cast<ScatterOp>(op))
      replace(op, forms.withRegion(scatter));
    else if (auto steps = forms.stepByStep(cast<CumulativeOp>(op)))
      replace(op, *steps);
  }
}

} // namespace zenith::precision
