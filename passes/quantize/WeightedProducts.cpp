// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds products with weights and evaluates these by the interpreter.

#include "passes/quantize/WeightedProducts.h"

#include "ir/LocationText.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::quantize {

llvm::Expected<std::vector<Tensor>>
ParameterValues::evaluate(ArrayRef<Value> values) {
  if (values.empty())
    return std::vector<Tensor>();
  SetVector<Operation *> needed;
  SmallVector<Value> reading(values);
  while (!reading.empty()) {
    Operation *op = reading.pop_back_val().getDefiningOp();
    if (needed.insert(op))
      reading.append(op->operand_begin(), op->operand_end());
  }
  SmallVector<Operation *> inOrder = needed.takeVector();
  llvm::sort(inOrder, [](Operation *first, Operation *second) {
    return first->isBeforeInBlock(second);
  });
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> types =
      llvm::map_to_vector(values, [](Value value) { return value.getType(); });
  auto function =
      builder.create<func::FuncOp>(module.getLoc(), "evaluated_parameters",
                                   builder.getFunctionType({}, types));
  symbols.insert(function);
  builder.setInsertionPointToEnd(function.addEntryBlock());
  IRMapping mapping;
  for (Operation *op : inOrder)
    builder.clone(*op, mapping);
  builder.create<func::ReturnOp>(module.getLoc(),
                                 llvm::map_to_vector(values, [&](Value value) {
                                   return mapping.lookup(value);
                                 }));
  interpreter::Options settings;
  settings.loadParam = load;
  auto results = interpreter::run(function, {}, settings);
  symbols.erase(function);
  return results;
}

Value ParameterValues::create(OpBuilder &builder, Location loc,
                              const Tensor &value, StringRef name) {
  OpBuilder atTop(module.getContext());
  atTop.setInsertionPointToStart(module.getBody());
  auto param =
      atTop.create<ParamOp>(loc, name, value.type(), value.toElements());
  symbols.insert(param);
  return builder.create<GetParamOp>(
      loc, value.type(), FlatSymbolRefAttr::get(param.getSymNameAttr()));
}

void WeightedProduct::forEachWeight(
    llvm::function_ref<void(float &, int64_t, int64_t)> fn) {
  auto *elements = reinterpret_cast<float *>(weights.writable());
  ArrayRef<int64_t> shape = weights.shape();
  int64_t inputPlace = -1;
  if (auto convolution = dyn_cast<ConvolutionOp>(op))
    inputPlace = convolution.getDims().getKernelInput();
  else
    inputPlace = cast<DotGeneralOp>(op).getDims().getRhsContracting().front();
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t count = weights.size(), outputsOfGroup = outputs / groups,
          inputsOfGroup = inputs / groups;
  for (int64_t i = 0; i < count; ++i) {
    int64_t output = index[dims.weightDim];
    int64_t group = groups == 1 ? 0 : output / outputsOfGroup;
    fn(elements[i], output, index[inputPlace] + group * inputsOfGroup);
    for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

std::vector<float> WeightedProduct::asColumns() {
  std::vector<float> columns(weights.size());
  forEachWeight([&](float &weight, int64_t output, int64_t input) {
    columns[output * inputs + input] = weight;
  });
  return columns;
}

/// A product without its weights; nothing for other ops.
static std::optional<WeightedProduct> productOf(Operation &op) {
  if (!isa<DotGeneralOp, ConvolutionOp>(op))
    return std::nullopt;
  auto isF32 = [](Value value) {
    return typeOf(value).getElementType().isF32();
  };
  if (!llvm::all_of(op.getOperands(), isF32) || !isF32(op.getResult(0)) ||
      isFixed(op.getOperand(0)) || !isFixed(op.getOperand(1)))
    return std::nullopt;
  std::optional<WeightDims> dims = weightDimsOf(&op);
  if (!dims)
    return std::nullopt;
  WeightedProduct product;
  product.op = &op;
  product.dims = *dims;
  if (auto name = op.getLoc()->findInstanceOf<NameLoc>())
    product.name = name.getName().str();
  else
    product.name = placeOf(op.getLoc());
  product.weightsName = product.name;
  if (auto read = op.getOperand(1).getDefiningOp<GetParamOp>())
    product.weightsName = read.getParam().str();
  if (auto convolution = dyn_cast<ConvolutionOp>(op)) {
    product.inputDim = convolution.getDims().getInputFeature();
    product.groups = convolution.getGroups();
  } else {
    DotDimsAttr dotDims = cast<DotGeneralOp>(op).getDims();
    if (dotDims.getLhsContracting().size() != 1)
      return std::nullopt;
    product.inputDim = dotDims.getLhsContracting().front();
  }
  RankedTensorType weights = typeOf(op.getOperand(1));
  product.outputs = weights.getDimSize(dims->weightDim);
  if (auto convolution = dyn_cast<ConvolutionOp>(op))
    product.inputs = product.groups *
                     weights.getDimSize(convolution.getDims().getKernelInput());
  else
    product.inputs = dims->k;
  return product;
}

llvm::Expected<std::vector<WeightedProduct>>
weightedProductsOf(func::FuncOp function, ParameterValues &parameters) {
  std::vector<WeightedProduct> products;
  SmallVector<Value> weights;
  for (Operation &op : function.getBody().front())
    if (auto product = productOf(op)) {
      weights.push_back(op.getOperand(1));
      products.push_back(std::move(*product));
    }
  llvm::Expected<std::vector<Tensor>> values = parameters.evaluate(weights);
  if (!values)
    return values.takeError();
  for (auto [product, value] : llvm::zip(products, *values))
    product.weights = value;
  return products;
}

std::vector<WeightedProduct> nestedProductsOf(func::FuncOp function) {
  std::vector<WeightedProduct> products;
  function.walk([&](Operation *op) {
    if (op->getBlock() == &function.front())
      return;
    if (auto product = productOf(*op))
      products.push_back(std::move(*product));
  });
  return products;
}

} // namespace zenith::quantize
