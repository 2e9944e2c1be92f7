// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of StableHLO ops of linear algebra, normalisation and randomness.

#include "frontends/stablehlo/verify/VerifyChecks.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

using List = llvm::ArrayRef<int64_t>;

static LogicalResult checkCholesky(Operation *op) {
  RankedTensorType a = tensorOf(op->getOperand(0));
  List shape = a.getShape();
  if (a.getRank() < 2)
    return op->emitOpError("argument 'a' must have rank >= 2, got shape ")
           << listText(shape) << ".";
  if (!dimsAgree(shape.back(), shape[shape.size() - 2]))
    return op->emitOpError("minor dimensions of 'a' must have equal size, got "
                           "shape ")
           << listText(shape) << ".";
  return checkResults(op, Type(a));
}

static LogicalResult checkTriangularSolve(Operation *op) {
  RankedTensorType a = tensorOf(op->getOperand(0)),
                   b = tensorOf(op->getOperand(1));
  if (!elementsAgree(a, b))
    return op->emitOpError(
        "requires the same element type for all operands and results");
  if (a.getRank() < 2)
    return op->emitOpError("operand 'a' must have rank >= 2, but got ") << a;
  List sizes = a.getShape(), values = b.getShape();
  if (!dimsAgree(sizes.back(), sizes[sizes.size() - 2]))
    return op->emitOpError("two minor dimensions of operand 'a' must be "
                           "compatible, but got ")
           << a;
  if (a.getRank() != b.getRank())
    return op->emitOpError("operands must have equal rank, but got ")
           << a << " and " << b;
  auto left = op->getAttrOfType<BoolAttr>("left_side");
  int64_t shared = values[values.size() - (left.getValue() ? 2 : 1)];
  if (!dimsAgree(sizes.back(), shared))
    return op->emitOpError("shared dimension of operands 'a' and 'b' does not "
                           "match, but got ")
           << a << " and " << b;
  for (auto [m, n] : llvm::zip(sizes.drop_back(2), values.drop_back(2)))
    if (!dimsAgree(m, n))
      return op->emitOpError("batch dimensions of the operands must be "
                             "compatible, but got ")
             << a << " and " << b;
  if (op->getAttrOfType<TransposeAttr>("transpose_a").getValue() ==
      Transpose::TRANSPOSE_INVALID)
    return op->emitOpError("Invalid transpose option value for triangular "
                           "solve");
  return checkResults(op, Type(b));
}

// fft_c1 to fft_c6
static LogicalResult checkFft(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  FftType kind = op->getAttrOfType<FftTypeAttr>("fft_type").getValue();
  Integers length = integersOf(op, "fft_length");
  int64_t count = length.size(), rank = operand.getRank();
  if (count < 1 || count > 3)
    return op->emitOpError("rank must be between 1 and 3, but got ")
           << count << ".";
  Type element = operand.getElementType();
  bool real = kind == FftType::RFFT;
  if (real && !element.isF32() && !element.isF64())
    return op->emitOpError("RFFT requires f32 or f64 input type, but is given ")
           << element << ".";
  auto complex = dyn_cast<ComplexType>(element);
  if (!real && !complex)
    return op->emitOpError("FFT/IFFT/IRFFT take a complex tensor as input, but "
                           "is given ")
           << operand << ".";
  if (rank < count)
    return op->emitOpError("operand rank must not be less than fft rank of ")
           << count << " for operand of type " << operand << ".";
  List inner = operand.getShape().take_back(count);
  Integers dims(operand.getShape());
  Type result = kind == FftType::IRFFT ? complex.getElementType()
                : real                 ? ComplexType::get(element)
                                       : element;
  auto agree = [](List a, List b) {
    return llvm::all_of(llvm::zip(a, b), [](auto pair) {
      return dimsAgree(std::get<0>(pair), std::get<1>(pair));
    });
  };
  List wanted(length);
  if (real && !agree(inner, wanted))
    return op->emitOpError("RFFT requires innermost dimensions to be "
                           "compatible with fft_length. Got: ")
           << listText(operand.getShape()) << " but wanted " << listText(wanted)
           << ".";
  if (kind == FftType::IRFFT) {
    if (!agree(inner.drop_back(), wanted.drop_back()))
      return op->emitOpError("IRFFT requires non-final dimensions to be "
                             "compatible with fft_length. Got: ")
             << listText(operand.getShape()) << " but wanted "
             << listText(wanted) << ", and " << inner[0] << " != " << wanted[0]
             << ".";
    if (!dimsAgree(inner.back(), wanted.back() / 2 + 1) &&
        (wanted.back() != 0 || inner.back() != 0))
      return op->emitOpError("IRFFT requires innermost dimension to be "
                             "compatible with fft_length[-1]/2+1. Got: ")
             << inner.back() << " but fft_length is " << listText(wanted)
             << ".";
    dims.back() = wanted.back();
  } else if (real && dims.back() != 0) {
    dims.back() = wanted.back() / 2 + 1;
  }
  return checkResults(op, Type(RankedTensorType::get(dims, result)));
}

// Batch norms: one vector per feature.
static LogicalResult checkBatchNorm(Operation *op) {
  llvm::StringRef name = op->getName().stripDialect();
  bool grad = name == "batch_norm_grad";
  RankedTensorType operand = tensorOf(op->getOperand(0));
  SmallVector<RankedTensorType> vectors;
  unsigned end = grad ? 4 : op->getNumOperands();
  for (unsigned i = 1; i < end; ++i)
    vectors.push_back(tensorOf(op->getOperand(i)));
  if (failed(checkAtLeast(op, "feature_index", 0)))
    return failure();
  int64_t feature = integerOf(op, "feature_index");
  if (feature >= operand.getRank())
    return op->emitOpError("expects featureIndex to be smaller than the rank "
                           "of multi-dimensional operands; got featureIndex ")
           << feature << ", and rank " << operand.getRank() << ".";
  for (RankedTensorType vector : vectors) {
    if (vector.getRank() != 1)
      return op->emitOpError("operand must be 1D tensor of floating-point "
                             "values, but got ")
             << vector;
    if (!elementsAgree(operand, vector))
      return op->emitOpError("requires the same element type for all operands "
                             "and results");
  }
  for (RankedTensorType vector : vectors) {
    if (llvm::any_of(vectors, [&](RankedTensorType other) {
          return !shapesAgree(vector, other);
        }))
      return op->emitOpError("expects single-dimensional operands to have "
                             "compatible shapes.");
    if (!dimsAgree(vector.getDimSize(0), operand.getDimSize(feature)))
      return op->emitOpError("expects the size of single-dimensional operands "
                             "to be compatible with feature count, but the "
                             "size of single-dimensional operands is ")
             << vector.getDimSize(0) << " and the feature count is "
             << operand.getDimSize(feature) << ".";
  }
  if (grad && !typesAgree(op->getOperand(4).getType(), operand))
    return op->emitOpError("expects multi-dimensional operands to have "
                           "compatible shapes.");
  Type vector = RankedTensorType::get({operand.getDimSize(feature)},
                                      operand.getElementType());
  SmallVector<Type> inferred{operand};
  if (name != "batch_norm_inference")
    inferred.append({vector, vector});
  return checkResults(op, inferred);
}

// rng_c1 to rng_c3
static LogicalResult checkRng(Operation *op) {
  RankedTensorType a = tensorOf(op->getOperand(0)),
                   b = tensorOf(op->getOperand(1)),
                   shape = tensorOf(op->getOperand(2)),
                   result = tensorOf(op->getResult(0));
  for (RankedTensorType type : {a, b})
    if (type.getRank() != 0)
      return op->emitOpError("operand should be rank 0 tensor but got rank ")
             << type.getRank();
  if (!elementsAgree(a, b) || !elementsAgree(a, result))
    return op->emitOpError(
        "requires the same element type for all operands and results");
  auto distribution =
      op->getAttrOfType<RngDistributionAttr>("rng_distribution").getValue();
  if (distribution == RngDistribution::NORMAL &&
      !isa<FloatType>(a.getElementType()))
    return op->emitOpError("mu and sigma must be floats");
  std::optional<Integers> sizes = constantOf(op->getOperand(2));
  Integers dims(sizes ? *sizes
                      : Integers(shape.isDynamicDim(0) ? result.getRank()
                                                       : shape.getDimSize(0),
                                 ShapedType::kDynamic));
  for (int64_t &dim : dims)
    if (dim < 0 && !ShapedType::isDynamic(dim))
      return op->emitOpError("shape holds a negative size");
  return checkResults(op,
                      Type(RankedTensorType::get(dims, a.getElementType())));
}

// rng_bit_generator_c1, rng_bit_generator_c2
static LogicalResult checkRngBitGenerator(Operation *op) {
  RankedTensorType state = tensorOf(op->getOperand(0)),
                   next = tensorOf(op->getResult(0));
  if (!typesAgree(state, next))
    return op->emitOpError("output state shape must be compatible with initial "
                           "state shape. Got: ")
           << state << " and " << next;
  return success();
}

OpCheck zenith::stablehlo::algebraCheck(llvm::StringRef name) {
  return llvm::StringSwitch<OpCheck>(name)
      .Case("cholesky", checkCholesky)
      .Case("triangular_solve", checkTriangularSolve)
      .Case("fft", checkFft)
      .Cases("batch_norm_inference", "batch_norm_training", "batch_norm_grad",
             checkBatchNorm)
      .Case("rng", checkRng)
      .Case("rng_bit_generator", checkRngBitGenerator)
      .Default(nullptr);
}
