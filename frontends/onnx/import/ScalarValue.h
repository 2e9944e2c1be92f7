// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value with the operators of arithmetic, for import rules that are formulas.
// Operands broadcast; C++ constants take the value's type.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_SCALARVALUE_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_SCALARVALUE_H

#include "frontends/onnx/import/ImportBuilder.h"

namespace zenith::onnx {

class ScalarValue {
public:
  ScalarValue(ImportBuilder &b, Value value) : b(&b), value(value) {}
  operator Value() const { return value; }

  friend ScalarValue operator+(ScalarValue x, ScalarValue y) {
    return x.with<graph::AddOp>(y);
  }
  friend ScalarValue operator-(ScalarValue x, ScalarValue y) {
    return x.with<graph::SubOp>(y);
  }
  friend ScalarValue operator*(ScalarValue x, ScalarValue y) {
    return x.with<graph::MulOp>(y);
  }
  friend ScalarValue operator/(ScalarValue x, ScalarValue y) {
    return x.with<graph::DivOp>(y);
  }
  friend ScalarValue operator+(ScalarValue x, double y) {
    return x + x.constant(y);
  }
  friend ScalarValue operator-(ScalarValue x, double y) {
    return x - x.constant(y);
  }
  friend ScalarValue operator*(ScalarValue x, double y) {
    return x * x.constant(y);
  }
  friend ScalarValue operator/(ScalarValue x, double y) {
    return x / x.constant(y);
  }
  friend ScalarValue operator-(double x, ScalarValue y) {
    return y.constant(x) - y;
  }
  friend ScalarValue operator*(double x, ScalarValue y) { return y * x; }
  friend ScalarValue operator+(double x, ScalarValue y) { return y + x; }

  ScalarValue max(ScalarValue other) const { return with<graph::MaxOp>(other); }
  ScalarValue min(ScalarValue other) const { return with<graph::MinOp>(other); }
  ScalarValue max(double other) const { return max(constant(other)); }
  ScalarValue min(double other) const { return min(constant(other)); }
  ScalarValue floorMod(ScalarValue other) const {
    return with<graph::FloorModOp>(other);
  }
  template <typename Op> ScalarValue apply() const {
    return {*b, b->unary<Op>(value)};
  }
  ScalarValue floor() const { return apply<graph::FloorOp>(); }
  ScalarValue abs() const { return apply<graph::AbsOp>(); }
  ScalarValue sqrt() const { return apply<graph::SqrtOp>(); }
  ScalarValue to(mlir::Type element) const {
    return {*b, b->convert(value, element)};
  }
  Value compare(graph::CompareDirection direction, ScalarValue other) const {
    return b->compare(direction, value, other.value);
  }
  Value compare(graph::CompareDirection direction, double other) const {
    return compare(direction, constant(other));
  }
  /// A scalar of the value's type.
  ScalarValue constant(double scalar) const {
    return {*b, b->scalarConstant(mlir::getElementTypeOrSelf(value.getType()),
                                  scalar)};
  }
  /// This value if the condition holds, else `other`.
  ScalarValue where(Value condition, ScalarValue other) const {
    return {*b, b->select(condition, value, other.value)};
  }
  ScalarValue where(Value condition, double other) const {
    return where(condition, constant(other));
  }

private:
  template <typename Op> ScalarValue with(ScalarValue other) const {
    return {*b, b->binary<Op>(value, other.value)};
  }

  ImportBuilder *b;
  Value value;
};

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_SCALARVALUE_H
