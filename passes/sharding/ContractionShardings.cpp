// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of products and convolutions.

#include "passes/sharding/ShardingRule.h"

#include <algorithm>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {
namespace {

struct DotGeneralSharding
    : ShardingRule::ExternalModel<DotGeneralSharding, DotGeneralOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    auto dot = cast<DotGeneralOp>(op);
    DotDimsAttr dims = dot.getDims();
    ArrayRef<int64_t> lhs = shapeOf(dot.getLhs()), rhs = shapeOf(dot.getRhs());
    MappingBuilder builder(op);
    int64_t out = 0;
    for (auto [left, right] :
         llvm::zip_equal(dims.getLhsBatching(), dims.getRhsBatching()))
      builder.factor(lhs[left]).operand(0, left).operand(1, right).result(
          0, out++);
    auto addFree = [&](unsigned side, ArrayRef<int64_t> shape,
                       ArrayRef<int64_t> batching,
                       ArrayRef<int64_t> contracting) {
      for (auto [dim, size] : llvm::enumerate(shape))
        if (!llvm::is_contained(batching, int64_t(dim)) &&
            !llvm::is_contained(contracting, int64_t(dim)))
          builder.factor(size).operand(side, dim).result(0, out++);
    };
    addFree(0, lhs, dims.getLhsBatching(), dims.getLhsContracting());
    addFree(1, rhs, dims.getRhsBatching(), dims.getRhsContracting());
    for (auto [left, right] :
         llvm::zip_equal(dims.getLhsContracting(), dims.getRhsContracting()))
      builder.factor(lhs[left], FactorKind::Reduction)
          .operand(0, left)
          .operand(1, right);
    return builder.take();
  }
};

/// A spatial dimension of the input is both positions of the output and of the
/// window; the one with more positions is major, so that blocks of it are
/// contiguous.
void addSpatial(MappingBuilder &builder, int64_t input, int64_t inputSize,
                int64_t kernel, int64_t kernelSize, int64_t output,
                int64_t outputSize) {
  bool isStatic =
      !ShapedType::isDynamic(inputSize) && !ShapedType::isDynamic(kernelSize) &&
      !ShapedType::isDynamic(outputSize) && outputSize > 0 && kernelSize > 0;
  if (!isStatic)
    return;
  auto positions = [&](int64_t size) {
    builder.factor(size, FactorKind::Permutation)
        .operand(0, input)
        .result(0, output);
  };
  // Of an input as long as the output no position of the window is left.
  auto window = [&](int64_t size) {
    if (size == 1)
      return;
    builder.factor(size, FactorKind::Reduction)
        .operand(0, input)
        .operand(1, kernel);
  };
  if (kernelSize <= outputSize) {
    positions(outputSize);
    window(std::max<int64_t>(1, inputSize / outputSize));
  } else {
    window(kernelSize);
    positions(std::max<int64_t>(1, inputSize / kernelSize));
  }
}

struct ConvolutionSharding
    : ShardingRule::ExternalModel<ConvolutionSharding, ConvolutionOp> {
  FactorMapping factorMapping(Operation *op, bool conservative) const {
    auto conv = cast<ConvolutionOp>(op);
    ConvDimsAttr dims = conv.getDims();
    ArrayRef<int64_t> input = shapeOf(conv.getInput()),
                      kernel = shapeOf(conv.getKernel()),
                      output = shapeOf(conv.getResult());
    int64_t inFeature = dims.getInputFeature(),
            kernelIn = dims.getKernelInput(),
            kernelOut = dims.getKernelOutput(),
            outFeature = dims.getOutputFeature();
    MappingBuilder builder(op);
    builder.factor(input[dims.getInputBatch()])
        .operand(0, dims.getInputBatch())
        .result(0, dims.getOutputBatch());
    if (!conservative)
      for (auto [in, k, out] :
           llvm::zip_equal(dims.getInputSpatial(), dims.getKernelSpatial(),
                           dims.getOutputSpatial()))
        addSpatial(builder, in, input[in], k, kernel[k], out, output[out]);
    int64_t groups = conv.getGroups();
    if (groups > 1)
      builder.factor(groups)
          .operand(0, inFeature)
          .operand(1, kernelOut)
          .result(0, outFeature);
    int64_t perGroup = kernel[kernelOut];
    if (!ShapedType::isDynamic(perGroup))
      perGroup /= groups;
    // Of a group with one input feature nothing is left of the dimension.
    builder.factor(kernel[kernelIn], FactorKind::Reduction)
        .operand(1, kernelIn);
    if (groups == 1 || kernel[kernelIn] != 1)
      builder.operand(0, inFeature);
    if (groups == 1 || perGroup != 1)
      builder.factor(perGroup).operand(1, kernelOut).result(0, outFeature);
    return builder.take();
  }
};

} // namespace

void attachContractionShardings(MLIRContext *context) {
  DotGeneralOp::attachInterface<DotGeneralSharding>(*context);
  ConvolutionOp::attachInterface<ConvolutionSharding>(*context);
}

} // namespace zenith::sharding
