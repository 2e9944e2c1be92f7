// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of matmuls and convolutions.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/layers/ContractionReading.h"
#include "frontends/onnx/layers/WindowReading.h"

#include <fmt/format.h>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

Value zenith::onnx::dot(ImportBuilder &b, Value lhs, Value rhs, int64_t batch,
                        int64_t lhsContracting, int64_t rhsContracting) {
  DimVector left = b.dims(lhs), right = b.dims(rhs),
            result(left.begin(), left.begin() + batch);
  auto addFree = [&](ArrayRef<DimExpr> from, int64_t contracting) {
    for (auto [index, dim] : llvm::enumerate(from))
      if (int64_t(index) >= batch && int64_t(index) != contracting)
        result.push_back(dim);
  };
  addFree(left, lhsContracting);
  addFree(right, rhsContracting);
  SmallVector<int64_t> batching(batch);
  std::iota(batching.begin(), batching.end(), 0);
  auto dims =
      graph::DotDimsAttr::get(b.builder.getContext(), batching, batching,
                              {lhsContracting}, {rhsContracting});
  return b.emit<graph::DotGeneralOp>(
      b.typeOf(result, getElementTypeOrSelf(lhs.getType())), lhs, rhs, dims);
}

/// A dimension of size 1 before `at`.
static Value expandDim(ImportBuilder &b, Value value, int64_t at) {
  DimVector dims = b.dims(value);
  dims.insert(dims.begin() + at, DimExpr(1));
  return b.reshape(value, dims);
}

static Value dropDim(ImportBuilder &b, Value value, int64_t at) {
  DimVector dims = b.dims(value);
  dims.erase(dims.begin() + at);
  return b.reshape(value, dims);
}

Value zenith::onnx::matmul(ImportBuilder &b, Value lhs, Value rhs) {
  int64_t lhsRank = b.dims(lhs).size(), rhsRank = b.dims(rhs).size();
  // The right operand has no batch: its rows contract with the left operand,
  // whose leading dimensions are all free.
  if (rhsRank <= 2)
    return dot(b, lhs, rhs, 0, lhsRank - 1, 0);
  if (lhsRank == 1)
    lhs = expandDim(b, lhs, 0);
  DimVector left = b.dims(lhs), right = b.dims(rhs);
  DimVector batch = b.broadcastDims(ArrayRef(left).drop_back(2),
                                    ArrayRef(right).drop_back(2));
  auto withBatch = [&](Value value, ArrayRef<DimExpr> matrix) {
    DimVector dims = batch;
    dims.append(matrix.begin(), matrix.end());
    return b.broadcastTo(value, dims);
  };
  if (b.failed())
    return lhs;
  lhs = withBatch(lhs, ArrayRef(left).take_back(2));
  rhs = withBatch(rhs, ArrayRef(right).take_back(2));
  int64_t count = batch.size();
  Value result = dot(b, lhs, rhs, count, count + 1, count);
  return lhsRank == 1 ? dropDim(b, result, count) : result;
}

static void importMatMul(NodeReading &n) {
  if (n.rank(0) == 0 || n.rank(1) == 0)
    return n.fail(invalid("a matrix product needs operands of rank 1 or more"));
  Value lhs = n.input(0);
  n.result(matmul(n.b, lhs, n.input(1)));
}

static void importGemm(NodeReading &n) {
  if (n.rank(0) != 2 || n.rank(1) != 2)
    return n.fail(invalid(fmt::format("operands have ranks {} and {}, not 2",
                                      n.rank(0), n.rank(1))));
  Value lhs = n.input(0), rhs = n.input(1);
  Value result = dot(n.b, lhs, rhs, 0, n.intAttribute("transA", 0) ? 0 : 1,
                     n.intAttribute("transB", 0) ? 1 : 0);
  if (double alpha = n.floatAttribute("alpha", 1); alpha != 1)
    result = n.b.binary<graph::MulOp>(result, alpha);
  double beta = n.floatAttribute("beta", 1);
  if (n.has(2) && beta != 0) {
    Value addend = n.input(2);
    if (beta != 1)
      addend = n.b.binary<graph::MulOp>(addend, beta);
    // C broadcasts to the product, never the other way round.
    result = n.b.binary<graph::AddOp>(
        result, n.b.broadcastTo(addend, n.b.dims(result)));
  }
  n.result(result);
}

/// Convolution dimensions of an operand with batch (or output features) first
/// and features second.
static graph::ConvDimsAttr channelsFirst(MLIRContext *context,
                                         int64_t spatialRank) {
  SmallVector<int64_t> spatial(spatialRank);
  std::iota(spatial.begin(), spatial.end(), 2);
  return graph::ConvDimsAttr::get(context, 0, 1, spatial, 1, 0, spatial, 0, 1,
                                  spatial);
}

/// Positions that taps read along a dimension of `size`: [outputs, taps].
static Value tapPositions(ImportBuilder &b, const DimExpr &size,
                          const DimExpr &taps, int64_t stride,
                          int64_t dilation) {
  DimExpr reach = (taps - DimExpr(1)) * DimExpr(dilation) + DimExpr(1);
  DimExpr outputs =
      DimExpr::floorDiv(size - reach, DimExpr(stride)) + DimExpr(1);
  Type i64 = b.builder.getI64Type();
  Value output = b.iota(0, {outputs, DimExpr(1)}, i64),
        tap = b.iota(1, {DimExpr(1), taps}, i64);
  return b.binary<graph::AddOp>(
      b.binary<graph::MulOp>(output, b.scalar(DimExpr(stride))),
      b.binary<graph::MulOp>(tap, b.scalar(DimExpr(dilation))));
}

Value zenith::onnx::convolveByGather(ImportBuilder &b, Value x, Value w,
                                     ArrayRef<int64_t> strides,
                                     ArrayRef<int64_t> dilations,
                                     int64_t groups) {
  DimVector kernel = b.dims(w);
  int64_t count = strides.size();
  // [batch, features, outputs, taps, outputs, taps, ...]
  for (int64_t i = count; i-- > 0;)
    x = gatherAlong(b, x, 2 + i,
                    tapPositions(b, b.dims(x)[2 + i], kernel[2 + i], strides[i],
                                 dilations[i]));
  DimExpr parts(groups);
  DimVector columns = b.dims(x);
  columns.insert(columns.begin() + 1, parts);
  columns[2] = b.divided(columns[2], parts, "the remainder of features");
  DimExpr outputs = b.divided(kernel[0], parts, "the remainder of outputs");
  DimVector taps = {parts, outputs};
  taps.append(kernel.begin() + 1, kernel.end());
  SmallVector<int64_t> left = {2}, right = {2}, order = {1, 0};
  // Batch, then positions of the outputs: they follow the group.
  DimVector sums = {parts, columns[0]}, result = {columns[0], kernel[0]};
  for (int64_t i = 0; i < count; ++i) {
    left.push_back(4 + 2 * i);
    right.push_back(3 + i);
    sums.push_back(columns[3 + 2 * i]);
    result.push_back(columns[3 + 2 * i]);
  }
  sums.push_back(outputs);
  order.push_back(2 + count);
  for (int64_t i = 0; i < count; ++i)
    order.push_back(2 + i);
  auto dims =
      graph::DotDimsAttr::get(b.builder.getContext(), {1}, {0}, left, right);
  Value product = b.emit<graph::DotGeneralOp>(
      b.typeOf(sums, getElementTypeOrSelf(x.getType())), b.reshape(x, columns),
      b.reshape(w, taps), dims);
  return b.reshape(b.transpose(product, order), result);
}

Value zenith::onnx::convolve(NodeReading &n, Value x, Value w) {
  DimVector input = n.b.dims(x), kernel = n.b.dims(w);
  int64_t rank = input.size();
  if (rank < 3 || int64_t(kernel.size()) != rank) {
    n.fail(invalid(fmt::format("input and kernel have ranks {} and {}", rank,
                               kernel.size())));
    return x;
  }
  int64_t groups = n.intAttribute("group", 1);
  if (groups < 1)
    n.fail(invalid(fmt::format("attribute 'group' is {}", groups)));
  Window window;
  if (!n.failed())
    window =
        readWindow(n, kernelSize(n, kernel), ArrayRef(input).drop_front(2));
  if (n.failed())
    return x;
  x = withAddedPadding(
      n.b, x, n.b.scalarConstant(getElementTypeOrSelf(x.getType()), 0), window);
  DimVector known(kernel.begin(), kernel.begin() + 2);
  known.append(window.size);
  w = n.b.reshape(w, known);
  if (!n.b.product(window.size).constant()) {
    DimVector low(2, DimExpr(0)), high(2, DimExpr(0));
    low.append(window.low.begin(), window.low.end());
    high.append(window.high.begin(), window.high.end());
    Value zero = n.b.scalarConstant(getElementTypeOrSelf(x.getType()), 0);
    return convolveByGather(n.b, n.b.pad(x, zero, low, high), w, window.strides,
                            window.dilations, groups);
  }
  DimVector result = {input[0], kernel[0]};
  result.append(window.outputDims.begin(), window.outputDims.end());
  SmallVector<int64_t> ones(rank - 2, 1);
  return n.b.emit<graph::ConvolutionOp>(
      n.b.typeOf(result, getElementTypeOrSelf(x.getType())), x, w,
      channelsFirst(n.b.builder.getContext(), rank - 2), window.strides,
      window.low, window.high, ones, window.dilations, groups);
}

static void importConv(NodeReading &n) {
  Value x = n.input(0), value = convolve(n, x, n.input(1));
  if (n.failed())
    return;
  if (n.has(2)) {
    Value bias = n.b.broadcast(n.input(2), {1}, n.b.dims(value));
    value = n.b.binary<graph::AddOp>(value, bias);
  }
  n.result(value);
}

llvm::ArrayRef<OpRow> zenith::onnx::contractionRows() {
  static constexpr OpRow rows[] = {
      {"Conv", 1, newest, 2, 3, importConv},
      {"Gemm", 1, newest, 2, 3, importGemm},
      {"MatMul", 1, newest, 2, 2, importMatMul},
  };
  return rows;
}
