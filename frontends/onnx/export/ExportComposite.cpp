// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Export rules of composites: the operator of the same name if the opset has
// it, else its formula.
#include "frontends/onnx/export/ExportBuilder.h"

#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

static mlir::Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

/// Several dimensions are merged into one and split again.
template <typename Op>
static void writeSoftmax(Operation *op, ExportBuilder &b,
                         const ExportRow &row) {
  auto softmax = cast<Op>(op);
  ArrayRef<int64_t> dims = softmax.getDims();
  std::string x = b.name(softmax.getOperand());
  if (dims.size() == 1)
    return b.bind(op->getResult(0),
                  b.node(row.name, {x}, {makeInt("axis", dims[0])}));
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  SmallVector<int64_t> order, inverse(rank);
  SmallVector<Size> flat, folded, ordered;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(dims, dim))
      order.push_back(dim);
  for (int64_t dim : order)
    flat.push_back(b.size(softmax.getOperand(), dim));
  ordered = flat;
  for (int64_t dim : dims) {
    order.push_back(dim);
    folded.push_back(b.size(softmax.getOperand(), dim));
  }
  ordered.append(folded);
  flat.push_back(b.product(folded));
  for (auto [index, dim] : llvm::enumerate(order))
    inverse[dim] = index;
  std::string together = b.reshape(b.transpose(x, order), flat);
  std::string result =
      b.node(row.name, {together}, {makeInt("axis", int64_t(flat.size()) - 1)});
  b.bind(op->getResult(0), b.transpose(b.reshape(result, ordered), inverse));
}

static SmallVector<int64_t> dimsFrom(int64_t axis, Value value) {
  SmallVector<int64_t> dims(cast<RankedTensorType>(value.getType()).getRank() -
                            axis);
  std::iota(dims.begin(), dims.end(), axis);
  return dims;
}

static void writeLayerNorm(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto norm = cast<graph::LayerNormOp>(op);
  int64_t axis = norm.getAxis();
  double epsilon = norm.getEpsilon().convertToDouble();
  std::string x = b.name(norm.getOperand()),
              scale = norm.getScale() ? b.name(norm.getScale()) : "";
  std::string bias = norm.getBias() ? b.name(norm.getBias()) : "";
  if (b.opset >= 17 && norm.getScale()) {
    ExportBuilder::Names inputs = {x, scale};
    if (!bias.empty())
      inputs.push_back(bias);
    return b.bind(
        norm, b.node("LayerNormalization", inputs,
                     {makeInt("axis", axis), makeFloat("epsilon", epsilon)}));
  }
  SmallVector<int64_t> dims = dimsFrom(axis, norm.getOperand());
  std::string centred =
      b.node("Sub", {x, b.reduce("ReduceMean", x, dims, true)});
  std::string variance =
      b.reduce("ReduceMean", b.node("Mul", {centred, centred}), dims, true);
  std::string deviation = b.node(
      "Sqrt", {b.node("Add", {variance, b.scalar(elementOf(norm.getOperand()),
                                                 epsilon)})});
  std::string result = b.node("Div", {centred, deviation});
  if (!scale.empty())
    result = b.node("Mul", {result, scale});
  b.bind(norm, bias.empty() ? result : b.node("Add", {result, bias}));
}

static void writeRmsNorm(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto norm = cast<graph::RmsNormOp>(op);
  int64_t axis = norm.getAxis();
  double epsilon = norm.getEpsilon().convertToDouble();
  std::string x = b.name(norm.getOperand()),
              scale = norm.getScale() ? b.name(norm.getScale()) : "";
  if (b.opset >= 23 && norm.getScale())
    return b.bind(
        norm, b.node("RMSNormalization", {x, scale},
                     {makeInt("axis", axis), makeFloat("epsilon", epsilon)}));
  std::string square = b.reduce("ReduceMean", b.node("Mul", {x, x}),
                                dimsFrom(axis, norm.getOperand()), true);
  std::string root = b.node(
      "Sqrt", {b.node("Add", {square, b.scalar(elementOf(norm.getOperand()),
                                               epsilon)})});
  std::string result = b.node("Div", {x, root});
  b.bind(norm, scale.empty() ? result : b.node("Mul", {result, scale}));
}

static void writeBatchNorm(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto norm = cast<graph::BatchNormOp>(op);
  int64_t dim = norm.getDim(),
          rank = cast<RankedTensorType>(norm.getType()).getRank();
  SmallVector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (rank < 2)
    return b.fail(unsupported("a batch norm of a vector"));
  std::swap(order[dim], order[1]); // its own inverse
  ExportBuilder::Names inputs = {b.transpose(b.name(norm.getOperand()), order)};
  for (Value value :
       {norm.getScale(), norm.getBias(), norm.getMean(), norm.getVariance()})
    inputs.push_back(b.name(value));
  std::string result =
      b.node("BatchNormalization", inputs,
             {makeFloat("epsilon", norm.getEpsilon().convertToDouble())});
  b.bind(norm, b.transpose(result, order));
}

/// A mask that the runtime may draw as it likes; others depend on their key,
/// which ONNX has no op for.
static void writeDropout(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto dropout = cast<graph::DropoutOp>(op);
  if (!op->hasAttr("onnx.drawn_mask"))
    return b.fail(unsupported("dropout by a key needs opset 18"));
  Type element = elementOf(dropout.getOperand());
  std::string rate = b.scalar(element, dropout.getRate().convertToDouble()),
              trains = b.scalar(IntegerType::get(op->getContext(), 1), 1);
  b.bind(dropout,
         b.node("Dropout", {b.name(dropout.getOperand()), rate, trains}));
}

static void writeGelu(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto gelu = cast<graph::GeluOp>(op);
  bool tanh = gelu.getForm() == graph::GeluForm::tanh;
  std::string x = b.name(gelu.getOperand());
  if (b.opset >= 20)
    return b.bind(gelu,
                  b.node("Gelu", {x},
                         {makeString("approximate", tanh ? "tanh" : "none")}));
  mlir::Type element = elementOf(gelu.getOperand());
  auto constant = [&](double value) { return b.scalar(element, value); };
  std::string inner;
  if (tanh) {
    std::string cube = b.node("Mul", {b.node("Mul", {x, x}), x});
    std::string line =
        b.node("Add", {x, b.node("Mul", {cube, constant(0.044715)})});
    inner =
        b.node("Tanh", {b.node("Mul", {line, constant(std::sqrt(2 / M_PI))})});
  } else {
    inner = b.node("Erf", {b.node("Mul", {x, constant(std::sqrt(0.5))})});
  }
  std::string half = b.node("Mul", {x, constant(0.5)});
  b.bind(gelu, b.node("Mul", {half, b.node("Add", {inner, constant(1)})}));
}

/// Scores with a constant for keys that the mask or the positions exclude.
static std::string maskedScores(graph::AttentionOp attention, ExportBuilder &b,
                                std::string scores) {
  Type element = elementOf(attention.getQuery());
  auto lowest = [&] { return b.scalar(element, -INFINITY); };
  if (Value mask = attention.getMask()) {
    std::string name = b.broadcastable(mask);
    if (!elementOf(mask).isInteger(1))
      scores = b.node("Add", {scores, name});
    else if (auto removed = attention.getRemoved())
      scores = b.node("Where", {name, scores,
                                b.scalar(element, removed->convertToDouble())});
    else
      scores = b.node("Where", {name, scores, lowest()});
  }
  if (!attention.getCausal())
    return scores;
  int64_t rows = cast<RankedTensorType>(attention.getType()).getRank() - 2;
  auto indices = [&](Value of) {
    return b.node("Range", {b.intScalar(0), b.sizeName(b.size(of, rows)),
                            b.intScalar(1)});
  };
  std::string past =
      b.node("Sub", {b.sizeName(b.size(attention.getKey(), rows)),
                     b.sizeName(b.size(attention.getQuery(), rows))});
  std::string last =
      b.node("Unsqueeze", {indices(attention.getQuery()), b.ints({1})});
  std::string isLater = b.node(
      "Greater", {indices(attention.getKey()), b.node("Add", {last, past})});
  return b.node("Where", {isLater, lowest(), scores});
}

static void writeAttention(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto attention = cast<graph::AttentionOp>(op);
  int64_t rank = cast<RankedTensorType>(attention.getType()).getRank();
  SmallVector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[rank - 1], order[rank - 2]);
  std::string query = b.name(attention.getQuery()),
              keys = b.transpose(b.name(attention.getKey()), order);
  std::string scale = b.scalar(elementOf(attention.getQuery()),
                               attention.getScale().convertToDouble());
  std::string scores = b.node("Mul", {b.node("MatMul", {query, keys}), scale});
  scores = maskedScores(attention, b, std::move(scores));
  std::string weights = b.node("Softmax", {scores}, {makeInt("axis", -1)});
  if (attention.getGuarded())
    weights = b.node("Where",
                     {b.node("IsNaN", {weights}),
                      b.scalar(elementOf(attention.getQuery()), 0), weights});
  b.bind(attention, b.node("MatMul", {weights, b.name(attention.getValue())}));
}

llvm::ArrayRef<ExportRow> zenith::onnx::compositeExports() {
  static const ExportRow rows[] = {
      {"graph.attention", writeAttention},
      {"graph.batch_norm", writeBatchNorm},
      {"graph.dropout", writeDropout},
      {"graph.gelu", writeGelu},
      {"graph.layer_norm", writeLayerNorm},
      {"graph.log_softmax", writeSoftmax<graph::LogSoftmaxOp>, "LogSoftmax"},
      {"graph.rms_norm", writeRmsNorm},
      {"graph.softmax", writeSoftmax<graph::SoftmaxOp>, "Softmax"},
  };
  return rows;
}
