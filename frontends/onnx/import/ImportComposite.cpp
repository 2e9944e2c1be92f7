// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of the ops that GraphIR keeps whole: softmax and norms.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/NodeReading.h"

#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

template <typename Op> static void importSoftmax(NodeReading &n) {
  int64_t axis = n.axisAttribute("axis", -1, n.rank(0));
  if (n.failed())
    return;
  Value operand = n.input(0);
  n.result(n.b.emit<Op>(operand.getType(), operand, ArrayRef<int64_t>(axis)));
}

/// Below opset 13 the dimensions from `axis` on count as one.
template <typename Op> static void importFlatSoftmax(NodeReading &n) {
  int64_t rank = n.rank(0),
          axis = n.axisAttribute("axis", 1, std::max<int64_t>(rank, 2));
  if (n.failed())
    return;
  SmallVector<int64_t> dims(rank - std::min(axis, rank));
  std::iota(dims.begin(), dims.end(), axis);
  Value operand = n.input(0);
  n.result(n.b.emit<Op>(operand.getType(), operand, dims));
}

/// The statistics of a LayerNormalization: means, and 1 / deviation.
static void layerStatistics(NodeReading &n, Value operand, int64_t axis,
                            double epsilon) {
  ImportBuilder &b = n.b;
  SmallVector<int64_t> inner;
  for (int64_t i = axis; i < n.rank(0); ++i)
    inner.push_back(i);
  Value x = b.convert(operand, b.builder.getF32Type());
  Value mean = b.mean(x, inner, true),
        centered = b.binary<graph::SubOp>(x, mean);
  Value variance =
      b.mean(b.binary<graph::MulOp>(centered, centered), inner, true);
  n.result(1, mean);
  n.result(2,
           b.unary<graph::RsqrtOp>(b.binary<graph::AddOp>(variance, epsilon)));
}

static void importLayerNormalization(NodeReading &n) {
  int64_t axis = n.axisAttribute("axis", -1, n.rank(0));
  if (n.failed())
    return;
  bool wantsStatistics = n.wants(1) || n.wants(2);
  if (wantsStatistics && n.intAttribute("stash_type", 1) != 1)
    return n.fail(unsupported("statistics of a type that is not f32"));
  double epsilon = n.floatAttribute("epsilon", 1e-5f);
  Value operand = n.input(0);
  DimVector dims = n.b.dims(operand), inner(dims.begin() + axis, dims.end());
  Value scale = n.b.broadcastTo(n.input(1), inner);
  Value bias = n.has(2) ? n.b.broadcastTo(n.input(2), inner) : Value();
  n.result(n.b.emit<graph::LayerNormOp>(operand.getType(), operand, scale, bias,
                                        uint64_t(axis),
                                        llvm::APFloat(epsilon)));
  if (wantsStatistics)
    layerStatistics(n, operand, axis, epsilon);
}

static void importRMSNormalization(NodeReading &n) {
  int64_t axis = n.axisAttribute("axis", -1, n.rank(0));
  if (n.failed())
    return;
  Value operand = n.input(0);
  DimVector dims = n.b.dims(operand), inner(dims.begin() + axis, dims.end());
  Value scale = n.b.broadcastTo(n.input(1), inner);
  n.result(n.b.emit<graph::RmsNormOp>(
      operand.getType(), operand, scale, uint64_t(axis),
      llvm::APFloat(n.floatAttribute("epsilon", 1e-5f))));
}

/// Normalizes by the statistics of the input itself, and moves the running
/// statistics towards them.
static void trainBatchNormalization(NodeReading &n) {
  ImportBuilder &b = n.b;
  if (n.rank(0) < 2)
    return n.fail(
        invalid("BatchNormalization needs an input of rank 2 or more"));
  Type element = n.elementType(0),
       wide = element.isF64() ? element : Type(b.builder.getF32Type());
  SmallVector<int64_t> others;
  for (int64_t i = 0; i < n.rank(0); ++i)
    if (i != 1)
      others.push_back(i);
  DimVector dims = n.dims(0);
  auto perFeature = [&](Value vector) {
    return b.broadcast(vector, {1}, dims);
  };
  Value x = b.convert(n.input(0), wide), mean = b.mean(x, others, false);
  Value centered = b.binary<graph::SubOp>(x, perFeature(mean));
  Value variance =
      b.mean(b.binary<graph::MulOp>(centered, centered), others, false);
  Value deviation = b.unary<graph::SqrtOp>(
      b.binary<graph::AddOp>(variance, n.floatAttribute("epsilon", 1e-5f)));
  Value y = b.binary<graph::DivOp>(centered, perFeature(deviation));
  y = b.binary<graph::MulOp>(y, perFeature(b.convert(n.input(1), wide)));
  y = b.binary<graph::AddOp>(y, perFeature(b.convert(n.input(2), wide)));
  n.result(0, b.convert(y, element));
  double momentum = n.floatAttribute("momentum", 0.9f);
  auto setRunning = [&](size_t result, size_t input, Value current) {
    Value past =
              b.binary<graph::MulOp>(b.convert(n.input(input), wide), momentum),
          now = b.binary<graph::MulOp>(current, 1 - momentum);
    n.result(result, b.convert(b.binary<graph::AddOp>(past, now),
                               n.elementType(input)));
  };
  setRunning(1, 3, mean);
  setRunning(2, 4, variance);
}

/// Before opset 14 a node trains where it gives running statistics.
static bool trains(NodeReading &n) {
  constexpr int64_t sinceMode = 14;
  return n.version >= sinceMode ? n.intAttribute("training_mode", 0) != 0
                                : n.wants(1) || n.wants(2);
}

static void importBatchNormalization(NodeReading &n) {
  constexpr int64_t sinceOutputs = 7;
  if (n.version < sinceOutputs && (!n.intAttribute("is_test", 0) || trains(n)))
    return n.fail(unsupported("BatchNormalization in training mode"));
  if (n.version < 9 && !n.intAttribute("spatial", 1))
    return n.fail(
        unsupported("BatchNormalization with statistics per activation"));
  if (n.rank(0) < 2)
    return n.fail(
        invalid("BatchNormalization needs an input of rank 2 or more"));
  // What is saved for the gradient is left to each implementation.
  for (size_t i : {3, 4})
    if (n.wants(i))
      return n.fail(unsupported("saved statistics of BatchNormalization"));
  if (trains(n))
    return trainBatchNormalization(n);
  SmallVector<Value> values = n.allInputs();
  for (Value &value : values)
    value = n.b.convert(value, n.elementType(0));
  if (n.failed())
    return;
  n.result(n.b.emit<graph::BatchNormOp>(
      values[0].getType(), values[0], values[1], values[2], values[3],
      values[4], uint64_t(1),
      llvm::APFloat(n.floatAttribute("epsilon", 1e-5f))));
}

llvm::ArrayRef<OpRow> zenith::onnx::compositeRows() {
  static constexpr OpRow rows[] = {
      {"BatchNormalization", 1, newest, 5, 5, importBatchNormalization},
      {"LayerNormalization", 17, newest, 2, 3, importLayerNormalization},
      {"LogSoftmax", 1, 12, 1, 1, importFlatSoftmax<graph::LogSoftmaxOp>},
      {"LogSoftmax", 13, newest, 1, 1, importSoftmax<graph::LogSoftmaxOp>},
      {"RMSNormalization", 23, newest, 2, 2, importRMSNormalization},
      {"Softmax", 1, 12, 1, 1, importFlatSoftmax<graph::SoftmaxOp>},
      {"Softmax", 13, newest, 1, 1, importSoftmax<graph::SoftmaxOp>},
  };
  return rows;
}
