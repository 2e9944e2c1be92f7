// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning of the Composite family: the formula of each op in double, rounded
// once to the element type.

#include "ir/GraphOps.h"
#include "ir/interpreter/EvalReduction.h"
#include "ir/interpreter/StridedCopy.h"
#include "ir/tensor/MatrixProduct.h"
#include "ir/tensor/Scalar.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

// Elements of any float type as double.
static std::vector<double> doublesOf(const Tensor &tensor) {
  Tensor values = widened(tensor);
  if (values.elementType().isF64()) {
    ArrayRef<double> from = elementsOf<double>(values);
    return {from.begin(), from.end()};
  }
  ArrayRef<float> from = elementsOf<float>(values);
  return {from.begin(), from.end()};
}

static void storeDoubles(Tensor &result, ArrayRef<double> values) {
  ElementAccess access(result.elementType());
  char *to = result.writable();
  for (double value : values) {
    access.store(to, Scalar::ofFloat(value));
    to += access.bytes();
  }
}

// Calls fn(row, index of the row) on each row of doubles in place, then rounds.
template <typename Fn>
static Expected<Tensor> mapRows(const OpEvaluation &e, ArrayRef<int64_t> dims,
                                Fn &&fn) {
  Expected<Rows> rows = rowsOver(e, e.operand(0), dims);
  if (!rows)
    return rows.takeError();
  std::vector<double> values = doublesOf(rows->values);
  for (int64_t row = 0; rows->length > 0 && row < rows->count; ++row)
    fn(MutableArrayRef<double>(values).slice(size_t(row * rows->length),
                                             size_t(rows->length)),
       row);
  Expected<Tensor> result =
      e.temporary(rows->values.shape(), e.resultElement());
  if (!result)
    return result;
  storeDoubles(*result, values);
  Expected<Tensor> ordered = permuted(e, *result, inverseOf(rows->order));
  if (ordered)
    if (llvm::Error error = e.checkShape(ordered->shape()))
      return std::move(error);
  return ordered;
}

static double largestOf(ArrayRef<double> row) {
  double largest = -std::numeric_limits<double>::infinity();
  for (double x : row)
    if (x > largest || x != x)
      largest = x != x ? x : (largest != largest ? largest : x);
  return largest;
}

static void softmaxRow(MutableArrayRef<double> row) {
  double largest = largestOf(row), sum = 0;
  for (double &x : row)
    sum += x = std::exp(x - largest);
  for (double &x : row)
    x /= sum;
}

static void logSoftmaxRow(MutableArrayRef<double> row) {
  double largest = largestOf(row), sum = 0;
  for (double x : row)
    sum += std::exp(x - largest);
  for (double &x : row)
    x = (x - largest) - std::log(sum);
}

// The dimensions from `axis` to the last one.
static SmallVector<int64_t> dimsFrom(int64_t axis, const Tensor &operand) {
  SmallVector<int64_t> dims;
  for (int64_t i = axis, rank = operand.shape().size(); i < rank; ++i)
    dims.push_back(i);
  return dims;
}

// Checks that a scale or bias has the shape of the operand's dimensions from
// `axis` on.
static llvm::Error checkScale(const OpEvaluation &e, unsigned operand,
                              int64_t axis) {
  if (e.operand(operand).shape() != e.operand(0).shape().drop_front(axis))
    return e.fail(
        "operand " + Twine(operand) +
        " has another shape at run time than the normalised dimensions");
  return llvm::Error::success();
}

static Expected<Tensor> evaluateLayerNorm(graph::LayerNormOp op,
                                          const OpEvaluation &e) {
  std::vector<double> scale, bias;
  for (unsigned i = 1; i < e.operands.size(); ++i) {
    if (llvm::Error error = checkScale(e, i, op.getAxis()))
      return std::move(error);
    (i == 1 && op.getScale() ? scale : bias) = doublesOf(e.operand(i));
  }
  double epsilon = op.getEpsilon().convertToDouble();
  auto dims = dimsFrom(op.getAxis(), e.operand(0));
  return mapRows(e, dims, [&](MutableArrayRef<double> row, int64_t) {
    double mean = 0, variance = 0;
    for (double x : row)
      mean += x;
    mean /= double(row.size());
    for (double x : row)
      variance += (x - mean) * (x - mean);
    double factor = 1.0 / std::sqrt(variance / double(row.size()) + epsilon);
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = (row[i] - mean) * factor;
      if (!scale.empty())
        row[i] *= scale[i];
      if (!bias.empty())
        row[i] += bias[i];
    }
  });
}

static Expected<Tensor> evaluateRmsNorm(graph::RmsNormOp op,
                                        const OpEvaluation &e) {
  std::vector<double> scale;
  if (op.getScale()) {
    if (llvm::Error error = checkScale(e, 1, op.getAxis()))
      return std::move(error);
    scale = doublesOf(e.operand(1));
  }
  double epsilon = op.getEpsilon().convertToDouble();
  auto dims = dimsFrom(op.getAxis(), e.operand(0));
  return mapRows(e, dims, [&](MutableArrayRef<double> row, int64_t) {
    double squares = 0;
    for (double x : row)
      squares += x * x;
    double factor = 1.0 / std::sqrt(squares / double(row.size()) + epsilon);
    for (size_t i = 0; i < row.size(); ++i)
      row[i] *= scale.empty() ? factor : factor * scale[i];
  });
}

static Expected<Tensor> evaluateBatchNorm(graph::BatchNormOp op,
                                          const OpEvaluation &e) {
  int64_t dim = op.getDim(), size = e.operand(0).shape()[dim];
  std::vector<double> vectors[4];
  for (unsigned i = 0; i < 4; ++i) {
    if (e.operand(i + 1).size() != size)
      return e.fail("operand " + Twine(i + 1) + " has " +
                    Twine(e.operand(i + 1).size()) +
                    " elements at run time, dimension " + Twine(dim) + " is " +
                    Twine(size));
    vectors[i] = doublesOf(e.operand(i + 1));
  }
  const std::vector<double> &scale = vectors[0], &bias = vectors[1];
  const std::vector<double> &mean = vectors[2], &variance = vectors[3];
  double epsilon = op.getEpsilon().convertToDouble();
  return mapRows(e, {dim}, [&](MutableArrayRef<double> row, int64_t) {
    for (size_t i = 0; i < row.size(); ++i)
      row[i] =
          (row[i] - mean[i]) / std::sqrt(variance[i] + epsilon) * scale[i] +
          bias[i];
  });
}

static double geluErf(double x) { return x * 0.5 * std::erfc(-x * M_SQRT1_2); }
static double geluTanh(double x) {
  double inner = 0.5 * M_2_SQRTPI * M_SQRT2 * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1.0 + std::tanh(inner));
}

static Expected<Tensor> evaluateGelu(graph::GeluOp op, const OpEvaluation &e) {
  Expected<Tensor> result = e.allocate(e.operand(0).shape());
  if (!result)
    return result;
  std::vector<double> values = doublesOf(e.operand(0));
  bool exact = op.getForm() == graph::GeluForm::erf;
  for (double &x : values)
    x = exact ? geluErf(x) : geluTanh(x);
  storeDoubles(*result, values);
  return result;
}

namespace {
struct AttentionSizes {
  int64_t batch = 1, queries, keys, depth, features;
};
} // namespace

static Expected<AttentionSizes> attentionSizes(graph::AttentionOp op,
                                               const OpEvaluation &e) {
  ArrayRef<int64_t> q = e.operand(0).shape(), k = e.operand(1).shape(),
                    v = e.operand(2).shape();
  size_t lead = q.size() - 2;
  AttentionSizes sizes{1, q[lead], k[lead], q[lead + 1], v[lead + 1]};
  bool agree = k[lead + 1] == sizes.depth && v[lead] == sizes.keys &&
               k.take_front(lead) == q.take_front(lead) &&
               v.take_front(lead) == q.take_front(lead);
  if (op.getMask()) {
    Shape mask(q.drop_back());
    mask.push_back(sizes.keys);
    agree = agree && e.operand(3).shape() == ArrayRef<int64_t>(mask);
  }
  if (!agree)
    return e.fail(
        "shapes of query, key, value and mask do not fit at run time");
  for (int64_t size : q.take_front(lead))
    sizes.batch *= size;
  return sizes;
}

namespace {
// Applies a mask to the scores.
class AttentionMask {
public:
  AttentionMask(graph::AttentionOp op, const OpEvaluation &e) {
    if (!op.getMask())
      return;
    const Tensor &mask = e.operand(3);
    if (!mask.elementType().isInteger(1)) {
      summands = doublesOf(mask);
      return;
    }
    // Rounded like all constants of the formula.
    removed = -std::numeric_limits<double>::infinity();
    if (op.getRemoved())
      removed = e.resultElement().isF64()
                    ? op.getRemoved()->convertToDouble()
                    : double(float(op.getRemoved()->convertToDouble()));
    ElementAccess access(mask.elementType());
    const char *from = mask.bytes();
    for (int64_t i = 0; i < mask.size(); ++i, from += access.bytes())
      kept.push_back(access.load(from).isNonZero());
  }
  double apply(double score, size_t key) const {
    if (!kept.empty())
      return kept[key] ? score : removed;
    return summands.empty() ? score : score + summands[key];
  }

private:
  std::vector<double> summands;
  std::vector<bool> kept;
  double removed = 0;
};
} // namespace

static Expected<Tensor> evaluateAttention(graph::AttentionOp op,
                                          const OpEvaluation &e) {
  Expected<AttentionSizes> known = attentionSizes(op, e);
  if (!known)
    return known.takeError();
  auto [batch, queries, keys, depth, features] = *known;
  Shape shape(e.operand(0).shape());
  shape.back() = features;
  Expected<Tensor> result = e.allocate(shape);
  if (!result)
    return result;
  std::vector<double> q = doublesOf(e.operand(0)), k = doublesOf(e.operand(1)),
                      v = doublesOf(e.operand(2));
  AttentionMask mask(op, e);
  std::vector<double> out(size_t(result->size())),
      row(static_cast<size_t>(keys));
  double scale = op.getScale().convertToDouble();
  for (int64_t line = 0; line < batch * queries; ++line) {
    int64_t b = line / queries, s = line % queries;
    const double *left = q.data() + line * depth;
    for (int64_t t = 0; t < keys; ++t) {
      const double *right = k.data() + (b * keys + t) * depth;
      double sum = 0;
      for (int64_t d = 0; d < depth; ++d)
        sum += left[d] * right[d];
      row[t] = mask.apply(sum * scale, size_t(line * keys + t));
      if (op.getCausal() && t > s + keys - queries)
        row[t] = -std::numeric_limits<double>::infinity();
    }
    softmaxRow(row);
    if (op.getGuarded())
      for (double &weight : row)
        weight = weight != weight ? 0 : weight;
    double *to = out.data() + line * features;
    for (int64_t t = 0; t < keys; ++t)
      for (int64_t f = 0; f < features; ++f)
        to[f] += row[t] * v[(b * keys + t) * features + f];
  }
  storeDoubles(*result, out);
  return result;
}

Expected<Tensor> zenith::interpreter::evaluateComposite(const OpEvaluation &e) {
  if (auto op = dyn_cast<graph::SoftmaxOp>(e.op))
    return mapRows(e, op.getDims(), [](MutableArrayRef<double> row, int64_t) {
      softmaxRow(row);
    });
  if (auto op = dyn_cast<graph::LogSoftmaxOp>(e.op))
    return mapRows(e, op.getDims(), [](MutableArrayRef<double> row, int64_t) {
      logSoftmaxRow(row);
    });
  if (auto op = dyn_cast<graph::LayerNormOp>(e.op))
    return evaluateLayerNorm(op, e);
  if (auto op = dyn_cast<graph::RmsNormOp>(e.op))
    return evaluateRmsNorm(op, e);
  if (auto op = dyn_cast<graph::BatchNormOp>(e.op))
    return evaluateBatchNorm(op, e);
  if (auto op = dyn_cast<graph::GeluOp>(e.op))
    return evaluateGelu(op, e);
  if (auto op = dyn_cast<graph::AttentionOp>(e.op))
    return evaluateAttention(op, e);
  return e.fail("has no meaning in the interpreter", ErrorCode::Unsupported);
}
