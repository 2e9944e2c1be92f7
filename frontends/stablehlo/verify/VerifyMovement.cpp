// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of StableHLO ops that move elements by shapes.

#include "frontends/stablehlo/verify/VerifyChecks.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

static Type like(RankedTensorType type, llvm::ArrayRef<int64_t> dims) {
  return RankedTensorType::get(dims, type.getElementType());
}

// constant_c1: a quantized constant gives its storage values, one of narrow
// floats the numbers.
static LogicalResult checkConstant(Operation *op) {
  auto value = op->getAttrOfType<ElementsAttr>("value");
  RankedTensorType result = tensorOf(op->getResult(0));
  if (value && isa<NarrowFloatType>(result.getElementType())) {
    if (!isa<FloatType>(value.getElementType()) ||
        !shapesAgree(Type(value.getShapedType()), result))
      return op->emitOpError("value is no tensor of numbers of the result's "
                             "shape");
    return success();
  }
  return value ? checkResults(op, Type(value.getShapedType())) : success();
}

static LogicalResult checkIota(Operation *op) {
  RankedTensorType result = tensorOf(op->getResult(0));
  if (failed(checkAtLeast(op, "iota_dimension", 0)))
    return failure();
  if (op->getNumOperands() == 0 && failed(checkStaticOrBounded(op, result)))
    return failure();
  if (result.getRank() == 0)
    return op->emitOpError("does not support scalars.");
  if (integerOf(op, "iota_dimension") >= result.getRank())
    return op->emitOpError("iota dimension cannot go beyond the output rank.");
  return success();
}

// A shape given as operand against the type of the result.
static LogicalResult checkShapeOperand(Operation *op, Value shape) {
  RankedTensorType result = tensorOf(op->getResult(0));
  RankedTensorType dims = tensorOf(shape);
  if (!dims.isDynamicDim(0) && dims.getDimSize(0) != result.getRank())
    return op->emitOpError("result should have a rank equal to the number of "
                           "elements in output_shape");
  std::optional<Integers> sizes = constantOf(shape);
  for (size_t i = 0; sizes && i < sizes->size(); ++i)
    if ((*sizes)[i] < 0 || !dimsAgree((*sizes)[i], result.getDimSize(i)))
      return op->emitOpError("output shape ")
             << shapeText(*sizes)
             << " is incompatible with return type of operation "
             << typesText(op->getResultTypes());
  return success();
}

static LogicalResult checkDynamicIota(Operation *op) {
  if (failed(checkIota(op)))
    return failure();
  return checkShapeOperand(op, op->getOperand(0));
}

static LogicalResult checkBroadcast(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  Integers dims = integersOf(op, "broadcast_sizes");
  for (int64_t size : dims)
    if (size < 0)
      return op->emitOpError("Broadcast with negative dimension size ") << size;
  llvm::append_range(dims, operand.getShape());
  return checkResults(op, like(operand, dims));
}

// What broadcast_in_dim and dynamic_broadcast_in_dim have in common.
static LogicalResult checkMapping(Operation *op, bool sizesKnown) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  RankedTensorType result = tensorOf(op->getResult(0));
  if (!elementsAgree(operand, result))
    return op->emitOpError("expects operand and result to have compatible "
                           "element type");
  Integers dims = integersOf(op, "broadcast_dimensions");
  if (int64_t(dims.size()) != operand.getRank())
    return op->emitOpError("broadcast_dimensions size (")
           << dims.size() << ") does not match operand rank ("
           << operand.getRank() << ")";
  if (hasDuplicates(dims))
    return op->emitOpError("broadcast_dimensions should not have duplicates");
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= result.getRank())
      return op->emitOpError("broadcast_dimensions contains invalid value ")
             << dim << " for result with rank " << result.getRank();
    int64_t from = operand.getDimSize(i), to = result.getDimSize(dim);
    if (from != 1 && !dimsAgree(from, to))
      return op->emitOpError("size of operand dimension ")
             << i << " (" << from << ") is not equal to 1 or size of result "
             << "dimension " << dim << " (" << to << ")";
  }
  return success();
}

static LogicalResult checkBroadcastInDim(Operation *op) {
  if (failed(checkStaticOrBounded(op, op->getResult(0).getType())))
    return failure();
  return checkMapping(op, true);
}

static LogicalResult checkDynamicBroadcastInDim(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  RankedTensorType result = tensorOf(op->getResult(0));
  RankedTensorType shape = tensorOf(op->getOperand(1));
  if (failed(checkMapping(op, false)))
    return failure();
  if (!shape.isDynamicDim(0) && shape.getDimSize(0) != result.getRank())
    return op->emitOpError("result rank (")
           << result.getRank() << ") is not equal to number of output "
           << "dimensions (" << shape.getDimSize(0) << ")";
  Integers dims = integersOf(op, "broadcast_dimensions");
  Integers expanding = integersOf(op, "known_expanding_dimensions");
  Integers kept = integersOf(op, "known_nonexpanding_dimensions");
  if (duplicateOf(expanding, kept))
    return op->emitOpError(
        "duplicate expansion hint for at least one operand dimension");
  for (int64_t dim : expanding)
    if (dim < 0 || dim >= operand.getRank())
      return op->emitOpError("hint for expanding dimension ")
             << dim << " does not refer to a valid operand dimension";
  for (int64_t dim : kept)
    if (dim < 0 || dim >= operand.getRank())
      return op->emitOpError("hint for non-expanding dimension ")
             << dim << " does not refer to a valid operand dimension";
  std::optional<Integers> sizes = constantOf(op->getOperand(1));
  if (!sizes)
    return success();
  for (auto [i, dim] : llvm::enumerate(dims)) {
    int64_t from = operand.getDimSize(i), to = (*sizes)[dim];
    if (!ShapedType::isDynamic(from) && from != 1 && to >= 0 && from != to)
      return op->emitOpError("size of operand dimension ")
             << i << " (" << from
             << ") is not equal to 1 or value of shape at index " << dim << " ("
             << to << ")";
  }
  return checkShapeOperand(op, op->getOperand(1));
}

static LogicalResult checkElementCount(Operation *op, RankedTensorType operand,
                                       RankedTensorType result) {
  if (operand.hasStaticShape() && result.hasStaticShape() &&
      operand.getNumElements() != result.getNumElements())
    return op->emitOpError("number of output elements (")
           << result.getNumElements()
           << ") doesn't match expected number of elements ("
           << operand.getNumElements() << ")";
  return success();
}

static LogicalResult checkReshape(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  RankedTensorType result = tensorOf(op->getResult(0));
  if (!elementsAgree(operand, result))
    return op->emitOpError("expects operand and result to have compatible "
                           "element type");
  if (failed(checkStaticOrBounded(op, result)))
    return failure();
  return checkElementCount(op, operand, result);
}

static LogicalResult checkDynamicReshape(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  RankedTensorType result = tensorOf(op->getResult(0));
  if (!elementsAgree(operand, result))
    return op->emitOpError("expects operand and result to have compatible "
                           "element type");
  if (failed(checkShapeOperand(op, op->getOperand(1))))
    return failure();
  return checkElementCount(op, operand, result);
}

// transpose_c2, transpose_c3
static LogicalResult checkTranspose(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  Integers permutation = integersOf(op, "permutation");
  if (int64_t(permutation.size()) != operand.getRank())
    return op->emitOpError("TransposeOp operand rank ")
           << operand.getRank() << " does not match permutation size "
           << permutation.size();
  Integers identity = llvm::to_vector(llvm::seq<int64_t>(0, operand.getRank()));
  Integers sorted = permutation;
  llvm::sort(sorted);
  if (sorted != identity)
    return op->emitOpError("attribute permutation must be a permutation of [")
           << listText(identity) << "] but got " << listText(permutation);
  Integers dims;
  for (int64_t dim : permutation)
    dims.push_back(operand.getDimSize(dim));
  return checkResults(op, like(operand, dims));
}

static LogicalResult checkReverse(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  Integers dims = integersOf(op, "dimensions");
  if (hasDuplicates(dims))
    return op->emitOpError("dimensions should be unique. Got: ")
           << listText(dims);
  for (int64_t dim : dims) {
    if (dim < 0)
      return op->emitOpError(
                 "all dimensions should be non-negative. Got dimension: ")
             << dim << ".";
    if (dim >= operand.getRank())
      return op->emitOpError("all dimensions should be between [0, ")
             << operand.getRank() << "). Got dimension: " << dim << ".";
  }
  return checkResults(op, operand);
}

// slice_c2 to slice_c5
static LogicalResult checkSlice(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  Integers starts = integersOf(op, "start_indices"),
           limits = integersOf(op, "limit_indices"),
           strides = integersOf(op, "strides");
  size_t rank = operand.getRank();
  if (starts.size() != rank)
    return op->emitOpError("the number of elements in start_indices (")
           << starts.size() << ") does not match the rank of the operand ("
           << rank << ")";
  if (limits.size() != rank || strides.size() != rank)
    return op->emitOpError("limit_indices and strides must have ")
           << rank << " elements";
  Integers dims;
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = operand.getDimSize(i);
    if (starts[i] < 0)
      return op->emitOpError("negative start index ")
             << starts[i] << " in dimension " << i;
    if (!ShapedType::isDynamic(size) && limits[i] > size)
      return op->emitOpError("limit index ")
             << limits[i] << " is larger than dimension size " << size
             << " in dimension " << i;
    if (starts[i] > limits[i])
      return op->emitOpError("start index ")
             << starts[i] << " is larger than limit index " << limits[i]
             << " in dimension " << i;
    if (strides[i] <= 0)
      return op->emitOpError("stride must be positive but got ")
             << strides[i] << " in dimension " << i;
    int64_t span = limits[i] - starts[i];
    dims.push_back(span / strides[i] + (span % strides[i] != 0));
  }
  return checkResults(op, like(operand, dims));
}

static LogicalResult checkRealDynamicSlice(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  RankedTensorType result = tensorOf(op->getResult(0));
  if (!elementsAgree(operand, result))
    return op->emitOpError("expects operand and result to have compatible "
                           "element type");
  if (operand.getRank() != result.getRank())
    return op->emitOpError("has mismatched operand rank (")
           << operand.getRank() << ") and result rank (" << result.getRank()
           << ")";
  for (unsigned i = 1; i < 4; ++i) {
    RankedTensorType list = tensorOf(op->getOperand(i));
    if (list.getElementType() != tensorOf(op->getOperand(1)).getElementType())
      return op->emitOpError("start indices, limit indices and strides must "
                             "have same element type");
    if (!dimsAgree(list.getDimSize(0), operand.getRank()))
      return op->emitOpError("has mismatched number of ")
             << (i == 1   ? "start indices"
                 : i == 2 ? "limit indices"
                          : "strides")
             << " (" << list.getDimSize(0) << ") and operand rank ("
             << operand.getRank() << ")";
  }
  return success();
}

// pad_c2 to pad_c4
static LogicalResult checkPad(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  RankedTensorType value = tensorOf(op->getOperand(1));
  if (!elementsAgree(operand, value))
    return op->emitOpError("requires the same element type for all operands "
                           "and results");
  if (value.getRank() != 0)
    return op->emitOpError("padding value type should be a rank-0 tensor, is "
                           "rank ")
           << value.getRank();
  Integers low = integersOf(op, "edge_padding_low"),
           high = integersOf(op, "edge_padding_high"),
           interior = integersOf(op, "interior_padding");
  int64_t rank = operand.getRank();
  if (int64_t(low.size()) != rank)
    return op->emitOpError("edge_padding_low length (")
           << low.size() << ") must match operand rank (" << rank << ")";
  if (int64_t(high.size()) != rank || int64_t(interior.size()) != rank)
    return op->emitOpError("edge_padding_high and interior_padding length must "
                           "match operand rank (")
           << rank << ")";
  Integers dims;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = operand.getDimSize(i);
    if (interior[i] < 0)
      return op->emitOpError("Interior padding cannot be negative: ")
             << interior[i];
    if (ShapedType::isDynamic(size)) {
      dims.push_back(size);
      continue;
    }
    int64_t between = 0, padded = 0;
    if (llvm::MulOverflow(std::max<int64_t>(size - 1, 0), interior[i],
                          between) ||
        llvm::AddOverflow(between, size, padded) ||
        llvm::AddOverflow(padded, low[i], padded) ||
        llvm::AddOverflow(padded, high[i], padded))
      return op->emitOpError("Padding result in an overflow of dimension ")
             << i;
    if (padded < 0)
      return op->emitOpError("Padding result in negative size for dimension ")
             << i;
    dims.push_back(padded);
  }
  return checkResults(op, like(operand, dims));
}

static LogicalResult checkDynamicPad(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  RankedTensorType value = tensorOf(op->getOperand(1));
  RankedTensorType result = tensorOf(op->getResult(0));
  if (!elementsAgree(operand, value) || !elementsAgree(operand, result))
    return op->emitOpError("requires the same element type for all operands "
                           "and results");
  if (value.getRank() != 0)
    return op->emitOpError("padding value type should be a rank-0");
  for (unsigned i = 2; i < 5; ++i)
    if (!dimsAgree(tensorOf(op->getOperand(i)).getDimSize(0),
                   operand.getRank()))
      return op->emitOpError("padding operands size (")
             << tensorOf(op->getOperand(i)).getDimSize(0)
             << ") must match operand rank (" << operand.getRank() << ")";
  if (operand.getRank() != result.getRank())
    return op->emitOpError("operand rank(")
           << operand.getRank() << ") must match result(" << result.getRank()
           << ").";
  std::optional<Integers> low = constantOf(op->getOperand(2)),
                          high = constantOf(op->getOperand(3)),
                          interior = constantOf(op->getOperand(4));
  for (int64_t i = 0; interior && i < operand.getRank(); ++i) {
    if ((*interior)[i] < 0)
      return op->emitOpError("interior_padding must be non-negative, but got ")
             << (*interior)[i];
    int64_t size = operand.getDimSize(i);
    if (!low || !high || ShapedType::isDynamic(size))
      continue;
    int64_t between = productOf(std::max<int64_t>(size - 1, 0), (*interior)[i]);
    int64_t padded = sumOf(sumOf(sumOf(size, (*low)[i]), (*high)[i]), between);
    if (!dimsAgree(padded, result.getDimSize(i)))
      return op->emitOpError("expected output dimension at index ")
             << i << " to equal " << padded << ", but got "
             << result.getDimSize(i);
  }
  return success();
}

// concatenate_c2 to concatenate_c6
static LogicalResult checkConcatenate(Operation *op) {
  if (op->getNumOperands() == 0)
    return op->emitOpError("expected 1 or more operands, but found 0");
  int64_t dim = integerOf(op, "dimension");
  if (dim < 0)
    return op->emitOpError("dimension ") << dim << " is negative";
  SmallVector<RankedTensorType> types = tensorsOf(op->getOperands());
  RankedTensorType first = types[0];
  if (first.getRank() == 0)
    return op->emitOpError("rank-0 values cannot be concatenated");
  if (dim >= first.getRank())
    return op->emitOpError("dimension ")
           << dim << " is out-of-bounds for input rank " << first.getRank();
  Integers dims(first.getShape());
  for (size_t i = 1; i < types.size(); ++i) {
    if (types[i].getRank() != first.getRank())
      return op->emitOpError("operands (0) and (")
             << i << ") do not match rank";
    if (!elementsAgree(first, types[i]))
      return op->emitOpError(
          "requires the same element type for all operands and results");
    for (int64_t d = 0; d < first.getRank(); ++d) {
      int64_t size = types[i].getDimSize(d);
      if (d == dim)
        dims[d] = sumOf(dims[d], size);
      else if (!dimsAgree(dims[d], size))
        return op->emitOpError("shapes of operand (0) and (")
               << i << ") are not compatible at non-concat index " << d << ": ("
               << listText(first.getShape()) << ") != ("
               << listText(types[i].getShape()) << ")";
      else if (ShapedType::isDynamic(dims[d]))
        dims[d] = size;
    }
  }
  return checkResults(op, like(first, dims));
}

OpCheck zenith::stablehlo::movementCheck(llvm::StringRef name) {
  return llvm::StringSwitch<OpCheck>(name)
      .Case("constant", checkConstant)
      .Case("iota", checkIota)
      .Case("dynamic_iota", checkDynamicIota)
      .Case("broadcast", checkBroadcast)
      .Case("broadcast_in_dim", checkBroadcastInDim)
      .Case("dynamic_broadcast_in_dim", checkDynamicBroadcastInDim)
      .Case("reshape", checkReshape)
      .Case("dynamic_reshape", checkDynamicReshape)
      .Case("transpose", checkTranspose)
      .Case("reverse", checkReverse)
      .Case("slice", checkSlice)
      .Case("real_dynamic_slice", checkRealDynamicSlice)
      .Case("pad", checkPad)
      .Case("dynamic_pad", checkDynamicPad)
      .Case("concatenate", checkConcatenate)
      .Default(nullptr);
}
