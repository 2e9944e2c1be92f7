// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of reductions that no schedule has computed: a loop within the
// element.

#include "lowering/builder/LaneNumber.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/elements/ElementRule.h"
#include "lowering/elements/WindowElements.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

Value ElementEmitter::reduceStep(graph::ReduceKind kind, Type element, Value x,
                                 Value y) {
  using K = graph::ReduceKind;
  OpBuilder &b = kernel.b;
  Value pair[] = {x, y};
  unify(pair);
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

Value ElementEmitter::neutral(graph::ReduceKind kind, Type element, Type like) {
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

Value ElementEmitter::reduceInPlace(graph::ReduceOp op,
                                    ArrayRef<LaneIndex> index) {
  Type element = getElementTypeOrSelf(op.getOperand().getType());
  const graph::DimVector dims = dimsOf(op.getOperand());
  bool lanes = anyLanes(index);
  Value start = neutral(op.getKind(), element, kernel.b.getIndexType());
  start = lanes ? kernel.broadcast(start, indices.width) : start;
  SmallVector<LaneIndex> at;
  std::function<Value(Value)> next = [&](Value sum) -> Value {
    unsigned d = at.size();
    if (d == dims.size()) {
      Value x = emit(op.getOperand(), at);
      return x ? reduceStep(op.getKind(), element, sum, x) : Value();
    }
    auto *reduced = llvm::find(op.getDims(), int64_t(d));
    if (reduced == op.getDims().end()) {
      at.push_back(index[d - llvm::count_if(op.getDims(), [&](int64_t other) {
                           return other < int64_t(d);
                         })]);
      Value result = next(sum);
      at.pop_back();
      return result;
    }
    auto results =
        kernel.loop(kernel.index(0), kernel.size(dims[d]), kernel.index(1),
                    {sum}, [&](Value iv, ValueRange carried) {
                      Scope scope(*this);
                      at.push_back(indices.scalar(iv, dims[d]));
                      Value result = next(carried[0]);
                      at.pop_back();
                      return SmallVector<Value>{result ? result : carried[0]};
                    });
    return results[0];
  };
  Value result = next(start);
  return result && !anyFailure ? roundTo(element, result) : Value();
}

Value ElementEmitter::argStep(graph::ArgReduceOp op, Value best, Value bestAt,
                              Value x, Value at, Value &atResult) {
  Type element = getElementTypeOrSelf(op.getOperand().getType());
  OpBuilder &b = kernel.b;
  Value values[] = {best, x}, positions[] = {bestAt, at};
  bool isMax = op.getKind() == graph::ReduceKind::max;
  Num old{&kernel, values[0]}, now{&kernel, values[1]};
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

Value ElementEmitter::argReduceInPlace(graph::ArgReduceOp op,
                                       ArrayRef<LaneIndex> index) {
  int64_t dim = op.getDim();
  DimExpr size = kernel.dims.dimOf(op.getOperand(), dim);
  unsigned width = anyLanes(index) ? indices.width : 1;
  Type positionType =
      registerType(getElementTypeOrSelf(op.getResult().getType()));
  auto elementAt = [&](LaneIndex position) {
    SmallVector<LaneIndex> at(index);
    at.insert(at.begin() + dim, std::move(position));
    Value x = emit(op.getOperand(), at);
    return x ? kernel.broadcast(x, width) : x;
  };
  Value first = elementAt(LaneIndex(0));
  if (!first)
    return {};
  Value zero = kernel.broadcast(kernel.integer(positionType, 0), width);
  auto results =
      kernel.loop(kernel.index(1), kernel.size(size), kernel.index(1),
                  {first, zero}, [&](Value iv, ValueRange carried) {
                    Scope scope(*this);
                    Value x = elementAt(indices.scalar(iv, size));
                    if (!x)
                      return SmallVector<Value>(carried);
                    Value at = kernel.b.create<arith::IndexCastOp>(
                              kernel.loc, positionType, iv),
                          position;
                    Value best = argStep(op, carried[0], carried[1], x,
                                         kernel.broadcast(at, width), position);
                    return SmallVector<Value>{best, position};
                  });
  return anyFailure ? Value() : results[1];
}

namespace {
/// Windows of operands: reductions and convolutions.
template <typename Op>
struct WindowElement : ElementRule::ExternalModel<WindowElement<Op>, Op> {
  Value emitElement(Operation *op, ElementEmitter &emitter,
                    ArrayRef<LaneIndex> index) const {
    return WindowElements(emitter).emit(op, index);
  }
};
} // namespace

void attachReductionElements(MLIRContext *context) {
  using namespace graph;
  ReduceOp::attachInterface<MethodElement<&ElementEmitter::reduceInPlace>>(
      *context);
  ArgReduceOp::attachInterface<
      MethodElement<&ElementEmitter::argReduceInPlace>>(*context);
  attachAll<WindowElement, ReduceWindowOp, ConvolutionOp>(context);
}

} // namespace zenith::kernels
