// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of StableHLO ops that reduce elements, over dimensions or
// windows, and of their regions.

#include "frontends/stablehlo/verify/VerifyChecks.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

// The types that a reduction's region yields; one per operand.
static FailureOr<SmallVector<RankedTensorType>>
yieldedTypes(Operation *op, Region &region, size_t count) {
  Block &block = region.front();
  if (block.getNumArguments() != 2 * count)
    return op->emitOpError("Reduction-region must take ")
           << 2 * count << " parameters, but takes " << block.getNumArguments()
           << " parameter(s)";
  std::optional<TypeRange> returned = returnTypes(region);
  if (!returned || returned->empty())
    return op->emitOpError(
        "The reduction-region expected to return some value(s)");
  SmallVector<RankedTensorType> types;
  for (Type type : *returned) {
    types.push_back(tensorOf(type));
    if (!types.back())
      return op->emitOpError("Reduction-region here must produce tensor-typed "
                             "result(s), but produces ")
             << type << " instead";
  }
  if (types.size() != count)
    return op->emitOpError("Reduction-region here must produce ")
           << count << " tensors, but produces " << types.size() << " instead";
  return types;
}

// Argument i of the region against what the op hands to it.
static LogicalResult checkReducerArgument(Operation *op, size_t index,
                                          RankedTensorType argument,
                                          RankedTensorType input, size_t from,
                                          llvm::ArrayRef<int64_t> allowed) {
  if (!isPromotable(input, argument))
    return op->emitOpError("The element-type of reduction-region's argument at "
                           "index ")
           << index << " is expected to be promotable from "
           << input.getElementType() << ", but got "
           << argument.getElementType();
  if (argument.getRank() > int64_t(allowed.size()))
    return op->emitOpError("The rank of reduction-region's argument at index ")
           << index << " is expected to be <= " << allowed.size() << ", got "
           << argument.getRank();
  // Dimensions of the argument are a subsequence of those allowed.
  size_t at = 0;
  for (int64_t size : allowed)
    if (at < size_t(argument.getRank()) &&
        dimsAgree(size, argument.getDimSize(at)))
      ++at;
  if (at != size_t(argument.getRank()))
    return op->emitOpError("The shape of reduction-region's argument at index ")
           << index
           << " is not compatible with that of reduce-op's input-parameter at "
              "index "
           << from;
  return success();
}

LogicalResult zenith::stablehlo::checkReducer(
    Operation *op, Region &region, llvm::ArrayRef<RankedTensorType> inputs,
    llvm::ArrayRef<RankedTensorType> inits, llvm::ArrayRef<int64_t> allowed) {
  size_t count = inputs.size();
  auto yielded = yieldedTypes(op, region, count);
  if (failed(yielded))
    return failure();
  Block &block = region.front();
  for (size_t i = 0; i < count; ++i) {
    RankedTensorType type = (*yielded)[i];
    for (size_t k : {i, count + i})
      if (!typesAgree(type, block.getArgument(k).getType()))
        return op->emitOpError(
                   "The type of reduction-region's parameter at index ")
               << k << " is different than the corresponding result type: "
               << block.getArgument(k).getType() << " vs " << type;
    if (!shapesAgree(type, inits[i]))
      return op->emitOpError(
                 "The shape of reduction-region's result type at index ")
             << i
             << " differs from the op's corresponding init-value type: " << type
             << " vs " << inits[i];
    if (!isPromotable(inits[i], type))
      return op->emitOpError(
                 "The element-type of reduction-region's result type at index ")
             << i
             << " is expected to be promotable from the op's corresponding "
                "init-value element-type: "
             << type << " vs " << inits[i];
    if (failed(checkReducerArgument(op, count + i,
                                    tensorOf(block.getArgument(count + i)),
                                    inputs[i], i, allowed)))
      return failure();
  }
  return success();
}

static LogicalResult checkInputs(Operation *op,
                                 llvm::ArrayRef<RankedTensorType> inputs) {
  if (inputs.empty())
    return op->emitOpError("requires at least 1 input value");
  for (size_t i = 1; i < inputs.size(); ++i)
    if (!shapesAgree(inputs[0], inputs[i]))
      return op->emitOpError("expects all inputs to have compatible shapes. "
                             "Shape at input-index ")
             << i << " is not compatible with shape at input-index 0";
  return success();
}

// Result types of a reduction: these dimensions, element types of the region.
static LogicalResult checkReduceResults(Operation *op, Region &region,
                                        llvm::ArrayRef<int64_t> dims) {
  SmallVector<Type> inferred;
  TypeRange types = *returnTypes(region);
  for (Type type : types)
    inferred.push_back(
        RankedTensorType::get(dims, cast<TensorType>(type).getElementType()));
  return checkResults(op, inferred);
}

// reduce_c1 to reduce_c8
static LogicalResult checkReduce(Operation *op) {
  size_t count = op->getNumOperands() / 2;
  SmallVector<RankedTensorType> types = tensorsOf(op->getOperands());
  llvm::ArrayRef<RankedTensorType> all(types);
  llvm::ArrayRef<RankedTensorType> inputs = all.take_front(count);
  if (failed(checkInputs(op, inputs)))
    return failure();
  Integers dims = integersOf(op, "dimensions");
  int64_t rank = inputs[0].getRank();
  llvm::SmallBitVector reduced(rank);
  for (int64_t dim : dims) {
    if (dim < 0)
      return op->emitOpError("Negative reduction dimension ") << dim;
    if (dim >= rank)
      return op->emitOpError("Out-of-bounds dimension ")
             << dim << ", expected to be less than the input-tensor rank "
             << rank;
    if (reduced.test(dim))
      return op->emitOpError("Duplicate reduction dimension: ") << dim;
    reduced.set(dim);
  }
  Integers kept;
  for (int64_t i = 0; i < rank; ++i)
    if (!reduced.test(i))
      kept.push_back(inputs[0].getDimSize(i));
  Region &body = op->getRegion(0);
  if (failed(checkReducer(op, body, inputs, all.drop_front(count), kept)))
    return failure();
  return checkReduceResults(op, body, kept);
}

static LogicalResult checkWindowSizes(Operation *op, llvm::StringRef what,
                                      size_t got, size_t expected) {
  if (got == 0 || got == expected)
    return success();
  return op->emitOpError("expects ")
         << what
         << " to have same dimension-size as size of window dimensions ("
         << expected << "), but got: " << got << ".";
}

FailureOr<SmallVector<WindowDim>>
zenith::stablehlo::checkWindow(Operation *op, llvm::ArrayRef<int64_t> window,
                               llvm::ArrayRef<int64_t> strides,
                               Attribute padding,
                               llvm::ArrayRef<int64_t> baseDilations,
                               llvm::ArrayRef<int64_t> windowDilations) {
  auto paddings = dyn_cast_or_null<DenseIntElementsAttr>(padding);
  if (paddings) {
    llvm::ArrayRef<int64_t> shape = paddings.getShapedType().getShape();
    if (shape.size() != 2 || shape[1] != 2)
      return op->emitOpError("expects the shape of padding-attribute to be {N, "
                             "2}, but got {")
             << listText(shape) << "}.";
  }
  if (failed(checkWindowSizes(op, "window-strides", strides.size(),
                              window.size())) ||
      failed(checkWindowSizes(op, "base-dilation factors", baseDilations.size(),
                              window.size())) ||
      failed(checkWindowSizes(op, "window-dilation factors",
                              windowDilations.size(), window.size())) ||
      (paddings && failed(checkWindowSizes(
                       op, "padding-entries",
                       paddings.getShapedType().getDimSize(0), window.size()))))
    return failure();
  SmallVector<WindowDim> dims(window.size());
  SmallVector<int64_t> edges;
  if (paddings && paddings.getNumElements() == int64_t(2 * window.size()))
    for (const APInt &value : paddings.getValues<APInt>())
      edges.push_back(value.getSExtValue());
  for (size_t i = 0; i < window.size(); ++i) {
    WindowDim &dim = dims[i];
    dim.size = window[i];
    dim.stride = strides.empty() ? 1 : strides[i];
    dim.baseDilation = baseDilations.empty() ? 1 : baseDilations[i];
    dim.windowDilation = windowDilations.empty() ? 1 : windowDilations[i];
    if (!edges.empty()) {
      dim.low = edges[2 * i];
      dim.high = edges[2 * i + 1];
    }
    std::pair<llvm::StringRef, int64_t> positive[] = {
        {"value", dim.size},
        {"stride", dim.stride},
        {"base dilation factor", dim.baseDilation},
        {"window dilation factor", dim.windowDilation}};
    for (auto [what, value] : positive)
      if (value <= 0 && !ShapedType::isDynamic(value))
        return op->emitOpError("expects window to have positive ")
               << what << " for " << i << "-th window dimension, but got "
               << value << ".";
  }
  return dims;
}

Integers zenith::stablehlo::windowedDims(llvm::ArrayRef<int64_t> base,
                                         llvm::ArrayRef<WindowDim> window) {
  Integers dims;
  for (auto [size, dim] : llvm::zip(base, window)) {
    auto dilated = [](int64_t bound, int64_t by) {
      if (ShapedType::isDynamic(bound))
        return bound;
      return bound <= 0 ? int64_t(0) : sumOf(productOf(bound - 1, by), 1);
    };
    int64_t padded =
        sumOf(sumOf(dilated(size, dim.baseDilation), dim.low), dim.high);
    int64_t reach = dilated(dim.size, dim.windowDilation);
    if (ShapedType::isDynamic(padded) || ShapedType::isDynamic(reach))
      dims.push_back(ShapedType::kDynamic);
    else
      dims.push_back(padded <= 0 || reach > padded
                         ? 0
                         : (padded - reach) / dim.stride + 1);
  }
  return dims;
}

// reduce_window_c1 to reduce_window_c16
static LogicalResult checkReduceWindow(Operation *op) {
  size_t count = op->getNumOperands() / 2;
  SmallVector<RankedTensorType> types = tensorsOf(op->getOperands());
  llvm::ArrayRef<RankedTensorType> all(types);
  llvm::ArrayRef<RankedTensorType> inputs = all.take_front(count);
  if (failed(checkInputs(op, inputs)))
    return failure();
  Integers window = integersOf(op, "window_dimensions");
  if (int64_t(window.size()) != inputs[0].getRank())
    return op->emitOpError("expects window-dimensions size == input rank, but "
                           "got window-dimensions size: ")
           << window.size() << " and input: " << typesText(Type(inputs[0]))
           << " with rank = " << inputs[0].getRank() << ".";
  auto dims = checkWindow(
      op, window, integersOf(op, "window_strides"), op->getAttr("padding"),
      integersOf(op, "base_dilations"), integersOf(op, "window_dilations"));
  if (failed(dims))
    return failure();
  Region &body = op->getRegion(0);
  if (failed(checkReducer(op, body, inputs, all.drop_front(count), window)))
    return failure();
  return checkReduceResults(op, body,
                            windowedDims(inputs[0].getShape(), *dims));
}

// The region that compares two elements.
static LogicalResult checkSelectRegion(Operation *op,
                                       RankedTensorType operand) {
  Region &select = op->getRegion(0);
  Block &block = select.front();
  if (block.getNumArguments() != 2)
    return op->emitOpError("expects the select-region to take 2 parameters, "
                           "but takes ")
           << block.getNumArguments();
  Type scalar = RankedTensorType::get({}, operand.getElementType());
  for (BlockArgument argument : block.getArguments())
    if (!typesAgree(argument.getType(), scalar))
      return op->emitOpError("expects the type of select-region's parameter at "
                             "index ")
             << argument.getArgNumber() << " to be " << scalar << ", but got "
             << argument.getType();
  std::optional<TypeRange> returned = returnTypes(select);
  if (!returned || returned->size() != 1)
    return op->emitOpError("expects select-region to return single value, but "
                           "got: ")
           << (returned ? returned->size() : 0);
  RankedTensorType type = tensorOf(returned->front());
  if (!type || type.getRank() != 0 || !type.getElementType().isInteger(1))
    return op->emitOpError("expects the return-type of select-region to be "
                           "tensor<i1>, but got: ")
           << returned->front();
  return success();
}

// select_and_scatter_c1 to select_and_scatter_c12
static LogicalResult checkSelectAndScatter(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  RankedTensorType source = tensorOf(op->getOperand(1));
  RankedTensorType init = tensorOf(op->getOperand(2));
  if (failed(checkSelectRegion(op, operand)) ||
      failed(checkReducer(op, op->getRegion(1), source, init, {})))
    return failure();
  Integers window = integersOf(op, "window_dimensions");
  if (!op->hasAttr("window_dimensions"))
    window.assign(operand.getRank(), 1);
  if (int64_t(window.size()) != operand.getRank())
    return op->emitOpError("expects window-dimensions size == operand rank, "
                           "but got window-dimensions size: ")
           << window.size() << " and operand-type: " << typesText(Type(operand))
           << " with rank = " << operand.getRank() << ".";
  auto dims = checkWindow(op, window, integersOf(op, "window_strides"),
                          op->getAttr("padding"), {}, {});
  if (failed(dims))
    return failure();
  Type expected = RankedTensorType::get(windowedDims(operand.getShape(), *dims),
                                        source.getElementType());
  if (!typesAgree(source, expected))
    return op->emitOpError("expects source-type to be ")
           << expected << ", but got" << source;
  RankedTensorType result = tensorOf(op->getResult(0));
  Type element = getElementTypeOrSelf(returnTypes(op->getRegion(1))->front());
  Type inferred = RankedTensorType::get(operand.getShape(), element);
  return result ? checkResults(op, inferred) : success();
}

OpCheck zenith::stablehlo::reductionCheck(llvm::StringRef name) {
  return llvm::StringSwitch<OpCheck>(name)
      .Case("reduce", checkReduce)
      .Case("reduce_window", checkReduceWindow)
      .Case("select_and_scatter", checkSelectAndScatter)
      .Default(nullptr);
}
