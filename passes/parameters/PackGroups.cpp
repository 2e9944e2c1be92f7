// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of grouped convolutions with several channels in a group: group by
// group and panel by panel in memory, small groups joined until they fill a
// vector. Kernels of few outputs: output by output.

#include "ir/encodings/PackedPanels.h"
#include "ir/matchers/ChannelsLast.h"
#include "ir/matchers/ParameterValues.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::layout {

static Value reshaped(OpBuilder &builder, Location loc, Value value,
                      ArrayRef<int64_t> shape) {
  return builder.create<ReshapeOp>(loc, typeOf(value).clone(shape), value,
                                   ValueRange());
}

/// [taps, inputs, groups, joined, outputs] to [taps, joined, inputs, groups,
/// joined, outputs]: zeros where an input's group is not the output's.
static Value blockDiagonal(OpBuilder &builder, Location loc, Value kernel) {
  RankedTensorType type = typeOf(kernel);
  int64_t joined = type.getDimSize(3);
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + 1, joined);
  auto wide = RankedTensorType::get(shape, type.getElementType());
  SmallVector<bool> diagonal;
  for (int64_t i = 0; i < joined * joined; ++i)
    diagonal.push_back(i / joined == i % joined);
  auto square = RankedTensorType::get({joined, joined}, builder.getI1Type());
  Value own = builder.create<ConstantOp>(
      loc, cast<ElementsAttr>(DenseElementsAttr::get(square, diagonal)));
  Value zero = builder.create<ConstantOp>(
      loc, cast<ElementsAttr>(DenseElementsAttr::get(
               wide, builder.getZeroAttr(type.getElementType()))));
  kernel = builder.create<BroadcastOp>(
      loc, wide, kernel, ArrayRef<int64_t>{0, 2, 3, 4, 5}, ValueRange());
  own = builder.create<BroadcastOp>(loc, wide.clone(builder.getI1Type()), own,
                                    ArrayRef<int64_t>{1, 4}, ValueRange());
  return builder.create<SelectOp>(loc, wide, own, kernel, zero);
}

void packGroups(ConvolutionOp op, int64_t panel) {
  constexpr int64_t fewestInputs = 4, fourVectors = 64;
  Value kernel = op.getKernel();
  SmallVector<int64_t> shape(typeOf(kernel).getShape());
  int64_t groups = int64_t(op.getGroups()), joined = 1;
  int64_t inputs = shape[shape.size() - 2], outputs = shape.back() / groups;
  // These are windows of their own.
  bool fillsVector = inputs == fewestInputs && inputs == outputs &&
                     isa<FloatType>(typeOf(kernel).getElementType());
  if (groups == 1 || inputs < fewestInputs || fillsVector ||
      !isChannelsLast(op))
    return;
  // Two vectors would take taller tiles, but are zeros for the most part (20
  // groups of 16 outputs: 1.33 of the time, 32 groups of 8: 1.3).
  int64_t vector = panel / (panel >= fourVectors ? 4 : 2);
  for (int64_t count = 2; count <= groups && count * outputs <= vector; ++count)
    if (groups % count == 0)
      joined = count;
  int64_t taps = typeOf(kernel).getNumElements() / (inputs * shape.back());
  OpBuilder builder(op);
  Location loc = op.getLoc();
  if (joined > 1)
    kernel = blockDiagonal(
        builder, loc,
        reshaped(builder, loc, kernel,
                 {taps, inputs, groups / joined, joined, outputs}));
  inputs *= joined, outputs *= joined, groups /= joined;
  shape[shape.size() - 2] = inputs;
  op.setGroups(groups);
  if (groups == 1) {
    op.getKernelMutable().assign(reshaped(builder, loc, kernel, shape));
    return;
  }
  int64_t width = outputs % panel == 0 ? panel : outputs;
  kernel = reshaped(builder, loc, kernel,
                    {taps * inputs, groups * (outputs / width), width});
  kernel = transposed(builder, loc, kernel, {1, 0, 2});
  kernel = transposed(builder, loc, kernel, {1, 0, 2});
  op.getKernelMutable().assign(reshaped(builder, loc, kernel, shape));
}

/// Too few for a vector of them, for several results, of long sums.
static bool hasFewOutputs(ConvolutionOp op) {
  constexpr int64_t mostOutputs = 4, fewestInputs = 16, shortestSum = 64,
                    fewestRows = 4;
  RankedTensorType type = typeOf(op.getKernel()), result = typeOf(op);
  int64_t outputs = type.getShape().back(),
          inputs = type.getDimSize(type.getRank() - 2);
  bool fewRows =
      result.hasStaticShape() && result.getNumElements() < fewestRows * outputs;
  return op.getGroups() == 1 && isChannelsLast(op) && outputs >= 1 &&
         outputs <= mostOutputs && inputs >= fewestInputs && !fewRows &&
         type.getNumElements() >= shortestSum * outputs &&
         isa<FloatType>(type.getElementType()) &&
         beforeWidening(op.getKernel()) == op.getKernel();
}

bool packFewOutputs(ConvolutionOp op) {
  if (!hasFewOutputs(op))
    return false;
  int64_t rank = typeOf(op.getKernel()).getRank();
  SmallVector<int64_t> order{rank - 1};
  for (int64_t d = 0; d + 1 < rank; ++d)
    order.push_back(d);
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value kernel = transposed(builder, loc, op.getKernel(), order);
  op.getKernelMutable().assign(
      transposed(builder, loc, kernel, inverseOf(order)));
  return true;
}

TransposeOp matchFewOutputPacking(ConvolutionOp op) {
  auto transpose = op.getKernel().getDefiningOp<TransposeOp>();
  if (!transpose || !hasFewOutputs(op))
    return {};
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  for (auto [to, from] : llvm::enumerate(permutation.drop_back()))
    if (from != int64_t(to) + 1)
      return {};
  return transpose;
}

TransposeOp matchGroupPacking(ConvolutionOp op) {
  auto reshape = op.getKernel().getDefiningOp<ReshapeOp>();
  auto transpose = reshape && op.getGroups() != 1
                       ? reshape.getOperand().getDefiningOp<TransposeOp>()
                       : TransposeOp();
  bool matches =
      transpose && transpose.getPermutation() == ArrayRef<int64_t>{1, 0, 2} &&
      typeOf(transpose.getOperand()).getDimSize(0) % int64_t(op.getGroups()) ==
          0;
  return matches ? transpose : TransposeOp();
}

} // namespace zenith::layout
