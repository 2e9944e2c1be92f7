// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of convolutions: rows become batches, output features, groups, or
// batches of one product over the elements that windows read.

#include "passes/batching/BatchConvolution.h"
#include "ir/dims/WindowShapes.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "passes/batching/DimReshapes.h"
#include "passes/batching/RowDims.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {
namespace {

/// One convolution that is batched. Each form puts the rows next to a dimension
/// of the operands, merges both, and takes them apart in the result.
class ConvolutionBatcher {
public:
  ConvolutionBatcher(ConvolutionOp op, Batcher &batcher)
      : op(op), dims(op.getDims()), batcher(batcher),
        input(batcher.mapped(op.getInput())),
        kernel(batcher.mapped(op.getKernel())) {}

  /// Rows of the input join its batches.
  Value rowsAsBatches() {
    Value result = convolved(withRows(input, dims.getInputBatch()), kernel,
                             op.getGroups());
    return rowsOut(result, dims.getOutputBatch(), {batches()});
  }
  /// Rows of the kernel join its output features, inside of each group.
  Value rowsAsFeatures() {
    int64_t place = dims.getKernelOutput(), groups = op.getGroups();
    BatchSize group = number(groups), features = featuresOfGroup();
    Value split = splitDim(batcher, kernel, place + 1, {group, features});
    Value next = movedDim(batcher, split, 0, place + 1);
    Value result =
        convolved(input, mergedDims(batcher, next, place, 3), groups);
    int64_t out = dims.getOutputFeature();
    Value apart =
        splitDim(batcher, result, out, {group, batcher.size, features});
    Value rows = movedDim(batcher, apart, out + 1, 0);
    return mergedDims(batcher, rows, out + 1, 2);
  }
  /// Rows of both are groups of their own.
  Value rowsAsGroups() {
    Value result = convolved(withRows(input, dims.getInputFeature()),
                             withRows(kernel, dims.getKernelOutput()),
                             op.getGroups() * batcher.size.number);
    return rowsOut(result, dims.getOutputFeature(), {allFeatures()});
  }

private:
  BatchSize number(int64_t value) const { return {value, Value()}; }
  BatchSize batches() {
    return sizeOf(batcher, input, dims.getInputBatch() + 1);
  }
  BatchSize allFeatures() {
    return sizeOf(batcher, kernel, dims.getKernelOutput() + 1);
  }
  /// Precondition: the kernel has rows.
  BatchSize featuresOfGroup() {
    BatchSize all = allFeatures();
    if (!all.isDynamic())
      return number(all.number / op.getGroups());
    return {ShapedType::kDynamic,
            batcher.binary<DivOp>(all.scalar,
                                  scalarOf(batcher, number(op.getGroups())))};
  }
  /// The rows of `value` merged with its dimension `dim`, rows first.
  Value withRows(Value value, int64_t dim) {
    return mergedDims(batcher, movedDim(batcher, value, 0, dim), dim, 2);
  }
  /// Takes rows out of dimension `dim`.
  Value rowsOut(Value value, int64_t dim, ArrayRef<BatchSize> rest) {
    SmallVector<BatchSize> parts{batcher.size};
    llvm::append_range(parts, rest);
    return batcher.rowsInFront(splitDim(batcher, value, dim, parts), dim);
  }
  Value convolved(Value input, Value kernel, int64_t groups) {
    RankedTensorType type = typeOf(op.getResult());
    SmallVector<int64_t> shape(type.getShape());
    shape[dims.getOutputBatch()] =
        typeOf(input).getDimSize(dims.getInputBatch());
    shape[dims.getOutputFeature()] =
        typeOf(kernel).getDimSize(dims.getKernelOutput());
    return batcher.b.create<ConvolutionOp>(
        batcher.loc, type.clone(shape), input, kernel, dims,
        op.getStridesAttr(), op.getLowAttr(), op.getHighAttr(),
        op.getInputDilationAttr(), op.getKernelDilationAttr(),
        batcher.b.getI64IntegerAttr(groups));
  }

  ConvolutionOp op;
  ConvDimsAttr dims;
  Batcher &batcher;
  Value input, kernel;
};

/// A convolution with rows on both sides as one product: the input's elements
/// at each tap of the kernel lie side by side (im2col), or, where the result
/// has fewer positions than the kernel has taps, at each position.
class WindowProduct {
public:
  WindowProduct(ConvolutionOp op, Batcher &batcher)
      : op(op), dims(op.getDims()), batcher(batcher), b(batcher.b),
        loc(batcher.loc), spatial(dims.getInputSpatial().size()) {}

  LogicalResult emit();

private:
  int64_t staticCount(RankedTensorType type, ArrayRef<int64_t> places) const {
    int64_t count = 1;
    for (int64_t place : places) {
      if (type.isDynamicDim(place))
        return ShapedType::kDynamic;
      count *= type.getDimSize(place);
    }
    return count;
  }
  /// The operand as rows, `first`, `second`, then the spatial dimensions.
  Value ordered(Value value, int64_t first, int64_t second,
                ArrayRef<int64_t> places) {
    SmallVector<int64_t> order{0, first + 1, second + 1};
    llvm::append_range(order, shifted(places));
    return transposed(b, loc, value, order);
  }
  Value padded(Value input);
  /// The part of the padded input that one tap or one position reads: rows,
  /// batches, groups, features, then spatial dimensions of `sizes`.
  Value part(ArrayRef<int64_t> index, ArrayRef<int64_t> step,
             ArrayRef<int64_t> stride, ArrayRef<BatchSize> sizes);
  /// Calls `visit` with each index below `shape`, in row-major order.
  static void forEachIndex(ArrayRef<int64_t> shape,
                           function_ref<void(ArrayRef<int64_t>)> visit);
  Value stacked(ArrayRef<Value> values, int64_t dim);
  Value productOfTaps();
  Value productOfPositions();
  SmallVector<BatchSize> outputSizes();

  ConvolutionOp op;
  ConvDimsAttr dims;
  Batcher &batcher;
  OpBuilder &b;
  Location loc;
  int64_t spatial;
  Value source;  ///< rows, batches, groups, features of a group, spatial
  Value factors; ///< rows, groups, outputs of a group, features, spatial
};

} // namespace

Value WindowProduct::padded(Value input) {
  auto list = [&](ArrayRef<int64_t> entries) {
    SmallVector<int64_t> all(3, 0);
    llvm::append_range(all, entries);
    return all;
  };
  SmallVector<int64_t> low = list(op.getLow()), high = list(op.getHigh()),
                       interior(3, 0), shape(typeOf(input).getShape());
  for (int64_t dilation : op.getInputDilation())
    interior.push_back(dilation - 1);
  for (size_t dim = 3; dim < shape.size(); ++dim)
    shape[dim] = paddedSize(shape[dim], low[dim], high[dim], interior[dim]);
  Type element = typeOf(input).getElementType();
  Attribute zeroAttr = b.getZeroAttr(element);
  Value zero = b.create<ConstantOp>(
      loc, cast<ElementsAttr>(DenseElementsAttr::get(
               RankedTensorType::get({}, element), zeroAttr)));
  return b.create<PadOp>(
      loc, typeOf(input).clone(shape), input, zero, ValueRange{}, ValueRange{},
      b.getDenseI64ArrayAttr(low), b.getDenseI64ArrayAttr(high),
      b.getDenseI64ArrayAttr(interior));
}

Value WindowProduct::part(ArrayRef<int64_t> index, ArrayRef<int64_t> step,
                          ArrayRef<int64_t> stride,
                          ArrayRef<BatchSize> spatialSizes) {
  SmallVector<BatchSize> sizes = sizesOf(batcher, source);
  SmallVector<int64_t> starts(4, 0), strides(4, 1);
  for (int64_t i = 0; i < spatial; ++i) {
    sizes[4 + i] = spatialSizes[i];
    starts.push_back(index[i] * step[i]);
    strides.push_back(stride[i]);
  }
  ShapeOperands to(sizes);
  return b.create<SliceOp>(
      loc, typeOf(source).clone(to.shape), source, ValueRange{}, to.scalars,
      b.getDenseI64ArrayAttr(starts), b.getDenseI64ArrayAttr(to.shape),
      b.getDenseI64ArrayAttr(strides));
}

void WindowProduct::forEachIndex(ArrayRef<int64_t> shape,
                                 function_ref<void(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t count = ShapedType::getNumElements(shape); count > 0; --count) {
    visit(index);
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
}

Value WindowProduct::stacked(ArrayRef<Value> values, int64_t dim) {
  SmallVector<Value> apart;
  for (Value value : values) {
    SmallVector<BatchSize> sizes = sizesOf(batcher, value);
    sizes.insert(sizes.begin() + dim, {1, Value()});
    apart.push_back(reshapedTo(batcher, value, sizes));
  }
  SmallVector<int64_t> shape(typeOf(apart.front()).getShape());
  shape[dim] = int64_t(values.size());
  return b.create<ConcatOp>(loc, typeOf(apart.front()).clone(shape),
                            uint64_t(dim), apart);
}

/// Sizes of the result's spatial dimensions.
SmallVector<BatchSize> WindowProduct::outputSizes() {
  SmallVector<BatchSize> sizes;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t known =
        typeOf(op.getResult()).getDimSize(dims.getOutputSpatial()[i]);
    if (!ShapedType::isDynamic(known)) {
      sizes.push_back({known, Value()});
      continue;
    }
    // (padded - reach) / stride + 1, or 0 where the window never fits.
    int64_t taps = typeOf(factors).getDimSize(4 + i),
            reach = (taps - 1) * op.getKernelDilation()[i] + 1,
            stride = op.getStrides()[i];
    auto scalar = [&](int64_t value) {
      return scalarOf(batcher, {value, Value()});
    };
    Value room =
        batcher.binary<AddOp>(scalarOf(batcher, sizeOf(batcher, source, 4 + i)),
                              scalar(stride - reach));
    Value bounded = batcher.binary<MaxOp>(room, scalar(0));
    sizes.push_back(
        {ShapedType::kDynamic, batcher.binary<DivOp>(bounded, scalar(stride))});
  }
  return sizes;
}

/// Rows, groups, batches, spatial positions, outputs of a group.
Value WindowProduct::productOfTaps() {
  SmallVector<BatchSize> sizes = outputSizes();
  SmallVector<Value> parts;
  forEachIndex(typeOf(factors).getShape().drop_front(4),
               [&](ArrayRef<int64_t> tap) {
                 parts.push_back(
                     part(tap, op.getKernelDilation(), op.getStrides(), sizes));
               });
  Value patches = stacked(parts, 4);
  Value taps = mergedDims(batcher, factors, 4, spatial);
  auto product =
      DotDimsAttr::get(b.getContext(), {0, 2}, {0, 1}, {3, 4}, {3, 4});
  SmallVector<int64_t> shape{typeOf(patches).getDimSize(0),
                             typeOf(patches).getDimSize(2),
                             typeOf(patches).getDimSize(1)};
  llvm::append_range(shape, typeOf(patches).getShape().drop_front(5));
  shape.push_back(typeOf(factors).getDimSize(2));
  return b.create<DotGeneralOp>(loc, typeOf(op.getResult()).clone(shape),
                                patches, taps, product);
}

/// The same, one product for each position.
Value WindowProduct::productOfPositions() {
  SmallVector<int64_t> positions, reduced{3}, summed{3};
  for (int64_t place : dims.getOutputSpatial())
    positions.push_back(typeOf(op.getResult()).getDimSize(place));
  SmallVector<BatchSize> sizes = sizesOf(batcher, factors);
  sizes.erase(sizes.begin(), sizes.begin() + 4);
  for (int64_t i = 0; i < spatial; ++i) {
    reduced.push_back(4 + i);
    summed.push_back(4 + i);
  }
  auto product =
      DotDimsAttr::get(b.getContext(), {0, 2}, {0, 1}, reduced, summed);
  SmallVector<int64_t> shape{
      typeOf(source).getDimSize(0), typeOf(source).getDimSize(2),
      typeOf(source).getDimSize(1), typeOf(factors).getDimSize(2)};
  SmallVector<Value> results;
  forEachIndex(positions, [&](ArrayRef<int64_t> position) {
    Value read = part(position, op.getStrides(), op.getKernelDilation(), sizes);
    results.push_back(b.create<DotGeneralOp>(
        loc, typeOf(op.getResult()).clone(shape), read, factors, product));
  });
  SmallVector<BatchSize> parts;
  for (int64_t size : positions)
    parts.push_back({size, Value()});
  return splitDim(batcher, stacked(results, 3), 3, parts);
}

LogicalResult WindowProduct::emit() {
  int64_t taps = staticCount(typeOf(op.getKernel()), dims.getKernelSpatial()),
          positions =
              staticCount(typeOf(op.getResult()), dims.getOutputSpatial());
  bool knowsTaps = !ShapedType::isDynamic(taps),
       knowsPositions = !ShapedType::isDynamic(positions);
  if (!knowsTaps && !knowsPositions)
    return batcher.refuse(op, "has dynamic spatial sizes, rows in both "
                              "operands, and a dynamic number of rows");
  BatchSize groups{int64_t(op.getGroups()), Value()};
  Value input =
      padded(ordered(batcher.mapped(op.getInput()), dims.getInputBatch(),
                     dims.getInputFeature(), dims.getInputSpatial()));
  BatchSize features = sizeOf(batcher, batcher.mapped(op.getKernel()),
                              dims.getKernelInput() + 1);
  source = splitDim(batcher, input, 2, {groups, features});
  Value kernel = ordered(batcher.mapped(op.getKernel()), dims.getKernelOutput(),
                         dims.getKernelInput(), dims.getKernelSpatial());
  int64_t outputs = typeOf(kernel).getDimSize(1);
  if (ShapedType::isDynamic(outputs))
    return batcher.refuse(op, "has a dynamic number of output features, rows "
                              "in both operands, and a dynamic number of rows");
  factors = splitDim(batcher, kernel, 1,
                     {groups, {outputs / groups.number, Value()}});
  bool hasNothing =
      (knowsTaps && taps == 0) || (knowsPositions && positions == 0);
  if (hasNothing)
    return batcher.refuse(op, "has an empty window or result, and a dynamic "
                              "number of rows");
  bool byTaps = knowsTaps && (!knowsPositions || taps <= positions);
  Value product = byTaps ? productOfTaps() : productOfPositions();
  // Rows, batches, groups, outputs of a group, spatial; then the op's order.
  Value inOrder = movedDim(batcher, product, 1, 2);
  inOrder = movedDim(batcher, inOrder, typeOf(inOrder).getRank() - 1, 3);
  Value merged = mergedDims(batcher, inOrder, 2, 2);
  SmallVector<int64_t> order(typeOf(merged).getRank(), 0);
  order[dims.getOutputBatch() + 1] = 1;
  order[dims.getOutputFeature() + 1] = 2;
  for (auto [i, place] : llvm::enumerate(dims.getOutputSpatial()))
    order[place + 1] = 3 + int64_t(i);
  batcher.bind(op.getResult(), transposed(b, loc, merged, order));
  return success();
}

LogicalResult batchConvolution(ConvolutionOp op, Batcher &batcher) {
  bool input = batcher.varies(op.getInput()),
       kernel = batcher.varies(op.getKernel());
  if (input && kernel && batcher.size.isDynamic())
    return WindowProduct(op, batcher).emit();
  ConvolutionBatcher convolution(op, batcher);
  batcher.bind(op.getResult(), input && kernel ? convolution.rowsAsGroups()
                               : input         ? convolution.rowsAsBatches()
                                               : convolution.rowsAsFeatures());
  return success();
}

} // namespace zenith::batching
