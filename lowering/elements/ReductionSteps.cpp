// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of reductions by their kind and element type.

#include "lowering/elements/ReductionSteps.h"
#include "lowering/builder/LaneValue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <limits>

using namespace mlir;

namespace zenith::kernels {

Value reduceStep(ElementEmitter &emitter, graph::ReduceKind kind, Type element,
                 Value x, Value y) {
  using K = graph::ReduceKind;
  KernelBuilder &kernel = emitter.kernel;
  OpBuilder &b = kernel.b;
  Value pair[] = {x, y};
  emitter.unify(pair);
  auto make = [&](auto tag) -> Value {
    return b.create<decltype(tag)>(kernel.loc, pair[0], pair[1]);
  };
  bool isFloat = isa<FloatType>(element),
       isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  switch (kind) {
  case K::sum:
    return isFloat                ? make(arith::AddFOp())
           : element.isInteger(1) ? make(arith::OrIOp())
                                  : make(arith::AddIOp());
  case K::prod:
    return isFloat ? make(arith::MulFOp()) : make(arith::MulIOp());
  case K::max:
    return isFloat      ? make(arith::MaximumFOp())
           : isUnsigned ? make(arith::MaxUIOp())
                        : make(arith::MaxSIOp());
  case K::min:
    return isFloat      ? make(arith::MinimumFOp())
           : isUnsigned ? make(arith::MinUIOp())
                        : make(arith::MinSIOp());
  case K::all:
    return make(arith::AndIOp());
  case K::any:
    return make(arith::OrIOp());
  case K::parity:
    return make(arith::XOrIOp());
  }
  return {};
}

Value neutralElement(KernelBuilder &kernel, graph::ReduceKind kind,
                     Type element, Type like) {
  using K = graph::ReduceKind;
  Type type = typeLike(registerType(element), like);
  double infinity = std::numeric_limits<double>::infinity();
  if (isa<FloatType>(element))
    return kernel.constant(type, kind == K::prod  ? 1
                                 : kind == K::max ? -infinity
                                 : kind == K::min ? infinity
                                                  : 0.0);
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || width == 1;
  auto extreme = [&](const APInt &value) {
    return isUnsigned ? int64_t(value.getZExtValue()) : value.getSExtValue();
  };
  switch (kind) {
  case K::prod:
    return kernel.integer(type, 1);
  case K::max:
    return kernel.integer(type, extreme(isUnsigned
                                            ? APInt(width, 0)
                                            : APInt::getSignedMinValue(width)));
  case K::min:
    return kernel.integer(type, extreme(isUnsigned
                                            ? APInt::getMaxValue(width)
                                            : APInt::getSignedMaxValue(width)));
  case K::all:
    return kernel.integer(type, isUnsigned && width == 4 ? 15 : -1);
  default:
    return kernel.integer(type, 0);
  }
}

Value argStep(KernelBuilder &kernel, graph::ArgReduceOp op, Value best,
              Value bestAt, Value x, Value at, Value &atResult) {
  Type element = getElementTypeOrSelf(op.getOperand().getType());
  OpBuilder &b = kernel.b;
  Value values[] = {best, x}, positions[] = {bestAt, at};
  bool isMax = op.getKind() == graph::ReduceKind::max;
  LaneValue old{&kernel, values[0]}, now{&kernel, values[1]};
  Value better;
  if (isa<FloatType>(element)) {
    // A NaN wins over all values but an earlier NaN.
    Flag beats = isMax ? now > old : now < old;
    if (op.getLast())
      beats = beats || now == old;
    Flag nan = op.getLast() ? now.isNaN() : now.isNaN() && !old.isNaN();
    better = ((beats && !old.isNaN()) || nan).v;
  } else {
    bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
    using P = arith::CmpIPredicate;
    P predicate = isMax ? (isUnsigned ? (op.getLast() ? P::uge : P::ugt)
                                      : (op.getLast() ? P::sge : P::sgt))
                        : (isUnsigned ? (op.getLast() ? P::ule : P::ult)
                                      : (op.getLast() ? P::sle : P::slt));
    better =
        b.create<arith::CmpIOp>(kernel.loc, predicate, values[1], values[0]);
  }
  atResult =
      b.create<arith::SelectOp>(kernel.loc, better, positions[1], positions[0]);
  return b.create<arith::SelectOp>(kernel.loc, better, values[1], values[0]);
}

} // namespace zenith::kernels
