// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formulas of losses: those of optax.losses, with derivatives that are right
// where absolute values and maxima have a corner.

#include "frontends/training/Losses.h"

#include "frontends/files/ElementNames.h"
#include "frontends/models/Suggestion.h"
#include "frontends/training/CallArguments.h"
#include "ir/tensor/Scalar.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using zenith::graph::CompareDirection;
using zenith::graph::ReduceKind;

namespace zenith::training {

/// log(1 + exp(x)), whose derivative at 0 is 1/2 and which never overflows.
static Value softplus(StepBuilder &b, Value x) {
  Value isPositive = b.compare(CompareDirection::gt, x, 0.0);
  Value below = b.select(isPositive, b.neg(x), x);
  Value above = b.select(isPositive, x, b.scalarLike(x, 0));
  return b.add(above, b.log1p(b.exp(below)));
}

static Value meanSquare(StepBuilder &b, Value x, Value y) {
  return b.meanAll(b.square(b.sub(x, y)));
}

static Value meanAbsolute(StepBuilder &b, Value x, Value y) {
  return b.meanAll(b.abs(b.sub(x, y)));
}

static Value logCosh(StepBuilder &b, Value x, Value y) {
  Value size = b.abs(b.sub(x, y));
  Value tail = b.log1p(b.exp(b.mul(size, -2.0)));
  return b.meanAll(b.sub(b.add(size, tail), std::log(2.0)));
}

static Value binaryCrossEntropy(StepBuilder &b, Value x, Value y) {
  // softplus(x) - x y = -y log p - (1 - y) log(1 - p)
  return b.meanAll(b.sub(softplus(b, x), b.mul(x, y)));
}

static Value hinge(StepBuilder &b, Value x, Value y) {
  Value margin = b.mul(x, y);
  return b.meanAll(b.max(b.sub(b.scalarLike(margin, 1), margin), 0.0));
}

/// Mean over positions of a sum over the last dimension.
static Value meanOfSums(StepBuilder &b, Value x) {
  int64_t classes = StepBuilder::typeOf(x).getShape().back();
  return b.mul(b.meanAll(x), double(classes));
}

/// Predictions are logarithms of probabilities, as in optax.kl_divergence.
static Value divergence(StepBuilder &b, Value x, Value y) {
  Value isZero = b.compare(CompareDirection::eq, y, 0.0);
  Value entropy = b.log(b.select(isZero, b.scalarLike(y, 1), y));
  return meanOfSums(b, b.mul(y, b.sub(entropy, x)));
}

static Value huber(StepBuilder &b, Value x, Value y, double delta) {
  Value size = b.abs(b.sub(x, y)), inside = b.min(size, delta);
  Value outside = b.sub(size, inside);
  return b.meanAll(b.add(b.mul(b.square(inside), 0.5), b.mul(outside, delta)));
}

static Value logSoftmax(StepBuilder &b, Value x) {
  return b.builder.create<graph::LogSoftmaxOp>(
      b.loc, x.getType(), x, ArrayRef(StepBuilder::typeOf(x).getRank() - 1));
}

/// Labels are probabilities.
static Value softCrossEntropy(StepBuilder &b, Value x, Value y,
                              double smoothing) {
  double classes = double(StepBuilder::typeOf(x).getShape().back());
  if (smoothing != 0)
    y = b.add(b.mul(y, 1 - smoothing), smoothing / classes);
  return b.neg(meanOfSums(b, b.mul(y, logSoftmax(b, x))));
}

/// Labels are classes; one product with a one-hot row picks the logarithm, so
/// that everything is one pass over the logits.
static Value classCrossEntropy(StepBuilder &b, Value x, Value y,
                               double smoothing,
                               std::optional<int64_t> ignored) {
  RankedTensorType type = StepBuilder::typeOf(x);
  int64_t last = type.getRank() - 1;
  double classes = double(type.getDimSize(last));
  Value logs = logSoftmax(b, x);
  RankedTensorType indices = type.clone(StepBuilder::elementOf(y));
  Value positions = b.builder.create<graph::IotaOp>(
      b.loc, indices, uint64_t(last), ValueRange());
  Value isLabel = b.compare(CompareDirection::eq, positions,
                            b.repeat(y, {last}, positions));
  Value picked = b.reduce(
      ReduceKind::sum, b.select(isLabel, logs, b.scalarLike(logs, 0)), {last});
  if (smoothing != 0)
    picked = b.add(
        b.mul(picked, 1 - smoothing),
        b.mul(b.reduce(ReduceKind::sum, logs, {last}), smoothing / classes));
  if (!ignored)
    return b.neg(b.meanAll(picked));
  Value counts = b.compare(CompareDirection::ne, y, double(*ignored));
  Value sum = b.sumAll(b.select(counts, picked, b.scalarLike(picked, 0)));
  Value count = b.sumAll(b.convert(counts, StepBuilder::elementOf(picked)));
  return b.neg(b.div(sum, b.max(count, 1.0)));
}

namespace {
struct LossRow {
  const char *name, *signature;
  Value (*formula)(StepBuilder &, Value, Value); ///< null: has arguments
};
} // namespace

static constexpr LossRow rows[] = {
    {"mse", "", meanSquare},
    {"mae", "", meanAbsolute},
    {"huber", "delta=1.0", nullptr},
    {"log_cosh", "", logCosh},
    {"cross_entropy", "label_smoothing=0.0, ignore_index=None", nullptr},
    {"binary_cross_entropy", "", binaryCrossEntropy},
    {"hinge", "", hinge},
    {"kl_divergence", "", divergence},
    {"output", "name", nullptr}};

Result<Loss> Loss::read(const std::string &text) {
  TextReading reading{"--loss", {}};
  Result<Expression> call = parseExpression(text, reading.option);
  if (!call)
    return std::move(call.error());
  std::vector<std::string> names;
  for (const LossRow &row : rows)
    names.push_back(row.name);
  const LossRow *row = llvm::find_if(
      rows, [&](const LossRow &row) { return call->text == row.name; });
  if (call->kind != Expression::Kind::Call || row == std::end(rows))
    return Error{ErrorCode::Usage,
                 "--loss: there is no loss '" + text + "'" +
                     models::suggestion(call->text, names),
                 {}};
  CallArguments arguments(*call, row->signature, reading);
  if (reading.error)
    return std::move(*reading.error);
  Loss loss;
  loss.formula = row->formula;
  if (call->text == "huber") {
    double delta = arguments.number("delta");
    loss.formula = [=](StepBuilder &b, Value x, Value y) {
      return huber(b, x, y, delta);
    };
  } else if (call->text == "cross_entropy") {
    loss.isCrossEntropy = true;
    double smoothing = arguments.number("label_smoothing");
    if (!(smoothing >= 0 && smoothing <= 1))
      arguments.fail("argument 'label_smoothing' is not in [0, 1]");
    if (arguments["ignore_index"].kind != Expression::Kind::None)
      loss.ignoreIndex = arguments.integer("ignore_index");
    loss.formula = [smoothing, ignored = loss.ignoreIndex](StepBuilder &b,
                                                           Value x, Value y) {
      return isa<FloatType>(StepBuilder::elementOf(y))
                 ? softCrossEntropy(b, x, y, smoothing)
                 : classCrossEntropy(b, x, y, smoothing, ignored);
    };
  } else if (call->text == "output") {
    // A name stands without quotes, too.
    const Expression &name = arguments["name"];
    loss.result = name.text;
    if (name.kind != Expression::Kind::Call &&
        name.kind != Expression::Kind::String)
      arguments.fail("argument 'name' is the name of a result");
  }
  if (reading.error)
    return std::move(*reading.error);
  return loss;
}

/// Sizes other than 1.
static SmallVector<int64_t> squeezed(RankedTensorType type) {
  SmallVector<int64_t> sizes;
  llvm::copy_if(type.getShape(), std::back_inserter(sizes),
                [](int64_t size) { return size != 1; });
  return sizes;
}

Status Loss::check(RankedTensorType prediction, RankedTensorType label,
                   const std::string &key) const {
  bool byClass = isCrossEntropy && !isa<FloatType>(label.getElementType());
  ArrayRef<int64_t> expected = prediction.getShape();
  if (isCrossEntropy && expected.empty())
    return invalid("--labels " + key + ": output '" + key +
                   "' is a scalar, which has no classes");
  if (byClass)
    expected = expected.drop_back();
  auto wanted = RankedTensorType::get(expected, label.getElementType());
  bool fits = label.getShape() == expected ||
              (squeezed(label) == squeezed(wanted) &&
               label.getNumElements() == wanted.getNumElements());
  if (!fits)
    return invalid("--labels " + key + ": labels of a batch are " +
                   files::typeText(label) + ", output '" + key + "' is " +
                   files::typeText(prediction) + ", which needs " +
                   files::typeText(wanted));
  if (!isa<FloatType>(prediction.getElementType()))
    return invalid("--labels " + key + ": output '" + key + "' is " +
                   files::typeText(prediction) + ", which has no derivative");
  return noError();
}

Value Loss::build(StepBuilder &b, Value prediction, Value label) const {
  if (!StepBuilder::elementOf(prediction).isF64())
    prediction = b.convert(prediction, b.builder.getF32Type());
  bool byClass =
      isCrossEntropy && !isa<FloatType>(StepBuilder::elementOf(label));
  ArrayRef<int64_t> shape = StepBuilder::typeOf(prediction).getShape();
  label = b.reshape(label, byClass ? shape.drop_back() : shape);
  if (!byClass)
    label = b.convert(label, StepBuilder::elementOf(prediction));
  return formula(b, prediction, label);
}

Status Loss::checkClasses(const Tensor &labels, int64_t classes,
                          const std::string &key) const {
  if (!isCrossEntropy || isa<FloatType>(labels.elementType()))
    return noError();
  unsigned bytes = elementBytes(labels.elementType());
  bool isUnsigned = labels.elementType().isUnsignedInteger();
  for (int64_t i = 0; i < labels.size(); ++i) {
    // Little-endian, sign-extended unless the type has no sign.
    uint64_t bits = 0;
    std::memcpy(&bits, labels.bytes() + i * bytes, bytes);
    unsigned unused = 64 - 8 * bytes;
    int64_t label =
        isUnsigned ? int64_t(bits) : int64_t(bits << unused) >> unused;
    if ((label >= 0 && label < classes) || label == ignoreIndex)
      continue;
    std::string position;
    int64_t rest = i;
    for (int64_t size : llvm::reverse(labels.shape())) {
      position = std::to_string(rest % size) + (position.empty() ? "" : ", ") +
                 position;
      rest /= size;
    }
    return invalid("--labels " + key + ": label " + std::to_string(label) +
                   " at [" + position + "] is not in [0, " +
                   std::to_string(classes) + ")");
  }
  return noError();
}

} // namespace zenith::training
