// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memoisation, bindings and conditions. The rules per family are in
// <Family>Elements.cpp, loads and stores in ElementMemory.cpp.

#include "lowering/elements/ElementEmitter.h"
#include "lowering/elements/ElementRule.h"
#include "lowering/elements/Float8.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <numeric>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

ElementEmitter::ElementEmitter(KernelBuilder &kernel)
    : kernel(kernel), indices(&kernel) {
  frames.emplace_back();
}

ElementEmitter::Scope::Scope(ElementEmitter &emitter)
    : emitter(emitter), mask(emitter.mask) {
  emitter.frames.emplace_back();
}

ElementEmitter::Scope::~Scope() {
  emitter.frames.pop_back();
  emitter.mask = mask;
}

Value ElementEmitter::unsupported(Operation *op, const Twine &why) {
  if (!anyFailure)
    op->emitError() << "no kernel for '" << op->getName() << "'"
                    << (why.isTriviallyEmpty() ? "" : ": ") << why;
  anyFailure = true;
  return {};
}

void ElementEmitter::bind(Value value, Value lanes) {
  bind(value, [lanes](ArrayRef<LaneIndex>) { return lanes; });
}

void ElementEmitter::bind(Value value, Provider provider) {
  frames.back().bound[value] = std::move(provider);
}

void ElementEmitter::preset(Value value,
                            ArrayRef<SmallVector<LaneIndex>> indices,
                            ArrayRef<Value> lanes) {
  for (auto [index, known] : llvm::zip(indices, lanes))
    if (known)
      frames.back().memo[value].push_back(
          {SmallVector<LaneIndex, 4>(index.begin(), index.end()), mask, 0,
           known});
}

int64_t ElementEmitter::tileRowOf(ArrayRef<LaneIndex> index) {
  bool tiled = llvm::any_of(index, [&](const LaneIndex &x) {
    return !indices.tileStride(x).isConstant(0);
  });
  return tiled ? indices.tileRow : 0;
}

ElementEmitter::Known ElementEmitter::find(Value value,
                                           ArrayRef<LaneIndex> index,
                                           int64_t tileRow) const {
  for (const Frame &frame : llvm::reverse(frames)) {
    auto bound = frame.bound.find(value);
    if (bound != frame.bound.end())
      return {Value(), &bound->second};
    auto memo = frame.memo.find(value);
    if (memo == frame.memo.end())
      continue;
    for (const Memo &entry : memo->second)
      if (entry.mask == mask && entry.tileRow == tileRow &&
          ArrayRef(entry.index) == index)
        return {entry.lanes};
  }
  return {};
}

static bool supportedElement(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  return element.isIntOrIndex() || isEightBitFloat(element) ||
         element.isF16() || element.isBF16() || element.isF32() ||
         element.isF64();
}

/// The first element type among those of operands and results that no kernel
/// has; null where there is none.
static Type unsupportedElement(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types)
    if (Type element = getElementTypeOrSelf(type); !supportedElement(element))
      return element;
  return {};
}

Value ElementEmitter::emit(Value value, ArrayRef<LaneIndex> index) {
  if (anyFailure)
    return {};
  int64_t row = tileRowOf(index);
  if (Known known = find(value, index, row))
    return known.provider ? Provider(*known.provider)(index) : known.lanes;
  // Operands first, with a stack of its own: chains of elementwise ops are
  // deeper than the machine's.
  SmallVector<Value> stack{value};
  while (true) {
    Value top = stack.back();
    Operation *op = top.getDefiningOp();
    size_t depth = stack.size();
    if (op && !unsupportedElement(op))
      for (Value source : llvm::reverse(sourcesAtIndex(op)))
        if (!find(source, index, row))
          stack.push_back(source);
    if (stack.size() > depth)
      continue;
    Value lanes = rule(top, index);
    if (!lanes)
      return {};
    frames.back().memo[top].push_back(
        {SmallVector<LaneIndex, 4>(index), mask, row, lanes});
    // Several ops may have asked for the same value.
    do
      stack.pop_back();
    while (!stack.empty() && find(stack.back(), index, row));
    if (stack.empty())
      return lanes;
  }
}

Value ElementEmitter::rule(Value value, ArrayRef<LaneIndex> index) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return block(argument, index);
  Operation *op = value.getDefiningOp();
  if (Type element = unsupportedElement(op)) {
    std::string text;
    llvm::raw_string_ostream(text) << "elements of type " << element;
    return unsupported(op, text);
  }
  if (isa<graph::RealOp, graph::ImagOp>(op))
    return complexPart(op->getOperand(0), isa<graph::ImagOp>(op), index);
  // A store of a complex value asks for its imaginary parts later: they are
  // loaded before anything is stored.
  if (isa<ComplexType>(getElementTypeOrSelf(value.getType())))
    return imaginaryPart(value, index)
               ? complexPart(value, /*imaginary=*/false, index)
               : Value();
  auto answer = dyn_cast<ElementRule>(op);
  return answer ? answer.emitElement(*this, index) : unsupported(op);
}

Value ElementEmitter::block(BlockArgument argument, ArrayRef<LaneIndex> index) {
  Type element = getElementTypeOrSelf(argument.getType());
  if (!supportedElement(element))
    return unsupported(kernel.fusion, "operand elements of this type");
  if (isa<ComplexType>(element))
    return imaginaryPart(argument, index)
               ? complexPart(argument, /*imaginary=*/false, index)
               : Value();
  if (auto expr = knownScalar(kernel.dims, argument))
    return kernel.b.create<arith::IndexCastOp>(
        kernel.loc, kernel.b.getI64Type(), kernel.size(*expr));
  return loadLinear(kernel.memoryOf(argument), element,
                    linearize(argument, index));
}

LaneIndex ElementEmitter::linearize(Value value, ArrayRef<LaneIndex> index) {
  return linearize(dimsOf(value), index);
}

LaneIndex ElementEmitter::linearize(ArrayRef<DimExpr> dims,
                                    ArrayRef<LaneIndex> index) {
  LaneIndex linear(0);
  DimExpr stride = 1;
  for (unsigned d = index.size(); d-- > 0;) {
    linear = indices.add(linear, indices.scale(index[d], stride));
    stride = stride * dims[d];
  }
  return linear;
}

void ElementEmitter::unify(MutableArrayRef<Value> values) {
  if (llvm::none_of(values,
                    [](Value v) { return isa<VectorType>(v.getType()); }))
    return;
  for (Value &value : values)
    value = kernel.broadcast(value, indices.width);
}

/// True where a bound cannot lie between lanes of a vector, since the bound and
/// the first lane are multiples of a factor that spans all lanes.
static bool lanesAgree(IndexMath &indices, const LaneIndex &x,
                       const DimExpr &low, const DimExpr &high) {
  auto stride = indices.laneStride(x).constant();
  if (x.perLane || !stride || *stride <= 0)
    return false;
  int64_t aligned = std::gcd(indices.knownDivisor(x),
                             std::gcd(indices.knownDivisor(LaneIndex(low)),
                                      indices.knownDivisor(LaneIndex(high))));
  return *stride * (indices.width - 1) < aligned;
}

ElementEmitter::Inside ElementEmitter::inside(const LaneIndex &x,
                                              const DimExpr &low,
                                              const DimExpr &high) {
  if (indices.provablyInside(x, low, high))
    return {Value(), false};
  if (indices.provablyOutside(x, low, high))
    return {Value(), true};
  OpBuilder &b = kernel.b;
  Value i = lanesAgree(indices, x, low, high) ? indices.laneBase(x)
                                              : indices.value(x);
  unsigned width = isa<VectorType>(i.getType()) ? indices.width : 1;
  auto compare = [&](arith::CmpIPredicate predicate,
                     const DimExpr &bound) -> Value {
    return b.create<arith::CmpIOp>(kernel.loc, predicate, i,
                                   kernel.broadcast(kernel.size(bound), width));
  };
  Value condition;
  LaneIndex least = indices.shift(x, DimExpr(0) - low);
  if (!indices.provablyNonNegative(least))
    condition = compare(arith::CmpIPredicate::sge, low);
  if (!indices.provablyBelow(x, high)) {
    Value below = compare(arith::CmpIPredicate::slt, high);
    condition =
        condition
            ? b.create<arith::AndIOp>(kernel.loc, condition, below).getResult()
            : below;
  }
  return {condition, false};
}

Value ElementEmitter::choose(Value condition, bool lanes,
                             function_ref<Value()> then,
                             function_ref<Value()> otherwise) {
  OpBuilder &b = kernel.b;
  if (isa<VectorType>(condition.getType())) {
    Value x, y;
    {
      Scope scope(*this);
      mask =
          mask
              ? b.create<arith::AndIOp>(kernel.loc, mask, condition).getResult()
              : condition;
      x = then();
    }
    y = x ? otherwise() : Value();
    if (!y)
      return {};
    return b.create<arith::SelectOp>(kernel.loc, condition,
                                     kernel.broadcast(x, indices.width),
                                     kernel.broadcast(y, indices.width));
  }
  // The type of the branches is known after one of them is emitted: emit the
  // first one apart, then create the `if` around it.
  Value x;
  OpBuilder::InsertPoint here = b.saveInsertionPoint();
  auto probe =
      b.create<scf::IfOp>(kernel.loc, condition, /*withElseRegion=*/true);
  auto fill = [&](Block *block, function_ref<Value()> body) -> Value {
    b.setInsertionPoint(block->getTerminator());
    Scope scope(*this);
    Value value = body();
    return value && lanes ? kernel.broadcast(value, indices.width) : value;
  };
  x = fill(probe.thenBlock(), then);
  Value y = x ? fill(probe.elseBlock(), otherwise) : Value();
  b.restoreInsertionPoint(here);
  if (!y)
    return {};
  b.setInsertionPointAfter(probe);
  auto choice = b.create<scf::IfOp>(kernel.loc, TypeRange{x.getType()},
                                    condition, /*withElseRegion=*/true);
  // The blocks themselves are moved, because memos of values inside refer to
  // blocks.
  choice.getThenRegion().takeBody(probe.getThenRegion());
  choice.getElseRegion().takeBody(probe.getElseRegion());
  for (auto [block, value] :
       {std::pair(choice.thenBlock(), x), std::pair(choice.elseBlock(), y)}) {
    block->getTerminator()->erase();
    b.setInsertionPointToEnd(block);
    b.create<scf::YieldOp>(kernel.loc, value);
  }
  b.setInsertionPointAfter(choice);
  probe.erase();
  return choice.getResult(0);
}

} // namespace zenith::kernels
