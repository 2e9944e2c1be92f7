// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memoisation and bindings. The rules per family are in <Family>Elements.cpp.

#include "lowering/elements/ElementEmitter.h"
#include "lowering/elements/ElementRule.h"
#include "lowering/elements/Float8.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

ElementEmitter::ElementEmitter(KernelBuilder &kernel)
    : kernel(kernel), indices(&kernel), memory(kernel, indices, active),
      complex(kernel, indices, memory, *this), frames(1) {}

ElementEmitter::Scope::Scope(ElementEmitter &emitter)
    : emitter(emitter), mask(emitter.active.mask) {
  emitter.frames.emplace_back();
  emitter.complex.enterScope();
  emitter.memory.enterScope();
}

ElementEmitter::Scope::~Scope() {
  emitter.frames.pop_back();
  emitter.complex.leaveScope();
  emitter.memory.leaveScope();
  emitter.active.mask = mask;
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
      frames.back().memo.keep(value, {index, active.mask, 0}, known);
}

ElementEmitter::Known ElementEmitter::find(Value value,
                                           const LaneMemo::Group &group) const {
  for (const Frame &frame : llvm::reverse(frames)) {
    auto bound = frame.bound.find(value);
    if (bound != frame.bound.end())
      return {Value(), &bound->second};
    if (Value lanes = frame.memo.find(value, group))
      return {lanes};
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
  auto group = LaneMemo::Group::of(index, active.mask, indices);
  if (Known known = find(value, group))
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
        if (!find(source, group))
          stack.push_back(source);
    if (stack.size() > depth)
      continue;
    Value lanes = rule(top, index);
    if (!lanes)
      return {};
    frames.back().memo.keep(top, group, lanes);
    // Several ops may have asked for the same value.
    do
      stack.pop_back();
    while (!stack.empty() && find(stack.back(), group));
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
    return complex.part(op->getOperand(0),
                        isa<graph::ImagOp>(op) ? ComplexLanes::Imaginary
                                               : ComplexLanes::Real,
                        index);
  if (isa<ComplexType>(getElementTypeOrSelf(value.getType())))
    return realPart(value, index);
  auto answer = dyn_cast<ElementRule>(op);
  return answer ? answer.emitElement(*this, index) : unsupported(op);
}

Value ElementEmitter::block(BlockArgument argument, ArrayRef<LaneIndex> index) {
  Type element = getElementTypeOrSelf(argument.getType());
  if (!supportedElement(element))
    return unsupported(kernel.fusion, "operand elements of this type");
  if (isa<ComplexType>(element))
    return realPart(argument, index);
  if (auto expr = knownScalar(kernel.dims, argument))
    return kernel.b.create<arith::IndexCastOp>(
        kernel.loc, kernel.b.getI64Type(), kernel.size(*expr));
  return memory.load(kernel.memoryOf(argument), element,
                     linearize(argument, index));
}

Value ElementEmitter::realPart(Value value, ArrayRef<LaneIndex> index) {
  return complex.imaginary(value, index, active.mask)
             ? complex.part(value, ComplexLanes::Real, index)
             : Value();
}

void ElementEmitter::unify(MutableArrayRef<Value> values) {
  if (llvm::none_of(values,
                    [](Value v) { return isa<VectorType>(v.getType()); }))
    return;
  for (Value &value : values)
    value = kernel.broadcast(value, indices.width);
}

Value ElementEmitter::yielded(unsigned number) {
  return kernel.fusion.getBody().front().getTerminator()->getOperand(number);
}

void ElementEmitter::store(unsigned number, Value lanes,
                           ArrayRef<LaneIndex> index) {
  if (!lanes)
    return;
  Value value = yielded(number);
  Type element = getElementTypeOrSelf(value.getType());
  if (isa<ComplexType>(element)) {
    if (Value imaginary = complex.imaginary(value, index, active.mask))
      memory.storePairs(kernel.result(number), lanes, imaginary,
                        linearize(value, index));
    return;
  }
  memory.store(kernel.result(number), element, lanes, linearize(value, index));
}

void ElementEmitter::storeResults(ArrayRef<LaneIndex> index) {
  SmallVector<Value> values;
  graph::FusionOp fusion = kernel.fusion;
  for (Value result : fusion.getBody().front().getTerminator()->getOperands())
    values.push_back(emit(result, index));
  for (auto [number, value] : llvm::enumerate(values))
    store(unsigned(number), value, index);
}

void ElementEmitter::storeInterleaved(unsigned number, ArrayRef<Value> values,
                                      ArrayRef<LaneIndex> index) {
  Value value = yielded(number);
  if (llvm::all_of(values, [](Value lanes) { return bool(lanes); }))
    memory.storeInterleaved(kernel.result(number),
                            getElementTypeOrSelf(value.getType()), values,
                            linearize(value, index));
}

bool ElementEmitter::anyLanes(ArrayRef<LaneIndex> index) {
  return indices.width > 1 && llvm::any_of(index, [&](const LaneIndex &x) {
           return !indices.uniform(x);
         });
}

} // namespace zenith::kernels
