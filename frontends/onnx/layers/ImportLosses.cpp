// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of the losses that compare class scores with labels.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/import/NodeReading.h"

#include <fmt/format.h>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using graph::ReduceKind;
using llvm::ArrayRef;
using llvm::SmallVector;

static Value sumOfAll(ImportBuilder &b, Value value) {
  SmallVector<int64_t> all(b.dims(value).size());
  std::iota(all.begin(), all.end(), 0);
  return b.reduce(ReduceKind::sum, value, all, false);
}

static bool checkLabels(NodeReading &n) {
  int64_t rank = n.rank(0);
  if (rank < 2 || n.rank(1) != rank - 1 ||
      !(n.elementType(1).isSignlessInteger(32) ||
        n.elementType(1).isSignlessInteger(64)))
    n.fail(invalid("labels are no integers of the scores' shape without "
                   "the classes"));
  if (n.failed())
    return false;
  DimVector wanted = n.dims(0), labels = n.dims(1);
  DimExpr classes = wanted[1];
  wanted.erase(wanted.begin() + 1);
  auto differ = [](const DimExpr &lhs, const DimExpr &rhs) {
    return lhs.constant() && rhs.constant() && lhs != rhs;
  };
  for (auto [lhs, rhs] : llvm::zip(wanted, labels))
    if (differ(lhs, rhs))
      n.fail(invalid("scores and labels differ in shape"));
  if (n.has(2) && (n.rank(2) != 1 || differ(n.dims(2)[0], classes)))
    n.fail(invalid("there is not one weight per class"));
  if (!n.elementType(0).isF32() && !n.elementType(0).isF64())
    n.fail(unsupported("a loss of 16-bit floats"));
  std::string reduction = n.stringAttribute("reduction", "mean");
  if (reduction != "mean" && reduction != "sum" && reduction != "none")
    n.fail(invalid(fmt::format(
        "attribute 'reduction' is '{}', not mean, sum or none", reduction)));
  return !n.failed();
}

/// -score of the label, times the label's weight; 0 for the ignored label. The
/// mean divides by the sum of the weights that took part.
static Value labelLoss(NodeReading &n, Value scores) {
  ImportBuilder &b = n.b;
  Type i64 = b.builder.getI64Type(), element = n.elementType(0);
  Value zero = b.scalarConstant(element, 0),
        labels = b.convert(n.input(1), i64), isUsed;
  if (n.hasAttribute("ignore_index")) {
    isUsed = b.compare(CompareDirection::ne, labels,
                       b.scalar(DimExpr(n.intAttribute("ignore_index", 0))));
    // The ignored label may be out of range.
    labels = b.select(isUsed, labels, b.scalar(DimExpr(0)));
  }
  DimVector dims = b.dims(labels), column = dims;
  column.insert(column.begin() + 1, DimExpr(1));
  Value picked =
      b.reshape(gatherElements(b, scores, 1, b.reshape(labels, column)), dims);
  Value weights = n.has(2) ? gatherAlong(b, n.input(2), 0, labels)
                           : b.filled(dims, element, 1);
  if (isUsed)
    weights = b.select(isUsed, weights, zero);
  Value loss = b.unary<graph::NegOp>(picked);
  if (n.has(2))
    loss = b.binary<graph::MulOp>(loss, weights);
  if (isUsed)
    loss = b.select(isUsed, loss, zero);
  std::string reduction = n.stringAttribute("reduction", "mean");
  if (reduction == "none")
    return loss;
  Value sum = sumOfAll(b, loss);
  return reduction == "sum" ? sum
                            : b.binary<graph::DivOp>(sum, sumOfAll(b, weights));
}

static void importNegativeLogLikelihoodLoss(NodeReading &n) {
  if (checkLabels(n))
    n.result(labelLoss(n, n.input(0)));
}

static void importSoftmaxCrossEntropyLoss(NodeReading &n) {
  if (!checkLabels(n))
    return;
  Value scores = n.input(0);
  Value logits = n.b.emit<graph::LogSoftmaxOp>(scores.getType(), scores,
                                               ArrayRef<int64_t>(1));
  n.result(0, labelLoss(n, logits));
  if (n.wants(1))
    n.result(1, logits);
}

llvm::ArrayRef<OpRow> zenith::onnx::lossRows() {
  static constexpr OpRow rows[] = {
      {"NegativeLogLikelihoodLoss", 12, newest, 2, 3,
       importNegativeLogLikelihoodLoss},
      {"SoftmaxCrossEntropyLoss", 12, newest, 2, 3,
       importSoftmaxCrossEntropyLoss},
  };
  return rows;
}
