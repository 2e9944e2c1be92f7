// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of movement: rows are one more dimension that stays as it is.

#include "ir/matchers/DynamicDims.h"
#include "ir/matchers/TypeOf.h"
#include "passes/batching/RowDims.h"
#include "passes/batching/RuleModels.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {
namespace {

/// Constants, sizes and indices don't vary, but where a size would.
template <typename Op>
struct UniformBatching : RefusedBatching<UniformBatching<Op>, Op> {
  StringRef refusal(Operation *) const {
    return "has sizes that differ between rows";
  }
};

struct BroadcastBatching
    : BatchRule::ExternalModel<BroadcastBatching, BroadcastOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto broadcast = cast<BroadcastOp>(op);
    auto sizes = sizesOf(broadcast, batcher);
    if (failed(sizes))
      return failure();
    auto result = batcher.b.create<BroadcastOp>(
        batcher.loc, batcher.batchedType(broadcast.getType()),
        batcher.batched(broadcast.getOperand()),
        prefixed(0, shifted(broadcast.getMapping())), batcher.withRows(*sizes));
    if (auto room = op->getAttrOfType<IntegerAttr>(roomAttrName))
      result->setAttr(roomAttrName,
                      batcher.b.getI64IntegerAttr(room.getInt() + 1));
    batcher.bind(broadcast.getResult(), result);
    return success();
  }

  static FailureOr<Batcher::Values> sizesOf(BroadcastOp op, Batcher &batcher) {
    auto room = op->getAttrOfType<IntegerAttr>(roomAttrName);
    Batcher::Values sizes;
    size_t next = 0;
    for (auto [dim, size] : llvm::enumerate(op.getType().getShape())) {
      if (!ShapedType::isDynamic(size))
        continue;
      Value original = op.getDims()[next++];
      if (room && room.getInt() == int64_t(dim) && batcher.varies(original)) {
        sizes.push_back(batcher.largest(batcher.mapped(original)));
        continue;
      }
      FailureOr<Value> uniform = batcher.uniform(op, original, "sizes");
      if (failed(uniform))
        return failure();
      sizes.push_back(*uniform);
    }
    return sizes;
  }
};

/// Ops that only have sizes beside their operand.
template <typename Op>
struct SizedBatching : BatchRule::ExternalModel<SizedBatching<Op>, Op> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto sized = cast<Op>(op);
    auto sizes = batcher.uniform(op, sized.getDims(), "sizes");
    if (failed(sizes))
      return failure();
    batcher.bind(sized.getResult(),
                 batcher.b.create<Op>(batcher.loc,
                                      batcher.batchedType(sized.getType()),
                                      batcher.batched(sized.getOperand()),
                                      batcher.withRows(*sizes)));
    return success();
  }
};

struct TransposeBatching
    : BatchRule::ExternalModel<TransposeBatching, TransposeOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto transpose = cast<TransposeOp>(op);
    batcher.bind(transpose.getResult(),
                 batcher.b.create<TransposeOp>(
                     batcher.loc, batcher.batchedType(transpose.getType()),
                     batcher.batched(transpose.getOperand()),
                     prefixed(0, shifted(transpose.getPermutation()))));
    return success();
  }
};

struct SliceBatching : BatchRule::ExternalModel<SliceBatching, SliceOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto slice = cast<SliceOp>(op);
    if (llvm::any_of(slice.getStarts(),
                     [&](Value start) { return batcher.varies(start); }))
      return batchStarts(slice, batcher);
    auto sizes = batcher.uniform(op, slice.getSizes(), "sizes");
    if (failed(sizes))
      return failure();
    OpBuilder &b = batcher.b;
    batcher.bind(
        slice.getResult(),
        b.create<SliceOp>(
            batcher.loc, batcher.batchedType(slice.getType()),
            batcher.batched(slice.getOperand()),
            batcher.mapped(slice.getStarts()), batcher.withRows(*sizes),
            b.getDenseI64ArrayAttr(prefixed(0, slice.getStaticStarts())),
            b.getDenseI64ArrayAttr(
                prefixed(batcher.size.number, slice.getStaticSizes())),
            b.getDenseI64ArrayAttr(prefixed(1, slice.getStrides()))));
    return success();
  }

  /// Starts that differ between rows: indices of the elements along each such
  /// dimension, and a gather along it.
  static LogicalResult batchStarts(SliceOp slice, Batcher &batcher);
};

/// Positions start, start + stride, ... of a dimension, as many as `slice` has.
Value positionsAlong(OpBuilder &b, SliceOp slice, int64_t dim, Value start) {
  Location loc = slice.getLoc();
  RankedTensorType type = typeOf(slice.getResult());
  auto list = RankedTensorType::get({type.getDimSize(dim)}, b.getI64Type());
  SmallVector<Value> size;
  if (type.isDynamicDim(dim))
    size.push_back(slice.getSizes()[llvm::count_if(
        type.getShape().take_front(dim), ShapedType::isDynamic)]);
  auto everywhere = [&](Value scalar) -> Value {
    return b.create<BroadcastOp>(loc, list, scalar, ArrayRef<int64_t>{}, size);
  };
  auto scalarType = RankedTensorType::get({}, b.getI64Type());
  Value stride =
      b.create<ConstantOp>(loc, cast<ElementsAttr>(DenseElementsAttr::get(
                                    scalarType, slice.getStrides()[dim])));
  Value steps = b.create<MulOp>(loc, list, b.create<IotaOp>(loc, list, 0, size),
                                everywhere(stride));
  return b.create<AddOp>(loc, list, steps, everywhere(start));
}

/// Elements of `operand` at `positions` of a dimension.
Value takenAlong(OpBuilder &b, Location loc, Value operand, int64_t dim,
                 Value positions) {
  RankedTensorType type = typeOf(operand);
  int64_t count = typeOf(positions).getDimSize(0);
  SmallVector<int64_t> shape(type.getShape()), sizes, offset;
  shape[dim] = count;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    sizes.push_back(int64_t(i) == dim             ? 1
                    : ShapedType::isDynamic(size) ? -1
                                                  : size);
    if (int64_t(i) != dim)
      offset.push_back(i);
  }
  auto dims = GatherDimsAttr::get(b.getContext(), offset, {dim}, {}, {}, {dim},
                                  /*indexVectorDim=*/1);
  return b.create<GatherOp>(loc, type.clone(shape), operand, positions, dims,
                            b.getDenseI64ArrayAttr(sizes));
}

LogicalResult SliceBatching::batchStarts(SliceOp slice, Batcher &batcher) {
  return batcher.runFormula(slice, [&](OpBuilder &b) -> Batcher::Values {
    SmallVector<int64_t> starts(slice.getStaticStarts());
    SmallVector<Value> kept;
    Value operand = slice.getOperand();
    RankedTensorType type = typeOf(slice.getResult());
    SmallVector<int64_t> strides(slice.getStrides());
    auto start = slice.getStarts().begin();
    for (auto [dim, known] : llvm::enumerate(slice.getStaticStarts())) {
      if (!ShapedType::isDynamic(known))
        continue;
      if (!batcher.varies(*start)) {
        kept.push_back(*start++);
        continue;
      }
      operand = takenAlong(b, slice.getLoc(), operand, dim,
                           positionsAlong(b, slice, dim, *start++));
      starts[dim] = 0;
      strides[dim] = 1;
    }
    return {b.create<SliceOp>(slice.getLoc(), type, operand, kept,
                              slice.getSizes(), b.getDenseI64ArrayAttr(starts),
                              slice.getStaticSizesAttr(),
                              b.getDenseI64ArrayAttr(strides))};
  });
}

struct PadBatching : BatchRule::ExternalModel<PadBatching, PadOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto pad = cast<PadOp>(op);
    auto low = batcher.uniform(op, pad.getLow(), "sizes"),
         high = batcher.uniform(op, pad.getHigh(), "sizes");
    if (failed(low) || failed(high))
      return failure();
    if (batcher.varies(pad.getValue()))
      return batchValue(pad, batcher);
    OpBuilder &b = batcher.b;
    auto list = [&](ArrayRef<int64_t> entries) {
      return b.getDenseI64ArrayAttr(prefixed(0, entries));
    };
    batcher.bind(
        pad.getResult(),
        b.create<PadOp>(batcher.loc, batcher.batchedType(pad.getType()),
                        batcher.batched(pad.getOperand()),
                        batcher.mapped(pad.getValue()), *low, *high,
                        list(pad.getStaticLow()), list(pad.getStaticHigh()),
                        list(pad.getInterior())));
    return success();
  }

  /// Padding that differs between rows is selected where ones are padded by
  /// zeros.
  static LogicalResult batchValue(PadOp pad, Batcher &batcher) {
    return batcher.runFormula(pad, [&](OpBuilder &b) -> Batcher::Values {
      Location loc = pad.getLoc();
      RankedTensorType from = typeOf(pad.getOperand());
      auto padded = [&](Value operand, Value value) -> Value {
        return b.create<PadOp>(
            loc, typeOf(pad.getResult()).clone(typeOf(value).getElementType()),
            operand, value, pad.getLow(), pad.getHigh(), pad.getStaticLowAttr(),
            pad.getStaticHighAttr(), pad.getInteriorAttr());
      };
      auto scalar = [&](TypedAttr element) -> Value {
        return b.create<ConstantOp>(
            loc, cast<ElementsAttr>(DenseElementsAttr::get(
                     RankedTensorType::get({}, element.getType()),
                     ArrayRef<Attribute>(element))));
      };
      Value inside = b.create<BroadcastOp>(
          loc, from.clone(b.getI1Type()), scalar(b.getBoolAttr(true)),
          ArrayRef<int64_t>{}, dynamicDimsOf(b, loc, pad.getOperand()));
      Value mask = padded(inside, scalar(b.getBoolAttr(false)));
      Value zero = b.create<ConstantOp>(
          loc, cast<ElementsAttr>(DenseElementsAttr::get(
                   RankedTensorType::get({}, from.getElementType()),
                   zeroOf(from.getElementType()))));
      Value kept = padded(pad.getOperand(), zero);
      Value value = b.create<BroadcastOp>(loc, kept.getType(), pad.getValue(),
                                          ArrayRef<int64_t>{},
                                          dynamicDimsOf(b, loc, kept));
      return {b.create<SelectOp>(loc, mask, kept, value)};
    });
  }

  static SmallVector<Attribute> zeroOf(Type element) {
    Builder b(element.getContext());
    if (auto complex = dyn_cast<ComplexType>(element)) {
      Attribute part = b.getZeroAttr(complex.getElementType());
      return {b.getArrayAttr({part, part})};
    }
    return {b.getZeroAttr(element)};
  }
};

struct ConcatBatching : BatchRule::ExternalModel<ConcatBatching, ConcatOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto concat = cast<ConcatOp>(op);
    batcher.bind(concat.getResult(),
                 batcher.b.create<ConcatOp>(
                     batcher.loc, batcher.batchedType(concat.getType()),
                     concat.getDim() + 1,
                     batcher.batched(concat->getOperands())));
    return success();
  }
};

struct ReverseBatching : BatchRule::ExternalModel<ReverseBatching, ReverseOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto reverse = cast<ReverseOp>(op);
    Value operand = batcher.batched(reverse.getOperand());
    batcher.bind(reverse.getResult(), batcher.b.create<ReverseOp>(
                                          batcher.loc, operand.getType(),
                                          operand, shifted(reverse.getDims())));
    return success();
  }
};

} // namespace

void attachMovementBatching(MLIRContext *context) {
  attachAll<UniformBatching, ConstantOp, DimOp, IotaOp>(context);
  BroadcastOp::attachInterface<BroadcastBatching>(*context);
  attachAll<SizedBatching, ReshapeOp, ExpandOp>(context);
  TransposeOp::attachInterface<TransposeBatching>(*context);
  SliceOp::attachInterface<SliceBatching>(*context);
  PadOp::attachInterface<PadBatching>(*context);
  ConcatOp::attachInterface<ConcatBatching>(*context);
  ReverseOp::attachInterface<ReverseBatching>(*context);
}

} // namespace zenith::batching
