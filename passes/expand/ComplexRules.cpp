// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rule of each op on complex tensors: its result on parts.

#include "ir/GraphOps.h"
#include "ir/matchers/DynamicDims.h"
#include "ir/matchers/TypeOf.h"
#include "passes/expand/ComplexParts.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::expand {

/// `op` on one part of each complex operand. Precondition: it has one result.
static Value onPart(Operation *op, OpBuilder &builder, ComplexParts &parts,
                    Value Parts::*part) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isComplex(operand) ? parts.of(operand).*part : operand);
  OperationState state(op->getLoc(), op->getName(), operands,
                       partType(op->getResult(0).getType()),
                       op->getAttrDictionary().getValue());
  return builder.create(state)->getResult(0);
}

/// Ops that act on real and imaginary parts alike.
static bool isLinear(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind() == ReduceKind::sum;
  if (auto window = dyn_cast<ReduceWindowOp>(op))
    return window.getKind() == ReduceKind::sum;
  if (auto running = dyn_cast<CumulativeOp>(op))
    return running.getKind() == ReduceKind::sum;
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return scatter.getKind() == ScatterKind::set ||
           scatter.getKind() == ScatterKind::sum;
  return isa<ReshapeOp, BroadcastOp, TransposeOp, SliceOp, ConcatOp, ReverseOp,
             PadOp, GatherOp, DynamicSliceOp, DynamicUpdateSliceOp, SelectOp,
             AddOp, SubOp, NegOp, ConvertOp>(op);
}

static std::optional<Parts> splitConstant(ConstantOp op, OpBuilder &builder) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return std::nullopt;
  SmallVector<APFloat> real, imag;
  for (std::complex<APFloat> value :
       elements.getValues<std::complex<APFloat>>()) {
    real.push_back(value.real());
    imag.push_back(value.imag());
    if (elements.isSplat())
      break;
  }
  auto type = cast<RankedTensorType>(partType(op.getType()));
  auto constant = [&](ArrayRef<APFloat> values) {
    return builder.create<ConstantOp>(
        op.getLoc(), cast<ElementsAttr>(DenseElementsAttr::get(type, values)));
  };
  return Parts{constant(real), constant(imag)};
}

static Value zerosLike(OpBuilder &builder, Location loc, Value value) {
  auto type = typeOf(value);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero = builder.create<ConstantOp>(
      loc, cast<ElementsAttr>(DenseElementsAttr::get(
               scalar, builder.getZeroAttr(type.getElementType()))));
  return type.getRank() == 0
             ? zero
             : builder.create<BroadcastOp>(loc, type, zero, ArrayRef<int64_t>{},
                                           dynamicDimsOf(builder, loc, value));
}

/// A matmul of complex values is four matmuls of parts.
static Parts splitContraction(Operation *op, OpBuilder &builder,
                              ComplexParts &parts) {
  Parts lhs = parts.of(op->getOperand(0)), rhs = parts.of(op->getOperand(1));
  Type type = partType(op->getResult(0).getType());
  auto product = [&](Value x, Value y) {
    OperationState state(op->getLoc(), op->getName(), {x, y}, type,
                         op->getAttrDictionary().getValue());
    return builder.create(state)->getResult(0);
  };
  Location loc = op->getLoc();
  Value real = builder.create<SubOp>(loc, type, product(lhs.real, rhs.real),
                                     product(lhs.imag, rhs.imag));
  Value imag = builder.create<AddOp>(loc, type, product(lhs.real, rhs.imag),
                                     product(lhs.imag, rhs.real));
  return {real, imag};
}

/// A region that multiplies: (old real, old imag, next real, next imag) -> new.
static void buildProduct(OpBuilder &builder, Region &region, Type element,
                         Location loc) {
  OpBuilder::InsertionGuard guard(builder);
  Type scalar = RankedTensorType::get({}, element);
  Block *block = builder.createBlock(&region, {}, SmallVector<Type>(4, scalar),
                                     SmallVector<Location>(4, loc));
  Parts product = complexProduct(
      builder, loc, {block->getArgument(0), block->getArgument(1)},
      {block->getArgument(2), block->getArgument(3)});
  builder.create<YieldOp>(loc, ValueRange{product.real, product.imag});
}

static SmallVector<Value> oneOf(OpBuilder &builder, Location loc,
                                Type element) {
  auto scalar = RankedTensorType::get({}, element);
  SmallVector<Value> result;
  for (double value : {1.0, 0.0})
    result.push_back(builder.create<ConstantOp>(
        loc, cast<ElementsAttr>(DenseElementsAttr::get(
                 scalar, builder.getFloatAttr(element, value)))));
  return result;
}

static Parts splitReduceProduct(ReduceOp op, OpBuilder &builder,
                                ComplexParts &parts) {
  Parts operand = parts.of(op.getOperand());
  Type type = partType(op.getType()),
       element = typeOf(operand.real).getElementType();
  auto reduce = builder.create<ReduceWithOp>(
      op.getLoc(), TypeRange{type, type},
      ValueRange{operand.real, operand.imag},
      oneOf(builder, op.getLoc(), element), op.getDims());
  buildProduct(builder, reduce.getBody(), element, op.getLoc());
  return {reduce.getResult(0), reduce.getResult(1)};
}

static Parts splitWindowProduct(ReduceWindowOp op, OpBuilder &builder,
                                ComplexParts &parts) {
  Parts operand = parts.of(op.getOperand());
  Type type = partType(op.getType()),
       element = typeOf(operand.real).getElementType();
  auto reduce = builder.create<ReduceWindowWithOp>(
      op.getLoc(), TypeRange{type, type},
      ValueRange{operand.real, operand.imag},
      oneOf(builder, op.getLoc(), element), op.getWindow(), op.getStrides(),
      op.getLow(), op.getHigh(), op.getBaseDilation(), op.getDilation());
  buildProduct(builder, reduce.getBody(), element, op.getLoc());
  return {reduce.getResult(0), reduce.getResult(1)};
}

/// A running product is a product over a window that reaches back to the start.
static std::optional<Parts>
splitRunningProduct(CumulativeOp op, OpBuilder &builder, ComplexParts &parts) {
  auto type = typeOf(op.getOperand());
  int64_t rank = type.getRank(), dim = op.getDim(), size = type.getDimSize(dim);
  if (ShapedType::isDynamic(size) || size == 0)
    return std::nullopt;
  SmallVector<int64_t> ones(rank, 1), window(ones), low(rank, 0), high(rank, 0);
  window[dim] = size;
  int64_t before = op.getExclusive() ? size : size - 1,
          after = op.getExclusive() ? -1 : 0;
  low[dim] = op.getReverse() ? after : before;
  high[dim] = op.getReverse() ? before : after;
  Parts operand = parts.of(op.getOperand());
  Type part = operand.real.getType(),
       element = typeOf(operand.real).getElementType();
  auto reduce =
      builder.create<ReduceWindowWithOp>(op.getLoc(), TypeRange{part, part},
                                         ValueRange{operand.real, operand.imag},
                                         oneOf(builder, op.getLoc(), element),
                                         window, ones, low, high, ones, ones);
  buildProduct(builder, reduce.getBody(), element, op.getLoc());
  return Parts{reduce.getResult(0), reduce.getResult(1)};
}

static Parts splitScatterProduct(ScatterOp op, OpBuilder &builder,
                                 ComplexParts &parts) {
  Parts operand = parts.of(op.getOperand()),
        updates = parts.of(op.getUpdates());
  Type type = partType(op.getType());
  auto scatter = builder.create<ScatterWithOp>(
      op.getLoc(), TypeRange{type, type},
      ValueRange{operand.real, operand.imag}, op.getIndices(),
      ValueRange{updates.real, updates.imag}, op.getDims(), op.getUnique());
  buildProduct(builder, scatter.getBody(),
               typeOf(operand.real).getElementType(), op.getLoc());
  return {scatter.getResult(0), scatter.getResult(1)};
}

static Value splitCompare(CompareOp op, OpBuilder &builder,
                          ComplexParts &parts) {
  Parts lhs = parts.of(op.getLhs()), rhs = parts.of(op.getRhs());
  auto compare = [&](Value x, Value y) -> Value {
    return builder.create<CompareOp>(op.getLoc(), op.getType(),
                                     op.getDirection(), x, y);
  };
  Value real = compare(lhs.real, rhs.real), imag = compare(lhs.imag, rhs.imag);
  if (op.getDirection() == CompareDirection::eq)
    return builder.create<AndOp>(op.getLoc(), op.getType(), real, imag);
  return builder.create<OrOp>(op.getLoc(), op.getType(), real, imag);
}

/// The parts as two more elements of each row.
static Value asRows(OpBuilder &builder, Location loc, Parts operand) {
  auto type = typeOf(operand.real);
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(1);
  SmallVector<Value> columns;
  for (Value part : {operand.real, operand.imag})
    columns.push_back(builder.create<ReshapeOp>(
        loc, type.clone(shape), part, dynamicDimsOf(builder, loc, part)));
  return builder.create<ConcatOp>(loc, uint64_t(type.getRank()), columns);
}

static Value column(OpBuilder &builder, Location loc, Value rows, Type type,
                    int64_t index) {
  auto from = typeOf(rows);
  int64_t rank = from.getRank();
  SmallVector<int64_t> starts(rank, 0), sizes(from.getShape()),
      strides(rank, 1);
  starts.back() = index;
  sizes.back() = 1;
  SmallVector<Value> dims = dynamicDimsOf(builder, loc, rows);
  Value part = builder.create<SliceOp>(
      loc, from.clone(sizes), rows, ValueRange{}, dims,
      builder.getDenseI64ArrayAttr(starts), builder.getDenseI64ArrayAttr(sizes),
      builder.getDenseI64ArrayAttr(strides));
  return builder.create<ReshapeOp>(loc, type, part, dims);
}

static void splitUnique(UniqueOp op, OpBuilder &builder, ComplexParts &parts) {
  Location loc = op.getLoc();
  Value rows = asRows(builder, loc, parts.of(op.getOperand()));
  Type type = partType(op.getRows().getType());
  SmallVector<int64_t> shape(cast<RankedTensorType>(type).getShape());
  shape.push_back(2);
  auto unique = builder.create<UniqueOp>(
      loc,
      TypeRange{cast<RankedTensorType>(type).clone(shape),
                op.getFirst().getType(), op.getInverse().getType(),
                op.getCounts().getType()},
      rows, op.getSorted());
  parts.set(op.getRows(), {column(builder, loc, unique.getRows(), type, 0),
                           column(builder, loc, unique.getRows(), type, 1)});
  op.getFirst().replaceAllUsesWith(unique.getFirst());
  op.getInverse().replaceAllUsesWith(unique.getInverse());
  op.getCounts().replaceAllUsesWith(unique.getCounts());
}

/// Ops that take complex tensors and give others.
static Value splitQuestion(Operation *op, OpBuilder &builder,
                           ComplexParts &parts) {
  Location loc = op->getLoc();
  if (isa<RealOp>(op))
    return parts.of(op->getOperand(0)).real;
  if (isa<ImagOp>(op))
    return parts.of(op->getOperand(0)).imag;
  if (isa<ComplexAbsOp>(op))
    return complexModulus(builder, loc, parts.of(op->getOperand(0)));
  if (auto compare = dyn_cast<CompareOp>(op))
    return splitCompare(compare, builder, parts);
  if (auto dim = dyn_cast<DimOp>(op))
    return builder.create<DimOp>(loc, parts.of(dim.getOperand()).real,
                                 dim.getDim());
  if (auto isIn = dyn_cast<IsInOp>(op))
    return builder.create<IsInOp>(
        loc, isIn.getType(), asRows(builder, loc, parts.of(isIn.getOperand())),
        asRows(builder, loc, parts.of(isIn.getSet())));
  return {};
}

/// Ops that give one complex tensor.
static std::optional<Parts> splitResult(Operation *op, OpBuilder &builder,
                                        ComplexParts &parts) {
  if (auto complex = dyn_cast<ComplexOp>(op))
    return Parts{complex.getReal(), complex.getImag()};
  if (auto constant = dyn_cast<ConstantOp>(op))
    return splitConstant(constant, builder);
  if (isa<IotaOp>(op)) {
    Value real = onPart(op, builder, parts, &Parts::real);
    return Parts{real, zerosLike(builder, op->getLoc(), real)};
  }
  if (isLinear(op))
    return Parts{onPart(op, builder, parts, &Parts::real),
                 onPart(op, builder, parts, &Parts::imag)};
  if (isa<DotGeneralOp, ConvolutionOp>(op))
    return splitContraction(op, builder, parts);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return splitReduceProduct(reduce, builder, parts);
  if (auto window = dyn_cast<ReduceWindowOp>(op))
    return splitWindowProduct(window, builder, parts);
  if (auto running = dyn_cast<CumulativeOp>(op))
    return splitRunningProduct(running, builder, parts);
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return splitScatterProduct(scatter, builder, parts);
  if (familyOf(op) != Family::Elementwise ||
      !llvm::all_of(op->getOperands(), isComplex))
    return std::nullopt;
  SmallVector<Parts> operands;
  for (Value operand : op->getOperands())
    operands.push_back(parts.of(operand));
  return complexFunction(builder, op, operands);
}

bool splitByRule(Operation *op, OpBuilder &builder, ComplexParts &parts) {
  if (auto unique = dyn_cast<UniqueOp>(op)) {
    splitUnique(unique, builder, parts);
    return true;
  }
  if (op->getNumResults() != 1)
    return false;
  Value result = op->getResult(0);
  if (!isComplex(result)) {
    Value answer = splitQuestion(op, builder, parts);
    if (answer)
      result.replaceAllUsesWith(answer);
    return bool(answer);
  }
  std::optional<Parts> known = splitResult(op, builder, parts);
  if (known)
    parts.set(result, *known);
  return known.has_value();
}

} // namespace zenith::expand
