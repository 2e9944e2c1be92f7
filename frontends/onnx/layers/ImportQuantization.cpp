// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of quantization by scale and zero point.
#include "frontends/onnx/ImportONNX.h"
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/StorageTypes.h"
#include "frontends/onnx/layers/QuantizationReading.h"
#include "ir/matchers/SplatConstant.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using graph::ReduceKind;
using llvm::ArrayRef;
using llvm::SmallVector;

static bool isNarrowInteger(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() > 1 && integer.getWidth() <= 16;
}

static bool isFloat8(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
}

/// A signed byte is an unsigned one minus this.
static constexpr int64_t signOffset = 128;

/// The same for an integer of `bits`, which a wider type may store.
static Value quantizedTo(ImportBuilder &b, Value scaled, Value zeroPoint,
                         IntegerType element, unsigned bits) {
  Type f32 = b.builder.getF32Type();
  Value x = b.convert(b.unary<graph::RoundEvenOp>(scaled), f32);
  if (zeroPoint)
    x = b.binary<graph::AddOp>(x, b.convert(zeroPoint, f32));
  double low = element.isUnsigned() ? 0 : -double(1 << (bits - 1)),
         high = double((1 << (element.isUnsigned() ? bits : bits - 1)) - 1);
  x = b.binary<graph::MinOp>(b.binary<graph::MaxOp>(x, low), high);
  return b.convert(x, element);
}

static Value quantizedPlain(ImportBuilder &b, Value scaled, Value zeroPoint,
                            IntegerType element) {
  return quantizedTo(b, scaled, zeroPoint, element, element.getWidth());
}

// Signed bytes are made from unsigned ones: memory then holds the form that
// int8 matmuls take, and NaN becomes the lowest value of either type.
Value zenith::onnx::quantized(ImportBuilder &b, Value scaled, Value zeroPoint,
                              IntegerType element) {
  if (!element.isSignlessInteger(8))
    return quantizedPlain(b, scaled, zeroPoint, element);
  Type f32 = b.builder.getF32Type(), i32 = b.builder.getI32Type();
  Value offset = b.scalarConstant(f32, signOffset);
  if (zeroPoint)
    offset = b.binary<graph::AddOp>(b.convert(zeroPoint, f32), offset);
  auto bytes =
      IntegerType::get(b.builder.getContext(), 8, IntegerType::Unsigned);
  Value wide = b.convert(quantizedPlain(b, scaled, offset, bytes), i32);
  return b.convert(b.binary<graph::SubOp>(wide, double(signOffset)), element);
}

/// The unsigned bytes that signed ones were made from; null for other values.
static Value withoutSign(Value value) {
  auto narrow = value.getDefiningOp<graph::ConvertOp>();
  auto difference =
      narrow && getElementTypeOrSelf(value.getType()).isSignlessInteger(8)
          ? narrow.getOperand().getDefiningOp<graph::SubOp>()
          : graph::SubOp();
  if (!difference || graph::splatValue(difference.getRhs()) != signOffset)
    return {};
  auto wide = difference.getLhs().getDefiningOp<graph::ConvertOp>();
  return wide && getElementTypeOrSelf(wide.getOperand().getType())
                     .isUnsignedInteger(8)
             ? Value(wide)
             : Value();
}

Value zenith::onnx::minusZeroPoint(ImportBuilder &b, Value bytes,
                                   Value zeroPoint) {
  Type i32 = b.builder.getI32Type();
  Value wide = withoutSign(bytes);
  if (!wide)
    return zeroPoint ? b.binary<graph::SubOp>(b.convert(bytes, i32), zeroPoint)
                     : b.convert(bytes, i32);
  Value offset = b.scalarConstant(i32, signOffset);
  if (zeroPoint)
    offset = b.binary<graph::AddOp>(zeroPoint, offset);
  return b.binary<graph::SubOp>(wide, offset);
}

Value zenith::onnx::scaleInput(NodeReading &n, size_t index) {
  const Tensor *tensor = n.constantTensor(index);
  RankedTensorType type = n.type(index);
  bool isSingle = tensor && type.hasStaticShape() && type.getNumElements() == 1;
  return isSingle ? n.b.constant(denseElements(*tensor, type)) : n.input(index);
}

/// Each entry for `block` elements along a dimension of `size`.
static Value repeatBlocks(ImportBuilder &b, Value value, int64_t axis,
                          int64_t block, const DimExpr &size) {
  DimVector dims = b.dims(value), wide = dims;
  SmallVector<int64_t> mapping;
  for (int64_t i = 0; i < int64_t(dims.size()); ++i)
    mapping.push_back(i <= axis ? i : i + 1);
  wide.insert(wide.begin() + axis + 1, DimExpr(block));
  dims[axis] = dims[axis] * DimExpr(block);
  value = b.reshape(b.broadcast(value, mapping, wide), dims);
  return b.sliceDim(value, axis, DimExpr(0), size);
}

/// A scale or zero point in a shape that broadcasts to the input's: scalars,
/// vectors along the axis, or one entry per block of the axis.
static Value alongAxis(NodeReading &n, size_t index, Value value) {
  DimVector dims = n.dims(index);
  int64_t block = n.intAttribute("block_size", 0), rank = n.rank(0);
  if (block == 0 && n.b.product(dims).isConstant(1))
    return n.b.reshape(value, {});
  int64_t axis = n.axis(n.intAttribute("axis", rank == 1 ? 0 : 1), rank);
  if (n.failed())
    return value;
  if (block != 0) {
    auto size = n.dims(0)[axis],
         blocks = dims[std::min<int64_t>(axis, int64_t(dims.size()) - 1)];
    auto entries = blocks.constant(), count = size.constant();
    if (block < 0 || int64_t(dims.size()) != rank ||
        block >= int64_t(1) << 31 ||
        (entries && count && (*count + block - 1) / block != *entries)) {
      n.fail(invalid(fmt::format("blocks of {} along axis {} do not fit scales "
                                 "of rank {}",
                                 block, axis, dims.size())));
      return value;
    }
    return repeatBlocks(n.b, value, axis, block, size);
  }
  if (dims.size() != 1) {
    n.fail(invalid(
        fmt::format("scales of rank {} without a block_size", dims.size())));
    return value;
  }
  DimVector shape(rank - axis, DimExpr(1));
  shape[0] = dims[0];
  return n.b.reshape(value, shape);
}

/// Fails where the zero point, input 2, has another number of entries than the
/// scale.
static void checkZeroPoint(NodeReading &n) {
  auto scales = n.b.product(n.dims(1)).constant(),
       zeroPoints = n.b.product(n.dims(2)).constant();
  if (scales && zeroPoints && *scales != *zeroPoints)
    n.fail(invalid(
        fmt::format("{} zero points for {} scales", *zeroPoints, *scales)));
}

/// A float type named by an attribute, else `otherwise`.
static Type floatAttributeType(NodeReading &n, const char *name,
                               Type otherwise) {
  auto wanted = static_cast<DataType>(n.intAttribute(name, 0));
  if (wanted == DataType::Undefined)
    return otherwise;
  Type type = elementTypeOf(wanted, n.b.builder.getContext());
  if (isa_and_nonnull<FloatType>(type))
    return type;
  n.fail(unsupported(fmt::format("{} of type {}", name, dataTypeName(wanted))));
  return otherwise;
}

/// The type of a quantized result: the zero point's, else the attribute's, else
/// bytes.
static DataType quantizedType(NodeReading &n) {
  auto wanted = static_cast<DataType>(n.intAttribute("output_dtype", 0));
  if (n.has(2))
    return n.imported(2).emulated != DataType::Undefined
               ? n.imported(2).emulated
               : dataTypeOf(n.elementType(2));
  return wanted == DataType::Undefined ? DataType::UInt8 : wanted;
}

static void setEmulated(NodeReading &n, Value scaled, Value zeroPoint,
                        DataType type) {
  ImportBuilder &b = n.b;
  if (!isStoredAsBits(type)) {
    auto storage =
        cast<IntegerType>(storageTypeOf(type, b.builder.getContext()));
    return n.result(0, quantizedTo(b, scaled, zeroPoint, storage, 2), type);
  }
  if (zeroPoint) // floats have zero points of 0 only
    scaled = b.binary<graph::AddOp>(
        scaled, b.convert(zeroPoint, getElementTypeOrSelf(scaled.getType())));
  n.result(0, encodedBits(b, scaled, type), type);
}

static void importQuantizeLinear(NodeReading &n) {
  ImportBuilder &b = n.b;
  DataType wanted = quantizedType(n);
  bool isEmulated = isEmulatedNumber(wanted);
  Type element = elementTypeOf(wanted, b.builder.getContext());
  for (size_t i = 0; i < 2; ++i)
    if (n.imported(i).emulated != DataType::Undefined)
      return n.fail(unsupported(fmt::format(
          "quantization of {}", dataTypeName(n.imported(i).emulated))));
  if (!isEmulated &&
      (!element || (!isNarrowInteger(element) && !isFloat8(element))))
    return n.fail(
        unsupported(fmt::format("quantization to {}", dataTypeName(wanted))));
  Type scaleType = isa<FloatType>(n.elementType(1))
                       ? n.elementType(1)
                       : Type(b.builder.getF32Type());
  Type precision = floatAttributeType(n, "precision", scaleType);
  Value scale = alongAxis(n, 1, scaleInput(n, 1)), zeroPoint;
  if (n.has(2)) {
    checkZeroPoint(n);
    zeroPoint =
        alongAxis(n, 2,
                  isStoredAsBits(n.imported(2).emulated) ? decodedBits(n, 2)
                                                         : n.input(2));
  }
  if (n.failed())
    return;
  Value scaled = b.binary<graph::DivOp>(b.convert(n.input(0), precision),
                                        b.convert(scale, precision));
  if (isEmulated)
    return setEmulated(n, scaled, zeroPoint, wanted);
  if (auto integer = dyn_cast<IntegerType>(element))
    return n.result(quantized(b, scaled, zeroPoint, integer));
  if (zeroPoint)
    scaled = b.binary<graph::AddOp>(scaled, b.convert(zeroPoint, precision));
  auto type = cast<RankedTensorType>(scaled.getType()).clone(element);
  n.result(b.emit<graph::ConvertOp>(type, scaled,
                                    n.intAttribute("saturate", 1) != 0));
}

static void importDequantizeLinear(NodeReading &n) {
  ImportBuilder &b = n.b;
  Type from = n.elementType(0);
  bool asBits = isStoredAsBits(n.imported(0).emulated);
  if (n.imported(1).emulated != DataType::Undefined)
    return n.fail(unsupported(fmt::format(
        "scales of type {}", dataTypeName(n.imported(1).emulated))));
  bool isWide = from.isSignlessInteger(32);
  if (!isNarrowInteger(from) && !isFloat8(from) && !isWide)
    return n.fail(unsupported("dequantization of this data type"));
  if (!isa<FloatType>(n.elementType(1)))
    return n.fail(unsupported("scales that are not floats"));
  if (n.has(2)) {
    if (n.elementType(2) != from ||
        n.imported(2).emulated != n.imported(0).emulated)
      return n.fail(invalid("the zero point is not of the input's type"));
    checkZeroPoint(n);
  }
  Type result = floatAttributeType(n, "output_dtype", n.elementType(1));
  Type f32 = b.builder.getF32Type(),
       common = isFloat8(from) || asBits ? f32 : Type(b.builder.getI32Type());
  Value scale = alongAxis(n, 1, scaleInput(n, 1));
  auto read = [&](size_t index) {
    return asBits ? decodedBits(n, index) : b.convert(n.input(index), common);
  };
  Value zero = n.has(2) ? alongAxis(n, 2, read(2)) : Value();
  Value x = common.isInteger(32) ? minusZeroPoint(b, n.input(0), zero)
            : zero               ? b.binary<graph::SubOp>(read(0), zero)
                                 : read(0);
  if (n.failed())
    return;
  Value product =
      b.binary<graph::MulOp>(b.convert(x, f32), b.convert(scale, f32));
  n.result(b.convert(product, result));
}

DynamicQuantization zenith::onnx::quantizedDynamically(ImportBuilder &b,
                                                       Value x) {
  Type f32 = b.builder.getF32Type();
  Value zero = b.scalarConstant(f32, 0);
  SmallVector<int64_t> all;
  for (size_t i = 0; i < b.dims(x).size(); ++i)
    all.push_back(i);
  auto bytes =
      cast<IntegerType>(elementTypeOf(DataType::UInt8, b.builder.getContext()));
  Value low =
      b.binary<graph::MinOp>(b.reduce(ReduceKind::min, x, all, false), 0.0);
  Value high =
      b.binary<graph::MaxOp>(b.reduce(ReduceKind::max, x, all, false), 0.0);
  Value scale =
      b.binary<graph::DivOp>(b.binary<graph::SubOp>(high, low), 255.0);
  // All values are zero: any scale is right.
  scale = b.select(b.compare(CompareDirection::eq, scale, zero),
                   b.scalarConstant(f32, 1), scale);
  Value zeroPoint = quantized(
      b, b.binary<graph::DivOp>(b.unary<graph::NegOp>(low), scale), {}, bytes);
  return {quantized(b, b.binary<graph::DivOp>(x, scale), zeroPoint, bytes),
          scale, zeroPoint};
}

static void importDynamicQuantizeLinear(NodeReading &n) {
  if (!n.elementType(0).isF32())
    return n.fail(invalid("DynamicQuantizeLinear needs f32"));
  DynamicQuantization parts = quantizedDynamically(n.b, n.input(0));
  n.result(0, parts.bytes);
  n.result(1, parts.scale);
  n.result(2, parts.zeroPoint);
}

llvm::ArrayRef<OpRow> zenith::onnx::quantizationRows() {
  static constexpr OpRow rows[] = {
      {"DequantizeLinear", 10, newest, 2, 3, importDequantizeLinear, nullptr,
       false, Emulated::Read},
      {"DynamicQuantizeLinear", 11, newest, 1, 1, importDynamicQuantizeLinear},
      {"QuantizeLinear", 10, newest, 2, 3, importQuantizeLinear, nullptr, false,
       Emulated::Read},
  };
  return rows;
}
