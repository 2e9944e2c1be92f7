// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters of grouped convolutions with several channels in a group are stored
// group by group and panel by panel; small groups are joined into
// block-diagonal ones until they fill a vector.

#include "passes/parameters/PackGroups.h"

#include "ir/GraphOps.h"
#include "ir/matchers/ChannelsLast.h"
#include "ir/matchers/Permutations.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/parameters/PackFewOutputs.h"
#include "passes/parameters/PackGroups.h"
#include "passes/parameters/PackMatmuls.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_PACKGROUPSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::parameters {

/// [taps, inputs, groups, joined, outputs] to [taps, joined, inputs, groups,
/// joined, outputs], block-diagonal: zeros where the group of an input is not
/// that of the output.
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

static void packGroups(ConvolutionOp op, int64_t panel) {
  constexpr int64_t fewestInputs = 4, fourVectors = 64;
  Value kernel = op.getKernel();
  SmallVector<int64_t> shape(typeOf(kernel).getShape());
  int64_t groups = int64_t(op.getGroups()), joined = 1;
  int64_t inputs = shape[shape.size() - 2], outputs = shape.back() / groups;
  // These run as depthwise convolutions.
  bool fillsVector = inputs == fewestInputs && inputs == outputs &&
                     isa<FloatType>(typeOf(kernel).getElementType());
  if (groups == 1 || inputs < fewestInputs || fillsVector ||
      !isChannelsLast(op))
    return;
  // Groups that fill two vectors would allow taller tiles, but are mostly
  // zeros, which costs about a third more time.
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

namespace {

struct PackGroupsPass : impl::PackGroupsPassBase<PackGroupsPass> {
  using PackGroupsPassBase::PackGroupsPassBase;

  void runOnOperation() override {
    FailureOr<PanelShape> shape = panelShapeOf(getOperation(), panel);
    if (failed(shape))
      return signalPassFailure();
    getOperation().walk([&](ConvolutionOp op) {
      if (isPackableFilter(op, shape->panel))
        packGroups(op, shape->panel);
    });
  }
};

} // namespace
} // namespace zenith::parameters
