// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers, types and dimensions of the movement family.

#include "ir/GraphOps.h"
#include "ir/OpRegistration.h"
#include "ir/OpSyntax.h"
#include "ir/dims/DimPreference.h"
#include "ir/dims/WindowShapes.h"
#include "ir/ops/OpInference.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "ir/Movement.cpp.inc"

namespace zenith::graph {

void insertMovementOps(Dialect &dialect) {
  insertOps<
#define GET_OP_LIST
#include "ir/Movement.cpp.inc"
      >(dialect);
}

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &state) {
  ElementsAttr value;
  if (failed(parser.parseOptionalAttrDict(state.attributes)))
    return failure();
  SMLoc place = parser.getCurrentLocation();
  Attribute parsed;
  if (failed(parser.parseAttribute(parsed)))
    return failure();
  value = dyn_cast<ElementsAttr>(parsed);
  auto type = value ? dyn_cast<RankedTensorType>(value.getShapedType())
                    : RankedTensorType();
  if (!type)
    return parser.emitError(place, "expected elements of a ranked tensor");
  state.getOrAddProperties<Properties>().value = value;
  state.addTypes(type);
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  if ((*this)->getAttrs().size() > 1)
    printer << ' ';
  printer << getValueAttr();
}

LogicalResult ConstantOp::verify() {
  // constant_c1
  return ShapeChecks(*this).elements("value", getValue(), getType(), 1);
}

DimVector ConstantOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getResult());
}

void DimOp::build(OpBuilder &builder, OperationState &state, Value operand,
                  int64_t dim) {
  build(builder, state, RankedTensorType::get({}, builder.getI64Type()),
        operand, builder.getI64IntegerAttr(dim));
}

LogicalResult DimOp::verify() {
  // dim_c1
  return ShapeChecks(*this).inRange("dim", getDim(), 0,
                                    tensorType(getOperand()).getRank(), 1);
}

DimVector DimOp::resultDims(unsigned, DimAnalysis &) { return {}; }

LogicalResult IotaOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType type = tensorType(getResult());
  // iota_c1, iota_c2
  if (failed(checks.inRange("dim", getDim(), 0, type.getRank(), 1)))
    return failure();
  return checks.dimOperands("dims", getDims().size(), type, 2);
}

DimVector IotaOp::resultDims(unsigned, DimAnalysis &analysis) {
  return dimsFromOperands(getType(), getDims(), analysis);
}

LogicalResult BroadcastOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType from = tensorType(getOperand()),
                   to = tensorType(getResult());
  ArrayRef<int64_t> mapping = getMapping();
  // broadcast_c1, broadcast_c2
  if (failed(checks.count("entries of mapping", mapping.size(), from.getRank(),
                          1)) ||
      failed(checks.distinctInRange("mapping", mapping, to.getRank(), 2)))
    return failure();
  // broadcast_c3
  for (auto [dim, target] : llvm::enumerate(mapping)) {
    int64_t size = from.getDimSize(dim), wanted = to.getDimSize(target);
    if (size != 1 && !ShapedType::isDynamic(size) &&
        !ShapedType::isDynamic(wanted) && size != wanted)
      return checks.fail("operand dimension " + Twine(dim), Twine(size),
                         "1 or " + Twine(wanted), 3);
  }
  // broadcast_c4, broadcast_c5
  if (failed(checks.dimOperands("dims", getDims().size(), to, 4)))
    return failure();
  return checks.sameType("result element type", to.getElementType(),
                         from.getElementType(), 5);
}

DimVector BroadcastOp::resultDims(unsigned, DimAnalysis &analysis) {
  DimVector result = dimsFromOperands(getType(), getDims(), analysis);
  const DimVector &operand = analysis.dimsOf(getOperand());
  // An operand dimension that isn't 1 never repeats, so it says what the
  // result's is.
  for (auto [dim, target] : llvm::enumerate(getMapping()))
    if (!operand[dim].isConstant(1))
      result[target] = moreSpecific(result[target], operand[dim]);
  return result;
}

LogicalResult ExpandOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType from = tensorType(getOperand()),
                   to = tensorType(getResult());
  // expand_c1
  if (failed(checks.count("rank of result", to.getRank(), from.getRank(), 1)))
    return failure();
  // expand_c2
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    if (from.getDimSize(dim) != 1 &&
        failed(checks.sameSize("operand dimension " + Twine(dim),
                               from.getDimSize(dim), to.getDimSize(dim), 2)))
      return failure();
  // expand_c3, expand_c4
  if (failed(checks.dimOperands("dims", getDims().size(), to, 3)))
    return failure();
  return checks.sameType("result element type", to.getElementType(),
                         from.getElementType(), 4);
}

DimVector ExpandOp::resultDims(unsigned, DimAnalysis &analysis) {
  return dimsFromOperands(getType(), getDims(), analysis);
}

static std::optional<int64_t> elementCount(RankedTensorType type) {
  int64_t count = 1;
  // A 0 anywhere makes the count 0, whatever the other sizes are.
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  for (int64_t size : type.getShape())
    if (__builtin_mul_overflow(count, size, &count))
      return std::nullopt;
  return count;
}

LogicalResult ReshapeOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType from = tensorType(getOperand()),
                   to = tensorType(getResult());
  // reshape_c1
  if (from.hasStaticShape() && to.hasStaticShape()) {
    auto got = elementCount(to), expected = elementCount(from);
    if (!got || !expected)
      return checks.fail("shapes",
                         listText(from.getShape()) + " and " +
                             listText(to.getShape()),
                         "element counts that fit 63 bits", 1);
    if (*got != *expected)
      return checks.fail("result", Twine(*got) + " elements",
                         Twine(*expected) + " elements", 1);
  }
  // reshape_c2, reshape_c3
  if (failed(checks.dimOperands("dims", getDims().size(), to, 2)))
    return failure();
  return checks.sameType("result element type", to.getElementType(),
                         from.getElementType(), 3);
}

DimVector ReshapeOp::resultDims(unsigned, DimAnalysis &analysis) {
  DimVector result = dimsFromOperands(getType(), getDims(), analysis);
  RankedTensorType type = tensorType(getResult());
  // One unknown dimension follows from the element count, in words that are
  // often simpler than the operand's.
  if (type.getNumDynamicDims() != 1)
    return result;
  DimExpr rest(1);
  unsigned unknown = 0;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (type.isDynamicDim(dim))
      unknown = dim;
    else
      rest = rest * DimExpr(type.getDimSize(dim));
  }
  if (auto quotient = analysis.elementCount(getOperand()).exactDiv(rest))
    result[unknown] = moreSpecific(result[unknown], *quotient);
  return result;
}

template <typename Op>
static FailureOr<RankedTensorType> transposeType(ShapeChecks &checks, Op op) {
  RankedTensorType operand = tensorType(op.getOperand());
  // transpose_c1
  if (failed(checks.permutation("permutation", op.getPermutation(),
                                operand.getRank(), 1)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim : op.getPermutation())
    shape.push_back(operand.getDimSize(dim));
  return RankedTensorType::get(shape, operand.getElementType());
}

ZENITH_INFER_WITH(TransposeOp, transposeType)

LogicalResult TransposeOp::verify() {
  ShapeChecks checks(*this);
  auto expected = transposeType(checks, *this);
  // transpose_c2
  return failed(expected)
             ? failure()
             : checks.compatible("result", getType(), *expected, 2);
}

DimVector TransposeOp::resultDims(unsigned, DimAnalysis &analysis) {
  DimVector operand = analysis.dimsOf(getOperand()), result;
  for (int64_t dim : getPermutation())
    result.push_back(operand[dim]);
  return result;
}

LogicalResult SliceOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType from = tensorType(getOperand()),
                   to = tensorType(getResult());
  auto starts = getStaticStarts(), sizes = getStaticSizes(),
       strides = getStrides();
  // slice_c1
  if (failed(checks.count("entries of starts", starts.size(), from.getRank(),
                          1)) ||
      failed(
          checks.count("entries of sizes", sizes.size(), from.getRank(), 1)) ||
      failed(checks.count("entries of strides", strides.size(), from.getRank(),
                          1)))
    return failure();
  // slice_c2
  if (failed(checks.atLeast("strides", strides, 1, 2)))
    return failure();
  // slice_c3
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    if ((!ShapedType::isDynamic(starts[dim]) && starts[dim] < 0) ||
        (!ShapedType::isDynamic(sizes[dim]) && sizes[dim] < 0))
      return checks.fail("dimension " + Twine(dim),
                         "start " + sizeText(starts[dim]) + " and size " +
                             sizeText(sizes[dim]),
                         "no negative numbers", 3);
    int64_t start = ShapedType::isDynamic(starts[dim]) ? 0 : starts[dim];
    int64_t size = ShapedType::isDynamic(sizes[dim]) ? 0 : sizes[dim];
    auto end = size == 0
                   ? DimExpr(start)
                   : DimExpr(start) +
                         (DimExpr(size) - DimExpr(1)) * DimExpr(strides[dim]) +
                         DimExpr(1);
    if (!from.isDynamicDim(dim) && *end.constant() > from.getDimSize(dim))
      return checks.fail("dimension " + Twine(dim),
                         "a part that ends at " + Twine(*end.constant()),
                         "at most " + Twine(from.getDimSize(dim)), 3);
  }
  // slice_c4
  if (failed(checks.count("starts operands", getStarts().size(),
                          llvm::count(starts, ShapedType::kDynamic), 4)) ||
      failed(checks.count("sizes operands", getSizes().size(),
                          llvm::count(sizes, ShapedType::kDynamic), 4)))
    return failure();
  // slice_c5
  if (to.getShape() != sizes)
    return checks.fail("result", "shape " + listText(to.getShape()),
                       "shape " + listText(sizes), 5);
  return checks.sameType("result element type", to.getElementType(),
                         from.getElementType(), 6);
}

DimVector SliceOp::resultDims(unsigned, DimAnalysis &analysis) {
  return dimsFromOperands(getType(), getSizes(), analysis);
}

LogicalResult PadOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType from = tensorType(getOperand()),
                   value = tensorType(getValue()), to = tensorType(getResult());
  auto low = getStaticLow(), high = getStaticHigh(), interior = getInterior();
  // pad_c1
  if (failed(checks.count("entries of low", low.size(), from.getRank(), 1)) ||
      failed(checks.count("entries of high", high.size(), from.getRank(), 1)) ||
      failed(checks.count("entries of interior", interior.size(),
                          from.getRank(), 1)))
    return failure();
  // pad_c2, pad_c3
  if (failed(checks.atLeast("interior", interior, 0, 2)) ||
      failed(checks.sameType(
          "value", value, RankedTensorType::get({}, from.getElementType()), 3)))
    return failure();
  // pad_c4
  if (failed(checks.count("low operands", getLow().size(),
                          llvm::count(low, ShapedType::kDynamic), 4)) ||
      failed(checks.count("high operands", getHigh().size(),
                          llvm::count(high, ShapedType::kDynamic), 4)))
    return failure();
  // pad_c5
  if (failed(checks.count("rank of result", to.getRank(), from.getRank(), 5)))
    return failure();
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    int64_t expected =
        paddedSize(from.getDimSize(dim), low[dim], high[dim], interior[dim]);
    if (!ShapedType::isDynamic(expected) && expected < 0)
      return checks.fail("dimension " + Twine(dim),
                         "padding to size " + Twine(expected), "at least 0", 5);
    if (failed(checks.sameSize("result dimension " + Twine(dim),
                               to.getDimSize(dim), expected, 5)))
      return failure();
  }
  return checks.sameType("result element type", to.getElementType(),
                         from.getElementType(), 6);
}

DimVector PadOp::resultDims(unsigned, DimAnalysis &analysis) {
  DimVector result = analysis.dimsOf(getOperand());
  unsigned nextLow = 0, nextHigh = 0;
  for (unsigned dim = 0; dim < result.size(); ++dim) {
    bool dynamicLow = ShapedType::isDynamic(getStaticLow()[dim]),
         dynamicHigh = ShapedType::isDynamic(getStaticHigh()[dim]);
    DimExpr low = dynamicLow ? analysis.scalar(getLow()[nextLow++])
                             : DimExpr(getStaticLow()[dim]);
    DimExpr high = dynamicHigh ? analysis.scalar(getHigh()[nextHigh++])
                               : DimExpr(getStaticHigh()[dim]);
    result[dim] = paddedSize(result[dim], low, high, getInterior()[dim]);
  }
  return result;
}

template <typename Op>
static FailureOr<RankedTensorType> concatType(ShapeChecks &checks, Op op) {
  ValueRange operands = op.getODSOperands(0);
  int64_t along = op.getDim();
  // concat_c1, concat_c2
  if (operands.empty())
    return checks.fail("operands", "none", "at least one", 1);
  RankedTensorType first = tensorType(operands[0]);
  if (failed(checks.inRange("dim", along, 0, first.getRank(), 2)))
    return failure();
  SmallVector<int64_t> shape(first.getShape());
  for (auto [i, operand] : llvm::enumerate(operands)) {
    RankedTensorType type = tensorType(operand);
    // concat_c3
    if (failed(checks.count("rank of operand " + Twine(i), type.getRank(),
                            first.getRank(), 3)) ||
        failed(checks.sameType("element type of operand " + Twine(i),
                               type.getElementType(), first.getElementType(),
                               3)))
      return failure();
    // concat_c4
    for (int64_t dim = 0; i > 0 && dim < type.getRank(); ++dim) {
      if (dim == along) {
        bool unknown =
            type.isDynamicDim(dim) || ShapedType::isDynamic(shape[dim]);
        shape[dim] =
            unknown ? ShapedType::kDynamic : shape[dim] + type.getDimSize(dim);
        continue;
      }
      if (failed(checks.sameSize("operand " + Twine(i) + " dimension " +
                                     Twine(dim),
                                 type.getDimSize(dim), shape[dim], 4)))
        return failure();
      if (ShapedType::isDynamic(shape[dim]))
        shape[dim] = type.getDimSize(dim);
    }
  }
  return RankedTensorType::get(shape, first.getElementType());
}

ZENITH_INFER_WITH(ConcatOp, concatType)

LogicalResult ConcatOp::verify() {
  ShapeChecks checks(*this);
  auto expected = concatType(checks, *this);
  // concat_c5
  return failed(expected)
             ? failure()
             : checks.compatible("result", getType(), *expected, 5);
}

DimVector ConcatOp::resultDims(unsigned, DimAnalysis &analysis) {
  DimVector result = analysis.dimsOf((*this)->getOperand(0));
  for (Value operand : (*this)->getOperands().drop_front())
    result[getDim()] = result[getDim()] + analysis.dimOf(operand, getDim());
  return result;
}

LogicalResult ReverseOp::verify() {
  // reverse_c1
  return ShapeChecks(*this).distinctInRange(
      "dims", getDims(), tensorType(getOperand()).getRank(), 1);
}

DimVector ReverseOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getOperand());
}

} // namespace zenith::graph
