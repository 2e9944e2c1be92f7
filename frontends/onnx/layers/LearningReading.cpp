// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads lists of attributes and turns scores into results.
#include "frontends/onnx/layers/LearningReading.h"
#include "frontends/onnx/import/IndexReading.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using graph::ReduceKind;
using llvm::ArrayRef;
using llvm::SmallVector;

static std::vector<double> numbersOf(NodeReading &n, const Tensor &tensor) {
  std::vector<double> values;
  Type element = elementTypeOf(tensor.type, n.b.builder.getContext());
  if (auto integers = integersOf(tensor)) {
    values.assign(integers->begin(), integers->end());
    return values;
  }
  if (!isa_and_nonnull<FloatType>(element)) {
    n.fail(unsupported(
        fmt::format("attributes of type {}", dataTypeName(tensor.type))));
    return values;
  }
  auto type = RankedTensorType::get(tensor.dims, element);
  for (const llvm::APFloat &value :
       denseElements(tensor, type).getValues<llvm::APFloat>())
    values.push_back(value.convertToDouble());
  return values;
}

std::vector<double> zenith::onnx::numbersAttribute(NodeReading &n,
                                                   const char *name) {
  const NodeAttribute *found = n.node.attribute(name);
  if (!found)
    found = n.node.attribute(std::string(name) + "_as_tensor");
  if (!found)
    return {};
  if (found->kind == NodeAttribute::TensorValue && !found->tensors.empty())
    return numbersOf(n, found->tensors.front());
  if (found->kind == NodeAttribute::Ints)
    return {found->ints.begin(), found->ints.end()};
  return {found->floats.begin(), found->floats.end()};
}

Value zenith::onnx::constantTable(ImportBuilder &b, ArrayRef<double> values,
                                  ArrayRef<int64_t> shape, Type element) {
  auto type = RankedTensorType::get(shape, b.builder.getF64Type());
  Value table = b.constant(DenseElementsAttr::get(type, values));
  return b.convert(table, element);
}

Value zenith::onnx::samplesOf(NodeReading &n, Type element) {
  ImportBuilder &b = n.b;
  Value x = b.convert(n.input(0), element);
  if (n.rank(0) == 1)
    return b.reshape(x, {DimExpr(1), n.dims(0)[0]});
  if (n.rank(0) != 2)
    n.fail(invalid(fmt::format("{} needs an input of rank 1 or 2", n.node.op)));
  return x;
}

/// The quantile of the normal distribution by an approximation of the inverse
/// error function that needs logarithms and roots only.
static ScalarValue probit(ScalarValue x) {
  constexpr double a = 0.147, pi = 3.14159265358979323846;
  ScalarValue y = x * 2.0 - 1.0;
  ScalarValue logarithm = ((1.0 - y) * (1.0 + y)).apply<graph::LogOp>();
  ScalarValue v = logarithm * 0.5 + 2 / (pi * a);
  ScalarValue root = ((v * v - logarithm / a).sqrt() - v).sqrt();
  ScalarValue negative = root * -1.0;
  return negative.where(y.compare(CompareDirection::lt, 0.0), root) *
         std::sqrt(2.0);
}

Value zenith::onnx::transformedScores(NodeReading &n, Value scores,
                                      llvm::StringRef transform) {
  ImportBuilder &b = n.b;
  ScalarValue x(b, scores);
  if (transform == "NONE")
    return scores;
  if (transform == "LOGISTIC")
    return x.apply<graph::LogisticOp>();
  if (transform == "PROBIT")
    return probit(x);
  if (transform == "SOFTMAX")
    return b.emit<graph::SoftmaxOp>(scores.getType(), scores,
                                    ArrayRef<int64_t>(1));
  if (transform == "SOFTMAX_ZERO") {
    // Scores of zero stay zero and get no share.
    Value counts = x.abs().compare(CompareDirection::gt, 1e-7);
    ScalarValue largest(b, b.reduce(ReduceKind::max, scores, {1}, true));
    ScalarValue powers = (x - largest).apply<graph::ExpOp>().where(counts, 0.0);
    ScalarValue sum(b, b.reduce(ReduceKind::sum, powers, {1}, true));
    return (powers / sum).where(sum.compare(CompareDirection::gt, 0.0), 0.0);
  }
  n.fail(invalid(
      fmt::format("attribute 'post_transform' is '{}'", transform.str())));
  return scores;
}

Value zenith::onnx::timesTransposed(ImportBuilder &b, Value x, Value table) {
  auto dimsAttr =
      graph::DotDimsAttr::get(b.builder.getContext(), {}, {}, {1}, {1});
  return b.emit<graph::DotGeneralOp>(
      b.typeOf({b.dims(x)[0], b.dims(table)[0]},
               getElementTypeOrSelf(x.getType())),
      x, table, dimsAttr);
}

Value zenith::onnx::largestScore(ImportBuilder &b, Value scores) {
  return b.emit<graph::ArgReduceOp>(
      b.typeOf({b.dims(scores)[0]}, b.builder.getI64Type()), ReduceKind::max,
      scores, 1, /*last=*/false);
}

static const std::vector<std::string> *wordLabels(NodeReading &n) {
  const NodeAttribute *words = n.node.attribute("classlabels_strings");
  return words && !words->strings.empty() ? &words->strings : nullptr;
}

int64_t zenith::onnx::classCount(NodeReading &n, const char *attribute) {
  if (const std::vector<std::string> *words = wordLabels(n))
    return words->size();
  return n.intsAttribute(attribute).size();
}

void zenith::onnx::setLabels(NodeReading &n, Value classes,
                             const char *attribute) {
  if (const std::vector<std::string> *words = wordLabels(n))
    return n.result(0, classes, *words);
  SmallVector<int64_t> labels = n.intsAttribute(attribute);
  if (!labels.empty() && !n.failed())
    n.result(0, gatherAlong(n.b, n.b.intVector(labels), 0, classes));
}
