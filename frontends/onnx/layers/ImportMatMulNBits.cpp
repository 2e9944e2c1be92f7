// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rule of MatMulNBits (com.microsoft): a product with weights that are
// codes of a few bits, each block of K of them with a scale and a zero point.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/layers/ContractionReading.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;

namespace {
/// Sizes of the weights [K, N] by the node's attributes.
struct NBitsShape {
  int64_t k = 0, n = 0, bits = 0, block = 0;

  int64_t blocks() const { return (k + block - 1) / block; }
  int64_t codesPerByte() const { return 8 / bits; }
};
} // namespace

/// Sizes beyond this make products of them overflow.
static constexpr int64_t mostElements = int64_t(1) << 31;

static NBitsShape shapeOf(NodeReading &n) {
  NBitsShape shape{n.intAttribute("K", 0), n.intAttribute("N", 0),
                   n.intAttribute("bits", 4), n.intAttribute("block_size", 0)};
  auto isSize = [](int64_t size) { return size >= 1 && size < mostElements; };
  if (!isSize(shape.k) || !isSize(shape.n) || !isSize(shape.block))
    n.fail(invalid(fmt::format("MatMulNBits of K {}, N {} and blocks of {}",
                               shape.k, shape.n, shape.block)));
  else if (shape.bits != 2 && shape.bits != 4 && shape.bits != 8)
    n.fail(unsupported(fmt::format("MatMulNBits of {} bits", shape.bits)));
  else if (shape.block * shape.bits % 8 != 0)
    n.fail(invalid(fmt::format("MatMulNBits: a block of {} codes of {} bits "
                               "fills no whole bytes",
                               shape.block, shape.bits)));
  return shape;
}

/// Input `index` as a matrix of static shape; the node's error where it has
/// another number of elements.
static Value matrixOf(NodeReading &n, size_t index, const char *what,
                      int64_t rows, int64_t columns) {
  RankedTensorType type = n.type(index);
  if (!type.hasStaticShape() || type.getNumElements() != rows * columns) {
    n.fail(invalid(fmt::format("MatMulNBits: {} elements of {} are needed",
                               rows * columns, what)));
    return {};
  }
  return n.b.reshape(n.input(index), {DimExpr(rows), DimExpr(columns)});
}

/// The codes in each byte of [rows, bytes], lowest bits first, of which the
/// first `columns` of a row are kept.
static Value unpacked(ImportBuilder &b, Value bytes, int64_t bits,
                      int64_t columns) {
  int64_t perByte = 8 / bits;
  DimVector dims = b.dims(bytes);
  if (perByte > 1) {
    DimVector single = dims, all = dims;
    single.push_back(DimExpr(1));
    all.back() = all.back() * DimExpr(perByte);
    double mask = double((1 << bits) - 1);
    llvm::SmallVector<Value> codes;
    for (int64_t i = 0; i < perByte; ++i)
      codes.push_back(
          b.reshape(b.binary<graph::AndOp>(b.binary<graph::ShiftRightLogicalOp>(
                                               bytes, double(i * bits)),
                                           mask),
                    single));
    bytes = b.reshape(b.concat(dims.size(), codes), all);
  }
  return b.sliceDim(bytes, 1, DimExpr(0), DimExpr(columns));
}

/// One entry [N, blocks] for each code: [N, K].
static Value repeated(ImportBuilder &b, Value entries,
                      const NBitsShape &shape) {
  DimExpr n(shape.n), blocks(shape.blocks()), block(shape.block);
  Value all = b.reshape(b.broadcast(entries, {0, 1}, {n, blocks, block}),
                        {n, blocks * block});
  return b.sliceDim(all, 1, DimExpr(0), DimExpr(shape.k));
}

/// Codes minus their zero points as f32, [N, K]: integers as narrow as these
/// differences are, or floats where the zero points are.
static Value differences(NodeReading &n, Value codes, const NBitsShape &shape) {
  ImportBuilder &b = n.b;
  Type f32 = b.builder.getF32Type();
  if (n.has(3) && isa<FloatType>(n.elementType(3))) {
    Value zeros = matrixOf(n, 3, "zero points", shape.n, shape.blocks());
    return n.failed() ? codes
                      : b.binary<graph::SubOp>(
                            b.convert(codes, f32),
                            repeated(b, b.convert(zeros, f32), shape));
  }
  if (n.has(3) && !n.elementType(3).isUnsignedInteger(8)) {
    n.fail(unsupported("MatMulNBits: zero points that are neither bytes nor "
                       "floats"));
    return codes;
  }
  Type narrow = b.builder.getIntegerType(shape.bits == 8 ? 16 : 8);
  Value integers = b.convert(codes, narrow), zeros;
  if (n.has(3)) {
    int64_t bytes = (shape.blocks() * shape.bits + 7) / 8;
    Value packed = matrixOf(n, 3, "bytes of zero points", shape.n, bytes);
    if (n.failed())
      return codes;
    zeros = repeated(
        b, b.convert(unpacked(b, packed, shape.bits, shape.blocks()), narrow),
        shape);
  } else {
    zeros = b.scalarConstant(narrow, double(1 << (shape.bits - 1)));
  }
  integers = b.binary<graph::SubOp>(integers, zeros);
  // Without zero points the differences have no more bits than the codes.
  if (!n.has(3))
    integers = b.convert(integers, b.builder.getI8Type());
  return b.convert(integers, f32);
}

static void importMatMulNBits(NodeReading &n) {
  ImportBuilder &b = n.b;
  Type f32 = b.builder.getF32Type(), element = n.elementType(0);
  NBitsShape shape = shapeOf(n);
  if (n.has(4))
    n.fail(unsupported("MatMulNBits with g_idx"));
  if (n.intAttribute("weight_prepacked", 0) != 0)
    n.fail(unsupported("MatMulNBits with weights packed for a processor"));
  if (!n.failed() &&
      (!isa<FloatType>(element) || !isa<FloatType>(n.elementType(2)) ||
       (n.has(5) && !isa<FloatType>(n.elementType(5)))))
    n.fail(invalid("MatMulNBits: A, scales and bias are to be floats"));
  if (!n.failed() && !n.elementType(1).isUnsignedInteger(8))
    n.fail(invalid("MatMulNBits: B is to be bytes"));
  if (!n.failed() && n.rank(0) < 1)
    n.fail(invalid("MatMulNBits of a scalar"));
  if (n.failed())
    return;
  int64_t last = n.rank(0) - 1;
  b.requireEqual(n.dims(0)[last], DimExpr(shape.k), "K");
  Value bytes = matrixOf(n, 1, "bytes of B", shape.n,
                         shape.blocks() * shape.block / shape.codesPerByte()),
        scales;
  if (!n.failed())
    scales = matrixOf(n, 2, "scales", shape.n, shape.blocks());
  if (n.failed())
    return;
  Value values = differences(n, unpacked(b, bytes, shape.bits, shape.k), shape);
  if (n.failed())
    return;
  Value weights = b.binary<graph::MulOp>(
      values, repeated(b, b.convert(scales, f32), shape));
  Value product = dot(b, b.convert(n.input(0), f32), weights, 0, last, 1);
  if (n.has(5))
    product = b.binary<graph::AddOp>(
        product, b.convert(b.reshape(n.input(5), {DimExpr(shape.n)}), f32));
  n.result(b.convert(product, element));
}

llvm::ArrayRef<OpRow> zenith::onnx::blockwiseProductRows() {
  static constexpr OpRow rows[] = {
      {"MatMulNBits", 1, newest, 3, 6, importMatMulNBits},
  };
  return rows;
}
