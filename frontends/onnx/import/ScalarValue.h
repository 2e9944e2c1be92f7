// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value with the operators of arithmetic, for import rules that are formulas.
// Operands broadcast, plain numbers take the value's type.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_SCALARVALUE_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_SCALARVALUE_H

#include "frontends/onnx/import/ImportBuilder.h"

namespace zenith::onnx {

class NumberValue {
public:
  NumberValue(ImportBuilder &b, Value value) : b(&b), value(value) {}
  operator Value() const { return value; }

  friend NumberValue operator+(NumberValue x, NumberValue y) {
    return x.with<graph::AddOp>(y);
  }
  friend NumberValue operator-(NumberValue x, NumberValue y) {
    return x.with<graph::SubOp>(y);
  }
  friend NumberValue operator*(NumberValue x, NumberValue y) {
    return x.with<graph::MulOp>(y);
  }
  friend NumberValue operator/(NumberValue x, NumberValue y) {
    return x.with<graph::DivOp>(y);
  }
  friend NumberValue operator+(NumberValue x, double y) {
    return x + x.constant(y);
  }
  friend NumberValue operator-(NumberValue x, double y) {
    return x - x.constant(y);
  }
  friend NumberValue operator*(NumberValue x, double y) {
    return x * x.constant(y);
  }
  friend NumberValue operator/(NumberValue x, double y) {
    return x / x.constant(y);
  }
  friend NumberValue operator-(double x, NumberValue y) {
    return y.constant(x) - y;
  }
  friend NumberValue operator*(double x, NumberValue y) { return y * x; }
  friend NumberValue operator+(double x, NumberValue y) { return y + x; }

  NumberValue max(NumberValue other) const { return with<graph::MaxOp>(other); }
  NumberValue min(NumberValue other) const { return with<graph::MinOp>(other); }
  NumberValue max(double other) const { return max(constant(other)); }
  NumberValue min(double other) const { return min(constant(other)); }
  NumberValue floorMod(NumberValue other) const {
    return with<graph::FloorModOp>(other);
  }
  template <typename Op> NumberValue apply() const {
    return {*b, b->unary<Op>(value)};
  }
  NumberValue floor() const { return apply<graph::FloorOp>(); }
  NumberValue abs() const { return apply<graph::AbsOp>(); }
  NumberValue sqrt() const { return apply<graph::SqrtOp>(); }
  NumberValue to(mlir::Type element) const {
    return {*b, b->convert(value, element)};
  }
  Value compare(graph::CompareDirection direction, NumberValue other) const {
    return b->compare(direction, value, other.value);
  }
  Value compare(graph::CompareDirection direction, double other) const {
    return compare(direction, constant(other));
  }
  /// A scalar of the value's type.
  NumberValue constant(double number) const {
    return {*b, b->scalarConstant(mlir::getElementTypeOrSelf(value.getType()),
                                  number)};
  }
  /// This where the condition holds, else `other`.
  NumberValue where(Value condition, NumberValue other) const {
    return {*b, b->select(condition, value, other.value)};
  }
  NumberValue where(Value condition, double other) const {
    return where(condition, constant(other));
  }

private:
  template <typename Op> NumberValue with(NumberValue other) const {
    return {*b, b->binary<Op>(value, other.value)};
  }

  ImportBuilder *b;
  Value value;
};

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_SCALARVALUE_H
