// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas of ONNX's quantized operators, in the forms that the import
// gives them too, so that the same kernels take both.

#include "passes/quantize/QuantizedOperators.h"

#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/ops/CompositeFormulas.h"
#include "ir/program/OperatorFunctions.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::quantize {

static constexpr StringRef microsoftDomain = "com.microsoft";

/// A signed byte is an unsigned one minus this.
static constexpr int64_t signOffset = 128;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

DictionaryAttr QuantizedOperators::attributes(
    ArrayRef<std::pair<StringRef, int64_t>> integers) {
  NamedAttrList list;
  for (auto [name, value] : integers)
    list.set(name, b.getI64IntegerAttr(value));
  return list.getDictionary(b.getContext());
}

SmallVector<Value> QuantizedOperators::call(const Operator &operation,
                                            ValueRange operands,
                                            TypeRange results, Body body) {
  FunctionType type = b.getFunctionType(TypeRange(operands), results);
  DictionaryAttr what = b.getDictionaryAttr(
      {b.getNamedAttr("op", b.getStringAttr(operation.op)),
       b.getNamedAttr("domain", b.getStringAttr(operation.domain)),
       b.getNamedAttr("attributes", operation.attributes)});
  std::string key;
  llvm::raw_string_ostream(key) << what << type;
  func::FuncOp &function = functions[key];
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    Operation *module = symbols.getOp();
    b.setInsertionPointToEnd(cast<ModuleOp>(module).getBody());
    function = b.create<func::FuncOp>(module->getLoc(), operation.op, type);
    function.setPrivate();
    function->setAttr(operatorAttrName, what);
    symbols.insert(function);
    Block *block = function.addEntryBlock();
    b.setInsertionPointToEnd(block);
    SmallVector<Value> made = body(block->getArguments());
    b.create<func::ReturnOp>(loc, made);
  }
  auto made = b.create<func::CallOp>(loc, function, operands);
  return SmallVector<Value>(made.getResults());
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Value QuantizedOperators::spread(Value scalar, Value like,
                                 ArrayRef<int64_t> mapping) {
  return typeOf(like).getRank() == 0
             ? scalar
             : broadcastLike(b, loc, scalar, mapping, like);
}

Value QuantizedOperators::integer(Type type, int64_t value) {
  return b.create<ConstantOp>(loc, cast<ElementsAttr>(DenseElementsAttr::get(
                                       RankedTensorType::get({}, type),
                                       b.getIntegerAttr(type, value))));
}

// Signed bytes are made from unsigned ones: memory then holds the form that
// int8 matmuls take.
Value QuantizedOperators::rounded(Value scaled, Value zero, IntegerType element,
                                  ArrayRef<int64_t> mapping) {
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  Value x = b.create<RoundEvenOp>(loc, scaled.getType(), scaled);
  if (zero)
    x = binary<AddOp>(x, spread(converted(b, zero, f32), x, mapping));
  bool isSigned = !element.isUnsigned();
  if (isSigned)
    x = binary<AddOp>(x, splatLike(b, loc, x, signOffset));
  x = binary<MinOp>(binary<MaxOp>(x, splatLike(b, loc, x, 0)),
                    splatLike(b, loc, x, 255));
  Value bytes = converted(b, x, b.getIntegerType(8, false));
  if (!isSigned)
    return bytes;
  Value wide = converted(b, bytes, i32);
  return converted(
      b, binary<SubOp>(wide, spread(integer(i32, signOffset), wide)), element);
}

Value QuantizedOperators::minusZero(Value codes, Value zero) {
  Type i32 = b.getI32Type();
  Value wide = converted(b, codes, i32);
  return zero ? binary<SubOp>(wide, spread(converted(b, zero, i32), wide))
              : wide;
}

/// Each entry of a matrix for `block` rows or columns, of which `size` stay.
Value QuantizedOperators::repeated(Value entries, int64_t dim, int64_t block,
                                   int64_t size) {
  RankedTensorType type = typeOf(entries);
  SmallVector<int64_t> wide(type.getShape()), flat(wide), mapping;
  wide.insert(wide.begin() + dim + 1, block);
  flat[dim] *= block;
  for (int64_t d = 0; d < 2; ++d)
    mapping.push_back(d <= dim ? d : d + 1);
  Value all = reshaped(b, loc,
                       b.create<BroadcastOp>(loc, type.clone(wide), entries,
                                             mapping, ValueRange()),
                       flat);
  if (flat[dim] == size)
    return all;
  SmallVector<int64_t> kept(flat);
  kept[dim] = size;
  return b.create<SliceOp>(loc, type.clone(kept), all, ValueRange(),
                           ValueRange(), ArrayRef<int64_t>{0, 0}, kept,
                           ArrayRef<int64_t>{1, 1});
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

Value QuantizedOperators::quantizeLinear(Value x, Value scale, Value zero) {
  auto element = cast<IntegerType>(typeOf(zero).getElementType());
  return call({"QuantizeLinear", "", attributes({})}, {x, scale, zero},
              typeOf(x).clone(element),
              [&](ValueRange in) -> SmallVector<Value> {
                Value scaled = binary<DivOp>(in[0], spread(in[1], in[0]));
                return {rounded(scaled, in[2], element)};
              })[0];
}

Value QuantizedOperators::dequantizeLinear(Value codes, Value scale, Value zero,
                                           int64_t axis) {
  Type f32 = b.getF32Type();
  bool isSingle = typeOf(scale).getRank() == 0;
  SmallVector<Value> operands{codes, scale};
  if (zero)
    operands.push_back(zero);
  return call({"DequantizeLinear", "",
               isSingle ? attributes({}) : attributes({{"axis", axis}})},
              operands, typeOf(codes).clone(f32),
              [&](ValueRange in) -> SmallVector<Value> {
                bool isFloat = isa<FloatType>(typeOf(in[0]).getElementType());
                Value x =
                    isFloat ? in[0] : minusZero(in[0], zero ? in[2] : Value());
                x = converted(b, x, f32);
                SmallVector<int64_t> mapping;
                if (!isSingle)
                  mapping.push_back(axis);
                return {binary<MulOp>(x, spread(in[1], x, mapping))};
              })[0];
}

Value QuantizedOperators::dequantizeBlocks(Value codes, Value scale, Value zero,
                                           int64_t block) {
  Type f32 = b.getF32Type(), i8 = b.getI8Type();
  int64_t rows = typeOf(codes).getDimSize(0);
  SmallVector<Value> operands{codes, scale};
  if (zero)
    operands.push_back(zero);
  return call({"DequantizeLinear", "",
               attributes({{"axis", 0}, {"block_size", block}})},
              operands, typeOf(codes).clone(f32),
              [&](ValueRange in) -> SmallVector<Value> {
                // The difference of two codes of 4 bits has 5.
                Value x = converted(b, in[0], i8);
                if (zero)
                  x = binary<SubOp>(
                      x, repeated(converted(b, in[2], i8), 0, block, rows));
                return {binary<MulOp>(converted(b, x, f32),
                                      repeated(in[1], 0, block, rows))};
              })[0];
}

static SmallVector<int64_t> firstDims(int64_t count) {
  return llvm::to_vector(llvm::seq<int64_t>(0, count));
}

QuantizedOperators::Dynamic QuantizedOperators::quantizeByRange(Value x,
                                                                int64_t rows) {
  RankedTensorType type = typeOf(x);
  auto bytes = b.getIntegerType(8, false);
  auto folded = type.clone(type.getShape().take_front(rows));
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(rows, type.getRank()));
  auto fold = [&](ReduceKind kind) -> Value {
    return b.create<ReduceOp>(loc, folded, kind, x, dims);
  };
  Value low = fold(ReduceKind::min), high = fold(ReduceKind::max);
  Value none = splatLike(b, loc, low, 0);
  low = binary<MinOp>(low, none);
  high = binary<MaxOp>(high, none);
  Value scale =
      binary<DivOp>(binary<SubOp>(high, low), splatLike(b, loc, low, 255));
  // All values are zero: any scale is right.
  Value isZero = b.create<CompareOp>(loc, folded.clone(b.getI1Type()),
                                     CompareDirection::eq, scale, none);
  scale =
      b.create<SelectOp>(loc, folded, isZero, splatLike(b, loc, low, 1), scale);
  Value zero = rounded(binary<DivOp>(b.create<NegOp>(loc, folded, low), scale),
                       {}, bytes);
  SmallVector<int64_t> mapping = firstDims(rows);
  Value scaled = binary<DivOp>(x, spread(scale, x, mapping));
  return {rounded(scaled, zero, bytes, mapping), scale, zero};
}

QuantizedOperators::Dynamic QuantizedOperators::dynamicQuantizeLinear(Value x) {
  auto scalar = RankedTensorType::get({}, b.getF32Type());
  auto bytes = b.getIntegerType(8, false);
  SmallVector<Value> made =
      call({"DynamicQuantizeLinear", "", attributes({})}, x,
           {typeOf(x).clone(bytes), scalar, scalar.clone(bytes)},
           [&](ValueRange in) -> SmallVector<Value> {
             Dynamic parts = quantizeByRange(in[0], 0);
             return {parts.codes, parts.scale, parts.zero};
           });
  return {made[0], made[1], made[2]};
}

QuantizedOperators::Dynamic QuantizedOperators::quantizeRows(Value x,
                                                             int64_t rows) {
  return quantizeByRange(x, rows);
}

/// The product of i32 operands instead of its own; weights of a matmul are
/// [K, N].
Value QuantizedOperators::integerProduct(Operation *product, Value codes,
                                         Value weights) {
  Type result = typeOf(product->getResult(0)).clone(b.getI32Type());
  NamedAttrList attributes(product->getAttrDictionary());
  if (auto dot = dyn_cast<DotGeneralOp>(product))
    attributes.set(dot.getDimsAttrName(),
                   DotDimsAttr::get(b.getContext(), {}, {},
                                    dot.getDims().getLhsContracting(), {0}));
  OperationState state(loc, product->getName(), {codes, weights}, result,
                       attributes.getAttrs());
  return b.create(state)->getResult(0);
}

// (x - zero) w = x w - zero * (sums of the columns of w): the codes are read as
// they are. A convolution pads with zeros, which codes are not.
Value QuantizedOperators::multiplyRows(Operation *product,
                                       const Dynamic &activation, Value weights,
                                       int64_t rows) {
  Type i32 = b.getI32Type();
  Value wide = converted(b, weights, i32),
        codes = converted(b, activation.codes, i32),
        zero = converted(b, activation.zero, i32);
  SmallVector<int64_t> mapping = firstDims(rows);
  if (isa<ConvolutionOp>(product))
    return integerProduct(
        product, binary<SubOp>(codes, spread(zero, codes, mapping)), wide);
  Value sums = integerProduct(product, codes, wide);
  Value columns = b.create<ReduceOp>(
      loc, RankedTensorType::get(typeOf(wide).getDimSize(1), i32),
      ReduceKind::sum, wide, ArrayRef<int64_t>{0});
  Value shift =
      binary<MulOp>(spread(zero, sums, mapping), spread(columns, sums, {rows}));
  return binary<SubOp>(sums, shift);
}

Value QuantizedOperators::multiplyIntegers(Operation *product, Value codes,
                                           Value weights, Value zero) {
  auto convolution = dyn_cast<ConvolutionOp>(product);
  NamedAttrList list;
  if (convolution) {
    SmallVector<int64_t> pads(convolution.getLow());
    llvm::append_range(pads, convolution.getHigh());
    list.set("pads", b.getDenseI64ArrayAttr(pads));
    list.set("strides", b.getDenseI64ArrayAttr(convolution.getStrides()));
    list.set("dilations",
             b.getDenseI64ArrayAttr(convolution.getKernelDilation()));
    list.set("group", b.getI64IntegerAttr(convolution.getGroups()));
  }
  Operator operation{convolution ? "ConvInteger" : "MatMulInteger", "",
                     list.getDictionary(b.getContext())};
  return call(operation, {codes, weights, zero},
              typeOf(product->getResult(0)).clone(b.getI32Type()),
              [&](ValueRange in) -> SmallVector<Value> {
                return {integerProduct(product, minusZero(in[0], in[2]),
                                       minusZero(in[1], {}))};
              })[0];
}

//===----------------------------------------------------------------------===//
// Weights in blocks
//===----------------------------------------------------------------------===//

/// The codes in each byte of [rows, bytes], lowest bits first, of which
/// `columns` stay.
Value QuantizedOperators::unpacked(Value bytes, int64_t bits, int64_t columns) {
  RankedTensorType type = typeOf(bytes);
  int64_t rows = type.getDimSize(0), perByte = 8 / bits,
          all = type.getDimSize(1) * perByte;
  if (perByte > 1) {
    auto constant = [&](int64_t value) {
      return spread(integer(type.getElementType(), value), bytes);
    };
    SmallVector<Value> parts;
    for (int64_t i = 0; i < perByte; ++i)
      parts.push_back(reshaped(
          b, loc,
          binary<AndOp>(binary<ShiftRightLogicalOp>(bytes, constant(i * bits)),
                        constant((1 << bits) - 1)),
          {rows, type.getDimSize(1), 1}));
    Value joined = b.create<ConcatOp>(
        loc, type.clone({rows, type.getDimSize(1), perByte}), 2, parts);
    bytes = reshaped(b, loc, joined, {rows, all});
  }
  if (all == columns)
    return bytes;
  return b.create<SliceOp>(loc, type.clone({rows, columns}), bytes,
                           ValueRange(), ValueRange(), ArrayRef<int64_t>{0, 0},
                           ArrayRef<int64_t>{rows, columns},
                           ArrayRef<int64_t>{1, 1});
}

/// The weights [N, K] of (x, bytes, scales, zeros).
Value QuantizedOperators::blockWeights(ValueRange operands,
                                       const Blocks &blocks) {
  Type narrow = b.getIntegerType(blocks.bits == 8 ? 16 : 8);
  int64_t count = blocks.count();
  Value bytes = reshaped(b, loc, operands[1],
                         {blocks.n, count * blocks.block * blocks.bits / 8});
  Value codes = converted(b, unpacked(bytes, blocks.bits, blocks.k), narrow);
  bool hasZeros = operands.size() > 3;
  Value zeros =
      hasZeros
          ? repeated(
                converted(b, unpacked(operands[3], blocks.bits, count), narrow),
                1, blocks.block, blocks.k)
          : spread(integer(narrow, int64_t(1) << (blocks.bits - 1)), codes);
  Value values = binary<SubOp>(codes, zeros);
  // Without zero points the differences have no more bits than the codes.
  if (!hasZeros)
    values = converted(b, values, b.getI8Type());
  return binary<MulOp>(converted(b, values, b.getF32Type()),
                       repeated(operands[2], 1, blocks.block, blocks.k));
}

Value QuantizedOperators::matMulNBits(Value x, Value bytes, Value scales,
                                      Value zeros, const Blocks &blocks) {
  RankedTensorType type = typeOf(x);
  int64_t last = type.getRank() - 1;
  SmallVector<int64_t> shape(type.getShape());
  shape[last] = blocks.n;
  SmallVector<Value> operands{x, bytes, scales};
  if (zeros)
    operands.push_back(zeros);
  return call(
      {"MatMulNBits", microsoftDomain,
       attributes({{"K", blocks.k},
                   {"N", blocks.n},
                   {"bits", blocks.bits},
                   {"block_size", blocks.block}})},
      operands, type.clone(shape), [&](ValueRange in) -> SmallVector<Value> {
        auto dims = DotDimsAttr::get(b.getContext(), {}, {}, {last}, {1});
        return {b.create<DotGeneralOp>(loc, type.clone(shape), in[0],
                                       blockWeights(in, blocks), dims)};
      })[0];
}

} // namespace zenith::quantize
