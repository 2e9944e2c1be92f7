// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of classical learning (ai.onnx.ml): scaling, selection and
// linear models.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/import/SampleReading.h"
#include "frontends/onnx/layers/LearningReading.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using graph::ReduceKind;
using llvm::ArrayRef;
using llvm::SmallVector;

static Type f32Of(NodeReading &n) { return n.b.builder.getF32Type(); }

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

/// A list with one entry, or one per feature, in f32.
static Value perFeature(NodeReading &n, const char *name, double otherwise) {
  std::vector<double> values = numbersAttribute(n, name);
  if (values.empty())
    values = {otherwise};
  auto features = n.rank(0) ? n.dims(0).back().constant() : 1;
  if (values.size() != 1 && features && *features != int64_t(values.size()))
    n.fail(invalid(fmt::format("attribute '{}' has {} entries for {} features",
                               name, values.size(), *features)));
  return constantTable(n.b, values, {int64_t(values.size())}, f32Of(n));
}

static void importScaler(NodeReading &n) {
  ScalarValue x(n.b, n.b.convert(n.input(0), f32Of(n)));
  ScalarValue offset(n.b, perFeature(n, "offset", 0)),
      scale(n.b, perFeature(n, "scale", 1));
  if (!n.failed())
    n.result((x - offset) * scale);
}

static void importNormalizer(NodeReading &n) {
  ImportBuilder &b = n.b;
  std::string norm = n.stringAttribute("norm", "MAX");
  int64_t last = n.rank(0) - 1;
  if (last < 0 || last > 1 || (norm != "MAX" && norm != "L1" && norm != "L2"))
    return n.fail(
        invalid(fmt::format("norm {} of an input of rank {}", norm, last + 1)));
  ScalarValue x(b, b.convert(n.input(0), f32Of(n)));
  auto reduced = [&](ReduceKind kind, Value value) {
    return ScalarValue(b, b.reduce(kind, value, {last}, true));
  };
  ScalarValue divisor = norm == "MAX"  ? reduced(ReduceKind::max, x)
                        : norm == "L1" ? reduced(ReduceKind::sum, x.abs())
                                       : reduced(ReduceKind::sum, x * x).sqrt();
  n.result(x.where(divisor.compare(CompareDirection::eq, 0.0), x / divisor));
}

static void importBinarizer(NodeReading &n) {
  double threshold = n.floatAttribute("threshold", 0);
  ScalarValue x(n.b, n.input(0));
  // An integer is above a threshold if it is above the threshold's integer
  // part.
  if (isa<IntegerType>(n.elementType(0)))
    threshold = std::floor(threshold);
  n.result(n.b.convert(x.compare(CompareDirection::gt, threshold),
                       n.elementType(0)));
}

static void importFeatureVectorizer(NodeReading &n) {
  ImportBuilder &b = n.b;
  SmallVector<int64_t> sizes = n.intsAttribute("inputdimensions");
  SmallVector<Value> parts;
  for (size_t i = 0; i < n.inputCount(); ++i) {
    if (!n.has(i) || n.rank(i) < 1 || n.rank(i) > 2)
      return n.fail(invalid("FeatureVectorizer needs inputs of rank 1 or 2"));
    Value part = b.convert(n.input(i), f32Of(n));
    if (n.rank(i) == 1)
      part = b.reshape(part, {DimExpr(1), n.dims(i)[0]});
    auto size = b.dims(part)[1].constant();
    if (i < sizes.size() && size && *size != sizes[i])
      return n.fail(unsupported(fmt::format(
          "an input of {} features where {} are declared", *size, sizes[i])));
    parts.push_back(part);
  }
  n.result(b.concat(1, parts));
}

static void importArrayFeatureExtractor(NodeReading &n) {
  ImportBuilder &b = n.b;
  if (n.rank(0) < 1)
    return n.fail(invalid("ArrayFeatureExtractor of a scalar"));
  Value x = n.input(0), at = b.reshape(n.input(1), {b.product(n.dims(1))});
  if (n.rank(0) == 1)
    x = b.reshape(x, {DimExpr(1), n.dims(0)[0]});
  n.result(gatherAlong(b, x, b.dims(x).size() - 1, at));
}

static void importImputer(NodeReading &n) {
  ImportBuilder &b = n.b;
  Type element = n.elementType(0);
  bool isFloat = isa<FloatType>(element);
  const char *name = isFloat ? "imputed_value_floats" : "imputed_value_int64s";
  std::vector<double> values = numbersAttribute(n, name);
  if (values.empty() || n.rank(0) < 1)
    return n.fail(invalid(fmt::format("attribute '{}' is missing", name)));
  auto features = n.dims(0).back().constant();
  if (values.size() != 1 && features != int64_t(values.size()))
    return n.fail(invalid(fmt::format("{} values to impute for {} features",
                                      values.size(), n.dims(0).back().str())));
  ScalarValue x(b, n.input(0)),
      imputed(b, constantTable(b, values, {int64_t(values.size())}, element));
  double replaced = isFloat ? n.floatAttribute("replaced_value_float", 0)
                            : double(n.intAttribute("replaced_value_int64", 0));
  Value isMissing = std::isnan(replaced)
                        ? x.compare(CompareDirection::ne, x)
                        : x.compare(CompareDirection::eq, replaced);
  n.result(imputed.where(isMissing, x));
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// The linear scores of `rows` targets.
static Value linearScores(NodeReading &n, int64_t rows) {
  ImportBuilder &b = n.b;
  std::vector<double> weights = numbersAttribute(n, "coefficients"),
                      intercepts = numbersAttribute(n, "intercepts");
  Value x = samplesOf(n, f32Of(n));
  if (n.failed())
    return x;
  auto features = b.dims(x)[1].constant();
  if (rows < 1 || !features || int64_t(weights.size()) != rows * *features ||
      (!intercepts.empty() && int64_t(intercepts.size()) != rows)) {
    n.fail(invalid(fmt::format("{} coefficients and {} intercepts for {} "
                               "targets",
                               weights.size(), intercepts.size(), rows)));
    return x;
  }
  Value scores = timesTransposed(
      b, x, constantTable(b, weights, {rows, *features}, f32Of(n)));
  if (intercepts.empty())
    return scores;
  return b.binary<graph::AddOp>(scores,
                                constantTable(b, intercepts, {rows}, f32Of(n)));
}

static void importLinearRegressor(NodeReading &n) {
  Value scores = linearScores(n, n.intAttribute("targets", 1));
  if (n.failed())
    return;
  Value result =
      transformedScores(n, scores, n.stringAttribute("post_transform", "NONE"));
  if (!n.failed())
    n.result(result);
}

/// Two classes by one score: the second one where the score is positive.
static void classesBySign(NodeReading &n, ScalarValue score,
                          llvm::StringRef transform) {
  ImportBuilder &b = n.b;
  Value isSecond = score.compare(CompareDirection::gt, 0.0);
  setLabels(n,
            b.reshape(b.convert(isSecond, b.builder.getI64Type()),
                      {b.dims(score)[0]}),
            "classlabels_ints");
  if (transform != "NONE" && transform != "LOGISTIC")
    return n.fail(unsupported(
        fmt::format("{} of two classes by one score", transform.str())));
  ScalarValue second =
      transform == "LOGISTIC" ? score.apply<graph::LogisticOp>() : score;
  n.result(1, b.concat(1, {1.0 - second, second}));
}

static void importLinearClassifier(NodeReading &n) {
  ImportBuilder &b = n.b;
  int64_t classes = classCount(n, "classlabels_ints");
  size_t weights = numbersAttribute(n, "coefficients").size();
  auto features = n.rank(0) ? n.dims(0).back().constant() : std::nullopt;
  if (!features || *features < 1 || classes == 0)
    return n.fail(invalid("LinearClassifier without classes or features"));
  int64_t rows = weights / *features;
  if (rows != classes && !(rows == 1 && classes == 2))
    return n.fail(unsupported(fmt::format(
        "LinearClassifier of {} classes by {} scores", classes, rows)));
  Value scores = linearScores(n, rows);
  std::string transform = n.stringAttribute("post_transform", "NONE");
  if (n.failed())
    return;
  if (rows != classes)
    return classesBySign(n, {b, scores}, transform);
  setLabels(n, largestScore(b, scores), "classlabels_ints");
  Value result = transformedScores(n, scores, transform);
  if (!n.failed())
    n.result(1, result);
}

llvm::ArrayRef<OpRow> zenith::onnx::learningRows() {
  static constexpr OpRow rows[] = {
      {"ArrayFeatureExtractor", 1, newest, 2, 2, importArrayFeatureExtractor,
       nullptr, false, Emulated::Moved},
      {"Binarizer", 1, newest, 1, 1, importBinarizer},
      {"FeatureVectorizer", 1, newest, 1, anyNumber, importFeatureVectorizer},
      {"Imputer", 1, newest, 1, 1, importImputer},
      {"LinearClassifier", 1, newest, 1, 1, importLinearClassifier},
      {"LinearRegressor", 1, newest, 1, 1, importLinearRegressor},
      {"Normalizer", 1, newest, 1, 1, importNormalizer},
      {"Scaler", 1, newest, 1, 1, importScaler},
  };
  return rows;
}
