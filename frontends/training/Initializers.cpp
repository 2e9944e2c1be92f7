// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formulas of jax.nn.initializers. Random numbers come from GraphIR's ops,
// which the interpreter runs: they have jax.random's bits.

#include "frontends/training/Initializers.h"

#include "frontends/files/ElementNames.h"
#include "frontends/models/Suggestion.h"
#include "frontends/training/CallArguments.h"
#include "frontends/training/StepBuilder.h"
#include "ir/LLVMError.h"
#include "ir/interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;

namespace zenith::training {

/// The value that `build` makes of the key fold_in(key(seed), number).
static llvm::Expected<Tensor>
evaluate(MLIRContext *context, uint64_t seed, int64_t number,
         llvm::function_ref<Value(StepBuilder &, Value key)> build) {
  OpBuilder builder(context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto function = builder.create<func::FuncOp>(loc, "main",
                                               builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  StepBuilder b(builder, loc);
  auto word = builder.getIntegerType(32, /*isSigned=*/false);
  auto type = RankedTensorType::get({2}, word);
  const APInt words[] = {APInt(32, seed >> 32), APInt(32, uint32_t(seed))};
  Value key = builder.create<graph::ConstantOp>(
      loc, cast<ElementsAttr>(DenseElementsAttr::get(type, ArrayRef(words))));
  Value data = b.scalar(builder.getI64Type(), double(number));
  key = builder.create<graph::FoldInOp>(loc, type, key, data);
  Value result = build(b, key);
  function.setFunctionType(builder.getFunctionType({}, result.getType()));
  builder.create<func::ReturnOp>(loc, result);
  auto values = interpreter::run(function, {});
  if (!values)
    return values.takeError();
  return std::move(values->front());
}

llvm::Expected<std::vector<int64_t>>
permutation(MLIRContext *context, uint64_t seed, int64_t epoch, int64_t count) {
  auto type = RankedTensorType::get({count}, IntegerType::get(context, 64));
  auto value = evaluate(context, seed, epoch, [&](StepBuilder &b, Value key) {
    return b.builder.create<graph::RandomPermutationOp>(b.loc, type, key)
        .getResult();
  });
  if (!value)
    return value.takeError();
  auto *begin = reinterpret_cast<const int64_t *>(value->bytes());
  return std::vector<int64_t>(begin, begin + count);
}

llvm::Expected<Tensor> foldedKey(MLIRContext *context, uint64_t seed,
                                 int64_t number) {
  return evaluate(context, seed, number,
                  [](StepBuilder &, Value key) { return key; });
}

//===----------------------------------------------------------------------===//
// Distributions
//===----------------------------------------------------------------------===//

static Value normal(StepBuilder &b, Value key, RankedTensorType type) {
  return b.builder.create<graph::RandomNormalOp>(b.loc, type, key,
                                                 ValueRange());
}

static Value uniform(StepBuilder &b, Value key, RankedTensorType type,
                     double low, double high) {
  return b.builder.create<graph::RandomUniformOp>(
      b.loc, type, key, ValueRange(), llvm::APFloat(low), llvm::APFloat(high));
}

static Value truncatedNormal(StepBuilder &b, Value key, RankedTensorType type,
                             double lower, double upper) {
  return b.builder.create<graph::RandomTruncatedNormalOp>(
      b.loc, type, key, ValueRange(), llvm::APFloat(lower),
      llvm::APFloat(upper));
}

using BuildValues =
    std::function<Value(StepBuilder &, Value key, RankedTensorType type)>;

static Initializer::Make drawn(BuildValues build) {
  return [=](RankedTensorType type, FanDims, uint64_t seed, int64_t number) {
    return evaluate(
        type.getContext(), seed, number,
        [&](StepBuilder &b, Value key) { return build(b, key, type); });
  };
}

static Initializer::Make filledWith(double value) {
  return drawn([=](StepBuilder &b, Value, RankedTensorType type) {
    return b.filled(type, value);
  });
}

namespace {
enum class Fan { In, Average };
enum class Distribution { TruncatedNormal, Uniform };
} // namespace

/// jax.nn.initializers.variance_scaling: the variance is scale / fan.
static Initializer::Make scaledVariance(double scale, Fan fan,
                                        Distribution distribution) {
  return [=](RankedTensorType type, FanDims fans, uint64_t seed,
             int64_t number) -> llvm::Expected<Tensor> {
    int64_t rank = type.getRank();
    if (rank < 2)
      return makeError(ErrorCode::Usage,
                       "--init: a parameter of type " + files::typeText(type) +
                           " has no fans; zeros() and ones() need none");
    auto size = [&](int64_t d) {
      return double(type.getDimSize(d < 0 ? d + rank : d));
    };
    double all = double(type.getNumElements());
    double in = all / size(fans.out), out = all / size(fans.in);
    double variance =
        scale / std::max(fan == Fan::In ? in : (in + out) / 2, 1.0);
    // The standard deviation of a normal distribution cut at 2.
    constexpr double cutDeviation = .87962566103423978;
    return evaluate(
        type.getContext(), seed, number, [&](StepBuilder &b, Value key) {
          if (distribution == Distribution::Uniform)
            return b.mul(uniform(b, key, type, -1, 1), std::sqrt(3 * variance));
          return b.mul(truncatedNormal(b, key, type, -2, 2),
                       std::sqrt(variance) / cutDeviation);
        });
  };
}

/// Makes columns orthonormal, in f64: Gram and Schmidt's way, twice, gives the
/// factor Q of A = QR whose R has a positive diagonal, which is unique.
static void orthonormalise(std::vector<double> &a, int64_t rows,
                           int64_t columns) {
  auto at = [&](int64_t r, int64_t c) -> double & {
    return a[r * columns + c];
  };
  for (int64_t c = 0; c < columns; ++c) {
    for (int pass = 0; pass < 2; ++pass)
      for (int64_t before = 0; before < c; ++before) {
        double product = 0;
        for (int64_t r = 0; r < rows; ++r)
          product += at(r, before) * at(r, c);
        for (int64_t r = 0; r < rows; ++r)
          at(r, c) -= product * at(r, before);
      }
    double square = 0;
    for (int64_t r = 0; r < rows; ++r)
      square += at(r, c) * at(r, c);
    for (int64_t r = 0; r < rows; ++r)
      at(r, c) /= std::sqrt(square);
  }
}

static Initializer::Make orthogonal(double scale, int64_t axis) {
  return [=](RankedTensorType type, FanDims, uint64_t seed,
             int64_t number) -> llvm::Expected<Tensor> {
    int64_t rank = type.getRank(), dim = axis < 0 ? axis + rank : axis;
    if (rank < 2 || dim < 0 || dim >= rank)
      return makeError(ErrorCode::Usage,
                       "--init: orthogonal needs a parameter of rank 2 or "
                       "more, got " +
                           files::typeText(type));
    int64_t columns = type.getDimSize(dim);
    int64_t rows = type.getNumElements() / std::max<int64_t>(columns, 1);
    int64_t tall = std::max(rows, columns), narrow = std::min(rows, columns);
    auto values = evaluate(
        type.getContext(), seed, number, [&](StepBuilder &b, Value key) {
          auto f32 = b.builder.getF32Type();
          return normal(b, key, RankedTensorType::get({tall, narrow}, f32));
        });
    if (!values)
      return values.takeError();
    auto *drawn = reinterpret_cast<const float *>(values->bytes());
    std::vector<double> a(drawn, drawn + tall * narrow);
    orthonormalise(a, tall, narrow);
    // Element (row, column) of the matrix, the column along `dim`.
    Tensor result(type.clone(Float32Type::get(type.getContext())));
    auto *to = reinterpret_cast<float *>(result.writable());
    int64_t inner = 1;
    for (int64_t d = dim + 1; d < rank; ++d)
      inner *= type.getDimSize(d);
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      int64_t column = i / inner % columns;
      int64_t row = i / (inner * columns) * inner + i % inner;
      double value =
          rows >= columns ? a[row * narrow + column] : a[column * narrow + row];
      to[i] = float(scale * value);
    }
    return result;
  };
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {
struct InitializerRow {
  const char *name, *signature;
  Initializer::Make (*make)(const CallArguments &);
};
} // namespace

template <int scale, Fan fan, Distribution distribution>
static Initializer::Make makeScaled(const CallArguments &) {
  return scaledVariance(scale, fan, distribution);
}

static Initializer::Make makeNormal(const CallArguments &a) {
  double deviation = a.number("stddev");
  return drawn([=](StepBuilder &b, Value key, RankedTensorType type) {
    return b.mul(normal(b, key, type), deviation);
  });
}

static Initializer::Make makeUniform(const CallArguments &a) {
  double scale = a.number("scale");
  return drawn([=](StepBuilder &b, Value key, RankedTensorType type) {
    return b.mul(uniform(b, key, type, 0, 1), scale);
  });
}

static Initializer::Make makeTruncatedNormal(const CallArguments &a) {
  double deviation = a.number("stddev"), lower = a.number("lower"),
         upper = a.number("upper");
  if (!(lower < upper))
    a.fail("needs lower < upper");
  return drawn([=](StepBuilder &b, Value key, RankedTensorType type) {
    return b.mul(truncatedNormal(b, key, type, lower, upper), deviation);
  });
}

static constexpr InitializerRow rows[] = {
    {"zeros", "", [](const CallArguments &) { return filledWith(0); }},
    {"ones", "", [](const CallArguments &) { return filledWith(1); }},
    {"constant", "value",
     [](const CallArguments &a) { return filledWith(a.number("value")); }},
    {"normal", "stddev=1e-2", makeNormal},
    {"uniform", "scale=1e-2", makeUniform},
    {"truncated_normal", "stddev=1e-2, lower=-2.0, upper=2.0",
     makeTruncatedNormal},
    {"lecun_normal", "", makeScaled<1, Fan::In, Distribution::TruncatedNormal>},
    {"lecun_uniform", "", makeScaled<1, Fan::In, Distribution::Uniform>},
    {"glorot_normal", "",
     makeScaled<1, Fan::Average, Distribution::TruncatedNormal>},
    {"glorot_uniform", "", makeScaled<1, Fan::Average, Distribution::Uniform>},
    {"xavier_normal", "",
     makeScaled<1, Fan::Average, Distribution::TruncatedNormal>},
    {"xavier_uniform", "", makeScaled<1, Fan::Average, Distribution::Uniform>},
    {"he_normal", "", makeScaled<2, Fan::In, Distribution::TruncatedNormal>},
    {"he_uniform", "", makeScaled<2, Fan::In, Distribution::Uniform>},
    {"kaiming_normal", "",
     makeScaled<2, Fan::In, Distribution::TruncatedNormal>},
    {"kaiming_uniform", "", makeScaled<2, Fan::In, Distribution::Uniform>},
    {"orthogonal", "scale=1.0, column_axis=-1", [](const CallArguments &a) {
       return orthogonal(a.number("scale"), a.integer("column_axis"));
     }}};

Result<Initializer> Initializer::read(const std::string &text) {
  TextReading reading{"--init", {}};
  size_t equal = text.find('=');
  // A glob has no '=', and arguments have one only after a parenthesis.
  if (equal == std::string::npos || text.find('(') < equal)
    return Error{ErrorCode::Usage,
                 "--init needs GLOB=NAME(...), got '" + text + "'",
                 {}};
  Initializer result;
  result.glob = text.substr(0, equal);
  if (Status status = checkGlob(result.glob, reading.option); !status)
    return std::move(status.error());
  Result<Expression> call =
      parseExpression(text.substr(equal + 1), reading.option);
  if (!call)
    return std::move(call.error());
  std::vector<std::string> names;
  for (const InitializerRow &row : rows) {
    names.push_back(row.name);
    if (call->kind != Expression::Kind::Call || call->text != row.name)
      continue;
    CallArguments arguments(*call, row.signature, reading);
    if (!reading.error)
      result.make = row.make(arguments);
    if (reading.error)
      return std::move(*reading.error);
    return result;
  }
  return Error{ErrorCode::Usage,
               "--init: there is no initializer '" + call->text + "'" +
                   models::suggestion(call->text, names),
               {}};
}

} // namespace zenith::training
