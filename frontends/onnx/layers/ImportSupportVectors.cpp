// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of support vector machines (ai.onnx.ml): kernels of samples and
// support vectors, and classes by votes of pairs of them.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/import/LoopBuilder.h"
#include "frontends/onnx/layers/LearningReading.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using graph::ReduceKind;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The kernel of each sample of x with each row of a table:
/// [samples, rows].
static Value kernelOf(NodeReading &n, Value x, Value table) {
  ImportBuilder &b = n.b;
  std::vector<double> params = numbersAttribute(n, "kernel_params");
  std::string kernel = n.stringAttribute("kernel_type", "LINEAR");
  params.resize(3, 0);
  double gamma = params[0], offset = params[1], degree = params[2];
  ScalarValue dots(b, timesTransposed(b, x, table));
  if (kernel == "POLY") {
    ScalarValue base = dots * gamma + offset;
    return b.binary<graph::PowOp>(base, degree);
  }
  if (kernel == "SIGMOID")
    return (dots * gamma + offset).apply<graph::TanhOp>();
  if (kernel != "RBF")
    return dots;
  ScalarValue samples(b, x), support(b, table);
  ScalarValue square(b,
                     b.reduce(ReduceKind::sum, samples * samples, {1}, true)),
      other(b, b.reduce(ReduceKind::sum, support * support, {1}, false));
  return ((square + other - dots * 2.0).max(0.0) * -gamma)
      .apply<graph::ExpOp>();
}

//===----------------------------------------------------------------------===//
// Regression
//===----------------------------------------------------------------------===//

static void importSVMRegressor(NodeReading &n) {
  ImportBuilder &b = n.b;
  Type f32 = b.builder.getF32Type();
  int64_t supports = n.intAttribute("n_supports", 0);
  std::vector<double> vectors = numbersAttribute(n, "support_vectors"),
                      weights = numbersAttribute(n, "coefficients"),
                      rho = numbersAttribute(n, "rho");
  Value x = samplesOf(n, f32);
  if (n.failed())
    return;
  auto features = b.dims(x)[1].constant();
  bool isLinear = supports == 0;
  int64_t rows = isLinear ? 1 : supports;
  const std::vector<double> &table = isLinear ? weights : vectors;
  if (!features || supports < 0 || rho.empty() ||
      int64_t(table.size()) != rows * *features ||
      (!isLinear && int64_t(weights.size()) != supports))
    return n.fail(invalid("support vectors and coefficients do not fit"));
  ScalarValue value(
      b, kernelOf(n, x, constantTable(b, table, {rows, *features}, f32)));
  if (!isLinear)
    value = {b, timesTransposed(b, value,
                                constantTable(b, weights, {1, supports}, f32))};
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

//===----------------------------------------------------------------------===//
// Classification
//===----------------------------------------------------------------------===//

namespace {

/// A classifier of pairs of classes: class i of a pair (i, j), i < j, where the
/// score is positive, else class j.
class PairClassifier {
public:
  explicit PairClassifier(NodeReading &n)
      : n(n), b(n.b), f32(b.builder.getF32Type()) {}
  void run();

private:
  bool read();
  Value pairScores();
  Value votes(Value scores);
  Value pairProbabilities(Value scores);
  Value coupled(Value matrix);
  Value signedScores(Value scores);

  NodeReading &n;
  ImportBuilder &b;
  Type f32;
  int64_t classes = 0, supports = 0, features = 0;
  std::vector<double> counts, coefficients, vectors, rho, slopes, offsets;
  SmallVector<std::pair<int64_t, int64_t>> pairs;
};

} // namespace

bool PairClassifier::read() {
  classes = classCount(n, "classlabels_ints");
  counts = numbersAttribute(n, "vectors_per_class");
  coefficients = numbersAttribute(n, "coefficients");
  vectors = numbersAttribute(n, "support_vectors");
  rho = numbersAttribute(n, "rho");
  slopes = numbersAttribute(n, "prob_a");
  offsets = numbersAttribute(n, "prob_b");
  for (double count : counts)
    supports += int64_t(count);
  if (counts.empty())
    n.fail(unsupported("SVMClassifier without support vectors"));
  auto known = n.rank(0) ? n.dims(0).back().constant() : std::nullopt;
  features = known.value_or(0);
  for (int64_t i = 0; i < classes; ++i)
    for (int64_t j = i + 1; j < classes; ++j)
      pairs.push_back({i, j});
  constexpr int64_t mostClasses = 256;
  bool fits = classes >= 2 && classes <= mostClasses && features > 0 &&
              int64_t(counts.size()) == classes && supports > 0 &&
              int64_t(vectors.size()) == supports * features &&
              int64_t(coefficients.size()) == supports * (classes - 1) &&
              rho.size() == pairs.size() && slopes.size() == offsets.size() &&
              (slopes.empty() || slopes.size() == pairs.size());
  if (!n.failed() && !fits)
    n.fail(invalid(fmt::format(
        "{} support vectors, {} coefficients and {} offsets of {} classes and "
        "{} features",
        supports, coefficients.size(), rho.size(), classes, features)));
  return !n.failed();
}

/// [samples, pairs]: a pair weighs the vectors of its two classes.
Value PairClassifier::pairScores() {
  std::vector<int64_t> start = {0};
  for (double count : counts)
    start.push_back(start.back() + int64_t(count));
  std::vector<double> weights(pairs.size() * supports, 0);
  for (auto [row, pair] : llvm::enumerate(pairs)) {
    auto [i, j] = pair;
    for (int64_t m = start[i]; m < start[i + 1]; ++m)
      weights[row * supports + m] = coefficients[(j - 1) * supports + m];
    for (int64_t m = start[j]; m < start[j + 1]; ++m)
      weights[row * supports + m] = coefficients[i * supports + m];
  }
  int64_t count = pairs.size();
  Value kernels =
      kernelOf(n, samplesOf(n, f32),
               constantTable(b, vectors, {supports, features}, f32));
  Value sums = timesTransposed(
      b, kernels, constantTable(b, weights, {count, supports}, f32));
  return b.binary<graph::AddOp>(sums, constantTable(b, rho, {count}, f32));
}

/// [samples, classes]
Value PairClassifier::votes(Value scores) {
  int64_t count = pairs.size();
  std::vector<double> turns(classes * count, 0), base(classes, 0);
  for (auto [index, pair] : llvm::enumerate(pairs)) {
    turns[pair.first * count + index] = 1;
    turns[pair.second * count + index] = -1;
    base[pair.second] += 1;
  }
  Value isFirst = ScalarValue(b, scores).compare(CompareDirection::gt, 0.0);
  Value sums = timesTransposed(b, b.convert(isFirst, f32),
                               constantTable(b, turns, {classes, count}, f32));
  return b.binary<graph::AddOp>(sums, constantTable(b, base, {classes}, f32));
}

/// [samples, classes, classes]: how probable the row's class is against the
/// column's, by a logistic function of the pair's score.
Value PairClassifier::pairProbabilities(Value scores) {
  int64_t count = pairs.size();
  ScalarValue line =
      ScalarValue(b, scores) *
          ScalarValue(b, constantTable(b, slopes, {count}, f32)) +
      ScalarValue(b, constantTable(b, offsets, {count}, f32));
  constexpr double least = 1e-7;
  ScalarValue first =
      (1.0 - line.apply<graph::LogisticOp>()).max(least).min(1 - least);
  Value both = b.concat(1, {first, 1.0 - first});
  SmallVector<int64_t> from(classes * classes, 0);
  for (auto [index, pair] : llvm::enumerate(pairs)) {
    from[pair.first * classes + pair.second] = index;
    from[pair.second * classes + pair.first] = count + index;
  }
  Value matrix = gatherAlong(b, both, 1, b.intVector(from));
  return b.reshape(matrix,
                   {b.dims(scores)[0], DimExpr(classes), DimExpr(classes)});
}

/// The probabilities that agree best with those of all pairs (Wu, Lin and Weng,
/// 2004, second method): coordinate steps until the error is below 0.005 /
/// classes, at most 100.
Value PairClassifier::coupled(Value matrix) {
  DimExpr samples = b.dims(matrix)[0], count(classes);
  SmallVector<double> others(classes * classes, 1), one(classes * classes, 0);
  for (int64_t i = 0; i < classes; ++i) {
    others[i * classes + i] = 0;
    one[i * classes + i] = 1;
  }
  ScalarValue off(b, constantTable(b, others, {classes, classes}, f32)),
      unit(b, constantTable(b, one, {classes, classes}, f32));
  ScalarValue r = ScalarValue(b, matrix) * off,
              turned(b, b.transpose(r, {0, 2, 1}));
  ScalarValue diagonal(b,
                       b.reduce(ReduceKind::sum, turned * turned, {2}, true));
  ScalarValue q = diagonal * unit - r * turned;
  auto column = [&](Value value) { // [samples, 1]
    return ScalarValue(b, b.reshape(value, {samples, DimExpr(1)}));
  };
  auto sum = [&](ScalarValue value) {
    return ScalarValue(b, b.reduce(ReduceKind::sum, value, {1}, true));
  };
  auto product = [&](ScalarValue p) { // q times p: [samples, classes]
    ScalarValue row(b, b.reshape(p, {samples, DimExpr(1), count}));
    return ScalarValue(b, b.reduce(ReduceKind::sum, q * row, {2}, false));
  };
  auto errors = [&](ScalarValue p) {
    ScalarValue qp = product(p);
    return ScalarValue(
        b, b.reduce(ReduceKind::max, (qp - sum(p * qp)).abs(), {1}, true));
  };
  double limit = 0.005 / double(classes);
  auto body = [&](ValueRange carried) -> Values {
    ScalarValue step(b, carried[0]), start(b, carried[1]), qp = product(start);
    Value shouldStep = errors(start).compare(CompareDirection::ge, limit);
    Values next = buildFor(
        b, b.scalar(count), {start, qp, sum(start * qp)},
        [&](Value index, ValueRange state) -> Values {
          ScalarValue p(b, state[0]), qp(b, state[1]), pqp(b, state[2]);
          Value row = takeAt(b, q, 1, index);
          ScalarValue own = column(takeAt(b, row, 1, index)),
                      ownQp = column(takeAt(b, qp, 1, index)),
                      change = (pqp - ownQp) / own, scale = change + 1.0,
                      mask(b, b.reshape(takeAt(b, unit, 0, index),
                                        {DimExpr(1), count}));
          ScalarValue newPqp =
              (pqp + change * (change * own + ownQp * 2.0)) / scale / scale;
          return {(p + mask * change) / scale,
                  (qp + change * ScalarValue(b, row)) / scale, newPqp};
        });
    return {step + 1.0, b.select(shouldStep, next[0], start)};
  };
  auto condition = [&](ValueRange carried) -> Values {
    ScalarValue step(b, carried[0]), p(b, carried[1]);
    Value open =
        b.reduce(ReduceKind::any,
                 errors(p).compare(CompareDirection::ge, limit), {0, 1}, false);
    return {b.binary<graph::AndOp>(open,
                                   step.compare(CompareDirection::lt, 100.0))};
  };
  Value start = b.filled({samples, count}, f32, 1.0 / double(classes));
  return buildWhile(b, {b.scalarConstant(b.builder.getI64Type(), 0), start},
                    condition, body)[1];
}

/// What the operator gives without probabilities: the scores of all pairs; of
/// two classes, the score for each.
Value PairClassifier::signedScores(Value scores) {
  std::string transform = n.stringAttribute("post_transform", "NONE");
  if (classes > 2)
    return transformedScores(n, scores, transform);
  ScalarValue score(b, scores);
  ScalarValue other = transform == "NONE" ? score * -1.0 : 1.0 - score;
  return b.concat(1, {other, score});
}

void PairClassifier::run() {
  if (!read())
    return;
  Value scores = pairScores();
  if (n.failed())
    return;
  setLabels(n, largestScore(b, votes(scores)), "classlabels_ints");
  Value result =
      slopes.empty()
          ? signedScores(scores)
          : transformedScores(n, coupled(pairProbabilities(scores)),
                              n.stringAttribute("post_transform", "NONE"));
  if (!n.failed())
    n.result(1, result);
}

static void importSVMClassifier(NodeReading &n) { PairClassifier(n).run(); }

llvm::ArrayRef<OpRow> zenith::onnx::supportVectorRows() {
  static constexpr OpRow rows[] = {
      {"SVMClassifier", 1, newest, 1, 1, importSVMClassifier},
      {"SVMRegressor", 1, newest, 1, 1, importSVMRegressor},
  };
  return rows;
}
