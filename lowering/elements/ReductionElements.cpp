// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of reductions that no schedule has computed: a loop within the
// element.

#include "lowering/elements/ElementConversions.h"
#include "lowering/elements/ElementRule.h"
#include "lowering/elements/ReductionSteps.h"
#include "lowering/elements/WindowElements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

static Value reduceElement(graph::ReduceOp op, ElementEmitter &emitter,
                           ArrayRef<LaneIndex> index) {
  KernelBuilder &kernel = emitter.kernel;
  IndexMath &indices = emitter.indices;
  Type element = getElementTypeOrSelf(op.getOperand().getType());
  const graph::DimVector dims = emitter.dimsOf(op.getOperand());
  bool lanes = emitter.anyLanes(index);
  Value start =
      neutralElement(kernel, op.getKind(), element, kernel.b.getIndexType());
  start = lanes ? kernel.broadcast(start, indices.width) : start;
  SmallVector<LaneIndex> at;
  std::function<Value(Value)> next = [&](Value sum) -> Value {
    unsigned d = at.size();
    if (d == dims.size()) {
      Value x = emitter.emit(op.getOperand(), at);
      return x ? reduceStep(emitter, op.getKind(), element, sum, x) : Value();
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
                      ElementEmitter::Scope scope(emitter);
                      at.push_back(indices.scalar(iv, dims[d]));
                      Value result = next(carried[0]);
                      at.pop_back();
                      return SmallVector<Value>{result ? result : carried[0]};
                    });
    return results[0];
  };
  Value result = next(start);
  return result && !emitter.failed() ? roundTo(kernel, element, result)
                                     : Value();
}

static Value argReduceElement(graph::ArgReduceOp op, ElementEmitter &emitter,
                              ArrayRef<LaneIndex> index) {
  KernelBuilder &kernel = emitter.kernel;
  int64_t dim = op.getDim();
  DimExpr size = kernel.dims.dimOf(op.getOperand(), dim);
  unsigned width = emitter.anyLanes(index) ? emitter.indices.width : 1;
  Type positionType =
      registerType(getElementTypeOrSelf(op.getResult().getType()));
  auto elementAt = [&](LaneIndex position) {
    SmallVector<LaneIndex> at(index);
    at.insert(at.begin() + dim, std::move(position));
    Value x = emitter.emit(op.getOperand(), at);
    return x ? kernel.broadcast(x, width) : x;
  };
  Value first = elementAt(LaneIndex(0));
  if (!first)
    return {};
  Value zero = kernel.broadcast(kernel.integer(positionType, 0), width);
  auto results =
      kernel.loop(kernel.index(1), kernel.size(size), kernel.index(1),
                  {first, zero}, [&](Value iv, ValueRange carried) {
                    ElementEmitter::Scope scope(emitter);
                    Value x = elementAt(emitter.indices.scalar(iv, size));
                    if (!x)
                      return SmallVector<Value>(carried);
                    Value at = kernel.b.create<arith::IndexCastOp>(
                              kernel.loc, positionType, iv),
                          position;
                    Value best = argStep(kernel, op, carried[0], carried[1], x,
                                         kernel.broadcast(at, width), position);
                    return SmallVector<Value>{best, position};
                  });
  return emitter.failed() ? Value() : results[1];
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
  ReduceOp::attachInterface<FunctionElement<reduceElement>>(*context);
  ArgReduceOp::attachInterface<FunctionElement<argReduceElement>>(*context);
  attachAll<WindowElement, ReduceWindowOp, ConvolutionOp>(context);
}

} // namespace zenith::kernels
