// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of StableHLO's matmuls and convolutions.

#include "frontends/stablehlo/verify/VerifyChecks.h"

#include "mlir/Dialect/Quant/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

using List = llvm::ArrayRef<int64_t>;

static LogicalResult checkPrecision(Operation *op) {
  auto config = op->getAttrOfType<ArrayAttr>("precision_config");
  if (config && config.size() > 2)
    return op->emitOpError(
        "expects precision config to be empty or have <= 2 elements.");
  return success();
}

// Element types of results may be wider than those of the operands.
static LogicalResult checkProductShape(Operation *op, List dims) {
  RankedTensorType result = tensorOf(op->getResult(0));
  RankedTensorType inferred =
      RankedTensorType::get(dims, result.getElementType());
  if (!shapesAgree(inferred, result))
    return op->emitOpError("inferred shape '")
           << shapeText(dims) << "' is incompatible with return type of "
           << "operation " << result;
  return success();
}

// dot_c1 to dot_c4
static LogicalResult checkDot(Operation *op) {
  RankedTensorType lhs = tensorOf(op->getOperand(0)),
                   rhs = tensorOf(op->getOperand(1));
  if (failed(checkPrecision(op)))
    return failure();
  int64_t m = lhs.getRank(), n = rhs.getRank();
  if (m < 1 || m > 2 || n < 1 || n > 2)
    return op->emitOpError("expected both lhs/rhs ranks to be either 1 or 2");
  if (!dimsAgree(lhs.getShape().back(), rhs.getDimSize(0)))
    return op->emitOpError("contracting dimension sizes must match for "
                           "lhs/rhs");
  Integers dims(lhs.getShape().drop_back());
  llvm::append_range(dims, rhs.getShape().drop_front());
  return checkProductShape(op, dims);
}

static LogicalResult checkDotSide(Operation *op, llvm::StringRef side,
                                  List batching, List contracting,
                                  RankedTensorType type) {
  std::string names[] = {(side + "_batching_dimensions").str(),
                         (side + "_contracting_dimensions").str()};
  List lists[] = {batching, contracting};
  if (std::optional<int64_t> value = duplicateOf(batching, contracting))
    return op->emitOpError("has duplicated dimension from ")
           << names[0] << " and " << names[1] << ": " << *value;
  for (auto [name, list] : llvm::zip(names, lists))
    for (int64_t dim : list)
      if (dim < 0 || dim >= type.getRank())
        return op->emitOpError()
               << name << " value: " << dim << " is out of range: [0, "
               << type.getRank() << ")";
  return success();
}

namespace {
// A combination that some hardware has: types as text, then counts.
struct KnownAlgorithm {
  llvm::StringLiteral lhs, rhs, sum;
  int64_t lhsParts, rhsParts, operations;
  bool imprecise;
};
} // namespace

static bool isKnownAlgorithm(DotAlgorithmAttr algorithm) {
  auto text = [](Type type) {
    std::string string;
    llvm::raw_string_ostream(string) << type;
    return string;
  };
  static constexpr KnownAlgorithm known[] = {
      {"f16", "f16", "f16", 1, 1, 1, false},
      {"f16", "f16", "f32", 1, 1, 1, false},
      {"bf16", "bf16", "bf16", 1, 1, 1, false},
      {"bf16", "bf16", "f32", 1, 1, 1, false},
      {"bf16", "bf16", "f32", 1, 1, 3, false},
      {"bf16", "bf16", "f32", 1, 1, 6, false},
      {"bf16", "bf16", "f32", 1, 1, 9, false},
      {"bf16", "bf16", "f32", 3, 3, 3, false},
      {"bf16", "bf16", "f32", 3, 3, 6, false},
      {"bf16", "bf16", "f32", 3, 3, 9, false},
      {"tf32", "tf32", "f32", 1, 1, 1, false},
      {"tf32", "tf32", "f32", 1, 1, 3, false},
      {"tf32", "tf32", "f32", 3, 3, 3, false},
      {"f32", "f32", "f32", 1, 1, 1, false},
      {"f64", "f64", "f64", 1, 1, 1, false}};
  std::string lhs = text(algorithm.getLhsPrecisionType()),
              rhs = text(algorithm.getRhsPrecisionType()),
              sum = text(algorithm.getAccumulationType());
  // Products of 8-bit floats add up in f32, exactly or not.
  llvm::StringRef left = lhs, right = rhs;
  if (left.starts_with("f8") && right.starts_with("f8") && sum == "f32")
    return algorithm.getLhsComponentCount() == 1 &&
           algorithm.getRhsComponentCount() == 1 &&
           algorithm.getNumPrimitiveOperations() == 1;
  return llvm::any_of(known, [&](const KnownAlgorithm &row) {
    return row.lhs == lhs && row.rhs == rhs && row.sum == sum &&
           row.lhsParts == algorithm.getLhsComponentCount() &&
           row.rhsParts == algorithm.getRhsComponentCount() &&
           row.operations == algorithm.getNumPrimitiveOperations() &&
           row.imprecise == algorithm.getAllowImpreciseAccumulation();
  });
}

static LogicalResult checkAlgorithm(Operation *op) {
  auto algorithm = op->getAttrOfType<DotAlgorithmAttr>("algorithm");
  if (!algorithm)
    return success();
  if (auto config = op->getAttrOfType<ArrayAttr>("precision_config"))
    for (Attribute precision : config)
      if (cast<PrecisionAttr>(precision).getValue() != Precision::DEFAULT)
        return op->emitOpError(
            "must specify DEFAULT precision config when algorithm is set.");
  std::pair<llvm::StringRef, int64_t> counts[] = {
      {"lhs component count", algorithm.getLhsComponentCount()},
      {"rhs component count", algorithm.getRhsComponentCount()},
      {"num primitive operations", algorithm.getNumPrimitiveOperations()}};
  for (auto [what, count] : counts)
    if (count < 1)
      return op->emitOpError() << what << " must be positive";
  if (!isKnownAlgorithm(algorithm))
    return op->emitOpError("dot algorithm not known to be supported on any "
                           "hardware: {lhs:")
           << algorithm.getLhsPrecisionType()
           << ", rhs:" << algorithm.getRhsPrecisionType()
           << ", accum:" << algorithm.getAccumulationType()
           << ", lhs_components:" << algorithm.getLhsComponentCount()
           << ", rhs_components:" << algorithm.getRhsComponentCount()
           << ", primitive_ops:" << algorithm.getNumPrimitiveOperations()
           << ", imprecise:" << algorithm.getAllowImpreciseAccumulation()
           << "}";
  return success();
}

// dot_general_c14 to dot_general_c20: quantization of matmuls.
static LogicalResult checkProductQuantization(Operation *op) {
  auto quantized = [](Value value) {
    return isa<quant::QuantizedType>(getElementTypeOrSelf(value.getType()));
  };
  bool lhs = quantized(op->getOperand(0)), rhs = quantized(op->getOperand(1)),
       result = quantized(op->getResult(0));
  if (lhs && !rhs)
    return op->emitOpError("rhs should be quantized for quantized operations "
                           "and is_quantized(lhs)=is_quantized(result) should "
                           "hold");
  if (rhs && lhs != result)
    return op->emitOpError("rhs should be quantized for quantized operations "
                           "and is_quantized(lhs)=is_quantized(result) should "
                           "hold");
  if (result && !rhs)
    return op->emitOpError("rhs should be quantized for quantized operations "
                           "and is_quantized(lhs)=is_quantized(result) should "
                           "hold");
  if (lhs && rhs) {
    auto lhsType = cast<quant::QuantizedType>(
             getElementTypeOrSelf(op->getOperand(0).getType())),
         rhsType = cast<quant::QuantizedType>(
             getElementTypeOrSelf(op->getOperand(1).getType()));
    if (lhsType.getExpressedType() != rhsType.getExpressedType())
      return op->emitOpError("mismatched lhs and rhs quantization expressed "
                             "types");
  }
  return success();
}

// dot_general_c1 to dot_general_c13
static LogicalResult checkDotGeneral(Operation *op) {
  RankedTensorType lhs = tensorOf(op->getOperand(0)),
                   rhs = tensorOf(op->getOperand(1));
  auto dims =
      op->getAttrOfType<DotDimensionNumbersAttr>("dot_dimension_numbers");
  if (!dims)
    return success();
  List lhsBatch = dims.getLhsBatchingDimensions(),
       rhsBatch = dims.getRhsBatchingDimensions(),
       lhsContract = dims.getLhsContractingDimensions(),
       rhsContract = dims.getRhsContractingDimensions();
  if (failed(checkPrecision(op)))
    return failure();
  if (lhsBatch.size() != rhsBatch.size())
    return op->emitOpError("lhs and rhs should have the same number of "
                           "batching dimensions");
  if (lhsContract.size() != rhsContract.size())
    return op->emitOpError("lhs and rhs should have the same number of "
                           "contracting dimensions");
  if (failed(checkDotSide(op, "lhs", lhsBatch, lhsContract, lhs)) ||
      failed(checkDotSide(op, "rhs", rhsBatch, rhsContract, rhs)))
    return failure();
  for (auto [l, r] : llvm::zip(lhsBatch, rhsBatch))
    if (!dimsAgree(lhs.getDimSize(l), rhs.getDimSize(r)))
      return op->emitOpError("batching dimension sizes must match for lhs/rhs");
  for (auto [l, r] : llvm::zip(lhsContract, rhsContract))
    if (!dimsAgree(lhs.getDimSize(l), rhs.getDimSize(r)))
      return op->emitOpError(
          "contracting dimension sizes must match for lhs/rhs");
  Integers shape;
  for (int64_t dim : lhsBatch)
    shape.push_back(lhs.getDimSize(dim));
  auto addFree = [&](RankedTensorType type, List batch, List contract) {
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contract, dim))
        shape.push_back(type.getDimSize(dim));
  };
  addFree(lhs, lhsBatch, lhsContract);
  addFree(rhs, rhsBatch, rhsContract);
  if (failed(checkProductQuantization(op)) || failed(checkAlgorithm(op)))
    return failure();
  return checkProductShape(op, shape);
}

static LogicalResult checkConvDims(Operation *op, ConvDimensionNumbersAttr dims,
                                   int64_t rank) {
  struct Side {
    llvm::StringRef name;
    int64_t first, second;
    List spatial;
  };
  Side sides[] = {
      {"input", dims.getInputBatchDimension(), dims.getInputFeatureDimension(),
       dims.getInputSpatialDimensions()},
      {"kernel", dims.getKernelInputFeatureDimension(),
       dims.getKernelOutputFeatureDimension(),
       dims.getKernelSpatialDimensions()},
      {"output", dims.getOutputBatchDimension(),
       dims.getOutputFeatureDimension(), dims.getOutputSpatialDimensions()}};
  // In this order: sizes, then ranges, then distinctness.
  for (const Side &side : sides)
    if (int64_t(side.spatial.size()) + 2 != rank)
      return op->emitOpError("expects ")
             << side.name << " dimension-numbers to have " << rank - 2
             << " spatial dimensions, but got " << side.spatial.size();
  auto all = [](const Side &side) {
    Integers list{side.first, side.second};
    llvm::append_range(list, side.spatial);
    return list;
  };
  for (const Side &side : sides)
    for (int64_t dim : all(side))
      if (dim < 0 || dim >= rank)
        return op->emitOpError("expects input, kernel, and output "
                               "dimension-numbers to be in-range [0, ")
               << rank << ").";
  for (const Side &side : sides)
    if (hasDuplicates(all(side)))
      return op->emitOpError("expects ")
             << side.name << " dimension-numbers to be unique, got {"
             << listText(all(side)) << "}.";
  return success();
}

static LogicalResult checkGroups(Operation *op, ConvDimensionNumbersAttr dims,
                                 RankedTensorType lhs, RankedTensorType rhs) {
  int64_t features = integerOf(op, "feature_group_count", 1),
          batches = integerOf(op, "batch_group_count", 1);
  if (failed(checkAtLeast(op, "feature_group_count", 1)) ||
      failed(checkAtLeast(op, "batch_group_count", 1)))
    return failure();
  if (features > 1 && batches > 1)
    return op->emitOpError("expects batch_group_count and feature_group_count "
                           "not to be both greater than 1. Got ")
           << batches << " and " << features << " resp.";
  int64_t batch = lhs.getDimSize(dims.getInputBatchDimension()),
          feature = lhs.getDimSize(dims.getInputFeatureDimension()),
          kernelIn = rhs.getDimSize(dims.getKernelInputFeatureDimension()),
          kernelOut = rhs.getDimSize(dims.getKernelOutputFeatureDimension());
  auto known = [](int64_t size) { return !ShapedType::isDynamic(size); };
  if (known(kernelOut) && kernelOut % batches)
    return op->emitOpError("expects output feature dimension size (")
           << kernelOut << ") to be a multiple of batch_group_count. Got "
           << "batch_group_count = " << batches << ".";
  if (known(kernelOut) && kernelOut % features)
    return op->emitOpError("expects kernel output feature dimension (")
           << kernelOut << ") to be divisible by feature_group_count. For "
           << "feature_group_count = " << features << ".";
  if (known(batch) && batch % batches)
    return op->emitOpError("expects input batch dimension (")
           << batch << ") to be divisible by batch_group_count. Got "
           << "batch_group_count = " << batches << ".";
  if (known(feature) && feature % features)
    return op->emitOpError("expects input feature dimension (")
           << feature << ") to be a multiple of feature_group_count. Got "
           << "feature_group_count = " << features << ".";
  if (known(feature) && known(kernelIn) && feature / features != kernelIn)
    return op->emitOpError("expects input feature dimension (")
           << feature << ") / feature_group_count = kernel input feature "
           << "dimension (" << kernelIn
           << "). Got feature_group_count = " << features << ".";
  return success();
}

// convolution_c1 to convolution_c34; with dynamic paddings sizes stay open.
static LogicalResult checkAnyConvolution(Operation *op, bool dynamic) {
  RankedTensorType lhs = tensorOf(op->getOperand(0)),
                   rhs = tensorOf(op->getOperand(1));
  auto dims = op->getAttrOfType<ConvDimensionNumbersAttr>("dimension_numbers");
  if (!dims)
    return success();
  int64_t rank = lhs.getRank();
  if (rank != rhs.getRank())
    return op->emitOpError("expects convolution arguments to have same number "
                           "of dimensions. Got: ")
           << lhs << " and " << rhs << ".";
  if (rank < 2)
    return op->emitOpError("expects convolution arguments to have >= 2 "
                           "dimensions. Got: ")
           << lhs << " and " << rhs << ".";
  if (failed(checkConvDims(op, dims, rank)) ||
      failed(checkGroups(op, dims, lhs, rhs)) || failed(checkPrecision(op)))
    return failure();
  bool quantized = isa<quant::QuantizedType>(rhs.getElementType()) ||
                   isa<quant::QuantizedType>(lhs.getElementType());
  if (!quantized && !elementsAgree(lhs, rhs))
    return op->emitOpError("expects lhs and rhs to have compatible element "
                           "type. Got: ")
           << lhs.getElementType() << " and " << rhs.getElementType();
  if (quantized && failed(checkProductQuantization(op)))
    return failure();
  Integers window;
  for (int64_t dim : dims.getKernelSpatialDimensions())
    window.push_back(rhs.getDimSize(dim));
  Attribute padding = dynamic ? Attribute() : op->getAttr("padding");
  if (dynamic) {
    RankedTensorType type = tensorOf(op->getOperand(2));
    Integers wanted{rank - 2, 2};
    if (!shapesAgree(type,
                     RankedTensorType::get(wanted, type.getElementType())))
      return op->emitOpError("expects padding to be of shape ")
             << shapeText(wanted) << ", but got " << shapeText(type.getShape());
  }
  auto reversal = op->getAttrOfType<DenseBoolArrayAttr>("window_reversal");
  if (reversal && reversal.size() != int64_t(window.size()))
    return op->emitOpError("expects window-reversal to have same "
                           "dimension-size as size of window dimensions (")
           << window.size() << "), but got: " << reversal.size() << ".";
  auto places = checkWindow(op, window, integersOf(op, "window_strides"),
                            padding, integersOf(op, "lhs_dilation"),
                            integersOf(op, "rhs_dilation"));
  if (failed(places))
    return failure();
  Integers spatial;
  for (int64_t dim : dims.getInputSpatialDimensions())
    spatial.push_back(dynamic ? ShapedType::kDynamic : lhs.getDimSize(dim));
  Integers moved = windowedDims(spatial, *places);
  Integers shape(rank, ShapedType::kDynamic);
  int64_t batch = lhs.getDimSize(dims.getInputBatchDimension());
  shape[dims.getOutputBatchDimension()] =
      ShapedType::isDynamic(batch)
          ? batch
          : batch / integerOf(op, "batch_group_count", 1);
  shape[dims.getOutputFeatureDimension()] =
      rhs.getDimSize(dims.getKernelOutputFeatureDimension());
  for (auto [dim, size] : llvm::zip(dims.getOutputSpatialDimensions(), moved))
    shape[dim] = size;
  return checkProductShape(op, shape);
}
static LogicalResult checkConvolution(Operation *op) {
  return checkAnyConvolution(op, false);
}
static LogicalResult checkDynamicConv(Operation *op) {
  return checkAnyConvolution(op, true);
}

OpCheck zenith::stablehlo::contractionCheck(llvm::StringRef name) {
  return llvm::StringSwitch<OpCheck>(name)
      .Case("dot", checkDot)
      .Case("dot_general", checkDotGeneral)
      .Case("convolution", checkConvolution)
      .Case("dynamic_conv", checkDynamicConv)
      .Default(nullptr);
}
