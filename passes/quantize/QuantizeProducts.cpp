// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calibrates, equalises, and replaces what each product reads.

#include "passes/quantize/QuantizeProducts.h"

#include "ir/LLVMError.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/ops/CompositeFormulas.h"
#include "ir/remarks/Remark.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "passes/GraphPasses.h"
#include "passes/quantize/EqualizeChannels.h"
#include "passes/quantize/QuantizedOperators.h"
#include "passes/quantize/WeightCodes.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::quantize {

using Kind = QuantizationScheme::Kind;

namespace {

class ProductQuantizer {
public:
  ProductQuantizer(func::FuncOp function, const QuantizationRequest &request)
      : function(function), request(request), scheme(request.scheme),
        module(function->getParentOfType<ModuleOp>()), symbols(module),
        parameters(module, symbols, request.loadParam),
        b(function.getContext()), operators(symbols, b) {}

  llvm::Expected<std::vector<std::string>> run();

private:
  llvm::Error measure(const Measured &what);
  /// Why a product stays as it is; empty where it does not.
  StringRef reasonToStay(const WeightedProduct &product) const;
  void quantize(WeightedProduct &product, size_t index);
  void explain(const WeightedProduct &product, StringRef operands) const;
  void explainStay(const WeightedProduct &product, StringRef reason) const;

  void quantizeStatically(WeightedProduct &product, size_t index);
  void quantizeDynamically(WeightedProduct &product);
  void quantizeInBlocks(WeightedProduct &product, size_t index);
  void quantizeToFloats(WeightedProduct &product);
  Value dequantizedActivation(const WeightedProduct &product, size_t index);
  Value create(const WeightedProduct &product, const Tensor &value,
               StringRef what);
  Value scalar(Type element, double value);
  void eraseUnused();

  func::FuncOp function;
  const QuantizationRequest &request;
  const QuantizationScheme &scheme;
  ModuleOp module;
  SymbolTable symbols;
  ParameterValues parameters;
  OpBuilder b;
  QuantizedOperators operators;
  std::vector<WeightedProduct> products;
  std::vector<ActivationStatistics> statistics;
  DenseMap<Value, Value> dequantized; ///< activations that several read
  DenseMap<Value, QuantizedOperators::Dynamic> dynamic;
};

} // namespace

/// Weights are to be what products multiply by: batch norms become part of
/// them.
static llvm::Error foldBatchNorms(func::FuncOp function) {
  PassManager passes(function.getContext(), func::FuncOp::getOperationName());
  passes.addPass(createDecomposeCompositesPass({{"batch_norm"}}));
  // Folding looks for products with one reader: sizes must not be read off
  // them.
  passes.addPass(createSimplifySizesPass());
  passes.addPass(createFoldBatchNormPass());
  passes.addPass(createSimplifySizesPass());
  if (failed(passes.run(function)))
    return makeError(ErrorCode::Internal, "batch norms cannot be folded");
  return llvm::Error::success();
}

llvm::Error ProductQuantizer::measure(const Measured &what) {
  if (!request.runSamples)
    return llvm::Error::success();
  auto measured =
      measureActivations(function, products, request.runSamples, what);
  if (!measured)
    return measured.takeError();
  statistics = std::move(*measured);
  return llvm::Error::success();
}

/// True for integers times a scale.
static bool isDequantized(Value value) {
  while (isa_and_nonnull<TransposeOp, ReshapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto product = value.getDefiningOp<MulOp>();
  return product && llvm::any_of(product->getOperands(), [](Value factor) {
           auto convert = factor.getDefiningOp<ConvertOp>();
           return convert && isa<IntegerType>(
                                 typeOf(convert.getOperand()).getElementType());
         });
}

StringRef ProductQuantizer::reasonToStay(const WeightedProduct &product) const {
  if (request.keeps && request.keeps(product.op))
    return "keep-f32 names it";
  if (isDequantized(product.op->getOperand(1)))
    return "it is quantized already";
  auto dot = dyn_cast<DotGeneralOp>(product.op);
  auto weights = typeOf(product.op->getOperand(1));
  int64_t rank = typeOf(product.activation()).getRank();
  bool isRowwise =
      dot && weights.getRank() == 2 && product.inputDim == rank - 1;
  if (scheme.isBlockwise())
    return isRowwise ? "" : "weights in blocks are those of matmuls";
  if (scheme.kind != Kind::Int8Dynamic)
    return "";
  if (dot)
    return isRowwise ? "" : "its rows are not the last dimension";
  auto convolution = cast<ConvolutionOp>(product.op);
  ConvDimsAttr dims = convolution.getDims();
  auto inOrder = [&](int64_t first, int64_t second, ArrayRef<int64_t> spatial) {
    SmallVector<int64_t> order{first, second};
    llvm::append_range(order, spatial);
    return llvm::equal(order, llvm::seq<int64_t>(0, order.size()));
  };
  bool isPlain =
      inOrder(dims.getInputBatch(), dims.getInputFeature(),
              dims.getInputSpatial()) &&
      inOrder(dims.getKernelOutput(), dims.getKernelInput(),
              dims.getKernelSpatial()) &&
      inOrder(dims.getOutputBatch(), dims.getOutputFeature(),
              dims.getOutputSpatial()) &&
      llvm::all_of(convolution.getInputDilation(),
                   [](int64_t factor) { return factor == 1; }) &&
      llvm::all_of(convolution.getLow(), [](int64_t n) { return n >= 0; }) &&
      llvm::all_of(convolution.getHigh(), [](int64_t n) { return n >= 0; });
  return isPlain ? "" : "no convolution of integers has its form";
}

void ProductQuantizer::explainStay(const WeightedProduct &product,
                                   StringRef reason) const {
  if (request.explain)
    remarks::emit(product.op, remarks::Code::PRE006,
                  {product.name, product.op->getName().stripDialect(), reason});
}

Value ProductQuantizer::scalar(Type element, double value) {
  auto type = RankedTensorType::get({}, element);
  Attribute attribute = isa<FloatType>(element)
                            ? Attribute(b.getFloatAttr(element, value))
                            : b.getIntegerAttr(element, int64_t(value));
  return b.create<ConstantOp>(
      operators.loc,
      cast<ElementsAttr>(DenseElementsAttr::get(type, attribute)));
}

Value ProductQuantizer::create(const WeightedProduct &product,
                               const Tensor &value, StringRef what) {
  return parameters.create(b, operators.loc, value,
                           (product.weightsName + what).str());
}

Value ProductQuantizer::dequantizedActivation(const WeightedProduct &product,
                                              size_t index) {
  Value x = product.activation();
  Value &known = dequantized[x];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(x);
  bool isSigned = scheme.signedActivations;
  Type element = b.getIntegerType(8, isSigned);
  if (isSigned)
    element = b.getI8Type();
  ActivationRange range = rangeOfActivation(statistics[index], scheme);
  double step, zero;
  if (scheme.symmetric) {
    step = std::max(range.high, -range.low) / 127;
    zero = 128;
  } else {
    step = (range.high - range.low) / 255;
    zero = step > 0 ? std::nearbyint(-range.low / step) : 0;
  }
  // A range of one point, or one that f32 cannot divide by.
  if (!(float(step) > 0) || !std::isfinite(1 / float(step)))
    step = 1;
  zero = std::min(std::max(zero, 0.0), 255.0) - (isSigned ? 128 : 0);
  Value scale = scalar(b.getF32Type(), step), point = scalar(element, zero);
  Value codes = operators.quantizeLinear(x, scale, point);
  return known = operators.dequantizeLinear(codes, scale, point);
}

void ProductQuantizer::quantizeStatically(WeightedProduct &product,
                                          size_t index) {
  Value x = dequantizedActivation(product, index);
  ChannelCodes codes = byteCodes(product, scheme);
  Value weights = operators.dequantizeLinear(
      create(product, codes.codes, "_codes"),
      create(product, codes.scales, "_scales"), {}, product.dims.weightDim);
  product.op->setOperands({x, weights});
  explain(product, scheme.signedActivations ? "i8" : "ui8");
}

/// The dimensions that a row's scale has: all but the one that is summed over,
/// or a convolution's batch.
static int64_t rowsOf(const WeightedProduct &product) {
  return product.isMatmul() ? typeOf(product.activation()).getRank() - 1 : 1;
}

void ProductQuantizer::quantizeDynamically(WeightedProduct &product) {
  Value x = product.activation();
  auto known = dynamic.find(x);
  if (known == dynamic.end()) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(x);
    known = dynamic
                .insert({x, request.scalesRows
                                ? operators.quantizeRows(x, rowsOf(product))
                                : operators.dynamicQuantizeLinear(x)})
                .first;
  }
  QuantizedOperators::Dynamic activation = known->second;
  ChannelCodes codes = byteCodes(product, scheme);
  Tensor matrix = codes.codes;
  if (product.isMatmul() && product.dims.weightDim == 0) {
    // MatMulInteger takes [K, N].
    ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>(matrix.bytes()),
                            matrix.size());
    matrix = BlockCodes::turned(bytes, product.outputs, b.getI8Type());
  }
  Value weights = create(product, matrix, "_codes");
  Value sums = request.scalesRows
                   ? operators.multiplyRows(product.op, activation, weights,
                                            rowsOf(product))
                   : operators.multiplyIntegers(product.op, activation.codes,
                                                weights, activation.zero);
  Value scales = create(product, codes.scales, "_scales"),
        wide = converted(b, sums, b.getF32Type());
  auto spread = [&](Value value, ArrayRef<int64_t> mapping) {
    return broadcastLike(b, operators.loc, value, mapping, wide);
  };
  SmallVector<int64_t> channel, rows;
  if (typeOf(scales).getRank() == 1)
    channel.push_back(product.dims.resultDim);
  for (int64_t d = 0; d < typeOf(activation.scale).getRank(); ++d)
    rows.push_back(d);
  Value result;
  if (!rows.empty() || channel.empty()) {
    result = b.create<MulOp>(operators.loc, wide.getType(), wide,
                             spread(activation.scale, rows));
    result = b.create<MulOp>(operators.loc, wide.getType(), result,
                             spread(scales, channel));
  } else {
    Value scale = b.create<MulOp>(
        operators.loc, scales.getType(),
        broadcastLike(b, operators.loc, activation.scale, {}, scales), scales);
    result = b.create<MulOp>(operators.loc, wide.getType(), wide,
                             spread(scale, channel));
  }
  explain(product, "ui8");
  product.op->getResult(0).replaceAllUsesWith(result);
  product.op->erase();
}

void ProductQuantizer::quantizeInBlocks(WeightedProduct &product,
                                        size_t index) {
  MLIRContext *context = b.getContext();
  BlockCodes codes = blockCodes(
      product, scheme, statistics.empty() ? nullptr : &statistics[index]);
  if (scheme.asQDQ) {
    unsigned bits = codes.bits;
    Type element = b.getIntegerType(bits, false);
    Value zeros = create(
        product, BlockCodes::turned(codes.zeros, codes.n, element), "_zeros");
    Value weights = operators.dequantizeBlocks(
        create(product, BlockCodes::turned(codes.codes, codes.n, element),
               "_codes"),
        create(product,
               BlockCodes::turned(codes.scales, codes.n, b.getF32Type()),
               "_scales"),
        zeros, codes.block);
    explain(product, "f32");
    if (product.dims.weightDim == 0)
      weights = transposed(b, operators.loc, weights, {1, 0});
    product.op->setOperand(1, weights);
    return;
  }
  Value zeros;
  if (scheme.zeroPoints)
    zeros = create(product, codes.packedZeros(context), "_zeros");
  Value result = operators.matMulNBits(
      product.activation(),
      create(product, codes.packedCodes(context), "_codes"),
      create(product, codes.scaleTensor(context), "_scales"), zeros,
      {codes.k, codes.n, int64_t(codes.bits), codes.block});
  explain(product, "f32");
  product.op->getResult(0).replaceAllUsesWith(result);
  product.op->erase();
}

void ProductQuantizer::quantizeToFloats(WeightedProduct &product) {
  ChannelCodes codes = floatCodes(product);
  Value weights = operators.dequantizeLinear(
      create(product, codes.codes, "_codes"),
      create(product, codes.scales, "_scales"), {}, product.dims.weightDim);
  product.op->setOperand(1, weights);
  explain(product, "f32");
}

void ProductQuantizer::explain(const WeightedProduct &product,
                               StringRef operands) const {
  if (request.explain)
    remarks::emit(product.op, remarks::Code::PRE005,
                  {product.name, product.op->getName().stripDialect(),
                   scheme.name, "quantize", operands,
                   operands == "f32" ? "f32" : "i32", "f32"});
}

void ProductQuantizer::quantize(WeightedProduct &product, size_t index) {
  b.setInsertionPoint(product.op);
  operators.loc = product.op->getLoc();
  switch (scheme.kind) {
  case Kind::Int8:
    return quantizeStatically(product, index);
  case Kind::Int8Dynamic:
    return quantizeDynamically(product);
  case Kind::Int8Weights:
  case Kind::Int4Weights:
    return quantizeInBlocks(product, index);
  case Kind::F8Weights:
    return quantizeToFloats(product);
  }
}

/// Weights that codes replaced.
void ProductQuantizer::eraseUnused() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  llvm::StringSet<> read;
  module.walk([&](GetParamOp get) { read.insert(get.getParam()); });
  for (auto param : llvm::make_early_inc_range(module.getOps<ParamOp>()))
    if (!read.contains(param.getSymName()))
      symbols.erase(param);
}

llvm::Expected<std::vector<std::string>> ProductQuantizer::run() {
  if (llvm::Error error = foldBatchNorms(function))
    return std::move(error);
  auto found = weightedProductsOf(function, parameters);
  if (!found)
    return found.takeError();
  products = std::move(*found);
  bool byHistogram = scheme.kind == Kind::Int8 &&
                     scheme.range != QuantizationScheme::Range::MinMax;
  if (scheme.equalize || (scheme.kind == Kind::Int8 && !byHistogram))
    if (llvm::Error error = measure({}))
      return std::move(error);
  if (scheme.equalize) {
    auto places = equalizeChannels(function, products, statistics, parameters);
    if (!places)
      return places.takeError();
    // The program with the new weights is what is calibrated from here on.
    if (*places > 0)
      for (WeightedProduct &product : products) {
        b.setInsertionPoint(product.op);
        operators.loc = product.op->getLoc();
        product.op->setOperand(1, create(product, product.weights, "_scaled"));
      }
  }
  // Channels have other ranges now, and what lies in them is not known.
  if (byHistogram || scheme.isBlockwise())
    if (llvm::Error error = measure({byHistogram, scheme.isBlockwise()}))
      return std::move(error);
  std::vector<std::string> names;
  for (auto [index, product] : llvm::enumerate(products)) {
    StringRef reason = reasonToStay(product);
    if (reason.empty()) {
      names.push_back(product.name);
      quantize(product, index);
    } else {
      explainStay(product, reason);
    }
  }
  for (const WeightedProduct &product : nestedProductsOf(function))
    explainStay(product, "it is in a loop or a branch");
  if (!dynamic.empty() && !request.scalesRows)
    remarks::emit(function, remarks::Code::EXP002, {int64_t(dynamic.size())});
  eraseUnused();
  return names;
}

llvm::Expected<std::vector<std::string>>
quantizeProducts(func::FuncOp function, const QuantizationRequest &request) {
  return ProductQuantizer(function, request).run();
}

} // namespace zenith::quantize
