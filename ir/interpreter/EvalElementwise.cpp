// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning of the Elementwise family: checks the shapes, then picks the loop by
// element type; conversions, comparisons and choices are here.

#include "ir/interpreter/EvalElementwise.h"

#include "ir/GraphOps.h"
#include "ir/interpreter/ElementLoops.h"
#include "ir/tensor/Scalar.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

template <typename T>
static void compareAll(Tensor &result, const Tensor &a, const Tensor &b,
                       graph::CompareDirection direction) {
  mapPairs<uint8_t, T>(result, a, b, [direction](T x, T y) {
    return uint8_t(compareValues(direction, x, y));
  });
}

template <typename T>
static bool compareComplex(Tensor &result, const Tensor &a, const Tensor &b,
                           graph::CompareDirection direction) {
  bool wanted = direction == graph::CompareDirection::eq;
  if (!wanted && direction != graph::CompareDirection::ne)
    return false;
  mapPairs<uint8_t, std::complex<T>>(
      result, a, b,
      [wanted](const std::complex<T> &x, const std::complex<T> &y) {
        return uint8_t((x == y) == wanted);
      });
  return true;
}

static Expected<Tensor> evaluate(graph::CompareOp op, const OpEvaluation &e) {
  Expected<Tensor> result = e.allocate(e.operand(0).shape());
  if (!result)
    return result;
  Tensor lhs = widened(e.operand(0)), rhs = widened(e.operand(1));
  graph::CompareDirection direction = op.getDirection();
  Type element = lhs.elementType();
  if (auto complex = dyn_cast<ComplexType>(element)) {
    bool known = complex.getElementType().isF32()
                     ? compareComplex<float>(*result, lhs, rhs, direction)
                     : compareComplex<double>(*result, lhs, rhs, direction);
    if (!known)
      return e.fail("complex numbers have no order", ErrorCode::Unsupported);
  } else if (element.isF32()) {
    compareAll<float>(*result, lhs, rhs, direction);
  } else if (element.isF64()) {
    compareAll<double>(*result, lhs, rhs, direction);
  } else {
    visitInteger(element, [&](auto tag, unsigned) {
      compareAll<typename decltype(tag)::type>(*result, lhs, rhs, direction);
    });
  }
  return result;
}

static Expected<Tensor> evaluate(graph::IsFiniteOp, const OpEvaluation &e) {
  Expected<Tensor> result = e.allocate(e.operand(0).shape());
  if (!result)
    return result;
  Tensor operand = widened(e.operand(0));
  auto isFinite = [](auto x) { return uint8_t(std::isfinite(x)); };
  if (operand.elementType().isF64())
    mapElements<uint8_t, double>(*result, operand, isFinite);
  else
    mapElements<uint8_t, float>(*result, operand, isFinite);
  return result;
}

static Expected<Tensor> evaluate(graph::SelectOp, const OpEvaluation &e) {
  Expected<Tensor> result = e.allocate(e.operand(1).shape());
  if (!result)
    return result;
  size_t bytes = elementBytes(e.resultElement());
  const char *pred = e.operand(0).bytes();
  const char *onTrue = e.operand(1).bytes(), *onFalse = e.operand(2).bytes();
  char *to = result->writable();
  for (int64_t i = 0, count = result->size(); i < count; ++i)
    std::memcpy(to + i * bytes, (pred[i] ? onTrue : onFalse) + i * bytes,
                bytes);
  return result;
}

template <typename T>
static void clampAll(Tensor &result, const Tensor &low, const Tensor &x,
                     const Tensor &high) {
  T *to = writableElements<T>(result).data();
  ArrayRef<T> lows = elementsOf<T>(low), values = elementsOf<T>(x),
              highs = elementsOf<T>(high);
  for (size_t i = 0; i < values.size(); ++i)
    to[i] = minOf(maxOf(values[i], lows[i]), highs[i]);
}

static Expected<Tensor> evaluate(graph::ClampOp, const OpEvaluation &e) {
  Expected<Tensor> result = e.allocate(e.operand(1).shape());
  if (!result)
    return result;
  Tensor low = widened(e.operand(0)), x = widened(e.operand(1)),
         high = widened(e.operand(2));
  Type element = x.elementType();
  if (element.isF64()) {
    clampAll<double>(*result, low, x, high);
  } else if (element.isF32()) {
    Tensor single(x.type());
    clampAll<float>(single, low, x, high);
    return narrowed(single, e.resultElement());
  } else {
    visitInteger(element, [&](auto tag, unsigned) {
      clampAll<typename decltype(tag)::type>(*result, low, x, high);
    });
  }
  return result;
}

static Expected<Tensor> evaluate(graph::ConvertOp op, const OpEvaluation &e) {
  if (e.operand(0).elementType() == e.resultElement())
    return e.operand(0);
  Expected<Tensor> result = e.allocate(e.operand(0).shape());
  if (!result)
    return result;
  ElementAccess from(e.operand(0).elementType()), to(e.resultElement());
  const char *source = e.operand(0).bytes();
  char *target = result->writable();
  bool saturate = op.getSaturate();
  for (int64_t i = 0, count = result->size(); i < count; ++i) {
    to.store(target, from.load(source), saturate);
    source += from.bytes();
    target += to.bytes();
  }
  return result;
}

// i4 and ui4 differ in how they extend to a byte.
static Expected<Tensor> evaluate(graph::BitcastOp, const OpEvaluation &e) {
  Type from = e.operand(0).elementType(), to = e.resultElement();
  if (elementBytes(from) != elementBytes(to))
    return e.fail("element widths differ", ErrorCode::Invalid);
  Expected<Tensor> result = e.allocate(e.operand(0).shape());
  if (!result)
    return result;
  std::memcpy(result->writable(), e.operand(0).bytes(), result->byteSize());
  if (to.isIntOrFloat() && to.getIntOrFloatBitWidth() == 4) {
    bool isUnsigned = to.isUnsignedInteger();
    for (char &byte : writableElements<char>(*result))
      byte = isUnsigned ? char(wrapTo<uint8_t>(byte, 4))
                        : char(wrapTo<int8_t>(byte, 4));
  }
  return result;
}

Expected<Tensor>
zenith::interpreter::evaluateElementwise(const OpEvaluation &e) {
  for (const Tensor &operand : e.operands.drop_front())
    if (operand.shape() != e.operand(0).shape())
      return e.fail("operands have different shapes at run time");
  std::optional<Expected<Tensor>> result;
  llvm::TypeSwitch<Operation *>(e.op)
      .Case<graph::CompareOp, graph::IsFiniteOp, graph::SelectOp,
            graph::ClampOp, graph::ConvertOp, graph::BitcastOp>(
          [&](auto op) { result.emplace(evaluate(op, e)); });
  if (result)
    return std::move(*result);
  Type element = e.operand(0).elementType();
  if (isa<ComplexType>(element) || isa<ComplexType>(e.resultElement()))
    return evaluateComplex(e);
  if (!isa<FloatType>(element))
    return evaluateInteger(e);
  StringRef mnemonic = e.op->getName().stripDialect();
  if (e.operands.size() == 1)
    if (FloatFunction fn = floatFunction(mnemonic))
      return evaluateFloat(e, fn);
  if (e.operands.size() == 2)
    if (FloatFunction2 fn = floatFunction2(mnemonic))
      return evaluateFloat(e, fn);
  return e.fail("has no meaning in the interpreter", ErrorCode::Unsupported);
}
