// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both cotangents are convolutions again: strides and dilations change places,
// and padding makes up for what windows left out at the borders.

#include "passes/autodiff/ConvolutionGradients.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

using Dims = SmallVector<int64_t>;

GradientAnswer convolutionAnswer(ConvolutionOp op) {
  ConvDimsAttr dims = op.getDims();
  auto isDynamic = [](Value x, ArrayRef<int64_t> spatial) {
    return llvm::any_of(spatial,
                        [&](int64_t d) { return typeOf(x).isDynamicDim(d); });
  };
  if (isDynamic(op.getInput(), dims.getInputSpatial()) ||
      isDynamic(op.getKernel(), dims.getKernelSpatial()))
    return {GradientAnswer::Refused,
            "a window along a dimension whose size is known at run time only"};
  return {};
}

static int64_t spread(int64_t size, int64_t factor) {
  return size == 0 ? 0 : (size - 1) * factor + 1;
}

namespace {
/// Along one spatial dimension, in places of the input spread by its dilation:
/// of the input, of the kernel, and from the first to the last window.
struct Extents {
  int64_t size, reach, results;
};
} // namespace

static Extents extentsOf(ConvolutionOp op, Value ct, size_t i) {
  ConvDimsAttr dims = op.getDims();
  auto sizeOf = [](Value value, int64_t dim) {
    return typeOf(value).getDimSize(dim);
  };
  return {spread(sizeOf(op.getInput(), dims.getInputSpatial()[i]),
                 op.getInputDilation()[i]),
          spread(sizeOf(op.getKernel(), dims.getKernelSpatial()[i]),
                 op.getKernelDilation()[i]),
          spread(sizeOf(ct, dims.getOutputSpatial()[i]), op.getStrides()[i])};
}

/// The value with dimension `dim` cut into (parts, rest), `parts` becoming a
/// dimension of its own before dimension `before`, and joined with it.
static Value moveParts(RuleBuilder &rule, Value x, int64_t dim, int64_t parts,
                       int64_t before) {
  if (parts == 1)
    return x;
  RankedTensorType type = typeOf(x);
  int64_t rank = type.getRank();
  // [.., parts, rest, ..], by names of the dimensions.
  Dims cut;
  SmallVector<Value> dynamic;
  for (int64_t d = 0; d < rank; ++d) {
    if (d == dim)
      cut.push_back(parts);
    cut.push_back(d == dim ? type.getDimSize(d) / parts : type.getDimSize(d));
    if (type.isDynamicDim(d))
      dynamic.push_back(rule.dim(x, d));
  }
  Value split = rule.reshape(x, cut, dynamic);
  auto place = [&](int64_t d) { return d < dim ? d : d + 1; };
  Dims permutation, joined;
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < rank; ++d) {
    if (d == before)
      permutation.push_back(dim); // the parts
    permutation.push_back(place(d));
    int64_t size = cut[place(d)];
    bool isDynamic = ShapedType::isDynamic(size);
    joined.push_back(d == before && !isDynamic ? size * parts : size);
    if (isDynamic)
      sizes.push_back(d == before ? rule.mul(rule.dim(x, d), rule.index(parts))
                                  : rule.dim(x, d));
  }
  return rule.reshape(rule.transpose(split, permutation), joined, sizes);
}

Value inputCotangent(ConvolutionOp op, RuleBuilder &rule, Value ct) {
  ConvDimsAttr dims = op.getDims();
  RankedTensorType input = typeOf(op.getInput());
  Dims low, high;
  for (size_t i = 0; i < dims.getInputSpatial().size(); ++i) {
    auto [size, reach, results] = extentsOf(op, ct, i);
    low.push_back(reach - op.getLow()[i] - 1);
    high.push_back(size + reach - 1 - results - low.back());
  }
  Value turned = rule.reverse(op.getKernel(), dims.getKernelSpatial());
  // Output features of a group become its input features.
  turned = moveParts(rule, turned, dims.getKernelOutput(), op.getGroups(),
                     dims.getKernelInput());
  auto back = ConvDimsAttr::get(
      rule.builder.getContext(), dims.getOutputBatch(), dims.getOutputFeature(),
      dims.getOutputSpatial(), dims.getKernelOutput(), dims.getKernelInput(),
      dims.getKernelSpatial(), dims.getInputBatch(), dims.getInputFeature(),
      dims.getInputSpatial());
  Type element = typeOf(ct).getElementType();
  Value result = rule.builder.create<ConvolutionOp>(
      rule.loc, input.clone(element), ct, rule.convert(turned, element), back,
      op.getInputDilation(), low, high, op.getStrides(), op.getKernelDilation(),
      op.getGroups());
  return rule.convert(result, input.getElementType());
}

Value kernelCotangent(ConvolutionOp op, RuleBuilder &rule, Value ct) {
  ConvDimsAttr dims = op.getDims();
  RankedTensorType kernel = typeOf(op.getKernel());
  Dims low(op.getLow()), high;
  for (size_t i = 0; i < dims.getInputSpatial().size(); ++i) {
    auto [size, reach, results] = extentsOf(op, ct, i);
    high.push_back(results - size + reach - low[i] - 1);
  }
  // Features are the batch, and the batch of each group its features.
  Value images = moveParts(rule, op.getInput(), dims.getInputFeature(),
                           op.getGroups(), dims.getInputBatch());
  auto across = ConvDimsAttr::get(
      rule.builder.getContext(), dims.getInputFeature(), dims.getInputBatch(),
      dims.getInputSpatial(), dims.getOutputBatch(), dims.getOutputFeature(),
      dims.getOutputSpatial(), dims.getKernelInput(), dims.getKernelOutput(),
      dims.getKernelSpatial());
  Type element = typeOf(ct).getElementType();
  Value result = rule.builder.create<ConvolutionOp>(
      rule.loc, kernel.clone(element), rule.convert(images, element), ct,
      across, op.getKernelDilation(), low, high, op.getInputDilation(),
      op.getStrides(), op.getGroups());
  return rule.convert(result, kernel.getElementType());
}

} // namespace zenith::autodiff
