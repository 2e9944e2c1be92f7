// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers, types and dimensions of the contraction family.

#include "ir/ops/Contraction.h"

#include "ir/GraphOps.h"
#include "ir/OpRegistration.h"
#include "ir/OpSyntax.h"
#include "ir/dims/DimPreference.h"
#include "ir/dims/WindowShapes.h"
#include "ir/ops/OpInference.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "ir/Contraction.cpp.inc"

SmallVector<int64_t> zenith::graph::freeDims(int64_t rank,
                                             ArrayRef<int64_t> batching,
                                             ArrayRef<int64_t> contracting) {
  SmallVector<int64_t> result;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(batching, dim) &&
        !llvm::is_contained(contracting, dim))
      result.push_back(dim);
  return result;
}

namespace zenith::graph {

void insertContractionOps(Dialect &dialect) {
  insertOps<
#define GET_OP_LIST
#include "ir/Contraction.cpp.inc"
      >(dialect);
}

/// The operands' element type, or the wider one in which sums of it may be
/// kept.
static bool accumulates(Type operand, Type result) {
  if (operand == result)
    return true;
  bool narrow = operand.isInteger(8) || operand.isInteger(16);
  bool sameSign = operand.isUnsignedInteger() == result.isUnsignedInteger();
  return (narrow && result.isInteger(32) &&
          (sameSign || result.isSignlessInteger())) ||
         ((operand.isF16() || operand.isBF16()) && result.isF32());
}

static LogicalResult checkResult(const ShapeChecks &checks,
                                 RankedTensorType got,
                                 RankedTensorType expected,
                                 unsigned shapeConstraint,
                                 unsigned elementConstraint) {
  if (failed(verifyCompatibleShape(got.getShape(), expected.getShape())))
    return checks.fail("result", "shape " + listText(got.getShape()),
                       "shape " + listText(expected.getShape()),
                       shapeConstraint);
  if (!accumulates(expected.getElementType(), got.getElementType()))
    return checks.fail("result", typeText(got.getElementType()),
                       typeText(expected.getElementType()) +
                           " or the type it sums in",
                       elementConstraint);
  return success();
}

static LogicalResult checkDotDims(ShapeChecks &checks, DotDimsAttr dims,
                                  RankedTensorType lhs, RankedTensorType rhs) {
  auto lhsBatching = dims.getLhsBatching(), rhsBatching = dims.getRhsBatching();
  auto lhsContracting = dims.getLhsContracting(),
       rhsContracting = dims.getRhsContracting();
  // dot_general_c1, dot_general_c2
  if (failed(checks.count("number of rhs batching dimensions",
                          rhsBatching.size(), lhsBatching.size(), 1)) ||
      failed(checks.count("number of rhs contracting dimensions",
                          rhsContracting.size(), lhsContracting.size(), 2)))
    return failure();
  // dot_general_c3
  auto both = [](ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
    SmallVector<int64_t> joined(a);
    joined.append(b.begin(), b.end());
    return joined;
  };
  if (failed(checks.distinctInRange("dimensions of lhs",
                                    both(lhsBatching, lhsContracting),
                                    lhs.getRank(), 3)) ||
      failed(checks.distinctInRange("dimensions of rhs",
                                    both(rhsBatching, rhsContracting),
                                    rhs.getRank(), 3)))
    return failure();
  // dot_general_c4, dot_general_c5
  for (auto [left, right] : llvm::zip(lhsBatching, rhsBatching))
    if (failed(checks.sameSize("rhs batching dimension " + Twine(right),
                               rhs.getDimSize(right), lhs.getDimSize(left), 4)))
      return failure();
  for (auto [left, right] : llvm::zip(lhsContracting, rhsContracting))
    if (failed(checks.sameSize("rhs contracting dimension " + Twine(right),
                               rhs.getDimSize(right), lhs.getDimSize(left), 5)))
      return failure();
  // dot_general_c6
  return checks.sameType("rhs element type", rhs.getElementType(),
                         lhs.getElementType(), 6);
}

template <typename Op>
static FailureOr<RankedTensorType> dotType(ShapeChecks &checks, Op op) {
  RankedTensorType lhs = tensorType(op.getLhs()), rhs = tensorType(op.getRhs());
  DotDimsAttr dims = op.getDims();
  if (!dims || failed(checkDotDims(checks, dims, lhs, rhs)))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [left, right] :
       llvm::zip(dims.getLhsBatching(), dims.getRhsBatching()))
    shape.push_back(lhs.isDynamicDim(left) ? rhs.getDimSize(right)
                                           : lhs.getDimSize(left));
  for (int64_t dim :
       freeDims(lhs.getRank(), dims.getLhsBatching(), dims.getLhsContracting()))
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim :
       freeDims(rhs.getRank(), dims.getRhsBatching(), dims.getRhsContracting()))
    shape.push_back(rhs.getDimSize(dim));
  return RankedTensorType::get(shape, lhs.getElementType());
}

ZENITH_INFER_WITH(DotGeneralOp, dotType)

LogicalResult DotGeneralOp::verify() {
  ShapeChecks checks(*this);
  auto expected = dotType(checks, *this);
  // dot_general_c7
  return failed(expected)
             ? failure()
             : checkResult(checks, tensorType(getResult()), *expected, 7, 7);
}

DimVector DotGeneralOp::resultDims(unsigned, DimAnalysis &analysis) {
  DimVector lhs = analysis.dimsOf(getLhs()), rhs = analysis.dimsOf(getRhs()),
            result;
  DotDimsAttr dims = getDims();
  for (auto [left, right] :
       llvm::zip(dims.getLhsBatching(), dims.getRhsBatching()))
    result.push_back(moreSpecific(lhs[left], rhs[right]));
  for (int64_t dim :
       freeDims(lhs.size(), dims.getLhsBatching(), dims.getLhsContracting()))
    result.push_back(lhs[dim]);
  for (int64_t dim :
       freeDims(rhs.size(), dims.getRhsBatching(), dims.getRhsContracting()))
    result.push_back(rhs[dim]);
  return result;
}

/// Place of each dimension of a convolution's operand: the two special ones,
/// then the spatial ones.
static SmallVector<int64_t> placesOf(int64_t first, int64_t second,
                                     ArrayRef<int64_t> spatial) {
  SmallVector<int64_t> result{first, second};
  result.append(spatial.begin(), spatial.end());
  return result;
}

template <typename Op>
static LogicalResult checkConvolutionDims(ShapeChecks &checks, Op op) {
  RankedTensorType input = tensorType(op.getInput()),
                   kernel = tensorType(op.getKernel());
  ConvDimsAttr dims = op.getDims();
  int64_t spatial = dims.getInputSpatial().size(), rank = spatial + 2;
  // convolution_c1
  if (failed(checks.count("rank of input", input.getRank(), rank, 1)) ||
      failed(checks.count("rank of kernel", kernel.getRank(), rank, 1)))
    return failure();
  // convolution_c2
  if (failed(checks.permutation("dimensions of input",
                                placesOf(dims.getInputBatch(),
                                         dims.getInputFeature(),
                                         dims.getInputSpatial()),
                                rank, 2)) ||
      failed(checks.permutation("dimensions of kernel",
                                placesOf(dims.getKernelInput(),
                                         dims.getKernelOutput(),
                                         dims.getKernelSpatial()),
                                rank, 2)) ||
      failed(checks.permutation("dimensions of output",
                                placesOf(dims.getOutputBatch(),
                                         dims.getOutputFeature(),
                                         dims.getOutputSpatial()),
                                rank, 2)))
    return failure();
  // convolution_c3
  std::pair<const char *, ArrayRef<int64_t>> lists[] = {
      {"strides", op.getStrides()},
      {"low", op.getLow()},
      {"high", op.getHigh()},
      {"input_dilation", op.getInputDilation()},
      {"kernel_dilation", op.getKernelDilation()}};
  for (auto [name, list] : lists)
    if (failed(
            checks.count("entries of " + Twine(name), list.size(), spatial, 3)))
      return failure();
  // convolution_c4
  if (failed(checks.atLeast("strides", op.getStrides(), 1, 4)) ||
      failed(checks.atLeast("input_dilation", op.getInputDilation(), 1, 4)) ||
      failed(checks.atLeast("kernel_dilation", op.getKernelDilation(), 1, 4)))
    return failure();
  return success();
}

template <typename Op>
static LogicalResult checkConvolutionFeatures(ShapeChecks &checks, Op op) {
  RankedTensorType input = tensorType(op.getInput()),
                   kernel = tensorType(op.getKernel());
  ConvDimsAttr dims = op.getDims();
  int64_t groups = op.getGroups();
  int64_t features = input.getDimSize(dims.getInputFeature()),
          outputs = kernel.getDimSize(dims.getKernelOutput());
  // convolution_c5
  if (groups < 1)
    return checks.fail("groups", Twine(groups), "at least 1", 5);
  for (int64_t size : {features, outputs})
    if (!ShapedType::isDynamic(size) && size % groups != 0)
      return checks.fail("groups", Twine(groups), "a divisor of " + Twine(size),
                         5);
  // convolution_c6
  if (!ShapedType::isDynamic(features) &&
      failed(checks.sameSize("kernel input features",
                             kernel.getDimSize(dims.getKernelInput()),
                             features / groups, 6)))
    return failure();
  // convolution_c8
  return checks.sameType("kernel element type", kernel.getElementType(),
                         input.getElementType(), 8);
}

template <typename Op>
static WindowDim convolutionWindow(Op op, unsigned spatial,
                                   int64_t kernelSize) {
  WindowDim window;
  window.size = kernelSize;
  window.stride = op.getStrides()[spatial];
  window.low = op.getLow()[spatial];
  window.high = op.getHigh()[spatial];
  window.baseDilation = op.getInputDilation()[spatial];
  window.dilation = op.getKernelDilation()[spatial];
  return window;
}

template <typename Op>
static FailureOr<RankedTensorType> convolutionType(ShapeChecks &checks, Op op) {
  ConvDimsAttr dims = op.getDims();
  if (!dims || failed(checkConvolutionDims(checks, op)) ||
      failed(checkConvolutionFeatures(checks, op)))
    return failure();
  RankedTensorType input = tensorType(op.getInput()),
                   kernel = tensorType(op.getKernel());
  SmallVector<int64_t> shape(input.getRank());
  shape[dims.getOutputBatch()] = input.getDimSize(dims.getInputBatch());
  shape[dims.getOutputFeature()] = kernel.getDimSize(dims.getKernelOutput());
  for (unsigned i = 0; i < dims.getInputSpatial().size(); ++i) {
    int64_t kernelSize = kernel.getDimSize(dims.getKernelSpatial()[i]);
    shape[dims.getOutputSpatial()[i]] =
        ShapedType::isDynamic(kernelSize)
            ? ShapedType::kDynamic
            : windowedSize(input.getDimSize(dims.getInputSpatial()[i]),
                           convolutionWindow(op, i, kernelSize));
  }
  return RankedTensorType::get(shape, input.getElementType());
}

ZENITH_INFER_WITH(ConvolutionOp, convolutionType)

LogicalResult ConvolutionOp::verify() {
  ShapeChecks checks(*this);
  auto expected = convolutionType(checks, *this);
  // convolution_c1: the result's rank
  if (failed(expected) ||
      failed(checks.count("rank of result", tensorType(getResult()).getRank(),
                          expected->getRank(), 1)))
    return failure();
  // convolution_c7, convolution_c8
  return checkResult(checks, tensorType(getResult()), *expected, 7, 8);
}

DimVector ConvolutionOp::resultDims(unsigned, DimAnalysis &analysis) {
  DimVector input = analysis.dimsOf(getInput()),
            kernel = analysis.dimsOf(getKernel());
  ConvDimsAttr dims = getDims();
  DimVector result(input.size());
  result[dims.getOutputBatch()] = input[dims.getInputBatch()];
  result[dims.getOutputFeature()] = kernel[dims.getKernelOutput()];
  for (unsigned i = 0; i < dims.getInputSpatial().size(); ++i) {
    const DimExpr &taps = kernel[dims.getKernelSpatial()[i]];
    result[dims.getOutputSpatial()[i]] =
        windowedSize(input[dims.getInputSpatial()[i]], taps,
                     convolutionWindow(*this, i, taps.constant().value_or(1)));
  }
  return result;
}

} // namespace zenith::graph
