// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning of the Contraction family: dot_general becomes matmul by reordering
// dimensions, convolution by gathering the inputs of each position (im2col).

#include "ir/GraphOps.h"
#include "ir/interpreter/Reducing.h"
#include "ir/interpreter/StridedCopy.h"
#include "ir/ops/Contraction.h"
#include "ir/tensor/MatrixProduct.h"
#include "ir/tensor/SmallFloat.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

// Calls fn(TypeTag<operand>, TypeTag<result>): the result has the operand's
// type or a wider one.
template <typename Fn>
static bool visitProduct(Type operand, Type result, Fn &&fn) {
  if (auto complex = dyn_cast<ComplexType>(operand)) {
    if (complex.getElementType().isF32())
      fn(TypeTag<std::complex<float>>(), TypeTag<std::complex<float>>());
    else
      fn(TypeTag<std::complex<double>>(), TypeTag<std::complex<double>>());
  } else if (operand.isF32() && result.isF64()) {
    fn(TypeTag<float>(), TypeTag<double>());
  } else if (operand.isF32()) {
    fn(TypeTag<float>(), TypeTag<float>());
  } else if (operand.isF64()) {
    fn(TypeTag<double>(), TypeTag<double>());
  } else if (isa<IntegerType>(operand) && isa<IntegerType>(result)) {
    visitInteger(operand, [&](auto from, unsigned) {
      visitInteger(result, [&](auto to, unsigned) { fn(from, to); });
    });
  } else {
    return false;
  }
  return true;
}

// The type that sums of products of `element` are stored in before the final
// rounding.
static Type computeType(Type element) {
  return isSmallFloat(element) ? Float32Type::get(element.getContext())
                               : element;
}

static unsigned widthOf(Type element) {
  return isa<IntegerType>(element) ? element.getIntOrFloatBitWidth() : 0;
}

static int64_t productOf(const Tensor &tensor, ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims)
    product *= tensor.shape()[dim];
  return product;
}

static llvm::Error checkEqualDims(const OpEvaluation &e, StringRef role,
                                  ArrayRef<int64_t> lhs,
                                  ArrayRef<int64_t> rhs) {
  for (auto [l, r] : llvm::zip(lhs, rhs))
    if (e.operand(0).shape()[l] != e.operand(1).shape()[r])
      return e.fail(role + " dimensions " + Twine(l) + " and " + Twine(r) +
                    " are " + Twine(e.operand(0).shape()[l]) + " and " +
                    Twine(e.operand(1).shape()[r]) + " at run time");
  return llvm::Error::success();
}

static SmallVector<int64_t> joined(ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                                   ArrayRef<int64_t> c) {
  SmallVector<int64_t> all(a);
  all.append(b.begin(), b.end());
  all.append(c.begin(), c.end());
  return all;
}

static Expected<Tensor> evaluateDot(graph::DotGeneralOp op,
                                    const OpEvaluation &e) {
  auto dims = op.getDims();
  ArrayRef<int64_t> lb = dims.getLhsBatching(), rb = dims.getRhsBatching();
  ArrayRef<int64_t> lc = dims.getLhsContracting(),
                    rc = dims.getRhsContracting();
  if (llvm::Error error = checkEqualDims(e, "batching", lb, rb))
    return std::move(error);
  if (llvm::Error error = checkEqualDims(e, "contracting", lc, rc))
    return std::move(error);
  Shape lf = graph::freeDims(e.operand(0).shape().size(), lb, lc);
  Shape rf = graph::freeDims(e.operand(1).shape().size(), rb, rc);
  Expected<Tensor> left = permuted(e, e.operand(0), joined(lb, lf, lc));
  if (!left)
    return left;
  Expected<Tensor> right = permuted(e, e.operand(1), joined(rb, rc, rf));
  if (!right)
    return right;
  Shape shape;
  for (int64_t dim : joined(lb, lf, {}))
    shape.push_back(e.operand(0).shape()[dim]);
  for (int64_t dim : rf)
    shape.push_back(e.operand(1).shape()[dim]);
  if (llvm::Error error = e.checkShape(shape))
    return std::move(error);
  Type element = e.resultElement();
  Expected<Tensor> result = e.temporary(shape, computeType(element));
  if (!result)
    return result;
  int64_t batch = productOf(e.operand(0), lb),
          rows = productOf(e.operand(0), lf);
  int64_t inner = productOf(e.operand(0), lc),
          columns = productOf(e.operand(1), rf);
  Tensor lhs = widened(*left), rhs = widened(*right);
  bool known = visitProduct(
      lhs.elementType(), result->elementType(), [&](auto from, auto to) {
        using T = typename decltype(from)::type;
        using R = typename decltype(to)::type;
        R *out = writableElements<R>(*result).data();
        const T *l = elementsOf<T>(lhs).data(), *r = elementsOf<T>(rhs).data();
        for (int64_t b = 0; b < batch; ++b)
          multiplyMatrices<R>(
              l + b * rows * inner, rows, inner, columns,
              [&](int64_t k, int64_t c) {
                return r[(b * inner + k) * columns + c];
              },
              [&](int64_t row, int64_t c, auto sum) {
                out[(b * rows + row) * columns + c] =
                    elementOfSum<R>(sum, widthOf(element));
              });
      });
  if (!known)
    return e.fail("has no meaning on these element types",
                  ErrorCode::Unsupported);
  return narrowed(*result, element);
}

namespace {
// A convolution whose operands are input [N, G * C, spatial...] and kernel
// [G * O, C, spatial...].
struct ConvolutionGeometry {
  Shape input, kernel, output; ///< spatial sizes
  ArrayRef<int64_t> strides, low, inputDilation, kernelDilation;

  /// Row-major index of the input position that tap `w` of the filter reads at
  /// output position `o`; -1 for padding and the gaps of a dilated input.
  int64_t inputIndex(ArrayRef<int64_t> o, ArrayRef<int64_t> w) const {
    int64_t index = 0;
    for (size_t i = 0; i < input.size(); ++i) {
      int64_t at = o[i] * strides[i] + w[i] * kernelDilation[i] - low[i];
      if (at < 0 || at % inputDilation[i] != 0 ||
          at / inputDilation[i] >= input[i])
        return -1;
      index = index * input[i] + at / inputDilation[i];
    }
    return index;
  }
};
} // namespace

static int64_t countOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

static void unravel(int64_t index, ArrayRef<int64_t> shape,
                    MutableArrayRef<int64_t> position) {
  for (size_t i = shape.size(); i-- > 0; index /= shape[i])
    position[i] = index % shape[i];
}

// Indices of the input positions that each (tap, output position) reads, for
// the output positions from `first` to `end`.
static std::vector<int64_t> inputIndices(const ConvolutionGeometry &geometry,
                                         int64_t first, int64_t end) {
  int64_t taps = countOf(geometry.kernel), width = end - first;
  std::vector<int64_t> indices(size_t(taps * width));
  Shape o(geometry.output.size()), w(geometry.kernel.size());
  for (int64_t tap = 0; tap < taps; ++tap) {
    unravel(tap, geometry.kernel, w);
    for (int64_t i = 0; i < width; ++i) {
      unravel(first + i, geometry.output, o);
      indices[size_t(tap * width + i)] = geometry.inputIndex(o, w);
    }
  }
  return indices;
}

namespace {
struct ConvolutionSizes {
  int64_t batch, groups, inputs, outputs; ///< features of one group
};
} // namespace

template <typename T, typename R>
static void convolve(const ConvolutionGeometry &geometry,
                     const ConvolutionSizes &sizes, const Tensor &input,
                     const Tensor &kernel, Tensor &result, unsigned width) {
  const T *in = elementsOf<T>(input).data(),
          *filter = elementsOf<T>(kernel).data();
  R *out = writableElements<R>(result).data();
  int64_t positions = countOf(geometry.output),
          inputPositions = countOf(geometry.input);
  int64_t taps = countOf(geometry.kernel), inner = sizes.inputs * taps;
  constexpr int64_t chunk = 256; // bounds the table of positions
  for (int64_t first = 0; first < positions; first += chunk) {
    int64_t end = std::min(first + chunk, positions), columns = end - first;
    std::vector<int64_t> indices = inputIndices(geometry, first, end);
    for (int64_t plane = 0; plane < sizes.batch * sizes.groups; ++plane) {
      int64_t group = plane % sizes.groups;
      const T *source = in + plane * sizes.inputs * inputPositions;
      R *target = out + plane * sizes.outputs * positions + first;
      multiplyMatrices<R>(
          filter + group * sizes.outputs * inner, sizes.outputs, inner, columns,
          [&](int64_t k, int64_t c) {
            int64_t index = indices[size_t(k % taps * columns + c)];
            return index < 0 ? T(0) : source[k / taps * inputPositions + index];
          },
          [&](int64_t row, int64_t c, auto sum) {
            target[row * positions + c] = elementOfSum<R>(sum, width);
          });
    }
  }
}

// Spatial sizes of the result.
static Expected<Shape> outputSizes(graph::ConvolutionOp op,
                                   const OpEvaluation &e,
                                   const ConvolutionGeometry &geometry) {
  Shape sizes;
  for (auto [i, size] : llvm::enumerate(geometry.input)) {
    int64_t dilated = size ? (size - 1) * geometry.inputDilation[i] + 1 : 0;
    int64_t padded = dilated + op.getLow()[i] + op.getHigh()[i];
    int64_t kernel = geometry.kernel[i];
    int64_t reach = kernel ? (kernel - 1) * geometry.kernelDilation[i] + 1 : 0;
    if (padded < 0)
      return e.fail("padded spatial dimension " + Twine(i) + " would be " +
                    Twine(padded));
    sizes.push_back(
        padded < reach ? 0 : (padded - reach) / geometry.strides[i] + 1);
  }
  return sizes;
}

static Expected<Tensor> evaluateConvolution(graph::ConvolutionOp op,
                                            const OpEvaluation &e) {
  auto dims = op.getDims();
  Expected<Tensor> input =
      permuted(e, e.operand(0),
               joined(dims.getInputBatch(), dims.getInputFeature(),
                      dims.getInputSpatial()));
  if (!input)
    return input;
  Expected<Tensor> kernel =
      permuted(e, e.operand(1),
               joined(dims.getKernelOutput(), dims.getKernelInput(),
                      dims.getKernelSpatial()));
  if (!kernel)
    return kernel;
  int64_t groups = op.getGroups();
  int64_t inputFeatures = input->shape()[1],
          outputFeatures = kernel->shape()[0];
  if (groups < 1 || outputFeatures % groups != 0 ||
      kernel->shape()[1] * groups != inputFeatures)
    return e.fail("input has " + Twine(inputFeatures) +
                  " features at run time, the kernel takes " +
                  Twine(kernel->shape()[1]) + " in each of " + Twine(groups) +
                  " groups");
  ConvolutionGeometry geometry{Shape(input->shape().drop_front(2)),
                               Shape(kernel->shape().drop_front(2)),
                               {},
                               op.getStrides(),
                               op.getLow(),
                               op.getInputDilation(),
                               op.getKernelDilation()};
  Expected<Shape> spatial = outputSizes(op, e, geometry);
  if (!spatial)
    return spatial.takeError();
  geometry.output = *spatial;
  Shape inner{input->shape()[0], outputFeatures};
  inner.append(spatial->begin(), spatial->end());
  Type element = e.resultElement();
  Expected<Tensor> result = e.temporary(inner, computeType(element));
  if (!result)
    return result;
  ConvolutionSizes sizes{inner[0], groups, kernel->shape()[1],
                         outputFeatures / groups};
  Tensor lhs = widened(*input), rhs = widened(*kernel);
  bool known = visitProduct(
      lhs.elementType(), result->elementType(), [&](auto from, auto to) {
        convolve<typename decltype(from)::type, typename decltype(to)::type>(
            geometry, sizes, lhs, rhs, *result, widthOf(element));
      });
  if (!known)
    return e.fail("has no meaning on these element types",
                  ErrorCode::Unsupported);
  // Result dimension outer[i] is dimension i of the inner order.
  SmallVector<int64_t> outer = joined(
      dims.getOutputBatch(), dims.getOutputFeature(), dims.getOutputSpatial());
  SmallVector<int64_t> order(outer.size());
  for (auto [i, dim] : llvm::enumerate(outer))
    order[dim] = i;
  Expected<Tensor> ordered = permuted(e, narrowed(*result, element), order);
  if (ordered)
    if (llvm::Error error = e.checkShape(ordered->shape()))
      return std::move(error);
  return ordered;
}

Expected<Tensor>
zenith::interpreter::evaluateContraction(const OpEvaluation &e) {
  if (auto dot = dyn_cast<graph::DotGeneralOp>(e.op))
    return evaluateDot(dot, e);
  if (auto convolution = dyn_cast<graph::ConvolutionOp>(e.op))
    return evaluateConvolution(convolution, e);
  return e.fail("has no meaning in the interpreter", ErrorCode::Unsupported);
}
