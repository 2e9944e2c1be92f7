// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of classical learning (ai.onnx.ml) but for trees: scaling,
// encoding, linear models, support vectors.
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
// Encoders
//===----------------------------------------------------------------------===//

/// Which key each element equals: booleans with the keys in a new last
/// dimension.
static Value matches(ImportBuilder &b, Value x, Value keys) {
  DimVector dims = b.dims(x);
  dims.push_back(DimExpr(1));
  ScalarValue column(b, b.reshape(x, dims)), key(b, keys);
  Value equal = column.compare(CompareDirection::eq, key);
  if (!isa<FloatType>(getElementTypeOrSelf(x.getType())))
    return equal;
  Value bothNaN =
      b.binary<graph::AndOp>(column.compare(CompareDirection::ne, column),
                             key.compare(CompareDirection::ne, key));
  return b.binary<graph::OrOp>(equal, bothNaN);
}

constexpr size_t mostKeys = 1 << 12;

static void importOneHotEncoder(NodeReading &n) {
  ImportBuilder &b = n.b;
  std::vector<double> categories = numbersAttribute(n, "cats_int64s");
  if (categories.empty() || categories.size() > mostKeys)
    return n.fail(
        unsupported("OneHotEncoder whose categories are strings, or too many"));
  if (!n.intAttribute("zeros", 1))
    return n.fail(
        unsupported("OneHotEncoder that fails on unknown categories"));
  Type i64 = b.builder.getI64Type();
  Value keys = constantTable(b, categories, {int64_t(categories.size())}, i64);
  n.result(b.convert(matches(b, b.convert(n.input(0), i64), keys), f32Of(n)));
}

/// The one attribute of PREFIX_int64s, PREFIX_floats and PREFIX_tensor, and the
/// type of its elements.
static std::vector<double>
encoderList(NodeReading &n, const std::string &prefix, Type &element) {
  if (n.hasAttribute((prefix + "_int64s").c_str())) {
    element = n.b.builder.getI64Type();
    return numbersAttribute(n, (prefix + "_int64s").c_str());
  }
  if (n.hasAttribute((prefix + "_floats").c_str())) {
    element = f32Of(n);
    return numbersAttribute(n, (prefix + "_floats").c_str());
  }
  const NodeAttribute *tensor = n.node.attribute(prefix + "_tensor");
  if (tensor && !tensor->tensors.empty())
    element = elementTypeOf(tensor->tensors[0].type, n.b.builder.getContext());
  if (!element) {
    n.fail(
        unsupported(fmt::format("LabelEncoder whose {} are strings", prefix)));
    return {};
  }
  return numbersAttribute(n, (prefix + "_tensor").c_str());
}

static void importLabelEncoder(NodeReading &n) {
  ImportBuilder &b = n.b;
  Type keyType, valueType;
  std::vector<double> keys = encoderList(n, "keys", keyType),
                      values = encoderList(n, "values", valueType),
                      given = numbersAttribute(n, "default_tensor");
  if (n.failed())
    return;
  if (keys.size() != values.size() || keys.empty() ||
      keyType != n.elementType(0))
    return n.fail(
        invalid("keys and values do not fit each other or the input"));
  if (keys.size() > mostKeys)
    return n.fail(unsupported("LabelEncoder of so many keys"));
  double otherwise = isa<FloatType>(valueType)
                         ? n.floatAttribute("default_float", -0.0f)
                         : double(n.intAttribute("default_int64", -1));
  if (given.size() == 1)
    otherwise = given[0];
  int64_t count = keys.size(), rank = n.rank(0);
  Type i32 = b.builder.getI32Type(), i64 = b.builder.getI64Type();
  Value found =
      matches(b, n.input(0), constantTable(b, keys, {count}, keyType));
  Value position = b.emit<graph::ArgReduceOp>(
      b.typeOf(n.dims(0), i64), ReduceKind::max, b.convert(found, i32), rank,
      /*last=*/true);
  Value any = b.reduce(ReduceKind::any, found, {rank}, false);
  Value value =
      gatherAlong(b, constantTable(b, values, {count}, valueType), 0, position);
  n.result(ScalarValue(b, value).where(any, otherwise));
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// x times the transposed table of [rows, features]: [samples, rows].
static Value timesTransposed(ImportBuilder &b, Value x, Value table) {
  auto dimsAttr =
      graph::DotDimsAttr::get(b.builder.getContext(), {}, {}, {1}, {1});
  return b.emit<graph::DotGeneralOp>(
      b.typeOf({b.dims(x)[0], b.dims(table)[0]},
               getElementTypeOrSelf(x.getType())),
      x, table, dimsAttr);
}

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

static void importLinearClassifier(NodeReading &n) {
  ImportBuilder &b = n.b;
  const NodeAttribute *words = n.node.attribute("classlabels_strings");
  size_t classes = words && !words->strings.empty()
                       ? words->strings.size()
                       : n.intsAttribute("classlabels_ints").size();
  size_t weights = numbersAttribute(n, "coefficients").size();
  auto features = n.rank(0) ? n.dims(0).back().constant() : std::nullopt;
  if (!features || *features < 1 || classes == 0)
    return n.fail(invalid("LinearClassifier without classes or features"));
  int64_t rows = weights / *features;
  if (rows != int64_t(classes))
    return n.fail(unsupported(fmt::format(
        "LinearClassifier of {} classes by {} scores", classes, rows)));
  Value scores = linearScores(n, rows);
  if (n.failed())
    return;
  Value best = b.emit<graph::ArgReduceOp>(
      b.typeOf({b.dims(scores)[0]}, b.builder.getI64Type()), ReduceKind::max,
      scores, 1, /*last=*/false);
  setLabels(n, best, "classlabels_ints");
  Value result =
      transformedScores(n, scores, n.stringAttribute("post_transform", "NONE"));
  if (!n.failed())
    n.result(1, result);
}

static void importSVMRegressor(NodeReading &n) {
  ImportBuilder &b = n.b;
  int64_t supports = n.intAttribute("n_supports", 0);
  std::vector<double> vectors = numbersAttribute(n, "support_vectors"),
                      weights = numbersAttribute(n, "coefficients"),
                      rho = numbersAttribute(n, "rho"),
                      params = numbersAttribute(n, "kernel_params");
  std::string kernel = n.stringAttribute("kernel_type", "LINEAR");
  Value x = samplesOf(n, f32Of(n));
  if (n.failed())
    return;
  auto features = b.dims(x)[1].constant();
  params.resize(3, 0);
  bool isLinear = supports == 0;
  int64_t rows = isLinear ? 1 : supports;
  const std::vector<double> &table = isLinear ? weights : vectors;
  if (!features || supports < 0 || rho.empty() ||
      int64_t(table.size()) != rows * *features ||
      (!isLinear && int64_t(weights.size()) != supports))
    return n.fail(invalid("support vectors and coefficients do not fit"));
  Value vectorTable = constantTable(b, table, {rows, *features}, f32Of(n));
  ScalarValue dots(b, timesTransposed(b, x, vectorTable));
  ScalarValue value = dots;
  if (kernel == "POLY") {
    ScalarValue base = dots * params[0] + params[1];
    value = {b, b.binary<graph::PowOp>(base, params[2])};
  } else if (kernel == "SIGMOID") {
    value = (dots * params[0] + params[1]).apply<graph::TanhOp>();
  } else if (kernel == "RBF") {
    ScalarValue samples(b, x), support(b, vectorTable);
    ScalarValue square(b,
                       b.reduce(ReduceKind::sum, samples * samples, {1}, true)),
        other(b, b.reduce(ReduceKind::sum, support * support, {1}, false));
    value = ((square + other - dots * 2.0).max(0.0) * -params[0])
                .apply<graph::ExpOp>();
  } else if (kernel != "LINEAR") {
    return n.fail(
        invalid(fmt::format("attribute 'kernel_type' is '{}'", kernel)));
  }
  if (!isLinear)
    value = {
        b, timesTransposed(b, value,
                           constantTable(b, weights, {1, supports}, f32Of(n)))};
  value = value + rho[0];
  if (n.intAttribute("one_class", 0)) {
    ScalarValue one = value.constant(1);
    value = one.where(value.compare(CompareDirection::gt, 0.0), -1.0);
    return n.result(b.broadcastTo(value, {b.dims(x)[0], DimExpr(1)}));
  }
  Value result =
      transformedScores(n, value, n.stringAttribute("post_transform", "NONE"));
  if (!n.failed())
    n.result(result);
}

llvm::ArrayRef<OpRow> zenith::onnx::learningRows() {
  static constexpr OpRow rows[] = {
      {"ArrayFeatureExtractor", 1, newest, 2, 2, importArrayFeatureExtractor},
      {"Binarizer", 1, newest, 1, 1, importBinarizer},
      {"FeatureVectorizer", 1, newest, 1, anyNumber, importFeatureVectorizer},
      {"Imputer", 1, newest, 1, 1, importImputer},
      {"LabelEncoder", 2, newest, 1, 1, importLabelEncoder},
      {"LinearClassifier", 1, newest, 1, 1, importLinearClassifier},
      {"LinearRegressor", 1, newest, 1, 1, importLinearRegressor},
      {"Normalizer", 1, newest, 1, 1, importNormalizer},
      {"OneHotEncoder", 1, newest, 1, 1, importOneHotEncoder},
      {"SVMRegressor", 1, newest, 1, 1, importSVMRegressor},
      {"Scaler", 1, newest, 1, 1, importScaler},
  };
  return rows;
}
