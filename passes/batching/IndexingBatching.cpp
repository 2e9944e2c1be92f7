// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of gathers, scatters and dynamic slices: where indices differ
// between rows, the row is a batching dimension of operand and indices, or of
// the indices alone; where they don't, it is part of the slice or window.

#include "ir/matchers/DynamicDims.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "passes/batching/DimReshapes.h"
#include "passes/batching/RegionOperands.h"
#include "passes/batching/RowDims.h"
#include "passes/batching/RuleModels.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {
namespace {

struct GatherBatching : BatchRule::ExternalModel<GatherBatching, GatherOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto gather = cast<GatherOp>(op);
    GatherDimsAttr dims = gather.getDims();
    bool operand = batcher.varies(gather.getOperand()),
         indices = batcher.varies(gather.getStartIndices());
    // Slices of an operand with rows are rows of the result where the indices
    // have none; else the row of the indices is.
    SmallVector<int64_t> offset = shifted(dims.getOffsetDims()),
                         collapsed =
                             list(operand, dims.getCollapsedSliceDims()),
                         operandBatching =
                             list(operand, dims.getOperandBatchingDims()),
                         indexBatching =
                             list(indices, dims.getStartIndicesBatchingDims()),
                         sizes(gather.getSliceSizes());
    if (operand && indices) {
      operandBatching = prefixed(0, operandBatching);
      indexBatching = prefixed(0, indexBatching);
      sizes = prefixed(1, sizes);
    } else if (operand) {
      offset = prefixed(0, offset);
      sizes =
          prefixed(batcher.size.isDynamic() ? -1 : batcher.size.number, sizes);
    }
    auto newDims = GatherDimsAttr::get(op->getContext(), offset, collapsed,
                                       operandBatching, indexBatching,
                                       list(operand, dims.getStartIndexMap()),
                                       dims.getIndexVectorDim() + indices);
    batcher.bind(gather.getResult(),
                 batcher.b.create<GatherOp>(
                     batcher.loc, batcher.batchedType(gather.getType()),
                     batcher.mapped(gather.getOperand()),
                     batcher.mapped(gather.getStartIndices()), newDims,
                     batcher.b.getDenseI64ArrayAttr(sizes)));
    return success();
  }

  static SmallVector<int64_t> list(bool varies, ArrayRef<int64_t> dims) {
    return varies ? shifted(dims) : SmallVector<int64_t>(dims);
  }
};

/// Scalars of one type as a vector; with rows, if any of them has, a matrix
/// with a vector in each row.
Value vectorOf(Batcher &batcher, ValueRange scalars) {
  bool varies = llvm::any_of(
      scalars, [&](Value scalar) { return batcher.varies(scalar); });
  SmallVector<Value> parts;
  for (Value scalar : scalars) {
    Value value = varies ? batcher.batched(scalar) : batcher.mapped(scalar);
    SmallVector<BatchSize> sizes = sizesOf(batcher, value);
    sizes.push_back({1, Value()});
    parts.push_back(reshapedTo(batcher, value, sizes));
  }
  RankedTensorType part = typeOf(parts.front());
  SmallVector<int64_t> shape(part.getShape());
  shape.back() = int64_t(parts.size());
  return batcher.b.create<ConcatOp>(batcher.loc, part.clone(shape),
                                    uint64_t(part.getRank() - 1), parts);
}

bool anyVaries(Batcher &batcher, ValueRange values) {
  return llvm::any_of(values,
                      [&](Value value) { return batcher.varies(value); });
}

struct DynamicSliceBatching
    : BatchRule::ExternalModel<DynamicSliceBatching, DynamicSliceOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto slice = cast<DynamicSliceOp>(op);
    bool starts = anyVaries(batcher, slice.getStarts());
    if (slice.getStarts().empty()) {
      batcher.bind(slice.getResult(), batcher.mapped(slice.getOperand()));
      return success();
    }
    // A dynamic_slice has no dynamic sizes.
    if (!starts && !batcher.size.isDynamic())
      return batchOperand(slice, batcher);
    // A gather of one slice, or one for each row.
    bool operand = batcher.varies(slice.getOperand());
    int64_t rank = typeOf(slice.getOperand()).getRank();
    SmallVector<int64_t> sizes(typeOf(slice.getResult()).getShape());
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    SmallVector<int64_t> offset = shifted(dims), map = operand ? offset : dims,
                         batching;
    if (starts && operand) {
      batching = {0};
      sizes = prefixed(1, sizes);
    } else if (operand) {
      offset = prefixed(0, offset);
      sizes = prefixed(-1, sizes);
    }
    auto gatherDims =
        GatherDimsAttr::get(op->getContext(), offset, {}, batching, batching,
                            map, /*indexVectorDim=*/starts ? 1 : 0);
    batcher.bind(slice.getResult(),
                 batcher.b.create<GatherOp>(
                     batcher.loc, batcher.batchedType(slice.getType()),
                     batcher.mapped(slice.getOperand()),
                     vectorOf(batcher, slice.getStarts()), gatherDims,
                     batcher.b.getDenseI64ArrayAttr(sizes)));
    return success();
  }

  static LogicalResult batchOperand(DynamicSliceOp slice, Batcher &batcher) {
    SmallVector<Value> starts = batcher.mapped(slice.getStarts());
    Type index = typeOf(starts.front()).getElementType();
    starts.insert(starts.begin(), zeroScalar(batcher, index));
    batcher.bind(slice.getResult(),
                 batcher.b.create<DynamicSliceOp>(
                     batcher.loc, batcher.batchedType(slice.getType()),
                     batcher.mapped(slice.getOperand()), starts));
    return success();
  }
};

struct DynamicUpdateSliceBatching
    : BatchRule::ExternalModel<DynamicUpdateSliceBatching,
                               DynamicUpdateSliceOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto update = cast<DynamicUpdateSliceOp>(op);
    Value operand = batcher.batched(update.getOperand()),
          part = batcher.batched(update.getUpdate());
    if (anyVaries(batcher, update.getStarts())) {
      batcher.bind(update.getResult(),
                   scattered(update, batcher, operand, part));
      return success();
    }
    SmallVector<Value> starts = batcher.mapped(update.getStarts());
    Type index = starts.empty() ? Type(batcher.b.getI64Type())
                                : typeOf(starts.front()).getElementType();
    starts.insert(starts.begin(), zeroScalar(batcher, index));
    batcher.bind(update.getResult(),
                 batcher.b.create<DynamicUpdateSliceOp>(
                     batcher.loc, operand.getType(), operand, part, starts));
    return success();
  }

  /// One window for each row. A scatter skips windows that leave the operand,
  /// so starts are clamped.
  static Value scattered(DynamicUpdateSliceOp update, Batcher &batcher,
                         Value operand, Value part) {
    int64_t rank = typeOf(update.getOperand()).getRank();
    OpBuilder &b = batcher.b;
    Value starts = vectorOf(batcher, update.getStarts());
    SmallVector<Value> limits;
    auto scalar = RankedTensorType::get({}, b.getI64Type());
    for (int64_t dim = 1; dim <= rank; ++dim) {
      Value room = b.create<SubOp>(
          batcher.loc, scalar, scalarOf(batcher, sizeOf(batcher, operand, dim)),
          scalarOf(batcher, sizeOf(batcher, part, dim)));
      limits.push_back(reshaped(b, batcher.loc, room, {1}));
    }
    Value limit = b.create<ConcatOp>(
        batcher.loc, RankedTensorType::get({rank}, b.getI64Type()), uint64_t(0),
        limits);
    RankedTensorType wide = typeOf(starts).clone(b.getI64Type());
    SmallVector<Value> sizes = dynamicDimsOf(b, batcher.loc, starts);
    Value most = b.create<BroadcastOp>(batcher.loc, wide, limit,
                                       ArrayRef<int64_t>{1}, sizes);
    Value least = b.create<BroadcastOp>(batcher.loc, wide,
                                        zeroScalar(batcher, b.getI64Type()),
                                        ArrayRef<int64_t>{}, sizes);
    Value clamped = b.create<ClampOp>(
        batcher.loc, wide, least, converted(b, starts, b.getI64Type()), most);
    auto window = llvm::to_vector(llvm::seq<int64_t>(1, rank + 1));
    auto dims = ScatterDimsAttr::get(b.getContext(), window, {}, {0}, {0},
                                     window, /*indexVectorDim=*/1);
    return b.create<ScatterOp>(batcher.loc, operand.getType(), ScatterKind::set,
                               operand, clamped, part, dims,
                               /*unique=*/true);
  }
};

/// Dimensions of a scatter whose operands and updates have rows, as have the
/// indices, or not.
ScatterDimsAttr scatterDims(ScatterDimsAttr dims, bool indices) {
  SmallVector<int64_t> window = shifted(dims.getUpdateWindowDims()),
                       inputBatching = shifted(dims.getInputBatchingDims()),
                       indexBatching(dims.getIndicesBatchingDims());
  if (indices) {
    inputBatching = prefixed(0, inputBatching);
    indexBatching = prefixed(0, shifted(indexBatching));
  } else {
    window = prefixed(0, window);
  }
  return ScatterDimsAttr::get(
      dims.getContext(), window, shifted(dims.getInsertedWindowDims()),
      inputBatching, indexBatching, shifted(dims.getIndexMap()),
      dims.getIndexVectorDim() + indices);
}

struct ScatterBatching : BatchRule::ExternalModel<ScatterBatching, ScatterOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto scatter = cast<ScatterOp>(op);
    auto copy = cast<ScatterOp>(
        batcher.rebuild(op, {batcher.batched(scatter.getOperand()),
                             batcher.mapped(scatter.getIndices()),
                             batcher.batched(scatter.getUpdates())}));
    copy.setDimsAttr(
        scatterDims(scatter.getDims(), batcher.varies(scatter.getIndices())));
    return success();
  }
};

/// Captures that vary are updates of operands beside the op's own, which keep
/// what they have.
struct ScatterWithBatching
    : BatchRule::ExternalModel<ScatterWithBatching, ScatterWithOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto scatter = cast<ScatterWithOp>(op);
    auto captures = varyingCaptures(batcher, op);
    if (failed(captures))
      return failure();
    OpBuilder &b = batcher.b;
    SmallVector<Value> inputs = batcher.batched(scatter.getInputs()),
                       updates = batcher.batched(scatter.getUpdates());
    size_t own = inputs.size();
    SmallVector<Type> types;
    for (Value capture : *captures) {
      Value perRow = batcher.mapped(capture);
      Type element = typeOf(perRow).getElementType();
      inputs.push_back(b.create<BroadcastOp>(
          batcher.loc, typeOf(inputs.front()).clone(element),
          zeroScalar(batcher, element), ArrayRef<int64_t>{},
          dynamicDimsOf(b, batcher.loc, inputs.front())));
      updates.push_back(batcher.alongRows(perRow, updates.front()));
    }
    for (Value input : inputs)
      types.push_back(input.getType());
    auto copy = b.create<ScatterWithOp>(
        batcher.loc, types, inputs, batcher.mapped(scatter.getIndices()),
        updates,
        scatterDims(scatter.getDims(), batcher.varies(scatter.getIndices())),
        scatter.getUniqueAttr());
    buildBody(scatter, copy, batcher, *captures);
    batcher.bind(op->getResults(), copy.getResults().take_front(own));
    return success();
  }

  static void buildBody(ScatterWithOp scatter, ScatterWithOp copy,
                        Batcher &batcher, ArrayRef<Value> captures) {
    OpBuilder::InsertionGuard guard(batcher.b);
    size_t count = copy.getInputs().size(), own = scatter.getInputs().size();
    Block *block = batcher.b.createBlock(&copy.getBody());
    for (int side = 0; side < 2; ++side)
      for (Value input : copy.getInputs())
        block->addArgument(
            RankedTensorType::get({}, typeOf(input).getElementType()),
            batcher.loc);
    auto old = block->getArguments().take_front(count),
         next = block->getArguments().drop_front(count);
    SmallVector<Value> arguments(old.take_front(own));
    arguments.append(next.begin(), next.begin() + own);
    SmallVector<Value> yielded =
        cloneBody(batcher, scatter.getBody().front(), block, arguments,
                  captures, next.drop_front(own));
    yielded.append(old.begin() + own, old.end());
    batcher.b.setInsertionPointToEnd(block);
    batcher.b.create<YieldOp>(batcher.loc, yielded);
  }
};

} // namespace

void attachIndexingBatching(MLIRContext *context) {
  GatherOp::attachInterface<GatherBatching>(*context);
  DynamicSliceOp::attachInterface<DynamicSliceBatching>(*context);
  DynamicUpdateSliceOp::attachInterface<DynamicUpdateSliceBatching>(*context);
  ScatterOp::attachInterface<ScatterBatching>(*context);
  ScatterWithOp::attachInterface<ScatterWithBatching>(*context);
}

} // namespace zenith::batching
