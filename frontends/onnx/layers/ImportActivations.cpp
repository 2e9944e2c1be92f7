// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of activation functions: each a few elementwise ops, or the
// composite of the same name.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/NodeReading.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;

/// A constant of the type of input 0.
static Value constant(NodeReading &n, double value) {
  return n.b.scalarConstant(n.elementType(0), value);
}

static void importRelu(NodeReading &n) {
  n.result(n.b.binary<graph::MaxOp>(n.input(0), 0.0));
}

static void importSigmoid(NodeReading &n) {
  n.result(n.b.unary<graph::LogisticOp>(n.input(0)));
}

static void importTanh(NodeReading &n) {
  n.result(n.b.unary<graph::TanhOp>(n.input(0)));
}

/// `positive` where x > 0, else `other`.
static void byPositive(NodeReading &n, Value x, Value positive, Value other) {
  Value pred = n.b.compare(CompareDirection::gt, x, constant(n, 0));
  n.result(n.b.select(pred, positive, other));
}

static void importLeakyRelu(NodeReading &n) {
  Value x = n.input(0);
  Value scaled = n.b.binary<graph::MulOp>(x, n.floatAttribute("alpha", 0.01f));
  Value pred = n.b.compare(CompareDirection::lt, x, constant(n, 0));
  n.result(n.b.select(pred, scaled, x));
}

static void importPRelu(NodeReading &n) {
  Value x = n.input(0), slope = n.input(1);
  // Below opset 7 a slope is shared by all features or belongs to one.
  if (n.version < 7 && n.rank(1) == 1 && !isConstant(n.dims(1)[0], 1)) {
    DimVector dims(std::max<int64_t>(n.rank(0) - 1, 1), DimExpr(1));
    dims[0] = n.dims(1)[0];
    slope = n.b.reshape(slope, dims);
  }
  Value scaled = n.b.binary<graph::MulOp>(x, slope);
  Value pred = n.b.compare(CompareDirection::lt, x, constant(n, 0));
  n.result(n.b.select(pred, scaled, x));
}

static void importElu(NodeReading &n) {
  Value x = n.input(0);
  Value below = n.b.binary<graph::MulOp>(n.b.unary<graph::Expm1Op>(x),
                                         n.floatAttribute("alpha", 1));
  byPositive(n, x, x, below);
}

static void importSelu(NodeReading &n) {
  Value x = n.input(0);
  double alpha = n.floatAttribute("alpha", 1.67326319217681884765625);
  double gamma = n.floatAttribute("gamma", 1.05070102214813232421875);
  Value below =
      n.b.binary<graph::MulOp>(n.b.unary<graph::Expm1Op>(x), alpha * gamma);
  byPositive(n, x, n.b.binary<graph::MulOp>(x, gamma), below);
}

static void importCelu(NodeReading &n) {
  Value x = n.input(0);
  double alpha = n.floatAttribute("alpha", 1);
  Value scaled = n.b.unary<graph::Expm1Op>(n.b.binary<graph::DivOp>(x, alpha));
  byPositive(n, x, x, n.b.binary<graph::MulOp>(scaled, alpha));
}

static void importThresholdedRelu(NodeReading &n) {
  Value x = n.input(0);
  Value pred = n.b.compare(CompareDirection::gt, x,
                           constant(n, n.floatAttribute("alpha", 1)));
  n.result(n.b.select(pred, x, constant(n, 0)));
}

/// log(1 + exp(x)) without overflow: max(x, 0) + log1p(exp(-|x|)).
static Value softplus(NodeReading &n, Value x) {
  Value tail = n.b.unary<graph::ExpOp>(
      n.b.unary<graph::NegOp>(n.b.unary<graph::AbsOp>(x)));
  return n.b.binary<graph::AddOp>(n.b.binary<graph::MaxOp>(x, 0.0),
                                  n.b.unary<graph::Log1pOp>(tail));
}

static void importSoftplus(NodeReading &n) {
  n.result(softplus(n, n.input(0)));
}

static void importMish(NodeReading &n) {
  Value x = n.input(0);
  n.result(
      n.b.binary<graph::MulOp>(x, n.b.unary<graph::TanhOp>(softplus(n, x))));
}

static void importSoftsign(NodeReading &n) {
  Value x = n.input(0);
  n.result(n.b.binary<graph::DivOp>(
      x, n.b.binary<graph::AddOp>(n.b.unary<graph::AbsOp>(x), 1.0)));
}

/// max(0, min(1, alpha * x + beta))
static Value hardSigmoid(NodeReading &n, Value x, double alpha, double beta) {
  Value line =
      n.b.binary<graph::AddOp>(n.b.binary<graph::MulOp>(x, alpha), beta);
  return n.b.binary<graph::MaxOp>(n.b.binary<graph::MinOp>(line, 1.0), 0.0);
}

static void importHardSigmoid(NodeReading &n) {
  n.result(hardSigmoid(n, n.input(0), n.floatAttribute("alpha", 0.2f),
                       n.floatAttribute("beta", 0.5)));
}

static void importHardSwish(NodeReading &n) {
  Value x = n.input(0);
  n.result(n.b.binary<graph::MulOp>(x, hardSigmoid(n, x, 1.0 / 6, 0.5)));
}

static void importSwish(NodeReading &n) {
  Value x = n.input(0);
  n.result(n.b.binary<graph::MulOp>(
      x, n.b.unary<graph::LogisticOp>(
             n.b.binary<graph::MulOp>(x, n.floatAttribute("alpha", 1)))));
}

/// The second input times Swish of the first.
static void importSwiGLU(NodeReading &n) {
  Value x = n.input(0);
  Value gate = n.b.unary<graph::LogisticOp>(
      n.b.binary<graph::MulOp>(x, n.floatAttribute("alpha", 1)));
  n.result(
      n.b.binary<graph::MulOp>(n.b.binary<graph::MulOp>(x, gate), n.input(1)));
}

/// Values near zero become 0, others move towards it.
static void importShrink(NodeReading &n) {
  if (!isa<FloatType>(n.elementType(0)))
    return n.fail(unsupported("Shrink of integers"));
  Value x = n.input(0);
  double bias = n.floatAttribute("bias", 0),
         limit = n.floatAttribute("lambd", 0.5);
  Value isBelow = n.b.compare(CompareDirection::lt, x, constant(n, -limit));
  Value isAbove = n.b.compare(CompareDirection::gt, x, constant(n, limit));
  Value above =
      n.b.select(isAbove, n.b.binary<graph::SubOp>(x, bias), constant(n, 0));
  n.result(n.b.select(isBelow, n.b.binary<graph::AddOp>(x, bias), above));
}

static void importGelu(NodeReading &n) {
  std::string form = n.stringAttribute("approximate", "none");
  if (form != "none" && form != "tanh")
    return n.fail(invalid(fmt::format(
        "attribute 'approximate' is '{}', not none or tanh", form)));
  Value x = n.input(0);
  n.result(n.b.emit<graph::GeluOp>(
      x.getType(),
      form == "tanh" ? graph::GeluForm::tanh : graph::GeluForm::erf, x));
}

llvm::ArrayRef<OpRow> zenith::onnx::activationRows() {
  static constexpr OpRow rows[] = {
      {"Celu", 12, newest, 1, 1, importCelu},
      {"Elu", 1, newest, 1, 1, importElu},
      {"Gelu", 20, newest, 1, 1, importGelu},
      {"HardSigmoid", 1, newest, 1, 1, importHardSigmoid},
      {"HardSwish", 14, newest, 1, 1, importHardSwish},
      {"LeakyRelu", 1, newest, 1, 1, importLeakyRelu},
      {"Mish", 18, newest, 1, 1, importMish},
      {"PRelu", 1, newest, 2, 2, importPRelu},
      {"Relu", 1, newest, 1, 1, importRelu},
      {"Selu", 6, newest, 1, 1, importSelu},
      {"Shrink", 9, newest, 1, 1, importShrink},
      {"Sigmoid", 1, newest, 1, 1, importSigmoid},
      {"Softplus", 1, newest, 1, 1, importSoftplus},
      {"Softsign", 1, newest, 1, 1, importSoftsign},
      {"SwiGLU", 28, newest, 2, 2, importSwiGLU},
      {"Swish", 24, newest, 1, 1, importSwish},
      {"Tanh", 1, newest, 1, 1, importTanh},
      {"ThresholdedRelu", 10, newest, 1, 1, importThresholdedRelu},
  };
  return rows;
}
