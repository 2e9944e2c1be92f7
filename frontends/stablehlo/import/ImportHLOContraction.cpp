// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of matmuls, convolutions and linear algebra.

#include "frontends/stablehlo/import/MatmulReading.h"
#include "frontends/stablehlo/import/ShapeReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

using Integers = SmallVector<int64_t>;

//===----------------------------------------------------------------------===//
// Matmuls
//===----------------------------------------------------------------------===//

// Rounds to the type in which an algorithm multiplies.
static Value roundTo(OpReading &x, Value value, Type precision) {
  Type own = elementOf(value);
  bool narrower = isa<FloatType>(own) &&
                  (precision.isBF16() || precision.isF16()) &&
                  own.getIntOrFloatBitWidth() > 16;
  return narrower ? x.convert(x.convert(value, precision), own) : value;
}

static void importDot(OpReading &x, graph::DotDimsAttr dims, Value lhs,
                      Value rhs) {
  RankedTensorType type = x.type();
  if (!x.failed())
    x.out(makeDot(x, dims, lhs, rhs, type));
}

static void dotGeneralRule(OpReading &x) {
  auto dims = x.attr<DotDimensionNumbersAttr>("dot_dimension_numbers");
  Value lhs = x.in(0), rhs = x.in(1);
  if (x.failed())
    return;
  auto algorithm = x.op->getAttrOfType<DotAlgorithmAttr>("algorithm");
  if (algorithm && algorithm.getNumPrimitiveOperations() == 1) {
    lhs = roundTo(x, lhs, algorithm.getLhsPrecisionType());
    rhs = roundTo(x, rhs, algorithm.getRhsPrecisionType());
  }
  importDot(x,
            graph::DotDimsAttr::get(x.b.getContext(),
                                    dims.getLhsBatchingDimensions(),
                                    dims.getRhsBatchingDimensions(),
                                    dims.getLhsContractingDimensions(),
                                    dims.getRhsContractingDimensions()),
            lhs, rhs);
}

static void dotRule(OpReading &x) {
  Value lhs = x.in(0), rhs = x.in(1);
  if (rankOf(lhs) == 0 || rankOf(rhs) == 0)
    return x.invalid("takes vectors and matrices");
  importDot(
      x,
      graph::DotDimsAttr::get(x.b.getContext(), {}, {}, {rankOf(lhs) - 1}, {0}),
      lhs, rhs);
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
struct Convolution {
  Value input, kernel;
  ConvDimensionNumbersAttr dims;
  Integers strides, low, high, inputDilation, kernelDilation;
  int64_t groups = 1;
};
} // namespace

static bool readConvolution(OpReading &x, Convolution &conv) {
  conv.dims = x.attr<ConvDimensionNumbersAttr>("dimension_numbers");
  conv.input = x.in(0);
  conv.kernel = x.in(1);
  if (x.failed())
    return false;
  size_t spatial = conv.dims.getInputSpatialDimensions().size();
  conv.strides = x.list("window_strides", spatial, 1);
  conv.inputDilation = x.list("lhs_dilation", spatial, 1);
  conv.kernelDilation = x.list("rhs_dilation", spatial, 1);
  conv.groups = x.intAttribute("feature_group_count", 1);
  Integers reversal = x.list("window_reversal", spatial, 0), reversed;
  if (conv.strides.size() != spatial || conv.inputDilation.size() != spatial ||
      conv.kernelDilation.size() != spatial || reversal.size() != spatial) {
    x.invalid("has window attributes that do not fit its dimensions");
    return false;
  }
  for (size_t i = 0; i < spatial; ++i)
    if (reversal[i])
      reversed.push_back(conv.dims.getKernelSpatialDimensions()[i]);
  if (!reversed.empty())
    conv.kernel =
        x.make<graph::ReverseOp>(conv.kernel.getType(), conv.kernel, reversed);
  return true;
}

// Batch groups as feature groups: part g of the batch becomes features of
// group g.
static bool mergeBatchGroups(OpReading &x, Convolution &conv, int64_t groups) {
  if (groups == 1)
    return true;
  auto type = tensorTypeOf(conv.input);
  int64_t batch = conv.dims.getInputBatchDimension(),
          feature = conv.dims.getInputFeatureDimension();
  if (!type.hasStaticShape() || type.getDimSize(batch) % groups) {
    x.unsupported("with batch groups of this shape is not supported");
    return false;
  }
  // Split the batch, then move the groups before the features.
  Integers split, permutation, merged(type.getShape());
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (i == batch)
      split.push_back(groups);
    split.push_back(i == batch ? type.getDimSize(i) / groups
                               : type.getDimSize(i));
  }
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (i == feature)
      permutation.push_back(batch);
    permutation.push_back(i < batch ? i : i + 1);
  }
  merged[batch] /= groups;
  merged[feature] *= groups;
  conv.input =
      x.reshape(x.transpose(x.reshape(conv.input, split), permutation), merged);
  conv.groups *= groups;
  return true;
}

// Padding and dilation of the input, as a pad of its own: negative padding
// removes elements.
static void padInput(OpReading &x, Convolution &conv) {
  int64_t rank = rankOf(conv.input);
  Integers low(rank, 0), high(rank, 0), interior(rank, 0),
      shape(tensorTypeOf(conv.input).getShape());
  for (auto [i, dim] : llvm::enumerate(conv.dims.getInputSpatialDimensions())) {
    low[dim] = std::exchange(conv.low[i], 0);
    high[dim] = std::exchange(conv.high[i], 0);
    interior[dim] = std::exchange(conv.inputDilation[i], 1) - 1;
    if (!ShapedType::isDynamic(shape[dim]))
      shape[dim] = std::max<int64_t>(
          0, low[dim] + high[dim] +
                 (shape[dim] ? (shape[dim] - 1) * (interior[dim] + 1) + 1 : 0));
  }
  Type element = elementOf(conv.input);
  conv.input = x.make<graph::PadOp>(
      RankedTensorType::get(shape, element), conv.input, x.scalar(element, 0),
      ValueRange(), ValueRange(), low, high, interior);
}

// Without spatial dimensions: as one dimension of size 1 at the end of all.
static void addSpatialDimension(OpReading &x, Convolution &conv) {
  auto extended = [&](Value value) {
    Integers shape(tensorTypeOf(value).getShape());
    shape.push_back(1);
    return x.reshape(value, shape);
  };
  int64_t rank = rankOf(conv.input);
  conv.input = extended(conv.input);
  conv.kernel = extended(conv.kernel);
  conv.dims = ConvDimensionNumbersAttr::get(
      x.b.getContext(), conv.dims.getInputBatchDimension(),
      conv.dims.getInputFeatureDimension(), {rank},
      conv.dims.getKernelInputFeatureDimension(),
      conv.dims.getKernelOutputFeatureDimension(), {rank},
      conv.dims.getOutputBatchDimension(),
      conv.dims.getOutputFeatureDimension(), {rank});
  conv.strides = conv.inputDilation = conv.kernelDilation = {1};
  conv.low = conv.high = {0};
}

static void convolve(OpReading &x, Convolution conv) {
  RankedTensorType type = x.type();
  if (x.failed())
    return;
  RankedTensorType given = type;
  if (conv.strides.empty() && type.hasStaticShape() &&
      tensorTypeOf(conv.input).hasStaticShape() &&
      tensorTypeOf(conv.kernel).hasStaticShape()) {
    addSpatialDimension(x, conv);
    Integers shape(type.getShape());
    shape.push_back(1);
    type = RankedTensorType::get(shape, type.getElementType());
  }
  if (!mergeBatchGroups(x, conv, x.intAttribute("batch_group_count", 1)))
    return;
  auto negative = [](int64_t value) { return value < 0; };
  if (llvm::any_of(conv.low, negative) || llvm::any_of(conv.high, negative))
    padInput(x, conv);
  Type element = type.getElementType();
  Type operand = matmulOperandType(conv.input, conv.kernel, element);
  auto dims = graph::ConvDimsAttr::get(
      x.b.getContext(), conv.dims.getInputBatchDimension(),
      conv.dims.getInputFeatureDimension(),
      conv.dims.getInputSpatialDimensions(),
      conv.dims.getKernelInputFeatureDimension(),
      conv.dims.getKernelOutputFeatureDimension(),
      conv.dims.getKernelSpatialDimensions(),
      conv.dims.getOutputBatchDimension(),
      conv.dims.getOutputFeatureDimension(),
      conv.dims.getOutputSpatialDimensions());
  Integers shape(type.getShape());
  for (auto [in, out] : llvm::zip(conv.dims.getInputSpatialDimensions(),
                                  conv.dims.getOutputSpatialDimensions()))
    if (tensorTypeOf(conv.input).isDynamicDim(in))
      shape[out] = ShapedType::kDynamic;
  auto sum = RankedTensorType::get(shape, matmulSumType(operand, element));
  Value result = x.make<graph::ConvolutionOp>(
      sum, x.convert(conv.input, operand), x.convert(conv.kernel, operand),
      dims, conv.strides, conv.low, conv.high, conv.inputDilation,
      conv.kernelDilation, uint64_t(conv.groups));
  markPrecision(x, result);
  result = convertSums(x, x.refine(result, type.getShape()), element);
  x.out(type == given ? result : x.reshape(result, given.getShape()));
}

static bool setPadding(OpReading &x, Convolution &conv,
                       ArrayRef<int64_t> padding) {
  if (padding.size() != 2 * conv.strides.size()) {
    x.invalid("has padding that does not fit its dimensions");
    return false;
  }
  for (size_t i = 0; i < padding.size(); i += 2) {
    conv.low.push_back(padding[i]);
    conv.high.push_back(padding[i + 1]);
  }
  return true;
}

static void convolutionRule(OpReading &x) {
  Convolution conv;
  if (readConvolution(x, conv) &&
      setPadding(x, conv, x.list("padding", 2 * conv.strides.size(), 0)))
    convolve(x, conv);
}

// Pads the input itself: between its elements, then by values around them.
static void padByValue(OpReading &x, Convolution &conv, const Values &padding) {
  size_t spatial = conv.strides.size();
  conv.low.assign(spatial, 0);
  conv.high = conv.low;
  if (llvm::any_of(conv.inputDilation, [](int64_t d) { return d != 1; }))
    padInput(x, conv);
  int64_t rank = rankOf(conv.input);
  Integers low(rank, 0), high(rank, 0), interior(rank, 0),
      shape(tensorTypeOf(conv.input).getShape());
  // One operand per dynamic entry, in order of dimensions.
  SmallVector<Value> before(rank), after(rank);
  for (auto [i, dim] : llvm::enumerate(conv.dims.getInputSpatialDimensions())) {
    low[dim] = high[dim] = shape[dim] = ShapedType::kDynamic;
    before[dim] = padding[2 * i];
    after[dim] = padding[2 * i + 1];
  }
  llvm::erase(before, Value());
  llvm::erase(after, Value());
  Type element = elementOf(conv.input);
  conv.input = x.make<graph::PadOp>(RankedTensorType::get(shape, element),
                                    conv.input, x.scalar(element, 0), before,
                                    after, low, high, interior);
}

static void dynamicConvRule(OpReading &x) {
  Convolution conv;
  if (!readConvolution(x, conv))
    return;
  RankedTensorType type = tensorTypeOf(x.in(2));
  int64_t count = 2 * conv.strides.size();
  if (!type.hasStaticShape() || type.getNumElements() != count)
    return x.invalid("has padding that does not fit its dimensions");
  Values values;
  Integers padding;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(shapeElement(x, x.in(2), i));
    if (auto size = constantInteger(values.back()))
      padding.push_back(*size);
  }
  if (int64_t(padding.size()) < count)
    padByValue(x, conv, values);
  else if (!setPadding(x, conv, padding))
    return;
  convolve(x, conv);
}

//===----------------------------------------------------------------------===//
// Linear algebra
//===----------------------------------------------------------------------===//

// Small floats are solved in f32.
static Type solveType(OpReading &x, Value value) {
  Type element = elementOf(value);
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32
             ? Type(x.b.getF32Type())
             : element;
}

static void choleskyRule(OpReading &x) {
  Value value = x.in(), wide = x.convert(value, solveType(x, value));
  Value factor =
      x.make<graph::CholeskyOp>(wide.getType(), wide, x.flag("lower"));
  x.out(x.convert(factor, elementOf(value)));
}

static void triangularSolveRule(OpReading &x) {
  auto transpose = x.attr<TransposeAttr>("transpose_a");
  if (!transpose)
    return;
  auto form = graph::MatrixForm::plain;
  switch (transpose.getValue()) {
  case Transpose::TRANSPOSE_INVALID:
    return x.invalid("has no form of its matrix");
  case Transpose::NO_TRANSPOSE:
    break;
  case Transpose::TRANSPOSE:
    form = graph::MatrixForm::transposed;
    break;
  case Transpose::ADJOINT:
    form = graph::MatrixForm::adjoint;
    break;
  }
  Type element = elementOf(x.in(1)), wide = solveType(x, x.in(1));
  Value a = x.convert(x.in(0), wide), b = x.convert(x.in(1), wide);
  Value solution = x.make<graph::TriangularSolveOp>(
      b.getType(), form, a, b, x.flag("left_side"), x.flag("lower"),
      x.flag("unit_diagonal"));
  x.out(x.convert(solution, element));
}

static void fftRule(OpReading &x) {
  auto kind = x.attr<FftTypeAttr>("fft_type");
  RankedTensorType type = x.type();
  if (x.failed())
    return;
  auto fourier = graph::FourierKind::c2c;
  if (kind.getValue() == FftType::IFFT)
    fourier = graph::FourierKind::c2c_inverse;
  if (kind.getValue() == FftType::RFFT)
    fourier = graph::FourierKind::r2c;
  if (kind.getValue() == FftType::IRFFT)
    fourier = graph::FourierKind::c2r;
  x.out(x.make<graph::FourierOp>(type, fourier, x.in(), x.list("fft_length")));
}

void stablehlo::addContractionRules(RuleTable &rules) {
  addEinsumRules(rules);
  rules["stablehlo.dot_general"] = dotGeneralRule;
  rules["stablehlo.dot"] = dotRule;
  rules["stablehlo.convolution"] = convolutionRule;
  rules["stablehlo.dynamic_conv"] = dynamicConvRule;
  rules["stablehlo.cholesky"] = choleskyRule;
  rules["stablehlo.triangular_solve"] = triangularSolveRule;
  rules["stablehlo.fft"] = fftRule;
}
